// SPDX-License-Identifier: Apache-2.0
// Clicks while the layout moves. The page itself notes what the mouse went down on and what was clicked: never anything but what
// was meant, and what the reply says; and nearly all of them are done. A few clicks on each layout; `make moving` makes a thousand and writes
// bench/MOVING.md.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon } from '../support/daemon.mjs';

const COLUMN = `<div id=column>${Array.from({ length: 12 }, (_, k) => `<div><button id=b${k} data-k=B${k}>B${k}</button></div>`).join('')}</div>`;

// Each with its body, and what starts the movement: `t` runs from 0 to 1 in `each`, `later` runs something at a random moment, sooner rather than later: a click takes a few
// milliseconds.
// A web font of any kind: `size-adjust` makes its letters larger than those that stand there until it comes.
const WEB_FONT = '@font-face { font-family: Late; src: url(/late.font); size-adjust: 220%; font-display: swap }';

const LAYOUTS = {
  'a pane slides up, by a script': ['<div id=pane style="height:300px">x</div>', 'each((t) => { pane.style.height = `${300 - 300 * t}px`; })'],
  'a pane folds, by a transition': ['<div id=pane style="height:300px;transition:height .2s">x</div>', 'later(() => { pane.style.height = 0; })'],
  'the column glides, by a transition': ['<style>#column{transition:transform .2s}</style>', 'later(() => { column.style.transform = "translateY(150px)"; })'],
  'the column glides, by an animation': ['<style>@keyframes down{to{margin-top:160px}}.down{animation:down .2s both}</style>', 'later(() => column.classList.add("down"))'],
  'the column jumps': ['', 'for (let n = 1; n < 8; n += 1) later(() => { column.style.marginTop = `${29 * n}px`; })'],
  'the column moves by its position': ['<style>#column{position:relative}</style>', 'each((t) => { column.style.top = `${150 * t}px`; })'],
  'the page scrolls, by a script': ['<div style="height:300px">x</div>', 'each((t) => scrollTo(0, 200 * t))'],
  'the page scrolls smoothly': ['<div style="height:300px">x</div>', 'later(() => scrollTo({ top: 180, behavior: "smooth" }))'],
  'the column follows the scrolling': ['<div style="height:300px">x</div><script>onscroll = () => { column.style.transform = `translateY(${scrollY / 2}px)`; }</script>',
    'each((t) => scrollTo(0, 200 * t))'],
  'images come late': ['<div id=pane></div>', 'for (let n = 0; n < 4; n += 1) pane.append(Object.assign(new Image(), { src: `/late.svg?${Math.random()}` }))'],
  'a style sheet comes late': ['<p style="width:300px">Some words that become larger, and so need more lines than before.</p><div id=pane></div>',
    'pane.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: `/late.css?${Math.random()}` }))'],
  'a web font comes late': [`<style>${WEB_FONT}</style><p id=words style="width:300px">Some words that become larger, and so need more lines than before.</p>`,
    'words.style.fontFamily = "Late, sans-serif"', { moved: 'document.fonts.ready.then(() => [...document.fonts][0].status)', by: /^"?loaded/ }],
  'banners are put in above': ['<div id=pane></div>', 'for (let n = 0; n < 6; n += 1) later(() => pane.insertAdjacentHTML("beforeend", "<p>Banner"))'],
  'the buttons change places': ['', 'for (let n = 0; n < 8; n += 1) later(() => column.prepend(column.children[Math.floor(Math.random() * 12)]))'],
  'a list draws its rows anew': [`<style>#list{height:260px;overflow:auto;position:relative}#list div{position:absolute;top:0;width:100%;height:24px}</style>
    <div id=list><p style="height:24000px;margin:0">${'<div role=button></div>'.repeat(12)}</div><script>
    const draw = () => { const top = Math.floor(list.scrollTop / 24); list.querySelectorAll('div').forEach((row, n) => {
      const k = top + (n - top % 12 + 12) % 12; row.style.transform = 'translateY(' + k * 24 + 'px)'; row.textContent = row.dataset.k = 'R' + k; }); };
    list.onscroll = draw; draw();</script>`, 'each((t) => { list.scrollTop = 24 * (40 * t); })', { only: 'R46' }],
  'a frame moves': ['<div id=pane style="height:200px">x</div><iframe src=/inner style="height:400px;width:400px"></iframe>',
    'each((t) => { pane.style.height = `${200 - 200 * t}px`; })', { only: 'In frame' }],
  'jQuery slides a pane up after a click': [`<script src=/jquery.js></script><button id=go onclick="log = []; $('#pane').slideUp(200)">Hide</button>
    <div id=pane style="height:400px">x</div><button id=b data-k=Keep>Keep</button><button data-k=Delete>Delete</button>`,
    '', { only: 'Keep', first: '#go', forms: ['#b', 'text=Keep'],
      moved: '$("#pane").promise().then(() => getComputedStyle(pane).display)', by: /^"?none/ }],
};

// Only what a person does counts, and what our own scripts hold back never comes here.
const NOTES = `<script>
  log = []; round = 0;
  note = (win) => { for (const type of ['mousedown', 'click']) win.addEventListener(type, (event) => {
    if (event.isTrusted) log.push([type, event.target.closest?.('[data-k]')?.dataset.k ?? event.target.tagName]); }, true); };
  note(window);
  later = (work) => { const mine = round; setTimeout(() => { if (mine === round) work(); }, Math.random() ** 2 * 60); };
  each = (work) => { const mine = round; later(() => { const from = performance.now(); const step = () => {
    const t = Math.min(1, (performance.now() - from) / 200); if (mine !== round) return;
    work(t); if (t < 1) requestAnimationFrame(step); }; step(); }); };
</script>`;

const INNER = `<!doctype html><body><div>${'<button data-k=Wrong>Wrong</button><br>'.repeat(6)}<button data-k="In frame">In frame</button><br>
  ${'<button data-k=Wrong>Wrong</button><br>'.repeat(6)}</div><script>parent.note(window)</script>`;

const pageOf = ([body, , { only } = {}]) => `<!doctype html><title>Moving</title><style>button{height:22px;padding:0}</style>${NOTES}<body>${body}${only ? '' : COLUMN}
  <div style="height:2000px"></div>`;

/** The first font that the machine has; no browser draws text without one. */
const fontFile = () => {
  const root = '/usr/share/fonts';
  const found = readdirSync(root, { recursive: true }).filter((name) => /\.(?:otf|ttf|woff2?)$/.test(name)).sort()[0];
  assert.ok(found, `no font in ${root}`);
  return path.join(root, found);
};

const LATE = {
  '/late.svg': ['image/svg+xml', () => '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="37"/>'],
  '/late.css': ['text/css', () => 'p { font: 31px monospace; }'],
  '/late.font': ['application/octet-stream', () => readFileSync(fontFile())],
};
const JQUERY = readFileSync(new URL('../node_modules/jquery/dist/jquery.min.js', import.meta.url));

/** What comes late comes at a random moment of the movement. */
const answerLate = ([type, content], response) => setTimeout(() => {
  response.writeHead(200, { 'content-type': type, 'cache-control': 'no-store' }).end(content());
}, Math.random() ** 2 * 60);

let site;
before(async () => {
  site = http.createServer(({ url }, response) => {
    const late = LATE[url.split('?')[0]];
    if (late) {
      answerLate(late, response);
    } else if (url === '/jquery.js') {
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(JQUERY);
    } else {
      const html = url === '/inner' ? INNER : pageOf(Object.values(LAYOUTS)[Number(url.slice(1))] ?? ['']);
      response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    }
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
});
after(() => { site.close(); site.closeAllConnections(); });

/** What is wrong with a click; null: nothing. */
const faultOf = (said, log, meant) => {
  const clicks = log.filter(([type, k]) => type === 'click' && k === meant).length;
  if (log.some(([, k]) => k !== meant)) return 'another element was hit';
  if (clicks > 1) return 'it was clicked twice';
  if (said.startsWith('Clicked') && clicks === 0) return 'it was told as done and was not';
  return !said.startsWith('Clicked') && clicks > 0 ? 'it was done and told as not' : null;
};

const LAYOUT_COUNT = Object.keys(LAYOUTS).length;
const CLICKS = Number(process.env.TABARD_MOVING ?? 4 * LAYOUT_COUNT);
const DONE_AT_LEAST = 0.95; // of all, and of each layout that gets many clicks

const VERSION = 'navigator.userAgentData.getHighEntropyValues(["uaFullVersion"]).then(({ uaFullVersion }) => uaFullVersion)';

/** Each page anew: the movement leaves nothing behind. */
async function clickOnce(agent, number, target) {
  await agent.call('browser_navigate', { url: `http://127.0.0.1:${site.address().port}/${number}` });
  const [, move, { first } = {}] = Object.values(LAYOUTS)[number];
  if (first) {
    await agent.call('browser_click', { target: first, snapshot: false });
  } else {
    await agent.call('browser_evaluate', { script: `(() => { ${move}; })()` });
  }
  const said = await agent.call('browser_click', { target, timeout_ms: 20_000, snapshot: false }).catch((err) => err.text ?? Promise.reject(err));
  const log = JSON.parse((await agent.call('browser_evaluate', { script: 'JSON.stringify(log)' })).split('\n')[0]);
  return { said, log: typeof log === 'string' ? JSON.parse(log) : log };
}

/** That a layout of which a movement was to come did move. */
async function mustHaveMoved(agent, [, , { moved, by } = {}]) {
  if (moved) assert.match(await agent.call('browser_evaluate', { script: moved }), by);
}

function writeResult(file, rows, { seconds, version }) {
  const sum = (key) => rows.reduce((all, row) => all + row[key], 0);
  const line = ({ what, done, refused, wrong }) => `| ${what} | ${done + refused + wrong} | ${done} | ${refused} | ${wrong} |`;
  writeFileSync(file, `# Clicks while the layout moves

${new Date().toISOString().slice(0, 10)}, ${os.cpus()[0].model}, ${os.cpus().length} cores, Chromium ${version}.
${Math.round(seconds)} s in all; load average of the last five minutes ${os.loadavg()[1].toFixed(1)}.

Written by \`make moving\` (\`tests/e2e/moving.test.mjs\`). Each click is on a page of its own, while that moves. The page notes what the mouse
goes down on and what is clicked. Done: the element was clicked, once, and the reply says so. Refused: nothing was clicked, and the reply says
that. Wrong: another element was hit, or the reply is not true.

| what moves | clicks | done | refused | wrong |
| --- | --: | --: | --: | --: |
${rows.map(line).join('\n')}
${line({ what: 'all', done: sum('done'), refused: sum('refused'), wrong: sum('wrong') })}
`);
}

test('clicks hit what was meant while the layout moves', async (t) => {
  const agent = await Agent.connect(t, await Daemon.start(t), kinds[1]);
  const began = performance.now();
  const rows = [];
  for (const [number, [what, layout]] of Object.entries(LAYOUTS).entries()) {
    await t.test(what, async (sub) => {
      const row = { what, done: 0, refused: 0, wrong: 0 };
      const faults = [];
      rows.push(row);
      for (let n = 0; n < CLICKS / LAYOUT_COUNT; n += 1) {
        const { only, forms: given } = layout[2] ?? {};
        const meant = only ?? `B${1 + Math.floor(Math.random() * 10)}`;
        const forms = given ?? (only ? [`text=${only}`] : [`#${meant.toLowerCase()}`, `text=${meant}`, `role=button[name="${meant}"]`]);
        const target = forms[Math.floor(Math.random() * forms.length)];
        const { said, log } = await clickOnce(agent, number, target);
        const fault = faultOf(said, log, meant);
        if (fault !== null) faults.push(`${fault}: ${target}: ${said} ${JSON.stringify(log)}`);
        row[fault !== null ? 'wrong' : said.startsWith('Clicked') ? 'done' : 'refused'] += 1;
        if (!said.startsWith('Clicked')) sub.diagnostic(`${target}: ${said}`);
      }
      await mustHaveMoved(agent, layout);
      assert.deepEqual(faults, []);
      const most = row.done + row.refused;
      assert.ok(most < 20 || row.done >= DONE_AT_LEAST * most, `${row.done} of ${most} were done`);
    });
  }
  const done = rows.reduce((all, row) => all + row.done, 0);
  const refused = rows.reduce((all, row) => all + row.refused, 0);
  t.diagnostic(`${done} clicked, ${refused} told as not clicked`);
  if (process.env.TABARD_MOVING_RESULT) {
    const [version] = /[\d.]+/.exec(await agent.call('browser_evaluate', { script: VERSION }));
    writeResult(process.env.TABARD_MOVING_RESULT, rows, { seconds: (performance.now() - began) / 1000, version });
  }
  assert.ok(done >= DONE_AT_LEAST * (done + refused), `${done} of ${done + refused} were done`);
});
