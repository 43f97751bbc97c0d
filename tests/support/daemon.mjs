// SPDX-License-Identifier: Apache-2.0
// Starts a real daemon on free ports and in its own directories, and takes it down again.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { leaks, plantConfig, plantRequest } from './canaries.mjs';

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
export const binary = process.env.TABARD_BINARY ?? path.join(root, 'build/release/tabard');
/** The same with sessions that have no browser, and with what the MCP conformance suite wants to see. */
export const fixtures = `${binary}-fixtures`;
/** A sanitizer's own memory (shadow, quarantine) hides the daemon's; figures of memory mean nothing then. */
export const sanitized = Boolean(process.env.TABARD_SANITIZED);

const START_MS = 10_000;
const STOP_MS = 20_000;
const REPORTED = 99; // the exit code of a program whose sanitizer has found something
if (sanitized) process.env.ASAN_OPTIONS = `${process.env.ASAN_OPTIONS ?? ''}:exitcode=${REPORTED}`;

/** A promise that fails with `what` when it takes longer than `ms`. */
export function within(promise, ms, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing within ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** What a request for a row of `tabard routes` has to send besides. */
export const headersFor = (route) => (route.flags.includes('websocket') ? {
  connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
} : {});

/** Waits for what no event tells. */
export async function until(holds, ms, what) {
  for (const end = Date.now() + ms; !(await holds());) {
    if (Date.now() > end) throw new Error(`${what}: not within ${ms} ms`);
    await new Promise(setImmediate);
  }
}

/** The port for agents, of a daemon that chose it itself. Of its other ports one is the filtering proxy's, which answers no such request. */
export async function agentPort(daemon) {
  const ports = execFileSync('ss', ['-Hltnp'], { encoding: 'utf8' }).split('\n')
    .filter((line) => line.includes(`pid=${daemon.child.pid},`))
    .map((line) => Number(/127\.0\.0\.1:(\d+)/.exec(line)[1]))
    .filter((port) => port !== daemon.port);
  const healthy = await Promise.all(ports.map((port) => fetch(`http://127.0.0.1:${port}/health`).then((reply) => reply.ok, () => false)));
  const found = ports.filter((_, i) => healthy[i]);
  if (found.length !== 1) throw new Error(`${found.length} ports for agents`);
  return found[0];
}

const undoings = new WeakMap();

/** After the test, the last one first: what lives in a directory ends before the directory goes. */
export function undo(t, work) {
  if (!undoings.has(t)) {
    const list = [];
    undoings.set(t, list);
    t.after(async () => {
      const failures = [];
      for (const each of list.reverse()) await Promise.resolve().then(each).catch((err) => failures.push(err));
      if (failures.length) throw failures[0];
    });
  }
  undoings.get(t).push(work);
}

export async function tempDir(t) {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'tabard-test-'));
  undo(t, () => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** Starts the program, where `disk` (see disk.mjs) can be seen if one is given. */
function start(args, { disk, program = binary, ...options }) {
  const via = disk ? ['nsenter', '-t', `${disk.keeper}`, '-m'] : [];
  const [command, ...rest] = [...via, program, ...args];
  return spawn(command, rest, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
}

/**
 * Ends what a test has started. Sanitized, it is asked to end, since a leak is told at a regular end only; what
 * does not end then, or ends with a report (also earlier), fails the test.
 */
export async function finish(child, exited, ask) {
  if (child.exitCode === null && child.signalCode === null) {
    if (sanitized) ask(); else child.kill('SIGKILL');
    try {
      await within(exited, STOP_MS, `${child.spawnargs.join(' ')} ends`);
    } catch (err) {
      child.kill('SIGKILL');
      await exited;
      throw err;
    }
  }
  if (child.exitCode === REPORTED) throw new Error('a sanitizer has found something');
}

/** Runs the program to its end; gives its exit code and output. */
export async function run(args, options = {}) {
  const child = start(args, options);
  const result = { stdout: '', stderr: '' };
  child.stdout.on('data', (data) => (result.stdout += data));
  child.stderr.on('data', (data) => (result.stderr += data));
  const [code, signal] = await within(once(child, 'close'), START_MS, args.join(' '));
  if (sanitized && code === REPORTED) throw new Error(`a sanitizer has found something: ${result.stderr}`);
  return { ...result, code, signal };
}

function readyLine(daemon) {
  const { child, log } = daemon;
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (data) => {
      daemon.said += data;
      const match = /^tabard ready (\S+)\n/.exec(daemon.said);
      if (match) resolve(match[1]);
    });
    child.once('exit', (code) => reject(new Error(`the daemon ended with ${code}: ${log.text}`)));
  });
}

export class Daemon {
  /** `config` is the text of a tabard.yaml; `args` are further options; `program` may be `fixtures`. */
  static async start(t, { config = '', args = [], env = {}, disk, dir = disk?.dir, program } = {}) {
    const daemon = new Daemon();
    const seen = disk?.root ?? ''; // from here
    daemon.dir = dir ?? (await tempDir(t));
    daemon.stateDir = path.join(daemon.dir, 'state');
    daemon.socket = path.join(seen, daemon.dir, 'run', 'tabard.sock');
    daemon.configFile = path.join(daemon.dir, 'tabard.yaml');
    await writeFile(path.join(seen, daemon.configFile), config, { mode: 0o600 }); // it may hold secrets
    daemon.args = [
      'serve', '--config', daemon.configFile, '--state-dir', daemon.stateDir,
      '--runtime-dir', path.join(daemon.dir, 'run'),
      '--listen', '127.0.0.1:0', '--agent-listen', '127.0.0.1:0', ...args,
    ];
    daemon.log = { text: '' };
    daemon.said = ''; // on stdout
    // All of what it could tell is searched for secrets; whoever measures sets the level.
    const level = /\blevel:/.test(config) ? {} : { TABARD_LOG_LEVEL: process.env.TABARD_LOG_LEVEL ?? 'debug' };
    daemon.child = start(daemon.args, { disk, program, env: { ...process.env, ...level, ...env } });
    daemon.seen = seen;
    plantConfig(config);
    daemon.child.stderr.on('data', (data) => (daemon.log.text += data));
    daemon.exited = once(daemon.child, 'exit');
    undo(t, () => daemon.finish());
    daemon.url = await within(readyLine(daemon), START_MS, 'ready line');
    daemon.port = Number(new URL(daemon.url).port);
    daemon.token = (await readFile(path.join(seen, daemon.stateDir, 'admin.token'), 'utf8')).trim();
    return daemon;
  }

  async kill() {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      this.child.kill('SIGKILL');
      await this.exited;
    }
  }

  /** The end of its test. */
  async finish() {
    let asked = false;
    await finish(this.child, this.exited, () => { asked = this.child.kill('SIGTERM'); })
      .catch((err) => { throw new Error(`the daemon: ${err.message}\n${this.log.text.slice(-10_000)}`); });
    const [code, signal] = await this.exited;
    if (asked && code !== 0) throw new Error(`the daemon ended with ${code ?? signal}: ${this.log.text.slice(-10_000)}`);
    await this.expectNoLeak();
  }

  /** DATA-1: nothing that it was to keep secret is found where it does not belong. */
  async expectNoLeak() {
    const audit = this.seen ? '' : await run(['audit', 'export', '--state-dir', this.stateDir]).then(({ stdout }) => stdout);
    const found = await leaks(path.join(this.seen, this.stateDir),
      [['the log', Buffer.from(this.log.text)], ['standard output', Buffer.from(this.said)], ['the audit log', Buffer.from(audit)]]);
    if (found.length) throw new Error(`a secret has leaked: ${found.join('; ')}`);
  }

  /** Waits until the log holds the words. */
  async logged(words) {
    const seen = new Promise((resolve) => {
      const look = () => this.log.text.includes(words) && resolve();
      this.child.stderr.on('data', look);
      look();
    });
    await within(seen, START_MS, `"${words}" in the log`);
  }

  /** One HTTP request, by the main door, another `port` or the Unix socket; `headers` may name Host. Gives status, headers and text. */
  request(target, { method = 'GET', headers = {}, body, auth = false, unix = false, port = this.port, agent = false } = {}) {
    return new Promise((resolve, reject) => {
      const where = unix ? { socketPath: this.socket } : { host: '127.0.0.1', port };
      const req = http.request({
        ...where, path: target, method, agent,
        headers: { ...(auth ? { authorization: `Bearer ${this.token}` } : {}), ...headers },
      });
      req.on('error', reject);
      req.on('upgrade', (res, socket) => {
        socket.destroy();
        resolve({ status: res.statusCode, headers: res.headers, text: '' });
      });
      req.on('response', (res) => {
        let text = '';
        res.on('data', (data) => (text += data));
        res.on('end', () => {
          plantRequest(target, { method, body }, text);
          resolve({ status: res.statusCode, headers: res.headers, text });
        });
      });
      req.end(body);
    });
  }

  /** Sends raw bytes and gives all that comes back until the daemon closes. */
  async raw(bytes, { end = false } = {}) {
    const socket = net.connect(this.port, '127.0.0.1');
    let text = '';
    socket.on('data', (data) => (text += data.toString('latin1')));
    socket.on('error', () => {});
    const closed = once(socket, 'close');
    socket.write(bytes);
    if (end) socket.end();
    await within(closed, START_MS, 'the daemon closes the connection').finally(() => socket.destroy());
    return text;
  }
}
