// SPDX-License-Identifier: Apache-2.0
// The table of elements with selectors.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();
const PAGE = `<style>body{margin:0}</style><a href="/about.html">About us</a><input id=u aria-labelledby=l><span id=l>User</span>
<input name=p type=password value=secret placeholder=Pass><label><input type=checkbox aria-label=agree> agree</label>
<button class="x y">Same</button><button class="x z">Same</button><button data-testid=t1>Same</button><button hidden>No</button>
<select name=s><option>A<option>B</select><div role=button tabindex=0>Div</div><i tabindex=-1>no</i>
<ul><li><a href=1>1</a><li><a href=2>1</a></ul><div style="height:3000px"></div><button>Far button</button>`;

test('rows as the reference has them', async (t) => {
  const tab = await rig.show(t, PAGE);
  const { total, showing, hasMore, elements } = await tab.call('elements');
  assert.deepEqual([total, showing, hasMore], [12, 12, false]);
  assert.deepEqual(elements[0], { tagName: 'a', name: 'About us', type: '', value: '', href: '/about.html',
    selector: 'a*=About us', isInViewport: true });
  const path = (n) => `body:nth-of-type(1) > ul:nth-of-type(1) > li:nth-of-type(${n}) > a:nth-of-type(1)`;
  assert.deepEqual(elements.map((row) => row.selector), ['a*=About us', '#u', 'input[name="p"]', 'aria/agree', 'button.y', 'button.z',
    '[data-testid="t1"]', 'select[name="s"]', 'div*=Div', path(1), path(2), 'button*=Far button']);
  assert.equal(elements[2].value, '•••');
  assert.equal(elements[11].isInViewport, false);
});

test('things to click without a role are rows, and are named by their picture', async (t) => {
  const tab = await rig.show(t, '<i class="fa fa-trash" onclick="1" style="padding:5px"></i><div onclick="1">Words</div>'
    + '<button><svg><title>Gear</title></svg></button>');
  const { elements } = await tab.call('elements');
  assert.deepEqual(elements.map(({ tagName, name }) => [tagName, name]), [['i', 'trash'], ['div', 'Words'], ['button', 'Gear']]);
});

test('every selector of the table finds its element again', async (t) => {
  const tab = await rig.show(t, `${PAGE}<div><template shadowrootmode=open><button>Same</button>`
    + `<button>Only in shadow</button></template></div><iframe srcdoc="<button>Same</button>"></iframe>`);
  const { elements } = await tab.call('elements', { bounds: true });
  assert.equal(elements.length, 15);
  for (const { selector, boundingBox } of elements) {
    const found = await tab.inside(`(() => { const el = tabard.element(${JSON.stringify({ target: selector })});
      return { width: Math.round(el.getBoundingClientRect().width * 100) / 100 }; })()`);
    assert.equal(found.width, boundingBox.width, selector);
  }
  assert.equal(new Set(elements.map((row) => row.selector)).size, elements.length);
});

test('only what is in the viewport, and pages of the table', async (t) => {
  const tab = await rig.show(t, PAGE);
  assert.equal((await tab.call('elements', { in_viewport: true })).total, 11);
  const { showing, hasMore, elements } = await tab.call('elements', { offset: 1, limit: 2 });
  assert.deepEqual([showing, hasMore, elements.map((row) => row.name)], [2, true, ['User', 'Pass']]);
});

test('a page with thousands of elements gives a thousand rows', async (t) => {
  const tab = await rig.show(t, Array.from({ length: 3000 }, (_, i) => `<a href="/${i}">link ${i}</a> `).join(''));
  const { total, showing, hasMore } = await tab.call('elements');
  assert.deepEqual([total, showing, hasMore], [3000, 1000, true]);
});
