// SPDX-License-Identifier: Apache-2.0
// What the store and the audit log cost: a start with very many sessions, calls beside them, and a call of
// browser_evaluate with and without them. TABARD_BINARY and FILL are the programs; QUICK=1 is a short run.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { binary, Daemon, fixtures } from '../../tests/support/daemon.mjs';
import { Line } from '../../tests/support/line.mjs';
import { Site } from '../../tests/support/site.mjs';
import { median } from '../browser/lib/measure.mjs';

const quick = Boolean(process.env.QUICK);
const COUNTS = quick ? [1, 10_000] : [1, 1000, 10_000, 100_000];
const STARTS = quick ? 3 : 7;
const TURNS = quick ? 20 : 80;
const TURN_CALLS = 25;
const CALLS = 2000;
const TICK_MS = 1000 / Number(execFileSync('getconf', ['CLK_TCK']));

const hooks = [];
const t = { after: (fn) => hooks.unshift(fn) };
const say = (text) => process.stdout.write(`${text}\n`);
const ms = (value) => value.toFixed(3);

const statusOf = (pid, name) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
const cpuMs = (pid) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ').slice(11, 13).reduce((a, b) => a + Number(b), 0) * TICK_MS;

function makeDir() {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'tabard-bench-'));
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** A directory with so many stored sessions of a driver. */
function fill(count, driver) {
  const dir = makeDir();
  const words = execFileSync(process.env.FILL, [path.join(dir, 'state'), `${count}`, driver]).toString();
  return { dir, words: words.trim() };
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function connects(where) {
  return new Promise((resolve) => {
    const socket = net.connect(where);
    socket.once('connect', () => resolve(true) ?? socket.destroy());
    socket.once('error', () => resolve(false));
  });
}

/** From exec to the first accepted connection, and to the answer of the first call on a stored session. */
async function start(dir) {
  const port = await freePort();
  const began = performance.now();
  const child = spawn(binary, ['serve', '--state-dir', path.join(dir, 'state'), '--runtime-dir', path.join(dir, 'run'),
    '--listen', `127.0.0.1:${port}`, '--agent-listen', 'off'], { stdio: 'ignore' });
  while (!await connects({ host: '127.0.0.1', port }));
  const listening = performance.now() - began;
  const daemon = Object.assign(new Daemon(), { child, port, socket: path.join(dir, 'run', 'tabard.sock') });
  while (!await connects(daemon.socket)); // a moment later; it needs no token
  await new Line(daemon, true).call(1, 'browser_evaluate', { sessionId: 'stored-0', script: '1 + 1' });
  const call = performance.now() - began;
  const resident = statusOf(child.pid, 'VmRSS') / 1024;
  const peak = statusOf(child.pid, 'VmHWM') / 1024;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await gone;
  return { listening, call, resident, peak };
}

async function starts(count, dir) {
  const rounds = [];
  for (let i = 0; i < STARTS; i++) rounds.push(await start(dir));
  const mid = (name) => median(rounds.map((round) => round[name]));
  say(`| ${count} | ${mid('listening').toFixed(1)} | ${mid('call').toFixed(0)} | ${mid('resident').toFixed(1)} | ${mid('peak').toFixed(1)} |`);
}

/** Calls on one session while so many sleep beside it, and what the daemon does when nobody calls. */
async function beside(count, dir) {
  const daemon = await Daemon.start(t, { dir, program: fixtures });
  const line = new Line(daemon, true);
  await line.call(0, 'start_session', { sessionId: 'mine' });
  const times = [];
  const before = cpuMs(daemon.child.pid);
  for (let i = 0; i < CALLS; i++) {
    const began = performance.now();
    await line.call(i, 'browser_evaluate', { sessionId: 'mine', script: '1' });
    times.push(performance.now() - began);
  }
  const cpu = (cpuMs(daemon.child.pid) - before) / CALLS * 1000;
  const idleFrom = cpuMs(daemon.child.pid);
  await new Promise((resolve) => setTimeout(resolve, 3000));
  const idle = cpuMs(daemon.child.pid) - idleFrom;
  say(`| ${count} | ${ms(median(times))} | ${cpu.toFixed(0)} | ${(idle / 3).toFixed(1)} |`);
  await daemon.kill();
}

/** The same call on two daemons in turn, one that stores and one that does not. */
async function overhead() {
  const site = await Site.start(t);
  const sides = {};
  for (const [name, config] of Object.entries({ stored: '', bare: 'audit:\n  enabled: false\nstore:\n  kind: memory\n' })) {
    const daemon = await Daemon.start(t, { config });
    const line = new Line(daemon, true);
    await line.call(0, 'start_session', { sessionId: 's', url: `${site.url}/list` });
    sides[name] = { daemon, line, times: [], cpu: 0 };
  }
  const turn = async (side, calls, note) => {
    const before = cpuMs(side.daemon.child.pid);
    for (let i = 0; i < calls; i++) {
      const began = performance.now();
      await side.line.call(1, 'browser_evaluate', { sessionId: 's', script: 'document.title' });
      if (note) side.times.push(performance.now() - began);
    }
    if (note) side.cpu += cpuMs(side.daemon.child.pid) - before;
  };
  for (const side of Object.values(sides)) await turn(side, 200, false);
  for (let i = 0; i < TURNS; i++) {
    const order = i % 2 ? ['stored', 'bare'] : ['bare', 'stored'];
    for (const name of order) await turn(sides[name], TURN_CALLS, true);
  }
  const { stored, bare } = sides;
  const ratio = (part) => (median(stored.times, part) / median(bare.times, part)).toFixed(3);
  const cpu = (side) => (side.cpu / side.times.length * 1000).toFixed(0);
  say('| | median ms | 25 % | 75 % | processor µs a call |\n| --- | --- | --- | --- | --- |');
  for (const [name, side] of Object.entries(sides)) {
    say(`| ${name} | ${ms(median(side.times))} | ${ms(median(side.times, 0.25))} | ${ms(median(side.times, 0.75))} | ${cpu(side)} |`);
  }
  say(`| ratio | ${ratio(0.5)} | ${ratio(0.25)} | ${ratio(0.75)} | ${(stored.cpu / bare.cpu).toFixed(3)} |`);
}

try {
  const dirs = COUNTS.map((count) => ({ count, ...fill(count, 'cdp') }));
  say(`Storing, on the daemon's own thread: ${dirs.at(-1).words}\n`);
  say('Start with stored sessions (goal with 100,000: listening within 500 ms, 150 MB)\n');
  say('| sessions | listening ms | first call answered ms | resident MB | at most MB |\n| --- | --- | --- | --- | --- |');
  for (const { count, dir } of dirs) await starts(count, dir);
  say('\nA call without a browser beside sleeping sessions, whose timers all run (goal: flat)\n');
  say('| sessions | call ms | processor µs a call | processor ms a second without calls |\n| --- | --- | --- | --- |');
  for (const { count } of dirs) await beside(count, fill(count, 'fake').dir);
  say('\nbrowser_evaluate with store and audit log, and without (goal: at most 1.03)\n');
  await overhead();
} finally {
  for (const hook of hooks) await hook();
}
