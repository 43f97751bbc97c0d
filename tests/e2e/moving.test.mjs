// SPDX-License-Identifier: Apache-2.0
// Clicks while the layout moves. The page itself notes what the mouse went down on and what was clicked: never anything but what
// was meant, and what the reply says. A few clicks on each layout; `make moving` makes a thousand.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon } from '../support/daemon.mjs';

const COLUMN = `<div id=column>${Array.from({ length: 12 }, (_, k) => `<div><button id=b${k} data-k=B${k}>B${k}</button></div>`).join('')}</div>`;

// Each with its body, and what starts the movement: `t` runs from 0 to 1 in `each`, `later` runs something at a random moment, sooner rather than later: a click takes a few
// milliseconds.
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
  'letters come late': ['<p style="width:300px">Some words that become larger, and so need more lines than before.</p><div id=pane></div>',
    'pane.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: `/late.css?${Math.random()}` }))'],
  'banners are put in above': ['<div id=pane></div>', 'for (let n = 0; n < 6; n += 1) later(() => pane.insertAdjacentHTML("beforeend", "<p>Banner"))'],
  'the buttons change places': ['', 'for (let n = 0; n < 8; n += 1) later(() => column.prepend(column.children[Math.floor(Math.random() * 12)]))'],
  'a list draws its rows anew': [`<style>#list{height:260px;overflow:auto;position:relative}#list div{position:absolute;top:0;width:100%;height:24px}</style>
    <div id=list><p style="height:24000px;margin:0">${'<div role=button></div>'.repeat(12)}</div><script>
    const draw = () => { const top = Math.floor(list.scrollTop / 24); list.querySelectorAll('div').forEach((row, n) => {
      const k = top + (n - top % 12 + 12) % 12; row.style.transform = 'translateY(' + k * 24 + 'px)'; row.textContent = row.dataset.k = 'R' + k; }); };
    list.onscroll = draw; draw();</script>`, 'each((t) => { list.scrollTop = 24 * (40 * t); })', 'R46'],
  'a frame moves': ['<div id=pane style="height:200px">x</div><iframe src=/inner style="height:400px;width:400px"></iframe>',
    'each((t) => { pane.style.height = `${200 - 200 * t}px`; })', 'In frame'],
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

const pageOf = ([body, , only]) => `<!doctype html><title>Moving</title><style>button{height:22px;padding:0}</style>${NOTES}<body>${body}${only ? '' : COLUMN}
  <div style="height:2000px"></div>`;

/** What comes late comes at a random moment of the movement. */
const answerLate = (url, response) => setTimeout(() => {
  const image = url.startsWith('/late.svg');
  response.writeHead(200, { 'content-type': image ? 'image/svg+xml' : 'text/css' })
    .end(image ? '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="37"/>' : 'p { font: 31px monospace; }');
}, Math.random() ** 2 * 60);

let site;
before(async () => {
  site = http.createServer(({ url }, response) => {
    if (url.startsWith('/late')) {
      answerLate(url, response);
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

const CLICKS = Number(process.env.TABARD_MOVING ?? 4 * Object.keys(LAYOUTS).length);
const counts = { clicked: 0, refused: 0 };

/** Each page anew: the movement leaves nothing behind. */
async function clickOnce(agent, number, forms) {
  await agent.call('browser_navigate', { url: `http://127.0.0.1:${site.address().port}/${number}` });
  const [, move] = Object.values(LAYOUTS)[number];
  await agent.call('browser_evaluate', { script: `(() => { ${move}; })()` });
  const target = forms[Math.floor(Math.random() * forms.length)];
  const said = await agent.call('browser_click', { target, timeout_ms: 20_000, snapshot: false }).catch((err) => err.text ?? Promise.reject(err));
  const log = JSON.parse((await agent.call('browser_evaluate', { script: 'JSON.stringify(log)' })).split('\n')[0]);
  return { target, said, log: typeof log === 'string' ? JSON.parse(log) : log };
}

test('clicks hit what was meant while the layout moves', async (t) => {
  const agent = await Agent.connect(t, await Daemon.start(t), kinds[1]);
  for (const [number, [what, [, , only]]] of Object.entries(LAYOUTS).entries()) {
    await t.test(what, async (layout) => {
      for (let n = 0; n < CLICKS / Object.keys(LAYOUTS).length; n += 1) {
        const meant = only ?? `B${1 + Math.floor(Math.random() * 10)}`;
        const forms = only ? [`text=${only}`] : [`#${meant.toLowerCase()}`, `text=${meant}`, `role=button[name="${meant}"]`];
        const { target, said, log } = await clickOnce(agent, number, forms);
        assert.equal(faultOf(said, log, meant), null, `${target}: ${said} ${JSON.stringify(log)}`);
        counts[said.startsWith('Clicked') ? 'clicked' : 'refused'] += 1;
        if (!said.startsWith('Clicked')) layout.diagnostic(`${target}: ${said}`);
      }
    });
  }
  t.diagnostic(`${counts.clicked} clicked, ${counts.refused} told as not clicked`);
});
