// SPDX-License-Identifier: Apache-2.0
// `tabard mcp` where no daemon runs: it starts one, which goes on when it ends.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { binary, Daemon, run, sanitized, tempDir, undo, within } from '../support/daemon.mjs';
import { Stdio } from '../support/mcp.mjs';
import { gone } from '../support/processes.mjs';

async function place(t) {
  const dir = await tempDir(t);
  const where = { stateDir: path.join(dir, 'state'), socket: path.join(dir, 'run', 'tabard.sock') };
  where.pid = async () => Number(/^process (\d+)/.exec(await readFile(path.join(where.stateDir, 'lock'), 'utf8'))[1]);
  undo(t, () => finishDaemon(where));
  return where;
}

/** It is nobody's child here, so that its log has to tell how it ended. */
async function finishDaemon(where) {
  const pid = await where.pid();
  process.kill(pid, sanitized ? 'SIGTERM' : 'SIGKILL');
  try {
    await gone([pid], 20_000);
  } catch (err) {
    process.kill(pid, 'SIGKILL');
    throw err;
  }
  assert.doesNotMatch(await readFile(path.join(where.stateDir, 'daemon.log'), 'utf8'), /Sanitizer|runtime error/);
}

const start = (t, where) => new Stdio(t, where, ['--listen', '127.0.0.1:0', '--agent-listen', 'off']);

/** The daemon's log, as soon as it holds the words. */
async function logged(where, words) {
  const look = async () => {
    for (;;) {
      const text = await readFile(path.join(where.stateDir, 'daemon.log'), 'utf8');
      if (text.includes(words)) return text;
    }
  };
  return within(look(), 10_000, words);
}

test('the daemon that it starts is one of its own, with keys on the disk', async (t) => {
  const where = await place(t);
  const agent = start(t, where);
  assert.deepEqual((await agent.ask(1, 'ping')).result, {});
  const pid = await where.pid();
  assert.match(await readFile(`/proc/${pid}/cmdline`, 'utf8'),
    new RegExp(`^tabard serve --state-dir ${where.stateDir} --runtime-dir .* --agent-listen off\0*$`));
  const [, session] = /^\d+ \(.*\) \S \d+ \d+ (\d+)/.exec(await readFile(`/proc/${pid}/stat`, 'utf8'));
  assert.equal(Number(session), pid);
  await logged(where, 'ready');
  for (const [name, size] of [['secret', 32], ['admin.token', 44]]) {
    const info = await stat(path.join(where.stateDir, name));
    assert.deepEqual([info.size, info.mode & 0o777], [size, 0o600]);
  }
  agent.child.stdin.end();
  assert.deepEqual(await within(agent.exited, 5000, 'its end'), [0, null]);
  const next = start(t, where);
  assert.deepEqual((await next.ask(1, 'ping')).result, {});
  assert.equal(await where.pid(), pid);
});

test('its daemon stands in / and has none of the agent\'s secrets, whatever is relative', async (t) => {
  const where = await place(t);
  const cwd = path.dirname(where.stateDir);
  const child = spawn(binary, ['mcp', '--state-dir', 'state', '--runtime-dir', './run', '--listen', '127.0.0.1:0',
    '--agent-listen', 'off'], {
    cwd, stdio: ['pipe', 'pipe', 'inherit'],
    env: { PATH: '/usr/bin:/bin', HOME: cwd, LC_ALL: 'C.UTF-8', TABARD_LOG_LEVEL: 'debug', AGENT_API_KEY: 'hunter2' },
  });
  undo(t, () => child.kill('SIGKILL'));
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  await within(once(child.stdout, 'data'), 10_000, 'an answer');
  const pid = await where.pid();
  assert.equal(await readlink(`/proc/${pid}/cwd`), '/');
  const environ = await readFile(`/proc/${pid}/environ`, 'latin1');
  assert.ok(!environ.includes('hunter2'));
  assert.match(environ, /LC_ALL=C\.UTF-8\0/);
  await logged(where, 'ready');
  // A reload finds its files again.
  process.kill(pid, 'SIGHUP');
  assert.doesNotMatch(await logged(where, 'reloaded'), /takes effect after a restart|setting changed/);
});

test('of several that start at once, one starts the daemon and all are served', async (t) => {
  const where = await place(t);
  const agents = Array.from({ length: 6 }, () => start(t, where));
  for (const agent of agents) assert.deepEqual((await agent.ask(1, 'ping')).result, {});
  assert.equal((await logged(where, 'ready')).match(/ready address/g).length, 1);
});

test('a killed daemon is started again by the next request, twenty times', async (t) => {
  const where = await place(t);
  const agent = start(t, where);
  await agent.ask(1, 'ping');
  for (let i = 0; i < 20; i++) {
    const pid = await where.pid();
    process.kill(pid, 'SIGKILL');
    let answer;
    do answer = await agent.ask(2, 'ping'); while (answer.error);
    assert.notEqual(await where.pid(), pid);
  }
});

test('a socket that was removed under the daemon is made again, and an agent that comes meanwhile waits for it', async (t) => {
  const where = await place(t);
  await start(t, where).ask(1, 'ping');
  const pid = await where.pid();
  await logged(where, 'ready');
  await rm(path.dirname(where.socket), { recursive: true });
  const agent = start(t, where);
  assert.deepEqual((await agent.ask(1, 'ping')).result, {});
  assert.equal(await where.pid(), pid);
  const log = await logged(where, 'the socket was removed and has been created again');
  assert.doesNotMatch(log, /in use by/);
});

test('what keeps the daemon from starting is said at once', async (t) => {
  const dir = await tempDir(t);
  const result = await run(['mcp', '--state-dir', dir, '--runtime-dir', path.join(dir, 'run'), '--listen', 'nowhere']);
  assert.equal(result.code, 1);
  assert.match(result.stderr, /'nowhere' is not an address to listen on/);
});

test('an agent hears why there is no daemon as the answer to its first request', async (t) => {
  const dir = await tempDir(t);
  const where = ['--state-dir', path.join(dir, 'state'), '--runtime-dir', path.join(dir, 'run')];
  const bad = path.join(dir, 'bad.yaml');
  await writeFile(bad, 'sesions:\n', { mode: 0o600 });
  for (const [args, words, code] of [
    [['--no-start'], /no daemon is running at .*; start one with 'tabard serve'/, 1],
    [['--config', bad], /unknown setting sesions \(did you mean sessions\?\)/, 1],
    [['--toolset', 'octopu'], /unknown toolset 'octopu'.*; 'tabard help mcp' lists the options/, 2],
  ]) {
    const child = spawn(binary, ['mcp', ...where, ...args], { stdio: 'pipe' });
    undo(t, () => child.kill('SIGKILL'));
    const said = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr']) child[name].on('data', (data) => { said[name] += data; });
    child.stdin.write('{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}\n'); // and stdin stays open
    assert.deepEqual(await within(once(child, 'close'), 10_000, args.join(' ')), [code, null]);
    const { id, error } = JSON.parse(said.stdout);
    assert.equal(id, 7);
    assert.match(error.message, words);
    assert.match(said.stderr, words);
    assert.equal(said.stderr.split('\n').length, 2, said.stderr);
  }
});

test('what was wrong at the start is not blamed when it is over', async (t) => {
  const dir = await tempDir(t);
  const child = spawn(binary, ['mcp', '--no-start', '--state-dir', path.join(dir, 'state'), '--runtime-dir', path.join(dir, 'run')], { stdio: 'pipe' });
  undo(t, () => child.kill('SIGKILL'));
  const [said] = await within(once(child.stderr, 'data'), 10_000, 'words on stderr');
  assert.match(String(said), /no daemon is running at /);
  await Daemon.start(t, { dir });
  child.stdin.write('{"jsonrpc":"2.0","id":7,"method":"ping"}\n');
  const [answer] = await within(once(child.stdout, 'data'), 10_000, 'an answer');
  assert.deepEqual(JSON.parse(answer), { jsonrpc: '2.0', id: 7, result: {} });
  child.stdin.end();
  assert.deepEqual(await within(once(child, 'close'), 10_000, 'its end'), [0, null]);
});

test('settings that a running daemon does not take are named', async (t) => {
  const daemon = await Daemon.start(t);
  const args = ['mcp', '--state-dir', daemon.stateDir, '--runtime-dir', path.join(daemon.dir, 'run')];
  const plain = await run(args);
  assert.deepEqual([plain.code, plain.stderr], [0, '']);
  const env = { ...process.env, TABARD_SESSIONS_TOTAL: '1' };
  const ignored = await run([...args, '--listen', '127.0.0.1:9999'], { env });
  assert.deepEqual([ignored.code, ignored.stderr], [0,
    'tabard mcp: a daemon is already running and keeps its settings; no effect on it: --listen, TABARD_SESSIONS_TOTAL\n']);
  // Those that it has as well are not.
  const listen = daemon.args[daemon.args.indexOf('--listen') + 1];
  const same = await run([...args, '--listen', listen], { env: { ...process.env, TABARD_SESSIONS_TOTAL: '50', TABARD_BROWSER_HEADLESS: 'true' } });
  assert.deepEqual([same.code, same.stderr], [0, '']);
});

test('keys that cannot be written are a start-up error', async (t) => {
  // The bridge hears of the secret, since nobody is served before it is written, but not of the token.
  for (const [command, name] of [['serve', 'secret'], ['serve', 'admin.token'], ['mcp', 'secret']]) {
    const dir = await tempDir(t);
    await mkdir(path.join(dir, `${name}.new`), { mode: 0o700 });
    const result = await run([command, '--state-dir', dir, '--runtime-dir', path.join(dir, 'run'), '--listen', '127.0.0.1:0',
      '--agent-listen', 'off']);
    assert.equal(result.code, 1);
    assert.match(result.stderr, new RegExp(`cannot write .*${name}`));
    assert.equal(result.stdout, '');
  }
});
