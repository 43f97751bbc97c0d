// SPDX-License-Identifier: Apache-2.0
// API keys: made, listed, revoked, expired, limited; by REST, by the command line, and after kill -9.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import WebSocket from 'ws';
import { Daemon, agentPort, fixtures, headersFor, run, until, within } from '../support/daemon.mjs';
import { Reader } from '../support/events.mjs';
import { as, ask, makeKey, revokeKey } from '../support/keys.mjs';
import { Stdio, Stream, beginSession, initialize, post, postModern, request } from '../support/mcp.mjs';

const SECOND = 1000;
const keysOf = (daemon) => (args) => run([
  'keys', ...args, '--config', daemon.configFile, '--state-dir', daemon.stateDir, '--runtime-dir', path.dirname(daemon.socket),
]);
const bodyFor = (method) => (['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined);

async function routes() {
  const all = JSON.parse((await run(['routes', '--json'])).stdout);
  return all.filter((route) => route.access !== 'open').map((route) => ({ ...route, target: route.path.replace(/\{[^}]+\}/g, 'x') }));
}

test('the command makes a key, lists it without its secret, and revokes it', async (t) => {
  const daemon = await Daemon.start(t);
  const keys = keysOf(daemon);
  const made = await keys(['create', '--tenant', 'acme', '--scope', 'act', '--label', 'ci', '--expires', '30d', '--json']);
  assert.equal(made.code, 0, made.stderr);
  const { id, key, scopes } = JSON.parse(made.stdout);
  assert.match(key, new RegExp(`^${id}_[A-Za-z0-9_-]{43}$`));
  assert.deepEqual(scopes, ['observe', 'act'], 'whoever acts may look');
  assert.equal((await ask(daemon, key, '/api/sessions')).status, 200);
  const listed = await keys(['list']);
  assert.match(listed.stdout, new RegExp(`${id} +acme +observe,act +active +\\S+ +\\S+ +ci`));
  assert.ok(!listed.stdout.includes(key));
  const plain = await keys(['create', '--tenant', 'acme', '--scope', 'observe']);
  assert.match(plain.stdout, /^tbk_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/);
  assert.equal((await keys(['revoke', id])).stdout, `revoked ${id}\n`);
  const refused = await ask(daemon, key, '/api/sessions');
  assert.equal(refused.status, 401);
  assert.match(JSON.parse(refused.text).error.message, /this key is not valid: it was revoked/);
  const again = await keys(['revoke', id]);
  assert.equal(again.code, 4);
  assert.match(again.stderr, /there is no key/);
});

test('the command says what is wrong, and how to start a daemon if none runs', async (t) => {
  const daemon = await Daemon.start(t);
  const keys = keysOf(daemon);
  for (const [args, words] of [
    [[], /choose one of create, list and revoke/], [['create', '--scope', 'act'], /needs --tenant and --scope/],
    [['revoke'], /by its id/], [['revoke', '../x'], /looks like tbk_/], [['list', '--nonsense', 'x'], /unknown option/],
  ]) {
    const result = await keys(args);
    assert.equal(result.code, 2, args.join(' '));
    assert.match(result.stderr, words);
  }
  for (const [args, words] of [
    [['create', '--tenant', 'No', '--scope', 'act'], /tenant's name/],
    [['create', '--tenant', 'a', '--scope', 'operate'], /only the operator's own token/],
    [['create', '--tenant', 'a', '--scope', 'act', '--expires', 'soon'], /"30d"/],
  ]) {
    const result = await keys(args);
    assert.equal(result.code, 1, args.join(' '));
    assert.match(result.stderr, words);
  }
  await daemon.kill();
  const gone = await keys(['list']);
  assert.equal(gone.code, 3);
  assert.match(gone.stderr, /no daemon is running at .*tabard\.sock; start one with 'tabard serve'/);
});

test('the command reaches a daemon elsewhere by --url with a token', async (t) => {
  const daemon = await Daemon.start(t);
  const admin = await makeKey(daemon, { tenant: 'acme', scopes: ['admin'] });
  const there = (env, ...args) => run(['keys', 'list', '--url', `${daemon.url}/`, ...args], { env: { ...process.env, ...env } });
  assert.match((await there({ TABARD_TOKEN: admin.key })).stdout, new RegExp(admin.id));
  assert.match((await there({}, '--token', admin.key, '--json')).stdout, new RegExp(admin.id));
  const refused = await there({ TABARD_TOKEN: 'wrong' });
  assert.equal(refused.code, 5);
  assert.match(refused.stderr, /a valid token is required/);
});

test('a body that is not what a key needs is refused, with the reason', async (t) => {
  const daemon = await Daemon.start(t);
  const bodies = [
    [], {}, { tenant: 'a' }, { tenant: 5, scopes: 'act' }, { tenant: 'a', scopes: [] }, { tenant: 'a', scopes: ['root'] },
    { tenant: 'a', scopes: 'act', expires: '0d' }, { tenant: 'a', scopes: 'act', expires: -1 }, { tenant: 'a', scopes: 'act', label: 'x'.repeat(97) },
    { tenant: 'a', scopes: 'act', sessions_max: 1.5 }, { tenant: 'a', scopes: 'act', calls_per_minute: -3 }, { tenant: 'a', scope: 'act' },
    { tenant: 'a', scopes: 'act', policy: [] }, { tenant: 'a', scopes: 'act', policy: { allow_domains: ['com'] } }, { tenant: 'a', scopes: 'act', policy: { nonsense: 1 } },
    { tenant: 'a', scopes: 'act', policy: { allow_domains: Array.from({ length: 500 }, (_, i) => `a${i}.test`) } },
  ];
  for (const body of bodies) {
    const reply = await ask(daemon, daemon.token, '/api/keys', { method: 'POST', body });
    assert.equal(reply.status, 400, `${JSON.stringify(body)}: ${reply.text}`);
  }
  const twice = await daemon.request('/api/keys', {
    method: 'POST', auth: true, headers: { 'content-type': 'application/json' }, body: '{"tenant":"a","tenant":"b","scopes":"act"}',
  });
  assert.equal(twice.status, 400);
  assert.equal(JSON.parse((await ask(daemon, daemon.token, '/api/keys')).text).keys.length, 0);
});

/** A row of this door takes what the other row stands for: "/mcp/{toolset}" is "/mcp/stdio" as well. */
const isAnswered = (row, door, { method, path: target }) => row.doors.includes(door) && row.method === method
  && new RegExp(`^${row.path.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(target);

/** Every route at every door: where it is not, nothing is told of it. */
test('AUTH-1, AUTH-2: every route refuses an unknown, revoked, expired, weaker or foreign key, at every door', async (t) => {
  const daemon = await Daemon.start(t);
  const revoked = await makeKey(daemon, { tenant: 'acme', scopes: ['act', 'admin'] });
  const expired = await makeKey(daemon, { tenant: 'acme', scopes: ['act', 'admin'], expires: 1 });
  const weaker = { observe: await makeKey(daemon, { tenant: 'acme', scopes: ['observe'] }), act: await makeKey(daemon, { tenant: 'acme', scopes: ['act'] }),
    admin: await makeKey(daemon, { tenant: 'other', scopes: ['act', 'admin'] }) };
  const needs = { act: ['observe'], admin: ['observe', 'act'], operate: ['observe', 'act', 'admin'] };
  await revokeKey(daemon, revoked.id);
  const unknown = revoked.key.replace(/.$/, (c) => (c === 'A' ? 'B' : 'A'));
  const every = JSON.parse((await run(['routes', '--json'])).stdout);
  const doors = { main: {}, unix: { unix: true }, agent: { port: await agentPort(daemon) } };
  const refused = { observe: 0, act: 0, admin: 0 };
  for (const [door, where] of Object.entries(doors)) {
    for (const route of await routes()) {
      const ask_ = (key) => ask(daemon, key, route.target, { method: route.method, body: bodyFor(route.method), headers: headersFor(route), ...where });
      const what = `${door}: ${route.method} ${route.path}`;
      if (!route.doors.includes(door)) {
        if (every.some((other) => isAnswered(other, door, route))) continue; // by another row, which is walked as well
        for (const key of [undefined, unknown, weaker.admin.key, daemon.token]) {
          const { status, text } = await ask_(key);
          assert.ok([404, 405].includes(status) || text.includes('takes only WebSocket connections'), `${what}: ${status} ${text}`);
        }
        continue;
      }
      if (route.access === 'same-user') continue; // the user of the socket counts there, whatever key is shown
      for (const key of [revoked.key, expired.key, unknown, revoked.id, weaker.observe.key.slice(0, -1), `${weaker.observe.key}x`]) {
        const reply = await ask_(key);
        assert.ok([401, 403, 429].includes(reply.status), `${what}: ${reply.status}`);
        if (route.access === 'token') assert.notEqual(reply.status, 403, what);
        assert.ok(!reply.text.includes(key));
      }
      for (const scope of needs[route.scope] ?? []) {
        const reply = await ask_(weaker[scope].key);
        assert.equal(reply.status, 403, `${what} with ${scope}`);
        assert.match(reply.text, /missing_scope|forbidden/);
        refused[scope]++;
      }
    }
  }
  assert.ok(refused.observe >= 30 && refused.act >= 20 && refused.admin >= 2, JSON.stringify(refused));
  assert.equal((await ask(daemon, weaker.observe.key, '/api/sessions')).status, 200);
});

/** TABARD_GUESSES: how many; a million in tools/soak.sh. */
test('AUTH-3: guesses of a key get nobody in and lock nobody out', { timeout: 3_600_000 }, async (t) => {
  const guesses = Number(process.env.TABARD_GUESSES ?? 1000);
  const daemon = await Daemon.start(t);
  const { id, key } = await makeKey(daemon, { tenant: 'acme', scopes: 'observe' });
  const agent = new http.Agent({ keepAlive: true });
  t.after(() => agent.destroy());
  const began = Date.now();
  const counts = { 401: 0, 429: 0 };
  for (let i = 0; i < guesses; i++) {
    const { status } = await daemon.request('/api/sessions', { agent, headers: { authorization: `Bearer ${id}_${String(i).padStart(43, 'A')}` } });
    counts[status]++;
    if (i % 1000 === 999) assert.equal((await ask(daemon, key, '/api/sessions')).status, 200, 'the holder gets in meanwhile');
  }
  assert.equal(counts[401] + counts[429], guesses, JSON.stringify(counts));
  assert.ok(counts[401] >= 10 && counts[401] <= 10 * (1 + Math.ceil((Date.now() - began) / 60_000)), JSON.stringify(counts));
});

test('kill -9 right after a key was made or revoked keeps both', async (t) => {
  let daemon = await Daemon.start(t);
  const { dir } = daemon;
  for (let round = 0; round < 5; round++) {
    const stays = await makeKey(daemon, { tenant: 'acme', scopes: 'observe', label: `r${round}` });
    const goes = await makeKey(daemon, { tenant: 'acme', scopes: 'observe' });
    await revokeKey(daemon, goes.id);
    await daemon.kill();
    daemon = await Daemon.start(t, { dir });
    assert.equal((await ask(daemon, stays.key, '/api/sessions')).status, 200);
    assert.equal((await ask(daemon, goes.key, '/api/sessions')).status, 401);
  }
  const { keys } = JSON.parse((await ask(daemon, daemon.token, '/api/keys')).text);
  assert.deepEqual(keys.map((key) => key.label), ['r0', 'r1', 'r2', 'r3', 'r4']);
});

test('a revoked key loses its event stream, its WebSocket and its running call within a second', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const { id, key } = await makeKey(daemon, { tenant: 'acme', scopes: 'act' });
  const mine = as(daemon, key);
  const reader = await Reader.open(t, mine);
  const socket = new WebSocket(`ws://127.0.0.1:${daemon.port}/api/events`, { headers: { authorization: `Bearer ${key}` } });
  await within(once(socket, 'open'), 10 * SECOND, 'the WebSocket opens');
  const { headers } = await beginSession(mine);
  const standalone = await Stream.open(t, mine, { method: 'GET', headers });
  const begun = await post(mine, request(1, 'tools/call', { name: 'browser_navigate', arguments: { url: 'about:blank' } }), { headers });
  assert.equal(begun.json.result.isError, undefined, JSON.stringify(begun.json));
  const running = post(mine, request(2, 'tools/call', { name: 'browser_wait', arguments: { text: 'never', timeout_ms: 60000 } }), { headers });
  const ended = [once(reader.res, 'close'), once(socket, 'close'), standalone.ended, running];
  await revokeKey(daemon, id);
  await within(Promise.all(ended), SECOND, 'all that was live ends');
  const { json, events, status } = await running;
  assert.match(JSON.stringify([json, events, status]), /revoked|401|404/);
  assert.equal((await ask(daemon, key, '/api/sessions')).status, 401);
});

test('WS-7: a key has so many event streams at once, and other tenants have theirs', async (t) => {
  const daemon = await Daemon.start(t);
  const [mine, others] = await Promise.all(['acme', 'other'].map((tenant) => makeKey(daemon, { tenant, scopes: 'observe' })));
  const readers = [];
  for (let i = 0; i < 64; i++) readers.push(await Reader.open(t, as(daemon, mine.key)));
  const over = await ask(daemon, mine.key, '/api/events');
  assert.deepEqual([over.status, over.headers['retry-after']], [429, '60']);
  assert.match(over.text, /this key has 64 event streams open/);
  const listen = () => postModern(as(daemon, mine.key), 'subscriptions/listen', { notifications: { toolsListChanged: true } });
  assert.match((await listen()).json.error.message, /this key has 64 event streams open/);
  assert.equal((await Reader.open(t, as(daemon, others.key))).res.statusCode, 200);
  assert.equal((await Reader.open(t, daemon)).res.statusCode, 200);
  assert.equal((await ask(daemon, mine.key, '/api/sessions')).status, 200);
  readers[0].close();
  await until(async () => (await Reader.open(t, as(daemon, mine.key))).res.statusCode === 200, 5 * SECOND, 'a place is free');
});

test('an expiring key loses its streams when its time is over, and the audit log says so', async (t) => {
  const daemon = await Daemon.start(t);
  const { key } = await makeKey(daemon, { tenant: 'acme', scopes: 'observe', expires: 700, label: 'brief' });
  const reader = await Reader.open(t, as(daemon, key));
  await within(once(reader.res, 'close'), 5 * SECOND, 'the stream ends');
  assert.equal((await ask(daemon, key, '/api/sessions')).status, 401);
  const { keys } = JSON.parse((await ask(daemon, daemon.token, '/api/keys')).text);
  assert.deepEqual(keys.map(({ label, state }) => [label, state]), [['brief', 'expired']]);
});

test('what happens to keys is on the audit log, without their secrets', async (t) => {
  const daemon = await Daemon.start(t);
  const { id, key } = await makeKey(daemon, { tenant: 'acme', scopes: 'act', label: 'ci' });
  await revokeKey(daemon, id);
  daemon.child.kill('SIGTERM');
  await daemon.exited;
  const { stdout } = await run(['audit', 'export', '--state-dir', daemon.stateDir]);
  const entries = stdout.trim().split('\n').map((line) => JSON.parse(line));
  assert.deepEqual(entries.map(({ type, tenant, agent, details }) => [type, tenant, agent, details]), [
    ['key_created', 'acme', 'operator', { key: id, label: 'ci', scopes: 'observe,act' }],
    ['key_revoked', 'acme', 'operator', { key: id, label: 'ci' }],
  ]);
  assert.ok(!stdout.includes(key) && !daemon.log.text.includes(key));
});

test('a key over its limit is told when to come back: 429 by HTTP, an error of the tool by MCP', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const { key } = await makeKey(daemon, { tenant: 'acme', scopes: 'act', calls_per_minute: 2 });
  const free = await makeKey(daemon, { tenant: 'acme', scopes: 'act' });
  assert.equal((await ask(daemon, key, '/api/sessions')).status, 200);
  assert.equal((await ask(daemon, key, '/api/sessions')).status, 200);
  const refused = await ask(daemon, key, '/api/sessions');
  assert.equal(refused.status, 429);
  assert.ok(['29', '30'].includes(refused.headers['retry-after']), refused.headers['retry-after']);
  assert.equal(JSON.parse(refused.text).error.code, 'too_many_requests');
  const { headers } = await beginSession(as(daemon, key));
  const call = await post(as(daemon, key), request(1, 'tools/call', { name: 'list_sessions', arguments: {} }), { headers });
  assert.equal(call.json.result.isError, true);
  assert.match(call.json.result.content[0].text, /2 calls per minute; try again in (29|30) s/);
  assert.equal((await ask(daemon, free.key, '/api/sessions')).status, 200);
});

test('a key starts no more sessions than it may, and an idle conversation makes room', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const { key } = await makeKey(daemon, { tenant: 'acme', scopes: 'act', sessions_max: 1 });
  const mine = as(daemon, key);
  const { headers } = await beginSession(mine);
  const call = (id, name, args) => post(mine, request(id, 'tools/call', { name, arguments: args }), { headers });
  assert.ok(!(await call(1, 'start_session', { sessionId: 'a' })).json.result.isError);
  const second = await call(2, 'start_session', { sessionId: 'b' });
  assert.equal(second.json.result.isError, true);
  assert.match(second.json.result.content[0].text, /sessions that this key may have/);
  await call(3, 'close_session', { sessionId: 'a' });
  assert.ok(!(await call(4, 'browser_navigate', { url: 'about:blank' })).json.result.isError);
  const other = await beginSession(mine);
  const moved = await post(mine, request(5, 'tools/call', { name: 'browser_navigate', arguments: { url: 'about:blank' } }), { headers: other.headers });
  assert.ok(!moved.json.result.isError, JSON.stringify(moved.json));
});

test("closing other agents' sessions needs the scope admin, which the user of the Unix socket has", async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const { key } = await makeKey(daemon, { tenant: 'acme', scopes: 'act' });
  const { headers } = await beginSession(as(daemon, key));
  const call = async (id, name, args) => (await post(as(daemon, key), request(id, 'tools/call', { name, arguments: args }), { headers })).json.result;
  assert.ok(!(await call(1, 'start_session', { sessionId: 'a' })).isError);
  const refused = await call(2, 'close_all_sessions', { everyone: true });
  assert.equal(refused.isError, true);
  assert.match(refused.content[0].text, /needs the scope 'admin'.*leave out 'everyone'/);
  const bridge = new Stdio(t, daemon, ['--no-start', '--tenant', 'acme']);
  bridge.send(initialize());
  await bridge.next();
  const closed = await bridge.ask(2, 'tools/call', { name: 'close_all_sessions', arguments: { everyone: true } });
  assert.equal(closed.result.content[0].text, 'Closed 1 session.');
});

test('the Unix socket stands for tenant default unless it names another', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const bridge = new Stdio(t, daemon, ['--no-start', '--tenant', 'acme']);
  bridge.send(initialize());
  await bridge.next();
  const started = await bridge.ask(2, 'tools/call', { name: 'start_session', arguments: { sessionId: 'ours' } });
  assert.ok(!started.result.isError, JSON.stringify(started));
  const names = async (headers) => {
    const reply = await daemon.request('/api/sessions', { unix: true, headers });
    return JSON.parse(reply.text).sessions.map((session) => session.sessionId);
  };
  assert.deepEqual(await names({ 'x-tabard-tenant': 'acme' }), ['ours']);
  assert.deepEqual(await names({}), []);
  for (const tenant of ['', 'A', '../x', '-a', 'x'.repeat(65)]) {
    const reply = await daemon.request('/api/sessions', { unix: true, headers: { 'x-tabard-tenant': tenant } });
    assert.equal(reply.status, 400, `'${tenant}'`);
  }
  const { key } = await makeKey(daemon, { tenant: 'acme', scopes: ['act', 'admin'] });
  assert.equal((await ask(daemon, key, '/api/sessions', { headers: { 'x-tabard-tenant': 'default' } })).status, 403);
  assert.deepEqual(await names({ authorization: `Bearer ${key}` }), ['ours'], 'a key that is shown counts, and not the user');
  assert.equal((await daemon.request('/api/sessions', { unix: true, headers: { authorization: `Bearer ${key}x` } })).status, 401);
  for (const authorization of ['Basic dXNlcjpwYXNz', 'Bearer', `Token ${key}`, [`Bearer ${key}`, `Bearer ${key}`]]) {
    const reply = await daemon.request('/api/sessions', { unix: true, headers: { authorization } });
    assert.equal(reply.status, 401, `one that cannot be read: ${authorization}`);
  }
  const wrong = await run(['mcp', '--tenant', 'No/'], { env: process.env });
  assert.equal(wrong.code, 2);
});

test('a key gets around its own end and limits by no other key', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const wish = { tenant: 'acme', scopes: 'observe' };
  const make = async (parent, more) => (await ask(daemon, parent.key, '/api/keys', { method: 'POST', body: { ...wish, ...more } })).status;
  const parent = await makeKey(daemon, { tenant: 'acme', scopes: ['admin'], expires: '1d' });
  for (const more of [{}, { expires: '2d' }]) assert.equal(await make(parent, more), 403, JSON.stringify(more));
  assert.equal(await make(parent, { expires: '1h' }), 201);
  for (const limit of [{ calls_per_minute: 100 }, { sessions_max: 2 }]) {
    const limited = await makeKey(daemon, { tenant: 'acme', scopes: ['admin'], ...limit });
    assert.equal(await make(limited, limit), 403, 'two keys would have the limit twice');
  }
});

/** The words of a tool's result, as the holder of a key gets it. */
async function said(daemon, key, name, args, more = {}) {
  const reply = await postModern(as(daemon, key), 'tools/call', { name, arguments: args }, { headers: { 'x-conversation-id': 'c' }, ...more });
  const { result, error } = reply.json ?? reply.events.at(-1).message;
  return error ? error.message : result.content.map((item) => item.text ?? '').join('\n');
}

test('a key with a policy is bound by it, and so are the sessions that it started, also when it is revoked', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const keys = keysOf(daemon);
  const file = path.join(daemon.dir, 'policy.json');
  const policy = { allow_domains: ['fine.test'], tools: { deny: ['browser_hover'] } };
  await writeFile(file, `${JSON.stringify(policy, null, 2)}\n`);
  const made = await keys(['create', '--tenant', 'default', '--scope', 'act', '--policy', file, '--json']);
  assert.equal(made.code, 0, made.stderr);
  const narrow = JSON.parse(made.stdout);
  assert.deepEqual(narrow.policy, policy);
  const listed = JSON.parse((await keys(['list', '--json'])).stdout).keys;
  assert.deepEqual(listed.find(({ id }) => id === narrow.id).policy, policy);
  const wide = await makeKey(daemon, { tenant: 'default', scopes: 'act' });
  assert.equal('policy' in wide, false);
  await said(daemon, wide.key, 'start_session', { sessionId: 'open' });

  const look = async (d) => {
    for (const key of [narrow.key, wide.key]) {
      assert.match(await said(d, key, 'browser_navigate', { sessionId: 'bound', url: 'https://other.test/' }), /allow_domains of the policy of the key that started the session/);
      assert.match(await said(d, key, 'browser_hover', { sessionId: 'bound', target: 'e1' }), /'tools\.deny' of the/);
      assert.doesNotMatch(await said(d, key, 'browser_navigate', { sessionId: 'bound', url: 'https://fine.test/' }), /denied|blocked/);
    }
    assert.match(await said(d, narrow.key, 'browser_hover', { sessionId: 'open', target: 'e1' }), /'tools\.deny' of the key's policy/);
    assert.match(await said(d, narrow.key, 'browser_navigate', { sessionId: 'open', url: 'https://fine.test/' }), /cannot be used in session 'open', whose pages are not bound by the key's policy/);
    assert.doesNotMatch(await said(d, wide.key, 'browser_navigate', { sessionId: 'open', url: 'https://other.test/' }), /denied|blocked/);
  };
  await said(daemon, narrow.key, 'start_session', { sessionId: 'bound' });
  await look(daemon);
  await daemon.kill();
  const again = await Daemon.start(t, { program: fixtures, dir: daemon.dir });
  await look(again);
  await revokeKey(again, narrow.id);
  assert.match(await said(again, wide.key, 'browser_navigate', { sessionId: 'bound', url: 'https://other.test/' }), /of the key that started the session/);
});

test('a file without a policy makes no key, and a key with a policy makes no other', async (t) => {
  const daemon = await Daemon.start(t);
  const keys = keysOf(daemon);
  const file = path.join(daemon.dir, 'policy.json');
  const create = ['create', '--tenant', 'acme', '--scope', 'act', '--policy'];
  for (const [content, code, words] of [['{', 2, /the policy in .*policy\.json/], ['{"x": 1}', 1, /policy: a policy has no member "x"/], [' '.repeat(70000), 2, /too large/]]) {
    await writeFile(file, content);
    const made = await keys([...create, file]);
    assert.equal(made.code, code, made.stderr);
    assert.match(made.stderr, words);
  }
  assert.match((await keys([...create, path.join(daemon.dir, 'none')])).stderr, /cannot read the policy in/);
  assert.equal(JSON.parse((await keys(['list', '--json'])).stdout).keys.length, 0);
  const admin = await makeKey(daemon, { tenant: 'acme', scopes: ['admin', 'act'], policy: { read_only: true } });
  const other = await ask(daemon, admin.key, '/api/keys', { method: 'POST', body: { tenant: 'acme', scopes: 'act', policy: { read_only: true } } });
  assert.equal(other.status, 403);
  assert.match(other.text, /a key with a policy of its own cannot make others/);
});
