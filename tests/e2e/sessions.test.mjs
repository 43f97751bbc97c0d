// SPDX-License-Identifier: Apache-2.0
// Many named sessions of one agent; several agents are in subagents.test.mjs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon } from '../support/daemon.mjs';
import { below, memoryMb } from '../support/processes.mjs';
import { Site } from '../support/site.mjs';

async function setup(t, { toolset = 'wdio', config, kind = kinds[0] } = {}) {
  const daemon = await Daemon.start(t, { config });
  const site = await Site.start(t);
  return { daemon, site, agent: await Agent.connect(t, daemon, kind, { toolset }) };
}

const list = async (agent) => JSON.parse(await agent.call('list_sessions'));

test('S1-09 S1-25 S1-26 S1-35: names are given or made', async (t) => {
  const { agent } = await setup(t);
  await agent.call('start_browser', { headless: true });
  await agent.call('start_browser', { sessionId: 'mine' });
  await agent.call('start_browser', {});
  const names = (await list(agent)).sessions.map((session) => session.sessionId);
  assert.deepEqual(names, ['browser-1', 'mine', 'browser-2']);
});

test('S1-18 S1-19 S1-23 S1-24 S1-49: list_sessions has the documented shape', async (t) => {
  const { agent } = await setup(t);
  assert.deepEqual(await list(agent), { sessions: [], currentSession: null });
  await agent.call('start_browser', { sessionId: 'user-a' });
  const { sessions, currentSession } = await list(agent);
  assert.equal(currentSession, 'user-a');
  assert.equal(sessions[0].sessionId, 'user-a');
  assert.equal(sessions[0].type, 'browser');
  assert.equal(sessions[0].capabilities.browserName, 'chrome');
  assert.ok(Math.abs(Date.parse(sessions[0].createdAt) - Date.now()) < 60_000, sessions[0].createdAt);
});

test('S1-48: one session that is never named, as before there were several', async (t) => {
  const { agent, site } = await setup(t);
  await agent.call('start_browser', { headless: true });
  await agent.call('navigate', { url: `${site.url}/form` });
  await agent.call('set_value', { selector: '#name', value: 'Ann' });
  await agent.call('click_element', { selector: '#count' });
  assert.match(await agent.call('execute_script', { script: 'return document.getElementById("name").value + window.n' }), /Ann1/);
  assert.match(await agent.call('close_session'), /closed/);
  assert.match(await agent.failure('click_element', { selector: '#count' }), /No session: none active/);
});

test('S1-02 S1-07 S1-08 S1-11 S1-20 S1-21 S1-33: calls go to the named session, else to the current one', async (t) => {
  const { agent, site } = await setup(t);
  await agent.call('start_browser', { sessionId: 'a', navigationUrl: `${site.url}/list` });
  await agent.call('start_browser', { sessionId: 'b', navigationUrl: `${site.url}/login` });
  const title = async (args = {}) => agent.call('execute_script', { script: 'return document.title', ...args });
  assert.match(await title({ sessionId: 'a' }), /List/);
  assert.match(await title(), /Log in/);
  await agent.call('set_current_session', { sessionId: 'a' });
  assert.match(await title(), /List/);
  await agent.call('navigate', { url: site.url });
  assert.match(await title({ sessionId: 'a' }), /Home/);
  assert.match(await title({ sessionId: 'b' }), /Log in/);
});

test('S1-34 S1-44: the errors for no session and for a name twice', async (t) => {
  const { agent } = await setup(t);
  assert.match(await agent.failure('click_element', { selector: '#x' }), /No session: none active/);
  assert.match(await agent.failure('click_element', { selector: '#x', sessionId: 'ghost' }), /No session: ghost/);
  await agent.call('start_browser', { sessionId: 'test' });
  assert.match(await agent.failure('start_browser', { sessionId: 'test' }), /Session 'test' already exists/);
});

test('S1-16 S1-17 S1-50: sessions are listed, then closed one by one and all at once', async (t) => {
  const { agent } = await setup(t);
  for (const sessionId of ['a', 'b', 'c']) await agent.call('start_browser', { sessionId });
  await agent.call('close_session', { sessionId: 'b' });
  assert.deepEqual((await list(agent)).sessions.map((s) => s.sessionId), ['a', 'c']);
  await agent.call('close_all_sessions');
  assert.deepEqual((await list(agent)).sessions, []);
  await agent.call('start_browser', { sessionId: 'b' });
});

test('S1-12 S1-13 S1-14 S1-15: elements, clicks and sequences', async (t) => {
  const { agent, site } = await setup(t);
  await agent.call('start_browser', { sessionId: 'w', navigationUrl: `${site.url}/form` });
  const elements = await agent.call('get_visible_elements', { sessionId: 'w' });
  assert.match(elements, /^total: 6\nshowing: 6\nhasMore: false\nelements\[6\]/);
  assert.match(elements, /^ {2}input,Name,[^\n]*,old,,#name,true$/m);
  await agent.call('click_element', { sessionId: 'w', selector: '//button[@id="count"]' });
  await agent.call('tap_element', { sessionId: 'w', selector: '#count' });
  await agent.call('execute_sequence', { sessionId: 'w', actions: [
    { action: 'set_value', selector: '#name', value: 'new' },
    { action: 'click_element', selector: '#count' },
    { action: 'tap_element', selector: '#count' },
  ] });
  const state = () => agent.call('execute_script', { sessionId: 'w',
    script: 'return document.getElementById("count").textContent + document.getElementById("name").value' });
  assert.match(await state(), /Clicked 4new/);
  const failed = await agent.failure('execute_sequence', { sessionId: 'w', timeoutMs: 1000, actions: [
    { action: 'set_value', selector: '#name', value: 'x' },
    { action: 'click_element', selector: '#nothing' },
    { action: 'click_element', selector: '#count' },
  ] });
  assert.match(failed, /action 2 of 3 \(click_element\) failed: .*"#nothing"; waited \d+ ms. 1 completed before it/);
  assert.match(await state(), /Clicked 4x/);
  const began = Date.now();
  await agent.failure('click_element', { sessionId: 'w', selector: '#nothing', timeout: 200 });
  assert.ok(Date.now() - began < 2000);
});

test('S1-13: an element out of view is scrolled to before it is clicked', async (t) => {
  const { agent, site } = await setup(t);
  await agent.call('start_browser', { navigationUrl: `${site.url}/form` });
  await agent.call('execute_script', { script: 'document.getElementById("count").style.marginTop = "5000px"' });
  await agent.call('click_element', { selector: '#count' });
  assert.match(await agent.call('execute_script', { script: 'return [window.n, window.scrollY > 1000]' }), /1,\s*true/);
});

test('S1-45: what finds an element in one session finds it in another', async (t) => {
  const { agent, site } = await setup(t);
  for (const sessionId of ['a', 'b']) await agent.call('start_browser', { sessionId, navigationUrl: `${site.url}/form` });
  const elements = await agent.call('get_visible_elements', { sessionId: 'a' });
  const selector = /,(button\*=Count),/.exec(elements)?.[1] ?? assert.fail(elements);
  await agent.call('click_element', { sessionId: 'b', selector });
  assert.match(await agent.call('execute_script', { sessionId: 'b', script: 'return window.n' }), /1/);
  assert.match(await agent.call('execute_script', { sessionId: 'a', script: 'return String(window.n)' }), /undefined/);
});

test('S1-37 S1-46 S1-47: the session is named in the reply only when it was chosen for the caller', async (t) => {
  const { agent, site } = await setup(t);
  await agent.call('start_browser', { sessionId: 'solo' });
  const chosen = await agent.raw('navigate', { url: site.url });
  assert.equal(chosen.sessionId, 'solo');
  assert.equal(chosen.sessionType, 'browser');
  const named = await agent.raw('navigate', { url: site.url, sessionId: 'solo' });
  assert.equal(named.sessionId, undefined);
});

test('S1-42: more than five sessions give a warning, not an error', async (t) => {
  const { agent } = await setup(t);
  for (let i = 0; i < 5; i++) assert.doesNotMatch(await agent.call('start_browser'), /warning/i);
  assert.match(await agent.call('start_browser'), /warning/i);
  assert.equal((await list(agent)).sessions.length, 6);
});

test('S1-41: a session with its browser needs no more memory than was reckoned with', async (t) => {
  const { daemon, agent, site } = await setup(t);
  await agent.call('start_browser', { navigationUrl: site.url });
  const all = below(daemon.child.pid).map((p) => memoryMb(p.pid)).reduce((sum, mb) => sum + mb, 0);
  assert.ok(all > 20 && all < 500, `${all} MB`);
});

test('S1-38: what sessions do is logged, and what is typed is not', async (t) => {
  const daemon = await Daemon.start(t, { args: ['--log-level', 'debug'] });
  const site = await Site.start(t);
  const agent = await Agent.connect(t, daemon, kinds[0], { toolset: 'wdio' });
  await agent.call('start_browser', { sessionId: 'shop', navigationUrl: `${site.url}/login?key=sesame` });
  await agent.call('set_value', { selector: '#password', value: 'hunter2' });
  await agent.failure('click_element', { selector: '#nothing', timeout: 200 });
  await agent.call('close_session');
  await daemon.logged('calls=3 errors=1');
  for (const line of [/session +started .*name=shop type=browser/, /tool=browser_fill code=ok ms=\d+ session=shop/,
    /tool=browser_click code=(?:element_not_found|timeout) ms=\d+ session=shop/, /session +ended .*name=shop reason=closed ms=\d+ calls=3 errors=1/]) {
    assert.match(daemon.log.text, line);
  }
  assert.doesNotMatch(daemon.log.text, /hunter2|sesame/);
});

for (const hibernate of [true, false]) {
  const fate = hibernate ? 'freed of its browser' : 'closed';
  test(`S1-39 S1-43: an abandoned session is ${fate} after its idle time, set by the environment`, async (t) => {
    const env = { TABARD_SESSIONS_NAMED_IDLE_MS: '300', TABARD_SESSIONS_HIBERNATE: `${hibernate}` };
    const daemon = await Daemon.start(t, { env });
    const agent = await Agent.connect(t, daemon, kinds[0], { toolset: 'wdio' });
    await agent.call('start_browser', { sessionId: 'old' });
    await daemon.logged('reason=idle_timeout');
    assert.deepEqual((await list(agent)).sessions.map((each) => each.hibernated), hibernate ? [true] : []);
  });
}

test('S1-04 S1-30 S1-31 S1-50: two users chat through two sessions in parallel', async (t) => {
  const { agent, site } = await setup(t);
  await Promise.all(['alice', 'bob'].map(async (sessionId) => {
    await agent.call('start_browser', { sessionId, navigationUrl: `${site.url}/login` });
    await agent.call('execute_sequence', { sessionId, actions: [
      { action: 'set_value', selector: '#user', value: sessionId },
      { action: 'set_value', selector: '#password', value: 'x' },
      { action: 'click_element', selector: '#login' },
    ] });
    await agent.call('navigate', { sessionId, url: `${site.url}/chat` });
  }));
  await agent.call('execute_sequence', { sessionId: 'alice', actions: [
    { action: 'set_value', selector: '#message-input', value: 'Hello Bob!' },
    { action: 'click_element', selector: '#send-button' },
  ] });
  assert.match(await agent.call('execute_script', { sessionId: 'bob', script: `return new Promise((resolve) => {
    const look = () => document.body.innerText.includes('alice: Hello Bob!') ? resolve('received') : requestAnimationFrame(look);
    look(); })` }), /received/);
});

test('S1-06: logged in and logged out side by side', async (t) => {
  const { agent, site } = await setup(t);
  for (const sessionId of ['in', 'out']) await agent.call('start_browser', { sessionId, navigationUrl: `${site.url}/login` });
  await agent.call('set_value', { sessionId: 'in', selector: '#user', value: 'alice' });
  await agent.call('click_element', { sessionId: 'in', selector: '#login' });
  const heading = (sessionId) => agent.call('execute_script', { sessionId, script: 'return document.querySelector("h1").textContent' });
  for (const sessionId of ['in', 'out']) await agent.call('navigate', { sessionId, url: `${site.url}/account` });
  assert.match(await heading('in'), /Hello alice/);
  assert.match(await heading('out'), /Please log in/);
});

test('S1-32: parallel calls on one session run one after another, in order', async (t) => {
  const { agent, site } = await setup(t);
  await agent.call('start_browser', { sessionId: 'q', navigationUrl: `${site.url}/form` });
  await Promise.all(Array.from({ length: 20 }, () => agent.call('click_element', { sessionId: 'q', selector: '#count' })));
  assert.match(await agent.call('execute_script', { sessionId: 'q', script: 'return window.n' }), /20/);
});
