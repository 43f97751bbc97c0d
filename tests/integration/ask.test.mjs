// SPDX-License-Identifier: Apache-2.0
// Calls that need a person's approval, where the client can ask its user: by elicitation on the call's stream (legacy), by
// input_required and a second call (modern). Whoever administers the tenant can decide at the same time; the first one counts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, fixtures, run, until, within } from '../support/daemon.mjs';
import { as, makeKey, revokeKey } from '../support/keys.mjs';
import { Stdio, Stream, initialize, modernMeta, post, postModern, request } from '../support/mcp.mjs';

const WAIT_MS = 10_000;
const ASK = 'policy:\n  ask: [browser_navigate, browser_click]\n';
const URL = 'https://a.test/path?secret=1';
const CAN = modernMeta({ elicitation: {} });

const begin = (t, more = '') => Daemon.start(t, { program: fixtures, config: ASK + more });
const json = (reply) => JSON.parse(reply.text);
const pending = async (daemon) => json(await daemon.request('/api/approvals', { auth: true })).approvals;
const decide = (daemon, id, approve) => daemon.request(`/api/approvals/${id}`, {
  method: 'POST', auth: true, headers: { 'content-type': 'application/json' }, body: JSON.stringify({ approve }),
});
const words = (result) => result.content.map((item) => item.text ?? '').join('\n');
const navigate = (daemon, { more = {}, headers = {}, meta = CAN, ...options } = {}) => postModern(daemon, 'tools/call',
  { name: 'browser_navigate', arguments: { url: URL }, ...more }, { meta, headers: { 'x-conversation-id': 'c', ...headers }, ...options });

const audit = async (daemon) => (await run(['audit', 'export', '--state-dir', daemon.stateDir])).stdout.split('\n');

async function theOne(daemon) {
  let list;
  await until(async () => (list = await pending(daemon)).length > 0, WAIT_MS, 'an approval');
  return list[0].id;
}

for (const kind of kinds) {
  const name = `${kind.sdk} ${kind.era} over ${kind.transport}`;
  test(`${name}: the client's user is asked, and the answer decides`, async (t) => {
    const daemon = await begin(t);
    const asked = [];
    let action = 'accept';
    const agent = await Agent.connect(t, daemon, kind, {
      user: (ask) => { asked.push(ask.params.message); return action === 'accept' ? { action, content: {} } : { action }; },
    });
    await agent.call('browser_navigate', { url: URL });
    assert.deepEqual(asked, ['The agent wants to use the tool "browser_navigate", with the address "https://a.test/path". Allow it?']);
    await agent.call('browser_click', { target: 'e1' });
    assert.match(asked[1], /^The agent wants to use the tool "browser_click" in session "browser-1", which is at "https:\/\/a\.test\/path"\. Allow it\?$/);
    for (action of ['decline', 'cancel']) {
      assert.match(await agent.failure('browser_click', { target: 'e1' }), /browser_click needs a person's approval, and it was refused/, action);
    }
    assert.equal(asked.length, 4);
    assert.deepEqual(await pending(daemon), []);
    let decided;
    await until(async () => (decided = (await audit(daemon)).filter((entry) => entry.includes('approval_decided'))).length === 4, WAIT_MS, 'the records');
    for (const entry of decided) assert.match(entry, /"agent":"client"/);
  });

  test(`${name}: whoever administers the tenant may be faster, and a late answer changes nothing`, async (t) => {
    const daemon = await begin(t);
    let answer;
    const agent = await Agent.connect(t, daemon, kind, { user: () => new Promise((resolve) => { answer = resolve; }) });
    const call = agent.raw('browser_navigate', { url: URL });
    await until(() => answer, WAIT_MS, 'the question');
    assert.equal((await decide(daemon, await theOne(daemon), false)).status, 200);
    assert.deepEqual(await pending(daemon), [], 'it is decided');
    if (kind.era === 'legacy') await call;
    answer({ action: 'accept', content: {} });
    const result = await within(call, WAIT_MS, 'the call');
    assert.equal(result.isError, true);
    assert.match(words(result), /needs a person's approval, and it was refused/);
  });
}

test('the steps of a sequence are asked for one by one, in both eras', async (t) => {
  const daemon = await begin(t);
  for (const kind of kinds) {
    let count = 0;
    const agent = await Agent.connect(t, daemon, kind, { user: () => ({ action: ++count < 3 ? 'accept' : 'decline', content: {} }) });
    await agent.call('browser_navigate', { url: URL });
    const click = { action: 'browser_click', target: 'e1' };
    const text = words(await agent.raw('execute_sequence', { actions: [click, click, { action: 'browser_scroll' }] }));
    assert.match(text, /was refused/, kind.era);
    assert.equal(count, 3, kind.era);
    await agent.close();
  }
});

test('a client that cannot ask, or may not be asked, waits for those who administer the tenant', async (t) => {
  for (const [config, meta] of [['', modernMeta()], ['', modernMeta({ elicitation: { url: {} } })], ['  ask_client: false\n', CAN]]) {
    const daemon = await begin(t, config);
    const call = navigate(daemon, { meta });
    assert.equal((await decide(daemon, await theOne(daemon), true)).status, 200);
    const { json: reply, events } = await call;
    assert.equal((reply ?? events.at(-1).message).result.resultType, 'complete');
  }
});

test('modern: only the caller comes back for its call, with the same call, and once', async (t) => {
  const daemon = await begin(t);
  const { result } = (await navigate(daemon)).json;
  assert.equal(result.resultType, 'input_required');
  assert.equal(result.inputRequests.approval.method, 'elicitation/create');
  const more = (action) => ({ requestState: result.requestState, inputResponses: { approval: { action } } });
  const refused = (reply) => assert.match(reply.text, /requestState names no question of this call that is still open/);
  const other = await makeKey(daemon, { tenant: 'default', scopes: 'act' });
  refused(await navigate(as(daemon, other.key), { more: more('accept') }));
  refused(await navigate(daemon, { more: { ...more('accept'), arguments: { url: 'https://b.test/' } } }));
  refused(await navigate(daemon, { more: { ...more('accept'), requestState: `${result.requestState.slice(0, -2)}xx` } }));
  assert.equal((await pending(daemon)).length, 1, 'nothing was decided by that');
  const again = (await navigate(daemon, { more: { requestState: result.requestState, inputResponses: { something: {} } } })).json.result;
  assert.equal(again.resultType, 'input_required', 'without an answer it is asked again');
  refused(await navigate(daemon, { more: more('accept') }));
  const last = await navigate(daemon, { more: { requestState: again.requestState, inputResponses: { approval: { action: 'accept' } } } });
  assert.equal((last.json ?? last.events.at(-1).message).result.isError ?? false, false, last.text);
  refused(await navigate(daemon, { more: { requestState: again.requestState, inputResponses: { approval: { action: 'accept' } } } }));
  for (const response of [{ action: 5 }, {}, { action: 'ACCEPT' }]) {
    const { requestState } = (await navigate(daemon)).json.result;
    assert.match((await navigate(daemon, { more: { requestState, inputResponses: { approval: response } } })).text, /it was refused/, JSON.stringify(response));
  }
});

test('modern: what nobody comes back for is not done, also if it was approved', async (t) => {
  const daemon = await begin(t, '  ask_ms: 1500\n');
  const left = (await navigate(daemon)).json.result;
  await decide(daemon, await theOne(daemon), true);
  await until(async () => (await audit(daemon)).some((entry) => entry.includes('denied_by_policy')), WAIT_MS, 'the end of the call');
  const late = await navigate(daemon, { more: { requestState: left.requestState, inputResponses: { approval: { action: 'accept' } } } });
  assert.match(late.text, /still open/);
  assert.equal(json(await daemon.request('/api/sessions', { auth: true })).sessions.length, 0, 'no session was started');
  const soon = (await navigate(daemon)).json.result;
  await decide(daemon, await theOne(daemon), true);
  const back = await navigate(daemon, { more: { requestState: soon.requestState, inputResponses: { approval: { action: 'decline' } } } });
  assert.equal((back.json ?? back.events.at(-1).message).result.isError ?? false, false, 'the first answer counts');
});

test('modern: a client that leaves while it waits, and a key that is revoked, leave nothing behind', async (t) => {
  const daemon = await begin(t);
  const { id, key } = await makeKey(daemon, { tenant: 'default', scopes: 'act' });
  assert.equal((await navigate(as(daemon, key))).json.result.resultType, 'input_required');
  assert.equal((await pending(daemon)).length, 1);
  await revokeKey(daemon, id);
  await until(async () => (await pending(daemon)).length === 0, WAIT_MS, 'the end of its question');
  await navigate(daemon); /* and the daemon stops with that one open */
  assert.equal((await pending(daemon)).length, 1);
});

test('legacy: a question is withdrawn, an answer counts once, an error is none, and a client that goes takes its call along', async (t) => {
  const daemon = await begin(t);
  const agent = new Stdio(t, daemon);
  const hello = initialize();
  hello.params.capabilities = { elicitation: {} };
  agent.send(hello);
  await agent.next();
  agent.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const call = (number) => agent.send(request(number, 'tools/call', { name: 'browser_navigate', arguments: { url: URL } }));

  call(1);
  const first = await agent.next();
  assert.equal(first.method, 'elicitation/create');
  await decide(daemon, await theOne(daemon), true);
  const withdrawn = await agent.next();
  assert.deepEqual([withdrawn.method, withdrawn.params.requestId], ['notifications/cancelled', first.id]);
  assert.equal((await agent.next()).id, 1);
  agent.send({ jsonrpc: '2.0', id: first.id, result: { action: 'decline' } });

  call(2);
  const second = await agent.next();
  agent.send({ jsonrpc: '2.0', id: second.id, error: { code: -32601, message: 'cannot ask' } });
  await decide(daemon, await theOne(daemon), true);
  assert.equal((await agent.next()).id, 2, 'others decide');

  call(3);
  const third = await agent.next();
  for (const action of ['decline', 'accept']) agent.send({ jsonrpc: '2.0', id: third.id, result: { action } });
  const reply = await agent.next();
  assert.equal(reply.id, 3);
  assert.match(words(reply.result), /was refused/);

  call(4);
  assert.equal((await agent.next()).method, 'elicitation/create');
  assert.equal((await pending(daemon)).length, 1);
  agent.child.stdin.end();
  agent.child.kill();
  await until(async () => (await pending(daemon)).length === 0, WAIT_MS, 'the end of its call');
});

test('legacy: a client that reads no events is not asked', async (t) => {
  const daemon = await begin(t);
  const hello = initialize();
  hello.params.capabilities = { elicitation: {} };
  const started = await post(daemon, hello);
  const headers = { 'mcp-session-id': started.headers['mcp-session-id'], 'mcp-protocol-version': '2025-11-25' };
  const call = post(daemon, request(1, 'tools/call', { name: 'browser_navigate', arguments: { url: URL } }), { headers: { ...headers, accept: 'application/json' } });
  await decide(daemon, await theOne(daemon), true);
  assert.equal((await call).json.result.isError ?? false, false);
  const stream = await Stream.open(t, daemon, { headers, message: request(2, 'tools/call', { name: 'browser_navigate', arguments: { url: URL } }) });
  await stream.until('elicitation/create');
  await daemon.request('/mcp', { method: 'DELETE', auth: true, headers });
  await until(async () => (await pending(daemon)).length === 0, WAIT_MS, 'the end of its call');
});

test('a call without a time of its own may wait for a person longer than for a page', async (t) => {
  const daemon = await begin(t, 'browser:\n  navigation_timeout_ms: 300\n  timeout_ms: 300\n');
  const { result } = (await navigate(daemon)).json;
  await until(async () => (await pending(daemon))[0].expiresInMs < 120_000 - 600, WAIT_MS, 'more than the usual time');
  const back = await navigate(daemon, { more: { requestState: result.requestState, inputResponses: { approval: { action: 'accept' } } } });
  assert.equal((back.json ?? back.events.at(-1).message).result.isError ?? false, false, back.text);
});
