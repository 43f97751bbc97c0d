// SPDX-License-Identifier: Apache-2.0
// The octopus toolset: six tools, one browser session a conversation.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon } from '../support/daemon.mjs';
import { Site } from '../support/site.mjs';

const http = kinds[1];

async function setup(t, config) {
  const daemon = await Daemon.start(t, { config });
  const site = await Site.start(t);
  const agent = await Agent.connect(t, daemon, http, { toolset: 'octopus', headers: { 'x-conversation-id': 'c1' } });
  const call = async (name, args) => JSON.parse((await agent.call(name, args)).split('\n')[0]); // a note may follow
  return { daemon, site, agent, call };
}

async function sessions(t, daemon, conversation = 'observer') {
  const agent = await Agent.connect(t, daemon, http, { headers: { 'x-conversation-id': conversation } });
  return JSON.parse(await agent.call('list_sessions')).sessions;
}

test('exactly the six tools are there', async (t) => {
  const { agent } = await setup(t);
  const names = (await agent.client.listTools()).tools.map((tool) => tool.name).sort();
  assert.deepEqual(names, ['browser_click', 'browser_extract', 'browser_fill', 'browser_navigate', 'browser_screenshot', 'browser_wait']);
});

/** The same conversation with the default tools, for what the six cannot show. */
const companion = (t, daemon) => Agent.connect(t, daemon, http, { headers: { 'x-conversation-id': 'c1' } });

test('S0-01 S0-02 S0-20 S0-23 S0-26: the first navigate makes the conversation\'s session, later calls reuse it', async (t) => {
  const { daemon, site, agent, call } = await setup(t);
  assert.ok(JSON.parse(await agent.failure('browser_extract', { selector: 'h1' })).error, 'navigate comes first');
  assert.deepEqual(await sessions(t, daemon), []);
  const first = await call('browser_navigate', { url: `${site.url}/list` });
  assert.deepEqual(first, { url: `${site.url}/list`, title: 'List', status_code: 200, ok: true });
  assert.deepEqual((await call('browser_extract', { selector: 'h1' })).results, ['List']);
  const list = await sessions(t, daemon);
  assert.deepEqual(list.map(({ sessionId, type }) => [sessionId, type]), [['browser-1', 'browser']]);

  const other = await Agent.connect(t, daemon, http, { toolset: 'octopus', headers: { 'x-conversation-id': 'c2' } });
  await other.call('browser_navigate', { url: site.url });
  assert.equal((await sessions(t, daemon)).length, 2);
  assert.deepEqual((await call('browser_extract', { selector: 'h1' })).results, ['List']);
});

test('S0-19: calls that come at once make one session', async (t) => {
  const { daemon, site, call } = await setup(t);
  const urls = ['/', '/list', '/login', '/form'].map((path) => `${site.url}${path}`);
  const replies = await Promise.all(urls.map((url) => call('browser_navigate', { url })));
  assert.deepEqual(replies.map((reply) => reply.url), urls);
  assert.equal((await sessions(t, daemon)).length, 1);
});

test('S0-11 S0-17: id, tenant and times of a session are told and cannot be set', async (t) => {
  const { daemon, site, agent, call } = await setup(t);
  await call('browser_navigate', { url: site.url });
  const [before] = await sessions(t, daemon);
  await call('browser_extract', { selector: 'h1' });
  const [after] = await sessions(t, daemon);
  assert.equal(before.sessionId, 'browser-1');
  assert.equal(after.createdAt, before.createdAt);
  for (const text of [before.createdAt, before.lastActiveAt]) assert.equal(new Date(text).toISOString(), text, 'UTC');
  assert.ok(Date.parse(after.lastActiveAt) > Date.parse(before.lastActiveAt));
  await daemon.logged('name=browser-1 type=browser driver=cdp tenant=default');
  for (const name of ['sessionId', 'tenantId', 'createdAt', 'lastActiveAt']) {
    assert.match(await agent.failure('browser_navigate', { url: site.url, [name]: 'x' }), new RegExp(name));
  }
});

test('S0-14: each of the six tools acts on the session of its conversation', async (t) => {
  const { daemon, site, call } = await setup(t);
  await call('browser_navigate', { url: `${site.url}/form` });
  await call('browser_fill', { selector: '#name', value: 'Ann' });
  await call('browser_click', { selector: '#count' });
  await call('browser_wait', { selector: '#count' });
  await call('browser_screenshot', {});
  assert.deepEqual((await call('browser_extract', { selector: '#count' })).results, ['Clicked 1']);
  assert.deepEqual((await sessions(t, daemon)).map(({ calls, errors }) => [calls, errors]), [[6, 0]]);
});

test('S0-03 S0-04 S0-05 S0-06: history, cookies, storage and login persist across calls', async (t) => {
  const { daemon, site, call } = await setup(t);
  const more = await companion(t, daemon);
  await call('browser_navigate', { url: `${site.url}/login` });
  await more.call('browser_evaluate', { script: 'localStorage.setItem("kept", "yes"); document.cookie = "seen=1"' });
  await call('browser_fill', { selector: '#user', value: 'alice' });
  await call('browser_fill', { selector: '#password', value: 'x' });
  const clicked = await call('browser_click', { selector: '#login', wait_for_navigation: true });
  assert.deepEqual(clicked, { clicked: true, selector: '#login', current_url: `${site.url}/account` });
  await call('browser_navigate', { url: `${site.url}/list` });
  await call('browser_navigate', { url: `${site.url}/account` });
  assert.deepEqual(await call('browser_extract', { selector: 'h1' }), { count: 1, selector: 'h1', results: ['Hello alice'] });
  assert.match(site.seen.at(-1).cookie, /seen=1/);
  assert.match(await more.call('browser_evaluate', { script: 'localStorage.getItem("kept")' }), /"yes"/);
  await more.call('browser_navigate', { to: 'back' });
  assert.deepEqual((await call('browser_extract', { selector: 'h1' })).results, ['List']);
});

test('S0-12 S0-15: when the active page is closed the session gets a new one', async (t) => {
  const { daemon, site, call } = await setup(t);
  await call('browser_navigate', { url: `${site.url}/list` });
  const [before] = await sessions(t, daemon);
  await (await companion(t, daemon)).call('browser_tabs', { action: 'close' });
  assert.equal((await call('browser_navigate', { url: `${site.url}/login` })).title, 'Log in');
  assert.deepEqual((await call('browser_extract', { selector: 'h1' })).results, ['Log in']);
  const [after, ...others] = await sessions(t, daemon);
  assert.equal(after.createdAt, before.createdAt);
  assert.deepEqual(others, []);
});

test('S0-25: a page has 1280 by 720', async (t) => {
  const { site, call } = await setup(t);
  await call('browser_navigate', { url: site.url });
  const shot = await call('browser_screenshot', {});
  assert.equal(shot.width_px, 1280);
  assert.equal(shot.height_px, 720);
  assert.equal(shot.format, 'png');
  assert.equal(shot.size_bytes, Buffer.from(shot.base64, 'base64').length);
});

test('S0-16 S0-30: the time of a call comes from the configuration', async (t) => {
  const { site, agent } = await setup(t, 'browser:\n  timeout_ms: 1000\n');
  for (;;) { // it is also the time to open a browser, which a loaded machine may need twice
    const opened = await agent.raw('browser_navigate', { url: site.url });
    if (!opened.isError) break;
    assert.match(opened.content[0].text, /in time|\d+ ?ms/);
  }
  const began = Date.now();
  await agent.failure('browser_wait', { selector: '#nothing' });
  const took = Date.now() - began;
  assert.ok(took >= 500 && took < 10_000, `${took} ms`);
});

test('S0-24 S0-30: with or without a window is a matter of the configuration', async (t) => {
  const noScreen = { env: { DISPLAY: '', WAYLAND_DISPLAY: '' } };
  const site = await Site.start(t);
  for (const headless of [true, false]) {
    const daemon = await Daemon.start(t, { ...noScreen, config: `browser:\n  headless: ${headless}\n` });
    const agent = await Agent.connect(t, daemon, http, { toolset: 'octopus', headers: { 'x-conversation-id': 'c1' } });
    const opened = await agent.raw('browser_navigate', { url: site.url });
    assert.equal(opened.isError ?? false, !headless, opened.content[0].text);
    if (!headless) assert.match(opened.content[0].text, /a window needs a display.*DISPLAY/);
  }
});

test('S0-07 S0-28: an idle session is closed, the next navigate makes a new one', async (t) => {
  const { daemon, site, agent, call } = await setup(t, 'sessions:\n  octopus_idle_ms: 300\n');
  await call('browser_navigate', { url: `${site.url}/chat` });
  await daemon.logged('name=browser-1 reason=idle_timeout');
  await site.heardBy(0);
  assert.equal((await sessions(t, daemon)).length, 0);
  const said = await agent.call('browser_navigate', { url: site.url });
  assert.equal(JSON.parse(said.split('\n')[0]).ok, true);
  assert.match(said, /Session browser-1 ended after [3-9]\d\d milliseconds without a call; its cookies are gone\./);
});

test('S0-08 S0-09 S0-22 S0-29: a session over its maximum age is closed and made anew, however busy', async (t) => {
  const { daemon, site, agent } = await setup(t, 'sessions:\n  octopus_max_age_ms: 1500\n');
  for (const seen = new Set(); seen.size < 2;) {
    const said = await agent.raw('browser_navigate', { url: site.url });
    if (said.isError) assert.match(said.content[0].text, /ended|age/); // in the middle of the call
    for (const each of await sessions(t, daemon)) seen.add(each.sessionId);
  }
  await daemon.logged('name=browser-1 reason=max_age');
  assert.doesNotMatch(daemon.log.text, /idle_timeout/);
});

test('S0-10 S0-13 S0-18: the end of the conversation closes its session with all its pages', async (t) => {
  const daemon = await Daemon.start(t);
  const site = await Site.start(t);
  const agent = await Agent.connect(t, daemon, kinds[0], { toolset: 'octopus' });
  await agent.call('browser_navigate', { url: `${site.url}/chat` });
  await agent.call('browser_click', { selector: '#more' });
  await site.heardBy(2);
  assert.equal((await sessions(t, daemon)).length, 1);
  await agent.close();
  await daemon.logged('reason=conversation_ended');
  assert.equal((await sessions(t, daemon)).length, 0);
  await site.heardBy(0);
});

test('S0-27: without reuse each navigate gets a session of its own', async (t) => {
  const { daemon, site, call } = await setup(t, 'sessions:\n  reuse_within_conversation: false\n');
  await call('browser_navigate', { url: site.url });
  await call('browser_navigate', { url: site.url });
  assert.equal((await sessions(t, daemon)).length, 2);
});

test('a dialog is told, and dismissed by the next call', async (t) => {
  const { site, call } = await setup(t);
  await call('browser_navigate', { url: `${site.url}/alert` });
  const clicked = await call('browser_click', { selector: '#ask' });
  assert.equal(clicked.clicked, true);
  assert.deepEqual(clicked.dialog, { type: 'confirm', message: 'Really?', hint: 'The next call dismisses the dialog.' });
  assert.deepEqual(await call('browser_extract', { selector: '#ask' }),
    { count: 1, selector: '#ask', results: ['Ask'], dialogs_dismissed: [{ type: 'confirm', message: 'Really?' }] });
  assert.deepEqual(await call('browser_extract', { selector: 'title' }), { count: 1, selector: 'title', results: ['false'] });
});

test('results and errors have the documented shapes', async (t) => {
  const { site, agent, call } = await setup(t);
  await call('browser_navigate', { url: `${site.url}/form` });
  const long = 'x'.repeat(80);
  assert.deepEqual(await call('browser_fill', { selector: '#name', value: long }),
    { filled: true, selector: '#name', value: `${'x'.repeat(50)}...` });
  const json = await call('browser_extract', { selector: '#name', format: 'json' });
  assert.equal(json.results[0].attributes.id, 'name');
  const html = await call('browser_extract', { selector: '#agree', format: 'html' });
  assert.match(html.results[0], /^<input/);
  assert.deepEqual(await call('browser_wait', { selector: '#name' }), { found: true, selector: '#name', state: 'visible' });
  const missing = JSON.parse(await agent.failure('browser_wait', { selector: '#nothing', timeout_ms: 200 }));
  assert.equal(missing.error, "Selector '#nothing' not found.");
  const status = await call('browser_navigate', { url: `${site.url}/missing` });
  assert.deepEqual([status.status_code, status.ok], [404, false]);
});

test('DEC-13: a redirect leads nowhere that is not on the list', async (t) => {
  const { site, agent } = await setup(t, 'octopus:\n  allowed_domains: ["127.0.0.1"]\n  private_networks: allow\n');
  const { hostname, port } = new URL(site.url);
  assert.equal(hostname, '127.0.0.1');
  const server = createServer((req, res) => res.writeHead(302, { location: `http://localhost:${port}/list` }).end()).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await once(server, 'listening');
  const reply = await agent.failure('browser_navigate', { url: `http://127.0.0.1:${server.address().port}/` });
  assert.match(reply, /"error":"Navigation blocked"[^]*localhost:\d+ is not in allow_domains of the toolset's allowlist/);
  assert.equal(JSON.parse((await agent.call('browser_navigate', { url: `${site.url}/list` })).split('\n')[0]).title, 'List', 'at once');
});

test('S0-01 S0-20: as a tool server of its own: a list, and a call for each request', async (t) => {
  const daemon = await Daemon.start(t);
  const site = await Site.start(t);
  const ask = async (method, target, body, { episode = 'e1', auth = true, type = 'application/json' } = {}) => {
    const reply = await daemon.request(target, {
      method, auth, body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
      headers: { ...(body === undefined ? {} : { 'content-type': type }), 'x-octopus-tenant-id': 'T-1', 'x-octopus-correlation-id': episode },
    });
    return { status: reply.status, json: JSON.parse(reply.text) };
  };
  const call = async (name, args, options) => ask('POST', `/tool/browser_${name}/call`, args, options);
  const list = await ask('GET', '/tools');
  assert.deepEqual(list.json.map(({ name }) => name).sort(), ['browser_click', 'browser_extract', 'browser_fill', 'browser_navigate', 'browser_screenshot', 'browser_wait']);
  assert.ok(list.json.every((tool) => tool.description && tool.inputSchema.type === 'object'));
  const url = `${site.url}/list`;
  assert.deepEqual(await call('navigate', { url }), { status: 200, json: { url, title: 'List', status_code: 200, ok: true } });
  assert.deepEqual((await call('extract', { selector: 'h1' })).json.results, ['List']);
  assert.match((await call('extract', { selector: 'h1' }, { episode: 'e2' })).json.message, /Navigate must come first/, 'another episode');
  assert.deepEqual(await call('fill', { selector: '#none', value: 'x' }, { episode: 'e2' }).then(({ status }) => status), 200, 'an outcome, told as one');
  const long = await call('extract', { selector: '*', format: 'json', limit: 200 });
  assert.ok(JSON.stringify(long.json).length > 8000, 'whatever is cut is cut by who asked');
  assert.equal(Buffer.from((await call('screenshot', {})).json.base64, 'base64').toString('latin1', 1, 4), 'PNG');
  assert.deepEqual(await call('navigate', {}), { status: 422, json: { error: 'validation_error', message: "argument 'url' is missing. Known arguments: url, wait_until, timeout_ms", field: 'url' } });
  const statuses = await Promise.all([call('navigate', '{'), call('navigate', {}, { auth: false }), call('nothing', {}), call('navigate', 'x', { type: 'text/plain' }), ask('GET', '/tool/x'), ask('PUT', '/tools', {})]);
  assert.deepEqual(statuses.map(({ status, json }) => [status, json.error]), [[422, 'validation_error'], [401, 'unauthorized'], [404, 'not_found'], [415, 'validation_error'], [404, 'not_found'], [405, 'method_not_allowed']]);
  assert.ok(statuses.every(({ json }) => json.message));
  const health = await daemon.request('/health');
  assert.deepEqual(Object.keys(JSON.parse(health.text)), ['status', 'version']);
});

test('as a tool server, too many calls are told when to come again', async (t) => {
  const daemon = await Daemon.start(t, { config: 'limits:\n  calls_per_minute_per_key: 1\n' });
  const ask = () => daemon.request('/tool/browser_extract/call', { method: 'POST', auth: true, body: '{"selector":"h1"}', headers: { 'content-type': 'application/json' } });
  await ask();
  const { status, text } = await ask();
  assert.equal(status, 429);
  assert.ok(JSON.parse(text).retry_after >= 1);
});
