// SPDX-License-Identifier: Apache-2.0
// Every way by which an agent joins the session of a page, with official clients of both eras.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import WebSocket from 'ws';
import { Page, echo } from '../support/btcp.mjs';
import { agentPort, Daemon, fixtures, undo, until, within } from '../support/daemon.mjs';
import { clients, enter, entrances } from '../support/entrances.mjs';
import { Reader } from '../support/events.mjs';
import { as, makeKey, revokeKey } from '../support/keys.mjs';
import { beginSession, initialize, modernMeta, parseEvents, post, postModern, request, Stdio, Stream } from '../support/mcp.mjs';

const SECOND = 1000;
const legacy = clients[0];
const odd = {
  name: 'odd', title: 'Odd', description: 'Has all that a page may say of a tool.',
  inputSchema: { type: 'object', properties: { n: { type: 'number', default: 12345678901234567890123 } }, 'x-own': [null] },
  annotations: { readOnlyHint: true },
};

async function pageOf(t, daemon, tools = [echo]) {
  const page = await Page.connect(t, daemon);
  page.session = (await page.ask('session/create', {})).sessionId;
  await page.ask('tools/register', { tools });
  page.handle = ({ name, arguments: given }) => ({ name, given });
  return page;
}

for (const kind of clients) {
  for (const entrance of entrances) {
    test(`S4-06, S4-22: ${kind.sdk} ${kind.era} by ${entrance} sees the page's tools as they are, and their changes`, async (t) => {
      const daemon = await Daemon.start(t);
      const page = await pageOf(t, daemon);
      const agent = await enter(t, daemon, kind, entrance, { session: page.session });
      assert.deepEqual((await agent.tools()).find(({ name }) => name === 'echo'), echo);
      const reply = await agent.call('echo', { text: 'a' });
      assert.deepEqual(reply.content, [{ type: 'text', text: '{"name":"echo","given":{"text":"a"}}' }], 'nothing beside it');
      await page.ask('tools/register', { tools: [odd] });
      await until(() => agent.changes > 0, 10 * SECOND, 'the notice');
      const tools = await agent.tools();
      assert.deepEqual([tools.find(({ name }) => name === 'odd'), tools.some(({ name }) => name === 'echo')], [odd, false]);
      agent.changes = 0;
      await page.ask('session/terminate', {});
      if (entrance === 'ws') {
        await until(() => agent.closed, 10 * SECOND, 'the end');
        return;
      }
      await until(() => agent.changes > 0, 10 * SECOND, 'the notice of the end');
      assert.match(await agent.text('odd'), /^Session \S+ (ended|was closed)/i);
    });
  }
}

test('S4-06: an agent that comes for a session that there is not is told so', async (t) => {
  const daemon = await Daemon.start(t);
  for (const kind of clients) {
    for (const entrance of entrances.filter((each) => each !== 'ws')) {
      await assert.rejects(enter(t, daemon, kind, entrance, { session: 'nobody' }), /No session: nobody/, `${kind.sdk} ${kind.era} ${entrance}`);
    }
  }
});

test('S4-14: the sockets of agents close with their page\'s session, each call answered before', async (t) => {
  const daemon = await Daemon.start(t);
  const [page, stays] = await Promise.all([pageOf(t, daemon), pageOf(t, daemon)]);
  const open = async (query) => {
    const socket = new WebSocket(`ws://127.0.0.1:${daemon.port}/mcp?${new URLSearchParams({ token: daemon.token, ...query })}`, 'mcp');
    const line = { socket, said: [], closed: once(socket, 'close').then(([code, reason]) => [code, `${reason}`, line.said.length]) };
    socket.on('message', (data) => line.said.push(JSON.parse(data)));
    undo(t, () => socket.terminate());
    await within(once(socket, 'open'), 10 * SECOND, 'open');
    line.ask = async (id, method, params) => {
      socket.send(JSON.stringify(request(id, method, params)));
      await until(() => line.said.some((each) => each.id === id), 10 * SECOND, `the answer ${id}`);
      return line.said.find((each) => each.id === id);
    };
    return line;
  };
  assert.deepEqual(await (await open({ session: '' })).closed, [4000, 'Session ID required', 0]);
  assert.deepEqual(await (await open({ session: 'nobody' })).closed, [4001, 'Session not found', 0]);
  const [calls, listens, moves, other] = await Promise.all([open({ session: page.session }), open({ session: page.session }), open({ session: page.session }), open({})]);
  let called;
  const waits = new Promise((resolve) => { called = resolve; });
  page.handle = () => { called(); return new Promise(() => {}); };
  const failed = calls.ask(7, 'tools/call', { name: 'echo', arguments: {} });
  await waits;
  listens.socket.send(JSON.stringify(request(8, 'subscriptions/listen', { _meta: modernMeta(), notifications: { toolsListChanged: true } })));
  await until(() => listens.said.length === 1, 10 * SECOND, 'the subscription');
  await moves.ask(9, 'tools/call', { name: 'set_current_session', arguments: { sessionId: stays.session } });
  await page.ask('session/terminate', {});
  assert.equal((await failed).result.isError, true);
  assert.deepEqual(await within(calls.closed, 10 * SECOND, 'the close'), [4002, 'Client disconnected', 1]);
  assert.equal((await within(listens.closed, 10 * SECOND, 'the close'))[0], 4002);
  assert.deepEqual((await moves.ask(10, 'ping')).result, {}, 'it works in another session');
  assert.deepEqual((await other.ask(10, 'ping')).result, {});
});

test('an agent chooses another session, where its conversation is its connection\'s', async (t) => {
  const daemon = await Daemon.start(t);
  const [page, other] = [await pageOf(t, daemon), await pageOf(t, daemon, [odd])];
  for (const kind of clients) {
    for (const entrance of ['http', 'sse', 'stdio']) {
      const agent = await enter(t, daemon, kind, entrance, { session: page.session });
      const seen = async () => [JSON.parse(await agent.text('list_sessions')).currentSession,
        ...(await agent.tools()).map(({ name }) => name).filter((name) => name === 'echo' || name === 'odd')];
      assert.deepEqual(await seen(), ['client-1', 'echo']);
      const stateless = kind.era === 'modern' && entrance === 'http';
      assert.match(await agent.text('set_current_session', { sessionId: other.session }),
        stateless ? /go to the session that its address names; pass sessionId/ : /The current session is now "client-2"/);
      assert.deepEqual(await seen(), stateless ? ['client-1', 'echo'] : ['client-2', 'odd'], `${kind.sdk} ${kind.era} ${entrance}`);
    }
  }
});

test('two addresses of one conversation mean a session each', async (t) => {
  const daemon = await Daemon.start(t);
  const pages = await Promise.all([pageOf(t, daemon), pageOf(t, daemon, [odd])]);
  const headers = { 'x-conversation-id': 'talk' };
  const call = (page, name) => postModern(daemon, 'tools/call', { name, arguments: {} }, { target: `/mcp?session=${page.session}`, headers });
  assert.equal((await call(pages[0], 'echo')).json.result.content[0].text, '{"name":"echo","given":{}}');
  assert.equal((await call(pages[1], 'odd')).json.result.content[0].text, '{"name":"odd","given":{}}');
  assert.equal((await call(pages[1], 'echo')).json.error.code, -32602);
  const { headers: legacyHeaders } = await beginSession(daemon, undefined, { target: `/mcp?session=${pages[0].session}` });
  const listed = async (more, target) => (await post(daemon, request(1, 'tools/list'), { headers: { ...legacyHeaders, ...more }, target })).json.result.tools.map(({ name }) => name).filter((name) => name === 'echo' || name === 'odd');
  assert.deepEqual(await listed({}, '/mcp'), ['echo'], 'it was said once');
  assert.deepEqual(await listed(headers, '/mcp'), ['echo'], 'in whatever conversation');
  assert.deepEqual(await listed({ 'x-session-id': pages[1].session }, '/mcp'), ['odd'], 'for this request');
});

test('S4-33: by no way do more agents come than a page may have', async (t) => {
  const daemon = await Daemon.start(t, { config: 'client:\n  agents: 2\n' });
  const page = await pageOf(t, daemon);
  const agents = [await enter(t, daemon, legacy, 'sse', { session: page.session }), await enter(t, daemon, legacy, 'stdio', { session: page.session })];
  for (const entrance of entrances) {
    await assert.rejects(enter(t, daemon, legacy, entrance, { session: page.session }), /has 2 agents|Unexpected server response|error/i, entrance);
  }
  await agents[0].client.close();
  await until(() => enter(t, daemon, legacy, 'http', { session: page.session }).then(() => true, () => false), 10 * SECOND, 'its place');
});

test('S4-36, S4-37: whoever listens is told who comes and goes, by whatever way', async (t) => {
  const daemon = await Daemon.start(t);
  const reader = await Reader.open(t, daemon);
  const page = await pageOf(t, daemon);
  for (const entrance of ['sse', 'ws', 'stdio', 'http']) {
    const agent = `by ${entrance}`;
    const told = (type) => reader.events.map((text) => JSON.parse(text)).some((event) => event.type === type && event.data.agent === `${agent} 1`);
    const { client } = await enter(t, daemon, legacy, entrance, { session: page.session, name: agent });
    await until(() => told('agent_joined'), 10 * SECOND, `${entrance} joins`);
    if (entrance === 'http') await client.transport.terminateSession();
    await client.close();
    await until(() => told('agent_left'), 10 * SECOND, `${entrance} leaves`);
  }
});

test('an agent by stdio finds its page again behind the next daemon', async (t) => {
  let daemon = await Daemon.start(t);
  let page = await pageOf(t, daemon);
  const { session } = page;
  const agent = await enter(t, daemon, legacy, 'stdio', { session, name: 'same' });
  assert.match(await agent.text('echo', { text: 'one' }), /"one"/);
  await daemon.kill();
  daemon = await Daemon.start(t, { dir: daemon.dir });
  page = await Page.connect(t, daemon);
  await page.ask('session/create', { sessionId: session });
  await page.ask('tools/register', { tools: [echo] });
  page.handle = () => 'two';
  assert.equal(await agent.text('echo'), '"two"');
  const dump = JSON.parse((await daemon.request(`/api/sessions/${session}`, { auth: true })).text);
  assert.deepEqual(dump.members.map(({ name }) => name), ['same 1']);
});

test('BTCP_API_KEY is whose right an agent by stdio has', async (t) => {
  const daemon = await Daemon.start(t);
  const { id, key } = await makeKey(daemon, { tenant: 'acme', scopes: ['act', 'observe'] });
  const page = await Page.connect(t, daemon, { token: key });
  page.session = (await page.ask('session/create', {})).sessionId;
  await page.ask('tools/register', { tools: [echo] });
  const bridge = (more) => new Stdio(t, daemon, ['--no-start'], { BTCP_SESSION_ID: page.session, ...more });
  const own = bridge({});
  assert.match((await own.ask(0, 'initialize', initialize().params)).error.message, /^No session/, 'of another tenant');
  const agent = bridge({ BTCP_API_KEY: key });
  assert.equal((await agent.ask(0, 'initialize', initialize().params)).result.serverInfo.name, 'tabard');
  assert.ok((await agent.ask(1, 'tools/list')).result.tools.some(({ name }) => name === 'echo'));
  await revokeKey(daemon, id);
  assert.match((await agent.ask(2, 'ping')).error.message, /this key is not valid/);
  for (const [wrong, words] of [['tbk_nonsense', /this key is not valid/], ['two words', /BTCP_API_KEY has no key/]]) {
    assert.match((await bridge({ BTCP_API_KEY: wrong }).ask(0, 'ping')).error.message, words);
  }
});

/** A stream of HTTP+SSE by hand; `ask` posts and waits for the answer on the stream. */
async function stream(t, daemon, target = '/mcp/sse', headers = {}) {
  const opened = await Stream.open(t, daemon, { method: 'GET', target, headers });
  await opened.until('\n\n');
  opened.ended.catch(() => {});
  opened.endpoint = /^event: endpoint\ndata: (\S+)\n\n/.exec(opened.text)?.[1];
  opened.post = (message, options = {}) => post(daemon, message, { target: opened.endpoint, ...options });
  opened.ask = async (id, method, params) => {
    assert.equal((await opened.post(request(id, method, params))).status, 202);
    await opened.until(`"id":${id},`);
    return parseEvents(opened.text.slice(opened.text.indexOf('\n\n') + 2)).map(({ message }) => message).find((each) => each?.id === id);
  };
  return opened;
}

test('HTTP+SSE: the first event says where to post, and all answers come on the stream', async (t) => {
  const daemon = await Daemon.start(t);
  const one = await stream(t, daemon);
  assert.match(one.endpoint, /^\/mcp\/sse\/[\w-]{32,}$/);
  assert.equal((await one.ask(1, 'initialize', initialize('2024-11-05').params)).result.protocolVersion, '2024-11-05');
  assert.deepEqual((await one.ask(2, 'ping')).result, {});
  assert.equal((await one.ask(3, 'no/method')).error.code, -32601);
  const wrong = await one.post('{"jsonrpc":');
  assert.deepEqual([wrong.status, wrong.json.error.code], [400, -32700]);
  assert.equal((await one.post('{}', { headers: { 'content-type': 'text/plain' } })).status, 415);
  assert.equal((await post(daemon, request(4, 'ping'), { target: one.endpoint, auth: false })).status, 401);
  assert.equal((await post(daemon, request(4, 'ping'), { target: '/mcp/sse/none' })).status, 404);
  const { key } = await makeKey(daemon, { tenant: 'default', scopes: ['act', 'observe'] });
  assert.equal((await post(as(daemon, key), request(4, 'ping'), { target: one.endpoint })).status, 404, 'it is not theirs');
  assert.equal((await daemon.request('/mcp/sse', { method: 'HEAD', auth: true })).status, 405);
  const octopus = await stream(t, daemon, '/mcp/octopus/sse');
  assert.equal((await octopus.ask(5, 'tools/list')).result.tools.length, 6);
  one.req.destroy();
  await until(async () => (await one.post(request(6, 'ping'))).status === 404, 10 * SECOND, 'its end');
  assert.equal((await octopus.ask(7, 'ping')).id, 7);
});

test('HTTP+SSE: it is at the agents\' port, too, ends with its key, and with the daemon when all is answered', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const { id, key } = await makeKey(daemon, { tenant: 'acme', scopes: ['act', 'observe'] });
  const keyed = await stream(t, as(daemon, key));
  const port = await agentPort(daemon);
  const other = await stream(t, Object.create(daemon, { port: { value: port } }));
  await revokeKey(daemon, id);
  await within(keyed.ended, 10 * SECOND, 'the end');
  const caller = await stream(t, daemon);
  const called = caller.ask(5, 'tools/call', { name: 'test_tool_with_logging', arguments: {} });
  await caller.until('The tool has begun.');
  daemon.child.kill('SIGTERM');
  assert.equal((await called).result.content[0].text, 'All steps are done.');
  await Promise.all([other, caller].map(({ ended }) => within(ended, 10 * SECOND, 'the end')));
});

test('one credential has at most 1,000 streams of HTTP+SSE', async (t) => {
  const daemon = await Daemon.start(t);
  const open = () => new Promise((resolve, reject) => {
    const req = http.request({ host: '127.0.0.1', port: daemon.port, path: '/mcp/sse', agent: false, headers: { authorization: `Bearer ${daemon.token}` } });
    req.on('error', reject);
    req.on('response', (res) => {
      res.on('error', () => {}).resume();
      resolve({ req, status: res.statusCode });
    });
    undo(t, () => req.destroy());
    req.end();
  });
  const streams = await Promise.all(Array.from({ length: 1000 }, open));
  assert.ok(streams.every(({ status }) => status === 200));
  assert.equal((await open()).status, 429);
  streams[0].req.on('error', () => {}).destroy();
  await until(async () => (await open()).status === 200, 10 * SECOND, 'its place');
});
