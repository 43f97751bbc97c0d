// SPDX-License-Identifier: Apache-2.0
// F-29: mixed load on a real daemon with real browsers, a fault every few seconds, and after each the invariants:
// I1 every call ends by its deadline and a second; I2 no process is left; I3 descriptors and memory stay in bounds;
// I4 the database is whole and the audit log right; I5 nothing that was acknowledged is lost.
// The last daemon lives through more than half of the run; what it needs at rest must not grow in the second half.
// soak.mjs [SECONDS]; TABARD_SOAK_SEED repeats the choices of an earlier run.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Daemon, run, sanitized, until, within } from '../support/daemon.mjs';
import { Disk } from '../support/disk.mjs';
import { Line } from '../support/line.mjs';
import { below, gone, isRenderer } from '../support/processes.mjs';
import { Site } from '../support/site.mjs';

const SECONDS = Number(process.argv[2] || 60);
const CLIENTS = 4;
const CALL_MS = 5000;
const OVER_MS = 1000;
const UNTIMED = ['list_sessions', 'close_session', 'close_all_sessions'];
const SETTLE_MS = 5000; // for the store to go on after a fault
const LEFT_MS = 10_000; // then a session that its client has left sleeps, and makes room for others
const FD_SLACK = 30;
// At rest: twice what the allocator keeps or gives back in 90,000 calls of one kind. In a run of half an hour, 200 bytes
// lost in each call are more.
const RSS_SLACK_MB = 3;
const WARM_CALLS = 15_000; // fill what is kept up to a ceiling: events for readers that come back, pages of the database
// Parts of the run: with kills of the daemon, then for the last daemon to warm up.
const KILLS = 0.4;
const WARM = 0.5;
const MISS_MS = 200; // for what the page of the moment may not have
const LOCKER = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
  db.exec('PRAGMA busy_timeout = 5000; BEGIN EXCLUSIVE'); console.log('locked'); process.stdin.resume().on('end', () => process.exit());`;
const CHECKER = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
  console.log(db.prepare('PRAGMA integrity_check').get().integrity_check);`;

let seed = Number(process.env.TABARD_SOAK_SEED ?? Date.now() % 2_147_483_646 + 1);
const pick = (n) => (seed = (seed * 48_271) % 2_147_483_647) % n;
const anyOf = (list) => list[pick(list.length)];
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const say = (text) => process.stdout.write(`${text}\n`);

const pages = ['list', 'form', 'later', 'tall', 'desk', 'alert', 'login', 'popups'];
/** What a client does in its session: tool, arguments, and its time if it is not the usual one. */
const acts = [
  ['browser_navigate', (site) => ({ url: `${site}/${anyOf(pages)}` })],
  ['browser_navigate', (site) => ({ url: `${site}/${anyOf(pages)}`, snapshot: true })],
  ['browser_navigate', (site) => ({ url: `${site}/form` })],
  ['browser_navigate', () => ({ to: anyOf(['back', 'forward', 'reload']) })],
  ['browser_evaluate', () => ({ script: 'document.title' })],
  ['browser_evaluate', () => ({ script: `localStorage.x = ${pick(1000)}` })],
  ['browser_evaluate', () => ({ script: "location = '/file'" })],
  ['browser_snapshot', () => ({})],
  ['browser_snapshot', () => ({ diff: true })],
  ['browser_click', () => ({ target: anyOf(['#count', 'a', 'button', '#ask', '#one']) }), MISS_MS],
  ['browser_fill', () => ({ target: anyOf(['#name', '#user', 'text=Nobody']), value: 'x'.repeat(pick(500)) }), MISS_MS],
  ['browser_fill_form', () => ({ fields: [{ target: '#notes', value: 'Some' }, { target: '#agree', value: 'true' }] }), MISS_MS],
  ['browser_select', () => ({ target: '#colour', values: ['Green'] }), MISS_MS],
  ['browser_hover', () => ({ target: '#tip' }), MISS_MS],
  ['browser_press_key', () => ({ key: anyOf(['Tab', 'a', 'Control+A', 'Escape']) })],
  ['browser_scroll', () => ({ to: anyOf(['top', 'bottom']) })],
  ['browser_wait', () => ({ text: 'never' }), 300],
  ['browser_extract', () => ({ format: anyOf(['text', 'html', 'json', 'markdown']) })],
  ['browser_screenshot', () => ({ full_page: pick(2) === 0 })],
  ['browser_tabs', () => ({ action: anyOf(['list', 'new', 'close']) })],
  ['browser_dialog', () => ({})],
  ['browser_upload', () => ({ target: '#file', content: [{ name: 'a.txt', text: 'A title' }] }), MISS_MS],
  ['browser_downloads', () => ({})],
  ['browser_console', () => ({ clear: true })],
  ['browser_network', () => ({ limit: 10 })],
  ['browser_cookies', () => ({ action: anyOf(['list', 'set', 'clear']), name: 'a', value: 'b' })],
  ['browser_storage', () => ({ action: anyOf(['get', 'set', 'clear']), key: 'a', value: 'b' })],
  ['browser_state', () => ({ action: anyOf(['save', 'load']), name: 'soak' })],
  ['browser_emulate', () => ({ color_scheme: anyOf(['light', 'dark']), reset: true })],
  ['browser_drag', () => ({ target: '#from', to: '#to' }), MISS_MS],
  ['browser_mouse', () => ({ x: pick(300), y: pick(300) })],
  ['browser_elements', () => ({ bounds: true })],
  ['execute_sequence', () => ({ actions: [{ action: 'browser_snapshot' }, { action: 'browser_press_key', key: 'End' }] })],
];

const hooks = [];
const t = { after: (fn) => hooks.unshift(fn), skip: (why) => say(`left out: full disk (${why})`) };

class Soak {
  violations = [];
  faults = {};
  count = { calls: 0, good: 0, errors: 0, cut: 0 };
  longest = 0; // a call, in ms
  ops = 0;
  rounds = 0; // of all clients
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
    this.daemon = await Daemon.start(t, { ...where, config: `sessions:\n  per_tenant: 20\n  named_idle_ms: ${LEFT_MS}\nmcp:\n  groups: [all]\n` });
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

  /** A client until `end`: starts a session, works in it, ends it, again and again. */
  async client(number, end) {
    const line = new Line(this.daemon, number % 2 === 0);
    while (Date.now() < end) {
      const sessionId = `c${number}r${++this.rounds}`;
      if (await this.call(line, 'start_session', { sessionId, url: `${this.site.url}/list` }) === 'good') this.sessions.add(sessionId);
      for (let i = 5 + pick(30); i > 0 && Date.now() < end; i--) {
        const [tool, args, timeout_ms] = anyOf(acts);
        await this.call(line, tool, { ...args(this.site.url), sessionId }, timeout_ms);
      }
      await this.call(line, 'list_sessions', {});
      this.sessions.delete(sessionId); // it may or may not end, and is not looked at any more
      if (pick(3)) await this.call(line, 'close_session', { sessionId });
    }
    line.close();
  }

  possible(kills) {
    const children = below(this.daemon.child.pid);
    const browsers = children.filter((p) => p.parent === this.daemon.child.pid);
    const renderers = children.filter(isRenderer);
    return {
      ...(kills ? { 'daemon killed': () => this.killDaemon(children) } : {}),
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
    this.checkSize(what);
    const verified = await run(['audit', 'verify', '--state-dir', this.daemon.stateDir], { disk: this.disk });
    if (verified.code !== 0) this.violate(`I4 ${what}: ${verified.stdout}${verified.stderr}`);
    await this.checkKept(what);
  }

  measure() {
    const { pid } = this.daemon.child;
    return {
      calls: this.count.calls,
      fds: readdirSync(`/proc/${pid}/fd`).length,
      rss: Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024,
    };
  }

  checkSize(what) {
    this.size = this.measure();
    this.baseline ??= this.size;
    if (this.size.fds > this.baseline.fds + FD_SLACK) this.violate(`I3 ${what}: ${this.size.fds} descriptors, first ${this.baseline.fds}`);
  }

  async listed() {
    return JSON.parse((await this.daemon.request('/api/sessions', { auth: true })).text).sessions.map((s) => s.sessionId);
  }

  /** The daemon's size when no client is there and no session is left. */
  async atRest() {
    const line = new Line(this.daemon, true);
    await this.call(line, 'close_all_sessions', { everyone: true });
    line.close();
    await until(async () => (await this.listed()).length === 0, SETTLE_MS, 'all sessions end');
    await pause(SETTLE_MS);
    const size = this.measure();
    say(`at rest: ${size.calls} calls so far, ${size.fds} descriptors, ${size.rss.toFixed(1)} MB`);
    return size;
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
    const listed = await this.listed();
    const { ended, stored } = await this.readLog();
    for (const name of this.sessions) {
      if (!listed.includes(name) && !ended.has(name)) this.violate(`I5 ${what}: session ${name} is gone without a word`);
      if (ended.has(name)) this.sessions.delete(name);
    }
    const lost = [...this.entries.keys()].filter((op) => !stored.has(op));
    if (lost.length) this.violate(`I5 ${what}: ${lost.length} calls are not in the audit log, the first is ${lost[0]} ${this.entries.get(lost[0])}`);
    lost.forEach((op) => this.entries.delete(op));
  }

  async disturb(end, kills) {
    await pause(2000);
    while (Date.now() < end) {
      const [name, fault] = anyOf(Object.entries(this.possible(kills)));
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

  /** Load and faults until this part of the run is over. */
  async work(part, { kills = false } = {}) {
    const end = this.began + SECONDS * 1000 * part;
    await Promise.all([this.disturb(end, kills), ...Array.from({ length: CLIENTS }, (_, i) => this.client(i, end))]);
  }

  async warm() {
    const line = new Line(this.daemon, true);
    for (let i = 0; i < WARM_CALLS; i++) await line.call('warm', 'list_sessions', {});
    line.close();
  }

  async run() {
    await this.begin();
    this.began = Date.now();
    await this.work(KILLS, { kills: true });
    await this.killDaemon(below(this.daemon.child.pid));
    await this.warm();
    await this.work(WARM);
    this.first = await this.atRest();
    await this.work(1);
    this.last = await this.atRest();
    const grown = this.last.rss - this.first.rss;
    if (!sanitized && grown > RSS_SLACK_MB) this.violate(`I3 the daemon at rest needs ${grown.toFixed(1)} MB more than before`);
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
const rest = (size) => (size ? `${size.rss.toFixed(1)} MB after ${size.calls} calls` : 'not measured');
say(`soak: ${SECONDS} s, faults: ${faults || 'none'}; ${calls} calls: ${good} good, ${errors} errors, ${cut} cut off by kills; `
  + `longest ${soak.longest} ms; at rest first ${rest(soak.first)}, last ${rest(soak.last)}; ${soak.violations.length} violations`);
process.exitCode = soak.violations.length ? 1 : 0;
