// SPDX-License-Identifier: Apache-2.0
// What runs below a daemon, as the kernel tells it.
import { readdirSync, readFileSync } from 'node:fs';
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
