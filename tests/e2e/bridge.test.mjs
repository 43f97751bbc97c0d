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

/** The same daemon again, after this signal. */
async function restart(t, daemon, signal) {
  daemon.child.kill(signal);
  // Whoever is impatient costs nothing.
  const impatient = setInterval(() => ['SIGTERM', 'SIGHUP', 'SIGINT'].forEach((each) => daemon.child.kill(each)), 50);
  const [code] = await within(daemon.exited, 15_000, 'the end of the daemon').finally(() => clearInterval(impatient));
  assert.equal(code, signal === 'SIGKILL' ? null : 0);
  await Daemon.start(t, { dir: daemon.dir });
}

async function isWhereItWas(t, { site, daemon, agent }, signal) {
  const before = await addresses(agent);
  await restart(t, daemon, signal);
  assert.deepEqual(await addresses(agent), before);
  assert.match(await agent.call('browser_evaluate', { script: 'window.proof' }), /inside, entered/);
  assert.equal(site.seen.filter((seen) => seen.path === '/enter').length, 1);
}

const onStdio = (era) => kinds.find((kind) => kind.transport === 'stdio' && kind.era === era);

for (const era of ['legacy', 'modern']) {
  test(`after kill -9 of the daemon an agent of the ${era} era has its session and its login`, async (t) => {
    const all = await logIn(t, onStdio(era));
    await all.saved.until(1);
    await isWhereItWas(t, all, 'SIGKILL');
  });

  test(`after a restart of the daemon an agent of the ${era} era has its session, its tabs and its login`, async (t) => {
    const all = await logIn(t, onStdio(era));
    await all.agent.call('browser_tabs', { action: 'new', url: `${all.site.url}/list` });
    await all.agent.call('browser_tabs', { action: 'select', tab: 0 });
    await isWhereItWas(t, all, 'SIGTERM');
  });
}

for (const signal of ['SIGKILL', 'SIGTERM']) {
  test(`after ${signal} of the daemon that session is current which the agent has chosen`, async (t) => {
    const { site, daemon, agent } = await logIn(t, onStdio('legacy'));
    for (const sessionId of ['first', 'second', 'third']) await agent.call('start_session', { sessionId, url: `${site.url}/list` });
    await agent.call('set_current_session', { sessionId: 'second' });
    await restart(t, daemon, signal);
    assert.match(await agent.call('browser_tabs'), /Session: second\b/);
  });
}
