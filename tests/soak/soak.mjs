// SPDX-License-Identifier: Apache-2.0
// F-29: mixed load on a real daemon with real browsers, a fault every few seconds, and after each the invariants:
// I1 every call ends by its deadline and a second; I2 no process is left; I3 descriptors and memory stay in bounds;
// I4 the database is whole and the audit log right; I5 nothing that was acknowledged is lost.
// soak.mjs [SECONDS]; TABARD_SOAK_SEED repeats the choices of an earlier run.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Daemon, run, sanitized, within } from '../support/daemon.mjs';
import { Disk } from '../support/disk.mjs';
import { Line } from '../support/line.mjs';
import { below, gone, isRenderer } from '../support/processes.mjs';
import { Site } from '../support/site.mjs';

const SECONDS = Number(process.argv[2] || 60);
const CLIENTS = 4;
const CALL_MS = 5000;
const OVER_MS = 1000;
const UNTIMED = ['list_sessions', 'close_session'];
const SETTLE_MS = 5000; // for the store to go on after a fault
const FD_SLACK = 30;
const RSS_SLACK_MB = 20;
const LOCKER = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
  db.exec('PRAGMA busy_timeout = 5000; BEGIN EXCLUSIVE'); console.log('locked'); process.stdin.resume().on('end', () => process.exit());`;
const CHECKER = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
  console.log(db.prepare('PRAGMA integrity_check').get().integrity_check);`;

let seed = Number(process.env.TABARD_SOAK_SEED ?? Date.now() % 2_147_483_646 + 1);
const pick = (n) => (seed = (seed * 48_271) % 2_147_483_647) % n;
const anyOf = (list) => list[pick(list.length)];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (text) => process.stdout.write(`${text}\n`);

const hooks = [];
const t = { after: (fn) => hooks.unshift(fn), skip: (why) => say(`left out: full disk (${why})`) };

class Soak {
  violations = [];
  faults = {};
  count = { calls: 0, good: 0, errors: 0, cut: 0 };
  longest = 0; // a call, in ms
  ops = 0;
  entries = new Map(); // number of an acknowledged call to its tool
  sessions = new Set(); // acknowledged and not asked to end
  epoch = 0; // grows with each kill of the daemon
  paused = null; // while it is not, clients wait for it
  words = {}; // of errors, and how often

  violate(words) {
    this.violations.push(words);
    say(`VIOLATION ${words}`);
  }

  async begin() {
    this.site = await Site.start(t);
    this.disk = await Disk.make(t, '64m');
    await this.startDaemon();
  }

  async startDaemon() {
    const where = this.disk ? { disk: this.disk } : { dir: this.daemon?.dir };
    this.daemon = await Daemon.start(t, { ...where, config: 'sessions:\n  per_tenant: 20\n' });
    this.baseline = null;
  }

  /** A program of node's beside the daemon, where it can see its files. */
  node(script, ...args) {
    const via = this.disk ? ['nsenter', '-t', `${this.disk.keeper}`, '-m'] : [];
    return [...via, process.execPath, '--no-warnings', '-e', script, ...args];
  }

  get database() {
    return path.join(this.daemon.stateDir, 'tabard.db');
  }

  /** One call; how it ended: 'good', 'error' (told by the daemon), 'cut' (the daemon was killed). */
  async call(line, name, args, timeout_ms = CALL_MS) {
    if (this.paused) await this.paused;
    line.daemon = this.daemon;
    const op = ++this.ops;
    const epoch = this.epoch;
    const began = Date.now();
    this.count.calls++;
    let end = 'good';
    try {
      const timed = UNTIMED.includes(name) ? args : { ...args, timeout_ms };
      await within(line.call(op, name, timed), timeout_ms + OVER_MS + 5000, `${name}`);
      this.entries.set(op, name);
    } catch (err) {
      end = err.code === 'ERR_ASSERTION' ? 'error' : 'cut';
      if (end === 'error') this.note(name, err.message);
      if (end === 'cut' && epoch === this.epoch) this.violate(`I1 ${name} was cut off by a daemon that lives: ${err.message}`);
      if (end === 'error' && /^\/mcp:/.test(err.message)) this.violate(`I1 ${name}: ${err.message}`);
    }
    const took = Date.now() - began;
    this.longest = Math.max(this.longest, took);
    if (took > timeout_ms + OVER_MS) this.violate(`I1 ${name} took ${took} ms with a deadline of ${timeout_ms} ms`);
    this.count[{ good: 'good', error: 'errors', cut: 'cut' }[end]]++;
    return end;
  }

  note(name, message) {
    const words = `${name}: ${message.split('\n')[0].slice(0, 150)}`.replace(/\d+/g, 'N');
    this.words[words] = (this.words[words] ?? 0) + 1;
  }

  /** A client until `until`: starts a session, works in it, ends it, again and again. */
  async client(number, until) {
    const acts = [
      (line, sessionId) => this.call(line, 'browser_navigate', { sessionId, url: `${this.site.url}/${anyOf(['list', 'form', 'later', 'tall'])}` }),
      (line, sessionId) => this.call(line, 'browser_evaluate', { sessionId, script: 'document.title' }),
      (line, sessionId) => this.call(line, 'browser_snapshot', { sessionId }),
      (line, sessionId) => this.call(line, 'browser_evaluate', { sessionId, script: `localStorage.x = ${pick(1000)}` }),
      (line, sessionId) => this.call(line, 'browser_wait', { sessionId, text: 'never' }, 300),
      (line) => this.call(line, 'list_sessions', {}),
    ];
    const line = new Line(this.daemon, number % 2 === 0);
    for (let round = 0; Date.now() < until; round++) {
      const sessionId = `c${number}r${round}`;
      if (await this.call(line, 'start_session', { sessionId, url: `${this.site.url}/list` }) === 'good') this.sessions.add(sessionId);
      for (let i = 5 + pick(30); i > 0 && Date.now() < until; i--) {
        await anyOf(acts)(line, sessionId);
      }
      this.sessions.delete(sessionId); // it may or may not end, and is not looked at any more
      if (pick(3)) await this.call(line, 'close_session', { sessionId });
    }
    line.close();
  }

  possible() {
    const children = below(this.daemon.child.pid);
    const browsers = children.filter((p) => p.parent === this.daemon.child.pid);
    const renderers = children.filter(isRenderer);
    return {
      'daemon killed': () => this.killDaemon(children),
      ...(browsers.length ? { 'browser killed': () => this.kill(anyOf(browsers)) } : {}),
      ...(renderers.length ? { 'renderer killed': () => this.kill(anyOf(renderers)) } : {}),
      'page hung': () => this.hang(),
      'store locked': () => this.lock(),
      ...(this.disk ? { 'disk full': () => this.fillDisk() } : {}),
    };
  }

  kill(victim) {
    try {
      process.kill(victim.pid, 'SIGKILL');
    } catch {
      // it has ended by itself
    }
  }

  async killDaemon(children) {
    const go = this.hold();
    this.epoch++;
    await this.daemon.kill();
    await gone(children.map((p) => p.pid), 2000).catch((err) => this.violate(`I2 ${err.message}`));
    await this.startDaemon();
    go();
  }

  async hang() {
    const line = new Line(this.daemon, false);
    const sessionId = `hung${this.ops}`;
    await this.call(line, 'start_session', { sessionId, url: `${this.site.url}/list` });
    await this.call(line, 'browser_evaluate', { sessionId, script: 'for(;;);' }, 500);
    await this.call(line, 'browser_navigate', { sessionId, url: `${this.site.url}/hang` }, 500);
    await this.call(line, 'close_session', { sessionId });
    line.close();
  }

  async lock() {
    const [command, ...args] = this.node(LOCKER, this.database);
    const locker = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    t.after(() => locker.kill());
    await within(once(locker.stdout, 'data'), 10_000, 'the lock');
    await pause(1000 + pick(5000));
    locker.stdin.end();
    await once(locker, 'exit');
  }

  async fillDisk() {
    await this.disk.fill();
    await pause(1000 + pick(3000));
    await this.disk.empty();
  }

  /** From now on clients wait before their next call, until the function that it gives is called. */
  hold() {
    let go;
    this.paused = new Promise((resolve) => (go = resolve));
    return () => {
      this.paused = null;
      go();
    };
  }

  /** Clients wait, and most of what they had asked for has ended. */
  async calm(fn) {
    const go = this.hold();
    await pause(CALL_MS / 5);
    await fn();
    go();
  }

  async check(what) {
    const { pid } = this.daemon.child;
    const health = await within(this.daemon.request('/health'), 1000, '/health').catch((err) => ({ status: err.message }));
    if (health.status !== 200) this.violate(`${what}: /health says ${health.status}`);
    const dead = below(pid).filter((p) => p.state === 'Z');
    if (dead.length) {
      await pause(2000);
      const still = below(pid).filter((p) => p.state === 'Z' && dead.some((d) => d.pid === p.pid));
      if (still.length) this.violate(`I2 ${what}: zombies ${still.map((p) => p.pid)}`);
    }
    this.checkSize(what, pid);
    const verified = await run(['audit', 'verify', '--state-dir', this.daemon.stateDir], { disk: this.disk });
    if (verified.code !== 0) this.violate(`I4 ${what}: ${verified.stdout}${verified.stderr}`);
    await this.checkKept(what);
  }

  checkSize(what, pid) {
    const now = {
      fds: readdirSync(`/proc/${pid}/fd`).length,
      rss: Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024,
    };
    this.baseline ??= now;
    if (now.fds > this.baseline.fds + FD_SLACK) this.violate(`I3 ${what}: ${now.fds} descriptors, first ${this.baseline.fds}`);
    if (!sanitized && now.rss > this.baseline.rss + RSS_SLACK_MB) this.violate(`I3 ${what}: ${now.rss.toFixed()} MB, first ${this.baseline.rss.toFixed()}`);
    this.size = now;
  }

  /** What the log has. The file has it a moment after the reply, or after the fault. */
  async readLog() {
    for (const end = Date.now() + SETTLE_MS; ;) {
      const log = (await run(['audit', 'export', '--state-dir', this.daemon.stateDir], { disk: this.disk })).stdout;
      const ended = new Set([...log.matchAll(/"type":"session_ended","tenant":"[^"]*","session":"([^"]*)"/g)].map((m) => m[1]));
      const stored = new Set([...log.matchAll(/"agent":"op (\d+)"/g)].map((m) => Number(m[1])));
      if (Date.now() > end || [...this.entries.keys()].every((op) => stored.has(op))) return { ended, stored };
      await pause(100);
    }
  }

  /** Sessions are listed or have an end in the log; calls have their entry. */
  async checkKept(what) {
    const listed = JSON.parse((await this.daemon.request('/api/sessions', { auth: true })).text).sessions.map((s) => s.sessionId);
    const { ended, stored } = await this.readLog();
    for (const name of this.sessions) {
      if (!listed.includes(name) && !ended.has(name)) this.violate(`I5 ${what}: session ${name} is gone without a word`);
      if (ended.has(name)) this.sessions.delete(name);
    }
    const lost = [...this.entries.keys()].filter((op) => !stored.has(op));
    if (lost.length) this.violate(`I5 ${what}: ${lost.length} calls are not in the audit log, the first is ${lost[0]} ${this.entries.get(lost[0])}`);
    lost.forEach((op) => this.entries.delete(op));
  }

  async disturb(until) {
    await pause(2000);
    while (Date.now() < until) {
      const [name, fault] = anyOf(Object.entries(this.possible()));
      this.faults[name] = (this.faults[name] ?? 0) + 1;
      await fault();
      await pause(pick(1000));
      await this.calm(() => this.check(name));
      say(`${name}: ${this.count.calls} calls so far, ${this.size.fds} descriptors, ${this.size.rss.toFixed(1)} MB`);
      await pause(1000 + pick(2000));
    }
  }

  async end() {
    const pids = below(this.daemon.child.pid).map((p) => p.pid);
    this.daemon.child.kill('SIGTERM');
    const [code] = await within(this.daemon.exited, 15_000, 'the daemon stops');
    if (code !== 0) this.violate(`the daemon ended with ${code}: ${this.daemon.log.text.slice(-500)}`);
    await gone(pids, 2000).catch((err) => this.violate(`I2 ${err.message}`));
    const [command, ...args] = this.node(CHECKER, this.database);
    const words = spawnSync(command, args).stdout.toString().trim();
    if (words !== 'ok') this.violate(`I4 the database: ${words}`);
    await this.startDaemon();
    await this.check('the end');
    await this.daemon.kill();
  }

  async run() {
    const until = Date.now() + SECONDS * 1000;
    await this.begin();
    await Promise.all([this.disturb(until), ...Array.from({ length: CLIENTS }, (_, i) => this.client(i, until))]);
    await this.end();
  }
}

const soak = new Soak();
say(`TABARD_SOAK_SEED=${seed}`);
try {
  await soak.run();
} catch (err) {
  soak.violate(err.stack);
} finally {
  for (const hook of hooks) await hook();
}
Object.entries(soak.words).sort((a, b) => b[1] - a[1]).slice(0, 12).forEach(([words, count]) => say(`${count} x ${words}`));
const faults = Object.entries(soak.faults).map(([name, count]) => `${name} ${count}`).join(', ');
const { calls, good, errors, cut } = soak.count;
say(`soak: ${SECONDS} s, faults: ${faults || 'none'}; ${calls} calls: ${good} good, ${errors} errors, ${cut} cut off by kills; `
  + `longest ${soak.longest} ms; ${soak.violations.length} violations`);
process.exitCode = soak.violations.length ? 1 : 0;
