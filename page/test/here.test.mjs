// SPDX-License-Identifier: Apache-2.0
// Where the page is, and whether an input has arrived.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();

test('address, title and no click yet', async (t) => {
  const tab = await rig.show(t, '<title> Some \n title </title>');
  const { url, title, clicks } = await tab.call('here', {});
  assert.match(url, /^http:/);
  assert.deepEqual({ title, clicks }, { title: 'Some title', clicks: 0 });
});

test('only real clicks count', async (t) => {
  const tab = await rig.show(t, '<button id=i>x</button>');
  await tab.page('i.dispatchEvent(new MouseEvent("mouseup")), 0');
  assert.equal((await tab.call('here', {})).clicks, 0);
  await tab.click('#i');
  assert.equal((await tab.call('here', {})).clicks, 1);
});

test('arrived tells the status', async (t) => {
  const tab = await rig.show(t, '<title>There</title>');
  const { title, status } = await tab.call('arrived', {});
  assert.deepEqual({ title, status }, { title: 'There', status: 200 });
});
