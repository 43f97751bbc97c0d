// SPDX-License-Identifier: Apache-2.0
// What the program is built with, what a running daemon has given up, and what another user of the machine sees of it.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { binary, Daemon, fixtures, sanitized, tempDir, until } from '../support/daemon.mjs';
import { postModern } from '../support/mcp.mjs';

const root = process.getuid() === 0;
const NOBODY = '65534';

const status = (pid) => Object.fromEntries(readFileSync(`/proc/${pid}/status`, 'utf8').split('\n')
  .map((line) => line.split(/:\s+/)));

/** Runs a command as a user who is nobody to the daemon. */
const asNobody = (...command) => spawnSync('setpriv', ['--reuid', NOBODY, '--regid', NOBODY, '--clear-groups', ...command], { encoding: 'utf8' });

test('PROC-2: the program is position independent, its tables are read-only, its stack is guarded', (t) => {
  if (sanitized) return t.skip('built otherwise');
  const elf = (...flags) => execFileSync('readelf', ['-W', ...flags, binary], { encoding: 'utf8', maxBuffer: 1 << 26 });
  assert.match(elf('-h'), /Type:\s+DYN/);
  const segments = elf('-l');
  assert.match(segments, /GNU_RELRO/);
  assert.match(segments, /GNU_STACK.* RW /);
  assert.doesNotMatch(segments, /LOAD.* RWE? *E /);
  assert.match(elf('-d'), /BIND_NOW|FLAGS_1.*NOW/);
  const symbols = elf('--dyn-syms');
  assert.match(symbols, /__stack_chk_fail/);
  assert.match(symbols, /__(memcpy|snprintf|vsnprintf|read)_chk/);
});

test('what is only for tests is no part of the program', () => {
  const forTests = (program) => [/\btb_fake_/, /\btb_driver_fake\b/, /fixture/].filter((mark) => mark.test(
    execFileSync('nm', [program], { encoding: 'utf8', maxBuffer: 1 << 28 })));
  const shown = (program) => ['CONFORMANCE FIXTURES ARE SERVED', 'test_sampling'].filter((words) => readFileSync(program).includes(words));
  assert.deepEqual([...forTests(binary), ...shown(binary)], []);
  assert.equal(forTests(fixtures).length + shown(fixtures).length, 5); // which the marks are right for
});

test('PROC-2: a running daemon has given up new rights, most system calls, dumps and capabilities', async (t) => {
  const daemon = await Daemon.start(t);
  const { pid } = daemon.child;
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const seen = status(`${pid}/task/${task}`);
    assert.equal(seen.NoNewPrivs, '1');
    assert.equal(seen.Seccomp, '2');
    // CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID, SETUID, NET_BIND_SERVICE, and none that it did not have.
    for (const set of ['CapEff', 'CapPrm']) assert.equal(BigInt(`0x${seen[set]}`) & ~0x4ebn, 0n, seen[set]);
    assert.equal(BigInt(`0x${seen.CapInh}`) | BigInt(`0x${seen.CapAmb}`), 0n);
  }
  assert.equal(status(pid).Umask, '0077');
  if (!sanitized) assert.match(readFileSync(`/proc/${pid}/limits`, 'utf8'), /Max core file size\s+0\s+0/);
  assert.ok(!daemon.log.text.includes('hardening is incomplete'));
});

test('PROC-2: what the daemon starts is refused tracing and mounting, also in namespaces of its own', async (t) => {
  const dir = await tempDir(t);
  await chmod(dir, 0o777);
  const program = path.join(dir, 'browser');
  const found = path.join(dir, 'found');
  await writeFile(program, `#!/bin/sh
unshare -Urm --propagation unchanged true && echo namespaces >> ${found}
unshare -Urm --propagation unchanged mount -t tmpfs none /mnt && echo mounted >> ${found}
strace -o /dev/null true && echo traced >> ${found}
umask >> ${found}
echo over >> ${found}
`, { mode: 0o755 });
  const daemon = await Daemon.start(t, { config: `browser:\n  path: ${program}\n` });
  await postModern(daemon, 'tools/call', { name: 'browser_navigate', arguments: { url: 'about:blank', timeout_ms: 10_000 } });
  const told = () => { try { return readFileSync(found, 'utf8').split('\n'); } catch { return []; } };
  await until(() => told().includes('over'), 10_000, 'the program has run');
  assert.ok(told().includes('namespaces'), 'without them the rest proves nothing');
  assert.ok(!told().includes('mounted'));
  if (!sanitized) assert.ok(!told().includes('traced'));
  assert.ok(told().includes('0077'));
});

test('another user of the machine can neither connect to the Unix socket nor read anything of the daemon', async (t) => {
  if (!root) return t.skip('only root can be another user');
  const dir = await tempDir(t);
  chmodSync(dir, 0o755); // what is below has to hold by itself
  const daemon = await Daemon.start(t, { dir });
  const connect = `require('node:net').connect(process.argv[1]).on('connect', () => process.exit(0)).on('error', (e) => { console.log(e.code); process.exit(1); });`;
  const tried = asNobody(process.execPath, '-e', connect, daemon.socket);
  assert.equal(tried.status, 1, tried.stderr);
  assert.match(tried.stdout, /EACCES/);
  for (const place of [daemon.stateDir, path.dirname(daemon.socket)]) {
    assert.notEqual(asNobody('ls', place).status, 0, place);
    for (const file of readdirSync(place)) {
      assert.notEqual(asNobody('cat', path.join(place, file)).status, 0, file);
    }
  }
  for (const file of ['environ', 'maps', 'fd/0', 'mem']) {
    assert.notEqual(asNobody('head', '-c', '1', `/proc/${daemon.child.pid}/${file}`).status, 0, file);
  }
  assert.equal((await daemon.request('/health')).status, 200);
});

test('files are private, also where their directory is open', async (t) => {
  const dir = await tempDir(t);
  for (const place of ['state', 'run']) await mkdir(path.join(dir, place), { mode: 0o755 });
  const daemon = await Daemon.start(t, { dir });
  await postModern(daemon, 'tools/call', { name: 'list_sessions', arguments: {} });
  await readFile(path.join(daemon.stateDir, 'secret'));
  const open = execFileSync('find', [daemon.stateDir, path.dirname(daemon.socket), '-mindepth', '1', '-perm', '/077'], { encoding: 'utf8' });
  assert.equal(open, '');
});
