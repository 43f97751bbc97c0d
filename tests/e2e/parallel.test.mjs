// SPDX-License-Identifier: Apache-2.0
// Two agents on one daemon, ten sessions, 2,000 interleaved calls: no reply reaches the wrong caller, no cookie crosses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon } from '../support/daemon.mjs';
import { Site } from '../support/site.mjs';

test('2,000 interleaved calls of two agents on ten sessions', async (t) => {
  const daemon = await Daemon.start(t);
  const site = await Site.start(t);
  const agents = [await Agent.connect(t, daemon, kinds[0]), await Agent.connect(t, daemon, kinds[3])];
  const sessions = Array.from({ length: 10 }, (_, i) => ({ name: `s${i}`, agent: agents[i % 2] }));
  await Promise.all(sessions.map(async ({ name, agent }) => {
    await agent.call('start_session', { sessionId: name, url: `${site.url}/whoami` });
    await agent.call('browser_evaluate', { sessionId: name, script: `document.cookie = "who=${name}"; window.mine = "${name}"` });
  }));
  await Promise.all(sessions.map(async ({ name, agent }) => {
    for (let i = 0; i < 200; i += 10) {
      await Promise.all(Array.from({ length: 10 }, async (_, j) => {
        const canary = `${name}-${i + j}`;
        const text = await agent.call('browser_evaluate',
          { sessionId: name, script: `window.mine + " ${canary} " + document.cookie` });
        assert.match(text, new RegExp(`${name} ${canary} who=${name}"`));
      }));
    }
  }));
  await Promise.all(sessions.map(({ name, agent }) => agent.call('browser_navigate', { sessionId: name, url: `${site.url}/whoami?again` })));
  for (const { name, agent } of sessions) {
    assert.match(await agent.call('browser_extract', { sessionId: name, target: 'body' }), new RegExp(`who=${name}\\b`));
  }
});
