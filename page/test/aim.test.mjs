// SPDX-License-Identifier: Apache-2.0
// What a press of the mouse really hits.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();

/** Looks at a target, lets the page do something, then presses there, with `held` done before each release; gives what the scripts say of it. */
async function press(tab, target, between = '0', { presses = 1, button = 'left', held = '0' } = {}) {
  await tab.inside('globalThis.told = [], globalThis.tabardTell = (text) => { told.push(JSON.parse(text)); }, 0');
  const { x, y, error } = await tab.call('point', { target, presses });
  assert.equal(error, undefined);
  await tab.page(between);
  await tab.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
  for (let clickCount = 1; clickCount <= presses; clickCount += 1) {
    await tab.send('Input.dispatchMouseEvent', { type: 'mousePressed', x, y, button, clickCount });
    await tab.page(held);
    await tab.send('Input.dispatchMouseEvent', { type: 'mouseReleased', x, y, button, clickCount });
  }
  const { missed, hit, stopped } = { ...await tab.call('here'), ...await tab.inside('told.find(({ stage }) => stage !== "struck")') };
  return { missed, hit, stopped, events: await tab.page('log.splice(0).join(" ")') };
}

const LOG = `<script>log = []; for (const type of ['pointerdown', 'mousedown', 'mouseup', 'click', 'dblclick', 'contextmenu', 'auxclick']) {
  addEventListener(type, (e) => log.push(type + ':' + e.target.id), true); }</script>`;
const TWO = `<style>button{position:absolute;left:50px;top:50px;width:100px;height:40px}</style><div id=box>
  <button id=pay hidden>Pay</button><button id=safe><b id=word>Safe</b></button></div>${LOG}`;
const SWAP = 'safe.hidden = true, pay.hidden = false';
// For what comes between look and press: the browser makes moves of its own where the mouse was before, and on a busy machine late.
const WITH_THE_MOUSE = (script) => `addEventListener('mousemove', () => { ${script} }, { once: true }), 0`;

test('a press on the element or a part of it goes through', async (t) => {
  const tab = await rig.show(t, TWO);
  assert.deepEqual(await press(tab, '#safe'), { missed: undefined, hit: true, stopped: undefined, events: 'pointerdown:word mousedown:word mouseup:word click:word' });
});

for (const button of ['left', 'right', 'middle']) {
  test(`a press on another element is held back, all of it: ${button}`, async (t) => {
    const tab = await rig.show(t, TWO);
    assert.deepEqual(await press(tab, '#safe', SWAP, { button }), { missed: '<button id="pay"> "Pay"', hit: undefined, stopped: undefined, events: '' });
    await tab.page('safe.hidden = false, pay.hidden = true');
    assert.equal((await press(tab, '#safe')).hit, true);
  });
}

test('an element that the page swaps when the mouse comes is not pressed', async (t) => {
  const tab = await rig.show(t, TWO);
  assert.deepEqual(await press(tab, '#safe', WITH_THE_MOUSE(SWAP)), { missed: '<button id="pay"> "Pay"', hit: undefined, stopped: undefined, events: '' });
});

test('a press is told of before its document goes, and else its click tells', async (t) => {
  const tab = await rig.show(t, TWO);
  const url = await tab.page('location.href');
  const hear = () => tab.inside("sessionStorage.told = '', globalThis.tabardTell = (text) => { sessionStorage.told += JSON.parse(text).stage + ' '; }, 0");
  const { x, y } = await tab.call('point', { target: '#safe', presses: 1 });
  const mouse = (type, button) => tab.send('Input.dispatchMouseEvent', { type, x, y, button, clickCount: 1 });
  await hear();
  await mouse('mouseMoved', 'none');
  await tab.goto(url);
  assert.equal(await tab.inside('sessionStorage.told'), '', 'nothing was pressed');
  await tab.call('point', { target: '#safe', presses: 1 });
  await hear();
  await mouse('mousePressed', 'left');
  assert.equal(await tab.inside('sessionStorage.told'), '', 'the click may still come');
  await tab.goto(url);
  assert.equal(await tab.inside('sessionStorage.told'), 'struck ');
});

test('neither link, checkbox, select nor focus react to what is held back', async (t) => {
  const tab = await rig.show(t, `<style>#over,#safe{position:absolute;left:50px;top:50px;width:100px;height:40px}</style>
    <button id=safe>Safe</button><span id=at></span>${LOG}`);
  for (const html of ['<a id=over href=#gone>x</a>', '<input id=over type=checkbox>', '<input id=over>', '<label id=over><input type=checkbox>x</label>']) {
    await tab.page(`at.innerHTML = '', 0`);
    assert.equal((await press(tab, '#safe', `at.innerHTML = '${html}'`)).events, '', html);
    assert.deepEqual(await tab.page('[location.hash, document.querySelectorAll(":checked").length, document.activeElement.id]'), ['', 0, ''], html);
  }
});

test('each press of a double click is judged: what takes the place of the element gets none', async (t) => {
  const tab = await rig.show(t, `${TWO}<script>safe.addEventListener('click', () => { ${SWAP} }, { once: true })</script>`);
  const { hit, stopped, events } = await press(tab, '#safe', '0', { presses: 2 });
  assert.equal(hit, true);
  assert.deepEqual(stopped, { presses: 1, cover: '<button id="pay"> "Pay"' });
  assert.equal(events, 'pointerdown:word mousedown:word mouseup:word click:word');
});

// Listeners that the page puts on the window of a document that it opens anew are before ours: nothing runs in between.
const INNER = (html) => html.replaceAll('addEventListener(type', 'document.addEventListener(type');
const REWRITE = (doc, html) => `(${doc}.open(), ${doc}.write(\`${html}\`), ${doc}.close())`;

test('a document that is opened anew is watched as before', async (t) => {
  const tab = await rig.show(t, '<p>Old');
  await tab.page(`${REWRITE('document', INNER(TWO))}, 0`);
  assert.equal((await press(tab, '#safe')).hit, true);
  assert.deepEqual(await press(tab, '#safe', SWAP), { missed: '<button id="pay"> "Pay"', hit: undefined, stopped: undefined, events: '' });
});

test('so is one that is opened anew when the mouse comes', async (t) => {
  const tab = await rig.show(t, TWO);
  const other = `<style>button{position:fixed;inset:0}</style><button id=pay>Pay</button>${LOG}`;
  assert.deepEqual(await press(tab, '#safe', WITH_THE_MOUSE(REWRITE('document', INNER(other)))), { missed: '<button id="pay"> "Pay"', hit: undefined, stopped: undefined, events: '' });
});

test('frames that a script writes or that have no address are watched, too', async (t) => {
  const html = '<button id=safe onclick=top.hits+=1>Safe</button><button id=pay hidden onclick=top.hits+=9>Pay</button>';
  for (const make of [`f.contentDocument.body.innerHTML = '${html}'`, REWRITE('f.contentDocument', html), `f.src = "javascript:'${html}'"`]) {
    const tab = await rig.show(t, '<iframe id=f></iframe><script>hits = 0; log = []</script>');
    await tab.page(`${make}, 0`);
    assert.equal((await press(tab, 'text=Safe')).hit, true, make);
    assert.equal(await tab.page('hits'), 1, make);
    const swap = 'f.contentDocument.querySelector("#safe").hidden = true, f.contentDocument.querySelector("#pay").hidden = false';
    assert.equal((await press(tab, 'text=Safe', swap)).missed, '<button id="pay"> "Pay"', make);
    assert.equal(await tab.page('hits'), 1, make);
  }
});

test('a frame of the same origin that appears under the mouse is not pressed', async (t) => {
  const tab = await rig.show(t, `<style>iframe{position:absolute;left:0;top:0}</style><iframe src=/pay.html></iframe>
    <iframe id=f src=/safe.html></iframe>${LOG}`, { '/safe.html': '<button>Safe</button>', '/pay.html': '<button onclick=top.log.push("paid")>Pay</button>' });
  const { missed, events } = await press(tab, 'text=Safe', 'f.remove()');
  assert.deepEqual([missed, events], ['<button> "Pay"', '']);
});

test('keys are watched in a document that is opened anew', async (t) => {
  const tab = await rig.show(t, '<p>Old');
  await tab.page(`${REWRITE('document', '<input id=a><input id=b>')}, a.onkeydown = () => b.focus(), 0`);
  await tab.call('focus', { target: '#a' });
  await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'x', text: 'x' });
  assert.equal((await tab.call('here')).strayed, '<input id="b">');
  assert.equal(await tab.page('a.value + b.value'), '');
});

test('names that the page plants do not keep listeners away', async (t) => {
  const tab = await rig.show(t, `${TWO}<p id=addEventListener></p><p id=removeEventListener></p><iframe id=f srcdoc="<p id=tabard>"></iframe>`);
  assert.equal((await press(tab, '#safe')).hit, true);
});

test('an element that moved away: what lies around it is not pressed either', async (t) => {
  const tab = await rig.show(t, TWO);
  assert.deepEqual(await press(tab, '#safe', 'safe.style.top = "400px"'), { missed: '<html>', hit: undefined, stopped: undefined, events: '' });
});

const AWAY = 'safe.style.top = "400px"';

test('an element that slides away while it is pressed gets no click, and neither does anything else', async (t) => {
  const tab = await rig.show(t, TWO);
  const slipped = { missed: '<html>', hit: undefined, stopped: undefined, events: 'pointerdown:word mousedown:word mouseup:' };
  assert.deepEqual(await press(tab, '#safe', '0', { held: AWAY }), slipped);
  await tab.page('safe.style.top = ""');
  assert.deepEqual(await press(tab, '#safe', '0', { held: AWAY, presses: 2 }), slipped);
});

test('a press that moves its element, or opens something over it, has had its effect', async (t) => {
  const tab = await rig.show(t, `${TWO}<script>addEventListener('mousedown', () => { ${AWAY} }, { once: true })</script>`);
  const { missed, hit } = await press(tab, '#safe');
  assert.deepEqual({ missed, hit }, { missed: undefined, hit: true });
  await tab.page('safe.style.top = ""');
  assert.equal((await press(tab, '#safe', '0', { held: 'pay.style.zIndex = 1, pay.hidden = false' })).hit, true);
});

test('an element that leaves when the mouse comes up, as the option of a list does, has had its press', async (t) => {
  for (const type of ['pointerup', 'mouseup']) {
    const tab = await rig.show(t, `${TWO}<script>safe.addEventListener('${type}', () => safe.remove())</script>`);
    const { missed, hit } = await press(tab, '#safe');
    assert.deepEqual({ missed, hit }, { missed: undefined, hit: true }, type);
  }
});

test('label and field stand for each other', async (t) => {
  const tab = await rig.show(t, `<label id=l>Agree <input id=c type=checkbox></label>${LOG}`);
  assert.equal((await press(tab, '#c')).hit, true);
  assert.equal((await press(tab, '#l')).hit, true);
  assert.equal(await tab.page('c.checked'), false);
});

test('inside same-origin frames, and around them', async (t) => {
  const tab = await rig.show(t, `<iframe id=f src=/inner.html></iframe><div id=over hidden style="position:fixed;inset:0">Over</div>${LOG}`,
    { '/inner.html': `<button id=safe>Safe</button><button id=pay hidden>Pay</button>${LOG}` });
  const inner = () => tab.page('f.contentWindow.log.splice(0).join(" ")');
  assert.equal((await press(tab, 'text=Safe')).hit, true);
  assert.match(await inner(), /click:safe/);
  assert.equal((await press(tab, 'text=Safe', 'over.hidden = false, 0')).missed, '<div id="over"> "Over"');
  await tab.page('over.hidden = true, 0');
  assert.equal((await press(tab, 'text=Safe', 'f.contentDocument.body.prepend(Object.assign(document.createElement("p"), '
    + '{textContent: "Moved", style: "height: 80px"}))')).missed, '<p> "Moved"');
  assert.equal(await inner(), '');
});

test('a press that reaches no element of the document is known', async (t) => {
  const tab = await rig.show(t, `${TWO}<div id=at></div>`, { '/ad.html': '<body>Ad' });
  const frame = `<iframe src="${rig.server.otherOrigin}/ad.html" style="position:fixed;inset:0;width:100%;height:100%"></iframe>`;
  const { hit, missed, events } = await press(tab, '#safe', `new Promise((r) => { at.innerHTML = '${frame}'; at.firstChild.onload = r; })`);
  assert.equal(hit ?? false, false);
  assert.match(missed ?? '<iframe>', /^<(iframe|div id="at")>/); // until the browser knows of the frame, the press comes to its element
  assert.equal(events, '');
});

test('input that nobody aimed is not touched', async (t) => {
  const tab = await rig.show(t, TWO);
  await tab.call('point', { target: '#safe' });
  await tab.page(SWAP);
  await tab.click('#pay');
  assert.match(await tab.page('log.join(" ")'), /click:pay/);
});

test('a drop in a document that holds nothing of what was meant is told with what got it', async (t) => {
  const tab = await rig.show(t, '<p id=ad ondragover=event.preventDefault()>Ad</p>'); // as in a frame of another origin
  await tab.inside('globalThis.told = [], globalThis.tabardTell = (text) => { told.push(JSON.parse(text)); }, 0');
  const { x, y } = await tab.call('point', { target: '#ad' });
  for (const type of ['dragEnter', 'dragOver', 'drop']) {
    await tab.send('Input.dispatchDragEvent', { type, x, y, data: { items: [{ mimeType: 'text/plain', data: 'x' }], dragOperationsMask: 1 } });
  }
  assert.deepEqual(await tab.inside('told'), [{ stage: 'drop', dropped: true, instead: '<p id="ad"> "Ad"' }]);
});

test('a drop on what has nothing to do with the element is held back', async (t) => {
  const tab = await rig.show(t, `<style>div{width:90px;height:40px}</style><div id=yes>Archive</div><div id=no>Trash</div>
    <script>log = []; ondragover = (e) => e.preventDefault(); ondrop = (e) => log.push(e.target.id)</script>`);
  const drop = async (between) => {
    await tab.inside('globalThis.told = [], globalThis.tabardTell = (text) => { told.push(JSON.parse(text)); }, 0');
    const { x, y } = await tab.call('point', { target: '#yes', drop: true, force: true });
    await tab.page(between);
    for (const type of ['dragEnter', 'dragOver', 'drop']) {
      await tab.send('Input.dispatchDragEvent', { type, x, y, data: { items: [{ mimeType: 'text/plain', data: 'x' }], dragOperationsMask: 1 } });
    }
    const [{ dropped, instead }] = await tab.inside('told');
    return { dropped, instead, got: await tab.page('log.splice(0).join()') };
  };
  assert.deepEqual(await drop('0'), { dropped: true, instead: undefined, got: 'yes' });
  assert.deepEqual(await drop('ondragenter = () => document.body.append(yes), 0'), { dropped: true, instead: '<div id="no"> "Trash"', got: 'no' });
  await tab.page('ondragenter = null, document.body.prepend(yes)');
  assert.deepEqual(await drop('document.body.append(yes)'), { dropped: false, instead: '<div id="no"> "Trash"', got: '' });
});

test('a password that goes into an editor instead is not told with what that holds now', async (t) => {
  const tab = await rig.show(t, '<input id=p type=password minlength=20 onbeforeinput="ed.focus()"><div id=ed contenteditable></div>');
  await tab.inside('globalThis.told = [], globalThis.tabardTell = (text) => { told.push(text); }, 0');
  await tab.call('fill', { target: '#p', value: 'hunter2' });
  await tab.send('Input.insertText', { text: 'hunter2' });
  const told = (await tab.inside('told')).join();
  assert.match(told, /"stage":"strayed","strayed":"<div id=/);
  assert.ok(!told.includes('hunter2'), told);
});

test('whether the mouse is there already, on what lies there now', async (t) => {
  const tab = await rig.show(t, TWO);
  const there = async (target) => (await tab.call('point', { target, presses: 1 })).there;
  const move = (x, y) => tab.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
  assert.equal(await there('#safe'), undefined);
  await press(tab, '#safe');
  assert.equal(await there('#safe'), true);
  // In one task: the browser makes a move of its own when it has drawn that.
  const swapped = await tab.inside(`for (const el of document.querySelectorAll('button')) { el.hidden = !el.hidden; } tabard.point({ target: '#pay', presses: 1 })`);
  assert.deepEqual([swapped.name, swapped.there], ['Pay', undefined]);
  await move(100, 70);
  assert.equal(await there('#pay'), true);
  await move(400, 300);
  assert.equal(await there('#pay'), undefined);
});

test('what the mouse has left for a frame is not where it is when the frame goes', async (t) => {
  const tab = await rig.show(t, '<style>body{margin:0}button,iframe{position:fixed;left:0;top:0;width:200px;height:100px;border:0}</style><button id=b>B</button>');
  const move = (x, y) => tab.send('Input.dispatchMouseEvent', { type: 'mouseMoved', x, y });
  await move(100, 50);
  assert.equal((await tab.call('point', { target: '#b', presses: 1 })).there, true);
  await tab.page('document.body.insertAdjacentHTML("beforeend", "<iframe srcdoc=x></iframe>"), 0');
  await move(100, 50); // into the frame
  await move(20, 20);
  await tab.page('document.querySelector("iframe").remove()');
  assert.equal((await tab.call('point', { target: '#b', presses: 1 })).there, undefined);
});
