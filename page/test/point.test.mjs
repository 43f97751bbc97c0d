// SPDX-License-Identifier: Apache-2.0
// Actionability: where to click, when, and what is in the way.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();
const HIT = 'onclick="window.hits = (window.hits || 0) + 1"';

/** Clicks and sees that the handler ran once. */
async function clicks(t, html, target = '#b', others = {}) {
  const tab = await rig.show(t, html, others);
  const at = await tab.click(target);
  assert.equal(at.error, undefined, at.error?.message);
  assert.equal(await tab.page('window.hits'), 1);
  return { tab, at };
}

/** Sees the words of the failure. */
async function fails(t, html, words, { target = '#b', timeout = 150 } = {}) {
  const tab = await rig.show(t, html);
  const { error } = await tab.call('point', { target, timeout_ms: timeout });
  assert.equal(error?.code, 'element_not_ready');
  assert.match(error.message, words);
  return tab;
}

test('the middle, size, tag, role and name', async (t) => {
  const { at } = await clicks(t, `<style>body{margin:0}</style>`
    + `<button id=b ${HIT} style="position:absolute;left:100px;top:50px;width:80px;height:40px;padding:0;border:0">Go</button>`);
  assert.deepEqual(at, { x: 140, y: 70, width: 80, height: 40, tag: 'button', role: 'button', name: 'Go', clicks: 0 });
});

test('a ready element costs no frame', async (t) => {
  const tab = await rig.show(t, `<button id=b>Go</button>`);
  const frames = await tab.inside(`(async () => { let drawn = false; requestAnimationFrame(() => { drawn = true; });
    setTimeout(() => { drawn = true; }, 0); await tabard.point({target: '#b'}); return drawn; })()`);
  assert.equal(frames, false);
});

test('a position inside the element', async (t) => {
  const tab = await rig.show(t, '<style>body{margin:0}</style><div id=b style="width:100px;height:100px">x</div>');
  const { x, y } = await tab.call('point', { target: '#b', position: { x: 10, y: 90 } });
  assert.deepEqual({ x, y }, { x: 10, y: 90 });
});

test('below the fold: scrolled into view', (t) => clicks(t,
  `<div style="height:5000px"></div><button id=b ${HIT}>Far</button><div style="height:5000px"></div>`));

test('smooth scrolling does not delay it', (t) => clicks(t,
  `<style>html{scroll-behavior:smooth}</style><div style="height:5000px"></div><button id=b ${HIT}>Far</button>`
    + `<div style="height:5000px"></div>`));

test('to the right, in nested scroll containers', (t) => clicks(t,
  `<div style="width:300px;height:200px;overflow:auto"><div style="width:3000px;height:2000px">
  <div style="margin:900px 0 0 1500px;width:200px;height:100px;overflow:scroll"><div style="width:900px;height:900px"></div>`
    + `<button id=b ${HIT}>Deep</button></div></div></div>`));

test('under a sticky header and above a fixed footer', (t) => clicks(t,
  `<header style="position:sticky;top:0;height:300px;background:#eee;z-index:5">Head</header>
  <div style="height:40px"></div><button id=b ${HIT}>Go</button><div style="height:3000px"></div>`
    + `<footer style="position:fixed;bottom:0;height:300px;width:100%;background:#ddd">Foot</footer>`));

test('already scrolled under a sticky header', async (t) => {
  const tab = await rig.show(t, `<header style="position:sticky;top:0;height:80px;background:#eee">Head</header>`
    + `<div style="height:900px"></div><button id=b ${HIT}>Go</button><div style="height:3000px"></div>`);
  await tab.page('scrollTo(0, b.offsetTop - 10)');
  assert.equal((await tab.click('#b')).error, undefined);
  assert.equal(await tab.page('hits'), 1);
});

test('half covered: another spot of it will do', (t) => clicks(t,
  `<div style="position:relative;width:100px;height:100px"><button id=b ${HIT} style="width:100px;height:100px">Go</button>
  <div style="position:absolute;left:30px;top:30px;width:40px;height:40px;background:red"></div></div>`));

test('a link that breaks over two lines is hit on one of them',
  (t) => clicks(t, `<div style="width:200px;font:16px monospace">some words here <a id=b href="#x" ${HIT}>long link text</a>`
    + `</div>`));

test('larger than the viewport', (t) => clicks(t, `<div id=b ${HIT} style="height:9000px;width:100%">x</div>`));

test('transformed and rotated',
  (t) => clicks(t, `<div style="width:200px;transform:rotate(45deg) scale(.5) translate(300px,100px)">`
    + `<button id=b ${HIT}>Go</button></div>`));

test('a child of the target is as good', (t) => clicks(t, `<button id=b ${HIT}><svg width=80 height=80>`
  + `<rect width=80 height=80 /></svg></button>`));

test('a part of a button inside which another part lies on top',
  (t) => clicks(t, `<button ${HIT} style="position:relative;width:90px;height:40px"><span id=b>Go</span>`
    + `<i style="position:absolute;inset:0"></i></button>`));

test('what listens for the clicks of all that is in it makes no part stand for another', async (t) => {
  await fails(t, '<body onclick="0"><div id=b style="cursor:pointer">Pay</div><div id=over style="position:fixed;inset:0"></div>', /is covered by <div id="over">/);
  await fails(t, '<ul onclick="0"><li id=b>One<li id=two style="margin-top:-40px;height:60px;position:relative">Two</ul>', /is covered by <li id="two"> "Two"/);
});

test('a checkbox under its styled label', async (t) => {
  const { tab } = await clicks(t,
    '<style>input{position:absolute;opacity:0}'
    + 'label i{position:absolute;left:0;top:0;width:30px;height:30px;background:#ccc;z-index:2}</style>'
    + `<label style="position:relative"><input type=checkbox id=b ${HIT}><i></i>Agree</label>`);
  assert.deepEqual(await tab.call('check', { target: '#b' }), { checked: true });
});

const TERMS = '<a id=terms href=#terms>I agree to the terms</a>';

for (const [what, html, target] of [
  ['that leaves the clicks to it', `<label><input type=checkbox id=b style="pointer-events:none">${TERMS}</label>`, '#b'],
  ['that is hidden', `<label><input type=checkbox id=b hidden>${TERMS} &amp; more</label>`, '#b'],
  ['by the label itself', `<label id=l><input type=checkbox id=b hidden>Yes, <span>${TERMS}</span></label>`, '#l'],
]) {
  test(`a label is clicked beside its link, for a box ${what}`, async (t) => {
    const tab = await rig.show(t, html);
    assert.equal((await tab.click(target)).error, undefined);
    assert.deepEqual(await tab.page('[b.checked, location.hash]'), [true, '']);
  });
}

test('a label that is all link, and a box under the link of its label, are not clicked', async (t) => {
  await fails(t, `<label><input type=checkbox id=b hidden>${TERMS}</label>`, /^<input id="b" type="checkbox"> "I agree to the terms" is covered by <a id="terms"> "I agree to the terms"/);
  await fails(t, `<label style="position:relative"><input type=checkbox id=b><a id=terms href=#terms style="position:absolute;inset:0">Terms</a></label>`,
    /^<input id="b" type="checkbox"> "Terms" is covered by <a id="terms"> "Terms"/);
});

test('a hidden radio button is clicked by its label', async (t) => {
  const tab = await rig.show(t, '<input type=radio id=r style="display:none"><label for=r>Red</label>');
  const ref = await tab.ref('radio "Red"');
  assert.deepEqual(await tab.call('check', { target: ref }), { checked: false });
  await tab.click(ref);
  assert.deepEqual(await tab.call('check', { target: ref }), { checked: true });
  assert.equal((await tab.click('#r')).tag, 'label');
});

test('an element that appears later is waited for', (t) => clicks(t,
  `<script>setTimeout(() => { document.body.innerHTML = '<button id=b ${HIT}>Late</button>'; }, 100)</script>`));

test('a disabled button is waited for', (t) => clicks(t, `<button id=b disabled ${HIT}>Go</button>`
  + `<script>setTimeout(() => { b.disabled = false; }, 100)</script>`));

test('a cover that goes away is waited for', (t) => clicks(t,
  `<button id=b ${HIT}>Go</button><div id=c style="position:fixed;inset:0;background:#0008">Loading</div>`
    + `<script>setTimeout(() => c.remove(), 100)</script>`));

test('an element that is animated is hit when it stands still', async (t) => {
  const { tab } = await clicks(t, `<style>@keyframes k{from{transform:translateX(600px)}}#b{animation:k .4s}</style>`
    + `<button id=b ${HIT}>Go</button>`);
  assert.equal(await tab.page('document.getAnimations().length'), 0);
});

test('an element that a script moves is hit when it stands still', async (t) => {
  const { tab } = await clicks(t, `<button id=b ${HIT} style="position:absolute;left:0;top:0">Go</button>`
    + `<script>let n = 0; (function step() { b.style.left = n + 'px'; n += 20;
      if (n < 600) requestAnimationFrame(step); else window.still = true; })()</script>`);
  assert.equal(await tab.page('still'), true);
});

test('something that grows above it counts as movement', async (t) => {
  const { tab } = await clicks(t, `<div id=g style="height:0;transition:height .3s"></div><button id=b ${HIT}>Go</button>`
    + `<script>g.offsetHeight; g.style.height = '300px'</script>`);
  assert.equal(await tab.page('g.offsetHeight'), 300);
});

test('a fading element is not taken for a moving one', async (t) => {
  const tab = await rig.show(t,
    '<style>@keyframes f{from{opacity:.2}}#b{animation:f 9s infinite}@keyframes r{to{transform:rotate(1turn)}}'
    + '#s{animation:r 1s infinite linear}</style><button id=b>Go</button><i id=s>*</i>');
  assert.equal((await tab.call('point', { target: '#b', timeout_ms: 0 })).error, undefined);
});

test('a style attribute with a position costs frames only once', async (t) => {
  const tab = await rig.show(t, '<div style="transform:translateY(20px)"><button id=b>Go</button></div>');
  assert.equal((await tab.call('point', { target: '#b', timeout_ms: 1000 })).error, undefined);
  assert.equal((await tab.call('point', { target: '#b', timeout_ms: 0 })).error, undefined);
});

test('never still', (t) => fails(t,
  '<style>@keyframes k{from{left:0}to{left:600px}}#b{position:absolute;animation:k 1s infinite linear}</style>'
    + '<button id=b>Go</button>', /^<button id="b"> "Go" keeps moving; waited 150 ms$/));

test('covered: says by what', (t) => fails(t, '<button id=b>Pay</button>'
  + '<div id=cookies class="banner big" style="position:fixed;inset:0;background:#fff"><p>Cookie <b>banner</b></p></div>',
  /^<button id="b"> "Pay" is covered by <div id="cookies" class="banner big"> "Cookie banner"; waited 150 ms$/));

test('covered by a modal dialog', (t) => fails(t, '<button id=b>Pay</button>'
  + '<dialog id=d aria-label=Ask style="width:100%;height:100%">x</dialog><script>d.showModal()</script>',
    /is covered by <dialog id="d"> "Ask"/));

test('disabled, in its ways', async (t) => {
  await fails(t, '<button id=b disabled>x</button>', /is disabled/);
  await fails(t, '<fieldset disabled><input id=b></fieldset>', /is disabled/);
  await fails(t, '<div role=toolbar aria-disabled=true><button id=b>x</button></div>',
    /is inside <div role="toolbar"> "x", which is disabled/);
  await fails(t, '<div inert><button id=b>x</button></div>', /is inert/);
});

test('hidden, in its ways', async (t) => {
  await fails(t, '<button id=b style="display:none">x</button>', /is hidden \(display: none\)/);
  await fails(t, '<button id=b style="visibility:hidden">x</button>', /is hidden \(visibility: hidden\)/);
  await fails(t, '<div hidden><button id=b>x</button></div>', /something around it is not displayed/);
  await fails(t, '<div id=b></div>', /its box is empty/);
  await fails(t, '<button id=b style="width:0;height:0;padding:0;border:0"></button>', /its box is empty/);
});

test('pointer-events: none', (t) => fails(t, '<button id=b style="pointer-events:none">x</button>', /takes no clicks/));

test('off the page for good', (t) => fails(t, '<button id=b style="position:absolute;left:-500px">x</button>',
  /cannot be scrolled into view/));

test('clipped away', (t) => fails(t, '<div style="width:50px;height:50px;overflow:clip">'
  + '<button id=b style="margin:100px 0 0 100px">x</button></div><p>y</p>', /is (clipped|covered)/));

test('behind, by a negative z-index', (t) => fails(t, '<div style="position:relative;z-index:0">'
  + '<button id=b style="position:absolute;z-index:-1">x</button>'
  + '<div style="width:300px;height:300px;background:#eee">Front</div></div>', /is covered by <div> "Front"/));

test('what never comes is not found', async (t) => {
  const tab = await rig.show(t, '<p>x</p>');
  assert.equal((await tab.call('point', { target: '#late', timeout_ms: 100 })).error.code, 'element_not_found');
});

test('force: no questions but visibility', async (t) => {
  const tab = await rig.show(t, '<button id=b disabled>x</button><div style="position:fixed;inset:0">c</div>'
    + '<i id=h hidden>y</i>');
  assert.equal((await tab.call('point', { target: '#b', timeout_ms: 0, force: true })).tag, 'button');
  assert.equal((await tab.call('point', { target: '#h', timeout_ms: 0, force: true })).error.code, 'element_not_ready');
});

test('an element replaced while a click waits for it: the selector finds the new one',
  (t) => clicks(t, `<div id=box><button id=b disabled>Go</button></div>`
    + `<script>setTimeout(() => { box.innerHTML = '<button id=b onclick="hits = 1">Go</button>'; }, 100)</script>`));

test('an element removed while a click by ref waits for it', async (t) => {
  const tab = await rig.show(t, '<button id=b disabled>Go</button>');
  const ref = await tab.ref('Go');
  await tab.page('setTimeout(() => b.remove(), 100); 0');
  assert.equal((await tab.click(ref)).error.code, 'element_not_found');
});

test('a virtual list: rows that are made anew while scrolling', async (t) => {
  const tab = await rig.show(t, `<div id=v style="height:200px;overflow:auto;position:relative">`
    + `<div id=in style="height:100000px"></div></div><script>
    const row = (n) => '<button style="position:absolute;top:' + n * 20 + 'px" onclick="hits = ' + n + '">Row ' + n + '</button>';
    const draw = () => { const top = Math.floor(v.scrollTop / 20);
      document.getElementById('in').innerHTML = Array.from({length: 12}, (_, i) => row(top + i)).join(''); };
    v.onscroll = draw; draw();</script>`);
  const ref = await tab.ref('Row 3');
  assert.deepEqual(await tab.call('scroll', { target: '#v', direction: 'down', pixels: 2000 }),
    { x: 0, y: 2000, atTop: false, atBottom: false, tag: 'div', role: '', name: '' });
  await tab.call('waitFor', { target: 'text=Row 105', timeout_ms: 2000 });
  assert.equal((await tab.click(ref)).error.code, 'element_not_found');
  assert.equal((await tab.click('text=Row 105')).error, undefined);
  assert.equal(await tab.page('hits'), 105);
});

test('no frames are drawn: the wait goes on by a timer', async (t) => {
  const tab = await rig.show(t, '<button id=b disabled>x</button>');
  const message = await tab.inside(`(async () => { const raf = requestAnimationFrame; globalThis.requestAnimationFrame = () => 0;
    const result = await tabard.point({target: '#b', timeout_ms: 250});
    globalThis.requestAnimationFrame = raf; return result.error.message; })()`);
  assert.match(message, /is disabled; waited 250 ms/);
});

test('an input that leaves the clicks to its label is clicked there', (t) => clicks(t,
  `<style>#b{pointer-events:none}</style><input type=checkbox id=b ${HIT}><p><label for=b>Airplane mode</label>`));

test('what is in a disabled fieldset says so', (t) => fails(t,
  '<fieldset disabled id=all><button id=b>Go</button></fieldset>', /<button id="b"> "Go" is disabled, as is all of <fieldset id="all">.*; waited 150 ms$/));

test('nothing there: how long it was waited for', async (t) => {
  const tab = await rig.show(t, '<p>x');
  const { error } = await tab.call('point', { target: '#nope', timeout_ms: 120 });
  assert.deepEqual(error, { code: 'element_not_found', message: 'nothing on the page matches "#nope"; waited 120 ms' });
});

const UNDER_FRAME = (src, style) => `<button id=b style="position:relative;width:200px;height:60px">OK<iframe id=f ${src} style="position:absolute;border:0;opacity:0;${style}"></iframe></button>`;

test('a frame inside the target gets no click that is told as one on the target', async (t) => {
  for (const src of [`src=${rig.server.otherOrigin}/in.html`, 'srcdoc="<p>x"', 'src=about:blank']) {
    await fails(t, UNDER_FRAME(src, 'inset:0;width:100%;height:100%'), /^<button id="b"> "OK.*" is covered by <iframe id="f">/);
    const tab = await rig.show(t, UNDER_FRAME(src, 'left:50px;top:10px;width:100px;height:40px'));
    await tab.page('b.onclick = () => { hits = 1; }');
    assert.equal((await tab.click('#b', { presses: 1 })).error, undefined, src);
    assert.equal(await tab.page('hits'), 1, src);
  }
});

test('a frame itself can be clicked, and what only holds it', async (t) => {
  for (const target of ['#f', '#w']) {
    const tab = await rig.show(t, '<label>x<input></label><div id=w><iframe id=f srcdoc="<body style=height:100vh;margin:0 onclick=top.hits=1>" style="width:100%"></iframe></div>');
    assert.equal((await tab.click(target, { presses: 1 })).error, undefined, target);
    assert.equal(await tab.page('hits'), 1, target);
  }
});

test('a drag may begin where another document lies', async (t) => {
  const tab = await rig.show(t, '<div id=card draggable=true><iframe srcdoc=x style="display:block;width:100%"></iframe></div>');
  const { error, aimed } = await tab.call('point', { target: '#card', presses: 1, drags: true, force: true });
  assert.deepEqual({ error, aimed }, { error: undefined, aimed: undefined });
});

test('a ref in a message is told to the daemon once, however long it took', async (t) => {
  const tab = await rig.show(t, '<button id=b>Go</button><select><option>Cat</select>');
  await tab.inside('globalThis.told = [], globalThis.tabardTell = (text) => { told.push(JSON.parse(text)); }, 0');
  // After an act the page may still change, so there is more than one look.
  const { error } = await tab.inside(`tabard.point({ target: '#b' }).then(() => tabard.point({ target: 'option=Cat', timeout_ms: 300 }))`);
  assert.match(error.message, /^<option> "Cat" is an option of a closed select, e1/);
  assert.deepEqual(await tab.inside('told.filter(({ stage }) => stage === "named")'), [{ stage: 'named', last: 1 }]);
});

test('an act waits until the page has heard what is selected, and not where it never will', async (t) => {
  const tab = await rig.show(t, '<p id=p contenteditable>One <b id=b>two</b></p><button id=go>Go</button>');
  const isAtOnce = (before) => tab.inside(`(async () => { ${before}; let done = false;
    const point = tabard.point({ target: '#go' }).then(() => { done = true; });
    for (let i = 0; i < 100; i += 1) await null; const atOnce = done; await point; return atOnce; })()`);
  assert.equal(await isAtOnce('getSelection().collapse(b.firstChild, 1)'), false);
  assert.equal(await isAtOnce('0'), true);
  assert.equal(await isAtOnce('b.remove()'), true);
});

for (const [what, inside] of [['its shadow root', '<b>In</b>'], ['text of its shadow root', 'In'], ['a slot', '<slot></slot>'], ['a slot in a slot', '<x-i><template shadowrootmode=open><slot></slot></template><slot></slot></x-i>']]) {
  test(`what has no box of its own is clicked where it is drawn: ${what}`, async (t) => {
    const tab = await rig.show(t, `<style>x-i{display:contents}</style><p>Before</p><x-b role=button tabindex=0 aria-label=Go onclick="hit = 1"><template shadowrootmode=open>
      <style>:host{display:contents}</style>${inside}</template>${inside.includes('slot') ? 'Light' : ''}</x-b>`);
    assert.equal((await tab.click(await tab.ref('Go'), { timeout_ms: 0 })).error, undefined);
    assert.equal(await tab.page('hit'), 1);
  });
}
