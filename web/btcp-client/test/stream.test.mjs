// SPDX-License-Identifier: Apache-2.0
// The client by an event stream with POSTs (dialect H), against a small server of that kind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTCPClient } from '../src/index.js';
import { SocketServer, StreamServer, tool, until } from './fakes.mjs';

const QUICK = { baseMs: 5, maxMs: 20 };

async function stage(t, options = {}) {
  const server = await StreamServer.start(t);
  const client = new BTCPClient({ serverUrl: server.url, transport: 'http', reconnect: QUICK, ...options });
  t.after(() => client.disconnect());
  return { server, client };
}

for (const inBody of [true, false]) {
  test(`a page offers a tool and is called, with answers ${inBody ? 'in the body' : 'on the stream'}`, async (t) => {
    const { server, client } = await stage(t, { token: 'secret' });
    server.inBody = inBody;
    await client.registerTool(tool('add'), ({ a, b }) => a + b);
    const { id, recovered } = await client.connect();
    assert.match(id, /^btcp-[0-9a-f]{32}$/, 'nobody guesses it');
    assert.equal(recovered, false);
    const post = ['POST', '/message', {}, id, 'Bearer secret'];
    assert.deepEqual(server.requests.map(({ method, path, query, headers }) => [method, path, query, headers['x-session-id'], headers.authorization]), [
      ['GET', '/events', { sessionId: id, clientType: 'browser', version: '1.0.0' }, undefined, 'Bearer secret'], post, post]);
    assert.deepEqual(server.heard.map(({ method }) => method), ['session/info', 'tools/register']);
    const [line] = server.open;
    for (const event of ['message', 'request', 'response']) {
      const reply = server.ask('tools/call', { name: 'none' }, event);
      line.say({ jsonrpc: '2.0', id: event, method: 'tools/call', params: { name: 'add', arguments: { a: 1, b: 2 } } }, event);
      assert.ok((await reply).id, event);
    }
    assert.deepEqual((await server.ask('tools/call', { name: 'add', arguments: { a: 2, b: 40 } })).result, 42);
    assert.deepEqual(await client.unregister(), { registered: 0 });
    assert.equal(server.open.length, 1);
  });
}

test('the address of the server is found from any that a page may know', async (t) => {
  const { server } = await stage(t);
  const host = server.url.slice('http://'.length);
  for (const [serverUrl, path] of [[`ws://${host}`, '/events'], [`ws://${host}/btcp`, '/events'], [`http://${host}/btcp/client/`, '/events'], [`ws://${host}/ws`, '/events'],
    [`http://${host}/apps/btcp?x=1`, '/apps/events'], [`http://${host}/xbtcp`, '/xbtcp/events']]) {
    const client = new BTCPClient({ serverUrl, transport: 'http', connectTimeoutMs: 1000 });
    await client.connect().catch(() => {});
    assert.ok(server.requests.some((each) => each.path === path), `${serverUrl}: ${server.requests.at(-1).path}`);
    await client.disconnect();
    server.requests.length = 0;
  }
});

test('texts arrive as they were sent, in whatever pieces', async (t) => {
  const { server, client } = await stage(t);
  let seen;
  await client.registerTool(tool('hear'), ({ text }) => { seen = text; });
  await client.connect();
  const [{ res }] = server.open;
  const text = 'zwölf Boxkämpfer 😀\n\r\u2028 jagen';
  const message = { jsonrpc: '2.0', id: 'piece', method: 'tools/call', params: { name: 'hear', arguments: { text } } };
  const bytes = Buffer.from(`: a comment\r\nid: 7\r\nevent: request\r\ndata: ${JSON.stringify(message, null, 1).replaceAll('\n', '\r\ndata:')}\r\n\r\n`);
  res.socket.setNoDelay(true);
  for (const byte of bytes) {
    res.write(Buffer.from([byte]));
    await new Promise(setImmediate);
  }
  await until(() => seen !== undefined, 'the text');
  assert.equal(seen, text);
});

test('what comes without an end is given up, before it takes all memory', async (t) => {
  const { server, client } = await stage(t);
  await client.connect();
  const lost = new Promise((resolve) => { client.on('disconnected', resolve); });
  const [{ res }] = server.open;
  const more = () => !res.destroyed && res.write('x'.repeat(1024 * 1024)) && setImmediate(more);
  res.on('drain', more);
  more();
  assert.match((await lost).reason, /an event has no end/);
});

test('the session is what the server calls it, and fetch is called as nobody\'s method', async (t) => {
  const seen = new Set();
  const { server, client } = await stage(t, { fetch(...args) { seen.add(this); return fetch(...args); } });
  server.names = 'theirs';
  assert.equal((await client.connect()).id, 'theirs');
  await client.request('ping');
  assert.equal(server.requests.at(-1).headers['x-session-id'], 'theirs');
  assert.deepEqual([...seen], [undefined]);
});

test('an id that the server has for the session takes the place of its name, also with the next line', async (t) => {
  const { server, client } = await stage(t);
  server.answers['session/info'] = () => ({ id: 'theirs', expiresAt: '2026-01-01T00:00:00.000Z' });
  assert.deepEqual(await client.connect(), { id: 'theirs', expiresAt: Date.UTC(2026), recovered: false });
  assert.deepEqual(await client.reconnect(), { id: 'theirs', expiresAt: Date.UTC(2026), recovered: true });
  assert.equal(server.requests.findLast(({ path }) => path === '/events').query.sessionId, 'theirs');
});

test('a stream that ends is opened again, one at a time, with the same session and its tools', async (t) => {
  const { server, client } = await stage(t);
  await client.registerTool(tool('a'), () => 1);
  const { id } = await client.connect();
  let most = 0;
  for (let i = 1; i <= 5; i += 1) {
    server.open.forEach((line) => (i % 2 ? line.end() : line.res.destroy()));
    await until(() => {
      most = Math.max(most, server.open.length);
      return server.lines.length === i + 1 && client.state === 'open';
    }, `stream ${i + 1}`);
  }
  assert.equal(most, 1, 'never two');
  assert.ok(server.requests.every(({ path, query, headers }) => (path === '/events' ? query.sessionId : headers['x-session-id']) === id));
  assert.equal(server.count('tools/register'), 6);
  assert.equal(client.session.recovered, true);
});

test('told to reconnect again and again, it has one stream', async (t) => {
  const { server, client } = await stage(t);
  await client.connect();
  for (let i = 0; i < 30; i += 1) {
    client.reconnect().catch(() => {});
    if (i % 4 === 0) await new Promise(setImmediate);
    if (i % 10 === 0) await client.connect().catch(() => {});
  }
  await client.connect();
  await until(() => server.open.length === 1, 'one stream');
  await client.disconnect();
  await until(() => server.open.length === 0, 'none');
});

test('a refusal has the words of the server, and ends the attempts; a failure does not', async (t) => {
  const { server, client } = await stage(t);
  server.refuses = [403, { error: { code: 'missing_scope', message: 'this needs the scope act' } }];
  await assert.rejects(client.connect(), { code: 'REFUSED', message: 'this needs the scope act' });
  server.refuses = [403, { error: 'not from there', code: 'forbidden' }];
  await assert.rejects(client.connect(), { code: 'REFUSED', message: 'not from there' });
  server.refuses = [401, 'not JSON of ours'];
  await assert.rejects(client.connect(), { code: 'REFUSED', message: '/events was answered with status 401' });
  server.refuses = [204, null];
  await assert.rejects(client.connect(), { code: 'CONNECTION', message: /status 204/ });
  server.refuses = null;
  const events = [];
  client.on('disconnected', (detail) => events.push(detail));
  await client.connect();
  server.refuses = [503, { error: { code: 'busy', message: 'later' } }];
  server.open.forEach((line) => line.end());
  await until(() => events.length === 3, 'three attempts');
  assert.deepEqual(events.map(({ reason }) => reason).slice(1), ['later', 'later']);
  server.refuses = [410, { error: { code: 'session_ended', message: 'it has ended' } }];
  let ended;
  client.on('session:terminated', (detail) => { ended = detail; });
  await until(() => ended, 'the end');
  assert.deepEqual([ended, client.session, client.state], [{ reason: 'it has ended' }, null, 'idle']);
});

test('a server that greets nobody, or ends at once, is none', async (t) => {
  const { server, client } = await stage(t, { connectTimeoutMs: 100 });
  server.refuses = [200, {}];
  await assert.rejects(client.connect(), { code: 'CONNECTION', message: 'the server ended the event stream' });
  server.http.close();
  server.http.closeAllConnections();
  await assert.rejects(client.connect(), { code: 'CONNECTION', message: /cannot be reached: .*ECONNREFUSED/ });
});

test('a POST that fails says that the line is lost; one that is refused says so to who asked', async (t) => {
  const { server, client } = await stage(t);
  await client.connect();
  server.refuses = [429, { error: { code: 'too_many_requests', message: 'slower' } }];
  await assert.rejects(client.request('session/info'), { code: 'SERVER_ERROR', message: 'slower' });
  assert.equal(client.state, 'open');
  const events = [];
  client.on('disconnected', (detail) => events.push(detail));
  const { fetch } = globalThis;
  t.after(() => { globalThis.fetch = fetch; });
  globalThis.fetch = () => Promise.reject(new TypeError('network is down'));
  await assert.rejects(client.request('session/info'), { code: 'DISCONNECTED' });
  assert.match(events[0].reason, /network is down/);
});

test('a stream on which nothing comes any more is given up, even if POSTs get through', async (t) => {
  const { server, client } = await stage(t, { heartbeatMs: 200 });
  const lost = new Promise((resolve) => { client.on('disconnected', resolve); });
  await client.connect();
  const asking = setInterval(() => client.request('ping').catch(() => {}), 5);
  t.after(() => clearInterval(asking));
  assert.match((await lost).reason, /has said nothing/);
  assert.ok(server.count('ping') > 0);
});

test('where WebSockets do not get through, it goes by HTTP, and stays there', async (t) => {
  const server = await StreamServer.start(t);
  const blocked = new SocketServer();
  blocked.refuses = true;
  const client = new BTCPClient({ serverUrl: server.url, WebSocket: blocked.WebSocket, reconnect: QUICK });
  t.after(() => client.disconnect());
  const kinds = [];
  client.on('connected', ({ transport }) => kinds.push(transport));
  await client.connect();
  assert.deepEqual([kinds, blocked.lines.length], [['http'], 1]);
  server.open.forEach((line) => line.end());
  await until(() => kinds.length === 2, 'the second');
  assert.deepEqual([kinds, blocked.lines.length], [['http', 'http'], 1]);
  server.refuses = [503, {}];
  await assert.rejects(client.reconnect(), { code: 'CONNECTION', message: '/events was answered with status 503; the WebSocket was closed (1006)' });
  server.refuses = null;
  await client.reconnect();
  kinds.pop();
  blocked.refuses = false;
  server.refuses = [503, {}];
  server.open.forEach((line) => line.end());
  await until(() => kinds.length === 3, 'the third');
  assert.equal(kinds[2], 'websocket', 'until that fails');
  server.refuses = null;
  blocked.open[0].end(1006);
  await until(() => kinds.length === 4, 'the fourth');
  assert.equal(kinds[3], 'websocket', 'what has got through once comes first');
});

test('a Node without WebSocket goes by HTTP', async (t) => {
  const { client } = await stage(t, { transport: 'auto', WebSocket: null });
  await client.connect();
  assert.equal(client.state, 'open');
  const none = new BTCPClient({ WebSocket: null, transport: 'websocket' });
  await assert.rejects(none.connect(), { code: 'CONNECTION', message: /no WebSocket here/ });
});
