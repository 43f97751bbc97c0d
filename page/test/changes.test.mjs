// SPDX-License-Identifier: Apache-2.0
// What an act has changed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();

/** The lines of what `script` changes in the page. */
async function changes(tab, script, target = '#go') {
  await tab.call('point', { target, watch: true });
  await tab.page(`${script}, 0`);
  const { changes: told, titled } = await tab.call('here');
  return { lines: told === undefined ? [] : told.text.split('\n'), more: told?.more ?? 0, titled: titled ?? false };
}

const PAGE = '<title>One</title><button id=go>Go</button><div id=box></div><ul id=list><li><button id=old>Old</button><li>Plain</ul>'
  + '<p id=text>Before</p><label>Agree <input id=c type=checkbox></label>';

test('new elements, with refs that can be used', async (t) => {
  const tab = await rig.show(t, PAGE);
  const { lines, titled } = await changes(tab, 'box.innerHTML = `<h2>More</h2><button onclick="hit = 1">Second</button>`, document.title = "Two"');
  assert.deepEqual({ lines, titled }, { lines: ['+ heading "More" [level=2]', '+ button "Second" [ref=e1]'], titled: true });
  await tab.click('e1');
  assert.equal(await tab.page('hit'), 1);
});

test('nothing changed: nothing is told', async (t) => {
  const tab = await rig.show(t, PAGE);
  assert.deepEqual(await changes(tab, '0'), { lines: [], more: 0, titled: false });
  assert.deepEqual(await changes(tab, 'box.dataset.x = 1, box.className = "a"'), { lines: [], more: 0, titled: false });
  assert.equal((await tab.call('here')).changes, undefined);
});

test('after a snapshot only what differs is told, and what has gone', async (t) => {
  const tab = await rig.show(t, PAGE);
  await tab.call('snapshot');
  assert.deepEqual((await changes(tab, 'text.textContent = "After"')).lines, ['~ text: After']);
  assert.deepEqual((await changes(tab, 'old.remove()')).lines, ['- button "Old" [ref=e2]']);
  assert.deepEqual((await changes(tab, 'go.textContent = "Gone"')).lines, ['~ button "Gone" [ref=e1]']);
  assert.deepEqual((await changes(tab, 'list.hidden = true')).lines, ['- list', '- listitem: Plain']);
  assert.deepEqual((await changes(tab, 'list.hidden = false')).lines, ['+ list', '+ listitem: Plain']);
});

test('that something has lost the focus is no change, that it has got it is one', async (t) => {
  const tab = await rig.show(t, PAGE);
  await tab.page('old.focus(), 0');
  await tab.call('snapshot');
  assert.deepEqual((await changes(tab, 'go.focus(), old.className = "x"')).lines, []);
  assert.deepEqual((await changes(tab, 'old.textContent = "New"')).lines, ['~ button "New" [ref=e2]']);
  assert.deepEqual((await changes(tab, 'old.focus(), old.className = "y"')).lines, ['~ button "New" [focused] [ref=e2]']);
});

test('what only the outline says beside a line is no change', async (t) => {
  const options = Array.from({ length: 30 }, (_, i) => `<option>${i}`).join('');
  const tab = await rig.show(t, `<button id=go>Go</button><div id=box><a href=/a>View</a><a href=/b>View</a><select aria-label=s>${options}</select>
    ${'<canvas></canvas>'.repeat(5)}</div>`);
  await tab.call('snapshot');
  assert.deepEqual((await changes(tab, 'box.append(document.createElement("h2")), box.lastChild.textContent = "New"')).lines,
    ['+ heading "New" [level=2]']);
  assert.deepEqual((await changes(tab, 'box.className = "x"')).lines, []);
});

test('an element that was replaced by its like is told with its new ref only', async (t) => {
  const tab = await rig.show(t, PAGE);
  await tab.call('snapshot');
  assert.deepEqual((await changes(tab, 'old.outerHTML = "<button>Old</button>"')).lines, ['+ button "Old" [ref=e4]']);
});

test('a tick is told though it changes no node', async (t) => {
  const tab = await rig.show(t, PAGE);
  assert.deepEqual((await changes(tab, 'c.checked = true', '#c')).lines, ['+ checkbox "Agree" [checked] [ref=e1]']);
  assert.deepEqual((await changes(tab, 'c.checked = false', '#c')).lines, ['~ checkbox "Agree" [ref=e1]']);
});

test('changes in shadow roots and frames that the snapshot has shown', async (t) => {
  const tab = await rig.show(t, `${PAGE}<div id=host><template shadowrootmode=open><p>In</p></template></div>`);
  await tab.call('snapshot');
  assert.deepEqual((await changes(tab, 'host.shadowRoot.firstChild.textContent = "Out"')).lines, ['~ text: Out']);
});

test('at most 600 characters and a count of the rest', async (t) => {
  const tab = await rig.show(t, PAGE);
  const { lines, more } = await changes(tab, 'box.innerHTML = Array.from({length: 100}, (_, i) => `<p>Paragraph number ${i}</p>`).join("")');
  assert.ok(lines.join('\n').length <= 600 && lines.length > 15, String(lines.length));
  assert.equal(lines.length + more, 100);
});

test('what was there before is not told as new, however much an attribute may have changed', async (t) => {
  const tab = await rig.show(t, `${PAGE}${'<p>filler <b>text</b></p>'.repeat(3000)}<p id=last>Last</p>`);
  assert.deepEqual((await changes(tab, 'document.body.className = "x"')).lines, []);
  await tab.call('snapshot', { max_chars: 1e6 });
  assert.deepEqual((await changes(tab, 'document.body.className = "y"')).lines, []);
  assert.deepEqual((await changes(tab, 'box.innerHTML = "<p>New</p>", document.body.className = "z"')).lines, ['+ text: New']);
});

test('a large page costs no more', async (t) => {
  const tab = await rig.show(t, `${PAGE}${'<div><p>filler <b>text</b></p></div>'.repeat(20000)}`);
  const ms = await tab.inside(`(async () => { await tabard.point({target: '#go', watch: true}); document.body.className = 'x';
    document.getElementById('text').textContent = 'y'; const began = performance.now(); tabard.here(); return performance.now() - began; })()`);
  assert.ok(ms < 500, String(ms));
});

test('nor does any number of new and removed elements', async (t) => {
  // Deep in the page, where each question for what is around an element takes its time.
  const tab = await rig.show(t, `${PAGE}<style>p + p { display: none }</style>${'<div>'.repeat(1000)}<div id=rows><p>first</p></div>`);
  await tab.call('snapshot');
  const { ms, lines } = await tab.inside(`(async () => { await tabard.point({target: '#go', watch: true});
    const rows = document.getElementById('rows'); rows.innerHTML = '<p>row</p>'.repeat(150_000);
    const began = performance.now(); const { changes } = await tabard.here(); return { ms: performance.now() - began, lines: changes.text.split('\\n') }; })()`);
  assert.equal(lines[0], '+ text: row');
  assert.ok(ms < 3000, String(ms));
});

test('what a page hides from readers is not told', async (t) => {
  const tab = await rig.show(t, `${PAGE}<div aria-hidden=true id=mute></div>`);
  assert.deepEqual((await changes(tab, 'mute.innerHTML = "<p>x</p>", box.innerHTML = "<p hidden>y</p><script>1</scr" + "ipt>"')).lines, []);
});

/** What `here` says after a real click, and whether the page had told of the click by itself. */
async function clicked(tab, target) {
  await tab.inside(`told = 0, tabardTell = (text) => { told += JSON.parse(text).stage === 'click' ? 1 : 0; }, 0`);
  await tab.click(target, { watch: true, presses: 1 });
  const told = await tab.inside('told');
  const { changes: { text = '' } = {}, title } = await tab.call('here');
  return { told, lines: text === '' ? [] : text.split('\n'), title };
}

test('what the next frames and due timers bring after a click that did nothing yet is waited for', async (t) => {
  const tab = await rig.show(t, `<title>One</title><div id=box></div>
    <button id=frame onclick="requestAnimationFrame(() => { box.innerHTML = '<p>Framed' })">F</button>
    <button id=frames onclick="requestAnimationFrame(() => requestAnimationFrame(() => { box.innerHTML = '<p role=alert>Twice' }))">FF</button>
    <button id=timer onclick="setTimeout(() => { box.innerHTML = '<p>Timed' })">T</button>
    <span id=hand style="cursor:pointer">H</span><script>hand.onclick = () => setTimeout(() => { document.title = 'Two'; })</script>`);
  assert.deepEqual(await clicked(tab, '#frame'), { told: 0, lines: ['+ text: Framed'], title: 'One' });
  assert.deepEqual(await clicked(tab, '#frames'), { told: 0, lines: ['+ alert: Twice', '- text: Framed'], title: 'One' });
  assert.deepEqual(await clicked(tab, '#timer'), { told: 0, lines: ['+ text: Timed', '- alert: Twice'], title: 'One' });
  assert.equal((await clicked(tab, '#hand')).title, 'Two');
});

test('a click of which something has come is told at once, and so is one on what is not there to be clicked', async (t) => {
  const tab = await rig.show(t, `<p id=text>Text</p><input id=field><button id=b onclick="text.textContent = 'New'">B</button>
    <button id=hover onclick="text.textContent = 'Newer'">H</button><style>#hover { transition: opacity .3s, transform .3s }
    #hover:hover { opacity: .5; transform: scale(1.1) }</style>`);
  for (const target of ['#b', '#text', '#field', '#hover']) {
    assert.equal((await clicked(tab, target)).told, 1, target);
  }
});

test('what shows at the end of a transition that a click has begun is told', async (t) => {
  const tab = await rig.show(t, `<style>#back { opacity: 0; transition: opacity .15s } #back.on { opacity: 1 }
      #tree { visibility: hidden; height: 0; overflow: hidden; transition: height .15s } #tree.on { height: 100px }</style>
    <button id=open onclick="back.classList.add('on'); back.ontransitionend = () => { box.innerHTML = '<div role=dialog aria-label=Really>?</div>' }">Open</button>
    <button id=unfold onclick="tree.classList.add('on'); tree.ontransitionend = () => { tree.style.visibility = 'visible' }">Unfold</button>
    <div id=back></div><div id=box></div><div id=tree><a href=/x>Leaf</a></div>`);
  await tab.call('snapshot');
  assert.deepEqual((await clicked(tab, '#open')).lines, ['+ dialog "Really" [ref=e3]: ?']);
  assert.deepEqual((await clicked(tab, '#unfold')).lines, ['+ link "Leaf" [ref=e4]']);
});

test('an animation without an end is not waited for', async (t) => {
  const tab = await rig.show(t, `<style>@keyframes turn { to { transform: rotate(1turn) } } .spin { animation: turn 1s infinite }</style>
    <button id=b onclick="box.innerHTML = '<p class=spin>Busy'">B</button><div id=box></div>`);
  assert.deepEqual(await clicked(tab, '#b'), { told: 1, lines: [], title: '' });
});
