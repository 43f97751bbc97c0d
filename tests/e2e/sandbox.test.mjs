// SPDX-License-Identifier: Apache-2.0
// Browsers as the kernel sees them: their own sandbox is on below ours, and nobody else can drive them.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Daemon, run, tempDir, undo, until } from '../support/daemon.mjs';
import { postModern } from '../support/mcp.mjs';
import { below, isRenderer } from '../support/processes.mjs';

const status = (pid) => Object.fromEntries(readFileSync(`/proc/${pid}/status`, 'utf8').split('\n')
  .map((line) => line.split(/:\s+/)));

const LISTENS = '0A';
/** The sockets of this machine that listen for TCP, by inode. */
const listening = () => new Set(['tcp', 'tcp6'].flatMap((table) => readFileSync(`/proc/net/${table}`, 'utf8').split('\n')
  .map((line) => line.trim().split(/\s+/)).filter((row) => row[3] === LISTENS).map((row) => row[9])));

function sockets(pid) {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((fd) => /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1] ?? []);
  } catch {
    return []; // it has ended, or is another user's in a run without root
  }
}

for (const engine of ['shell', 'chromium']) {
  test(`PROC-1: renderers have their own filter and namespaces, and no browser listens (${engine})`, async (t) => {
    const daemon = await Daemon.start(t, { config: `browser:\n  engine: ${engine}\n` });
    const { pid } = daemon.child;
    const reply = await postModern(daemon, 'tools/call', { name: 'browser_navigate', arguments: { url: 'about:blank' } });
    assert.equal(reply.status, 200);
    const all = below(pid);
    const renderers = all.filter(isRenderer);
    assert.ok(renderers.length > 0);
    const ours = Number(status(pid).Seccomp_filters);
    for (const { pid: renderer } of renderers) {
      const seen = status(renderer);
      assert.equal(seen.Seccomp, '2');
      assert.ok(Number(seen.Seccomp_filters) > ours, 'one more than it has inherited');
      assert.ok(seen.NSpid.split(/\s+/).length > 1, 'it has a number of its own in a namespace');
      assert.equal(BigInt(`0x${seen.CapEff}`), 0n);
    }
    for (const p of all) {
      assert.equal(status(p.pid).NoNewPrivs, '1', p.args[0]);
      assert.notEqual(status(p.pid).Uid.split(/\s+/)[1], '0', p.args[0]);
      assert.ok(!p.args.join(' ').includes('--no-sandbox'));
      assert.ok(!/--disable-site-isolation|--disable-web-security/.test(p.args.join(' ')));
    }
    const open = listening();
    assert.ok(sockets(pid).some((inode) => open.has(inode)), 'the daemon itself does listen');
    for (const p of all) assert.ok(!sockets(p.pid).some((inode) => open.has(inode)), p.args[0]);
  });
}

test('PROC-1: root as the user of browsers is refused at the start', async (t) => {
  if (process.getuid() !== 0) return t.skip('only root runs browsers as somebody else');
  const daemon = await Daemon.start(t);
  const refused = await run([...daemon.args, '--browser-user', 'root']);
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /browser[.-]user/);
});

for (const engine of ['shell', 'chromium']) {
  test(`FILE-5: no shell is started for a browser, whatever a session asks for (${engine})`, async (t) => {
    const env = { ASAN_OPTIONS: `${process.env.ASAN_OPTIONS ?? ''}:detect_leaks=0` }; // which does not work beside a tracer
    const daemon = await Daemon.start(t, { config: `browser:\n  engine: ${engine}\n`, env });
    const seen = path.join(await tempDir(t), 'execve');
    const tracer = spawn('strace', ['-f', '-qq', '-o', seen, '-e', 'trace=execve,execveat', '-p', `${daemon.child.pid}`], { stdio: ['ignore', 'ignore', 'pipe'] });
    const ended = once(tracer, 'exit');
    const traced = () => /TracerPid:\s+[1-9]/.test(readFileSync(`/proc/${daemon.child.pid}/status`, 'utf8'));
    undo(t, () => { tracer.kill(); return ended; });
    await Promise.race([ended, until(traced, 5000, 'strace begins')]);
    if (!traced()) return t.skip('strace cannot look at a process here');
    for (const args of [{ sessionId: 'a; sh -c id', url: 'about:blank' }, { sessionId: 'b', url: 'data:text/html,$(sh)' }, { args: ['--renderer-cmd-prefix=/bin/sh'] }]) {
      await postModern(daemon, 'tools/call', { name: 'start_session', arguments: args });
    }
    await postModern(daemon, 'tools/call', { name: 'browser_navigate', arguments: { url: 'about:blank' } });
    daemon.child.kill('SIGTERM');
    await daemon.exited;
    await ended;
    const started = [...readFileSync(seen, 'utf8').matchAll(/execve(?:at)?\((?:[^"]*)"([^"]+)"/g)].map((match) => match[1]);
    assert.ok(started.some((name) => /chrom/.test(name)), `a browser is started: ${started}`);
    assert.deepEqual(started.filter((name) => /\/(ba|da|z|k|c)?sh$|\/(env|busybox|xargs)$/.test(name)), []);
  });
}
