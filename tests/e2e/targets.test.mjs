// SPDX-License-Identifier: Apache-2.0
// Which element a call means, and how long it is waited for.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon } from '../support/daemon.mjs';

async function setup(t, body, options = {}) {
  const daemon = await Daemon.start(t, options);
  const server = http.createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Targets</title><body>${body}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.close(); server.closeAllConnections(); });
  const agent = await Agent.connect(t, daemon, kinds[0]);
  await agent.call('browser_navigate', { url: `http://127.0.0.1:${server.address().port}/` });
  return { agent, daemon };
}

test('an element is waited for as long as the setting says, unless the call says it', async (t) => {
  const { agent } = await setup(t, '<button disabled>Go</button>', { config: 'browser:\n  element_timeout_ms: 300\n' });
  assert.match(await agent.failure('browser_click', { target: '#nope' }), /^nothing on the page matches "#nope"; waited 300 ms\n/);
  assert.match(await agent.failure('browser_click', { target: 'text=Go' }), /"Go" is disabled; waited 300 ms\n/);
  assert.match(await agent.failure('browser_fill', { target: '#nope', value: 'x', timeout_ms: 120 }), /; waited \d{1,3} ms\n/);
});
