// SPDX-License-Identifier: Apache-2.0
// Tabs and sessions end while much is asked of them: every call has its one end, and the daemon lives.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, until, within } from '../support/daemon.mjs';
import { Reader } from '../support/events.mjs';
import { Site } from '../support/site.mjs';

const BUSY_MS = 15_000; // the end comes sooner, even on a slow machine
const END_MS = 20_000;

async function setup(t, options) {
  const daemon = await Daemon.start(t);
  const site = await Site.start(t);
  const agent = await Agent.connect(t, daemon, kinds[1], options);
  const other = await Agent.connect(t, daemon, kinds[1]);
  await agent.call('start_session', { sessionId: 's', url: site.url });
  /** The whole daemon is asked, not only its process: a new session opens and answers. */
  const lives = async () => {
    assert.equal(daemon.child.exitCode ?? daemon.child.signalCode, null, daemon.log.text);
    await other.call('start_session', { sessionId: 'next', url: site.url });
    assert.match(await other.call('browser_evaluate', { sessionId: 'next', script: '6 * 7' }), /42/);
    await other.call('close_session', { sessionId: 'next' });
  };
  const visited = (path) => site.seen.filter((visit) => visit.path === path).length;
  return { daemon, site, agent, other, lives, visited };
}

/** A script that keeps its page busy, and tells the site when it begins. */
const busy = (path) => `const x = new XMLHttpRequest(); x.open('GET', '${path}', false); x.send();
  for (const end = Date.now() + ${BUSY_MS}; Date.now() < end;);`;

/** The page waits for a word of the site, so that the call that asks for it has ended before. */
async function makeBusy({ agent, site, visited }, path, sessionId = 's') {
  const before = visited(path);
  const script = `fetch('/hear?from=${site.messages.length}').then(() => { ${busy(path)} }); 0`;
  await agent.call('browser_evaluate', { sessionId, script });
  await until(() => site.waiting.length > 0, END_MS, 'the page waits');
  site.messages.push('go');
  site.waiting.splice(0).forEach((answer) => answer());
  await until(() => visited(path) > before, END_MS, 'the page is busy');
}

test('a dialog beside a tab that has no address yet', async (t) => {
  const { agent, lives } = await setup(t);
  const call = (name, args) => agent.call(name, { sessionId: 's', ...args });
  await call('browser_evaluate', { script: "window.open('/list', '_blank', 'noopener'); alert('hi')" });
  // Which of the two the browser tells first is open.
  await until(async () => /^1: /m.test(await call('browser_tabs')), END_MS, 'the tab opens');
  await call('browser_tabs', { action: 'select', tab: 0 });
  await until(async () => /alert "hi"/.test(await call('browser_tabs')), END_MS, 'the dialog opens');
  assert.equal(await call('browser_dialog', { accept: true }), 'Accepted alert "hi".');
  assert.match(await call('browser_evaluate', { script: 'alert(1)' }), /alert "1"/);
  assert.match(await call('browser_tabs', { action: 'new' }), /2: about:blank.*\(current\)/);
  await lives();
});

test('another agent closes the session during a script that blocks', async (t) => {
  const play = await setup(t);
  const call = play.agent.failure('browser_evaluate', { sessionId: 's', script: busy('/list') });
  await until(() => play.visited('/list') > 0, END_MS, 'the script runs');
  await play.other.call('close_session', { sessionId: 's' });
  assert.match(await within(call, END_MS, 'the call ends'), /closed|ended/);
  await play.lives();
});

/** A session that nobody named ends with its agent's conversation, under a scroll of its busy page. */
async function endUnderScroll(t, play, agent, leave) {
  const reader = await Reader.open(t, play.daemon, { query: '?type=call_done,session_ended' });
  const told = (type, holds) => reader.events.map((text) => JSON.parse(text)).find((event) => event.type === type && holds(event));
  const session = async () => JSON.parse(await play.other.call('list_sessions')).sessions.find((each) => each.sessionId === 'browser-1');
  await agent.call('browser_navigate', { url: play.site.url });
  await makeBusy({ ...play, agent }, '/tall', 'browser-1');
  const { calls } = await session();
  const call = agent.raw('browser_scroll', { to: 'bottom' }).catch(() => {});
  await until(async () => (await session()).calls > calls, END_MS, 'the scroll begins');
  await leave();
  await within(call, END_MS, 'the call ends');
  const scrolled = () => told('call_done', ({ data }) => data.tool === 'browser_scroll');
  await until(scrolled, END_MS, 'the end of the call is told');
  assert.match(scrolled().data.code, /^(session_ended|cancelled)$/);
  const ended = () => told('session_ended', ({ sessionId }) => sessionId === 'browser-1');
  await until(ended, END_MS, 'the end of the session is told');
  assert.equal(ended().data.reason, 'conversation_ended');
  assert.equal(await session(), undefined);
  await play.lives();
}

test('a conversation ends while its page is busy', async (t) => {
  const play = await setup(t);
  const agent = await Agent.connect(t, play.daemon, kinds[1]);
  await endUnderScroll(t, play, agent, async () => {
    await agent.transport.terminateSession();
    await agent.close();
  });
});

test('tabard mcp is killed while its page is busy', async (t) => {
  const play = await setup(t);
  const agent = await Agent.connect(t, play.daemon, kinds[0]);
  await endUnderScroll(t, play, agent, () => process.kill(agent.transport.pid, 'SIGKILL'));
});

test('a tab closes under an operation', async (t) => {
  const { agent, lives } = await setup(t);
  const calls = [
    ['browser_evaluate', { script: 'new Promise(() => {})' }],
    ['browser_snapshot', {}],
    ['browser_wait', { text: 'never' }],
    ['browser_scroll', { to: 'bottom' }],
  ];
  for (const [name, args] of calls) {
    await agent.call('browser_evaluate', { sessionId: 's', script: "window.open('/list'); 0" });
    await agent.raw('browser_wait', { sessionId: 's', text: 'Item 3' });
    await agent.call('browser_evaluate', { sessionId: 's', script: 'setTimeout(close, 20); 0' });
    await agent.raw(name, { sessionId: 's', timeout_ms: 2000, ...args });
    // A quick call may end before the tab does.
    const tabs = () => agent.call('browser_tabs', { sessionId: 's', action: 'list' });
    await until(async () => !(await tabs()).includes('/list'), END_MS, 'the tab closes');
    assert.match(await tabs(), /Home/);
  }
  await lives();
});

test('state is saved from a busy page while its session closes', async (t) => {
  const play = await setup(t, { groups: 'state,emulate,pointer' });
  for (const name of ['browser_state', 'browser_emulate', 'browser_snapshot']) {
    const args = { browser_state: { action: 'save', name: 'a' }, browser_emulate: { device: 'iPhone 15' } }[name] ?? {};
    await makeBusy(play, '/form');
    const call = play.agent.raw(name, { sessionId: 's', ...args });
    await play.agent.client.ping();
    await play.other.call('close_session', { sessionId: 's' });
    await within(call, END_MS, 'the call ends');
    await play.agent.call('start_session', { sessionId: 's', url: play.site.url });
  }
  await play.lives();
});

test('a drag from a frame that does not exist', async (t) => {
  const { agent, lives } = await setup(t, { groups: 'state,emulate,pointer' });
  for (let i = 0; i < 5; i++) {
    assert.match(await agent.failure('browser_drag', { sessionId: 's', target: `f${i + 7}e1`, to: 'e2' }), /frame/);
  }
  await lives();
});
