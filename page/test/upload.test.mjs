// SPDX-License-Identifier: Apache-2.0
// Where files go, and whether the page takes what is dragged there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();

const ZONE = '<p id=zone ondragover="event.preventDefault()" ondrop="event.preventDefault(); textContent = \'got it\'">Drop here</p>';

const drag = async (tab, { x, y }, ...types) => {
  for (const type of types) {
    await tab.send('Input.dispatchDragEvent', { type, x, y, data: { items: [{ mimeType: 'text/plain', data: 'x' }], dragOperationsMask: 1 } });
  }
};

test('what an earlier drag has left in a frame is not for the files', async (t) => {
  const tab = await rig.show(t, '<p id=else>Elsewhere</p><iframe id=f src=/zone.html></iframe>', { '/zone.html': ZONE });
  const at = await tab.call('point', { target: '#zone' });
  await tab.call('point', { target: '#else', drop: true });
  await drag(tab, at, 'dragEnter', 'dragOver', 'dragCancel');
  assert.equal((await tab.call('receiver', { target: '#zone' })).kind, 'zone');
  assert.deepEqual(await tab.call('accepts'), { accepted: false }); // nothing was dragged there since
  await drag(tab, at, 'dragEnter', 'dragOver');
  assert.deepEqual(await tab.call('accepts'), { accepted: true });
  await drag(tab, at, 'drop');
  assert.equal(await tab.page('f.contentDocument.getElementById("zone").textContent'), 'got it');
});

test('a frame that has no script of ours is watched from outside', async (t) => {
  const tab = await rig.show(t, '<iframe id=f></iframe>');
  await tab.page(`f.contentDocument.body.innerHTML = ${JSON.stringify(ZONE)}, 0`);
  await tab.inside('delete document.getElementById("f").contentWindow.tabard'); // as it is before the first document comes
  const at = await tab.call('point', { target: '#zone' });
  await tab.call('receiver', { target: '#zone' });
  await drag(tab, at, 'dragEnter', 'dragOver');
  assert.deepEqual(await tab.call('accepts'), { accepted: true });
});
