// SPDX-License-Identifier: Apache-2.0
// Everything that goes wrong: each gives a precise error or the right result, and the next call works.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import https from 'node:https';
import net from 'node:net';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, tempDir } from '../support/daemon.mjs';
import { Site } from '../support/site.mjs';

async function setup(t, { groups } = {}) {
  const daemon = await Daemon.start(t);
  const site = await Site.start(t);
  const agent = await Agent.connect(t, daemon, kinds[0], { groups });
  await agent.call('start_session', { sessionId: 's', url: site.url });
  const works = async () => assert.match(await agent.call('browser_evaluate', { script: '6 * 7' }), /42/);
  return { daemon, site, agent, works };
}

/** A server whose certificate nobody has signed. */
async function untrusted(t) {
  const dir = await tempDir(t);
  execFileSync('openssl', ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=localhost',
    '-keyout', `${dir}/key`, '-out', `${dir}/cert`], { stdio: 'ignore' });
  const server = https.createServer({ key: readFileSync(`${dir}/key`), cert: readFileSync(`${dir}/cert`) }, (req, res) => res.end('secret'));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  return `https://127.0.0.1:${server.address().port}/`;
}

test('a dialog is reported, blocks with a hint, and is answered', async (t) => {
  const { site, agent, works } = await setup(t);
  await agent.call('browser_navigate', { url: `${site.url}/alert` });
  assert.match(await agent.call('browser_click', { target: '#ask' }), /Really\?.*browser_dialog/s);
  assert.match(await agent.failure('browser_snapshot'), /browser_dialog/);
  await agent.call('browser_dialog', { accept: true });
  assert.match(await agent.call('browser_evaluate', { script: 'document.title' }), /true/);
  await works();
  assert.match(await agent.failure('browser_dialog', { accept: true }), /no dialog/i);
});

test('an alert while the page loads is reported, and the page goes on when it is answered', async (t) => {
  const { site, agent, works } = await setup(t);
  assert.match(await agent.call('browser_navigate', { url: `${site.url}/greet` }), /Welcome.*browser_dialog/s);
  await agent.call('browser_dialog');
  assert.match(await agent.call('browser_extract', { target: 'h1' }), /Greet/);
  await works();
});

test('a page that loops while it loads ends at the deadline', async (t) => {
  const { site, agent, works } = await setup(t);
  assert.match(await agent.failure('browser_navigate', { url: `${site.url}/hang`, timeout_ms: 1500 }), /\d+ ms/);
  await agent.call('browser_navigate', { url: site.url });
  await works();
});

test('a page that loops forever is freed at the deadline', async (t) => {
  const { site, agent, works } = await setup(t);
  await agent.call('browser_navigate', { url: `${site.url}/loop` });
  assert.match(await agent.failure('browser_evaluate', { script: 'for(;;);', timeout_ms: 500 }), /did not finish within \d+ ms/);
  await works();
  await agent.raw('browser_click', { target: '#spin', timeout_ms: 700 });
  await agent.call('browser_navigate', { url: site.url });
  await works();
});

test('MSG-4: a result of 100 MB is refused and the session lives', async (t) => {
  const { agent, works } = await setup(t);
  assert.match(await agent.failure('browser_evaluate', { script: '"x".repeat(100 * 1024 * 1024)' }), /length|large|bytes/i);
  await works();
});

test('MSG-4: what a page makes of titles, values and its console comes as valid text, and the session lives', async (t) => {
  const { site, agent, works, daemon } = await setup(t, { groups: 'all' });
  await agent.call('browser_navigate', { url: site.url });
  await agent.call('browser_evaluate', { script: "document.title = 'a\\ud800b\\udc00'; document.body.innerHTML = '<button>x\\udfff</button>'; history.replaceState(0, '', '#\\ud800'); 0" });
  const deep = await agent.raw('browser_evaluate', { script: 'let a = {}; for (let i = 0; i < 900; i++) a = { a }; a' });
  assert.ok(JSON.stringify(deep).length < 100_000);
  await agent.raw('browser_evaluate', { script: "for (let i = 0; i < 20000; i++) console.log('line ' + i + ' \\ud800'); '\\udfff' + 1" });
  const said = [await agent.call('browser_snapshot'), await agent.call('browser_tabs', { action: 'list' }), await agent.call('browser_console')];
  const listed = await daemon.request('/api/sessions', { auth: true });
  for (const text of [...said, listed.text]) {
    assert.ok(text.isWellFormed() && !/\\ud[89a-f][0-9a-f]{2}/i.test(text), text.slice(0, 300));
    assert.ok(text.length < 1_100_000);
  }
  assert.match(said.join(), /\ufffd/);
  await works();
});

test('a page that opens 1,000 popups is held to its limit', async (t) => {
  const { site, agent, works } = await setup(t);
  await agent.call('browser_navigate', { url: `${site.url}/popups` });
  await agent.raw('browser_click', { target: '#open', timeout_ms: 60_000 });
  const tabs = await agent.call('browser_tabs', { action: 'list' });
  assert.ok(tabs.split('\n').length < 70, tabs);
  await agent.call('browser_navigate', { url: site.url });
  await works();
});

test('a link into a new tab is followed', async (t) => {
  const { site, agent } = await setup(t);
  await agent.call('browser_navigate', { url: `${site.url}/popups` });
  assert.match(await agent.call('browser_click', { target: '#one' }), /tab/i);
  assert.match(await agent.call('browser_evaluate', { script: 'document.title' }), /List/);
});

test('what a page says on its console never reaches the log of the daemon', async (t) => {
  const daemon = await Daemon.start(t, { args: ['--log-level', 'debug'] });
  const agent = await Agent.connect(t, daemon);
  await agent.call('start_session', { sessionId: 's' });
  await agent.call('browser_evaluate', { script: 'console.error("my pin is 4711")' });
  daemon.child.kill('SIGTERM');
  await once(daemon.child, 'close'); // its log has been read to the end
  assert.doesNotMatch(daemon.log.text, /4711/);
});

test('a download does not hang the navigation', async (t) => {
  const { site, agent, works } = await setup(t);
  const result = await agent.raw('browser_navigate', { url: `${site.url}/file`, timeout_ms: 5000 });
  assert.match(result.content[0].text, /download/i);
  await works();
});

test('what comes a moment after a click is in its reply, and a selector finds what the next page brings', async (t) => {
  const { site, agent } = await setup(t);
  const visit = () => agent.call('browser_navigate', { url: `${site.url}/soon` });
  for (const target of ['#timer', '#fetch']) {
    await visit();
    assert.match(await agent.call('browser_click', { target }), /Page is now \S+\/list "List"\./);
  }
  await visit();
  assert.match(await agent.call('browser_click', { target: '#save' }), /\n {2}\+ alert: Saved$/m);
  assert.match(await agent.call('browser_click', { target: '#open' }), /\n {2}\+ dialog "Sure"/);
  await agent.call('browser_click', { target: '#late' });
  assert.match(await agent.call('browser_fill', { target: '#notes', value: 'x' }), /^Filled /);
  assert.match(await agent.call('browser_snapshot'), /\/form "Form"/);
});

test('a 404 is a page, not a failure', async (t) => {
  const { site, agent, works } = await setup(t);
  assert.match(await agent.call('browser_navigate', { url: `${site.url}/missing` }), /404/);
  await works();
});

test('DNS failure, refused connection, TLS error and endless redirect say what is wrong', async (t) => {
  const { site, agent, works } = await setup(t);
  const closed = await new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
  const cases = [
    ['http://no-such-host.invalid/', /name|DNS|resolve/i],
    [`http://127.0.0.1:${closed}/`, /refused/i],
    [site.url.replace('http:', 'https:'), /TLS|SSL|secure|https/i],
    [await untrusted(t), /certificate/i],
    [`${site.url}/redirect`, /redirect/i],
  ];
  for (const [url, words] of cases) {
    assert.match(await agent.failure('browser_navigate', { url }), words, url);
    await agent.call('browser_navigate', { url: site.url });
    await works();
  }
});

test('a page that never answers ends at the deadline', async (t) => {
  const { site, agent } = await setup(t);
  assert.match(await agent.failure('browser_navigate', { url: `${site.url}/never`, timeout_ms: 500 }), /no answer.* ms/);
  await agent.call('browser_navigate', { url: site.url });
});

test('addresses that are no pages are refused before a session is made for them', async (t) => {
  const { daemon, agent, works } = await setup(t);
  const fresh = await Agent.connect(t, daemon, kinds[0]);
  const bad = ['file:///etc/passwd', 'FILE:///etc/passwd', ' \tfile:///etc/passwd', 'chrome://settings', 'view-source:http://127.0.0.1',
    'devtools://devtools', 'javascript:alert(1)', 'fi\nle:///etc/passwd', 'about:config', 'blob:http://x/1', 'ftp://x/'];
  for (const tool of ['browser_navigate', 'start_session']) {
    for (const url of bad) assert.match(await fresh.failure(tool, { url }), /http:\/\/ or https:\/\//, url);
  }
  assert.equal(daemon.log.text.match(/session +started/g).length, 1); // that of the other agent
  await works();
  for (const url of bad) assert.match(await agent.failure('browser_navigate', { url }), /http:\/\/ or https:\/\//, url);
});

test('a covered element is refused with what covers it', async (t) => {
  const { site, agent, works } = await setup(t);
  await agent.call('browser_navigate', { url: `${site.url}/form` });
  assert.match(await agent.failure('browser_click', { target: '#covered', timeout_ms: 500 }), /Cookie banner|banner/);
  await works();
});

test('a ref never hits another element', async (t) => {
  const { site, agent, works } = await setup(t);
  await agent.call('browser_navigate', { url: `${site.url}/replace` });
  const ref = /button "Go" \[ref=(\w+)\]/.exec(await agent.call('browser_snapshot'))[1];
  await agent.call('browser_evaluate', { script: 'replace()' });
  assert.match(await agent.failure('browser_click', { target: ref, timeout_ms: 500 }), new RegExp(`${ref}.*browser_snapshot`, 's'));
  assert.match(await agent.call('browser_evaluate', { script: 'String(window.hit)' }), /undefined/);
  await works();
  await agent.call('browser_navigate', { url: site.url });
  assert.match(await agent.failure('browser_click', { target: ref, timeout_ms: 500 }), new RegExp(`${ref}.*browser_snapshot`, 's'));
  await works();
});

test('unknown arguments and tools are named', async (t) => {
  const { agent, works } = await setup(t);
  const text = await agent.failure('browser_click', { target: '#x', buton: 'left' });
  assert.match(text, /buton/);
  assert.match(text, /button/);
  await assert.rejects(agent.raw('browser_clik', {}), /-32602|browser_clik/);
  assert.match(await agent.failure('browser_navigate', { url: {} }), /url/);
  await works();
});

test('waiting for what comes later', async (t) => {
  const { site, agent } = await setup(t);
  await agent.call('browser_navigate', { url: `${site.url}/later` });
  await agent.call('browser_wait', { target: '#done', timeout_ms: 5000 });
  await agent.call('browser_wait', { text: 'It is done', timeout_ms: 5000 });
  assert.match(await agent.failure('browser_wait', { text: 'never', timeout_ms: 300 }), /never/);
});

test('a script error is told with its message', async (t) => {
  const { agent, works } = await setup(t);
  assert.match(await agent.failure('browser_evaluate', { script: 'nothing.there' }), /nothing is not defined/);
  assert.match(await agent.failure('browser_evaluate', { script: 'a b' }), /SyntaxError|Unexpected/);
  await works();
});

test('a cancelled call stops and the session goes on', async (t) => {
  const { site, agent, works } = await setup(t);
  const stop = new AbortController();
  const call = agent.raw('browser_wait', { text: 'never', timeout_ms: 30_000 }, { signal: stop.signal });
  await agent.client.ping();
  stop.abort();
  await assert.rejects(call);
  await agent.call('browser_navigate', { url: `${site.url}/list`, timeout_ms: 5000 });
  await works();
});
