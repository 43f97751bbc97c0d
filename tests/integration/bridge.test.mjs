// SPDX-License-Identifier: Apache-2.0
// The bridge `tabard mcp` between an agent and a daemon that are slow, much, or gone.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { binary, Daemon, fixtures, tempDir, undo, until, within } from '../support/daemon.mjs';
import { initialize, request, Stdio } from '../support/mcp.mjs';

const ping = (id) => request(id, 'ping');
const cancelled = (id) => ({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });

/** A daemon that greets the bridge and then only listens; `peer` is its end of the line. */
class Mute {
  static async start(t) {
    const dir = await tempDir(t);
    const mute = Object.assign(new Mute(), { stateDir: dir, socket: path.join(dir, 'tabard.sock') });
    mute.server = createServer().listen(mute.socket);
    undo(t, () => mute.server.close());
    await once(mute.server, 'listening');
    return mute;
  }

  /** The next connection, greeted. */
  async meet() {
    const [peer] = await within(once(this.server, 'connection'), 5000, 'the bridge');
    peer.on('error', () => {});
    const [head] = await within(once(peer, 'data'), 5000, 'its request');
    peer.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    const conversation = /^X-Conversation-Id: (\S+)/m.exec(head.toString())[1];
    peer.pause();
    let lines; // nothing is read before somebody asks
    const next = async () => {
      lines ??= on(createInterface({ input: peer }).on('error', () => {}), 'line');
      return JSON.parse((await within(lines.next(), 5000, 'a line')).value[0]);
    };
    return { peer, conversation, next };
  }
}

test('an agent that asks much at once and reads meanwhile gets every answer', async (t) => {
  const daemon = await Daemon.start(t);
  const agent = new Stdio(t, daemon);
  const large = request('large', 'ping', { _meta: { much: 'x'.repeat(1_000_000) } });
  agent.send(...Array.from({ length: 400 }, (_, i) => request(i, 'tools/list')), large, ...Array.from({ length: 1000 }, (_, i) => ping(`p${i}`)));
  const seen = new Set();
  for (let i = 0; i < 1401; i++) seen.add((await agent.next()).id);
  assert.equal(seen.size, 1401);
});

test('after the end of input the answers of a batch still come', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const agent = new Stdio(t, daemon);
  agent.send(initialize('2025-03-26'), [ping(1), request(2, 'tools/call', { name: 'browser_navigate', arguments: { url: 'http://x/' } })]);
  agent.child.stdin.end();
  await agent.next();
  assert.deepEqual((await agent.next()).map((answer) => answer.id).sort(), [1, 2]);
  assert.deepEqual(await within(agent.exited, 1000, 'its end'), [0, null]);
});

test('a last line without its end is a line', async (t) => {
  const daemon = await Daemon.start(t);
  const agent = new Stdio(t, daemon);
  agent.child.stdin.end(JSON.stringify(ping(1)));
  assert.equal((await agent.next()).id, 1);
});

test('when the daemon dies, all that is open gets an error, and nothing else does', async (t) => {
  const mute = await Mute.start(t);
  const agent = new Stdio(t, mute);
  const { peer, next } = await mute.meet();
  agent.send(initialize('2025-03-26'));
  await next();
  peer.write('{"jsonrpc":"2.0","id":0,"result":{}}\n');
  await agent.next();
  const dropped = Array.from({ length: 5000 }, (_, i) => i + 1000);
  agent.send(...dropped.map(ping), ...dropped.map(cancelled), ping(1), ping(2), [ping(3), ping(4), ping(5)], ping('last'));
  let line;
  do line = await next(); while (line.id !== 'last');
  peer.write('{"jsonrpc":"2.0","id":2,"result":{}}\n[{"jsonrpc":"2.0","id":4,"result":{}}]\n');
  for (const answered of [2, 4]) assert.equal([await agent.next()].flat()[0].id, answered);
  peer.destroy();
  assert.equal((await agent.next()).id, 1);
  assert.deepEqual((await agent.next()).map(({ id, error }) => [id, typeof error.message]), [[3, 'string'], [5, 'string']]);
  assert.equal((await agent.next()).id, 'last');
  // The next request is the next line that the agent gets.
  agent.send(ping(6));
  const again = await mute.meet();
  assert.equal((await again.next()).method, 'initialize');
  assert.equal((await again.next()).method, 'notifications/initialized');
  assert.equal((await again.next()).id, 6);
  again.peer.write('{"jsonrpc":"2.0","id":0,"result":{}}\n{"jsonrpc":"2.0","id":6,"result":{}}\n');
  assert.equal((await agent.next()).id, 6);
});

test('every daemon is told the same conversation, and every bridge has its own', async (t) => {
  const mute = await Mute.start(t);
  const agent = new Stdio(t, mute);
  const first = await mute.meet();
  agent.send(ping(1));
  await first.next();
  first.peer.destroy();
  assert.ok((await agent.next()).error);
  agent.send(ping(2));
  const second = await mute.meet();
  assert.equal(second.conversation, first.conversation);
  assert.match(first.conversation, /^[\w-]{43}$/);
  assert.ok(new Stdio(t, mute));
  assert.notEqual((await mute.meet()).conversation, first.conversation);
  second.peer.destroy(); // a bridge whose input has ended waits for its answers
});

/** A pipe that has a reader who never reads. */
async function deafPipe(t) {
  const name = path.join(await tempDir(t), 'pipe');
  execFileSync('mkfifo', [name]);
  const fd = openSync(name, 'r+');
  undo(t, () => closeSync(fd));
  return fd;
}

const lists = (count, size) => Array.from({ length: count },
  (_, i) => `${JSON.stringify(request(i, 'tools/list', { _meta: { much: 'x'.repeat(size) } }))}\n`).join('');

for (const [kind, open] of [['pipe', deafPipe], ['socket', () => 'pipe']]) {
  const begin = async (t) => {
    const daemon = await Daemon.start(t);
    const child = spawn(binary, ['mcp', '--no-start', '--state-dir', daemon.stateDir, '--runtime-dir', path.dirname(daemon.socket)],
      { stdio: ['pipe', await open(t), 'inherit'] });
    undo(t, () => child.kill('SIGKILL'));
    return { child, exited: once(child, 'exit') };
  };

  test(`it ends soon after its input, although answers wait for a ${kind} that nobody reads`, async (t) => {
    const { child, exited } = await begin(t);
    child.stdin.end(lists(1000, 10));
    assert.deepEqual(await within(exited, 3000, 'its end'), [0, null]);
  });

  test(`the same when it could not read all of its input, and the output is a ${kind}`, async (t) => {
    const { child, exited } = await begin(t);
    child.stdin.write(lists(3000, 10_000));
    // Nearly as much as makes it stop: 16 MiB wait for the daemon, which has stopped after some.
    await until(() => /^rchar: (\d+)/m.exec(readFileSync(`/proc/${child.pid}/io`, 'utf8'))[1] > 2e7, 5000, 'it reads');
    child.stdin.destroy();
    assert.deepEqual(await within(exited, 3000, 'its end'), [0, null]);
  });
}

test('an agent that writes all before it reads anything gets every answer', async (t) => {
  const daemon = await Daemon.start(t);
  const child = spawn(binary, ['mcp', '--no-start', '--state-dir', daemon.stateDir, '--runtime-dir', path.dirname(daemon.socket)],
    { stdio: ['pipe', 'pipe', 'inherit'] });
  undo(t, () => child.kill('SIGKILL'));
  const count = 1200; // 12 MB; the answers are more
  await within(new Promise((resolve) => child.stdin.write(lists(count, 10_000), resolve)), 10_000, 'all is written');
  const seen = new Set();
  const lines = on(createInterface({ input: child.stdout }), 'line');
  while (seen.size < count) seen.add(JSON.parse((await within(lines.next(), 5000, 'an answer')).value[0]).id);
});

test('it ends at once when its agent is killed, also in the middle of a call', async (t) => {
  const mute = await Mute.start(t);
  const agent = new Stdio(t, mute);
  const { next } = await mute.meet();
  agent.send(ping(1));
  await next();
  agent.child.stdout.destroy();
  await within(agent.exited, 1000, 'its end');
});
