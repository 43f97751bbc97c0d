// SPDX-License-Identifier: Apache-2.0
// Policies in a real browser: where a tab may be, however it gets there.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, run, until } from '../support/daemon.mjs';

/** A site that is allowed as 127.0.0.1, and the same one by a name that is blocked. */
async function setup(t, policy) {
  const seen = [];
  const pages = {
    '/': '<title>Home</title><h1>Home</h1>',
    '/links': (bad) => `<title>Links</title><a id=go href="${bad}/secret">go</a><button id=open onclick="window.open('${bad}/secret')">open</button>
      <a id=blank target=_blank href="${bad}/secret">blank</a>`,
    '/script': (bad) => `<title>Script</title><script>setTimeout(() => { location = '${bad}/secret'; }, 50)</script>`,
    '/images': (bad) => `<title>Images</title>${[1, 2].map((n) => `<img src="${bad}/secret?${n}">`).join('')}<img src=http://other.localhost/>`,
    '/later': '<title>Later</title><script>setTimeout(() => fetch("/shown"), 200)</script>',
    '/secret': '<title>Secret</title><h1>Secret</h1>',
  };
  const server = http.createServer((req, res) => {
    const bad = `http://localhost:${server.address().port}`;
    seen.push(`${req.headers.host}${req.url}`);
    if (req.url === '/redirect') return res.writeHead(302, { location: `${bad}/secret` }).end();
    const page = pages[req.url];
    res.writeHead(page ? 200 : 404, { 'content-type': 'text/html' });
    return res.end(typeof page === 'function' ? page(bad) : page ?? '');
  });
  server.listen(0);
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  const { port } = server.address();
  const daemon = await Daemon.start(t, { config: 'policy:\n  block_domains: [localhost]\n' });
  const agent = await Agent.connect(t, daemon, kinds[0]);
  const url = `http://127.0.0.1:${port}`;
  await agent.call('start_session', { sessionId: 's', url, ...(policy ? { policy } : {}) });
  const bad = `http://localhost:${port}/secret`;
  const works = async () => {
    await agent.call('browser_navigate', { url });
    assert.match(await agent.call('browser_snapshot'), /Home/);
  };
  return { daemon, agent, url, bad, seen, works };
}

const BLOCKED = /rule "localhost" of the operator's policy|domain/;

test('NET-2: a tab is not sent to what is blocked, in any spelling', async (t) => {
  const { agent, bad, seen, works } = await setup(t);
  for (const url of [bad, bad.replace('localhost', 'LOCALHOST.'), bad.replace('http:', 'http:\\\\'), bad.replace('http://', 'http://127.0.0.1@'),
    bad.replace('localhost', 'a.localhost'), bad.replace('localhost', 'local\thost')]) {
    assert.match(await agent.failure('browser_navigate', { url }), BLOCKED, url);
    assert.match(await agent.failure('browser_tabs', { action: 'new', url }), BLOCKED, url);
    assert.match(await agent.failure('start_session', { url }), BLOCKED, url);
  }
  assert.deepEqual(seen.filter((at) => at.includes('secret')), []);
  await works();
});

for (const [name, act] of [
  ['a redirect', (agent, url) => agent.raw('browser_navigate', { url: `${url}/redirect` })],
  ['a script', (agent, url) => agent.raw('browser_navigate', { url: `${url}/script` })],
  ['a link', async (agent, url) => { await agent.call('browser_navigate', { url: `${url}/links` }); await agent.raw('browser_click', { target: '#go' }); }],
  ['window.open', async (agent, url) => { await agent.call('browser_navigate', { url: `${url}/links` }); await agent.raw('browser_click', { target: '#open' }); }],
  ['target=_blank', async (agent, url) => { await agent.call('browser_navigate', { url: `${url}/links` }); await agent.raw('browser_click', { target: '#blank' }); }],
]) {
  test(`a tab that ${name} takes to what is blocked shows nothing and closes, and it is told`, async (t) => {
    const { daemon, agent, url, works } = await setup(t);
    await act(agent, url);
    // The proxy refuses what the tab has not got to yet, and says so in its own words.
    const search = (type) => run(['audit', 'search', '--type', type, '--json', '--state-dir', daemon.stateDir]);
    const told = async (type) => /localhost/.test((await search(type)).stdout);
    await until(async () => await told('page_refused') || told('request_refused'), 10_000, 'the audit entry');
    await until(async () => {
      const tabs = await agent.raw('browser_tabs', { action: 'list' });
      return !JSON.stringify(tabs).includes('localhost');
    }, 20_000, 'the tab closes');
    assert.doesNotMatch(JSON.stringify(await agent.raw('browser_snapshot')), /Secret/);
    await works();
  });
}

test('a navigation is not refused for where the one before it has led', async (t) => {
  const { agent, url } = await setup(t);
  for (let i = 0; i < 5; i++) {
    await agent.raw('browser_navigate', { url: `${url}/redirect` });
    assert.match(await agent.call('browser_navigate', { url }), /Home/);
    await agent.raw('browser_navigate', { url: `${url}/redirect` });
    assert.match(await agent.call('browser_tabs', { action: 'new', url }), /Home/);
  }
});

test('a reply says once what was refused to the page meanwhile', async (t) => {
  const { agent, url } = await setup(t);
  const reply = await agent.call('browser_navigate', { url: `${url}/images` });
  assert.match(reply, /Policy refused requests of the session's pages: /);
  assert.match(reply, /localhost:\d+ is blocked by the rule "localhost" of the operator's policy/);
  assert.match(reply, /other\.localhost:80 is blocked/);
  assert.doesNotMatch(await agent.call('browser_snapshot'), /Policy refused/);
});

const put = async (daemon, policy) => {
  const reply = await daemon.request('/api/policy/default', {
    method: 'PUT', auth: true, body: JSON.stringify(policy), headers: { 'content-type': 'application/json' },
  });
  assert.equal(reply.status, 200, reply.text);
};

test('the session that is on a domain ends when that is blocked', async (t) => {
  const { daemon, agent, url } = await setup(t);
  await agent.call('start_session', { sessionId: 'other', url: `${url}/links` });
  await put(daemon, { block_domains: ['127.0.0.1'] });
  assert.match(await agent.failure('browser_snapshot', { sessionId: 'other' }), /domain was blocked/);
});

const ended = (daemon, name) => until(async () => {
  const events = await run(['audit', 'search', '--type', 'session_ended', '--json', '--state-dir', daemon.stateDir]);
  return events.stdout.includes('domain_blocked') && events.stdout.includes(name);
}, 10_000, `${name} ends`);

test('a tab in the background counts when its domain is blocked', async (t) => {
  const { daemon, agent, url } = await setup(t);
  const other = new URL(url);
  other.hostname = '127.0.0.2';
  await agent.call('start_session', { sessionId: 'two', url: other.href });
  await agent.call('browser_tabs', { action: 'new', url });
  await put(daemon, { block_domains: ['127.0.0.2'] });
  await ended(daemon, 'two');
  assert.match(await agent.call('browser_snapshot', { sessionId: 's' }), /Home/);
});

test('a tab that went by itself to a domain counts when that is blocked', async (t) => {
  const { daemon, agent, url, seen } = await setup(t);
  const other = url.replace('127.0.0.1', '127.0.0.2');
  await agent.call('start_session', { sessionId: 'alone', url });
  await agent.call('browser_evaluate', { script: `setTimeout(() => { location = '${other}/later'; }, 500); 1` });
  await until(() => seen.some((at) => /^127\.0\.0\.2.*\/shown/.test(at)), 10_000, 'the tab goes on');
  await put(daemon, { block_domains: ['127.0.0.2'] });
  await ended(daemon, 'alone');
});

test('history does not lead back to what has been blocked since', async (t) => {
  const { daemon, agent, url } = await setup(t);
  const second = http.createServer((req, res) => res.writeHead(200, { 'content-type': 'text/html' }).end('<title>Gone</title><h1>Gone</h1>'));
  second.listen(0, '127.0.0.1');
  await once(second, 'listening');
  t.after(() => { second.closeAllConnections(); second.close(); });
  const old = `127.0.0.1:${second.address().port}`;
  await agent.call('browser_navigate', { url: `http://${old}/` });
  await agent.call('browser_navigate', { url });
  await put(daemon, { block_domains: [old] });
  await agent.raw('browser_navigate', { to: 'back' });
  await until(async () => !JSON.stringify(await agent.raw('browser_tabs', { action: 'list' })).includes(old), 20_000, 'the tab closes');
  assert.doesNotMatch(JSON.stringify(await agent.raw('browser_snapshot')), /Gone/);
});

test('a session may narrow for itself, in a real browser too', async (t) => {
  const { agent, url } = await setup(t, { allow_domains: ['127.0.0.1'], evaluate: false });
  await agent.call('browser_navigate', { url: `${url}/links` });
  assert.match(await agent.failure('browser_evaluate', { script: '1' }), /evaluate.*session's policy/);
  assert.match(await agent.failure('browser_navigate', { url: 'https://example.test/' }), /allow_domains of the session's policy/);
});

test('files over the ceilings of a policy go neither in nor out', async (t) => {
  const daemon = await Daemon.start(t);
  const agent = await Agent.connect(t, daemon, kinds[0], { groups: 'files' });
  const server = http.createServer((req, res) => {
    if (req.url === '/') return res.writeHead(200, { 'content-type': 'text/html' }).end('<input type=file id=f><a id=small href=/10 download>s</a><a id=large href=/3000 download>l</a>');
    return res.writeHead(200, { 'content-disposition': `attachment; filename=n${req.url.slice(1)}` }).end('x'.repeat(Number(req.url.slice(1))));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  await agent.call('start_session', { sessionId: 's', url: `http://127.0.0.1:${server.address().port}/`, policy: { downloads: 1000, uploads: 5 } });
  const give = (text) => ({ target: '#f', content: [{ name: 'a.txt', text }] });
  assert.match(await agent.failure('browser_upload', give('123456')), /has 6 bytes, and policy allows uploads of at most 5/);
  await agent.call('browser_upload', give('12345'));
  const downloads = () => agent.call('browser_downloads');
  await downloads();
  await agent.raw('browser_click', { target: '#large' });
  await agent.raw('browser_click', { target: '#small' });
  await until(async () => /n10\b/.test(await downloads()) && !/in progress/i.test(await downloads()), 10_000, 'the small one');
  assert.match(await downloads(), /n3000.*(refused|cancel|large|limit)/is);
});
