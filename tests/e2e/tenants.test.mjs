// SPDX-License-Identifier: Apache-2.0
// Two tenants with real browsers: processes, cookies, saved logins, downloads and spare contexts of one are not the other's.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import http from 'node:http';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, until } from '../support/daemon.mjs';
import { as, makeKey } from '../support/keys.mjs';
import { below } from '../support/processes.mjs';

const HTTP = kinds[1];
const browsers = (daemon) => below(daemon.child.pid).filter((p) => p.parent === daemon.child.pid).map((p) => p.pid);

async function site(t) {
  const server = http.createServer((req, res) => {
    if (req.url === '/file') {
      res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename=theirs.bin' });
    } else {
      res.writeHead(200, { 'content-type': 'text/html' });
    }
    res.end(req.url === '/file' ? 'secret bytes' : '<title>site</title>');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  return `http://127.0.0.1:${server.address().port}`;
}

/** The site is on this machine, which several tenants would be kept from. */
const LOOPBACK = 'policy:\n  private_networks: allow\n';

async function agentOf(t, daemon, tenant) {
  const { key } = await makeKey(daemon, { tenant, scopes: 'act' });
  return Agent.connect(t, as(daemon, key), HTTP, { groups: 'all' });
}

test('browsers, cookies and saved logins of one tenant are not there for another', async (t) => {
  const url = await site(t);
  const daemon = await Daemon.start(t, { config: LOOPBACK });
  const [a, b] = [await agentOf(t, daemon, 'a'), await agentOf(t, daemon, 'b')];
  await a.call('start_session', { sessionId: 'work', url });
  const first = browsers(daemon);
  assert.equal(first.length, 1);
  await a.call('browser_evaluate', { sessionId: 'work', script: 'document.cookie = "login=theirs"; localStorage.setItem("login", "theirs"); 0' });
  await a.call('browser_state', { sessionId: 'work', action: 'save', name: 'login' });
  await b.call('start_session', { sessionId: 'work', url });
  const both = browsers(daemon);
  assert.equal(both.length, 2, 'each tenant has a process of its own');
  const look = () => b.call('browser_evaluate', { sessionId: 'work', script: 'document.cookie + localStorage.getItem("login")' });
  assert.doesNotMatch(await look(), /theirs/);
  const missing = (await b.failure('browser_state', { sessionId: 'work', action: 'load', name: 'nobody' })).replaceAll('nobody', 'ID');
  const theirs = (await b.failure('browser_state', { sessionId: 'work', action: 'load', name: 'login' })).replaceAll('login', 'ID');
  assert.equal(theirs, missing);
  await b.call('browser_state', { sessionId: 'work', action: 'save', name: 'login' });
  await a.call('browser_evaluate', { sessionId: 'work', script: 'localStorage.clear(); 0' });
  await a.call('browser_state', { sessionId: 'work', action: 'load', name: 'login' });
  await a.call('browser_navigate', { sessionId: 'work', url });
  assert.match(await a.call('browser_evaluate', { sessionId: 'work', script: 'localStorage.getItem("login")' }), /theirs/, 'the one of b did not replace it');
});

test('a download of one tenant is neither listed nor read by another', async (t) => {
  const url = await site(t);
  const daemon = await Daemon.start(t, { config: LOOPBACK });
  const [a, b] = [await agentOf(t, daemon, 'a'), await agentOf(t, daemon, 'b')];
  await a.call('start_session', { sessionId: 'work', url });
  await b.call('start_session', { sessionId: 'work', url });
  await a.call('browser_downloads', { sessionId: 'work' });
  await a.raw('browser_navigate', { sessionId: 'work', url: `${url}/file` });
  const listed = await a.call('browser_downloads', { sessionId: 'work', wait: true });
  assert.match(listed, /theirs\.bin/);
  const file = /\/\S*theirs\.bin/.exec(listed)?.[0] ?? `${/(\/\S+)/.exec(listed)[1]}/theirs.bin`;
  assert.ok((await stat(file)).isFile(), listed);
  assert.doesNotMatch(await b.call('browser_downloads', { sessionId: 'work' }), /theirs/);
  await b.call('browser_evaluate', { sessionId: 'work', script: 'document.body.innerHTML = "<input type=file id=f>"; 0' });
  const refused = await b.failure('browser_upload', { sessionId: 'work', target: '#f', paths: [file] });
  const nothing = await b.failure('browser_upload', { sessionId: 'work', target: '#f', paths: [file.replace('theirs', 'nobodys')] });
  assert.equal(refused.replaceAll('theirs', 'X'), nothing.replaceAll('nobodys', 'X'));
});

test('a context that waits for the next session is of the tenant whose browser has it', async (t) => {
  const url = await site(t);
  const daemon = await Daemon.start(t, { config: LOOPBACK });
  const [a, b] = [await agentOf(t, daemon, 'a'), await agentOf(t, daemon, 'b')];
  await a.call('start_session', { sessionId: 'one', url });
  const [first] = browsers(daemon);
  await b.call('start_session', { sessionId: 'one', url });
  const [second] = browsers(daemon).filter((pid) => pid !== first);
  await a.call('start_session', { sessionId: 'two', url });
  await b.call('start_session', { sessionId: 'two', url });
  assert.deepEqual(browsers(daemon).sort(), [first, second].sort(), 'no third one was needed');
  process.kill(first, 'SIGKILL');
  await until(async () => !browsers(daemon).includes(first), 20_000, 'the browser of a is gone');
  assert.match(await b.call('browser_evaluate', { sessionId: 'two', script: '40 + 2' }), /42/, 'b has lost nothing');
});
