// SPDX-License-Identifier: Apache-2.0
// kill -9 of the daemon, of `tabard mcp`, of the browser, of a renderer: nothing is left behind, every call ends.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, within } from '../support/daemon.mjs';
import { below, gone, isRenderer } from '../support/processes.mjs';
import { Site } from '../support/site.mjs';

const ROUNDS = Number(process.env.TABARD_CRASH_ROUNDS ?? 40);

test('kill -9 of the daemon takes every browser with it', async (t) => {
  const daemon = await Daemon.start(t);
  const site = await Site.start(t);
  const agent = await Agent.connect(t, daemon, kinds[1]);
  await agent.call('start_session', { sessionId: 'a', url: site.url });
  const pids = below(daemon.child.pid).map((p) => p.pid);
  assert.ok(pids.length >= 3);
  await daemon.kill();
  await gone(pids, 2000);
});

test('F-05: kill -9 of a renderer fails its call at once and navigating revives the tab', async (t) => {
  const daemon = await Daemon.start(t);
  const site = await Site.start(t);
  const agent = await Agent.connect(t, daemon, kinds[0]);
  await agent.call('start_session', { sessionId: 'a', url: site.url });
  const call = agent.failure('browser_wait', { text: 'never', timeout_ms: 20_000 });
  await agent.client.ping();
  const began = Date.now();
  below(daemon.child.pid).filter(isRenderer).forEach((p) => process.kill(p.pid, 'SIGKILL'));
  assert.match(await call, /crash/i);
  assert.ok(Date.now() - began < 1000);
  await agent.call('browser_navigate', { url: `${site.url}/list` });
  assert.match(await agent.call('browser_evaluate', { script: 'document.title' }), /List/);
});

test('F-04: kill -9 of the browser ends its calls and the next session gets a new one', async (t) => {
  const daemon = await Daemon.start(t);
  const site = await Site.start(t);
  const agent = await Agent.connect(t, daemon, kinds[0]);
  await agent.call('start_session', { sessionId: 'a', url: site.url });
  const call = agent.failure('browser_wait', { text: 'never', timeout_ms: 20_000 });
  await agent.client.ping();
  const [browser] = below(daemon.child.pid).filter((p) => p.parent === daemon.child.pid);
  process.kill(browser.pid, 'SIGKILL');
  assert.match(await call, /browser/i);
  await agent.call('start_session', { sessionId: 'b', url: site.url });
});

test('kill -9 of tabard mcp ends its conversation\'s sessions', async (t) => {
  const daemon = await Daemon.start(t);
  const site = await Site.start(t);
  const agent = await Agent.connect(t, daemon, kinds[0], { toolset: 'octopus' });
  await agent.call('browser_navigate', { url: site.url });
  process.kill(agent.transport.pid, 'SIGKILL');
  await daemon.logged('reason=conversation_ended');
});

/** One kill while calls are under way. Gives the daemon to go on with: the same, or its successor. */
async function round(t, daemon, site, name, pick, killed) {
  const agent = await Agent.connect(t, daemon, kinds[pick(kinds.length)]);
  await agent.raw('start_session', { sessionId: name, url: `${site.url}/list` });
  const calls = Array.from({ length: 3 }, () => agent.raw('browser_snapshot', { sessionId: name, timeout_ms: 5000 }));
  const children = below(daemon.child.pid);
  const victims = {
    renderer: children.filter(isRenderer), browser: children.filter((p) => p.parent === daemon.child.pid),
    mcp: agent.transport.pid ? [{ pid: agent.transport.pid }] : [], daemon: [daemon.child],
  };
  const possible = Object.keys(victims).filter((each) => victims[each].length > 0);
  const kind = possible[pick(possible.length)];
  process.kill(victims[kind][pick(victims[kind].length)].pid, 'SIGKILL');
  killed[kind] = (killed[kind] ?? 0) + 1;
  for (const end of await within(Promise.allSettled(calls), 10_000, 'the calls end')) {
    // A client whose server was killed makes up words of its own; who lives has to say what happened.
    if (end.status === 'rejected') assert.ok(['daemon', 'mcp'].includes(kind), `${kind}: ${end.reason}`);
    else if (end.value.isError) assert.match(end.value.content[0].text, /page has crashed|lost its browser|browser has ended/, kind);
  }
  if (kind === 'browser' || kind === 'daemon') await gone(children.map((p) => p.pid), 2000);
  else await agent.raw('close_session', { sessionId: name }).catch(() => {});
  await agent.close();
  const next = kind === 'daemon' ? await Daemon.start(t, { dir: daemon.dir }) : daemon;
  assert.equal((await next.request('/health')).status, 200);
  return next;
}

test(`${ROUNDS} random kills: every call ends, the daemon answers, nothing is left`, async (t) => {
  const site = await Site.start(t);
  let daemon = await Daemon.start(t);
  let seed = Number(process.env.TABARD_CRASH_SEED ?? 12345);
  const pick = (n) => (seed = (seed * 48_271) % 2_147_483_647) % n;
  const killed = {};
  for (let i = 0; i < ROUNDS; i++) daemon = await round(t, daemon, site, `r${i}`, pick, killed);
  t.diagnostic(`killed: ${JSON.stringify(killed)}`);
  const pids = below(daemon.child.pid).map((p) => p.pid);
  await daemon.kill();
  await gone(pids, 2000);
});
