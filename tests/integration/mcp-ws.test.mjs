// SPDX-License-Identifier: Apache-2.0
// MCP over a WebSocket, with the official client and with bare frames.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import WebSocket from 'ws';
import { Daemon, agentPort, fixtures, undo, until, within } from '../support/daemon.mjs';
import { makeKey, revokeKey } from '../support/keys.mjs';
import { initialize, modernMeta, request } from '../support/mcp.mjs';

const SECOND = 1000;
const urlOf = (daemon, path = '/mcp', query = {}) =>
  `ws://127.0.0.1:${daemon.port}${path}?${new URLSearchParams({ token: daemon.token, ...query })}`;

/** A socket that keeps what it is told. */
async function open(t, url, { protocols = 'mcp', ...options } = {}) {
  const socket = new WebSocket(url, protocols, options);
  const line = { socket, said: [], closed: once(socket, 'close') };
  socket.on('message', (data) => line.said.push(JSON.parse(data)));
  socket.on('error', () => {});
  undo(t, () => socket.terminate());
  line.ask = async (message) => {
    socket.send(typeof message === 'string' ? message : JSON.stringify(message));
    await until(() => line.said.some((each) => (each.id ?? null) === (message.id ?? null)), SECOND * 10, 'the answer');
    return line.said.find((each) => (each.id ?? null) === (message.id ?? null));
  };
  await within(once(socket, 'open'), SECOND * 10, 'open');
  return line;
}

/** The status by which an upgrade is refused. */
async function refusal(url, options) {
  const socket = new WebSocket(url, 'mcp', options);
  socket.on('error', () => {});
  const [, response] = await within(once(socket, 'unexpected-response'), SECOND * 10, 'a refusal');
  socket.terminate();
  return response.statusCode;
}

const closing = async (line) => {
  const [code, reason] = await within(line.closed, SECOND * 10, 'the close');
  return { code, reason: `${reason}` };
};

async function client(t, url) {
  const agent = new Client({ name: 'page', version: '1' });
  await agent.connect(new WebSocketClientTransport(new URL(url)));
  undo(t, () => agent.close());
  return agent;
}

test('S4-07: the official client connects to the agents\' port and calls tools', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const port = await agentPort(daemon);
  const agent = await client(t, `ws://127.0.0.1:${port}/?token=${daemon.token}`);
  const { tools } = await agent.listTools();
  assert.ok(tools.some((tool) => tool.name === 'start_session'));
  const started = await agent.callTool({ name: 'start_session', arguments: { name: 'one' } });
  assert.ok(!started.isError, started.content[0].text);
  const listed = await agent.callTool({ name: 'list_sessions', arguments: {} });
  assert.match(listed.content[0].text, /"one"/);
});

test('a toolset has an address of its own, and both eras are spoken', async (t) => {
  const daemon = await Daemon.start(t);
  const octopus = await client(t, urlOf(daemon, '/mcp/octopus'));
  assert.equal((await octopus.listTools()).tools.length, 6);
  const line = await open(t, urlOf(daemon));
  assert.equal(line.socket.protocol, 'mcp');
  const modern = await line.ask(request(7, 'tools/list', { _meta: modernMeta() }));
  assert.equal(modern.result.resultType, 'complete');
  const bare = await open(t, urlOf(daemon), { protocols: [] });
  assert.equal((await bare.ask(initialize())).result.serverInfo.name, 'tabard');
});

test('nobody gets in without a token, and no page of another site', async (t) => {
  const daemon = await Daemon.start(t);
  const authorization = `Bearer ${daemon.token}`;
  assert.equal(await refusal(`ws://127.0.0.1:${daemon.port}/mcp`), 401);
  assert.equal(await refusal(urlOf(daemon, '/mcp', { token: 'wrong' })), 401);
  assert.equal(await refusal(urlOf(daemon), { headers: { authorization: 'Bearer wrong' } }), 401, 'the header counts before the query');
  assert.equal(await refusal(urlOf(daemon), { origin: 'https://evil.example' }), 403);
  assert.equal(await refusal(urlOf(daemon, '/mcp/nonsense')), 404);
  assert.equal(await refusal(urlOf(daemon, '/mcp', { sesion: 'x' })), 400);
  await open(t, `ws://127.0.0.1:${daemon.port}/mcp`, { headers: { authorization } });
  assert.equal((await daemon.request(`/api/sessions?token=${daemon.token}`)).status, 401, 'only sockets take it there');
  assert.ok(!daemon.log.text.includes(daemon.token));
});

test('a session that the address names is the one that calls mean', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const first = await client(t, urlOf(daemon));
  for (const name of ['one', 'two']) await first.callTool({ name: 'start_session', arguments: { name } });
  const second = await client(t, urlOf(daemon, '/mcp', { session: 'one' }));
  const listed = await second.callTool({ name: 'list_sessions', arguments: {} });
  assert.equal(JSON.parse(listed.content[0].text).currentSession, 'one');
  const none = await open(t, urlOf(daemon, '/mcp', { sessionId: 'three' }));
  assert.deepEqual(await closing(none), { code: 4001, reason: 'Session not found' });
});

test('what is no message is answered or ends the connection', async (t) => {
  const daemon = await Daemon.start(t);
  const line = await open(t, urlOf(daemon));
  assert.equal((await line.ask('{"jsonrpc":')).error.code, -32700);
  line.said.length = 0;
  assert.equal((await line.ask('[]')).error.code, -32600);
  line.socket.send(Buffer.from([1, 2, 3]));
  assert.equal((await closing(line)).code, 1003);
  const flood = await open(t, urlOf(daemon));
  flood.socket.send('x'.repeat(17 * 1024 * 1024));
  assert.equal((await closing(flood)).code, 1009);
});

test('a revoked key closes its connections, and the end of the daemon all', async (t) => {
  const daemon = await Daemon.start(t);
  const { id, key } = await makeKey(daemon, { tenant: 'acme', scopes: ['act'] });
  const keyed = await open(t, urlOf(daemon, '/mcp', { token: key }));
  const other = await open(t, urlOf(daemon));
  await revokeKey(daemon, id);
  assert.equal((await closing(keyed)).code, 1008);
  assert.equal((await other.ask(initialize())).result.serverInfo.name, 'tabard');
  daemon.child.kill('SIGTERM');
  assert.deepEqual(await closing(other), { code: 1001, reason: 'the daemon stops' });
});

test('the conversation ends with its connection', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const line = await open(t, urlOf(daemon));
  await line.ask(initialize());
  line.socket.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  const navigated = await line.ask(request(3, 'tools/call', { name: 'browser_navigate', arguments: { url: 'http://127.0.0.1/' } }));
  assert.ok(!navigated.result.isError, JSON.stringify(navigated));
  const count = async () => JSON.parse((await daemon.request('/api/sessions', { auth: true })).text).sessions.length;
  assert.equal(await count(), 1);
  line.socket.close();
  await until(async () => (await count()) === 0, SECOND * 10, 'the end of its session');
});
