// SPDX-License-Identifier: Apache-2.0
// A login survives whatever happens to the browser or the daemon.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, until, within } from '../support/daemon.mjs';
import { Reader } from '../support/events.mjs';
import { below, gone } from '../support/processes.mjs';
import { Site } from '../support/site.mjs';

const NO_LINGER = 'browser:\n  linger_ms: 0\n';
const http = kinds[1];

const events = (t, daemon, type) => Reader.open(t, daemon, { query: `?type=${type}` });
const visits = (site, path) => site.seen.filter((seen) => seen.path === path).length;

/** Logs in, in a session of this name or in that of the agent's conversation, and waits until it is saved. */
async function logIn(t, { config = NO_LINGER, sessionId = 'login', headers } = {}) {
  const site = await Site.start(t);
  const daemon = await Daemon.start(t, { config });
  const agent = await Agent.connect(t, daemon, http, { headers });
  const saved = await events(t, daemon, 'session_saved');
  if (sessionId) await agent.call('start_session', { sessionId, url: `${site.url}/enter` });
  else await agent.call('browser_navigate', { url: `${site.url}/enter` });
  await saved.until(1);
  return { site, daemon, agent, saved };
}

/** The site takes the session for the one that logged in, from the first script of its page on, and was visited once for it. */
async function isInside(agent, site, args = { sessionId: 'login' }) {
  const result = await agent.call('browser_evaluate', { ...args, script: 'window.proof' });
  assert.match(result, /inside, entered/);
  assert.equal(visits(site, '/vault'), 1);
  assert.equal(visits(site, '/enter'), 1);
  return result;
}

async function restart(t, daemon, options) {
  const next = await Daemon.start(t, { config: NO_LINGER, dir: daemon.dir });
  return { next, agent: await Agent.connect(t, next, http, options) };
}

test('a login survives hibernation, which frees the whole browser', async (t) => {
  const { site, daemon, agent } = await logIn(t, { config: `${NO_LINGER}sessions:\n  named_idle_ms: 2000\n` });
  const hibernated = await events(t, daemon, 'session_hibernated');
  const pids = below(daemon.child.pid).map((p) => p.pid);
  assert.ok(pids.length >= 3);
  await hibernated.until(1);
  await gone(pids, 5000);
  await until(() => below(daemon.child.pid).length === 0, 5000, 'no process is left, zombies included');
  await isInside(agent, site);
});

test('a login survives kill -9 of the browser', async (t) => {
  const { site, daemon, agent } = await logIn(t);
  const hibernated = await events(t, daemon, 'session_hibernated');
  const [browser] = below(daemon.child.pid).filter((p) => p.parent === daemon.child.pid);
  process.kill(browser.pid, 'SIGKILL');
  await hibernated.until(1);
  await isInside(agent, site);
});

// Chromium replaces its services in silence, without what they held, and its zygotes never.
for (const [what, mark, nth, engine] of [
  ['network service', '--utility-sub-type=network.mojom.NetworkService', 0, 'auto'],
  ['first zygote', '--type=zygote', 0, 'auto'],
  ['second zygote', '--type=zygote', 1, 'auto'],
  ['storage service', '--utility-sub-type=storage.mojom.StorageService', 0, 'chromium'],
]) {
  test(`a login survives kill -9 of the browser's ${what}, and the next reply says so`, async (t) => {
    const { site, daemon, agent } = await logIn(t, { config: `${NO_LINGER}  engine: ${engine}\n` });
    const hibernated = await events(t, daemon, 'session_hibernated');
    const victim = below(daemon.child.pid).filter((p) => p.args.join(' ').includes(mark))[nth];
    process.kill(victim.pid, 'SIGKILL');
    await hibernated.until(1);
    assert.match(await isInside(agent, site), /lost its browser: .* ended unexpectedly.* restored from its last save/);
  });
}

test('a login survives kill -9 of the daemon', async (t) => {
  const { site, daemon } = await logIn(t);
  await daemon.kill();
  const { agent } = await restart(t, daemon);
  await isInside(agent, site);
});

test('a login survives an orderly restart, saved or not', async (t) => {
  const { site, daemon, agent: before } = await logIn(t);
  await before.call('browser_evaluate', { sessionId: 'login', script: 'void (localStorage.late = "too")' });
  daemon.child.kill('SIGTERM');
  await within(daemon.exited, 15_000, 'the end of the daemon');
  const { agent } = await restart(t, daemon);
  await isInside(agent, site);
  assert.match(await agent.call('browser_evaluate', { sessionId: 'login', script: 'localStorage.late' }), /too/);
});

test('the session of a conversation survives kill -9 of the daemon', async (t) => {
  const headers = { 'x-conversation-id': 'talk-7' };
  const { site, daemon } = await logIn(t, { sessionId: null, headers });
  await daemon.kill();
  const { agent } = await restart(t, daemon, { headers });
  await isInside(agent, site, {});
});

test('a form that was half filled is told as lost, once', async (t) => {
  const { site, daemon, agent, saved } = await logIn(t);
  const before = saved.count;
  await agent.call('browser_fill', { sessionId: 'login', target: '#note', value: 'hunter2' });
  await saved.until(before + 1);
  await daemon.kill();
  const { agent: after } = await restart(t, daemon);
  assert.match(await isInside(after, site), /What was typed into 1 field is lost/);
  assert.doesNotMatch(await after.call('browser_evaluate', { sessionId: 'login', script: '1' }), /lost/);
});

test('an act that counts on a form that was lost is refused once, as a call and as a step', async (t) => {
  const { site, daemon, agent } = await logIn(t);
  const url = `${site.url}/vault`;
  const fill = { target: '#note', value: 'hunter2' };
  await agent.call('browser_fill', { sessionId: 'login', ...fill });
  for (const sessionId of ['other', 'third']) {
    await agent.call('start_session', { sessionId, url });
    await agent.call('browser_fill', { sessionId, ...fill });
  }
  daemon.child.kill('SIGTERM');
  await within(daemon.exited, 15_000, 'the end of the daemon');
  const { agent: after } = await restart(t, daemon);
  const click = { sessionId: 'login', target: '#note' };
  assert.match(await after.failure('browser_click', click),
    /What was typed into 1 field is lost\.[^]*so this was not done\nCall browser_snapshot, fill the fields again/);
  assert.match(await after.call('browser_click', click), /^Clicked/);
  const steps = (...first) => ({ actions: [...first, { action: 'browser_click', target: '#note' }] });
  assert.match(await after.failure('execute_sequence', { sessionId: 'other', ...steps({ action: 'browser_fill', ...fill }) }),
    /typed into 1 field is lost\.[^]*action 2 of 2 \(browser_click\) failed: .*so this was not done\. 1 completed/);
  // What was lost is nothing to a sequence that goes to another page first.
  assert.match(await after.call('execute_sequence', { sessionId: 'third', ...steps({ action: 'browser_navigate', url }) }), /typed into 1 field is lost/);
});

test('text that was acknowledged and not saved yet is missed, too', async (t) => {
  const { daemon, agent } = await logIn(t);
  await agent.call('browser_fill', { sessionId: 'login', target: '#note', value: 'hunter2' });
  await daemon.kill();
  const { agent: after } = await restart(t, daemon);
  const send = { sessionId: 'login', target: '#note', value: 'hunter3', submit: true };
  assert.match(await after.failure('browser_fill', send), /What was typed after that save is lost\.[^]*so this was not done/);
  assert.match(await after.call('browser_fill', send), /^Filled/);
});

test('a ref of before means nothing after a restart, nor after the next', async (t) => {
  let { daemon, agent } = await logIn(t);
  const refs = new Set();
  for (let i = 0; i < 3; i += 1) {
    const [, ref] = /textbox.* \[ref=(e\d+)\]/.exec(await agent.call('browser_snapshot', { sessionId: 'login' }));
    for (const old of refs) assert.match(await agent.failure('browser_click', { sessionId: 'login', target: old }), /ref/);
    assert.ok(!refs.has(ref), ref);
    refs.add(ref);
    await daemon.kill();
    ({ next: daemon, agent } = await restart(t, daemon));
  }
});

test('that a page was loaded again is told, even if nothing else is lost', async (t) => {
  const { daemon } = await logIn(t);
  await daemon.kill();
  const { agent } = await restart(t, daemon);
  const look = () => agent.call('browser_evaluate', { sessionId: 'login', script: '1' });
  assert.match(await look(), /Session 'login' was restored from its last save\. Its page was loaded again, so whatever it kept in memory is gone\./);
  assert.doesNotMatch(await look(), /restored/);
});

test('browser_state keeps the storage of a site that no tab shows any more', async (t) => {
  const site = await Site.start(t);
  const daemon = await Daemon.start(t, { config: NO_LINGER });
  const agent = await Agent.connect(t, daemon, http, { groups: 'all' });
  const away = site.url.replace('127.0.0.1', 'localhost');
  const token = async (url) => {
    await agent.call('browser_navigate', { url });
    return agent.call('browser_evaluate', { script: 'String(localStorage.getItem("token"))' });
  };
  await agent.call('browser_navigate', { url: site.url });
  await agent.call('browser_evaluate', { script: 'localStorage.setItem("token", "mine"); 0' });
  await agent.call('browser_navigate', { url: away });
  assert.match(await agent.call('browser_state', { action: 'save', name: 'a' }), /storage of 1 origin/);
  await agent.call('browser_navigate', { url: site.url });
  await agent.call('browser_evaluate', { script: 'localStorage.clear(); 0' });
  assert.doesNotMatch(await agent.call('browser_state', { action: 'save', name: 'b' }), /storage of 1/);
  await agent.call('browser_navigate', { url: away });
  await agent.call('browser_state', { action: 'load', name: 'a' });
  assert.match(await token(site.url), /mine/);
});
