// SPDX-License-Identifier: Apache-2.0
// Two tenants on one daemon: what belongs to one is, for the other, the same as what was never there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import WebSocket from 'ws';
import { once } from 'node:events';
import { Daemon, fixtures, run, until, within } from '../support/daemon.mjs';
import { Reader } from '../support/events.mjs';
import { as, ask, makeKey } from '../support/keys.mjs';
import { beginSession, post, request } from '../support/mcp.mjs';

const ALL = '/mcp?groups=all';

/** A tenant's key with all scopes that a key can have, and an MCP session of its own. */
async function tenant(daemon, name) {
  const { id, key } = await makeKey(daemon, { tenant: name, scopes: ['act', 'admin'] });
  const own = as(daemon, key);
  const { headers } = await beginSession(own, undefined, { target: ALL });
  let number = 0;
  const rpc = async (method, params, more = {}) => {
    const reply = await post(own, request(++number, method, params), { headers: { ...headers, ...more }, target: ALL });
    return reply.json ?? reply.events.at(-1).message;
  };
  const call = async (tool, args = {}, more) => {
    const { result, error } = await rpc('tools/call', { name: tool, arguments: args }, more);
    return { error, isError: Boolean(result?.isError), text: result?.content?.map((item) => item.text).join('\n') ?? error?.message };
  };
  return { id, key, own, headers, rpc, call, ask: (target, options) => ask(daemon, key, target, options) };
}

async function two(t, [first, second] = ['a', 'b']) {
  const daemon = await Daemon.start(t, { program: fixtures, config: 'sessions:\n  total: 100\n' });
  return { daemon, a: await tenant(daemon, first), b: await tenant(daemon, second) };
}

/** What the schema of a tool does not say that it needs. */
const NEEDED = {
  browser_navigate: { url: 'https://example.com/' },
  execute_sequence: { actions: [{ action: 'browser_snapshot' }] },
};

/** A value that passes the check of a parameter, for those that a tool cannot do without. */
function sample(schema, name) {
  if (schema.enum) return schema.enum[0];
  if (schema.anyOf || schema.oneOf) return sample((schema.anyOf ?? schema.oneOf)[0], name);
  if (name === 'url') return 'https://example.com/';
  if (schema.type === 'object') {
    return Object.fromEntries((schema.required ?? []).map((key) => [key, sample(schema.properties[key], key)]));
  }
  if (schema.type === 'array') return [sample(schema.items ?? {}, name)];
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1;
  if (schema.type === 'boolean') return true;
  return 'x';
}

const THEIRS = 'their-firm';

/** What tenant A has before B walks: one thing of each kind that has an id. */
async function haveAll(a) {
  assert.ok(!(await a.call('start_session', { sessionId: 'theirs' })).isError);
  assert.ok(!(await a.call('browser_navigate', { url: 'https://example.com/' }, { 'x-conversation-id': 'their-talk' })).isError);
  assert.equal((await a.ask('/api/secrets/their-login', { method: 'PUT', body: { value: 'their-password', domains: ['example.com'] } })).status, 200);
  const policy = { block_domains: ['their.example'], ask: ['browser_snapshot'] };
  assert.equal((await a.ask(`/api/policy/${THEIRS}`, { method: 'PUT', body: policy })).status, 200);
  const waiting = a.call('browser_snapshot', { sessionId: 'theirs' });
  let approvals = [];
  await until(async () => (approvals = JSON.parse((await a.ask('/api/approvals')).text).approvals).length > 0, 10_000, 'the approval waits');
  return { waiting, policy, ids: ['theirs', 'their-talk', a.id, 'their-login', approvals[0].id, THEIRS], approval: approvals[0].id };
}

const nobodys = (id) => id.replace(/.{4}$/, 'zzzz');
/** A body that its route accepts, so that the walk gets as far as the thing itself. */
const bodies = {
  'POST /api/keys': { tenant: 'ours', scopes: 'observe' }, 'PUT /api/policy/{tenant}': { block_domains: ['x.example'] }, 'POST /api/approvals/{id}': { approve: true },
  'POST /api/policy/{tenant}/check': { url: 'https://their.example/' }, 'PUT /api/secrets/{id}': { value: 'of-b-itself', domains: ['example.org'] },
};

test('TEN-2: on every route and every door, what another tenant has is answered like what nobody has', async (t) => {
  const { a, b } = await two(t, [THEIRS, 'ours']);
  const has = await haveAll(a);
  const routes = JSON.parse((await run(['routes', '--json'])).stdout).filter((route) => /\{(id|tenant)\}/.test(route.path))
    .sort((one, other) => (one.method === 'PUT') - (other.method === 'PUT')); // which makes things of B's own
  assert.ok(routes.length >= 10);
  assert.ok(routes.some((route) => route.path.includes('{tenant}')));
  for (const route of routes) {
    for (const door of ['main', 'unix']) {
      assert.ok(route.doors.includes(door), `${route.path} is walked at the doors that it has`);
      for (const id of has.ids) {
        const body = route.method === 'GET' || route.method === 'DELETE' ? undefined : bodies[`${route.method} ${route.path}`] ?? {};
        const what = `${door}: ${route.method} ${route.path} ${id}`;
        const look = (one) => b.ask(route.path.replace(/\{[^}]+\}/, one), { method: route.method, body, unix: door === 'unix' });
        const [one, other] = [await look(id), await look(nobodys(id))];
        if (route.method !== 'PUT' || route.path.includes('{tenant}')) assert.ok([403, 404].includes(one.status), `${what}: ${one.status} ${one.text}`);
        assert.equal(one.status, other.status, what);
        assert.equal(one.text.replaceAll(id, 'ID'), other.text.replaceAll(nobodys(id), 'ID'), what);
      }
    }
  }
  assert.deepEqual(JSON.parse((await b.ask('/api/approvals')).text), { approvals: [] });
  assert.doesNotMatch((await b.ask('/api/secrets')).text, /their-password/);
  assert.deepEqual(JSON.parse((await a.ask(`/api/policy/${THEIRS}`)).text).policy, has.policy, 'the policy is as it was');
  assert.deepEqual(JSON.parse((await a.ask('/api/secrets')).text).secrets.map(({ name, domains }) => [name, domains]), [['their-login', ['example.com']]]);
  assert.equal((await a.ask(`/api/approvals/${has.approval}`, { method: 'POST', body: { approve: true } })).status, 200, 'it still waited');
  assert.ok(!(await has.waiting).isError);
  assert.equal((await a.ask('/api/sessions')).status, 200, 'the key is as it was');
  assert.equal((await a.ask('/api/sessions/theirs/close', { method: 'POST', body: {} })).status, 200);
  assert.equal((await a.ask('/api/conversations/their-talk/close', { method: 'POST', body: {} })).status, 200);
});

test('TEN-2: in every parameter of a tool that names a session, the same', async (t) => {
  const { a, b } = await two(t);
  assert.ok(!(await a.call('start_session', { sessionId: 'theirs' })).isError);
  const { result } = await b.rpc('tools/list');
  const tools = result.tools.filter((tool) => tool.inputSchema.properties?.sessionId && tool.name !== 'start_session');
  assert.ok(tools.length >= 20, `${tools.length} tools`);
  for (const tool of tools) {
    const args = { ...sample({ ...tool.inputSchema, type: 'object' }, ''), ...NEEDED[tool.name] };
    const one = await b.call(tool.name, { ...args, sessionId: 'theirs' });
    const other = await b.call(tool.name, { ...args, sessionId: 'nobody' });
    assert.ok(one.isError, `${tool.name}: ${one.text}`);
    assert.match(one.text, /theirs/, `${tool.name} got as far as the session: ${one.text}`);
    assert.equal(one.text.replaceAll('theirs', 'ID'), other.text.replaceAll('nobody', 'ID'), tool.name);
  }
  assert.ok(!(await b.call('start_session', { sessionId: 'theirs' })).isError, 'a name is free for each tenant');
});

test('TEN-2: resources, subscriptions, completions and prompts of MCP, the same', async (t) => {
  const { a, b } = await two(t);
  assert.ok(!(await a.call('start_session', { sessionId: 'theirs' })).isError);
  for (const what of ['snapshot', 'screenshot', 'downloads']) {
    for (const method of ['resources/read', 'resources/subscribe']) {
      const answers = [];
      for (const id of ['theirs', 'nobody']) {
        const { id: _, ...answer } = await b.rpc(method, { uri: `tabard://session/${id}/${what}` });
        answers.push(JSON.stringify(answer).replaceAll(id, 'ID'));
      }
      assert.equal(answers[0], answers[1], `${method} ${what}`);
    }
  }
  const complete = (who) => who.rpc('completion/complete', {
    ref: { type: 'ref/resource', uri: 'tabard://session/{id}/snapshot' }, argument: { name: 'id', value: 't' },
  });
  assert.deepEqual((await complete(a)).result.completion.values, ['theirs']);
  assert.deepEqual((await complete(b)).result.completion.values, []);
  const sessions = await b.rpc('resources/read', { uri: 'tabard://sessions' });
  assert.equal(JSON.parse(sessions.result.contents[0].text).sessions.length, 0);
});

test('TEN-4: a session of MCP, its streams and a conversation belong to whoever began them', async (t) => {
  const { daemon, a, b } = await two(t);
  const stolen = await post(b.own, request(1, 'tools/list'), { headers: a.headers, target: ALL });
  const made_up = await post(b.own, request(1, 'tools/list'), { headers: { ...a.headers, 'mcp-session-id': 'x'.repeat(43) }, target: ALL });
  assert.equal(stolen.status, 404);
  assert.equal(stolen.text, made_up.text, 'an id that another has is an id that nobody has');
  const resumed = await b.ask('/mcp', { headers: { ...a.headers, accept: 'text/event-stream', 'last-event-id': '1-1' } });
  assert.equal(resumed.status, 404);
  assert.equal((await b.ask('/mcp', { method: 'DELETE', headers: a.headers })).status, 404);
  assert.ok((await a.rpc('tools/list')).result, 'it is still there for its owner');
  const talk = { 'x-conversation-id': 'talk' };
  assert.ok(!(await a.call('browser_navigate', { url: 'https://example.com/' }, talk)).isError);
  const theirs = await b.call('browser_snapshot', {}, talk);
  assert.ok(theirs.isError, 'the name of a conversation is no way into it');
  assert.ok(!(await b.call('browser_navigate', { url: 'https://example.org/' }, talk)).isError);
  const count = async (who) => JSON.parse((await who.ask('/api/sessions')).text).sessions.length;
  assert.deepEqual([await count(a), await count(b)], [1, 1]);
  assert.equal((await b.ask('/api/stop-all', { method: 'POST', body: {} })).status, 200);
  assert.deepEqual([await count(a), await count(b)], [1, 0], 'stop-all stops one tenant');
  assert.match((await b.ask('/metrics')).text, /forbidden/, 'metrics count what all do');
  assert.equal((await daemon.request('/metrics', { auth: true })).status, 200);
});

test('a tenant hears of its own events only, by SSE and by WebSocket', async (t) => {
  const { daemon, a, b } = await two(t);
  const reader = await Reader.open(t, b.own);
  const socket = new WebSocket(`ws://127.0.0.1:${daemon.port}/api/events`, { headers: { authorization: `Bearer ${b.key}` } });
  const heard = [];
  socket.on('message', (data) => heard.push(JSON.parse(data)));
  t.after(() => socket.terminate());
  await within(once(socket, 'open'), 10_000, 'the WebSocket opens');
  assert.ok(!(await a.call('start_session', { sessionId: 'theirs' })).isError);
  assert.ok(!(await b.call('start_session', { sessionId: 'ours' })).isError);
  await b.call('close_session', { sessionId: 'ours' });
  const ended = (events) => events.some((event) => event.type === 'session_ended');
  await within((async () => {
    while (!ended(reader.events.map((event) => JSON.parse(event))) || !ended(heard)) await new Promise(setImmediate);
  })(), 10_000, 'both hear of the end');
  for (const event of [...reader.events.map((text) => JSON.parse(text)), ...heard]) {
    assert.ok([undefined, null, 'b'].includes(event.tenant), JSON.stringify(event));
    assert.ok(!JSON.stringify(event).includes('theirs'));
  }
});

test('TEN-6: a key that only looks is refused each tool that acts, message by message', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const { key } = await makeKey(daemon, { tenant: 'a', scopes: 'observe' });
  const doer = await tenant(daemon, 'a');
  assert.ok(!(await doer.call('start_session', { sessionId: 'shared' })).isError);
  const { result } = await doer.rpc('tools/list');
  const own = as(daemon, key);
  const { headers } = await beginSession(own, undefined, { target: ALL });
  const seen = (await post(own, request(1, 'tools/list'), { headers, target: ALL })).json.result.tools.map((tool) => tool.name);
  let refused = 0;
  for (const tool of result.tools.filter((each) => !each.annotations?.readOnlyHint)) {
    const args = sample({ ...tool.inputSchema, type: 'object' }, '');
    const reply = await post(own, request(2, 'tools/call', { name: tool.name, arguments: args }), { headers, target: ALL });
    if (!/"isError":true|"error":/.test(reply.text)) assert.fail(`${tool.name}: ${reply.text.slice(0, 300)}`);
    refused += /scope 'act'|missing_scope/.test(reply.text);
    if (/scope 'act'/.test(reply.text)) assert.ok(!seen.includes(tool.name), `${tool.name} is not even shown`);
  }
  assert.ok(refused >= 15, `${refused} tools`);
  assert.ok(!(await post(own, request(3, 'tools/call', { name: 'list_sessions', arguments: {} }), { headers, target: ALL })).json.result.isError);
  const socket = new WebSocket(`ws://127.0.0.1:${daemon.port}/api/events`, { headers: { authorization: `Bearer ${key}` } });
  await within(once(socket, 'open'), 10_000, 'the WebSocket opens');
  const closed = once(socket, 'close');
  for (const message of [request(1, 'tools/call', { name: 'close_session', arguments: { sessionId: 'shared' } }), { type: 'close_session', sessionId: 'shared' }, { action: 'stop-all' }]) {
    socket.send(JSON.stringify(message));
  }
  socket.send(Buffer.from('stop-all'));
  socket.ping(); // what answers it, or ends the connection, has read all before it
  await within(Promise.race([closed, once(socket, 'pong')]), 10_000, 'the daemon has read the commands');
  socket.terminate();
  assert.equal(JSON.parse((await doer.ask('/api/sessions')).text).sessions.length, 1);
});

test('TEN-2: two tenants at random on the same names, through HTTP, each see what is their own', async (t) => {
  const operations = Number(process.env.TABARD_TENANT_OPS ?? 1500);
  const { a, b } = await two(t);
  const names = ['one', 'two', 'three', 'browser-1'];
  const model = new Map([[a, new Set()], [b, new Set()]]);
  let seed = 11;
  const pick = (list) => list[(seed = (seed * 48271) % 2147483647) % list.length];
  const deeds = {
    start: async (who, live, name) => {
      const begin = () => who.call('start_session', { sessionId: name });
      let reply = await begin();
      while (/was stopped by the (user|operator)/.test(reply.text)) reply = await begin(); // told once of each
      assert.equal(reply.isError, live.has(name), reply.text);
      live.add(name);
    },
    close: async (who, live, name) => {
      const reply = await who.ask(`/api/sessions/${name}/close`, { method: 'POST', body: {} });
      assert.ok(live.has(name) ? reply.status === 200 : [404, 410].includes(reply.status), reply.text);
      live.delete(name);
    },
    look: async (who, live, name) => {
      const { isError, text } = await who.call('browser_snapshot', { sessionId: name });
      assert.equal(!isError, live.has(name), text);
    },
    list: async (who, live) => {
      const { sessions } = JSON.parse((await who.ask('/api/sessions')).text);
      assert.deepEqual(sessions.map((session) => session.sessionId).sort(), [...live].sort());
    },
    stop: async (who, live) => {
      if (pick([0, 1, 2, 3, 4, 5, 6, 7]) > 0) return;
      assert.equal(JSON.parse((await who.ask('/api/stop-all', { method: 'POST', body: {} })).text).stopped, live.size);
      live.clear();
    },
  };
  for (let i = 0; i < operations; i++) {
    const who = pick([a, b]);
    await deeds[pick(Object.keys(deeds))](who, model.get(who), pick(names));
  }
});
