// SPDX-License-Identifier: Apache-2.0
// Browser work by tabard, by hand over raw CDP (the limit) and by the peers, in one go.
//   QUICK=1           tabard and raw CDP only, few repetitions, about a minute, nothing is written
//   ONLY=tabard,raw   these families: tabard, raw, puppeteer, playwright, devtools, agent-browser
//   ROWS=open,burst   these rows only (start, cold and ping are there in any case); nothing is written, nothing is weighed
//   ROUNDS=4          how often everybody is started anew
//   TABARD=path       the program, build/release/tabard if not given
//   BEFORE=path       an earlier build of it besides, in turns, and a table of one over the other; nothing is written
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { browser } from './lib/browsers.mjs';
import { evictAll } from './lib/house.mjs';
import { Bench } from './lib/measure.mjs';
import { Report } from './lib/report.mjs';

const quick = Boolean(process.env.QUICK);
const only = (process.env.ONLY ?? (quick ? 'tabard,raw' : '')).split(',').filter(Boolean);
const rows = (process.env.ROWS ?? '').split(',').filter(Boolean);
const rounds = Number(process.env.ROUNDS ?? (quick ? 2 : 5));
// On a busy machine the later rounds are left out, so that all of it ends within half an hour.
const ROUNDS_MS = 1_200_000;
const weights = quick ? [1, 5] : [1, 5, 10, 25];
const result = fileURLToPath(new URL('../RESULTS.md', import.meta.url));

async function load(name, ...made) {
  if (only.length && !only.includes(name)) return [];
  const module = await import(`./contenders/${name}.mjs`);
  return made.map(([kind, ...args]) => new module[kind](...args));
}

const raw = await load('raw', ['Raw', 'shell'], ['Raw', 'full']);
const before = process.env.BEFORE;
const tabard = await load('tabard', ...['', ...(before ? ['before'] : [])].flatMap((build) => [
  ['Tabard', 'shell', 'stdio', build], ['Tabard', 'shell', 'http', build], ['Tabard', 'full', 'stdio', build]]));
const puppeteer = await load('puppeteer', ['Puppeteer', 'shell']);
const playwright = await load('playwright', ['Playwright', 'full'], ['Playwright', 'full', 0], ['PlaywrightHttp', 'full']);
const devtools = await load('devtools', ['DevTools', 'full'], ['DevTools', 'full', false]);
const agentBrowser = await load('agent-browser', ['AgentBrowser', 'full']);

const of = (list, engine) => list.filter((each) => each.engine === engine);
// Those who answer within milliseconds are repeated more.
const groups = [
  [[...of(raw, 'shell'), ...of(tabard, 'shell'), ...puppeteer], quick ? 8 : 10, true],
  [[...of(raw, 'full'), ...of(tabard, 'full')], quick ? 6 : 8, true],
  ...playwright.map((each) => [[each], 3, false]),
  [devtools, 3, false],
  [agentBrowser, 4, false],
].filter(([group]) => group.length);
const contenders = [...tabard, ...raw, ...puppeteer, ...playwright, ...devtools, ...agentBrowser];
// The same daemon behind another transport weighs the same; puppeteer is part of the bench itself.
const weighed = contenders.filter(({ transport, family, only: part, settle }) => transport !== 'http' && family !== 'puppeteer'
  && !part && settle === undefined);

const pages = spawn(process.execPath, [fileURLToPath(new URL('server.mjs', import.meta.url))], { stdio: ['pipe', 'pipe', 'inherit'] });
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, () => {
    evictAll();
    process.exit(1);
  });
}

const site = String((await once(pages.stdout, 'data'))[0]).trim();
const bench = new Bench(site, (words) => console.error(words), rows);
const began = performance.now();
let done = 0;
const since = () => `${Math.round((performance.now() - began) / 1000)} s`;
try {
  for (let longest = 0; done < rounds && performance.now() - began + longest < ROUNDS_MS; done += 1) {
    console.error(`round ${done + 1} of ${rounds}, ${since()}`);
    const at = performance.now();
    for (const [group, reps, quickly] of groups) await bench.round(group, reps, quickly);
    longest = Math.max(longest, performance.now() - at);
  }
  for (const contender of rows.length ? [] : weighed) {
    console.error(`memory of ${contender.label}, ${since()}`);
    await bench.weigh(contender, weights);
  }
} finally {
  evictAll();
  pages.stdin.end();
}

function machine() {
  const version = execFileSync(browser('full'), ['--version'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  const [cpu] = os.cpus();
  return `${new Date().toISOString().slice(0, 10)}, ${cpu.model}, ${os.cpus().length} cores, Linux ${os.release()}, `
    + `${version.split(' built')[0]}, node ${process.version}. ${done} rounds, ${since()} in all; `
    + `load average of the last five minutes ${os.loadavg()[1].toFixed(1)}.`;
}

const report = new Report(bench, contenders).text();
console.log(report);
if (!quick && !only.length && !rows.length && !before) {
  const about = `# Browser work through MCP

${machine()}

Written by \`make bench\`. Everybody drives the same two binaries, with the sandbox on, on the same pages (\`bench/pages\`) from a server on
loopback. "shell" is \`chromium-headless-shell\`, "full" is \`chromium --headless\`; peers use the full one, which is what they come with.
The limit is raw CDP over the pipe on the same engine: the fewest commands for each operation, sent in bursts, with the page scripts
that tabard injects too; it waits for nothing and checks nothing. It moves the mouse for each click; tabard leaves it where it is if it is
there already, as it is for all clicks of a row but the first. tabard and the peers are called by MCP in its legacy era (\`initialize\`),
over stdio unless HTTP is said. Groups of contenders live at the same time and take turns at each repetition. A ratio to the limit is
tabard over raw CDP plus one MCP ping on the same transport (for the workflow, the cold page and new sessions: over raw CDP alone; for the
rate of 20 sessions the more the better). Of a goal's ratio the brackets have the middle 95 % of what it would be, had the repetitions come out
otherwise. The ten agents that start at once have connections of their own and have come before, as
many at once; so have the 20 sessions at work.
Screenshots are JPEG of quality 80, and their size is that of the base64 text.

`;
  writeFileSync(result, about + report);
}
process.exit(bench.failed.size ? 1 : 0);
