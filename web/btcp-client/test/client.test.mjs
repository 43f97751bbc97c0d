// SPDX-License-Identifier: Apache-2.0
// The client by a WebSocket: sessions, tools that are offered, capabilities.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tool, until } from './fakes.mjs';
import { call, connected, manifest, pair } from './stage.mjs';

test('S4-35, S4-55: connect begins a session, and what was registered before is offered at once', async (t) => {
  const { server, client, events } = pair(t, { serverUrl: 'http://shop.example:8765/btcp', token: 'a b' });
  assert.deepEqual(await client.registerTool(tool('one'), () => 1), { registered: 1 });
  assert.equal(server.lines.length, 0);
  const session = await client.connect();
  assert.deepEqual([session, client.session, client.state], [{ id: 'new', expiresAt: 1000, recovered: false }, session, 'open']);
  assert.equal(server.lines[0].url, 'ws://shop.example:8765/btcp?token=a+b');
  assert.deepEqual(server.heard.map(({ method }) => method), ['session/create', 'tools/register']);
  assert.deepEqual(server.tools, ['one']);
  assert.deepEqual(events.map(([name]) => name), ['session:created', 'connected']);
  assert.equal(await client.connect(), session, 'it is connected already');
});

test('S4-55: a client that is given a session goes on with it, or with a new one if it has ended', async (t) => {
  const { server, client, events } = pair(t, { sessionId: 'old' });
  assert.deepEqual(await client.connect(), { id: 'old', expiresAt: 1000, recovered: true });
  assert.deepEqual(events.map(([name]) => name), ['connected']);
  await client.disconnect();
  const { 'session/create': create } = server.answers;
  const ended = { error: { code: -10442, message: 'it has ended', data: { code: 'session_ended' } } };
  server.answers['session/create'] = (params) => (params.sessionId ? ended : create(params));
  await assert.rejects(client.reconnect(), { code: 'SESSION_GONE' });
  await assert.rejects(client.reconnect(), { code: 'SESSION_GONE' }, 'it has been forgotten');
  assert.equal((await client.connect()).id, 'new');
  const other = pair(t, { WebSocket: server.WebSocket, sessionId: 'old' }).client;
  const ids = await Promise.all([other.connect(), other.connect(), other.connect()]);
  assert.deepEqual(ids.map(({ id: each }) => each), ['new', 'new', 'new'], 'for connect a new one will do');
});

test('a server that cannot be reached, does not answer, or refuses makes connect fail, and it does not go on by itself', async (t) => {
  const { server, client } = pair(t, { connectTimeoutMs: 50, requestTimeoutMs: 50 });
  server.refuses = true;
  await assert.rejects(client.connect(), { code: 'CONNECTION', message: /was closed \(1006\)/ });
  assert.equal(client.state, 'idle');
  server.refuses = false;
  server.answers['session/create'] = () => ({ error: 'none' });
  await assert.rejects(client.connect(), { code: 'NO_ANSWER', message: /did not answer session\/create within 50 ms/ });
  server.answers['session/create'] = () => ({ error: { code: -10503, message: 'too many', data: { code: 'busy' } } });
  await assert.rejects(client.connect(), { code: 'SERVER_ERROR', message: 'too many' });
  assert.equal(server.open.length, 0, 'no line is left');
  assert.equal(client.state, 'idle');
});

test('S4-30, S4-31: a session is renewed', async (t) => {
  const { server, client } = await connected(t);
  assert.equal((await client.renewSession()).expiresAt, 1000);
  assert.deepEqual(await client.renewSession({ ttl: 7200 }), { id: 'new', expiresAt: 7_200_000, recovered: false });
  assert.deepEqual(server.heard.filter(({ method }) => method === 'session/renew').map(({ params }) => params), [{}, { ttl: 7200 }]);
});

test('S4-16: a session is terminated, which is told once', async (t) => {
  const { server, client, events } = await connected(t);
  server.answers['session/terminate'] = () => {
    server.tell('session:terminated', { reason: 'closed' });
    return { terminated: true };
  };
  await client.terminateSession();
  assert.deepEqual(events.filter(([name]) => name === 'session:terminated'), [['session:terminated', { reason: 'closed' }]]);
  assert.deepEqual([client.state, client.session, server.open.length], ['idle', null, 0]);
  await assert.rejects(client.reconnect(), { code: 'SESSION_GONE' });
  await assert.rejects(client.terminateSession(), { code: 'DISCONNECTED' });
});

test('the end of a session that the server tells of is an end', async (t) => {
  const { server, client, events } = await connected(t);
  server.tell('session:terminated', { reason: 'ttl_expired' });
  assert.deepEqual(events.at(-1), ['session:terminated', { reason: 'ttl_expired' }]);
  assert.deepEqual([client.state, server.open.length], ['idle', 0]);
});

test('S4-36, S4-38: notices of the server are events, and no notice can pass for an event of the client', async (t) => {
  const { server, client, events } = await connected(t);
  events.length = 0;
  server.tell('session:agent_joined', { agentId: 'a', agentName: 'claude' });
  server.tell('session:expiring', { expiresIn: 1000 });
  server.tell('session:created', { sessionId: 'new' });
  server.tell('disconnected', {});
  server.tell('connected', {});
  assert.deepEqual(events, [['session:agent_joined', { agentId: 'a', agentName: 'claude' }], ['session:expiring', { expiresIn: 1000 }]]);
  const seen = [];
  const off = client.on('tools:changed', (detail) => seen.push(detail));
  server.tell('tools:changed', { n: 1 });
  off();
  server.tell('tools:changed', { n: 2 });
  assert.deepEqual(seen, [{ n: 1 }]);
});

test('what a page does not know is answered, and what is no message is passed over', async (t) => {
  const { server } = await connected(t);
  assert.equal((await server.ask('tools/callStreaming', {})).error.code, -32601);
  assert.equal((await server.ask('ping', {})).result.pong, true);
  assert.equal((await server.ask('session/ping', undefined)).result.pong, true);
  const [line] = server.open;
  for (const data of ['{', 'null', '7', '[]', '{}', '{"jsonrpc":"1.0","id":1,"method":"ping"}', '{"jsonrpc":"2.0","id":"made up","result":1}', '{"jsonrpc":"2.0","method":"toString"}']) line.onmessage({ data });
  line.onmessage({ data: new ArrayBuffer(3) });
  assert.equal((await server.ask('toString', {})).error.code, -32601);
  assert.deepEqual((await server.ask('tools/list', {})).result, { tools: [] });
  assert.equal((await server.ask('tools/call', null)).error.data.btcpCode, 'TOOL_NOT_FOUND');
});

test('tools that conflict, have faults or no function are refused, and nothing changes', async (t) => {
  const { server, client } = await connected(t);
  await client.registerTool(tool('a'), () => 1);
  await assert.rejects(client.registerTool(tool('a'), () => 2), { code: 'TOOL_CONFLICT' });
  await assert.rejects(client.registerManifest(manifest(['a']), { a: () => 2 }), { code: 'TOOL_CONFLICT' });
  await assert.rejects(client.registerTool(tool('b'), undefined), { code: 'INVALID_TOOL', message: /neither a function/ });
  await assert.rejects(client.registerTool({ name: 'b' }, () => 1), { code: 'INVALID_TOOL', message: /lacks description/ });
  await assert.rejects(client.registerManifest(manifest(['toString']), {}), { code: 'INVALID_TOOL' });
  await assert.rejects(client.registerManifest(manifest(['b'], { name: 'M' }), { b: () => 1 }), { code: 'INVALID_MANIFEST' });
  await assert.rejects(client.registerManifest(manifest(['b'], { config: { sandbox: 'ses' } }), { b: { source: '() => 1' } }), { code: 'INVALID_TOOL', message: /only 'worker'/ });
  assert.equal(server.count('tools/register'), 1);
  assert.equal((await call(server, 'a', {})).result, 1);
});

test('what the server refuses is not offered', async (t) => {
  const { server, client } = await connected(t);
  await client.registerTool(tool('a'), () => 1);
  await client.registerManifest(manifest(['d']), { d: () => 'before' });
  const { 'tools/register': register } = server.answers;
  server.answers['tools/register'] = () => ({ error: { code: -32602, message: 'at most one', data: { code: 'invalid_params' } } });
  await assert.rejects(client.registerTool(tool('b'), () => 1), { message: 'at most one' });
  await assert.rejects(client.registerManifest(manifest(['f']), { f: () => 1 }), { message: 'at most one' });
  server.answers['tools/register'] = register;
  assert.equal((await call(server, 'd', {})).result, 'before', 'what it was to take the place of is there');
  assert.equal((await call(server, 'b', {})).error.data.btcpCode, 'TOOL_NOT_FOUND');
  await client.registerTool(tool('b'), () => 1);
  assert.deepEqual(server.tools, ['a', 'd', 'b']);
});

test('many registrations at once are told in few messages, in their order', async (t) => {
  const { server, client } = await connected(t);
  const names = Array.from({ length: 20 }, (_, i) => `t${i}`);
  const replies = await Promise.all(names.map((name) => client.registerTool(tool(name), () => name)));
  assert.ok(server.count('tools/register') <= 2, `${server.count('tools/register')}`);
  assert.deepEqual(server.tools, names);
  assert.equal(replies.at(-1).registered, 20);
  assert.deepEqual(await client.unregister(['t0', 't1']), { registered: 18 });
  assert.deepEqual(await client.unregister('t2'), { registered: 17 });
  assert.deepEqual(await client.unregister(), { registered: 0 });
  assert.deepEqual(server.tools, []);
});

test('what a page changes in its own objects later does not change what it offers', async (t) => {
  const { server, client } = await connected(t);
  const mine = tool('a', { inputSchema: { type: 'object', properties: { n: { type: 'string' } } } });
  await client.registerTool(mine, () => 1);
  mine.inputSchema.properties.n.type = 'number';
  assert.equal((await call(server, 'a', { n: 1 })).error.data.btcpCode, 'INVALID_PARAMS');
});

test('S4-46: capabilities are granted and revoked', async (t) => {
  const { server, client } = await connected(t);
  assert.deepEqual(await client.grant('dom:read'), { granted: ['dom:read'], pending: [] });
  await client.grant(['dom:write'], { type: 'once' });
  await client.revoke(['dom:read']);
  assert.deepEqual(server.heard.slice(-3).map(({ method, params }) => [method, params]), [
    ['capabilities/grant', { capabilities: ['dom:read'], type: 'session' }], ['capabilities/grant', { capabilities: ['dom:write'], type: 'once' }],
    ['capabilities/revoke', { capabilities: ['dom:read'] }]]);
  await client.disconnect();
  await assert.rejects(client.grant('dom:read'), { code: 'DISCONNECTED' });
});

test('S4-47: who asks for capabilities gets what the page gives, of what it asked for', async (t) => {
  let answer;
  const asked = [];
  const onCapabilityRequest = (request) => {
    asked.push(request);
    return answer;
  };
  const { server, client, events } = await connected(t, { onCapabilityRequest });
  const ask = async (given) => {
    answer = given;
    return (await server.ask('capabilities/request', { capabilities: ['a:b', 'c:d'], agentId: 'agent-1', agentName: 'claude' })).result;
  };
  assert.deepEqual(await ask(true), { granted: ['a:b', 'c:d'], denied: [] });
  assert.deepEqual(asked[0], { capabilities: ['a:b', 'c:d'], agentId: 'agent-1', agentName: 'claude' });
  assert.deepEqual(await ask(['c:d', 'x:y']), { granted: ['c:d'], denied: ['a:b'] });
  assert.deepEqual(await ask({ granted: ['a:b'] }), { granted: ['a:b'], denied: ['c:d'] });
  for (const none of [false, undefined, null, {}, 'a:b', Promise.reject(new Error('closed'))]) assert.deepEqual(await ask(none), { granted: [], denied: ['a:b', 'c:d'] });
  assert.deepEqual(events.at(-1), ['error', new Error('closed')]);
  const { server: silent } = await connected(t);
  assert.deepEqual((await silent.ask('capabilities/request', { capabilities: ['a:b'] })).result, { granted: [], denied: ['a:b'] }, 'without anybody to ask');
  await client.disconnect();
});

test('what a line says after the client has let go of it is not heard', async (t) => {
  const { server, client, events } = await connected(t);
  const [line] = server.lines;
  await client.disconnect();
  events.length = 0;
  line.say({ jsonrpc: '2.0', method: 'session:expiring', params: {} });
  line.say({ jsonrpc: '2.0', id: 1, method: 'ping' });
  assert.deepEqual(events, []);
});

test('anything else can be asked for, and errors say what the server said', async (t) => {
  const { server, client } = await connected(t, { requestTimeoutMs: 50 });
  server.answers['session/info'] = () => ({ state: 'active' });
  assert.deepEqual(await client.request('session/info'), { state: 'active' });
  await assert.rejects(client.request('no/such'), { code: 'SERVER_ERROR', message: 'unknown' });
  server.answers['session/info'] = () => ({ error: { code: -1, message: 'no', data: { btcpCode: 'CAPABILITY_DENIED' } } });
  await assert.rejects(client.request('session/info'), { code: 'CAPABILITY_DENIED', data: { btcpCode: 'CAPABILITY_DENIED' } });
  server.answers['session/info'] = () => ({ error: 'none' });
  await assert.rejects(client.request('session/info'), { code: 'NO_ANSWER' });
});

test('a listener that fails is heard of, and disturbs nobody', async (t) => {
  const { server, client } = await connected(t);
  const thrown = [];
  const seen = [];
  const before = process.listeners('uncaughtException');
  process.removeAllListeners('uncaughtException');
  process.once('uncaughtException', (err) => thrown.push(err.message));
  client.on('session:expiring', () => { throw new Error('mine'); });
  client.on('session:expiring', () => seen.push('other'));
  server.tell('session:expiring', {});
  await until(() => thrown.length === 1, 'the error');
  before.forEach((listener) => process.on('uncaughtException', listener));
  assert.deepEqual([thrown, seen], [['mine'], ['other']]);
});
