// SPDX-License-Identifier: Apache-2.0
// Frames and shadow roots.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();

test('same-origin frames are entered, their elements get refs of the outer document', async (t) => {
  const tab = await rig.show(t, '<button>Out</button><iframe title=One src=/one.html width=600 height=400></iframe>', {
    '/one.html': '<button>In one</button><iframe title=Two src=/two.html></iframe>',
      '/two.html': '<button onclick="parent.parent.hit = 1">In two</button>',
  });
  assert.deepEqual(await tab.lines(), ['- button "Out" [ref=e1]', '- iframe "One" [ref=e2]', '  - button "In one" [ref=e3]',
    '  - iframe "Two" [ref=e4]', '    - button "In two" [ref=e5]']);
  assert.equal((await tab.click('e5')).name, 'In two');
  assert.equal(await tab.page('hit'), 1);
});

test('frames of other origins are listed for the daemon', async (t) => {
  const tab = await rig.show(t, `<iframe title=Ad src="${rig.server.otherOrigin}/ad.html"></iframe>`
    + `<iframe title=Sand sandbox srcdoc="<p>x</p>"></iframe>`, { '/ad.html': '<button>Ad</button>' });
  const { text, frames } = await tab.call('snapshot');
  assert.equal(text, '- iframe "Ad" [ref=e1]\n- iframe "Sand" [ref=e2]');
  assert.deepEqual(frames, ['e1', 'e2']);
});

test('a frame whose document has not come yet says so', async (t) => {
  const tab = await rig.show(t, `<iframe title=Late src=/late.html></iframe><iframe title=Blank></iframe><iframe title=About src="about:blank"></iframe>
    <iframe title=Doc srcdoc=""></iframe><iframe title=Lazy loading=lazy src="${rig.server.otherOrigin}/late.html" style="margin-top:9000px"></iframe>`,
    { '/late.html': 'Here' });
  await tab.page('frames[0].document.open(), 0');
  assert.deepEqual(await tab.lines(), ['- iframe "Late" [loading] [ref=e1]', '- iframe "Blank" [ref=e2]', '- iframe "About" [ref=e3]', '- iframe "Doc" [ref=e4]',
    '- iframe "Lazy" [loading] [ref=e5]']);
});

test('what is not found may be in a frame of another site, and the message says so', async (t) => {
  const tab = await rig.show(t, `<iframe src="${rig.server.otherOrigin}/ad.html"></iframe><iframe src=/in.html></iframe><iframe hidden src="${rig.server.otherOrigin}/ad.html"></iframe>`,
    { '/ad.html': '<button>Ad</button>', '/in.html': '<p>In</p>' });
  const words = async (name, args) => (await tab.call(name, { timeout_ms: 0, ...args })).error.message;
  const one = '; the page has 1 isolated frame, in which selectors do not look; refs of elements in there work';
  assert.equal(await words('point', { target: 'text=Ad' }), `nothing on the page matches "text=Ad"${one}`);
  assert.equal(await words('extract', { target: '.ad' }), `nothing on the page matches ".ad"${one}`);
  assert.equal(await words('waitFor', { target: '.ad' }), `waited 0 ms for ".ad" to be visible; nothing on the page matches it${one}`);
  assert.equal(await words('waitFor', { text: 'Ad' }),
    'waited 0 ms for the text "Ad"; the page does not show it; the page has 1 isolated frame, in which this does not look');
  assert.doesNotMatch(await words('waitFor', { target: 'iframe', state: 'hidden' }), /another site/);
  await tab.page(`document.querySelector('iframe[hidden]').hidden = false`);
  assert.match(await words('point', { target: 'text=Ad' }), /; the page has 2 isolated frames, in which/);
});

test('hidden frames are not listed', async (t) => {
  const tab = await rig.show(t, `<iframe hidden src="${rig.server.otherOrigin}/ad.html"></iframe>`);
  assert.deepEqual((await tab.call('snapshot')).frames, []);
});

test('frames are listed in a flat snapshot too', async (t) => {
  const tab = await rig.show(t, `<p>x</p><iframe title=Ad src="${rig.server.otherOrigin}/ad.html"></iframe>`
    + `<iframe src=/in.html></iframe>`, { '/in.html': '<p>y</p><button>In</button>' });
  assert.deepEqual(await tab.lines({ interactive: true }), ['- iframe "Ad" [ref=e1]', '- iframe [ref=e2]',
    '- button "In" [ref=e3]']);
});

const TRANSFORMS = ['none', 'scale(.5)', 'rotate(25deg) scale(1.4, .8)', 'skew(20deg)', 'perspective(400px) rotateY(35deg)', 'rotate(180deg)'];
const ZOOMS = ['none;zoom:1.6', 'rotate(25deg);zoom:.7'];

for (const transform of [...TRANSFORMS, ...ZOOMS]) {
  test(`points of a frame come out where it draws them: ${transform}`, async (t) => {
    const tab = await rig.show(t, `<div style="height:200px"></div><div style="margin:150px;width:300px;transform:${transform}">
      <iframe title=F style="border:9px solid;padding:4px 11px;width:260px;height:160px;zoom:${transform.includes('zoom') ? 1.2 : 1}" src=/spot.html></iframe></div>
      <div style="height:3000px"></div>`, { '/spot.html': '<style>body{margin:0}</style><button onclick="parent.hit=1" '
        + 'style="position:absolute;left:180px;top:100px;width:30px;height:14px">Spot</button>' });
    await tab.page('scrollTo(0, 120)');
    assert.equal((await tab.click('text=Spot')).error, undefined);
    assert.equal(await tab.page('hit'), 1);
    // The same for the daemon, who knows the point only.
    const { x, y } = await tab.call('through', { target: await tab.ref('"F"'), x: 195, y: 107 });
    await tab.page('hit = 0');
    for (const type of ['mousePressed', 'mouseReleased']) {
      await tab.send('Input.dispatchMouseEvent', { type, x, y, button: 'left', clickCount: 1 });
    }
    assert.equal(await tab.page('hit'), 1);
  });
}

test('a point of a frame waits for what covers it there, and scrolls', async (t) => {
  const tab = await rig.show(t, `<div style="height:2000px"></div><iframe title=F width=300 height=900 src="${rig.server.otherOrigin}/ad.html">
    </iframe><div id=cover style="position:fixed;inset:0">Wait please</div>`, { '/ad.html': '<button>Ad</button>' });
  const ref = await tab.ref('"F"');
  const { error } = await tab.call('through', { target: ref, x: 20, y: 800, timeout_ms: 100 });
  assert.match(error.message, /is covered by <div id="cover"> "Wait please"/);
  await tab.page('setTimeout(() => cover.remove(), 30)');
  const { y } = await tab.call('through', { target: ref, x: 20, y: 800, timeout_ms: 3000 });
  assert.ok(y > 0 && y < 720, String(y));
});

test('a click reaches into a frame with borders, scrolled, scaled', async (t) => {
  const tab = await rig.show(t, '<div style="height:900px"></div>'
    + '<iframe style="border:9px solid;padding:4px;transform:scale(.5);transform-origin:0 0" width=400 height=300 src=/long.html>'
    + '</iframe><div style="height:900px"></div>', {
    '/long.html': '<div style="height:2000px"></div><button style="margin-left:300px" onclick="parent.hit=1">Far</button>'
      + '<div style="height:2000px"></div>',
  });
  await tab.page('document.body.offsetHeight');
  assert.equal((await tab.click('text=Far')).error, undefined);
  assert.equal(await tab.page('hit'), 1);
});

test('what covers a frame covers what is in it', async (t) => {
  const tab = await rig.show(t, '<iframe src=/b.html></iframe><div id=cover style="position:fixed;inset:0">Wait please</div>',
    { '/b.html': '<button>In</button>' });
  const { error } = await tab.call('point', { target: 'text=In', timeout_ms: 200 });
  assert.match(error.message, /covered by <div id="cover"> "Wait please"/);
});

test('an element of a frame that was removed is gone', async (t) => {
  const tab = await rig.show(t, '<iframe id=f src=/b.html></iframe>', { '/b.html': '<button>In</button>' });
  const ref = await tab.ref('In');
  await tab.page('f.remove()');
  assert.equal((await tab.click(ref)).error.code, 'element_not_found');
});

test('an element of a frame that navigated is gone', async (t) => {
  const tab = await rig.show(t, '<iframe id=f src=/b.html></iframe>',
    { '/b.html': '<button>In</button>', '/c.html': '<button>In</button>' });
  const ref = await tab.ref('In');
  await tab.page('new Promise((resolve) => { f.onload = resolve; f.src = "/c.html"; }).then(() => 1)');
  assert.equal((await tab.click(ref)).error.code, 'element_not_found');
  assert.notEqual(await tab.ref('In'), ref);
});

test('framesets', async (t) => {
  const tab = await rig.show(t, '<!doctype html><frameset cols="50%,50%"><frame src=/l.html title=Left>'
    + '<frame src=/r.html title=Right></frameset>', { '/l.html': '<button>L</button>', '/r.html': '<button>R</button>' });
  assert.deepEqual(await tab.lines(), ['- iframe "Left" [ref=e1]', '  - button "L" [ref=e2]', '- iframe "Right" [ref=e3]',
    '  - button "R" [ref=e4]']);
});

const SHADOW = `<x-a></x-a><script>
  customElements.define('x-b', class extends HTMLElement {
    constructor() { super().attachShadow({ mode: 'open' }).innerHTML = '<button onclick="window.hit = 1">Inner</button>'; } });
  customElements.define('x-a', class extends HTMLElement {
    constructor() { super().attachShadow({ mode: 'open' }).innerHTML = '<h2>Head</h2><x-b></x-b>'; } });
</script>`;

test('open shadow roots are pierced, also in each other', async (t) => {
  const tab = await rig.show(t, SHADOW);
  assert.deepEqual(await tab.lines(), ['- heading "Head" [level=2]', '- button "Inner" [ref=e1]']);
  await tab.click('e1');
  assert.equal(await tab.page('hit'), 1);
});

test('slots show what is put into them, in their place', async (t) => {
  const tab = await rig.show(t, `<div><template shadowrootmode=open><header><slot name=top>No top</slot></header><p>Own</p>`
    + `<slot></slot><div><slot name=none>Default</slot></div></template>
    <b>Rest</b> text<i slot=top>Top</i><u slot=lost>Lost</u></div>`);
  assert.deepEqual(await tab.lines(), ['- banner [ref=e1]: Top', '- text: Own', '- text: Rest text', '- text: Default']);
});

test('names and labels inside shadow roots', async (t) => {
  const tab = await rig.show(t, '<div><template shadowrootmode=open><label for=i>Name</label><input id=i>'
    + '<span id=s>Side</span><button aria-labelledby=s>x</button></template></div>');
  assert.deepEqual(await tab.lines(), ['- textbox "Name" [ref=e1]', '- text: Side', '- button "Side" [ref=e2]']);
});

test('a link in a shadow root inside a button: names go through', async (t) => {
  const tab = await rig.show(t, '<a href=x><span><template shadowrootmode=open>Shadow <slot></slot></template>light</span></a>');
  assert.deepEqual(await tab.lines(), ['- link "Shadow light" [ref=e1]']);
});

const CLOSED = `<x-c></x-c><div id=plain></div><script>
  customElements.define('x-c', class extends HTMLElement {
    constructor() { super().attachShadow({ mode: 'closed' }).innerHTML = '<button onclick="window.hit = 1">Hidden away</button>'; } });
  plain.attachShadow({ mode: 'closed' }).innerHTML = '<button>In a div</button>';
</script>`;

test('closed shadow roots are counted, adopted and then pierced', async (t) => {
  const tab = await rig.show(t, CLOSED);
  const before = await tab.call('snapshot');
  assert.deepEqual([/^- /m.test(before.text), before.hosts], [false, 2]);
  await tab.adoptAll();
  const after = await tab.call('snapshot');
  assert.deepEqual([after.text, after.hosts], ['- button "Hidden away" [ref=e1]\n- button "In a div" [ref=e2]', 0]);
  await tab.click('text=Hidden away');
  assert.equal(await tab.page('hit'), 1);
});

test('hosts without a closed root are asked about once', async (t) => {
  const tab = await rig.show(t, '<x-d>text</x-d><div style="height:20px;background:red"></div>'
    + '<script>customElements.define("x-d", class extends HTMLElement {})</script>');
  assert.equal((await tab.call('snapshot')).hosts, 2);
  await tab.adoptAll();
  assert.equal((await tab.call('snapshot')).hosts, 0);
});

test('adopt takes nothing but the root of the host', async (t) => {
  const tab = await rig.show(t, '<x-e></x-e><p>x</p>');
  assert.equal(await tab.inside('tabard.adopt(document.querySelector("x-e"), document)'), false);
  assert.equal(await tab.inside('tabard.adopt(document.querySelector("x-e"), document.createDocumentFragment())'), false);
  assert.equal((await tab.call('adopt')).error.code, 'internal_error');
});
