// SPDX-License-Identifier: Apache-2.0
// Runs every job by both sides and writes the table: APPS=select2,quill chooses, N=3 is how often each, OUT the file.
import { writeFileSync } from 'node:fs';
import { load } from './apps.mjs';
import { isAtRest, known, missing } from './names.mjs';
import { PlaywrightSide } from './playwright.mjs';
import { report } from './report.mjs';
import { AppServer } from './server.mjs';
import { TabardSide } from './tabard.mjs';
import { attempt } from './trial.mjs';

const times = Number(process.env.N ?? 3);
const ends = [];
const t = { after: (work) => ends.unshift(work) };
const apps = await load(process.env.APPS ? process.env.APPS.split(',') : undefined);
const server = await AppServer.start(apps);
t.after(() => server.stop());
const [tabard, oracle] = [await TabardSide.start(t), await PlaywrightSide.start(t)];

/** So many runs by one side; `look` is called with the user of the first, when the page is ready and when the job is done. */
async function runs(side, app, look) {
  const results = [];
  for (let i = 0; i < times; i += 1) {
    const lookAt = async (user, when) => {
      await user.see(isAtRest); // a page that never rests is looked at as it is
      await look(user, when);
    };
    const result = await attempt(side, `${server.url}/${app.name}`, app, i === 0 ? (user) => lookAt(user, 'first') : undefined);
    if (i === 0 && result.ok) await lookAt(result.user, 'last');
    await result.user?.close();
    results.push(result);
  }
  return results;
}

function median(list) {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)];
}

function figures(results) {
  const good = results.filter((each) => each.ok);
  return {
    ok: good.length, seconds: good.length ? median(good.map((each) => each.seconds)) : undefined,
    failures: [...new Set(results.filter((each) => !each.ok).map((each) => each.failure))],
  };
}

async function row(app) {
  if (app.entry) await server.bundle(app.name).catch((err) => console.log(`${app.name}: ${err.message}`));
  const seen = { first: {}, last: {} };
  const ours = await runs(tabard, app, async (user, when) => { seen[when].outline = await user.snapshot(); });
  const theirs = await runs(oracle, app, async (user, when) => {
    Object.assign(seen[when], { wanted: await known(user.page), theirs: await user.snapshot() });
  });
  const states = Object.entries(seen).filter(([, { outline, wanted }]) => outline && wanted);
  return {
    app, times, steps: Math.max(...theirs.map((each) => each.steps), ...ours.map((each) => each.steps)),
    tabard: figures(ours), playwright: figures(theirs),
    sizes: [seen.first.outline?.length, seen.first.theirs?.length],
    total: states.reduce((sum, [, { wanted }]) => sum + wanted.length, 0),
    missing: states.flatMap(([when, { outline, wanted }]) => missing(wanted, outline).map(([role, name]) => ({ when, role, name }))),
  };
}

function line({ app, steps, tabard: ours, playwright: theirs, total, missing: lost }) {
  const side = ({ ok, seconds }) => `${ok}/${times} ${seconds?.toFixed(1) ?? '–'} s`;
  return `${app.name.padEnd(20)} ${steps} steps  tabard ${side(ours)}  playwright ${side(theirs)}  names ${total - lost.length}/${total}`;
}

async function finish() {
  for (const end of ends.splice(0)) await end();
}

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => finish().finally(() => process.exit(1)));

try {
  const began = performance.now();
  const rows = [];
  for (const app of apps.values()) {
    const done = await row(app);
    rows.push(done);
    console.log(line(done));
    for (const side of ['tabard', 'playwright']) for (const failure of done[side].failures) console.log(`  ${side}: ${failure.split('\n')[0]}`);
  }
  const text = report(rows, { seconds: (performance.now() - began) / 1000, version: oracle.browser.version() });
  if (process.env.OUT) writeFileSync(process.env.OUT, text);
  process.exitCode = rows.every((each) => each.tabard.ok >= each.playwright.ok) ? 0 : 1;
} finally {
  await finish();
}
