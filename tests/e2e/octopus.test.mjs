// SPDX-License-Identifier: Apache-2.0
// The octopus toolset: six tools, one browser session a conversation (acceptance S0-01 to S0-30).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon } from '../support/daemon.mjs';
import { Site } from '../support/site.mjs';

const http = kinds[1];

async function setup(t, config) {
  const daemon = await Daemon.start(t, { config });
  const site = await Site.start(t);
  const agent = await Agent.connect(t, daemon, http, { toolset: 'octopus', headers: { 'x-conversation-id': 'c1' } });
  const call = async (name, args) => JSON.parse(await agent.call(name, args));
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

test('S0-01 S0-02 S0-19 S0-20 S0-23 S0-26: the first navigate makes the conversation\'s session, later calls reuse it', async (t) => {
  const { daemon, site, call } = await setup(t);
  const first = await call('browser_navigate', { url: `${site.url}/list` });
  assert.deepEqual(first, { url: `${site.url}/list`, title: 'List', status_code: 200, ok: true });
  await call('browser_extract', { selector: 'h1' });
  const list = await sessions(t, daemon);
  assert.equal(list.length, 1);
  assert.equal(list[0].type, 'browser');
});

test('S0-03 S0-04 S0-05 S0-06: history, cookies, storage and login persist across calls', async (t) => {
  const { site, agent, call } = await setup(t);
  await call('browser_navigate', { url: `${site.url}/login` });
  await call('browser_fill', { selector: '#user', value: 'alice' });
  await call('browser_fill', { selector: '#password', value: 'x' });
  const clicked = await call('browser_click', { selector: '#login', wait_for_navigation: true });
  assert.deepEqual(clicked, { clicked: true, selector: '#login', current_url: `${site.url}/account` });
  await call('browser_navigate', { url: `${site.url}/list` });
  await call('browser_navigate', { url: `${site.url}/account` });
  assert.deepEqual(await call('browser_extract', { selector: 'h1' }), { count: 1, selector: 'h1', results: ['Hello alice'] });
  assert.ok(agent);
});

test('S0-25 S0-24 S0-30: a headless page of 1280 by 720', async (t) => {
  const { site, call } = await setup(t);
  await call('browser_navigate', { url: site.url });
  const shot = await call('browser_screenshot', {});
  assert.equal(shot.width_px, 1280);
  assert.equal(shot.height_px, 720);
  assert.equal(shot.format, 'png');
  assert.equal(shot.size_bytes, Buffer.from(shot.base64, 'base64').length);
});

test('S0-07 S0-28: an idle session is closed, the next navigate makes a new one', async (t) => {
  const { daemon, site, call } = await setup(t, 'sessions:\n  conversation_idle_ms: 300\n');
  await call('browser_navigate', { url: site.url });
  await daemon.logged('reason=idle_timeout');
  assert.equal((await sessions(t, daemon)).length, 0);
  assert.equal((await call('browser_navigate', { url: site.url })).ok, true);
});

test('S0-08 S0-09 S0-22 S0-29: a session over its maximum age is closed and made anew', async (t) => {
  const { daemon, site, call } = await setup(t, 'sessions:\n  conversation_max_age_ms: 3000\n');
  await call('browser_navigate', { url: `${site.url}/login` });
  await daemon.logged('reason=max_age');
  assert.equal((await call('browser_navigate', { url: site.url })).ok, true);
});

test('S0-10 S0-13 S0-18: the end of the conversation closes its session', async (t) => {
  const daemon = await Daemon.start(t);
  const site = await Site.start(t);
  const agent = await Agent.connect(t, daemon, kinds[0], { toolset: 'octopus' });
  await agent.call('browser_navigate', { url: site.url });
  assert.equal((await sessions(t, daemon)).length, 1);
  await agent.close();
  await daemon.logged('reason=conversation_ended');
  assert.equal((await sessions(t, daemon)).length, 0);
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
