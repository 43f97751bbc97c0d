// SPDX-License-Identifier: Apache-2.0
// Where the page is, and whether an input has arrived.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();

test('address, title and no input yet', async (t) => {
  const tab = await rig.show(t, '<title> Some \n title </title>');
  const { url, title, clicks, inputs } = await tab.call('here', {});
  assert.match(url, /^http:/);
  assert.deepEqual({ title, clicks, inputs }, { title: 'Some title', clicks: 0, inputs: 0 });
});

test('only real input counts', async (t) => {
  const tab = await rig.show(t, '<input id=i>');
  await tab.page('i.dispatchEvent(new MouseEvent("mouseup")), i.dispatchEvent(new Event("input")), 0');
  const { clicks, inputs } = await tab.call('here', {});
  assert.deepEqual({ clicks, inputs }, { clicks: 0, inputs: 0 });
  assert.equal((await tab.call('focus', { target: '#i' })).inputs, 0);
  await tab.inside('document.execCommand("insertText", false, "x")');
  assert.equal((await tab.call('here', {})).inputs, 1);
});

test('arrived tells the status', async (t) => {
  const tab = await rig.show(t, '<title>There</title>');
  const { title, status } = await tab.call('arrived', {});
  assert.deepEqual({ title, status }, { title: 'There', status: 200 });
});

test('an input is told when the page has dealt with it', async (t) => {
  const tab = await rig.show(t, '<input id=i oninput="document.title = this.value">');
  const told = await tab.inside(`new Promise((resolve) => {
    globalThis.tabardTell = (text) => resolve(JSON.parse(text));
    document.getElementById('i').focus();
    document.execCommand('insertText', false, 'new');
  })`);
  assert.deepEqual({ stage: told.stage, title: told.title, inputs: told.inputs }, { stage: 'input', title: 'new', inputs: 1 });
});

test('an input that the page keeps to itself is counted, but not told', async (t) => {
  const tab = await rig.show(t, '<input id=i oninput="event.stopPropagation()">');
  const told = await tab.inside(`(() => {
    let calls = 0;
    globalThis.tabardTell = () => { calls += 1; };
    document.getElementById('i').focus();
    document.execCommand('insertText', false, 'new');
    return calls;
  })()`);
  const { inputs } = await tab.call('here', {});
  assert.deepEqual({ told, inputs }, { told: 0, inputs: 1 });
});
