// SPDX-License-Identifier: Apache-2.0
// Attacks on a running daemon, by id. After each it is alive, and no answer was a failure of its own.
// Others stand beside what they attack: AUTH-1 to AUTH-5 and AUTH-7 in guard.test.mjs, HTTP-1 in http.test.mjs, PROC-2 in harden.test.mjs.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { Daemon, fixtures, headersFor, run, within } from '../support/daemon.mjs';
import { ask, makeKey } from '../support/keys.mjs';
import { MODERN, beginSession, post, postModern, request, modernMeta } from '../support/mcp.mjs';

const ALIVE_MS = 5000; // 100 ms on a machine that has nothing else to do
const MIB = 1024 * 1024;

async function routes(door = 'main') {
  return JSON.parse((await run(['routes', '--json'])).stdout).filter((route) => route.doors.includes(door))
    .map((route) => ({ ...route, target: route.path.replace(/\{[^}]+\}/g, 'x') }));
}

async function alive(daemon) {
  const reply = await within(daemon.request('/health'), ALIVE_MS, '/health');
  assert.equal(reply.status, 200);
}

const residentMb = (daemon) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${daemon.child.pid}/status`, 'utf8'))[1]) / 1024;

test('AUTH-1: without a token no route tells whether it knows what was asked for', async (t) => {
  const daemon = await Daemon.start(t);
  for (const route of (await routes()).filter((r) => r.access !== 'open')) {
    const body = route.method === 'POST' ? { body: '{}', headers: { 'content-type': 'application/json' } } : { headers: headersFor(route) };
    const [one, other] = await Promise.all(['x', 'browser-1'].map((id) =>
      daemon.request(route.path.replace(/\{[^}]+\}/g, id), { method: route.method, ...body })));
    assert.equal(one.status, 401, route.path);
    assert.equal(one.text, other.text, route.path);
  }
  await alive(daemon);
});

test('AUTH-6: a body that is not JSON is refused by every route that takes one', async (t) => {
  const daemon = await Daemon.start(t);
  const types = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x', 'text/plain; application/json', undefined];
  const taking = (await routes()).filter((route) => route.method !== 'GET');
  assert.ok(['POST', 'PUT', 'DELETE'].every((method) => taking.some((route) => route.method === method)));
  for (const route of taking) {
    for (const type of types) {
      const reply = await daemon.request(route.target, {
        method: route.method, auth: true, body: '{}',
        headers: { 'content-length': 2, ...(type ? { 'content-type': type } : {}) },
      });
      assert.equal(reply.status, 415, `${route.path} ${type}: ${reply.text}`);
    }
  }
  await alive(daemon);
});

test('WS-6: a compressed body is refused by every route that takes one', async (t) => {
  const daemon = await Daemon.start(t);
  const ping = gzipSync(JSON.stringify(request(1, 'ping')));
  const send = (target, method, encoding, body) => daemon.request(target, {
    method, auth: true, body, headers: { 'content-type': 'application/json', ...(encoding ? { 'content-encoding': encoding } : {}) },
  });
  const all = JSON.parse((await run(['routes', '--json'])).stdout);
  const taking = all.filter((route) => route.doors.includes('main') && ['POST', 'PUT', 'PATCH'].includes(route.method));
  for (const route of taking) {
    for (const encoding of ['gzip', 'br', 'identity, gzip', 'x']) {
      const reply = await send(route.path.replace(/\{[^}]+\}/g, 'x'), route.method, encoding, ping);
      assert.equal(reply.status, 415, `${route.path} ${encoding}`);
      assert.match(reply.text, /Content-Encoding/);
    }
  }
  assert.ok(taking.length > 3);
  assert.notEqual((await send('/mcp', 'POST', 'identity', JSON.stringify(request(1, 'ping')))).status, 415);
});

/** What a store holds, in order; opened when its daemon has ended, so that nothing is on its way. */
function stored(daemon) {
  const db = new DatabaseSync(`${daemon.stateDir}/tabard.db`);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  const hash = createHash('sha256');
  let rows = 0;
  for (const { name } of tables) {
    const all = db.prepare(`SELECT * FROM "${name}" ORDER BY 1, 2`);
    all.setReadBigInts(true);
    for (const row of all.all()) {
      rows++;
      for (const value of Object.values(row)) hash.update(value instanceof Uint8Array ? value : String(value)).update('|');
    }
  }
  db.close();
  return { rows, hash: hash.digest('hex') };
}

test('AUTH-6: GET and HEAD on every route change nothing', async (t) => {
  const first = await Daemon.start(t, { program: fixtures });
  const key = await makeKey(first, { tenant: 'acme', scopes: 'observe' });
  await ask(first, first.token, '/api/policy/acme', { method: 'PUT', body: { block_domains: ['x.example'] } });
  await ask(first, first.token, '/api/secrets/mine', { method: 'PUT', body: { value: 'a secret of mine', domains: ['example.com'] } });
  await postModern(first, 'tools/call', { name: 'start_session', arguments: { sessionId: 'mine' } });
  await first.request('/api/sessions/mine/close', { method: 'POST', auth: true, body: '{}', headers: { 'content-type': 'application/json' } });
  const stop = async (daemon) => {
    daemon.child.kill('SIGTERM');
    await daemon.exited;
    return stored(daemon);
  };
  const paths = new Set((await routes()).map((route) => route.path));
  const before = await stop(first);
  assert.ok(before.rows > 3, 'there is something to change');
  for (const walks of [false, true]) { // once only started and ended, once with every route
    const daemon = await Daemon.start(t, { program: fixtures, dir: first.dir });
    for (const path of walks ? paths : []) {
      for (const id of ['mine', 'acme', 'default', key.id]) {
        for (const method of ['GET', 'HEAD']) {
          const text = await daemon.raw(`${method} ${path.replace(/\{[^}]+\}/g, id)} HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer ${daemon.token}\r\n\r\n`, { end: true });
          assert.doesNotMatch(text, /^HTTP\/1\.1 5/, path);
        }
      }
    }
    assert.deepEqual(await stop(daemon), before, walks ? 'after all routes' : 'after a start alone');
  }
  const changed = await Daemon.start(t, { program: fixtures, dir: first.dir });
  assert.equal((await ask(changed, changed.token, '/api/secrets/mine', { method: 'DELETE' })).status, 200);
  assert.notEqual((await stop(changed)).hash, before.hash, 'a change is seen');
});

const deep = (n) => '['.repeat(n) + ']'.repeat(n);
const call = (args) => `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":${args}}}`;
const badJson = {
  'depth 100,000': call(deep(100_000)),
  'depth 65': call(deep(65)),
  'a method twice': '{"jsonrpc":"2.0","id":1,"method":"tools/list","method":"ping"}',
  'NaN': call('NaN'),
  'a comma too many': call('[1,]'),
  'a byte order mark': `\ufeff${call('1')}`,
  'a lone surrogate': call('"\\ud800"'),
  'a raw control character': call('"\u0001"'),
  'half a message': call('1').slice(0, -1),
  'two messages': call('1') + call('1'),
};

for (const [what, body] of Object.entries(badJson)) {
  test(`MSG-1: ${what} is refused`, async (t) => {
    const daemon = await Daemon.start(t);
    const reply = await post(daemon, body);
    assert.equal(reply.status, 400, reply.text.slice(0, 200));
    assert.ok([-32700, -32600].includes(reply.json.error.code), reply.text.slice(0, 200));
    await alive(daemon);
  });
}

test('MSG-2: ids that are none, batches, and messages that are no requests change nothing', async (t) => {
  const daemon = await Daemon.start(t);
  const { headers } = await beginSession(daemon);
  for (const id of ['{}', '[]', 'true', '1.5']) {
    const reply = await post(daemon, `{"jsonrpc":"2.0","id":${id},"method":"ping"}`, { headers });
    assert.equal(reply.json.error.code, -32600, id);
  }
  for (const body of ['[]', `[${JSON.stringify(request(1, 'ping'))}]`, '{"id":1,"method":"ping"}', '7', '"ping"', 'null']) {
    const reply = await post(daemon, body, { headers });
    assert.equal(reply.status, 400, body);
  }
  const long = await post(daemon, request(1, 'x'.repeat(MIB)), { headers });
  assert.ok(long.status < 500 && long.json.error);
  const unasked = await post(daemon, { jsonrpc: '2.0', id: 99, result: {} }, { headers });
  assert.ok([202, 400].includes(unasked.status));
  assert.deepEqual((await post(daemon, request(2, 'ping'), { headers })).json.result, {});
  await alive(daemon);
});

test('MSG-3: headers that disagree with the body are refused', async (t) => {
  const daemon = await Daemon.start(t);
  const wrong = [{ 'mcp-method': 'tools/call' }, { 'mcp-method': 'TOOLS/LIST' }, { 'mcp-method': '=?base64?%%%?=' }];
  for (const headers of wrong) {
    const reply = await postModern(daemon, 'tools/list', {}, { headers });
    assert.equal(reply.status, 400, JSON.stringify(headers));
    assert.equal(reply.json.error.code, -32020, reply.text);
  }
  const named = await postModern(daemon, 'tools/call', { name: 'list_sessions', arguments: {} }, { headers: { 'mcp-name': 'close_all_sessions' } });
  assert.equal(named.json.error.code, -32020);
  const base64 = (text) => `=?base64?${Buffer.from(text).toString('base64')}?=`;
  for (const name of [base64('list_sessions\r\nx: y'), base64('close_all_sessions'), base64('list_sessions\n'), '=?base64?!?=', '=?BASE64?bGlzdF9zZXNzaW9ucw==?=']) {
    const reply = await postModern(daemon, 'tools/call', { name: 'list_sessions', arguments: {} }, { headers: { 'mcp-name': name } });
    assert.equal(reply.status, 400, name);
    assert.equal(reply.json.error.code, -32020, name);
  }
  const right = await postModern(daemon, 'tools/call', { name: 'list_sessions', arguments: {} }, { headers: { 'mcp-name': base64('list_sessions') } });
  assert.equal(right.status, 200, right.text);
  for (const missing of ['mcp-method', 'mcp-name']) {
    const reply = await postModern(daemon, 'tools/call', { name: 'list_sessions', arguments: {} }, { headers: { [missing]: [] } });
    assert.equal(reply.status, 400, `without ${missing}`);
  }
  const other = await post(daemon, request(1, 'initialize', { _meta: modernMeta() }), { headers: { 'mcp-protocol-version': MODERN, 'mcp-method': 'initialize' } });
  assert.ok([400, 404].includes(other.status), `the other era: ${other.status} ${other.text}`);
  const unknown = await post(daemon, request(1, 'tools/list', { _meta: { ...modernMeta(), 'io.modelcontextprotocol/protocolVersion': '2030-01-01' } }),
    { headers: { 'mcp-protocol-version': '2030-01-01', 'mcp-method': 'tools/list' } });
  assert.equal(unknown.status, 400);
  await alive(daemon);
});

test('DATA-4: what would be commands of a database is text in every field', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const texts = ["'; DROP TABLE audit; --", '"; DELETE FROM records; --', "x' OR '1'='1", '\r\nFLUSHALL\r\n', '*1\r\n$8\r\nFLUSHALL\r\n', '%s%n', '\\', '$1 ?1 :a @b'];
  const kept = await makeKey(daemon, { tenant: 'acme', scopes: 'observe', label: texts[0] });
  for (const text of texts) {
    for (const field of ['sessionId', 'name', 'url', 'engine']) {
      const reply = await postModern(daemon, 'tools/call', { name: 'start_session', arguments: { [field]: text } });
      assert.ok(reply.status < 500, `${field}: ${reply.text}`);
    }
    await postModern(daemon, 'tools/call', { name: 'close_session', arguments: { sessionId: text } },
      { meta: { ...modernMeta(), 'io.modelcontextprotocol/clientInfo': { name: text, version: text } } });
    for (const [method, target, body] of [['POST', '/api/keys', { tenant: text, scopes: text, label: text }], ['PUT', `/api/secrets/${encodeURIComponent(text)}`, { value: 'v', domains: [text] }],
      ['PUT', `/api/policy/${encodeURIComponent(text)}`, { block_domains: [text] }], ['POST', `/api/sessions/${encodeURIComponent(text)}/close`, {}], ['DELETE', `/api/keys/${encodeURIComponent(text)}`]]) {
      assert.ok((await ask(daemon, daemon.token, target, { method, body })).status < 500, `${method} ${target}`);
    }
  }
  const { keys } = JSON.parse((await ask(daemon, daemon.token, '/api/keys')).text);
  assert.equal(keys.find((key) => key.id === kept.id).label, texts[0], 'as it was given');
  await alive(daemon);
  daemon.child.kill('SIGTERM');
  await daemon.exited;
  assert.equal((await run(['audit', 'verify', '--state-dir', daemon.stateDir])).code, 0);
  for (const text of texts) {
    assert.match((await run(['audit', 'search', '--text', text, '--json', '--state-dir', daemon.stateDir])).stdout, /"type":/, `${text} can be searched for`);
  }
});

test('TEN-5: no route, method or tool passes on what browsers are driven with', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const { key } = await makeKey(daemon, { tenant: 'b', scopes: ['act', 'admin'] });
  const mine = { headers: { authorization: `Bearer ${key}` }, auth: false };
  assert.ok(!(await postModern(daemon, 'tools/call', { name: 'start_session', arguments: { sessionId: 'theirs' } })).json.result.isError);
  const commands = ['Target.getTargets', 'Target.attachToTarget', 'Target.createTarget', 'Browser.setDownloadBehavior', 'Storage.getCookies', 'Browser.close', 'SystemInfo.getProcessInfo'];
  for (const name of commands) {
    const method = await postModern(daemon, name, { browserContextId: '1' }, mine);
    assert.equal(method.json.error.code, -32601, `${name}: ${method.text}`);
    for (const tool of [name, 'cdp', 'browser_cdp', 'send_command', 'execute']) {
      const called = await postModern(daemon, 'tools/call', { name: tool, arguments: { method: name, params: {} } }, mine);
      assert.ok(called.json.error || called.json.result.isError, `${tool} ${name}`);
    }
  }
  for (const path of ['/json', '/json/list', '/json/version', '/json/new', '/devtools/browser/x', '/devtools/page/x', '/session', '/wd/hub/session', '/cdp', '/api/sessions/theirs/cdp']) {
    assert.equal((await ask(daemon, key, path)).status, 404, path);
  }
  for (const toolset of ['default', 'octopus', 'wdio']) {
    const { stdout } = await run(['tools', '--toolset', toolset, ...(toolset === 'default' ? ['--groups', 'all'] : []), '--json']);
    const tools = JSON.parse(stdout);
    assert.ok(tools.length > 3);
    for (const tool of tools) {
      const bad = Object.keys(tool.inputSchema.properties ?? {}).filter((name) => /^(cdp|method|command|cmd|targetId|browserContextId)$/i.test(name));
      assert.deepEqual(bad, [], `${toolset} ${tool.name}`);
    }
  }
  assert.equal(JSON.parse((await daemon.request('/api/sessions', { auth: true })).text).sessions.length, 1);
});

test('INJ-1: what a caller names things forges no line of the log', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures, args: ['--log-level', 'debug'] });
  const forged = '2026-01-01T00:00:00.000Z error daemon   forged';
  for (const text of [`x\n${forged}`, `x\r\n${forged}`, 'x%n%s%n', 'x\u0000y', '\u001b[31mred', 'y'.repeat(MIB)]) {
    const reply = await postModern(daemon, 'tools/call', { name: 'start_session', arguments: { name: text } }, { headers: { 'x-conversation-id': 'a' } });
    assert.ok(reply.status < 500);
  }
  await alive(daemon);
  await daemon.request('/nothing/%0aforged', { auth: true, headers: { 'user-agent': forged } });
  const lines = daemon.log.text.split('\n');
  assert.ok(lines.every((line) => line === '' || /^\d{4}-\d\d-\d\dT\S+Z (debug|info|warn|error) /.test(line)));
  assert.ok(!lines.some((line) => line.startsWith(forged)));
  assert.ok(lines.every((line) => line.length < 16_384));
  assert.ok(!/[\u0000-\u0008\u000b-\u001f]/.test(daemon.log.text));
});

test('FILE-5: no option of a session reaches the command line or the environment of a browser', async (t) => {
  const daemon = await Daemon.start(t);
  const options = [{ args: ['--no-sandbox'] }, { browser_args: ['--remote-debugging-port=1'] }, { env: { LD_PRELOAD: '/x.so' } },
    { switches: ['--load-extension=/x'] }, { path: '/bin/sh' }, { executablePath: '/bin/sh' }, { user_data_dir: '/' }, { proxy: '--proxy-server=x' }];
  for (const option of options) {
    const reply = await postModern(daemon, 'tools/call', { name: 'start_session', arguments: { name: 'x', ...option } });
    assert.ok(reply.json.error || reply.json.result.isError, JSON.stringify(option));
  }
  const { sessions } = JSON.parse((await daemon.request('/api/sessions', { auth: true })).text);
  assert.deepEqual(sessions, []);
  await alive(daemon);
});

/** TABARD_EQUAL_IDS: how many calls; a million in tools/soak.sh. */
test('TEN-3: 64 clients with equal ids get their own answers, also while others cancel and leave', { timeout: 3_600_000 }, async (t) => {
  const calls = Number(process.env.TABARD_EQUAL_IDS ?? 4000);
  const daemon = await Daemon.start(t, { program: fixtures });
  const clients = await Promise.all(Array.from({ length: 64 }, () => beginSession(daemon)));
  const agent = new http.Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const counts = { answered: 0, left: 0, cancelled: 0 };
  const say = (headers, message) => daemon.request('/mcp', { method: 'POST', auth: true, agent, body: JSON.stringify(message),
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers } });
  await Promise.all(clients.map(async ({ headers }, i) => {
    for (let round = 0; round < calls / clients.length; round++) {
      const name = `canary-${i}-${round}-`;
      if (round % 16 === 5) { // it asks and is gone
        const left = new AbortController();
        const asked = fetch(`${daemon.url}/mcp`, { method: 'POST', signal: left.signal, body: JSON.stringify(request(round, 'tools/call', { name, arguments: {} })),
          headers: { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers } });
        setImmediate(() => left.abort());
        await asked.then((reply) => reply.text()).then((text) => assert.ok(text.includes(name), text), () => { counts.left++; });
        continue;
      }
      const asked = say(headers, request(round, 'tools/call', { name, arguments: {} }));
      if (round % 16 === 11) {
        await say(headers, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: round } });
        counts.cancelled++;
      }
      const { text } = await asked;
      const answered = text.includes(name) && new RegExp(`"id":${round}\\b`).test(text);
      assert.ok(answered || (round % 16 === 11 && !/canary-|"id":/.test(text)), `${name}: ${text}`); // nothing answers what was cancelled in time
      counts.answered += answered;
    }
  }));
  t.diagnostic(JSON.stringify(counts));
  assert.ok(counts.answered > calls / 2 && counts.left > 0 && counts.cancelled > 0, JSON.stringify(counts));
  await alive(daemon);
});

/** A frame of a client as RFC 6455 section 5.2 has it, masked with zeros unless told otherwise. */
function frame(first, payload, { masked = true, length } = {}) {
  const declared = length ?? (payload.length < 126 ? Buffer.from([payload.length]) : Buffer.from([126, payload.length >> 8, payload.length & 255]));
  declared[0] |= masked ? 0x80 : 0;
  return Buffer.concat([Buffer.from([first]), declared, Buffer.alloc(masked ? 4 : 0), payload]);
}

/** The code with which the daemon closes a WebSocket that sends these bytes. */
async function closeCode(daemon, bytes) {
  const socket = net.connect(daemon.port, '127.0.0.1');
  let got = Buffer.alloc(0);
  let sent = false;
  socket.on('error', () => {});
  socket.on('data', (data) => {
    got = Buffer.concat([got, data]);
    if (!sent && got.includes('\r\n\r\n')) {
      assert.match(got.toString('latin1'), /^HTTP\/1\.1 101 /);
      sent = true;
      socket.write(bytes);
    }
  });
  socket.write(`GET /api/events HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${daemon.token}\r\nUpgrade: websocket\r\n`
    + 'Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n');
  await within(once(socket, 'close'), ALIVE_MS * 2, 'the daemon closes').finally(() => socket.destroy());
  for (let at = got.indexOf('\r\n\r\n') + 4; at < got.length;) {
    const size = got[at + 1] < 126 ? got[at + 1] : got.readUInt16BE(at + 2);
    const start = at + (got[at + 1] < 126 ? 2 : 4);
    if (got[at] === 0x88) return got.readUInt16BE(start);
    at = start + size;
  }
  return null;
}

const reason = (code, words = Buffer.alloc(0)) => Buffer.concat([Buffer.from([code >> 8, code & 255]), words]);
const long = (...bytes) => Buffer.from([127, ...bytes]);
const badFrames = {
  'WS-1: a frame without a mask': [frame(0x81, Buffer.from('x'), { masked: false }), [1002]],
  'WS-2: a ping of 126 bytes': [frame(0x89, Buffer.alloc(126)), [1002]],
  'WS-2: a ping in fragments': [frame(0x09, Buffer.from('x')), [1002]],
  'WS-2: a close with one byte': [frame(0x88, Buffer.from('x')), [1002]],
  'WS-2: a reason that is not UTF-8': [frame(0x88, reason(1000, Buffer.from([0xff]))), [1002, 1007]],
  ...Object.fromEntries([0, 999, 1005, 1006, 1015, 65535].map((code) =>
    [`WS-2: a close with ${code}`, [frame(0x88, reason(code)), [1002]]])),
  'WS-3: a length of 2^63': [frame(0x81, Buffer.alloc(0), { length: long(0x80, 0, 0, 0, 0, 0, 0, 0) }), [1002, 1009]],
  'WS-3: a length of 2^62': [frame(0x81, Buffer.alloc(0), { length: long(0x40, 0, 0, 0, 0, 0, 0, 0) }), [1002, 1009]],
  'WS-3: 4 GiB declared and nothing sent': [frame(0x82, Buffer.alloc(0), { length: long(0, 0, 0, 1, 0, 0, 0, 0) }), [1009]],
  'WS-3: a length that is not in its shortest form': [frame(0x81, Buffer.from('x'), { length: Buffer.from([126, 0, 1]) }), [1002]],
  'WS-4: an overlong character': [frame(0x81, Buffer.from([0xc0, 0xaf])), [1007]],
  'WS-4: a surrogate': [frame(0x81, Buffer.from([0xed, 0xa0, 0x80])), [1007]],
  'WS-4: a character beyond the last': [frame(0x81, Buffer.from([0xf4, 0x90, 0x80, 0x80])), [1007]],
  'WS-4: the first bad byte, in a message that has not ended': [frame(0x01, Buffer.from([0xff])), [1007]],
  ...Object.fromEntries([0x40, 0x20, 0x10].map((bit) => [`WS-5: reserved bit ${bit}`, [frame(0x81 | bit, Buffer.from('x')), [1002]]])),
  ...Object.fromEntries([3, 7, 0xb, 0xf].map((op) => [`WS-5: opcode ${op}`, [frame(0x80 | op, Buffer.from('x')), [1002]]])),
  'WS-6: a compressed message that nobody offered': [frame(0xc1, Buffer.from([0xf2, 0x48, 0xcd, 0xc9, 0xc9, 0x07, 0x00])), [1002]],
};

for (const [what, [bytes, codes]] of Object.entries(badFrames)) {
  test(`${what} ends the connection`, async (t) => {
    const daemon = await Daemon.start(t);
    const before = residentMb(daemon);
    const code = await closeCode(daemon, bytes);
    assert.ok(codes.includes(code), `${code}`);
    assert.ok(residentMb(daemon) < before + 8, 'nothing is allocated for what is only announced');
    await alive(daemon);
  });
}
