// SPDX-License-Identifier: Apache-2.0
// kill -9 of the daemon, of `tabard mcp`, of the browser, of a renderer: nothing is left behind, every call ends.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, within } from '../support/daemon.mjs';
import { Site } from '../support/site.mjs';

const ROUNDS = Number(process.env.TABARD_CRASH_ROUNDS ?? 40);

function processes() {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [, state, parent] = /\) (\S) (\d+)/.exec(stat);
      const args = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      return [{ pid: Number(name), parent: Number(parent), state, args }];
    } catch {
      return []; // it has ended meanwhile
    }
  });
}

/** The processes below `pid`, the browser and its children among them. */
function below(pid) {
  const all = processes();
  const found = [];
  const add = (parent) => all.filter((p) => p.parent === parent).forEach((p) => {
    found.push(p);
    add(p.pid);
  });
  add(pid);
  return found;
}

// Processes that Chromium forks from its zygote have their arguments in one string.
const isRenderer = (p) => p.args.join(' ').includes('--type=renderer');

async function gone(pids, ms) {
  const left = () => pids.filter((pid) => processes().some((p) => p.pid === pid && p.state !== 'Z'));
  const look = async () => {
    while (left().length) await new Promise(setImmediate);
  };
  await within(look(), ms, `processes ${left()} are gone`);
}

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

test(`${ROUNDS} random kills: every call ends, the daemon answers, nothing is left`, async (t) => {
  const daemon = await Daemon.start(t);
  const site = await Site.start(t);
  let seed = 12345;
  const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  for (let round = 0; round < ROUNDS; round++) {
    const agent = await Agent.connect(t, daemon, kinds[round % 2]);
    await agent.raw('start_session', { sessionId: `r${round}`, url: `${site.url}/list` });
    const calls = Array.from({ length: 3 }, () => agent.raw('browser_snapshot', { sessionId: `r${round}`, timeout_ms: 5000 })
      .then((result) => assert.ok(result.content[0].text.length > 0), (error) => assert.ok(error.message.length > 0)));
    const children = below(daemon.child.pid);
    const victims = {
      0: children.filter(isRenderer), 1: children.filter((p) => p.parent === daemon.child.pid),
      2: agent.transport.pid ? [{ pid: agent.transport.pid }] : [],
    }[random(3)];
    if (victims.length) {
      try {
        process.kill(victims[random(victims.length)].pid, 'SIGKILL');
      } catch { /* it had ended already */ }
    }
    await within(Promise.all(calls), 10_000, 'the calls end');
    await agent.raw('close_session', { sessionId: `r${round}` }).catch(() => {});
    await agent.close();
    assert.equal((await daemon.request('/health')).status, 200);
  }
  const pids = below(daemon.child.pid).map((p) => p.pid);
  await daemon.kill();
  await gone(pids, 2000);
});
