// SPDX-License-Identifier: Apache-2.0
// What is kept of a page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();

test('address, origin, storage and scroll position', async (t) => {
  const tab = await rig.show(t, '<div style="height: 3000px; width: 3000px">');
  await tab.page('localStorage.a = 1, sessionStorage.b = "two", scrollTo(10.4, 200), location.hash = "x", 0');
  const { url, origin, local, session, scroll } = await tab.call('kept');
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/page\d+\.html#x$/);
  assert.equal(origin, new URL(url).origin);
  assert.deepEqual([JSON.parse(local), JSON.parse(session), scroll], [[['a', '1']], [['b', 'two']], [10, 200]]);
  await tab.page('localStorage.clear()');
});

test('storage may hold halves of surrogate pairs, zeros and names of its own methods', async (t) => {
  const tab = await rig.show(t, '');
  await tab.page(`sessionStorage.half = "\\ud800", sessionStorage.zero = "a\\0b", sessionStorage.setItem("getItem", "g"), 0`);
  assert.deepEqual(new Map(JSON.parse((await tab.call('kept')).session)),
    new Map([['half', '\ud800'], ['zero', 'a\0b'], ['getItem', 'g']]));
});

test('typed fields are counted, and what was typed is not kept', async (t) => {
  const tab = await rig.show(t, `<input id=a value=x><input id=p type=password><textarea id=t>x</textarea><input id=c type=checkbox>
    <select id=s><option>1<option selected>2<option>3</select><input type=hidden id=h><input type=range><input type=color>
    <input type=number value=4><input type=radio checked><select><option>1<option>2</select><div id=host></div>
    <iframe srcdoc="<input id=inner>"></iframe>`);
  assert.equal((await tab.call('kept')).typed, 0);
  await tab.page(`a.value = 'y', p.value = 'hunter2', t.value = 'hunter3', c.checked = true, s.selectedIndex = 2, h.value = 'z',
    host.attachShadow({mode: 'open'}).innerHTML = '<input>', host.shadowRoot.firstChild.value = 'hunter4',
    frames[0].inner.value = 'hunter5', 0`);
  const kept = await tab.call('kept');
  assert.equal(kept.typed, 7);
  assert.doesNotMatch(JSON.stringify(kept), /hunter/);
});

test('a range, a colour and an editor count once they are changed', async (t) => {
  const tab = await rig.show(t, `<input type=range id=r><input type=range min=3 value=1><input type=range max=9 value=20 id=q>
    <input type=color id=c><input type=color value="#abcdef"><div contenteditable id=e>text</div><div contenteditable>text</div>`);
  assert.equal((await tab.call('kept')).typed, 0);
  await tab.page(`r.value = 7, q.value = 2, c.value = '#010203', 0`);
  assert.equal((await tab.call('kept')).typed, 3);
  await tab.page('e.focus(), 0');
  await tab.send('Input.insertText', { text: 'more' });
  assert.equal((await tab.call('kept')).typed, 4);
});

test('an empty tab', async (t) => {
  const tab = await rig.tab(t);
  await tab.goto('about:blank');
  const { url, origin, local, session, typed, databases } = await tab.call('kept');
  assert.deepEqual({ url, origin, local, session, typed, databases },
    { url: 'about:blank', origin: 'null', local: '[]', session: '[]', typed: 0, databases: 0 });
});

test('a page that may have no storage', async (t) => {
  const tab = await rig.tab(t);
  await tab.goto('data:text/html,<input>');
  const { origin, local, session, databases } = await tab.call('kept');
  assert.deepEqual({ origin, local, session, databases }, { origin: 'null', local: '[]', session: '[]', databases: 0 });
});

test('databases and steps of the history are counted', async (t) => {
  const tab = await rig.show(t, '');
  const before = await tab.call('kept');
  await tab.page(`new Promise((resolve) => { indexedDB.open('d').onsuccess = resolve; })`);
  await tab.page('history.pushState(0, "", "/further")');
  const { databases, history } = await tab.call('kept');
  assert.deepEqual([before.databases, databases, history - before.history], [0, 1, 1]);
  await tab.page(`indexedDB.deleteDatabase('d'), 0`);
});

test('elements of other languages that are called like fields are none', async (t) => {
  const tab = await rig.show(t, '<input id=a><svg><select></select><input><textarea></textarea><g contenteditable></g></svg><math><select></select></math>');
  await tab.page('a.value = 1');
  assert.equal((await tab.call('kept')).typed, 1);
});
