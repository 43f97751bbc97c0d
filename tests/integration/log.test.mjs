// SPDX-License-Identifier: Apache-2.0
// Whatever becomes of the log, the daemon goes on.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, openSync, readlinkSync, writeSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { binary, Daemon, tempDir, undo, until, within } from '../support/daemon.mjs';
import { Line } from '../support/line.mjs';

test('a log that nobody reads stops nothing, and what was dropped is told when somebody does', async (t) => {
  const daemon = await Daemon.start(t, { args: ['--log-level', 'debug'] });
  daemon.child.stderr.pause();
  const many = ('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n').repeat(3999);
  const replies = await daemon.raw(`${many}GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
  assert.equal(replies.match(/HTTP\/1\.1 200/g).length, 4000);
  daemon.child.stderr.resume();
  await daemon.logged('status=200'); // it is read again
  let more = 0;
  while (!daemon.log.text.includes('route=/metrics')) {
    await daemon.request('/metrics');
    more++;
  }
  const dropped = [...daemon.log.text.matchAll(/lines were dropped because nobody read them lines=(\d+)/g)];
  const sum = dropped.reduce((all, [, lines]) => all + Number(lines), 0);
  assert.ok(sum > 0);
  assert.ok(daemon.log.text.match(/route=\/health/g).length + sum >= 4000);
  const others = 20; // a line of the start may be among the dropped ones
  assert.ok(daemon.log.text.match(/route=/g).length + sum <= 4000 + more + others);
});

/** A pipe that is full, with a reader who never reads. */
async function fullPipe(t) {
  const name = path.join(await tempDir(t), 'pipe');
  execFileSync('mkfifo', [name]);
  const filler = openSync(name, constants.O_RDWR | constants.O_NONBLOCK);
  assert.throws(() => { for (;;) writeSync(filler, 'x'.repeat(4096)); }, { code: 'EAGAIN' });
  const fd = openSync(name, 'r+'); // a writer waits at this one
  undo(t, () => [filler, fd].forEach(closeSync));
  return fd;
}

test('a stdout that nobody reads does not keep the daemon from serving, nor from stopping', async (t) => {
  const dir = await tempDir(t);
  const child = spawn(binary, ['serve', '--state-dir', path.join(dir, 'state'), '--runtime-dir', path.join(dir, 'run'),
    '--listen', '127.0.0.1:0', '--agent-listen', 'off'], { stdio: ['ignore', await fullPipe(t), 'pipe'] });
  const exited = once(child, 'exit');
  undo(t, async () => { child.kill('SIGKILL'); await exited; });
  let log = '';
  child.stderr.on('data', (data) => (log += data));
  await until(() => / ready address=/.test(log), 5000, 'the word that it is ready');
  const [, url] = / ready address=(\S+)/.exec(log);
  assert.equal((await fetch(`${url}/health`, { signal: AbortSignal.timeout(5000) })).status, 200);
  child.kill('SIGTERM');
  assert.deepEqual(await within(exited, 5000, 'its end'), [0, null]);
});

test('what could not be started ends, although nobody reads why', async (t) => {
  const dir = await tempDir(t);
  for (const args of [['mcp', '--no-start'], ['serve', '--listen', 'nowhere']]) {
    const child = spawn(binary, [...args, '--state-dir', path.join(dir, 'state'), '--runtime-dir', path.join(dir, 'run')],
      { stdio: ['pipe', 'ignore', await fullPipe(t)] });
    const exited = once(child, 'exit');
    undo(t, async () => { child.kill('SIGKILL'); await exited; });
    child.stdin.on('error', () => {}).end('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
    assert.deepEqual(await within(exited, 5000, `the end of ${args[0]}`), [1, null]);
  }
});

test('started without stdin, stdout and stderr it opens nothing of its own in their place', async (t) => {
  const dir = await tempDir(t);
  const state = path.join(dir, 'state');
  const child = spawn('sh', ['-c', 'exec "$0" "$@" <&- >&- 2>&-', binary, 'serve', '--state-dir', state,
    '--runtime-dir', path.join(dir, 'run'), '--listen', '127.0.0.1:0', '--agent-listen', 'off'], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  undo(t, async () => { child.kill('SIGKILL'); await exited; });
  const link = (fd) => { try { return readlinkSync(`/proc/${child.pid}/fd/${fd}`); } catch { return ''; } };
  await until(() => readlinkSync(`/proc/${child.pid}/exe`) === binary && link(2) !== '', 5000, 'the daemon');
  for (const fd of [0, 1, 2]) assert.equal(link(fd), '/dev/null');
  // Whoever answers has begun to hear signals, too; that the socket is there does not tell that.
  const answers = () => new Promise((resolve) => {
    http.get({ socketPath: path.join(dir, 'run', 'tabard.sock'), path: '/health' }, (res) => resolve(res.resume().statusCode === 200))
      .on('error', () => resolve(false));
  });
  await until(answers, 5000, 'its answer');
  child.kill('SIGTERM');
  assert.deepEqual(await within(exited, 5000, 'its end'), [0, null]);
});

test('what opens a remote browser to anybody never reaches the log, however the endpoint fails', async (t) => {
  const daemon = await Daemon.start(t, { args: ['--log-level', 'debug'] });
  const asked = new Set();
  const server = http.createServer((req, res) => res.writeHead(404).end(req.url));
  const ways = {
    refuse: (socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n'),
    babble: (socket) => socket.end('no HTTP at all\r\n\r\n'),
    vanish: (socket) => socket.destroy(),
  };
  server.on('upgrade', (req, socket) => {
    asked.add(req.url);
    ways[new URL(req.url, 'http://localhost').pathname.split('/').pop()](socket);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  undo(t, () => server.close());
  const { port } = server.address();
  const endpoints = [...Object.keys(ways).map((way) => `ws://127.0.0.1:${port}/hush-path/${way}?token=hush-token`),
    'ws://127.0.0.1:1/hush-path?token=hush-token', `wss://127.0.0.1:${port}/hush-path?token=hush-token`,
    `ws://hush-user:hush-word@127.0.0.1:${port}/`, 'http://127.0.0.1/hush-path?token=hush-token'];
  const line = new Line(daemon, true);
  undo(t, () => line.close());
  for (const endpoint of endpoints) {
    await assert.rejects(line.call(1, 'start_session', { sessionId: 'far', provider: 'cdp', endpoint }),
      (err) => !/hush/.test(err.message));
  }
  assert.equal(asked.size, Object.keys(ways).length); // the browser's side was told the token
  assert.ok([...asked].every((url) => url.endsWith('?token=hush-token')));
  daemon.child.kill('SIGTERM');
  await daemon.exited;
  assert.match(daemon.log.text, /route=\/mcp/);
  assert.doesNotMatch(daemon.log.text, /hush/);
});
