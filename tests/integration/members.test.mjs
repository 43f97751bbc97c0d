// SPDX-License-Identifier: Apache-2.0
// The agents of a page: who they are, how many there may be, and that they do not stand in each other's way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import { Page, echo } from '../support/btcp.mjs';
import { agentPort, Daemon, undo, until } from '../support/daemon.mjs';
import { Reader } from '../support/events.mjs';

const SECOND = 1000;

async function agentOf(t, daemon, session, name = 'agent') {
  const agent = new Client({ name, version: '1' });
  const url = new URL(`ws://127.0.0.1:${await agentPort(daemon)}/`);
  url.search = new URLSearchParams({ token: daemon.token, session });
  await agent.connect(new WebSocketClientTransport(url));
  undo(t, () => agent.close());
  return agent;
}

/** A page with the tool `echo`, and its session. */
async function pageOf(t, daemon) {
  const page = await Page.connect(t, daemon);
  page.session = (await page.ask('session/create', {})).sessionId;
  await page.ask('tools/register', { tools: [echo] });
  return page;
}

const told = (reader, type) => reader.events.map((text) => JSON.parse(text)).filter((event) => event.type === type);

test('S4-01, S4-21, S4-36, S4-37: agents come and go, and everybody who listens is told their names', async (t) => {
  const daemon = await Daemon.start(t);
  const reader = await Reader.open(t, daemon);
  const page = await pageOf(t, daemon);
  const agents = [await agentOf(t, daemon, page.session, 'claude-assistant'), await agentOf(t, daemon, page.session, 'research-bot')];
  await until(() => told(reader, 'agent_joined').length === 2, 10 * SECOND, 'both');
  assert.deepEqual(told(reader, 'agent_joined').map(({ data }) => data.agent), ['claude-assistant 1', 'research-bot 1']);
  await agents[0].close();
  await until(() => told(reader, 'agent_left').length === 1, 10 * SECOND, 'the end of one');
  const [{ data: left }] = told(reader, 'agent_left');
  assert.equal(left.agent_id, told(reader, 'agent_joined')[0].data.agent_id);
  assert.match(left.agent_id, /^agent-[0-9a-f]{12}$/);
});

test('S4-33: one more agent than a page may have is turned away', async (t) => {
  const daemon = await Daemon.start(t, { config: 'client:\n  agents: 2\n' });
  const page = await pageOf(t, daemon);
  const first = await agentOf(t, daemon, page.session);
  await agentOf(t, daemon, page.session);
  await assert.rejects(agentOf(t, daemon, page.session));
  await first.close();
  await until(async () => agentOf(t, daemon, page.session).then(() => true, () => false), 10 * SECOND, 'its place');
});

test('S4-26, S4-54: a page learns who calls, and what that one calls its request', async (t) => {
  const daemon = await Daemon.start(t);
  const reader = await Reader.open(t, daemon);
  const page = await pageOf(t, daemon);
  page.handle = (params) => params;
  const seen = [];
  for (const name of ['claude-assistant', 'research-bot']) {
    const agent = await agentOf(t, daemon, page.session, name);
    const reply = await agent.callTool({ name: 'echo', arguments: { text: name } });
    const { name: tool, arguments: given, metadata } = JSON.parse(reply.content[0].text);
    assert.deepEqual([tool, given, Object.keys(metadata)], ['echo', { text: name }, ['agentId', 'requestId']]);
    assert.equal(typeof metadata.requestId, 'number', 'as the SDK counts them');
    seen.push(metadata.agentId);
  }
  await until(() => told(reader, 'agent_joined').length === 2, 10 * SECOND, 'both');
  assert.deepEqual(seen, told(reader, 'agent_joined').map(({ data }) => data.agent_id));
});
