// SPDX-License-Identifier: Apache-2.0
// MCP over Streamable HTTP, message by message, both eras.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Daemon, fixtures, run, tempDir, within } from '../support/daemon.mjs';
import { beginSession, initialize, LEGACY, modernMeta, post, postModern, request, Stream } from '../support/mcp.mjs';

const ping = (id) => request(id, 'ping');

test('nobody gets in without a token, whatever the era', async (t) => {
  const daemon = await Daemon.start(t);
  assert.equal((await post(daemon, initialize(), { auth: false })).status, 401);
  assert.equal((await postModern(daemon, 'server/discover', {}, { auth: false })).status, 401);
  assert.equal((await daemon.request('/mcp')).status, 401);
});

test('a legacy session begins, works, and is gone after DELETE', async (t) => {
  const daemon = await Daemon.start(t);
  const { headers, result } = await beginSession(daemon);
  assert.match(headers['mcp-session-id'], /^[\x21-\x7e]{32,}$/);
  assert.equal(result.protocolVersion, LEGACY);
  assert.equal(result.serverInfo.name, 'tabard');
  assert.ok(result.instructions.length < 2048);
  assert.deepEqual((await post(daemon, ping(1), { headers })).json, { jsonrpc: '2.0', id: 1, result: {} });
  assert.equal((await daemon.request('/mcp', { method: 'DELETE', auth: true, headers })).status, 200);
  const unknown = await post(daemon, ping(2), { headers });
  assert.equal(unknown.status, 404);
  assert.match(unknown.text, /start a new one with initialize\. Browser sessions from start_session still exist/);
});

test('agreeing on a version never fails', async (t) => {
  const daemon = await Daemon.start(t);
  const asked = { '2024-10-07': '2024-10-07', '2024-11-05': '2024-11-05', '2025-03-26': '2025-03-26', '2025-06-18': '2025-06-18', '2026-07-28': LEGACY, nonsense: LEGACY };
  for (const [version, agreed] of Object.entries(asked)) {
    const reply = await post(daemon, initialize(version));
    assert.equal(reply.json.result.protocolVersion, agreed, version);
  }
});

test('the modern era needs no session, and every result says what it is', async (t) => {
  const daemon = await Daemon.start(t);
  const discovered = (await postModern(daemon, 'server/discover')).json.result;
  assert.deepEqual(discovered.supportedVersions, ['2026-07-28']);
  assert.equal(discovered._meta['io.modelcontextprotocol/serverInfo'].name, 'tabard');
  for (const method of ['tools/list', 'resources/list', 'resources/templates/list', 'prompts/list']) {
    const reply = await postModern(daemon, method);
    assert.equal(reply.headers['mcp-session-id'], undefined);
    assert.equal(reply.json.result.resultType, 'complete', method);
    assert.ok(Number.isInteger(reply.json.result.ttlMs), method);
    assert.ok(['public', 'private'].includes(reply.json.result.cacheScope), method);
  }
  const read = (await postModern(daemon, 'resources/read', { uri: 'tabard://sessions' })).json.result;
  assert.deepEqual(JSON.parse(read.contents[0].text), { sessions: [], currentSession: null });
  assert.equal(read.cacheScope, 'private');
});

test('what a modern request lacks is told by code and status', async (t) => {
  const daemon = await Daemon.start(t);
  const list = (headers, meta = modernMeta()) => postModern(daemon, 'tools/list', {}, { headers, meta });
  const expect = async (promise, status, code) => {
    const reply = await promise;
    assert.deepEqual([reply.status, reply.json.error.code, reply.json.id], [status, code, 1]);
    return reply.json.error;
  };
  await expect(list({ 'mcp-method': 'tools/call' }), 400, -32020);
  await expect(list({ 'mcp-protocol-version': '2025-11-25' }), 400, -32020);
  await expect(list({}, {}), 400, -32602);
  const wrong = { 'io.modelcontextprotocol/protocolVersion': '2099-01-01', 'io.modelcontextprotocol/clientCapabilities': {} };
  const error = await expect(list({ 'mcp-protocol-version': '2099-01-01' }, wrong), 400, -32022);
  assert.deepEqual(error.data, { supported: ['2026-07-28'], requested: '2099-01-01' });
  await expect(postModern(daemon, 'ping'), 404, -32601);
  await expect(postModern(daemon, 'tools/call', { name: 'list_sessions' }, { headers: { 'mcp-name': 'other' } }), 400, -32020);
});

test('the default list of tools is small and the same in every daemon', async (t) => {
  const [one, two] = await Promise.all([Daemon.start(t), Daemon.start(t)]);
  const lists = await Promise.all([one, two].map((daemon) => postModern(daemon, 'tools/list')));
  assert.equal(lists[0].text, lists[1].text);
  const { tools } = lists[0].json.result;
  assert.ok(JSON.stringify(tools).length <= 14 * 1024, `${JSON.stringify(tools).length} bytes`);
  assert.ok(tools.every((tool) => tool.outputSchema === undefined && Object.keys(tool.annotations).length >= 4));
  assert.ok(!tools.some((tool) => tool.name.startsWith('test_')));
});

test('toolsets and groups are chosen by the address, and a wrong one is told which there are', async (t) => {
  const daemon = await Daemon.start(t);
  const names = async (target) => (await postModern(daemon, 'tools/list', {}, { target })).json.result.tools.map((tool) => tool.name);
  const plain = await names('/mcp');
  assert.ok((await names('/mcp?groups=files,pdf')).length > plain.length);
  assert.equal((await names('/mcp/octopus')).length, 6);
  const toolset = await postModern(daemon, 'tools/list', {}, { target: '/mcp/nope' });
  assert.equal(toolset.status, 404);
  assert.match(toolset.text, /octopus, wdio/);
  const group = await postModern(daemon, 'tools/list', {}, { target: '/mcp?groups=nope' });
  assert.equal(group.status, 400);
  assert.match(group.text, /files/);
});

test('wrong tools are protocol errors, wrong arguments are results that say what to do', async (t) => {
  const daemon = await Daemon.start(t);
  const unknown = await postModern(daemon, 'tools/call', { name: 'no_such_tool', arguments: {} });
  assert.deepEqual([unknown.status, unknown.json.error.code], [200, -32602]);
  const wrong = await postModern(daemon, 'tools/call', { name: 'browser_click', arguments: { nonsense: 1 } });
  assert.equal(wrong.json.result.isError, true);
  assert.match(wrong.json.result.content[0].text, /nonsense/);
  const lost = await postModern(daemon, 'tools/call', { name: 'browser_click', arguments: { target: 'e1', sessionId: 'nobody' } });
  assert.equal(lost.json.result.isError, true);
  assert.match(lost.json.result.content[0].text, /list_sessions|start_session/);
  assert.equal(lost.json.result.structuredContent, undefined);
});

test('300 requests at once: every answer has the id of its request', async (t) => {
  const daemon = await Daemon.start(t);
  const { headers } = await beginSession(daemon);
  const replies = await Promise.all(Array.from({ length: 300 }, (_, i) => (i % 2
    ? post(daemon, ping(`p${i}`), { headers }) : postModern(daemon, 'prompts/list', {}, { id: i }))));
  replies.forEach((reply, i) => assert.equal(reply.json.id, i % 2 ? `p${i}` : i));
});

test('a client that reads no event streams gets JSON all the same', async (t) => {
  const daemon = await Daemon.start(t);
  const reply = await postModern(daemon, 'tools/call', { name: 'list_sessions' }, { headers: { accept: 'application/json' } });
  assert.ok(reply.json.result.content[0].text.includes('"sessions"'));
  assert.equal((await postModern(daemon, 'tools/list', {}, { headers: { accept: '*/*' } })).status, 200);
});

test('a session has one stream for news, and DELETE closes it', async (t) => {
  const daemon = await Daemon.start(t);
  const { headers } = await beginSession(daemon);
  const stream = await Stream.open(t, daemon, { method: 'GET', headers });
  assert.equal(stream.res.headers['content-type'], 'text/event-stream');
  await stream.until('id: 0-0');
  assert.equal((await daemon.request('/mcp', { auth: true, headers })).status, 409);
  await daemon.request('/mcp', { method: 'DELETE', auth: true, headers });
  await within(stream.ended, 5000, 'the end of the stream');
});

test('a daemon that stops answers its listeners and does not wait for them', async (t) => {
  const daemon = await Daemon.start(t);
  const { headers } = await beginSession(daemon);
  const news = await Stream.open(t, daemon, { method: 'GET', headers });
  const listen = await Stream.open(t, daemon, {
    headers: { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'subscriptions/listen' },
    message: request(7, 'subscriptions/listen', {
      _meta: modernMeta(), notifications: { resourceSubscriptions: ['tabard://sessions'], toolsListChanged: true },
    }),
  });
  await listen.until('notifications/subscriptions/acknowledged');
  assert.ok(listen.text.includes('toolsListChanged'), 'a page may bring tools at any time');
  daemon.child.kill('SIGTERM');
  await within(daemon.exited, 5000, 'the end of the daemon');
  await Promise.all([news.ended, listen.ended]);
  assert.match(listen.text, /"id":7,"result":\{"resultType":"complete"/);
});

test('the conformance fixtures are a program of their own, and never leave loopback', async (t) => {
  const dir = await tempDir(t);
  const base = ['serve', '--state-dir', `${dir}/s`, '--runtime-dir', `${dir}/r`, '--agent-listen', 'off'];
  const refused = await run([...base, '--listen', '0.0.0.0:0'], { program: fixtures });
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /loopback only/);
  const daemon = await Daemon.start(t, { program: fixtures });
  await daemon.logged('CONFORMANCE FIXTURES');
  const list = await postModern(daemon, 'tools/list', {}, { auth: false });
  assert.ok(list.json.result.tools.some((tool) => tool.name === 'test_simple_text'));
  assert.equal((await daemon.request('/metrics')).status, 401);
});

test('who closes its current session goes on in the one before, and hears of no older end', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const connect = async () => {
    const { headers } = await beginSession(daemon);
    return async (name, args = {}) => {
      const { json } = await post(daemon, request(1, 'tools/call', { name, arguments: args }), { headers });
      return json.result.content.map(({ text }) => text).join('\n');
    };
  };
  const [call, other] = [await connect(), await connect()];
  const current = async () => JSON.parse(await call('list_sessions')).currentSession;
  for (const sessionId of ['alice', 'bob']) await call('start_session', { sessionId });
  await other('close_session', { sessionId: 'bob' });
  assert.match(await call('browser_tabs'), /Session bob was closed/);
  await call('set_current_session', { sessionId: 'alice' });
  await call('start_session', { sessionId: 'small' });
  assert.equal(await call('close_session'), 'Session "small" is closed. The current session is now "alice".');
  assert.equal(await current(), 'alice');
  assert.equal(await call('close_session'), 'Session "alice" is closed.');
  assert.match(await call('browser_tabs'), /^No session: none active\n/);
});

test('after a restart the private session of an MCP session ends, and those of named conversations stay', async (t) => {
  const first = await Daemon.start(t, { program: fixtures });
  const { headers } = await beginSession(first);
  const start = (id) => request(1, 'tools/call', { name: 'start_session', arguments: { sessionId: id, private: true } });
  await post(first, start('passing'), { headers });
  await post(first, start('named'), { headers: { ...headers, 'x-conversation-id': 'chat' } });
  await first.kill();
  const second = await Daemon.start(t, { dir: first.dir, program: fixtures });
  const { sessions } = JSON.parse((await second.request('/api/sessions', { auth: true })).text);
  assert.deepEqual(sessions.map((session) => session.sessionId), ['named']);
  await second.logged('reason=conversation_ended');
  assert.match(second.log.text, /ended .*name=passing .*reason=conversation_ended/);
});
