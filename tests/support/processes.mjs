// SPDX-License-Identifier: Apache-2.0
// What runs below a daemon, as the kernel tells it.
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { until } from './daemon.mjs';

function processes() {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).flatMap((name) => {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const [, state, parent] = /\) (\S) (\d+)/.exec(stat);
      const args = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0');
      return [{ pid: Number(name), parent: Number(parent), state, args }];
    } catch {
      return []; // it has ended meanwhile
    }
  });
}

/** The processes below `pid`, the browser and its children among them. */
export function below(pid) {
  const all = processes();
  const found = [];
  const add = (parent) => all.filter((p) => p.parent === parent).forEach((p) => {
    found.push(p);
    add(p.pid);
  });
  add(pid);
  return found;
}

// Processes that Chromium forks from its zygote have their arguments in one string.
export const isRenderer = (p) => p.args.join(' ').includes('--type=renderer');

/** Waits until none of these is left. */
export function gone(pids, ms) {
  const left = () => pids.filter((pid) => processes().some((p) => p.pid === pid && p.state !== 'Z'));
  return until(() => left().length === 0, ms, `processes ${pids} are gone`);
}

/** What a process needs alone, its share of what it has in common with others included, in MB. */
export function memoryMb(pid) {
  try {
    return Number(/^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))[1]) / 1024;
  } catch {
    return 0; // it has ended meanwhile
  }
}

/** The ports of an address on which a process listens, as the kernel has them. */
export function listens(pid, address = '127.0.0.1') {
  const hex = address.split('.').reverse().map((part) => Number(part).toString(16).padStart(2, '0')).join('').toUpperCase();
  const inodes = new Set(readdirSync(`/proc/${pid}/fd`).flatMap((fd) => {
    try { return [/^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${fd}`))?.[1]]; } catch { return []; }
  }));
  return readFileSync(`/proc/${pid}/net/tcp`, 'utf8').split('\n').slice(1).map((line) => line.trim().split(/\s+/))
    .filter((f) => f[3] === '0A' && f[1].startsWith(hex) && inodes.has(f[9])).map((f) => parseInt(f[1].split(':')[1], 16));
}
