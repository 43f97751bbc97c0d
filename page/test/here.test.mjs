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

test('an answer that comes late takes nothing of the next act', async (t) => {
  const tab = await rig.show(t, '<a id=go href="#there">Go</a><p id=out></p>');
  await tab.page('go.onclick = () => { out.textContent = "Done"; }, 0');
  const { x, y } = await tab.inside(`(async () => { const late = tabard.here({ late: true });
    const at = await tabard.point({ target: '#go', presses: 1, watch: true }); await late; return at; })()`);
  for (const type of ['mousePressed', 'mouseReleased']) {
    await tab.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
  }
  const { hit, changes } = await tab.call('here');
  assert.deepEqual([hit, changes?.text], [true, '+ text: Done']);
});

test('what nobody has heard is told again, before what came since', async (t) => {
  const tab = await rig.show(t, '<button id=go>Go</button><p id=one></p><p id=two></p>');
  await tab.call('point', { target: '#go', watch: true });
  await tab.page('one.textContent = "First", 0');
  const { told } = await tab.call('here');
  await tab.page('two.textContent = "Second", 0');
  assert.equal((await tab.call('here', { heard: told - 1 })).changes.text, '+ text: First\n+ text: Second');
  assert.equal((await tab.call('here', { heard: told + 1 })).changes, undefined);
});
