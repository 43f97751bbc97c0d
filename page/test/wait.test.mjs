// SPDX-License-Identifier: Apache-2.0
// Waiting for elements, texts and addresses.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();
const later = (code) => `<script>setTimeout(() => { ${code} }, 120)</script>`;

// What happens, the body, what is waited for.
const COMES = [
  ['an element is added', `<div id=d></div>${later('d.innerHTML = "<p id=p>x</p>"')}`, { target: '#p' }],
  ['an element is shown by a style', `<p id=p style="display:none">x</p>${later('p.style.display = ""')}`,
    { target: '#p', state: 'visible' }],
  ['an element is shown by an animation',
    '<style>@keyframes k{to{visibility:visible}}#p{visibility:hidden;animation:k 0s .15s forwards}</style><p id=p>x</p>',
      { target: '#p' }],
  ['an element gets a size', `<div id=p></div>${later('p.textContent = "x"')}`, { target: '#p' }],
  ['an element is hidden', `<p id=p>x</p>${later('p.hidden = true')}`, { target: '#p', state: 'hidden' }],
  ['an element is removed', `<p id=p>x</p>${later('p.remove()')}`, { target: '#p', state: 'detached' }],
  ['hidden holds for what was never there', '', { target: '#none', state: 'hidden' }],
  ['an element is attached, hidden', `<div id=d></div>${later('d.innerHTML = "<p id=p hidden>x</p>"')}`,
    { target: '#p', state: 'attached' }],
  ['a text appears, over several elements', `<div id=d></div>${later('d.innerHTML = "All <b>is</b> done now"')}`,
    { text: 'is done' }],
  ['a text is changed in place', `<p id=p>0 %</p>${later('p.firstChild.data = "100 %"')}`, { text: '100 %' }],
  ['a text is shown', `<p id=p hidden>Ready</p>${later('p.hidden = false')}`, { text: 'Ready' }],
  ['a text goes', `<p id=p>Loading</p>${later('p.textContent = "x"')}`, { text_gone: 'Loading' }],
  ['the address changes', later('history.pushState(0, "", "/next?step=2")'), { url: 'step=2' }],
  ['the address fits a pattern', later('history.pushState(0, "", "/list/7?step=2")'), { url: 'http://*/list/*' }],
  ['the address fits a pattern from its path on', later('history.pushState(0, "", "/list/7/all")'), { url: '/list/**/all' }],
  ['something in a shadow root', `<x-a id=x></x-a>${later('x.attachShadow({mode: "open"}).innerHTML = "<button>In</button>"')}`,
    { target: 'text=In' }],
  ['a change inside a shadow root', `<div id=x><template shadowrootmode=open><p></p></template>`
    + `</div>${later('x.shadowRoot.firstChild.textContent = "Shadow text"')}`, { text: 'Shadow text' }],
  ['something in a frame', `<iframe id=f srcdoc="<p>a</p>">`
    + `</iframe>${later('f.contentDocument.body.innerHTML = "<button id=in>x</button>"')}`, { target: '#in' }],
  ['several things at once', `<p id=p>x</p>${later('p.textContent = "Done"; p.className = "ok"')}`,
    { target: 'p.ok', text: 'Done' }],
];

for (const [name, body, args] of COMES) {
  test(name, async (t) => {
    const tab = await rig.show(t, body);
    const began = performance.now();
    const { found, tag } = await tab.call('waitFor', { ...args, timeout_ms: 9000 });
    assert.equal(found, true);
    assert.equal(tag !== undefined, args.target !== undefined && args.state !== 'detached' && args.target !== '#none');
    assert.ok(performance.now() - began < 5000);
  });
}

// What is waited for in vain, and the words of the failure.
const FAILS = [
  [{ target: '#none' }, /^waited 60 ms for "#none" to be visible; nothing on the page matches it$/],
  [{ target: '#h' }, /for "#h" to be visible; <p id="h"> "hid" is hidden \(display: none\)/],
  [{ target: '#p', state: 'hidden' }, /for "#p" to be hidden; <p id="p"> "shown" is visible/],
  [{ target: '#p', state: 'detached' }, /is on the page/],
  [{ text: 'hid' }, /for the text "hid"; the page does not show it/],
  [{ text_gone: 'SHOWN' }, /the page still shows it/],
  [{ url: 'nowhere' }, /for the address "nowhere"; it is http:/],
];

test('in vain: a timeout that says what was seen', async (t) => {
  const tab = await rig.show(t, '<p id=p>shown</p><p id=h hidden>hid</p><script>"hid"</script>');
  for (const [args, words] of FAILS) {
    const { error } = await tab.call('waitFor', { ...args, timeout_ms: 60 });
    assert.equal(error.code, 'timeout', JSON.stringify(args));
    assert.match(error.message, words);
  }
});

test('nothing to wait for, and bad states, are refused', async (t) => {
  const tab = await rig.show(t, '');
  assert.equal((await tab.call('waitFor', { timeout_ms: 50 })).error.code, 'invalid_params');
  assert.equal((await tab.call('waitFor', { target: 'p', state: 'gone', timeout_ms: 50 })).error.code, 'invalid_params');
});

test('a path is a part of the address, never a regular expression', async (t) => {
  const tab = await rig.show(t, '<script>history.replaceState(0, "", "/spa/list")</script>');
  const fits = async (url) => (await tab.call('waitFor', { url, timeout_ms: 0 })).found === true;
  for (const url of ['/spa/li', '/spa/', '/spa', '/list', '*/list', '/*/list', '**/spa/**', 'http://127.0.0.1:*/spa/list', '/spa/l*ist']) {
    assert.equal(await fits(url), true, url);
  }
  for (const url of ['/spa/us', '/spa/users', '/list/', '/(/', '/s*/spa/list', '/list*', '*/spa', '/spa/list*list', '/spa/li*x*t']) {
    assert.equal(await fits(url), false, url);
  }
});

test('a ref: gone is detached, stale is an error', async (t) => {
  const tab = await rig.show(t, '<button id=b>x</button>');
  const ref = await tab.ref('x');
  await tab.page('setTimeout(() => b.remove(), 100); 0');
  assert.deepEqual(await tab.call('waitFor', { target: ref, state: 'detached', timeout_ms: 2000 }), { found: true });
  assert.equal((await tab.call('waitFor', { target: ref, timeout_ms: 100 })).error.code, 'element_not_found');
  assert.equal((await tab.call('waitFor', { target: 'e77', state: 'detached', timeout_ms: 100 })).error.code, 'element_stale');
});

test('a page that never rests does not keep the wait from ending', async (t) => {
  const tab = await rig.show(t, '<p id=p></p>'
    + '<script>(function f() { p.textContent = Math.random(); requestAnimationFrame(f); })()</script>');
  const { error } = await tab.call('waitFor', { text: 'never', timeout_ms: 200 });
  assert.equal(error.code, 'timeout');
});

test('what closed details hold is not shown', async (t) => {
  const tab = await rig.show(t, '<details id=d><summary>More</summary>Fine print<p>Small print</p></details>');
  const shows = async (text) => (await tab.call('waitFor', { text, timeout_ms: 0 })).found === true;
  assert.deepEqual([await shows('More'), await shows('Fine print'), await shows('Small print')], [true, false, false]);
  await tab.page('d.open = true');
  assert.deepEqual([await shows('More'), await shows('Fine print'), await shows('Small print')], [true, true, true]);
});

// Searches have ceilings, and what lies behind one may still be there.
const STAYS = [
  ['behind many without an area', `${'<p style="height:0;overflow:hidden">Busy</p>'.repeat(1100)}<p>Busy</p>`, { text_gone: 'Busy' }, /the page still shows it$/],
  ['behind the data of an application', '<script type=x>{"a":1}</script><p>Busy</p><script>document.querySelector("script").text = "x".repeat(1.2e7)</script>',
    { text_gone: 'Busy' }, /the page still shows it$/],
  ['behind more text than is searched', '<p id=p></p><p>Busy</p><script>p.textContent = "busy ".repeat(4e6)</script>', { text_gone: 'busy bee' },
    /the page has too much text to say that it is gone$/],
  ['behind many hidden elements', `${'<i class=spin hidden></i>'.repeat(1100)}<b class=spin>o</b>`, { target: '.spin', state: 'hidden' }, /<b class="spin"> "o" is visible$/],
  ['behind many hidden elements, by XPath', `${'<i class=spin hidden></i>'.repeat(1100)}<b class=spin>o</b>`, { target: '//*[@class="spin"]', state: 'hidden' }, /<b class="spin"> "o" is visible$/],
  ['behind many texts without an area', `${'<p style="height:0;overflow:hidden">Busy</p>'.repeat(1100)}<p>Busy</p>`, { target: 'text=Busy', state: 'hidden' },
    /there is too much on the page to say that nothing that matches it is left$/],
];
for (const [name, body, args, words] of STAYS) {
  test(`what is ${name} has not gone`, async (t) => {
    const tab = await rig.show(t, body);
    const { error } = await tab.call('waitFor', { ...args, timeout_ms: 0 });
    assert.equal(error?.code, 'timeout');
    assert.match(error.message, words);
  });
}

test('the data of an application does not keep a text from going, nor hidden elements one another', async (t) => {
  const tab = await rig.show(t, `<script type=x></script><p>Text</p>${'<i class=spin hidden></i>'.repeat(1100)}
    <script>document.querySelector("script").text = "busy ".repeat(2.4e6)</script>`);
  assert.equal((await tab.call('waitFor', { text_gone: 'busy', timeout_ms: 0 })).found, true);
  assert.equal((await tab.call('waitFor', { text: 'Text', timeout_ms: 0 })).found, true);
  assert.equal((await tab.call('waitFor', { target: '.spin', state: 'hidden', timeout_ms: 0 })).found, true);
});

test('a page that cancels all timers and frames does not keep waits from ending', async (t) => {
  const tab = await rig.show(t, `<button id=b disabled>x</button><script>(function cancel() {
    for (let i = 0; i < 3000; i++) { clearTimeout(i); cancelAnimationFrame(i); cancelIdleCallback(i); }
    scheduler.postTask(cancel, { delay: 5 }); })()</script>`);
  assert.equal((await tab.call('waitFor', { target: '#none', timeout_ms: 300 })).error.code, 'timeout');
  assert.match((await tab.call('point', { target: '#b', timeout_ms: 300 })).error.message, /is disabled/);
  await tab.page('scheduler.postTask(() => { b.disabled = false; }, { delay: 200 }), 0');
  assert.equal((await tab.call('point', { target: '#b', timeout_ms: 5000, watch: true })).name, 'x');
  assert.equal((await tab.call('here', { late: true })).error, undefined);
});
