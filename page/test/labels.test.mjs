// SPDX-License-Identifier: Apache-2.0
// Where names show: labels in the outline, refs of cells, and selectors by role and name.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();
const DEFINE = '<script>customElements.define("face-el", class extends HTMLElement { static formAssociated = true });'
  + 'customElements.define("my-el", class extends HTMLElement {})</script>';

// Each row: what it shows, the body, the lines that the snapshot must be.
const CASES = [
  ['a label names a switch that is a button', '<label for=s>Airplane mode</label><button id=s role=switch><span></span></button>',
    ['- switch "Airplane mode" [ref=e1]']],
  ['a button that a label names still shows what it holds',
    '<label for=c>Country</label><button id=c role=combobox><span>France</span></button><label>Unit <button>kg</button></label>',
    ['- combobox "Country" [ref=e1]: France', '- button "Unit" [ref=e2]: kg']],
  ['what a label is around shows its value beside it', '<label>Total <output>7</output></label>'
    + '<label>Fuel <meter value=6 max=10></meter></label><label>Done <progress value=3 max=4></progress></label>',
    ['- status "Total": 7', '- meter "Fuel": 6', '- progressbar "Done": 75%']],
  ['the label of a hidden field is text', '<p><label for=p>Pet</label><select id=p hidden><option>Cat</select></p>'
    + '<p><label for=c>City</label><select id=c aria-hidden=true tabindex=-1><option>Rome</select></p>'
    + '<label for=d>Day</label><div inert><input id=d></div>',
    ['- text: Pet', '- text: City', '- text: Day']],
  ['a label that another name overrides is text', '<label for=i>Shown</label><input id=i aria-label=Spoken>',
    ['- text: Shown', '- textbox "Spoken" [ref=e1]']],
  ['a label that the other name repeats is said once', '<label for=i>Street</label><input id=i aria-label="Street and number">'
    + '<label id=l for=j>City</label><input id=j aria-labelledby=l>',
    ['- textbox "Street and number" [ref=e1]', '- textbox "City" [ref=e2]']],
  ['a label around a custom element of a form names it', `${DEFINE}<label>Around <face-el role=slider></face-el></label>`,
    ['- slider "Around" [ref=e1]']],
  ['a label that cannot name what it is around is text', `${DEFINE}<label>Around <my-el role=slider></my-el></label>`
    + '<label>Also <face-el></face-el></label>',
    ['- text: Around', '- slider [ref=e1]', '- text: Also']],
  ['a hidden checkbox has the name that its empty label lacks',
    '<input type=checkbox id=c hidden aria-label="Dark mode"><label for=c style="display:block;width:9px;height:9px"></label>',
    ['- checkbox "Dark mode" [ref=e1]']],
  ['what is below an item of a tree is no part of its name',
    '<ul role=tree><li role=treeitem>Root<ul role=group><li role=treeitem>Leaf<li>plain</ul></ul>',
    ['- tree [ref=e1]', '  - treeitem "Root" [ref=e2]', '    - treeitem "Leaf" [ref=e3]', '    - listitem: plain']],
  ['a switch of several parts has one line', '<label><span><input type=checkbox style="opacity:0"><i></i></span><b>Wi-Fi'
    + '<sup>*</sup></b></label>',
    ['- checkbox "Wi-Fi*" [ref=e1]']],
  ['a legend and a caption that another name overrides are text',
    '<fieldset aria-label=Spoken><legend>Legend</legend><input aria-label=a></fieldset>'
    + '<table aria-label=Figures><caption>Caption</caption><tr><td>1<td>2</table>',
    ['- group "Spoken"', '  - text: Legend', '  - textbox "a" [ref=e1]', '- table "Figures" [ref=e2]', '  - text: Caption',
      '  - row: 1 | 2']],
  ['a button that is only an icon says what its styles say', '<style>.i::before{content:"Del"}</style><button class=i></button>',
    ['- button "Del" [ref=e1]']],
  ['an empty title does not hide the placeholder', '<input title="" placeholder="Search here">',
    ['- textbox "Search here" [ref=e1]']],
  ['labels that a script has set as elements', '<button id=b>x</button><p id=p>By a script</p>'
    + '<script>b.ariaLabelledByElements = [p]</script>',
    ['- button "By a script" [ref=e1]', '- text: By a script']],
  ['a header that holds what sorts its column is one line', '<div role=grid><div role=row><div role=columnheader><div onclick="0">Price</div></div></div></div>'
    + '<table><tr><th><span onclick="0">Age</span><th>Plain<tr><td>1<td>2</table>',
    ['- grid [ref=e1]', '  - row', '    - columnheader [ref=e2]: Price', '- table [ref=e3]', '  - row', '    - columnheader [ref=e4]: Age', '    - columnheader: Plain',
      '  - row: 1 | 2']],
  ['every cell of a grid has a ref', '<div role=grid><div role=row><span role=columnheader>Name</span></div>'
    + '<div role=row><span role=gridcell>Beta</span><span role=gridcell></span></div></div>'
    + '<table role=grid><tr><td>x<td tabindex=0>y</table>',
    ['- grid [ref=e1]', '  - row', '    - columnheader [ref=e2]: Name', '  - row', '    - gridcell [ref=e3]: Beta',
      '    - gridcell [ref=e4]', '- grid [ref=e5]', '  - row', '    - gridcell [ref=e6]: x', '    - gridcell [ref=e7]: y']],
  ['a cell of a grid that holds one control is that control',
    '<table role=grid><tr><td><button>5</button><td><span>a</span> <button>6</button></table>',
    ['- grid [ref=e1]', '  - row', '    - button "5" [ref=e2]', '    - gridcell [ref=e3]', '      - text: a',
      '      - button "6" [ref=e4]']],
  ['a cell of a grid that shows a hand is one line',
    '<style>.k{cursor:pointer}</style><div role=grid><div role=row><div role=gridcell class=k><span>c</span></div></div></div>',
    ['- grid [ref=e1]', '  - row', '    - gridcell [ref=e2]: c']],
  ['a table inside a cell of a grid is no grid', '<table role=grid><tr><td>a<td><table><tr><td>x<td>y</table></table>',
    ['- grid [ref=e1]', '  - row', '    - gridcell [ref=e2]: a', '    - gridcell [ref=e3]', '      - table [ref=e4]',
      '        - row: x | y']],
];

for (const [name, body, expected] of CASES) {
  test(name, async (t) => {
    const tab = await rig.show(t, body);
    assert.deepEqual(await tab.lines(), expected);
  });
}

test('the cells of a grid are named where only what can be used is shown', async (t) => {
  const tab = await rig.show(t, '<div role=grid><div role=row><div role=gridcell>Beta</div></div></div>');
  assert.deepEqual(await tab.lines({ interactive: true }), ['- gridcell "Beta" [ref=e1]']);
  assert.deepEqual(await tab.lines({ target: 'role=row' }), ['- row', '  - gridcell [ref=e1]: Beta']);
});

const GRID = `<table id=plain><thead><tr id=head><th id=h1>Name<th id=h2>Age<tbody><tr id=r1><th id=rh scope=row>Ann<td id=c1>7
  <tr id=r2><td id=c2>Bob<td id=c3><input id=in value=31></table>
  <div role=grid><div role=row id=g1><div role=columnheader id=gh>Greek</div></div>
  <div role=row id=g2><div role=gridcell id=a>Alpha</div><div role=gridcell id=b tabindex=-1>Beta</div></div></div>
  <table role=treegrid><tr id=g3><td id=d>Delta<td id=e>Eps<b>ilon</b></table>`;

test('rows and cells are found by what they say', async (t) => {
  const tab = await rig.show(t, GRID);
  const found = [
    ['role=gridcell[name=Beta]', 'b'], ['role=gridcell[name="beta"]', 'b'], ['role=gridcell "Delta"', 'd'],
    ['role=gridcell[name=/^Eps/]', 'e'], ['role=gridcell[name=Epsilon]', 'e'],
    ['role=cell[name=Bob]', 'c2'], ['role=cell[name="7"]', 'c1'], ['role=cell[name="31"]', 'c3'],
    ['role=columnheader[name=Age]', 'h2'], ['role=columnheader[name=Greek]', 'gh'], ['role=rowheader[name=Ann]', 'rh'],
    ['role=row[name="Ann 7"]', 'r1'], ['role=row[name=Bob]', 'r2'], ['role=row[name="Bob 31"]', 'r2'],
    ['role=row[name="Name Age"]', 'head'], ['role=row[name="Alpha Beta"]', 'g2'], ['role=row[name=/Delta/]', 'g3'],
  ];
  for (const [target, id] of found) {
    const { results, error } = await tab.call('extract', { target, format: 'json', limit: 1 });
    assert.equal(results?.[0].attributes.id, id, `${target} ${error?.message}`);
  }
  for (const target of ['role=gridcell[name=Bob]', 'role=cell[name=Beta]', 'role=row[name=Zeta]']) {
    assert.equal((await tab.call('extract', { target })).error?.code, 'element_not_found', target);
  }
});

test('what was clicked is called by its content', async (t) => {
  const tab = await rig.show(t, GRID);
  const { role, name } = await tab.call('point', { target: 'role=cell[name=Bob]' });
  assert.deepEqual({ role, name }, { role: 'cell', name: 'Bob' });
});

test('a page of labels that refer to each other ends', async (t) => {
  const many = Array.from({ length: 400 }, (_, i) => `<span id=s${i} aria-owns="${Array.from({ length: 20 }, (__, j) => `s${(i * 7 + j) % 400}`).join(' ')}">
    <i aria-labelledby="s${(i + 1) % 400} s${(i + 2) % 400}">x</i></span>`).join('');
  const tab = await rig.show(t, `<button aria-owns="s1 s2" aria-labelledby="s0 b" id=b>${many}</button><label for=f id=l>a <label id=m for=f>b</label></label>
    <input id=f aria-labelledby="l m f">`);
  const { text } = await tab.call('snapshot', {});
  assert.match(text, /^- button "x/);
});
