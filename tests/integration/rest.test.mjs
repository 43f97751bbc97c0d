// SPDX-License-Identifier: Apache-2.0
// REST: sessions, tools of the build and of pages, problems, the description of it all, and requests that come twice.
import { Validator } from '@seriousme/openapi-schema-validator';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Page, echo } from '../support/btcp.mjs';
import { Daemon, fixtures, run, until } from '../support/daemon.mjs';
import { makeKey } from '../support/keys.mjs';
import { Description, rest } from '../support/rest.mjs';

const SECOND = 1000;

async function pageOf(t, daemon, tools = [echo]) {
  const page = await Page.connect(t, daemon);
  page.session = (await page.ask('session/create', {})).sessionId;
  await page.ask('tools/register', { tools });
  return page;
}

test('the description is one of OpenAPI, and has every route', async (t) => {
  const daemon = await Daemon.start(t);
  const { document } = await Description.of(daemon);
  const verdict = await new Validator().validate(structuredClone(document));
  assert.deepEqual(verdict, { valid: true });
  const routes = JSON.parse((await run(['routes', '--json'])).stdout).filter(({ path }) => path.startsWith('/api/') && path !== '/api/events');
  for (const { method, path } of routes) assert.ok(document.paths[path]?.[method.toLowerCase()], `${method} ${path}`);
  const ids = Object.values(document.paths).flatMap((path) => Object.values(path).map(({ operationId }) => operationId));
  assert.equal(new Set(ids.map((id) => id.replaceAll('_', '').toLowerCase())).size, ids.length, 'each operation has a name of its own, however it is written');
  const { tools } = (await rest(daemon, 'GET', '/api/tools')).json;
  for (const { name, inputSchema } of tools) {
    assert.ok(document.paths[`/api/tools/${name}`].post);
    assert.deepEqual(document.components.schemas[`Arguments_${name}`], inputSchema, name);
  }
});

/** What is sent to a route so that it has something to say. */
const bodies = {
  'POST /api/sessions': { sessionId: 'second' }, 'POST /api/tools/{tool}': {}, 'POST /api/sessions/{id}/tools/{tool}': { target: 'e1' },
  'POST /api/keys': { tenant: 'acme', scopes: 'act' }, 'PUT /api/policy/{tenant}': { block_domains: ['x.example'] },
  'POST /api/policy/{tenant}/check': { url: 'https://x.example/' }, 'POST /api/approvals/{id}': { approve: true },
  'PUT /api/secrets/{id}': { value: 'long enough', domains: ['example.com'] }, 'POST /api/audit/clear': { confirm: true },
};
const parts = {
  'POST /api/tools/{tool}': { tool: 'list_sessions' }, 'POST /api/sessions/{id}/tools/{tool}': { tool: 'browser_click' },
  'POST /api/conversations/{id}/close': { id: 'talk' }, 'GET /api/policy/{tenant}': { tenant: 'acme' }, 'PUT /api/policy/{tenant}': { tenant: 'acme' },
  'DELETE /api/policy/{tenant}': { tenant: 'acme' }, 'POST /api/policy/{tenant}/check': { tenant: 'acme' },
};
const order = (route) => ['close', 'stop-all', 'clear', 'DELETE'].findIndex((word) => `${route.method} ${route.path}`.includes(word));

test('each route answers as the description says, well and badly', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const description = await Description.of(daemon);
  const routes = JSON.parse((await run(['routes', '--json'])).stdout).filter(({ path }) => path.startsWith('/api/') && path !== '/api/events');
  assert.equal((await rest(daemon, 'POST', '/api/sessions', { sessionId: 'one' })).json.ok, true);
  assert.equal((await rest(daemon, 'POST', '/api/tools/browser_navigate', { url: 'http://a.test/' }, { headers: { 'x-conversation-id': 'talk' } })).json.ok, true);
  const reply = { status: 200, type: 'application/json', json: {}, text: '{}' };
  assert.throws(() => description.check('GET', '/api/limits', reply), /must have required property 'key'/, 'it would be noticed');
  const good = new Set();
  for (const route of routes.sort((a, b) => order(a) - order(b))) {
    const name = `${route.method} ${route.path}`;
    const takes = ['POST', 'PUT'].includes(route.method);
    const target = route.path.replace(/\{(\w+)\}/g, (_, part) => parts[name]?.[part] ?? 'one');
    const reply = await rest(daemon, route.method, target, takes ? bodies[name] ?? {} : undefined);
    description.check(route.method, target, reply);
    if (reply.status < 300) good.add(name);
    const wrong = await rest(daemon, route.method, route.path.replace(/\{(\w+)\}/g, 'nobody'), takes ? { nonsense: 1 } : undefined);
    description.check(route.method, route.path.replace(/\{(\w+)\}/g, 'nobody'), wrong);
    const refused = await rest(daemon, route.method, target, takes ? {} : undefined, { key: 'wrong' });
    assert.ok([401, 429].includes(refused.status), 'who guesses often waits');
    description.check(route.method, target, refused);
  }
  const bad = routes.map(({ method, path }) => `${method} ${path}`).filter((name) => !good.has(name));
  assert.deepEqual(bad.sort(), ['DELETE /api/keys/{id}', 'DELETE /api/sessions/{id}', 'POST /api/approvals/{id}'], 'the others have answered well');
});

test('a problem says what it is, in one form', async (t) => {
  const daemon = await Daemon.start(t);
  const problems = await Promise.all([
    rest(daemon, 'GET', '/api/nothing'), rest(daemon, 'GET', '/api/sessions/nobody'), rest(daemon, 'PATCH', '/api/sessions'),
    rest(daemon, 'POST', '/api/tools/nothing', {}), rest(daemon, 'POST', '/api/tools/browser_click', { nonsense: 1 }), rest(daemon, 'POST', '/api/tools/browser_click', '{'),
    rest(daemon, 'POST', '/api/tools/browser_click', {}, { headers: { 'content-type': 'text/plain' } }), rest(daemon, 'GET', '/api/sessions', undefined, { key: 'x' }),
  ]);
  assert.deepEqual(problems.map(({ status }) => status), [404, 404, 405, 404, 400, 400, 415, 401]);
  for (const { status, type, json } of problems) {
    assert.equal(type, 'application/problem+json');
    assert.deepEqual([json.status, json.type, json.detail], [status, `urn:tabard:error:${json.error.code}`, json.error.message]);
    assert.ok(json.title && json.error.hint);
  }
});

test('a page\'s tools are called by REST, their results as the page wrote them', async (t) => {
  const daemon = await Daemon.start(t);
  const page = await pageOf(t, daemon);
  const call = (args) => rest(daemon, 'POST', `/api/sessions/${page.session}/tools/echo`, args);
  page.handle = ({ arguments: given }) => ({ given, n: 1e400 });
  assert.deepEqual((await call({ text: 'hällo' })).json.data, { given: { text: 'hällo' }, n: null });
  assert.equal((await call('{"text":"\\u0000\\ud800","n":123456789012345678901234567890123456789012345678901234567890123456789}')).status, 200, 'what no tree can hold');
  page.handle = () => ({ content: [{ type: 'text', text: 'no' }], isError: true });
  const failed = await call({});
  assert.deepEqual([failed.status, failed.json.data], [200, { content: [{ type: 'text', text: 'no' }], isError: true }]);
  const { tools } = (await rest(daemon, 'GET', `/api/tools?session=${page.session}`)).json;
  assert.deepEqual(tools.find(({ name }) => name === 'echo'), echo);
  assert.ok(!(await rest(daemon, 'GET', '/api/tools')).json.tools.some(({ name }) => name === 'echo'));
  assert.equal((await rest(daemon, 'GET', '/api/tools?session=nobody')).status, 404);
  page.socket.terminate();
  await until(async () => (await call({})).status === 503, 10 * SECOND, 'it is away');
});

test('a key calls what its scopes allow, and sees as much', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const [act, observe] = [await makeKey(daemon, { tenant: 'acme', scopes: 'act' }), await makeKey(daemon, { tenant: 'acme', scopes: 'observe' })];
  const { key } = observe;
  assert.equal((await rest(daemon, 'POST', '/api/sessions', { sessionId: 'mine' }, { key: act.key })).json.ok, true);
  assert.equal((await rest(daemon, 'POST', '/api/sessions', {}, { key })).json.error.code, 'missing_scope');
  assert.equal((await rest(daemon, 'POST', '/api/sessions/mine/tools/browser_snapshot', {}, { key })).json.ok, true);
  assert.equal((await rest(daemon, 'POST', '/api/sessions/mine/tools/browser_click', { target: 'e1' }, { key })).status, 403);
  const names = (await rest(daemon, 'GET', '/api/tools', undefined, { key })).json.tools.map(({ name }) => name);
  assert.ok(names.includes('browser_snapshot') && !names.includes('browser_click'));
  assert.equal((await rest(daemon, 'GET', '/api/audit', undefined, { key })).status, 403);
  assert.equal((await rest(daemon, 'POST', '/api/sessions/mine/hold', {}, { key })).status, 403);
  assert.equal((await rest(daemon, 'GET', '/api/sessions/mine')).status, 404, 'nor is it there for others');
  const { json } = await rest(daemon, 'GET', '/api/limits', undefined, { key: act.key });
  assert.deepEqual([json.tenant, json.key.id, json.key.scopes, json.sessions.used], ['acme', act.id, ['observe', 'act'], 1]);
});

test('the audit log is read by those whose it is', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const { key } = await makeKey(daemon, { tenant: 'acme', scopes: 'act,admin' });
  await rest(daemon, 'POST', '/api/sessions', { sessionId: 'theirs' }, { key });
  await rest(daemon, 'POST', '/api/sessions', { sessionId: 'ours' });
  const names = async (query, options) => (await rest(daemon, 'GET', `/api/audit?${query}`, undefined, options)).json.entries.map(({ session }) => session);
  assert.deepEqual(await names('type=session_started'), ['ours', 'theirs']);
  assert.deepEqual(await names('type=session_started&after=0'), ['theirs', 'ours'], 'oldest first');
  assert.deepEqual(await names('type=session_started', { key }), ['theirs']);
  assert.deepEqual(await names('type=session_started&tenant=acme'), ['theirs']);
  assert.deepEqual(await names('since=1h&limit=1&tool=start_session'), ['ours']);
  assert.equal((await rest(daemon, 'GET', '/api/audit?tenant=default', undefined, { key })).status, 403);
  assert.equal((await rest(daemon, 'GET', '/api/audit?type=nonsense')).status, 400);
  assert.equal((await rest(daemon, 'GET', '/api/audit?since=yesterday')).status, 400);
});

test('after kill -9 a request that was under way is never done again, and one that was answered is told again', async (t) => {
  let daemon = await Daemon.start(t);
  let page = await pageOf(t, daemon);
  let calls = 0;
  const headers = { 'idempotency-key': 'pay 1' };
  const call = (more = {}) => rest(daemon, 'POST', `/api/sessions/${page.session}/tools/echo`, { text: 'pay' }, { headers: { ...headers, ...more } });
  page.handle = () => { calls++; return new Promise(() => {}); };
  const cut = call().catch(() => 'cut off');
  await until(() => calls === 1, 10 * SECOND, 'the call');
  assert.equal((await call()).json.error.code, 'request_in_progress');
  const { session } = page;
  page.handle = () => { calls++; return 'paid'; };
  assert.deepEqual((await call({ 'idempotency-key': 'pay 2' })).json.data, 'paid');
  await daemon.kill();
  assert.equal(await cut, 'cut off');
  daemon = await Daemon.start(t, { dir: daemon.dir });
  page = await Page.connect(t, daemon);
  page.session = (await page.ask('session/create', { sessionId: session })).sessionId;
  await page.ask('tools/register', { tools: [echo] });
  page.handle = () => { calls++; return 'paid again'; };
  const unknown = await call();
  assert.deepEqual([unknown.status, unknown.json.error.code], [409, 'outcome_unknown']);
  const told = await call({ 'idempotency-key': 'pay 2' });
  assert.deepEqual([told.json.data, told.headers['idempotency-replayed']], ['paid', 'true']);
  assert.equal(calls, 2);
  assert.equal((await call({ 'idempotency-key': 'pay 3' })).json.data, 'paid again');
});
