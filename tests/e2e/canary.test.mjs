// SPDX-License-Identifier: Apache-2.0
// DATA-1: what is secret goes through a session at debug level and is then searched for wherever the daemon writes or tells something. Not searched
// are the places that have it by their purpose: the two key files, the operator's configuration, the session's own directory of files, and the
// profile of the browser.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { plant, spellings, uproot } from '../support/canaries.mjs';
import { Daemon, run, tempDir } from '../support/daemon.mjs';
import { Reader } from '../support/events.mjs';
import { below } from '../support/processes.mjs';

const PAGE = `<!doctype html><title>Canaries</title><form method=post action=/form><input id=user name=user aria-label=User>
  <input id=word name=word type=password aria-label=Word><input id=plain name=plain aria-label=Plain><input id=code name=code aria-label=Code>
  <input id=file type=file><button id=ask type=button onclick="prompt('Which?')">Ask</button></form>`;

const NAMES = ['cookie', 'httpOnly', 'typed', 'password', 'secret', 'form', 'upload', 'download', 'webhook', 'endpoint', 'local', 'session', 'user', 'pass',
  'query', 'fragment', 'script', 'console', 'title', 'text', 'header', 'answer', 'guess', 'body', 'state', 'setCookie', 'name', 'upstream'];

/** Readers of everything that is left behind below a directory. */
async function filesBelow(dir, isPassedOver) {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name)).filter((name) => !isPassedOver(name));
  return Promise.all(names.map(async (name) => [name, await readFile(name).catch(() => Buffer.alloc(0))])); // a browser removes some of its own
}

function hits(canaries, places) {
  const found = [];
  for (const [where, bytes] of places) {
    for (const [name, canary] of Object.entries(canaries)) {
      if (spellings(canary).some((one) => bytes.includes(one))) found.push(`${name} in ${where}`);
    }
  }
  return found;
}

function processTexts(pid) {
  return Promise.all([pid, ...below(pid).map((one) => one.pid)].flatMap((one) => ['cmdline', 'environ'].map(async (name) => [
    `/proc/${one}/${name}`, await readFile(`/proc/${one}/${name}`).catch(() => Buffer.alloc(0))])));
}

test('DATA-1: no canary is found outside of where it belongs', async (t) => {
  const canary = Object.fromEntries(NAMES.map((name) => [name, `canary${name}${randomBytes(9).toString('hex')}`]));
  const sink = http.createServer((req, res) => req.resume().on('end', () => res.end())).listen(0, '127.0.0.1');
  const site = http.createServer((req, res) => {
    if (req.url.startsWith('/download')) {
      return res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename=d.bin' }).end(canary.download);
    }
    res.writeHead(200, { 'content-type': 'text/html', 'set-cookie': [`a=${canary.cookie}`, `b=${canary.httpOnly}; HttpOnly`] });
    res.end(`${PAGE}<p>${canary.text}</p>`);
  }).listen(0, '127.0.0.1');
  await Promise.all([once(sink, 'listening'), once(site, 'listening')]);
  t.after(() => [sink, site].forEach((server) => { server.closeAllConnections(); server.close(); }));
  const host = `bank.localhost:${site.address().port}`;
  const dir = await tempDir(t);
  const temp = path.join(dir, 'tmp');
  await mkdir(temp, { mode: 0o777 });
  const daemon = await Daemon.start(t, { dir, args: ['--log-level', 'debug'], env: { TMPDIR: temp },
    config: `webhooks:\n  - url: http://127.0.0.1:${sink.address().port}/\n    secret: ${canary.webhook}\n` });
  const events = await Reader.open(t, daemon);
  const json = { 'content-type': 'application/json' };
  const api = (method, target, body) => daemon.request(target, { method, auth: true, headers: json, body: JSON.stringify(body) });
  const seed = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJR';
  assert.equal((await api('PUT', '/api/secrets/word', { value: canary.secret, domains: ['bank.localhost'] })).status, 200);
  assert.equal((await api('PUT', '/api/secrets/otp', { value: seed, totp: true, domains: ['bank.localhost'] })).status, 200);
  const key = JSON.parse((await api('POST', '/api/keys', { tenant: 'default', scopes: ['observe'] })).text).key;
  assert.equal((await daemon.request('/api/sessions', { headers: { authorization: `Bearer ${key}` } })).status, 200);
  const refused = await daemon.request('/api/sessions', { headers: { authorization: `Bearer ${canary.guess}` } });
  assert.equal(refused.status, 401);

  const agent = await Agent.connect(t, daemon, kinds[0], { groups: 'all' });
  const call = (tool, args = {}) => agent.call(tool, { sessionId: 's', ...args });
  await agent.call('start_session', { sessionId: 's', url: `http://${canary.user}:${canary.pass}@${host}/?q=${canary.query}#${canary.fragment}` });
  await call('browser_fill', { target: '#user', value: canary.typed });
  await call('browser_fill', { target: '#word', value: canary.password });
  await call('browser_fill_form', { fields: [{ target: '#user', value: canary.form }, { target: '#plain', value: '{{secret:word}}' }, { target: '#code', value: '{{totp:otp}}' }] });
  await call('browser_upload', { target: '#file', content: [{ name: 'u.txt', text: canary.upload }] });
  await call('browser_evaluate', { script: `localStorage.a = '${canary.local}'; sessionStorage.b = '${canary.session}'; console.error('${canary.console}');
    document.title = '${canary.title}'; fetch(origin + '/x', { method: 'POST', headers: { authorization: 'Bearer ${canary.header}' }, body: '${canary.body}' }).then(() => '${canary.script}')` });
  await call('browser_cookies', { action: 'set', name: 'c', value: canary.setCookie });
  await call('browser_storage', { action: 'set', key: 'k', value: canary.state });
  await call('browser_click', { target: '#ask' });
  await call('browser_dialog', { accept: true, text: canary.answer });
  for (const tool of ['browser_snapshot', 'browser_extract', 'browser_console', 'browser_network', 'browser_storage', 'browser_cookies', 'browser_screenshot', 'browser_pdf', 'list_sessions']) {
    await call(tool, tool === 'list_sessions' ? { sessionId: undefined } : {});
  }
  await call('browser_state', { action: 'save', name: 'login' });
  await agent.raw('browser_navigate', { sessionId: 's', url: `http://${host}/download?${canary.query}` });
  await call('browser_downloads', { wait: true });
  const failures = [refused.text, await agent.failure('start_session', { sessionId: 'far', provider: 'cdp', endpoint: `ws://127.0.0.1:1/?token=${canary.endpoint}` }),
    JSON.stringify(await agent.raw('start_session', { sessionId: 'p', proxy: `http://us:${canary.upstream}@127.0.0.1:1`, url: 'http://far.test/' })),
    await agent.failure('browser_click', { sessionId: 's', target: '#nothing', timeout_ms: 200 }),
    (await api('PUT', '/api/secrets/bad%20name', { value: canary.secret, domains: ['bank.localhost'] })).text];
  await call('browser_navigate', { url: `http://${host}/` });
  await call('browser_click', { target: '#user' });
  await until(events, 'browser_click');

  const directory = /\/\S+/.exec(await call('browser_downloads'))[0];
  const profile = below(daemon.child.pid).flatMap((one) => one.args).map((arg) => /--user-data-dir=(\S+)/.exec(arg)?.[1]).find(Boolean);
  const belongs = (name) => name === daemon.configFile || [directory, profile].some((place) => place && name.startsWith(place))
    || ['secret', 'admin.token'].some((file) => name === path.join(daemon.stateDir, file));
  const everything = { ...canary, seed, key, admin: daemon.token };
  const running = [['the log', Buffer.from(daemon.log.text)], ['events', Buffer.from(events.events.join('\n'))], ['errors', Buffer.from(failures.join('\n'))],
    ['metrics', Buffer.from((await daemon.request('/metrics', { auth: true })).text)], ['sessions', Buffer.from((await daemon.request('/api/sessions', { auth: true })).text)],
    ...await processTexts(daemon.child.pid), ...await filesBelow(dir, belongs)];
  assert.ok(running.some(([name, bytes]) => /intake/.test(name) && bytes.length), 'the intake is among what is searched');
  assert.ok(running.some(([name, bytes]) => /tabard\.db$/.test(name) && bytes.length), 'and the database');
  assert.deepEqual(hits(everything, running), []);

  daemon.child.kill('SIGTERM');
  await daemon.exited;
  const exported = await run(['audit', 'export', '--state-dir', daemon.stateDir]);
  assert.match(exported.stdout, /browser_fill_form/);
  const stopped = [['the last of the log', Buffer.from(daemon.log.text)], ['audit export', Buffer.from(exported.stdout + exported.stderr)], ...await filesBelow(dir, belongs)];
  assert.deepEqual(hits(everything, stopped), []);
  assert.ok(hits({ webhook: canary.webhook }, [['itself', await readFile(daemon.configFile)]]).length, 'what is there is found');
});

test('DATA-1: what every test\'s daemon is searched for would be found', async (t) => {
  const daemon = await Daemon.start(t);
  const agent = await Agent.connect(t, daemon);
  const name = `found${randomBytes(9).toString('hex')}`;
  await agent.call('start_session', { sessionId: name });
  daemon.child.kill('SIGTERM');
  await daemon.exited;
  await daemon.expectNoLeak();
  plant('a name that is told', name);
  await assert.rejects(daemon.expectNoLeak(), /a secret has leaked: a name that is told in (the log|the audit log|.*tabard\.)/);
  uproot(name);
});

/** The event of that tool has come. */
async function until(events, tool) {
  for (const end = Date.now() + 10_000; !events.events.some((event) => event.includes(tool));) {
    assert.ok(Date.now() < end, `an event of ${tool}`);
    await new Promise(setImmediate);
  }
}
