// SPDX-License-Identifier: Apache-2.0
// A place of its own for each contender: a directory, a mark on its processes, and the way to be
// rid of all of it. Browsers refuse their sandbox to root, so root starts every contender as nobody.
import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { MARK, residents } from './proc.mjs';

const NOBODY = 65534;
const END_MS = 3000;
const root = process.getuid() === 0;
export const user = root ? { uid: NOBODY, gid: NOBODY } : {};

export function pause(ms) {
  return new Promise((resolve) => { setTimeout(resolve, ms); });
}

/** A promise that fails with `what` when it takes longer than `ms`. */
export function within(promise, ms, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: nothing within ${ms} ms`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

const open = new Set();

export class House {
  constructor() {
    this.dir = mkdtempSync(path.join(os.tmpdir(), 'bb-'));
    this.mark = path.basename(this.dir);
    this.children = [];
    if (root) chownSync(this.dir, NOBODY, NOBODY);
    open.add(this);
  }

  folder(name) {
    const dir = path.join(this.dir, name);
    mkdirSync(dir, { recursive: true });
    if (root) chownSync(dir, NOBODY, NOBODY);
    return dir;
  }

  /** The environment of a contender: little of ours, so that no setting of a person changes the figures. */
  env(more = {}) {
    return {
      PATH: process.env.PATH, LANG: 'C.UTF-8', HOME: this.dir, TMPDIR: this.dir,
      DBUS_SESSION_BUS_ADDRESS: 'disabled:', DBUS_SYSTEM_BUS_ADDRESS: 'disabled:',
      [MARK]: this.mark, ...more,
    };
  }

  spawn(file, args, { stdio = ['pipe', 'pipe', 'pipe'], env = {} } = {}) {
    const child = spawn(file, args, { stdio, env: this.env(env), cwd: this.dir, ...user });
    this.children.push(child);
    this.words = '';
    child.stderr?.on('data', (data) => { this.words = (this.words + data).slice(-2000); });
    child.on('error', (error) => { this.words += error.message; });
    return child;
  }

  /** Waits for the processes to end by themselves, then ends those that did not. Gives how many those were. */
  async empty(ms = END_MS) {
    const until = performance.now() + ms;
    let left = residents(this);
    while (left.length && performance.now() < until) {
      await pause(50);
      left = residents(this);
    }
    this.evict();
    while (residents(this).length) await pause(20);
    rmSync(this.dir, { recursive: true, force: true, maxRetries: 5 });
    open.delete(this);
    return left.length;
  }

  evict(signal = 'SIGKILL') {
    for (const pid of residents(this)) {
      try {
        process.kill(pid, signal);
      } catch { /* it went by itself */ }
    }
  }
}

/** For an end before its time. */
export function evictAll() {
  for (const house of open) {
    house.evict();
    rmSync(house.dir, { recursive: true, force: true, maxRetries: 5 });
  }
}
