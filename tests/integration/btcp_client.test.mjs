// SPDX-License-Identifier: Apache-2.0
// The JavaScript client of web/btcp-client, in Node, with a real daemon: its tools are called by agents of MCP, and it comes back. `make web` builds it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import WebSocket from 'ws';
import { BTCPClient } from '../../build/web/btcp-client/btcp-client.js';
import { agentPort, Daemon, undo, until } from '../support/daemon.mjs';

const WAIT_MS = 20_000;
const QUICK = { baseMs: 50, maxMs: 500 };
const tool = (name, more = {}) => ({ name, description: `What ${name} does, in words.`, inputSchema: { type: 'object' }, ...more });

function page(t, daemon, options = {}) {
  const client = new BTCPClient({ serverUrl: `ws://127.0.0.1:${daemon.port}/btcp`, token: daemon.token, transport: 'websocket', reconnect: QUICK, WebSocket, ...options });
  undo(t, () => client.disconnect());
  return client;
}

async function agentOf(t, daemon, session) {
  const agent = new Client({ name: 'agent', version: '1' });
  const url = new URL(`ws://127.0.0.1:${await agentPort(daemon)}/`);
  url.search = new URLSearchParams({ token: daemon.token, session });
  await agent.connect(new WebSocketClientTransport(url));
  undo(t, () => agent.close());
  return agent;
}

const ask = async (agent, name, args = {}, options = {}) => {
  const { content, isError } = await agent.callTool({ name, arguments: args }, undefined, options);
  return isError ? `failed: ${content[0].text}` : content[0].text;
};

/** The same daemon again, where its clients look for it. */
async function restart(t, daemon) {
  await daemon.kill();
  return Daemon.start(t, { dir: daemon.dir, args: ['--listen', `127.0.0.1:${daemon.port}`] });
}

test('S4-09, S4-12, S4-55: a manifest\'s tools are listed and called, and what they are given is checked', async (t) => {
  const daemon = await Daemon.start(t);
  const client = page(t, daemon);
  const manifest = {
    btcp: '1.0', name: 'numbers', version: '1.0.0', capabilities: [],
    tools: [tool('add', { capabilities: [], inputSchema: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] } }),
      tool('double', { capabilities: [] }), tool('fail', { capabilities: [] }), tool('flood', { capabilities: [] })],
  };
  await client.registerManifest(manifest, {
    add: ({ a, b }) => a + b,
    double: { source: '({ n }) => ({ twice: 2 * n, sees: typeof process })' },
    fail: () => { throw new Error('out of paper'); },
    flood: () => 'x'.repeat(1024 * 1024),
  });
  const { id, expiresAt, recovered } = await client.connect();
  assert.equal(recovered, false);
  assert.ok(Math.abs(expiresAt - Date.now() - 3600_000) < WAIT_MS);
  const agent = await agentOf(t, daemon, id);
  const { tools } = await agent.listTools();
  assert.deepEqual(tools.find(({ name }) => name === 'add').inputSchema, manifest.tools[0].inputSchema);
  assert.equal(await ask(agent, 'add', { a: 2, b: 40 }), '42');
  assert.match(await ask(agent, 'add', { a: '2', b: 40 }), /^failed: .*the arguments.a must be number, not string/);
  assert.deepEqual(JSON.parse(await ask(agent, 'double', { n: 21 })), { twice: 42, sees: 'undefined' });
  assert.match(await ask(agent, 'fail'), /^failed: .*out of paper/);
  assert.match(await ask(agent, 'flood'), /^failed: .*1048578 bytes; 1048576 are allowed/);
  assert.equal((await client.renewSession({ ttl: 7200 })).id, id);
  assert.equal((await client.request('session/info')).type, 'client');
  await client.unregister(['flood']);
  assert.ok(!(await agent.listTools()).tools.some(({ name }) => name === 'flood'));
  await assert.rejects(client.registerManifest({ ...manifest, tools: Array.from({ length: 101 }, (_, i) => tool(`t${i}`, { capabilities: [] })) },
    Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`t${i}`, () => 1]))), /at most 100 tools/);
  assert.equal(await ask(agent, 'add', { a: 1, b: 1 }), '2', 'what was there stays');
  const ended = new Promise((resolve) => { client.on('session:terminated', resolve); });
  await client.terminateSession();
  assert.deepEqual(await ended, { reason: 'closed' });
});

test('an agent that cancels its call is heard by the tool', async (t) => {
  const daemon = await Daemon.start(t);
  const client = page(t, daemon);
  let signal;
  await client.registerTool(tool('slow'), (args, context) => new Promise(() => { ({ signal } = context); }));
  const agent = await agentOf(t, daemon, (await client.connect()).id);
  const control = new AbortController();
  const asked = ask(agent, 'slow', {}, { signal: control.signal });
  await until(() => signal, WAIT_MS, 'the call');
  control.abort();
  await assert.rejects(asked);
  await until(() => signal.aborted, WAIT_MS, 'the signal');
  assert.equal(signal.reason.code, 'CANCELLED');
});

test('S4-43: after kill -9 the client comes back by itself, with its session and tools', async (t) => {
  let daemon = await Daemon.start(t);
  const client = page(t, daemon);
  const told = [];
  client.on('disconnected', () => told.push('lost'));
  client.on('connected', ({ recovered }) => told.push(recovered));
  await client.registerTool(tool('echo'), (args) => args);
  const { id } = await client.connect();
  for (let round = 0; round < 3; round += 1) {
    daemon = await restart(t, daemon);
    await until(() => client.state === 'open' && told.at(-1) === true, WAIT_MS, 'the client');
    const agent = await agentOf(t, daemon, id);
    assert.deepEqual(JSON.parse(await ask(agent, 'echo', { round })), { round });
  }
  assert.equal(client.session.id, id);
  await client.terminateSession();
  await assert.rejects(page(t, daemon, { sessionId: id }).reconnect(), { code: 'SESSION_GONE' });
  assert.notEqual((await page(t, daemon, { sessionId: id }).connect()).id, id, 'another begins');
});

test('pages that fight for one session come to rest: one has it, nobody storms, and its tool works', async (t) => {
  let daemon = await Daemon.start(t);
  const first = page(t, daemon);
  const { id } = await first.connect();
  let connects = 0;
  const pages = [first, ...Array.from({ length: 5 }, () => page(t, daemon, { sessionId: id }))];
  for (const [i, client] of pages.entries()) {
    client.on('connected', () => { connects += 1; });
    await client.registerTool(tool('who'), () => i);
  }
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(pages.map((client) => client.reconnect().catch((err) => assert.equal(err.name, 'BTCPError'))));
    if (round === 5) daemon = await restart(t, daemon);
  }
  const open = () => pages.filter(({ state }) => state === 'open');
  await until(() => open().length === 1 && pages.every(({ state }) => state === 'open' || state === 'idle'), WAIT_MS, 'one page');
  const before = connects;
  assert.ok(before <= 2 * 10 * pages.length, `${before} connections`);
  const agent = await agentOf(t, daemon, id);
  assert.equal(await ask(agent, 'who'), `${pages.indexOf(open()[0])}`);
  assert.deepEqual([connects, open().length], [before, 1], 'and it stays so');
});

test('a key that is not valid is said to be so, and not tried again', async (t) => {
  const daemon = await Daemon.start(t);
  const client = page(t, daemon, { token: 'tbk_none_of_ours' });
  await assert.rejects(client.connect(), { code: 'CONNECTION' });
  assert.equal(client.state, 'idle');
});
