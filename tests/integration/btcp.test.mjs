// SPDX-License-Identifier: Apache-2.0
// BTCP by WebSocket: a page registers tools, agents of MCP call them; sessions are renewed, end, and come back.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import { Page, echo } from '../support/btcp.mjs';
import { agentPort, Daemon, undo, until } from '../support/daemon.mjs';
import { makeKey } from '../support/keys.mjs';

const SECOND = 1000;

async function agentOf(t, daemon, session) {
  const agent = new Client({ name: 'agent', version: '1' });
  const url = new URL(`ws://127.0.0.1:${await agentPort(daemon)}/`);
  url.search = new URLSearchParams({ token: daemon.token, session });
  await agent.connect(new WebSocketClientTransport(url));
  undo(t, () => agent.close());
  return agent;
}

const listed = async (daemon) => JSON.parse((await daemon.request('/api/sessions', { auth: true })).text).sessions;

test('S4-02, S4-03, S4-05, S4-06, S4-09, S4-11, S4-13, S4-19, S4-20: a page brings a tool, an agent calls it', async (t) => {
  const daemon = await Daemon.start(t);
  const page = await Page.connect(t, daemon);
  const before = Date.now();
  const { sessionId, expiresAt } = await page.ask('session/create', {});
  assert.match(sessionId, /^[0-9a-z]{26}-[0-9a-z]{4}$/, 'opaque, with a checksum');
  assert.ok(Math.abs(expiresAt - before - 3600_000) < 10 * SECOND);
  assert.deepEqual(await page.ask('tools/register', { tools: [echo] }), { registered: 1 });
  const agent = await agentOf(t, daemon, sessionId);
  const { tools } = await agent.listTools();
  assert.deepEqual(tools.find((tool) => tool.name === 'echo'), echo, 'as the page wrote it');
  page.handle = ({ name, arguments: given }) => ({ name, given });
  const reply = await agent.callTool({ name: 'echo', arguments: { text: 'hällo "x"', big: 1 } });
  assert.deepEqual(JSON.parse(reply.content[0].text), { name: 'echo', given: { text: 'hällo "x"', big: 1 } });
  page.handle = () => ({ content: [{ type: 'text', text: 'two' }], isError: true });
  const failed = await agent.callTool({ name: 'echo', arguments: {} });
  assert.deepEqual([failed.isError, failed.content[0].text], [true, 'two'], 'a content array passes as it is');
});

test('S4-21, S4-22, S4-25: agents share the tools, and each gets its own answers', async (t) => {
  const daemon = await Daemon.start(t);
  const page = await Page.connect(t, daemon);
  const { sessionId } = await page.ask('session/create', {});
  await page.ask('tools/register', { tools: [echo] });
  const agents = await Promise.all([1, 2, 3].map(() => agentOf(t, daemon, sessionId)));
  const waiting = [];
  page.handle = ({ arguments: given }) => new Promise((resolve) => { waiting.push(() => resolve(given)); });
  const answers = agents.flatMap((agent, a) => [0, 1, 2, 3].map(async (i) => {
    const reply = await agent.callTool({ name: 'echo', arguments: { text: `${a}:${i}` } });
    assert.deepEqual(JSON.parse(reply.content[0].text), { text: `${a}:${i}` });
  }));
  await until(() => waiting.length === 12, 10 * SECOND, 'all calls');
  waiting.reverse().forEach((answer) => answer());
  await Promise.all(answers);
});

test('S4-16, S4-28, S4-30, S4-31: a page renews its session and ends it', async (t) => {
  const daemon = await Daemon.start(t);
  const page = await Page.connect(t, daemon);
  const { sessionId } = await page.ask('session/create', {});
  const renewed = await page.ask('session/renew', { ttl: 7200 });
  assert.equal(renewed.sessionId, sessionId);
  assert.ok(Math.abs(renewed.expiresAt - Date.now() - 7200_000) < 10 * SECOND);
  const most = await page.ask('session/renew', { ttl: 90_000 });
  assert.ok(Math.abs(most.expiresAt - Date.now() - 86_400_000) < 10 * SECOND, 'S4-28: the longest that there is');
  assert.equal((await page.ask('session/info', {})).type, 'client');
  assert.deepEqual(await page.ask('session/terminate', {}), { terminated: true });
  assert.deepEqual(page.notices.map(({ method, params }) => [method, params]), [['session:terminated', { reason: 'closed' }]]);
  assert.deepEqual(await listed(daemon), []);
  const other = await page.ask('session/create', {});
  assert.notEqual(other.sessionId, sessionId, 'the connection can have another');
  const [, next] = await Promise.all([page.ask('session/terminate', {}), page.ask('session/create', {})]);
  assert.notEqual(next.sessionId, other.sessionId, 'at once');
});

test('S4-38: a page is told before its session expires', async (t) => {
  const daemon = await Daemon.start(t, { config: 'sessions:\n  client_ttl_ms: 3000\n  expiring_ms: 2500\n' });
  const page = await Page.connect(t, daemon);
  await page.ask('session/create', {});
  await until(() => page.notices.length === 2, 10 * SECOND, 'both notices');
  assert.equal(page.notices[0].method, 'session:expiring');
  assert.ok(page.notices[0].params.expiresIn > 0 && page.notices[0].params.expiresIn <= 2500);
  assert.deepEqual([page.notices[1].method, page.notices[1].params], ['session:terminated', { reason: 'ttl_expired' }]);
});

test('S4-14, S4-43: calls fail while the page is away; it comes back with its id, also after kill -9', async (t) => {
  let daemon = await Daemon.start(t);
  let page = await Page.connect(t, daemon);
  const { sessionId } = await page.ask('session/create', {});
  await page.ask('tools/register', { tools: [echo] });
  const agent = await agentOf(t, daemon, sessionId);
  page.handle = () => { page.socket.terminate(); return new Promise(() => {}); };
  const lost = await agent.callTool({ name: 'echo', arguments: {} });
  assert.match(lost.content[0].text, /disconnected/);
  assert.equal((await listed(daemon))[0].away, true);
  page = await Page.connect(t, daemon);
  const back = await page.ask('session/create', { sessionId });
  assert.deepEqual([back.sessionId, back.recovered, back.tools], [sessionId, true, 1]);
  page.handle = () => 'again';
  assert.equal((await agent.callTool({ name: 'echo', arguments: {} })).content[0].text, '"again"');
  await daemon.kill();
  daemon = await Daemon.start(t, { dir: daemon.dir });
  page = await Page.connect(t, daemon);
  assert.equal((await page.ask('session/reconnect', { sessionId })).sessionId, sessionId);
  await page.ask('tools/register', { tools: [echo] });
  page.handle = () => 'third';
  const other = await agentOf(t, daemon, sessionId);
  assert.equal((await other.callTool({ name: 'echo', arguments: {} })).content[0].text, '"third"');
});

test('the newest page has the session, and the older one stays connected', async (t) => {
  const daemon = await Daemon.start(t);
  const older = await Page.connect(t, daemon);
  const { sessionId } = await older.ask('session/create', {});
  const newer = await Page.connect(t, daemon);
  assert.equal((await newer.ask('session/create', { sessionId })).recovered, true);
  await until(() => older.notices.length === 1, 10 * SECOND, 'the notice');
  assert.equal(older.notices[0].method, 'session:replaced');
  await assert.rejects(older.ask('tools/register', { tools: [] }), /begin with session\/create/);
  assert.equal((await older.ask('ping', {})).pong, true);
  older.socket.close();
  await newer.ask('tools/register', { tools: [echo] });
  assert.equal((await listed(daemon))[0].away, undefined);
});

test('S4-45, S4-46: sessions of others are not to be had, neither by name nor by another tenant', async (t) => {
  const daemon = await Daemon.start(t);
  const page = await Page.connect(t, daemon);
  const { sessionId } = await page.ask('session/create', {});
  const [{ sessionId: name }] = await listed(daemon);
  const stranger = await Page.connect(t, daemon);
  await assert.rejects(stranger.ask('session/create', { sessionId: name }), /unknown or ended session/);
  const { key } = await makeKey(daemon, { tenant: 'acme', scopes: ['act'] });
  const foreign = await Page.connect(t, daemon, { token: key });
  const random = sessionId.replace(/^./, (c) => (c === '0' ? '1' : '0'));
  const words = await Promise.all([sessionId, random].map((id) => foreign.ask('session/create', { sessionId: id }).catch((err) => err.message.replaceAll(id, 'ID'))));
  assert.equal(words[0], words[1], 'it is the same as one that is not there');
  const observer = await makeKey(daemon, { tenant: 'default', scopes: ['observe'] });
  await assert.rejects(Page.connect(t, daemon, { token: observer.key }), /403/);
  await assert.rejects(Page.connect(t, daemon, { origin: 'https://evil.example' }), /403/);
});

test('what a page says wrongly is answered, and nothing is left hanging', async (t) => {
  const daemon = await Daemon.start(t);
  const page = await Page.connect(t, daemon);
  await assert.rejects(page.ask('tools/register', { tools: [] }), /begin with session\/create/);
  await assert.rejects(page.ask('session/create', { sessionId: 7 }), /not an id/);
  await page.ask('session/create', {});
  await assert.rejects(page.ask('session/create', {}), /has a session/);
  await assert.rejects(page.ask('tools/register', {}), /needs the array 'tools'/);
  await assert.rejects(page.ask('tools/callStreaming', {}), /cannot ask its session for that/);
  await assert.rejects(page.ask('tools/register', { tools: Array.from({ length: 101 }, (_, i) => ({ ...echo, name: `t${i}` })) }), /at most 100 tools/, 'S4-34');
  assert.equal((await page.raw('{"jsonrpc":')).error.code, -32700);
  page.socket.send('{"jsonrpc":"2.0","id":"made up","result":1}');
  page.socket.send('{"jsonrpc":"2.0","method":"nobody/knows"}');
  assert.equal((await page.ask('session/ping', {})).pong, true);
  page.socket.send('x'.repeat(3 * 1024 * 1024));
  assert.equal(await page.closed, 1009);
});
