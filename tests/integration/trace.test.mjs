// SPDX-License-Identifier: Apache-2.0
// The trace that a caller's request belongs to stands beside the call, wherever people look for it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Daemon, fixtures, run, until } from '../support/daemon.mjs';
import { Reader } from '../support/events.mjs';
import { modernMeta, postModern } from '../support/mcp.mjs';

const trace = (digit) => `00-4bf92f3577b34da6a3ce929d0e0e473${digit}-00f067aa0ba902b7-01`;

const ways = {
  'in _meta': [{ traceparent: trace(1) }, {}, trace(1)],
  'in a header': [{}, { traceparent: trace(2) }, trace(2)],
  'in both, of which _meta counts': [{ traceparent: trace(3) }, { traceparent: trace(4) }, trace(3)],
  'that is none': [{ traceparent: 'mine' }, {}, undefined],
};

for (const [name, [meta, headers, expected]] of Object.entries(ways)) {
  test(`a traceparent ${name} is told of a call by MCP`, async (t) => {
    const daemon = await Daemon.start(t, { program: fixtures });
    const reader = await Reader.open(t, daemon, { query: '?type=call_done' });
    const reply = await postModern(daemon, 'tools/call', { name: 'list_sessions', arguments: {} }, { headers, meta: modernMeta({}, meta) });
    assert.equal(reply.status, 200, reply.text);
    await reader.until(1);
    assert.equal(reader.json(0).data.trace, expected);
    await daemon.logged(`trace=${expected ?? 'none'}`);
  });
}

test('a traceparent of a request by REST is in the audit log', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const reply = await daemon.request('/api/tools/list_sessions', { method: 'POST', auth: true, headers: { 'content-type': 'application/json', traceparent: trace(5) }, body: '{}' });
  assert.equal(reply.status, 200, reply.text);
  const found = async () => (await run(['audit', 'search', '--json', '--state-dir', daemon.stateDir])).stdout.includes(trace(5));
  await until(found, 10_000, 'the audit entry');
});
