// SPDX-License-Identifier: Apache-2.0
// The first answer of a page: in a session that wakes from hibernation, against a new session that goes there, in turns.
//   TABARD=path   the program, build/release/tabard if not given
//   REPS=20       of each
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { evictAll, House, pause, within } from './lib/house.mjs';
import { HttpClient } from './lib/mcp.mjs';
import { median } from './lib/measure.mjs';

const program = path.resolve(process.env.TABARD ?? 'build/release/tabard');
const reps = Number(process.env.REPS ?? 20);
const IDLE_MS = 600;
const REFILL_MS = 1500; // until the daemon has a spare context again
const GOAL = 1.3;

const house = new House();
const pages = spawn(process.execPath, [fileURLToPath(new URL('server.mjs', import.meta.url))], { stdio: ['pipe', 'pipe', 'inherit'] });
const site = String((await once(pages.stdout, 'data'))[0]).trim();
const url = `${site}/items-200.html`;

async function startDaemon() {
  const config = path.join(house.folder('config'), 'tabard.yaml');
  writeFileSync(config, `sessions:\n  named_idle_ms: ${IDLE_MS}\n`);
  const child = house.spawn(program, ['serve', '--config', config, '--state-dir', house.folder('state'), '--runtime-dir', house.folder('run'),
    '--listen', '127.0.0.1:0', '--agent-listen', 'off']);
  const [, base] = /tabard ready (\S+)/.exec(String((await once(child.stdout, 'data'))[0]));
  return { base, authorization: `Bearer ${readFileSync(path.join(house.dir, 'state', 'admin.token'), 'utf8').trim()}` };
}

const { base, authorization } = await startDaemon();
const client = new HttpClient(`${base}/mcp`, { authorization });
await client.initialize();

/** Waits until a session is hibernated. */
async function sleeps(sessionId) {
  const request = http.get(`${base}/api/events?type=session_hibernated`, { headers: { authorization }, agent: false });
  const [response] = await once(request, 'response');
  let text = '';
  const heard = new Promise((resolve) => {
    response.on('data', (data) => {
      text += data;
      if (text.includes(`"${sessionId}"`)) resolve();
    });
  });
  return { heard: within(heard, 20_000, 'hibernation').finally(() => request.destroy()) };
}

const answer = (sessionId) => client.text('browser_evaluate', { sessionId, script: 'document.title' });

async function timed(work) {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

async function plain(sessionId) {
  const ms = await timed(async () => {
    await client.call('start_session', { sessionId, url });
    await answer(sessionId);
  });
  await client.call('close_session', { sessionId });
  return ms;
}

const sessionId = 'sleeper';
await client.call('start_session', { sessionId, url });
await client.text('browser_evaluate', { sessionId, script: 'document.cookie = "a=1", localStorage.a = sessionStorage.b = "x".repeat(1000), 0' });
const figures = { plain: [], wake: [] };
try {
  for (let rep = 0; rep < reps; rep += 1) {
    const { heard } = await sleeps(sessionId);
    await heard;
    await pause(REFILL_MS);
    figures.plain.push(await plain(`plain-${rep}`));
    await pause(REFILL_MS);
    figures.wake.push(await timed(() => answer(sessionId)));
  }
} finally {
  evictAll();
  pages.stdin.end();
}
for (const [name, list] of Object.entries(figures)) {
  console.log(`${name.padEnd(6)} median ${median(list).toFixed(1)} ms, lower quartile ${median(list, 0.25).toFixed(1)}, upper ${median(list, 0.75).toFixed(1)}`);
}
const ratio = (part) => (median(figures.wake, part) / median(figures.plain, part)).toFixed(2);
console.log(`wake / plain: ${ratio()} by medians, ${ratio(0.25)} by lower quartiles; goal ${GOAL}`);
process.exit(0);
