// SPDX-License-Identifier: Apache-2.0
// What the processes of one contender take. They are those that the bench has started, those with the mark of
// their house in their environment or arguments (some leave the tree of their parent, and some of these clean
// their environment), and the children of both (browsers write over their environment).
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const TICKS_PER_SECOND = 100;
export const MARK = 'BENCH_BROWSER_MARK';

function read(pid, name) {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}

/** The fields of stat behind the name, which may hold anything. */
function stat(pid) {
  const text = read(pid, 'stat');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function isBrowser(pid) {
  try {
    return /chrom/.test(readlinkSync(`/proc/${pid}/exe`));
  } catch {
    return false;
  }
}

function isMarked(pid, mark) {
  return read(pid, 'environ').split('\0').includes(`${MARK}=${mark}`) || read(pid, 'cmdline').includes(`/${mark}/`);
}

/** The living processes of a house: see above. */
export function residents({ mark, children }) {
  const all = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number).sort((a, b) => a - b);
  const parents = new Map(all.map((pid) => [pid, Number(stat(pid)[1])]));
  const found = new Set(all.filter((pid) => isMarked(pid, mark)));
  for (const child of children) if (child.pid && child.exitCode === null && child.signalCode === null) found.add(child.pid);
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const pid of all) if (found.has(parents.get(pid))) found.add(pid);
  }
  return [...found].filter((pid) => !['Z', 'X', ''].includes(stat(pid)[0] ?? ''));
}

function kilobytes(pid, file, key) {
  return Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(read(pid, file))?.[1] ?? 0);
}

/** Megabytes: `all` and `server` (what is no browser) as proportional set size; `resident` is that of the server's largest process. */
export function memory(house) {
  const use = { all: 0, server: 0, resident: 0, processes: 0 };
  for (const pid of residents(house)) {
    const pss = kilobytes(pid, 'smaps_rollup', 'Pss') / 1024;
    use.all += pss;
    use.processes += 1;
    if (isBrowser(pid)) continue;
    use.server += pss;
    use.resident = Math.max(use.resident, kilobytes(pid, 'status', 'VmRSS') / 1024);
  }
  return use;
}

function seconds(pids) {
  return pids.reduce((sum, pid) => {
    const fields = stat(pid);
    return sum + (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND;
  }, 0);
}

/** Processor time that everything but browsers has taken. */
export function serverSeconds(house) {
  return seconds(residents(house).filter((pid) => !isBrowser(pid)));
}

/** Processor time in per cent of one core over `ms`: of everything, and of the server alone. */
export async function idle(house, ms) {
  const pids = residents(house);
  const servers = pids.filter((pid) => !isBrowser(pid));
  const before = [seconds(pids), seconds(servers)];
  const began = performance.now();
  await new Promise((resolve) => { setTimeout(resolve, ms); });
  const passed = (performance.now() - began) / 1000;
  return { all: (seconds(pids) - before[0]) / passed * 100, server: (seconds(servers) - before[1]) / passed * 100 };
}
