// SPDX-License-Identifier: Apache-2.0
// Files that are dropped: what the page gets to see of them, and when.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();

const ZONE = `<p id=zone>Drop here</p><script>log = []; for (const type of ['dragenter', 'dragover', 'dragleave', 'drop']) {
  addEventListener(type, (e) => { e.preventDefault(); const { items, files, types } = e.dataTransfer;
    log.push([type, e.target.id, types.join(), items[0].kind, items[0].type, files[0].name, files[0].size].join(' ')); }); }</script>`;

/** Brings a file there as the daemon does; gives what the last function gave. */
const bring = async (tab, target, between = '0') => {
  const file = path.join(rig.browser.profile, 'a.txt');
  await writeFile(file, 'hello', { mode: 0o644 });
  const { kind, error } = await tab.call('receiver', { target });
  assert.deepEqual([kind, error], ['zone', undefined]);
  const { result } = await tab.send('Runtime.evaluate', { expression: 'tabard.received()', contextId: tab.worlds.get(tab.frameId) });
  await tab.send('DOM.setFileInputFiles', { objectId: result.objectId, files: [file] });
  const carried = await tab.call('carry', { target });
  await tab.page(between);
  return carried.error ? carried : tab.call('drop');
};

test('a field is what it was when the daemon was told of it', async (t) => {
  const tab = await rig.show(t, '<input id=i ondragover="event.preventDefault()">');
  assert.equal((await tab.call('receiver', { target: '#i' })).kind, 'zone');
  await tab.page(`i.type = 'file', 0`);
  assert.equal(await tab.inside('tabard.received() === i'), false);
  assert.equal((await tab.call('receiver', { target: '#i' })).kind, 'file');
  await tab.page(`i.type = 'text', 0`);
  assert.equal(await tab.inside('tabard.received() === i'), true);
});

test('files of a type that a field does not ask for are named', async (t) => {
  const tab = await rig.show(t, '<input type=file multiple>');
  const given = (accept) => tab.inside(`(() => { const field = document.querySelector('input'); const files = new DataTransfer();
    for (const [name, type] of [['a.PDF', 'application/pdf'], ['b.png', 'image/png'], ['c', '']]) files.items.add(new File([], name, { type }));
    field.files = files.files; field.setAttribute('accept', ${JSON.stringify(accept)}); return tabard.filesOf(field).unaccepted ?? []; })()`);
  for (const [accept, names] of [['', []], ['.pdf', ['b.png', 'c']], ['image/*, .pdf', ['c']], ['IMAGE/PNG', ['a.PDF', 'c']], ['image/jpeg', ['a.PDF', 'b.png', 'c']],
    ['*/*', []], ['*', []]]) {
    assert.deepEqual(await given(accept), names, accept);
  }
});

test('a field that the page has made another one of has no files', async (t) => {
  const tab = await rig.show(t, '<input>');
  assert.deepEqual(await tab.inside('tabard.filesOf(document.querySelector("input"))'), { now: [] });
});

test('until the drop a page learns only of what type the files are', async (t) => {
  const tab = await rig.show(t, ZONE);
  assert.deepEqual(await bring(tab, '#zone'), { dropped: true });
  assert.deepEqual(await tab.page('log'),
    ['dragenter zone Files file text/plain  0', 'dragover zone Files file text/plain  0', 'drop zone Files file text/plain a.txt 5']);
});

test('a frame of the same origin gets them, through borders and transforms', async (t) => {
  const tab = await rig.show(t, '<iframe id=f src=/zone.html style="border:20px solid;padding:7px;transform:rotate(10deg) scale(.8)"></iframe>',
    { '/zone.html': ZONE.replace('<p ', '<p style="width:60px" ') });
  assert.deepEqual(await bring(tab, '#zone'), { dropped: true });
  assert.equal(await tab.page('f.contentWindow.log.pop()'), 'drop zone Files file text/plain a.txt 5');
});

test('a place that the page shows while something is dragged gets them, and is told', async (t) => {
  const tab = await rig.show(t, `${ZONE}<div id=over hidden style="position:fixed;inset:0">Let go</div><script>ondragenter = () => { over.hidden = false }</script>`);
  assert.deepEqual(await bring(tab, '#zone'), { dropped: true, instead: '<div id="over"> "Let go"' });
  assert.deepEqual(await tab.page('log.map((line) => line.split(" ", 2).join(" "))'),
    ['dragenter zone', 'dragenter over', 'dragleave zone', 'dragover over', 'drop over']);
});

test('what comes there in the last moment gets nothing', async (t) => {
  const tab = await rig.show(t, `${ZONE}<div id=over hidden style="position:fixed;inset:0">Let go</div>`);
  const { error } = await bring(tab, '#zone', 'over.hidden = false');
  assert.equal(error.message, 'nothing was dropped: <div id="over"> "Let go" got there at the last moment');
  assert.match(await tab.page('log.pop()'), /^dragleave zone/);
});

test('a field that lies there is to be given them itself', async (t) => {
  const tab = await rig.show(t, '<div id=zone style="position:relative;width:200px;height:99px"><input name=a><input type=file style="position:absolute;inset:0"></div>');
  const { error } = await bring(tab, '#zone');
  assert.match(error.message, /there is a file input there; give it the files with target e\d+$/);
});

test('nothing is dropped in another document than the one that was looked at', async (t) => {
  const tab = await rig.show(t, ZONE);
  assert.equal((await tab.call('carry', { target: '#zone' })).error.code, 'element_stale');
  assert.equal((await tab.call('drop')).error.code, 'element_stale');
});
