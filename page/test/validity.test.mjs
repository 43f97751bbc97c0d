// SPDX-License-Identifier: Apache-2.0
// Forms that the browser does not send.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();

const press = async (tab, key) => {
  await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', key, code: key, windowsVirtualKeyCode: 13, text: '\r' });
  await tab.send('Input.dispatchKeyEvent', { type: 'keyUp', key, code: key, windowsVirtualKeyCode: 13 });
};

/** What is told after a click, by the page itself or when it is asked. */
const after = async (tab, target = '#go') => {
  await tab.inside('globalThis.told = {}, globalThis.tabardTell = (text) => { Object.assign(told, JSON.parse(text)); }, 0');
  await tab.click(target, { watch: true, presses: 1 });
  const { invalid } = await tab.call('here');
  return invalid ?? (await tab.inside('told')).invalid;
};

const FIELDS = '<label>Name <input id=name required></label><label>Mail <input id=mail type=email value=bad></label><select required aria-label=Size><option></select>'
  + '<textarea aria-label=Text required></textarea>';
const form = (rest = '<button id=go><b>Send</b></button>', attributes = '') => `<form action="about:blank#sent" ${attributes}>${FIELDS}${rest}</form>`;

test('a form that is not sent because of its fields tells which, once', async (t) => {
  const tab = await rig.show(t, form());
  const { unsent, fields, more } = await after(tab);
  assert.deepEqual([unsent, more, fields.map(({ role, name }) => `${role} ${name}`)], [true, 1, ['textbox Name', 'textbox Mail', 'combobox Size']]);
  assert.deepEqual(fields[0].message, await tab.page('document.getElementById("name").validationMessage'));
  assert.match(fields[1].message, /@/);
  assert.equal((await tab.call('here')).invalid, undefined);
});

test('Enter in a field, and a form in a shadow root or in a frame', async (t) => {
  const tab = await rig.show(t, `${form()}<div id=host></div><iframe id=inner srcdoc='${form('<button id=there>There</button>')}'></iframe>`);
  await tab.call('focus', { target: '#name', watch: true });
  await press(tab, 'Enter');
  const { unsent, fields } = (await tab.call('here')).invalid;
  assert.deepEqual([unsent, fields[0].name], [true, 'Name']);
  await tab.page(`host.attachShadow({ mode: 'open' }).innerHTML = ${JSON.stringify(form('<button id=deep>Deep</button>'))}`);
  for (const target of ['#deep', '#there']) {
    assert.equal((await after(tab, target))?.unsent, true, target);
  }
});

test('what the page says of its own fields counts when the message is given', async (t) => {
  const tab = await rig.show(t, `<form><input aria-label=Code required oninvalid="this.setCustomValidity('Ask Ann')"><button id=go>Go</button></form>`);
  assert.equal((await after(tab)).fields[0].message, 'Ask Ann');
});

test('a page that asks by itself: only the field that it brings the reader to', async (t) => {
  const tab = await rig.show(t, form('<button type=button id=ask>Ask</button><button id=show type=button>Show</button><button id=kept>Kept</button>', 'id=f'));
  await tab.page('ask.onclick = () => f.checkValidity(), show.onclick = () => f.reportValidity(), kept.onclick = (event) => { event.preventDefault(); f.checkValidity(); }, 0');
  assert.equal(await after(tab, '#ask'), undefined);
  assert.equal(await after(tab, '#kept'), undefined);
  const { unsent, fields, more } = await after(tab, '#show');
  assert.deepEqual([unsent, fields.length, fields[0].name, more], [false, 1, 'Name', 0]);
});

test('nothing is said of a form that is sent', async (t) => {
  const tab = await rig.show(t, form('<button id=go>Go</button>', 'id=f novalidate'));
  await tab.page('f.onsubmit = (event) => { event.preventDefault(); f.checkValidity(); }, 0');
  assert.equal(await after(tab), undefined);
  const other = await rig.show(t, '<form id=f><input id=a aria-label=A required value=x><button id=go>Go</button></form>');
  await other.page('f.onsubmit = (event) => { event.preventDefault(); a.setCustomValidity("Taken"); a.reportValidity(); }, 0');
  const { unsent, fields } = await after(other);
  assert.deepEqual([unsent, fields[0].message], [false, 'Taken']);
});
