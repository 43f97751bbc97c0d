// SPDX-License-Identifier: Apache-2.0
// Who gets in: every route of the route table, without and with what it asks for.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import WebSocket from 'ws';
import { Daemon, headersFor, run } from '../support/daemon.mjs';
import { Reader } from '../support/events.mjs';
import { ask, makeKey } from '../support/keys.mjs';

async function routes() {
  const result = await run(['routes', '--json']);
  const all = JSON.parse(result.stdout);
  assert.ok(all.length >= 2);
  return all.filter((route) => route.doors.includes('main'))
    .map((route) => ({ ...route, target: route.path.replace(/\{[^}]+\}/g, 'x') }));
}

const jsonBody = (method) => ['POST', 'PUT', 'PATCH'].includes(method)
  ? { headers: { 'content-type': 'application/json' }, body: '{}' } : {};
const isSocket = (route) => route.flags.includes('websocket');

test('AUTH-1: no route but an open one answers without a token', async (t) => {
  const daemon = await Daemon.start(t);
  for (const route of await routes()) {
    const reply = await daemon.request(route.target, { method: route.method, headers: headersFor(route), ...jsonBody(route.method) });
    if (route.access === 'open') {
      assert.equal(reply.status, 200, route.path);
    } else {
      assert.ok([401, 403].includes(reply.status), `${route.path}: ${reply.status}`);
      assert.ok(!reply.text.includes(daemon.token));
    }
  }
});

test('the list of routes says what each takes', async () => {
  for (const route of await routes()) {
    assert.equal(route.accepts, 'application/json', route.path);
    assert.deepEqual(route.flags, isSocket(route) ? ['websocket'] : [], route.path);
  }
});

test('AUTH-2: a token is right as a whole or not at all', async (t) => {
  const daemon = await Daemon.start(t);
  const { token } = daemon;
  const wrong = [
    `Bearer ${token.slice(0, -1)}`, `Bearer ${token}x`, `Bearer ${token.toUpperCase()}`,
    `Basic ${token}`, token, 'Bearer', `Bearer ${token} x`,
  ];
  for (const authorization of wrong) {
    const reply = await daemon.request('/metrics', { headers: { authorization } });
    assert.equal(reply.status, 401, authorization);
    assert.match(reply.headers['www-authenticate'], /^Bearer/);
    assert.match(JSON.parse(reply.text).error.message, /finds it in admin\.token in the state directory/);
  }
  assert.equal((await daemon.request(`/metrics?token=${token}`)).status, 401);
  assert.equal((await daemon.request('/metrics', { headers: { authorization: `bearer ${token}` } })).status, 200);
});

test('AUTH-3: guessing gets 429, the right token still passes', async (t) => {
  const daemon = await Daemon.start(t);
  const guess = () => daemon.request('/metrics', { headers: { authorization: 'Bearer guess' } });
  for (let i = 0; i < 10; i++) assert.equal((await guess()).status, 401);
  const reply = await guess();
  assert.equal(reply.status, 429);
  assert.equal(reply.headers['retry-after'], '60');
  assert.equal((await daemon.request('/metrics', { auth: true })).status, 200);
});

test('AUTH-4: a Host that is not ours is refused on every route', async (t) => {
  const daemon = await Daemon.start(t);
  const foreign = ['evil.example', `evil.example:${daemon.port}`, 'localhost.evil.example',
    '127.0.0.1.evil.example', '127.0.0.2', '0.0.0.0'];
  for (const route of await routes()) {
    for (const host of foreign) {
      for (const auth of [true, false]) {
        const reply = await daemon.request(route.target,
          { method: route.method, headers: { host }, auth });
        assert.equal(reply.status, 421, `${route.path} ${host}`);
      }
    }
  }
  const bad = ['Host:', 'Host: localhost\r\nHost: localhost', 'X: y', 'Host: a@localhost'];
  for (const line of bad) {
    const text = await daemon.raw(`GET /health HTTP/1.1\r\n${line}\r\n\r\n`);
    assert.match(text, /^HTTP\/1\.1 400 /, line);
  }
  const absolute = await daemon.raw('GET http://evil.example/health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
  assert.match(absolute, /^HTTP\/1\.1 421 /);
});

test('AUTH-5: an Origin that is not ours is refused on every route', async (t) => {
  const daemon = await Daemon.start(t);
  const { port } = daemon;
  const foreign = ['http://evil.example', 'null', 'file://', `http://localhost:${port + 1}`,
    'http://localhost', `http://localhost:${port}@evil.example`, `http://localhost:${port}/`,
    `http://evil.example:${port}`];
  for (const route of await routes()) {
    for (const origin of foreign) {
      const reply = await daemon.request(route.target, {
        method: route.method, auth: true, headers: { host: `localhost:${port}`, origin },
      });
      assert.equal(reply.status, 403, `${route.path} ${origin}`);
    }
  }
  const own = { host: `localhost:${port}`, origin: `http://localhost:${port}` };
  assert.equal((await daemon.request('/health', { headers: own })).status, 200);
  const forged = { host: 'evil.example', origin: 'http://evil.example' };
  assert.equal((await daemon.request('/health', { headers: forged })).status, 421);
});

test('AUTH-5: a WebSocket is opened to no page of an Origin that is not ours', async (t) => {
  const daemon = await Daemon.start(t);
  const { port, token } = daemon;
  const open = (origin) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/api/events`, { headers: { authorization: `Bearer ${token}`, ...(origin ? { origin } : {}) } });
    t.after(() => socket.terminate());
    return new Promise((resolve, reject) => {
      socket.on('open', () => resolve(101));
      socket.on('unexpected-response', (_, reply) => resolve(reply.statusCode));
      socket.on('error', reject);
    });
  };
  for (const origin of ['http://evil.example', 'null', 'file://', `http://localhost:${port + 1}`, `http://localhost:${port}@evil.example`]) {
    assert.equal(await open(origin), 403, origin);
  }
  assert.equal(await open(`http://127.0.0.1:${port}`), 101);
  assert.equal(await open(), 101);
});

test('a page of an allowed origin may ask first and read the answer, others may not', async (t) => {
  const daemon = await Daemon.start(t, { config: 'http:\n  allowed_origins: [https://a.example]\n' });
  const preflight = (origin, target) => daemon.request(target, {
    method: 'OPTIONS',
    headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
  });
  for (const route of (await routes()).filter((each) => !isSocket(each))) { // nobody asks first for those
    const reply = await preflight('https://a.example', route.target);
    assert.equal(reply.status, 204, route.path);
    assert.equal(reply.headers['access-control-allow-origin'], 'https://a.example');
    assert.ok(reply.headers['access-control-allow-methods'].split(', ').includes(route.method));
    assert.match(reply.headers['access-control-allow-headers'], /\bAuthorization\b/);
    const refused = await preflight('https://b.example', route.target);
    assert.equal(refused.status, 403, route.path);
    assert.equal(refused.headers['access-control-allow-origin'], undefined);
  }
  const read = await daemon.request('/metrics', { headers: { origin: 'https://a.example' } });
  assert.equal(read.status, 401);
  assert.equal(read.headers['access-control-allow-origin'], 'https://a.example');
  assert.equal(read.headers.vary, 'Origin');
});

test('an allowed origin passes, exactly', async (t) => {
  const daemon = await Daemon.start(t,
    { config: 'http:\n  allowed_origins: ["https://app.example"]\n' });
  const ask = (origin) => daemon.request('/health', { headers: { origin } });
  assert.equal((await ask('https://app.example')).status, 200);
  assert.equal((await ask('http://app.example')).status, 403);
  assert.equal((await ask('https://app.example:444')).status, 403);
  assert.equal((await ask('https://x.app.example')).status, 403);
});

test('AUTH-7: a preflight from a foreign origin gets no permission', async (t) => {
  const daemon = await Daemon.start(t);
  for (const route of await routes()) {
    const reply = await daemon.request(route.target, {
      method: 'OPTIONS',
      headers: { origin: 'http://evil.example', 'access-control-request-method': 'POST' },
    });
    assert.equal(reply.status, 403);
    assert.ok(!Object.keys(reply.headers).some((name) => name.startsWith('access-control-allow')));
  }
});

test('unknown paths and methods are told apart', async (t) => {
  const daemon = await Daemon.start(t);
  assert.equal((await daemon.request('/nothing')).status, 404);
  const reply = await daemon.request('/health', { method: 'DELETE' });
  assert.equal(reply.status, 405);
  assert.equal(reply.headers.allow, 'GET');
  const { error } = JSON.parse(reply.text);
  assert.deepEqual([error.code, error.message], ['method_not_allowed', 'this address takes only GET']);
  const head = await daemon.request('/health', { method: 'HEAD' });
  assert.equal(head.status, 200);
  assert.equal(head.text, '');
});

test('error bodies say what to do next', async (t) => {
  const daemon = await Daemon.start(t);
  const { error } = JSON.parse((await daemon.request('/metrics')).text);
  assert.equal(error.code, 'unauthorized');
  assert.match(error.hint, /Authorization: Bearer/);
});

test('tokens and query strings never reach the log', async (t) => {
  const daemon = await Daemon.start(t, { args: ['--log-level', 'debug'] });
  await daemon.request('/metrics?secret=canary-1', { auth: true });
  await daemon.request('/health', { headers: { authorization: 'Bearer canary-2' } });
  await daemon.request('/no%0d%0asuch/canary-3');
  await daemon.logged('request');
  assert.ok(!daemon.log.text.includes(daemon.token));
  assert.ok(!/canary/.test(daemon.log.text));
});

test('names and origins that no request can match are refused at start and at SIGHUP', async (t) => {
  const daemon = await Daemon.start(t, { config: 'http:\n  allowed_hosts: [inn.example, "::2", 10.0.0.1]\n  allowed_origins: ["https://x:8443"]\n' });
  for (const [key, value] of [['hosts', '*'], ['hosts', 'x:80'], ['hosts', 'https://x'], ['hosts', '*.x'],
    ['origins', '*'], ['origins', 'https://x/'], ['origins', 'x'], ['origins', 'https://*.x']]) {
    await writeFile(daemon.configFile, `http:\n  allowed_${key}: ["${value}"]\n`);
    daemon.child.kill('SIGHUP');
    await daemon.logged(`http.allowed_${key} has '${value}', which no request can match`);
  }
  const refused = await run(daemon.args);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /http\.allowed_origins has 'https:\/\/\*\.x'/);
});

async function stopAndReadAudit(daemon) {
  daemon.child.kill('SIGTERM');
  await daemon.exited;
  const log = await run(['audit', 'export', '--state-dir', daemon.stateDir]);
  return log.stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line));
}

test('whoever is turned away is on the audit log, and the operator hears of it', async (t) => {
  const daemon = await Daemon.start(t);
  const reader = await Reader.open(t, daemon);
  const host = `localhost:${daemon.port}`;
  const key = `tbk_abcdefghijkl_${'A'.repeat(43)}`;
  const turnedAway = async (status, target, headers) => {
    assert.equal((await daemon.request(target, { method: 'POST', headers })).status, status, target);
  };
  await turnedAway(403, '/mcp', { host, origin: 'http://evil.example' });
  await turnedAway(403, '/api/keys', { host, origin: 'http://evil.example' });
  await turnedAway(421, '/api/keys', { host: 'evil.example' });
  await turnedAway(401, '/mcp', { host, authorization: 'Bearer wrong-token' });
  await turnedAway(401, '/api/keys', { host, authorization: `Bearer ${key}` });
  await reader.until(5);
  assert.match(reader.events[0], /"caller_refused".*evil\.example/);
  const entries = await stopAndReadAudit(daemon);
  for (const { details } of entries) {
    assert.match(details.peer, /^127\.0\.0\.1:\d+$/);
    delete details.peer;
  }
  assert.deepEqual(entries.map(({ type, outcome, details }) => [type, outcome, details]), [
    ['caller_refused', 'forbidden', { host, origin: 'http://evil.example' }],
    ['caller_refused', 'forbidden', { host, origin: 'http://evil.example' }],
    ['caller_refused', 'wrong_host', { host: 'evil.example' }],
    ['credential_refused', 'unauthorized', { route: '/mcp' }],
    ['credential_refused', 'unauthorized', { route: '/api/keys', key: 'tbk_abcdefghijkl' }],
  ]);
});

test('a key that wants what it may not have is on the audit log', async (t) => {
  const daemon = await Daemon.start(t);
  const { id, key } = await makeKey(daemon, { tenant: 'acme', scopes: ['observe'] });
  assert.equal((await ask(daemon, key, '/api/keys')).status, 403);
  assert.equal((await ask(daemon, key, '/api/sessions', { headers: { 'x-tabard-tenant': 'other' } })).status, 403);
  assert.equal((await ask(daemon, key, '/api/sessions')).status, 200);
  const entries = await stopAndReadAudit(daemon);
  assert.deepEqual(entries.filter(({ type }) => type === 'credential_refused').map(({ outcome, details }) => [outcome, details.route, details.key]), [
    ['missing_scope', '/api/keys', id],
    ['forbidden', '/api/sessions', id],
  ]);
});

test('a flood of wrong tokens leaves a hundred entries and a count', async (t) => {
  const daemon = await Daemon.start(t);
  for (let i = 0; i < 150; i++) {
    await daemon.request('/metrics', { headers: { authorization: 'Bearer guess' } });
  }
  const entries = await stopAndReadAudit(daemon);
  const counts = entries.map(({ details }) => details.count).filter((count) => count !== undefined);
  assert.deepEqual([entries.length, counts], [101, [50]]);
});
