// SPDX-License-Identifier: Apache-2.0
// Runs every job by both sides and writes the table: APPS=select2,quill chooses, N=3 is how often each, OUT the file.
import { writeFileSync } from 'node:fs';
import { load } from './apps.mjs';
import { look } from './names.mjs';
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

/** So many runs by one side; `first` is called with the user of the first when the page is ready. */
async function runs(side, app, first) {
  const results = [];
  for (let i = 0; i < times; i += 1) {
    const result = await attempt(side, `${server.url}/${app.name}`, app, i === 0 ? first : undefined);
    await result.user?.close();
    results.push(result);
  }
  return results;
}

/** One more run by tabard in the oracle's browser, whose tree of the same page says which names there are: before and after the job. */
async function names(app) {
  const url = `${server.url}/${app.name}`;
  const { webSocketDebuggerUrl: endpoint } = await (await fetch(`${oracle.devtools}/json/version`)).json();
  const side = { open: (address) => tabard.open(address, { provider: 'cdp', endpoint }) };
  const states = [];
  const result = await attempt(side, url, app, async (user) => { states.push(await look(user, oracle.devtools, url)); });
  if (result.ok) states.push(await look(result.user, oracle.devtools, url));
  await result.user?.close();
  return { total: states.reduce((sum, { total }) => sum + total, 0), missing: states.flatMap(({ missing }) => missing) };
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
  const sizes = [];
  const measure = async (user) => { sizes.push((await user.snapshot()).length); };
  const ours = await runs(tabard, app, measure);
  const theirs = await runs(oracle, app, measure);
  return {
    app, times, steps: Math.max(...theirs.map((each) => each.steps), ...ours.map((each) => each.steps)),
    tabard: figures(ours), playwright: figures(theirs), sizes, ...await names(app),
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
