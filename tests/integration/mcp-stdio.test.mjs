// SPDX-License-Identifier: Apache-2.0
// MCP over `tabard mcp`: lines in, lines out.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { Daemon, tempDir, within } from '../support/daemon.mjs';
import { initialize, modernMeta, request, Stdio } from '../support/mcp.mjs';

const ping = (id) => request(id, 'ping');

test('an agent introduces itself, lists the tools and leaves', async (t) => {
  const daemon = await Daemon.start(t);
  const agent = new Stdio(t, daemon);
  agent.send(initialize('2025-06-18'));
  assert.equal((await agent.next()).result.protocolVersion, '2025-06-18');
  agent.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  assert.deepEqual(await agent.ask('a', 'ping'), { jsonrpc: '2.0', id: 'a', result: {} });
  assert.ok((await agent.ask(2, 'tools/list')).result.tools.length >= 15);
  agent.child.stdin.end();
  assert.deepEqual(await within(agent.exited, 5000, 'its end'), [0, null]);
  assert.equal(agent.stderr, '');
});

test('a probe of the modern era may be followed by initialize', async (t) => {
  const daemon = await Daemon.start(t);
  const agent = new Stdio(t, daemon);
  assert.deepEqual((await agent.ask(1, 'server/discover', { _meta: modernMeta() })).result.supportedVersions, ['2026-07-28']);
  agent.send(initialize());
  assert.equal((await agent.next()).result.protocolVersion, '2025-11-25');
  assert.equal((await agent.ask(2, 'tools/list', { _meta: modernMeta() })).result.resultType, 'complete');
  assert.equal((await agent.ask(3, 'tools/list')).result.resultType, undefined);
});

test('one broken line costs one error', async (t) => {
  const daemon = await Daemon.start(t);
  const agent = new Stdio(t, daemon);
  agent.send('', '   ', 'not json', ping(1), '{"jsonrpc":"2.0","id":2,"method":"no/such"}', ping(3));
  assert.equal((await agent.next()).error.code, -32700);
  assert.equal((await agent.next()).id, 1);
  assert.deepEqual((({ id, error }) => [id, error.code])(await agent.next()), [2, -32601]);
  assert.equal((await agent.next()).id, 3);
});

test('a request that cannot be read for what is in it gets its error under its id', async (t) => {
  const daemon = await Daemon.start(t);
  const agent = new Stdio(t, daemon);
  const broken = ['"\\ud83d"', '"a\\u0000b"', '1e400', `${'['.repeat(70)}${']'.repeat(70)}`, '1},"name":"y","b":{"c":2', '"\\x"'];
  for (const value of broken) {
    agent.send(`{"jsonrpc":"2.0","id":"first","method":"tools/call","params":{"name":"browser_wait","arguments":{"a":${value}}}}`);
    assert.deepEqual((({ id, error }) => [id, error.code])(await agent.next()), ['first', -32700], value);
    agent.send(`{"method":"tools/call","params":{"name":"browser_wait","arguments":{"a":${value}}},"jsonrpc":"2.0","id":7}`);
    assert.deepEqual((({ id, error }) => [id, error.code])(await agent.next()), [7, -32700], value);
  }
  agent.send(request(8, 'ping', { much: 'x'.repeat(17 * 1024 * 1024) }), ping(9));
  assert.match((({ id, error }) => `${id} ${error.message}`)(await agent.next()), /^8 the line is longer than 16 MiB/);
  assert.equal((await agent.next()).id, 9);
  await daemon.kill(); // nothing is left open that would get a second error
  agent.child.stdin.end();
  await within(agent.exited, 5000, 'its end');
  assert.deepEqual(agent.lines, []);
});

test('what was asked before the end of input is answered', async (t) => {
  const daemon = await Daemon.start(t);
  const agent = new Stdio(t, daemon);
  agent.send(...Array.from({ length: 50 }, (_, i) => ping(i)));
  agent.child.stdin.end();
  for (let i = 0; i < 50; i++) assert.equal((await agent.next()).id, i);
  assert.deepEqual(await within(agent.exited, 5000, 'its end'), [0, null]);
});

test('toolsets and groups are options, and a wrong one is an error at start', async (t) => {
  const daemon = await Daemon.start(t);
  const octopus = new Stdio(t, daemon, ['--no-start', '--toolset', 'octopus']);
  assert.equal((await octopus.ask(1, 'tools/list')).result.tools.length, 6);
  const files = new Stdio(t, daemon, ['--no-start', '--groups', 'files,pdf']);
  assert.ok((await files.ask(1, 'tools/list')).result.tools.some((tool) => tool.name === 'browser_pdf'));
  for (const args of [['--toolset', 'nope'], ['--groups', 'nope']]) {
    const wrong = new Stdio(t, daemon, ['--no-start', ...args]);
    assert.match((await wrong.ask(1, 'ping')).error.message, /unknown (toolset|group) 'nope'/);
    assert.deepEqual(await within(wrong.exited, 5000, 'its end'), [2, null]);
    assert.match(wrong.stderr, /unknown (toolset|group) 'nope'; known (toolsets|groups): /);
  }
});

test('two agents on one daemon: 400 interleaved requests, no answer goes astray', async (t) => {
  const daemon = await Daemon.start(t);
  const agents = [new Stdio(t, daemon), new Stdio(t, daemon)];
  await Promise.all(agents.map(async (agent, a) => {
    for (let i = 0; i < 200; i++) agent.send(ping(`${a}-${i}`));
    for (let i = 0; i < 200; i++) assert.equal((await agent.next()).id, `${a}-${i}`);
  }));
});

test('a killed daemon is told to the agent, and the next daemon serves it as if nothing had happened', async (t) => {
  const daemon = await Daemon.start(t);
  const agent = new Stdio(t, daemon);
  agent.send(initialize('2025-03-26'));
  await agent.next();
  await daemon.kill();
  assert.ok((await agent.ask(1, 'ping')).error);
  const next = await Daemon.start(t, { dir: daemon.dir });
  assert.ok(next.url);
  assert.deepEqual((await agent.ask(2, 'ping')).result, {});
  // The version that was agreed on still holds: only 2025-03-26 has batches.
  agent.send([ping(3)]);
  assert.deepEqual(await agent.next(), [{ jsonrpc: '2.0', id: 3, result: {} }]);
});

test('a daemon that hangs up at once is an error, and never a signal', async (t) => {
  const dir = await tempDir(t);
  const where = { stateDir: dir, socket: path.join(dir, 'tabard.sock') };
  const server = createServer().listen(where.socket);
  t.after(() => server.close());
  await once(server, 'listening');
  const agent = new Stdio(t, where);
  const [peer] = await within(once(server, 'connection'), 5000, 'the bridge');
  await within(once(peer, 'data'), 5000, 'its request');
  const [, ignored] = /^SigIgn:\s*(\w+)/m.exec(await readFile(`/proc/${agent.child.pid}/status`, 'utf8'));
  assert.ok(BigInt(`0x${ignored}`) & (1n << 12n), 'SIGPIPE is ignored');
  peer.destroy();
  server.on('connection', (again) => again.once('data', () => again.destroy())); // it tries once more for the first request
  assert.match((await agent.ask(1, 'ping')).error.message, /the daemon closed the connection/);
  assert.deepEqual(await within(agent.exited, 5000, 'its end'), [1, null]);
  assert.match(agent.stderr, /the daemon closed the connection/);
});

test('the stdio address is for the Unix socket and the right upgrade only', async (t) => {
  const daemon = await Daemon.start(t);
  assert.equal((await daemon.request('/mcp/stdio', { auth: true })).status, 404);
  assert.equal((await daemon.request('/mcp/stdio', { unix: true })).status, 400);
});
