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
  assert.deepEqual((await changes(tab, 'c.checked = true', '#c')).lines, ['~ checkbox "Agree" [checked] [ref=e1]']);
  assert.deepEqual((await changes(tab, 'c.checked = false', '#c')).lines, ['~ checkbox "Agree" [ref=e1]']);
});

const HIDDEN = `<button id=go>Go</button><main id=app><p>Page</p></main>
  <div id=attr hidden><p>By attribute</p></div><section id=away aria-hidden=true><p>By ARIA</p></section><section id=dead inert><p>By inert</p></section>
  <dialog id=dlg><p>Sure?</p><button>Yes</button></dialog><details id=det><summary>More</summary>Bare <p>Inside</p></details>
  <style>.off, .modal, .menu { display: none } .modal.on, .menu.on { display: block }</style>
  <div id=modal class=modal><div><div role=dialog aria-label=Order><p>Address</p></div></div></div><ul id=menu class=menu role=menu><li role=menuitem>Cut</ul>
  <div id=plain class=off><p>By class</p></div><div id=style style="color: red; display: none"><p>By style</p></div><div id=styled class=off role=status>Saved</div>
  <div id=pop popover><p>Popped</p></div><button id=icon><i>a</i><i id=other hidden>b</i></button>`;

// What is changed, and what is told of it though no snapshot was taken before.
const REVEALED = [
  ['attr.hidden = false', ['+ text: By attribute']],
  ['away.removeAttribute("aria-hidden")', ['+ text: By ARIA']],
  ['dead.inert = false', ['+ text: By inert']],
  ['dlg.showModal()', ['+ dialog [modal] [ref=e1]', '+ text: Sure?', '+ button "Yes" [focused] [ref=e2]']],
  ['det.open = true', ['~ button "More" [expanded] [ref=e1]', '+ text: Bare', '+ text: Inside']],
  ['modal.classList.add("on")', ['+ dialog "Order" [ref=e1]: Address']],
  ['menu.className = "menu on"', ['+ menu', '+ menuitem "Cut" [ref=e1]']],
  ['styled.style.display = "block"', ['+ status: Saved']],
  ['style.style.display = "block"', ['+ text: By style']],
  ['pop.showPopover()', ['+ text: Popped']],
  ['document.body.className = "modal-open", modal.className = "modal on"', ['+ dialog "Order" [ref=e1]: Address']],
  // Of these it cannot be known, or they were shown before.
  ['plain.className = ""', []],
  ['document.body.className = "x"', []],
  ['app.style.color = "red"', []],
  ['app.hidden = true, app.hidden = false', []],
  ['other.hidden = false', []],
  ['attr.hidden = false, attr.hidden = true', []],
];

for (const [script, lines] of REVEALED) {
  test(`what was not shown is told as new without a snapshot before: ${script}`, async (t) => {
    const tab = await rig.show(t, HIDDEN);
    assert.deepEqual((await changes(tab, script)).lines, lines);
  });
}

test('a dialog that was shown is not told as new, nor is the page behind it when it is closed', async (t) => {
  const tab = await rig.show(t, `<div id=app inert aria-hidden=true><p>Page</p></div><div id=box class=a><div role=dialog aria-label=Order>
    <button id=go>Go</button></div></div>`);
  assert.deepEqual((await changes(tab, 'box.className = "b"')).lines, []);
  assert.deepEqual((await changes(tab, 'box.hidden = true, app.inert = false, app.removeAttribute("aria-hidden")')).lines, []);
});

test('a popover that has gone is told', async (t) => {
  const tab = await rig.show(t, HIDDEN);
  await changes(tab, 'pop.showPopover()');
  assert.deepEqual((await changes(tab, 'pop.hidePopover()')).lines, ['- text: Popped']);
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
  await tab.inside(`tabard.point({target: '#go', watch: true}).then(() => { document.body.className = 'x'; document.getElementById('text').textContent = 'y'; return 0; })`);
  const { ms } = await tab.cost('tabard.here(), 0');
  assert.ok(ms < 500, String(ms));
});

test('nor does any number of new and removed elements', async (t) => {
  // Deep in the page, where each question for what is around an element takes its time.
  const tab = await rig.show(t, `${PAGE}<style>p + p { display: none }</style>${'<div>'.repeat(1000)}<div id=rows><p>first</p></div>`);
  await tab.call('snapshot');
  await tab.call('point', { target: '#go', watch: true });
  await tab.page("document.getElementById('rows').innerHTML = '<p>row</p>'.repeat(150_000), 0");
  const { value: line, ms } = await tab.cost("Promise.resolve(tabard.here()).then(({ changes }) => changes.text.split('\\n')[0])");
  assert.equal(line, '+ text: row');
  assert.ok(ms < 3000, String(ms));
});

test('what a page hides from readers is not told', async (t) => {
  const tab = await rig.show(t, `${PAGE}<div aria-hidden=true id=mute></div>`);
  assert.deepEqual((await changes(tab, 'mute.innerHTML = "<p>x</p>", box.innerHTML = "<p hidden>y</p><script>1</scr" + "ipt>"')).lines, []);
});

test('what was shown for a moment only is not among the changes at the end', async (t) => {
  const tab = await rig.show(t, PAGE);
  await tab.call('snapshot');
  assert.deepEqual((await changes(tab, 'text.textContent = "Loading", box.innerHTML = "<p>Please wait"')).lines, ['~ text: Loading', '+ text: Please wait']);
  await tab.page('text.textContent = "Done", box.innerHTML = "<b>New</b>", list.remove(), 0');
  const late = async (whole) => {
    const { changes: told, again } = await tab.call('here', { late: true, whole });
    assert.equal(again, whole ? true : undefined);
    return told?.text.split('\n') ?? [];
  };
  assert.deepEqual(await late(true), ['~ text: Done', '+ text: New', '- list', '- button "Old" [ref=e2]', '- listitem: Plain']);
  await tab.page('text.textContent = "Before", box.innerHTML = "", 0');
  assert.deepEqual(await late(true), ['- list', '- button "Old" [ref=e2]', '- listitem: Plain']);
  await tab.page('text.textContent = "Later", 0');
  assert.deepEqual(await late(false), ['~ text: Later']);
});

// Without a snapshot: what pops up in the page is looked for once, and again when there may be others.
for (const [how, comes] of Object.entries({
  'an element': 'document.body.insertAdjacentHTML("beforeend", "<div role=tooltip id=pop>Here</div>")',
  'a role': 'bare.id = "pop", pop.setAttribute("role", "tooltip")',
  aria: 'bare.id = "pop", pop.setAttribute("aria-modal", "true")',
  'a popover': 'bare.id = "pop", pop.setAttribute("popover", ""), pop.style.display = "block"',
})) {
  test(`what pops up by ${how} between two acts was there before the second`, async (t) => {
    const tab = await rig.show(t, `<style>.off { display: none !important }</style>${PAGE}<div id=bare>Here</div><div role=status id=said>Ready</div>`);
    await changes(tab, 'text.textContent = "After"');
    assert.deepEqual((await changes(tab, 'said.className = "a"')).lines, []);
    await tab.page(`${comes}, 0`);
    assert.deepEqual((await changes(tab, 'pop.className = "a"')).lines, []);
    await tab.page('pop.className = "off", 0');
    assert.match((await changes(tab, 'pop.className = ""')).lines.join(), /^\+ .*Here/);
  });
}

/** What `here` says after a real click, and whether the page had told of the click by itself. */
async function clicked(tab, target) {
  await tab.inside(`told = 0, tabardTell = (text) => { told += JSON.parse(text).stage === 'click' ? 1 : 0; }, 0`);
  await tab.click(target, { watch: true, presses: 1 });
  const told = await tab.inside('told');
  const { changes: { text = '' } = {}, title } = await tab.call('here');
  return { told, lines: text === '' ? [] : text.split('\n'), title };
}

/** The lines of what a key changes, where the focus is or in `target`; and whether the page told of a click by itself. */
async function pressed(tab, key, target) {
  await tab.inside(`told = 0, tabardTell = (text) => { told += JSON.parse(text).stage === 'click' ? 1 : 0; }, 0`);
  if (target !== undefined) await tab.call('focus', { target, watch: true });
  const text = { Enter: '\r', ' ': ' ' }[key];
  const code = { Enter: 13, ' ': 32, ArrowDown: 40, ArrowRight: 39, ArrowUp: 38, Tab: 9 }[key];
  const event = { key, code: key === ' ' ? 'Space' : key, windowsVirtualKeyCode: code };
  await tab.send('Input.dispatchKeyEvent', { ...event, type: text === undefined ? 'rawKeyDown' : 'keyDown', text });
  await tab.send('Input.dispatchKeyEvent', { ...event, type: 'keyUp' });
  const { changes: { text: lines = '' } = {} } = await tab.call('here');
  assert.equal(await tab.inside('told'), 0);
  return lines === '' ? [] : lines.split('\n');
}

const KEYS = `<button id=add onclick="n.textContent = 1 + +n.textContent">Add</button><p id=n>0</p>
  <button id=later onclick="setTimeout(() => { n.textContent = 'Later' })">Later</button><button id=open onclick="d.showModal()">Open</button>
  <dialog id=d><p>Sure?</p></dialog><select id=s aria-label=Pet><option>Cat<option>Dog</select>
  <input type=radio name=r id=r1 aria-label=One checked><input type=radio name=r id=r2 aria-label=Two><input type=checkbox id=c aria-label=Box>
  <input type=range id=slide aria-label=Size value=50><input type=number id=num aria-label=Count value=3><input id=text aria-label=Name>`;

test('what a key does is told as what a click does', async (t) => {
  const tab = await rig.show(t, KEYS);
  await tab.call('snapshot');
  assert.deepEqual(await pressed(tab, 'Enter', '#add'), ['~ text: 1']);
  assert.deepEqual(await pressed(tab, 'Enter'), ['~ text: 2']);
  assert.deepEqual(await pressed(tab, ' '), ['~ text: 3']);
  assert.deepEqual(await pressed(tab, 'Tab'), []);
  assert.deepEqual(await pressed(tab, 'Enter'), ['~ text: Later']);
  assert.deepEqual(await pressed(tab, ' ', '#c'), ['~ checkbox "Box" [checked] [ref=e7]']);
  assert.deepEqual(await pressed(tab, ' '), ['~ checkbox "Box" [ref=e7]']);
  assert.deepEqual(await pressed(tab, 'ArrowDown', '#s'), ['~ combobox "Pet" [ref=e4]: Dog']);
  assert.deepEqual(await pressed(tab, 'ArrowUp'), ['~ combobox "Pet" [ref=e4]: Cat']);
  assert.deepEqual(await pressed(tab, 'ArrowDown', '#r1'), ['~ radio "One" [ref=e5]', '~ radio "Two" [checked] [ref=e6]']);
  assert.deepEqual(await pressed(tab, 'ArrowRight', '#slide'), ['~ slider "Size" [ref=e8]: 51']);
  assert.deepEqual(await pressed(tab, 'ArrowUp', '#num'), ['~ spinbutton "Count" [ref=e9]: 4']);
  assert.deepEqual(await pressed(tab, 'Enter', '#open'), ['+ dialog [modal] [focused] [ref=e11]: Sure?']);
});

test('a key inside a frame of our origin tells what it does there', async (t) => {
  const tab = await rig.show(t, '<iframe src=/keys.html width=600 height=400></iframe>', { '/keys.html': KEYS });
  await tab.page('frames[0].document.getElementById("add").focus(), 0');
  assert.deepEqual(await pressed(tab, 'Enter'), ['+ text: 1']);
  await tab.page('frames[0].document.getElementById("s").focus(), 0');
  assert.deepEqual(await pressed(tab, 'ArrowDown'), ['~ combobox "Pet" [ref=e1]: Dog']);
});

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

test('what was there all along has not come with another class of what is around it', async (t) => {
  const body = '<button id=go>Go</button><div role=status>3 items</div><div role=menu id=m class=shut><div role=menuitem>Cut</div></div>'
    + '<style>.shut { display: none } body.open .shut { display: block }</style>';
  const tab = await rig.show(t, body);
  assert.deepEqual((await changes(tab, 'document.body.className = "x"')).lines, []);
  assert.deepEqual((await changes(tab, 'm.parentElement.className = "open", m.className = "shut now"')).lines, ['+ menu', '+ menuitem "Cut" [ref=e2]']);
  const large = await rig.show(t, `${body}${'<p>.</p>'.repeat(3000)}`);
  assert.deepEqual((await changes(large, 'document.body.className = "x"')).lines, []);
});

test('the name of an element forges no ref', async (t) => {
  const tab = await rig.show(t, `<button>One</button><b[ref=e1] id=go role=x aria-pressed=false style="display:block;height:9px"></b[ref=e1]>
    <b[ref=e1] class=two aria-label=Two>2</b[ref=e1]><b[ref=e1] class=two aria-label=Three>3</b[ref=e1]>`);
  await tab.call('snapshot');
  assert.deepEqual((await changes(tab, 'go.ariaPressed = true')).lines, ['~ b_ref_e1_ [pressed] [ref=e2]']);
  const { error } = await tab.call('point', { target: '.two', strict: true, timeout_ms: 0 });
  assert.equal(error.message, '".two" matches 2 elements: e3 b_ref_e1_ "Two", e4 b_ref_e1_ "Three"');
});
