// SPDX-License-Identifier: Apache-2.0
// SIGTERM: what runs may finish, nothing new begins, and a second one does not wait.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, until, within } from '../support/daemon.mjs';

const END_MS = 9000;

/** A navigation whose page the test holds back, in a daemon that has been told to stop. */
async function stopDuringNavigation(t, kind) {
  let page;
  const server = http.createServer((req, res) => { if (req.url === '/slow') page = res; else res.end('<title>Quick</title>'); });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  const url = `http://127.0.0.1:${server.address().port}`;
  const daemon = await Daemon.start(t);
  const agent = await Agent.connect(t, daemon, kind);
  await agent.call('start_session', { sessionId: 's', url });
  const running = agent.raw('browser_navigate', { sessionId: 's', url: `${url}/slow` });
  await until(() => page, 20_000, 'the page is asked for');
  daemon.child.kill('SIGTERM');
  await daemon.logged('stopping');
  return { daemon, agent, running, page };
}

for (const kind of [kinds[0], kinds[1]]) {
  test(`a call that runs finishes after SIGTERM (${kind.transport})`, async (t) => {
    const { daemon, agent, running, page } = await stopDuringNavigation(t, kind);
    if (kind.transport === 'stdio') { // over HTTP no connection is accepted any more
      const refused = await agent.failure('browser_snapshot', { sessionId: 's' });
      assert.match(refused, /the daemon is stopping/);
      assert.match(refused, /Call again in a few seconds/);
    }
    page.end('<title>Slow but whole</title>');
    const result = await within(running, END_MS, 'the answer');
    assert.equal(result.isError ?? false, false, JSON.stringify(result));
    assert.match(result.content[0].text, /Slow but whole/);
    assert.deepEqual(await within(daemon.exited, END_MS, 'exit'), [0, null]);
  });
}

test('a second SIGTERM ends the call that runs, with words for it', async (t) => {
  const { daemon, running } = await stopDuringNavigation(t, kinds[0]);
  daemon.child.kill('SIGTERM');
  const result = await within(running, END_MS, 'the answer');
  assert.match(result.content[0].text, /Session 's' is kept, but the daemon is stopping/);
  assert.match(result.content[0].text, /Call again in a few seconds/);
  assert.deepEqual(await within(daemon.exited, END_MS, 'exit'), [0, null]);
});
