// SPDX-License-Identifier: Apache-2.0
// Times and sizes of the scripts on the pages of the benches: `node page/test/measure.mjs`. Says nothing about pass or fail.
// On a machine that does other work too, the processor time of the browser tells more than the clock.
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { source, useBrowser } from './harness.mjs';

const RUNS = 200;
const FRESH = 15;
const rig = useBrowser();

const sorted = (times) => times.toSorted((a, b) => a - b);
const show = (times) => `median ${sorted(times)[times.length >> 1].toFixed(2)} ms, least ${Math.min(...times).toFixed(2)}`;

/** Processor time of all processes of the browser, in ms. */
function cpu() {
  const rows = readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map((pid) => {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '').split(' ');
      return { pid: Number(pid), parent: Number(fields[1]), ticks: Number(fields[11]) + Number(fields[12]) };
    } catch {
      return null; // it has just ended
    }
  }).filter(Boolean);
  const ours = new Set([rig.browser.child.pid]);
  for (let before = 0; before < ours.size;) {
    before = ours.size;
    for (const { pid, parent } of rows) if (ours.has(parent)) ours.add(pid);
  }
  return rows.reduce((sum, { pid, ticks }) => sum + (ours.has(pid) ? ticks * 10 : 0), 0);
}

/** Times of `expression`, run in the page. */
const timed = (tab, expression, runs) => tab.inside(`(async () => { const times = [];
  for (let i = 0; i < ${runs}; i++) { const began = performance.now(); await (${expression});
    times.push(performance.now() - began); }
  return times; })()`);

for (const [name, words] of [['items-200', 'Oak Lamp 140'], ['elements-2000', 'Remove 100']]) {
  test(name, async (t) => {
    const tab = await rig.tab(t);
    rig.server.pages.set(`/${name}.html`, readFileSync(new URL(`../../bench/pages/${name}.html`, import.meta.url), 'utf8'));
    const first = [];
    for (let i = 0; i < FRESH; i += 1) {
      await tab.goto(`${rig.server.origin}/${name}.html`);
      await tab.page('document.body.offsetHeight');
      first.push(...await timed(tab, 'tabard.snapshot()', 1));
    }
    const { text } = await tab.call('snapshot', { max_chars: 1e6 });
    const count = await tab.page('document.querySelectorAll("*").length');
    console.log(`${name}: ${count} elements, ${Buffer.byteLength(text)} bytes, ${text.split('\n').length} lines`);
    console.log(`  first snapshot of a document: ${show(first)}`);
    const before = cpu();
    const times = await timed(tab, 'tabard.snapshot({max_chars: 1e6})', RUNS);
    console.log(`  snapshot: ${show(times)}; processor ${((cpu() - before) / RUNS).toFixed(2)} ms each`);
    console.log(`  point by ref: ${show(await timed(tab, 'tabard.point({target: "e5"})', RUNS))}`);
    console.log(`  point by text: ${show(await timed(tab, `tabard.point({target: "text=${words}"})`, 20))}`);
    console.log(`  elements: ${show(await timed(tab, 'tabard.elements()', 10))}`);
    console.log(`  markdown: ${show(await timed(tab, 'tabard.extract({format: "markdown"})', 20))}`);
  });
}

test('the scripts', () => {
  console.log(`${source.length} bytes of source; load ${readFileSync('/proc/loadavg', 'utf8').slice(0, 14)}`);
});
