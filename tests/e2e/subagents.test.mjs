// SPDX-License-Identifier: Apache-2.0
// Several agents on one daemon: the patterns of docs/sub-agents.md, as they stand there.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, root } from '../support/daemon.mjs';
import { Site } from '../support/site.mjs';

const [stdio, http, , modern] = kinds;

async function setup(t) {
  const daemon = await Daemon.start(t);
  return { daemon, site: await Site.start(t), parent: await Agent.connect(t, daemon, stdio) };
}

async function logIn(agent, sessionId, user) {
  await agent.call('browser_fill_form', { sessionId, fields: [{ target: '#user', value: user }, { target: '#password', value: 'x' }] });
  await agent.call('browser_click', { sessionId, target: '#login' });
}

const names = async (agent) => JSON.parse(await agent.call('list_sessions')).sessions.map((session) => session.sessionId);

test('S1-01 S1-05 S1-27: the parent creates, the children use, the parent goes on', async (t) => {
  const { daemon, site, parent } = await setup(t);
  const users = { 'user-a': 'alice', 'user-b': 'bob' };
  for (const sessionId of Object.keys(users)) await parent.call('start_session', { sessionId, url: `${site.url}/login` });
  const children = [await Agent.connect(t, daemon, http), await Agent.connect(t, daemon, modern)];
  await Promise.all(Object.entries(users).map(([sessionId, user], i) => logIn(children[i], sessionId, user)));
  for (const [sessionId, user] of Object.entries(users)) {
    assert.match(await parent.call('browser_extract', { sessionId, target: 'h1' }), new RegExp(`Hello ${user}`));
  }
  assert.match(await parent.call('close_all_sessions'), /2/);
  assert.deepEqual(await names(children[0]), []);
});

test('S1-05: what one agent makes current is not current for another', async (t) => {
  const { daemon, parent } = await setup(t);
  for (const sessionId of ['a', 'b']) await parent.call('start_session', { sessionId });
  const child = await Agent.connect(t, daemon, http);
  assert.match(await child.failure('browser_snapshot'), /No session: none is current\. There are: a, b, of other agents;/);
  await child.call('set_current_session', { sessionId: 'a' });
  await child.call('browser_evaluate', { script: 'document.title = "of the child"' });
  assert.doesNotMatch(await parent.call('browser_evaluate', { script: 'document.title' }), /of the child/);
  assert.match(await parent.call('browser_evaluate', { sessionId: 'a', script: 'document.title' }), /of the child/);
});

test('close_all_sessions closes those of others only when asked to, and private ones never', async (t) => {
  const { daemon, parent } = await setup(t);
  const child = await Agent.connect(t, daemon, stdio);
  await parent.call('start_session', { sessionId: 'of-parent' });
  await child.call('start_session', { sessionId: 'of-child' });
  await child.call('start_session', { sessionId: 'hidden', private: true });
  const alive = async (sessionId) => assert.match(await child.call('browser_evaluate', { sessionId, script: '6 * 7' }), /42/);
  assert.deepEqual(await names(parent), ['of-parent', 'of-child']);
  assert.deepEqual((await names(child)).sort(), ['hidden', 'of-child', 'of-parent']);
  for (const name of ['browser_snapshot', 'set_current_session', 'close_session']) {
    assert.match(await parent.failure(name, { sessionId: 'hidden' }), /No session: hidden/);
  }
  assert.match(await parent.call('close_all_sessions'), /^Closed 1 session\.$/);
  await alive('of-child');
  assert.match(await parent.call('close_all_sessions', { everyone: true }), /^Closed 1 session\.$/);
  assert.match(await child.failure('browser_snapshot', { sessionId: 'of-child' }), /Session of-child was closed/);
  await alive('hidden');
  assert.deepEqual(await names(child), ['hidden']);
  assert.match(await child.call('close_all_sessions'), /^Closed 1 session\.$/);
});

test('callers that name no conversation are one, and have nothing private', async (t) => {
  const { daemon, parent } = await setup(t);
  const agents = [await Agent.connect(t, daemon, modern), await Agent.connect(t, daemon, modern)];
  const named = await Agent.connect(t, daemon, modern, { headers: { 'X-Conversation-Id': 'mine' } });
  assert.match(await agents[0].failure('start_session', { private: true }), /X-Conversation-Id.*tabard\/conversation/);
  await named.call('start_session', { sessionId: 'hidden', private: true });
  await parent.call('start_session', { sessionId: 'of-parent' });
  await agents[0].call('start_session', { sessionId: 'shared' });
  assert.equal(JSON.parse(await agents[1].call('list_sessions')).currentSession, 'shared');
  assert.match(await agents[1].call('close_all_sessions'), /^Closed 1 session\. This call names no conversation/);
  assert.deepEqual(await names(parent), ['of-parent']);
  assert.match(await named.call('browser_evaluate', { sessionId: 'hidden', script: '6 * 7' }), /42/);
});

test('S1-28: a child starts its own session, works in it and closes it', async (t) => {
  const { daemon, site, parent } = await setup(t);
  const child = async (kind, number) => {
    const agent = await Agent.connect(t, daemon, kind);
    const sessionId = /"(browser-\d+)"/.exec(await agent.call('start_session'))[1];
    await agent.call('browser_navigate', { sessionId, url: `${site.url}/item/${number}` });
    assert.ok((await names(parent)).includes(sessionId));
    const heading = await agent.call('browser_extract', { sessionId, target: 'h1' });
    await agent.call('close_session', { sessionId });
    return heading;
  };
  const headings = await Promise.all(kinds.map(child));
  headings.forEach((heading, i) => assert.match(heading, new RegExp(`Item ${i}`)));
  assert.deepEqual(await names(parent), []);
});

test('S1-03 S1-29 S1-50: the same login in parallel on several screens, and the results compared', async (t) => {
  const { daemon, site } = await setup(t);
  const screens = { desktop: 1920, tablet: 820, phone: 390 };
  const results = await Promise.all(Object.entries(screens).map(async ([sessionId, width], i) => {
    const agent = await Agent.connect(t, daemon, kinds[i]);
    await agent.call('start_session', { sessionId, url: `${site.url}/login`, viewport: { width, height: 900 } });
    await logIn(agent, sessionId, 'alice');
    const seen = await agent.call('browser_evaluate', { sessionId, script: '[document.querySelector("h1").textContent, innerWidth]' });
    return JSON.parse(seen);
  }));
  assert.deepEqual(results, Object.values(screens).map((width) => ['Hello alice', width]));
  assert.equal(new Set(site.logins.keys()).size, 3);
});

test('S1-36: each phase of the proposal is there: targets, management, documents, information', async (t) => {
  const { parent } = await setup(t);
  const { tools } = await parent.client.listTools();
  const without = tools.filter((tool) => !tool.inputSchema.properties?.sessionId).map((tool) => tool.name);
  assert.deepEqual(without, ['list_sessions', 'close_all_sessions']);
  const page = await readFile(path.join(root, 'docs/sub-agents.md'), 'utf8');
  const { prompts } = await parent.client.listPrompts();
  assert.equal(prompts.length, 3);
  for (const { title } of prompts) assert.match(page, new RegExp(`## .*${title.split(' ')[1]}`, 'i'), title);
  const known = new Set(tools.map((tool) => tool.name));
  for (const [name] of page.matchAll(/\b(?:browser|start|set_current|close|list|execute)_\w+/g)) {
    if (name !== 'browser_state') assert.ok(known.has(name), `${name} in docs/sub-agents.md is no tool`);
  }
  await parent.call('start_session', { sessionId: 'one' });
  assert.equal((await parent.raw('browser_snapshot')).sessionType, 'browser');
});
