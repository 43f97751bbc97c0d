// SPDX-License-Identifier: Apache-2.0
// An agent on stdio goes on where it was, whatever happens to its daemon.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, within } from '../support/daemon.mjs';
import { Reader } from '../support/events.mjs';
import { Site } from '../support/site.mjs';

const addresses = async (agent) => (await agent.call('browser_tabs')).match(/http:\S+|\(current\)|Session: \S+/g);

async function logIn(t, kind) {
  const site = await Site.start(t);
  const daemon = await Daemon.start(t);
  const agent = await Agent.connect(t, daemon, kind);
  const saved = await Reader.open(t, daemon, { query: '?type=session_saved' });
  await agent.call('browser_navigate', { url: `${site.url}/enter` });
  return { site, daemon, agent, saved };
}

async function isWhereItWas(t, { site, daemon, agent }, signal) {
  const before = await addresses(agent);
  daemon.child.kill(signal);
  // Whoever is impatient costs nothing.
  const impatient = setInterval(() => ['SIGTERM', 'SIGHUP', 'SIGINT'].forEach((each) => daemon.child.kill(each)), 50);
  const [code] = await within(daemon.exited, 15_000, 'the end of the daemon').finally(() => clearInterval(impatient));
  assert.equal(code, signal === 'SIGKILL' ? null : 0);
  await Daemon.start(t, { dir: daemon.dir });
  assert.deepEqual(await addresses(agent), before);
  assert.match(await agent.call('browser_evaluate', { script: 'window.proof' }), /inside, entered/);
  assert.equal(site.seen.filter((seen) => seen.path === '/enter').length, 1);
}

test('after kill -9 of the daemon an agent of the legacy era has its session and its login', async (t) => {
  const all = await logIn(t, kinds.find((kind) => kind.transport === 'stdio' && kind.era === 'legacy'));
  await all.saved.until(1);
  await isWhereItWas(t, all, 'SIGKILL');
});

test('after a restart of the daemon an agent of the modern era has its session, its tabs and its login', async (t) => {
  const all = await logIn(t, kinds.find((kind) => kind.transport === 'stdio' && kind.era === 'modern'));
  await all.agent.call('browser_tabs', { action: 'new', url: `${all.site.url}/list` });
  await all.agent.call('browser_tabs', { action: 'select', tab: 0 });
  await isWhereItWas(t, all, 'SIGTERM');
});
