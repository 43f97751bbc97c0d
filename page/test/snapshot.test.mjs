// SPDX-License-Identifier: Apache-2.0
// The lines of a snapshot: roles, names, states, values, structure.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();

// Each row: what it shows, the body, the lines that the snapshot must be. Refs count from 1.
const CASES = [
  ['headings have a level', '<h1>One</h1><h3>Three</h3><div role=heading aria-level=4>Four</div>',
    ['- heading "One" [level=1]', '- heading "Three" [level=3]', '- heading "Four" [level=4]']],
  ['a heading that is one link says its name once', '<h2><a href="/x">Title</a></h2>',
    ['- heading [level=2]', '  - link "Title" [ref=e1]']],
  ['generic containers are left out and text is merged', '<div><div><span>a <b>b</b></span><i>c</i></div><section>d</section>'
    + '</div>',
    ['- text: a bc', '- text: d']],
  ['a line break parts words', 'one<br>two', ['- text: one two']],
  ['spans set apart by styles do not run together', '<div style="display:flex"><span>Price</span><span>12</span></div><p>'
    + '<span>W</span><span>ord</span></p>',
    ['- text: Price 12', '- text: Word']],
  ['a list keeps its items', '<ul><li>a</li><li><a href=x>b</a> c</li></ul>',
    ['- list', '  - listitem: a', '  - listitem', '    - link "b" [ref=e1]', '    - text: c']],
  ['rows of plain cells are one line', '<table><caption>Ages</caption><tr><th>Name<th>Age<tr><td>Ann<td>7<tr><td>Bob<td></table>',
    ['- table "Ages" [ref=e1]', '  - row [header]: Name | Age', '  - row: Ann | 7', '  - row: Bob |']],
  ['a row with something to act on keeps its cells', '<table><tr><td>Ann<td><button>Edit</button></table>',
    ['- table [ref=e1]', '  - row', '    - cell: Ann', '    - button "Edit" [ref=e2]']],
  ['an item that holds one link is that link', '<ul><li><a href=x>a</a><li><a href=y>b</a><li><b>c</b></ul>',
    ['- list', '  - link "a" [ref=e1]', '  - link "b" [ref=e2]', '  - listitem: c']],
  ['a table that holds tables only arranges', '<table><tr><td>menu<td><table><tr><td>x<td>y</table></table>',
    ['- text: menu', '- table [ref=e1]', '  - row: x | y']],
  ['landmarks', '<header>h</header><nav aria-label=Main><a href=x>a</a></nav><main>m</main><aside>s</aside><footer>f</footer>',
    ['- banner [ref=e1]: h', '- navigation "Main" [ref=e2]', '  - link "a" [ref=e3]', '- main [ref=e4]: m',
      '- complementary [ref=e5]: s', '- contentinfo [ref=e6]: f']],
  ['a header inside an article is no banner', '<article><header>h</header>x</article>',
    ['- article', '  - text: h', '  - text: x']],
  ['empty containers are dropped', '<nav></nav><ul></ul><main><div></div></main>.', ['- text: .']],
  ['checkbox states', '<label><input type=checkbox checked> A</label><input type=checkbox aria-label=B disabled>'
    + '<div role=checkbox aria-checked=mixed tabindex=0>C</div>',
    ['- checkbox "A" [checked] [ref=e1]', '- checkbox "B" [disabled] [ref=e2]', '- checkbox "C" [checked=mixed] [ref=e3]']],
  ['a checkbox hidden behind its label is shown by the label',
    '<style>#c{display:none}</style><input type=checkbox id=c checked><label for=c>Agree</label>',
    ['- checkbox "Agree" [checked] [ref=e1]']],
  ['an indeterminate checkbox', '<input type=checkbox id=c aria-label=x><script>c.indeterminate=true</script>',
    ['- checkbox "x" [checked=mixed] [ref=e1]']],
  ['radio buttons in a group', '<fieldset><legend>Size</legend><label><input type=radio name=s>S</label><label>'
    + '<input type=radio name=s checked>M</label></fieldset>',
    ['- group "Size"', '  - radio "S" [ref=e1]', '  - radio "M" [checked] [ref=e2]']],
  ['a fieldset disables its fields', '<fieldset disabled><input aria-label=a><button>b</button></fieldset>',
    ['- textbox "a" [disabled] [ref=e1]', '- button "b" [disabled] [ref=e2]']],
  ['text fields show their value', '<label for=n>Name</label><input id=n value="Ann B">'
    + '<textarea aria-label=Note required>x\ny</textarea>',
    ['- textbox "Name" [ref=e1]: Ann B', '- textbox "Note" [required] [ref=e2]: x y']],
  ['password values never appear', '<input type=password aria-label=P value=hunter2><input type=password aria-label=Q>',
    ['- textbox "P" [password] [ref=e1]: •••', '- textbox "Q" [password] [ref=e2]']],
  ['nor do those of cards, codes and passwords that are shown', `<input aria-label=N autocomplete="billing cc-number" value=4111><input aria-label=C autocomplete=CC-CSC value=123>
    <input aria-label=E autocomplete=cc-exp value=12/30><input aria-label=M autocomplete=cc-exp-month type=number value=12><input aria-label=O autocomplete=one-time-code value=999>
    <input aria-label=P autocomplete="current-password webauthn" value=hunter2><input aria-label=W autocomplete=new-password><input aria-label=U autocomplete=username value=me>`,
    ['- textbox "N" [ref=e1]: •••', '- textbox "C" [ref=e2]: •••', '- textbox "E" [ref=e3]: •••', '- spinbutton "M" [ref=e4]: •••', '- textbox "O" [ref=e5]: •••',
      '- textbox "P" [ref=e6]: •••', '- textbox "W" [ref=e7]', '- textbox "U" [ref=e8]: me']],
  ['types of input', '<input type=search aria-label=a><input type=number aria-label=b value=3>'
    + '<input type=range aria-label=c value=70><input type=date aria-label=d value=2024-02-29>'
    + '<input type=submit><input type=button value=Go><input type=image alt=Pic><input type=hidden value=x>',
    ['- searchbox "a" [ref=e1]', '- spinbutton "b" [ref=e2]: 3', '- slider "c" [ref=e3]: 70',
      '- textbox "d" [date] [ref=e4]: 2024-02-29',
      '- button "Submit" [ref=e5]', '- button "Go" [ref=e6]', '- button "Pic" [ref=e7]']],
  ['a placeholder or title names a field at last', '<input placeholder=Email><input title=Phone placeholder=x>',
    ['- textbox "Email" [ref=e1]', '- textbox "Phone" [ref=e2]']],
  ['read-only and invalid fields', '<input readonly aria-label=a value=1><input aria-invalid=true aria-label=b>',
    ['- textbox "a" [readonly] [ref=e1]: 1', '- textbox "b" [invalid] [ref=e2]']],
  ['a select lists few options', '<label>Pet <select><option>Cat<option selected>Dog</select></label>',
    ['- combobox "Pet" [ref=e1]: Dog', '  - option "Cat"', '  - option "Dog" [selected]']],
  ['a multiple select is a listbox', '<select multiple aria-label=m>'
    + '<option selected>a<option selected>b<option disabled>c</select>',
    ['- listbox "m" [ref=e1]: a, b', '  - option "a" [selected]', '  - option "b" [selected]', '  - option "c" [disabled]']],
  ['a file input', '<label>CV <input type=file></label>', ['- button "CV" [file] [ref=e1]']],
  ['closed details show their summary only', '<details><summary>More</summary>bare <p>secret</p></details>',
    ['- button "More" [collapsed] [ref=e1]']],
  ['closed details without a summary show the word of the browser', '<p>a</p><details>bare <p>secret</p></details><details open>shown</details><details hidden>x</details>',
    ['- text: a', '- button "Details" [collapsed] [ref=e1]', '- text: shown']],
  ['an object that shows what it holds', '<object data="data:nothing/here,x"><p>Cannot show this. <a href=x>Get it</a></object><object>Bare</object>'
    + '<object type=image/svg+xml data="data:image/svg+xml,<svg xmlns=\'http://www.w3.org/2000/svg\'/>"><p>Unseen</p>unseen</object>',
    ['- object [ref=e1]', '  - text: Cannot show this.', '  - link "Get it" [ref=e2]', '- object [ref=e3]: Bare', '- object [ref=e4]']],
  ['open details show all', '<details open><summary>More</summary>bare <p>text</p></details>',
    ['- button "More" [expanded] [ref=e1]', '- text: bare', '- text: text']],
  ['aria states', '<button aria-expanded=false>a</button><button aria-pressed=true>b</button>'
    + '<div role=tab aria-selected=true>c</div><a href=x aria-current=page>d</a>',
    ['- button "a" [collapsed] [ref=e1]', '- button "b" [pressed] [ref=e2]', '- tab "c" [selected] [ref=e3]',
      '- link "d" [current] [ref=e4]']],
  ['labels by id, even hidden ones', '<span id=l hidden>Secret label</span><button aria-labelledby="l m">x</button>'
    + '<i id=m>more</i>',
    ['- button "Secret label more" [ref=e1]', '- text: more']],
  ['an image inside a link names it', '<a href=x><img alt="Home page" src=data:,></a>', ['- link "Home page" [ref=e1]']],
  ['a link without a name shows where it goes', '<a href="/cart?x=1"><img src=data:,></a>', ['- link [ref=e1]: /cart?x=1']],
  ['images', '<img alt="A cat" src=data:,><img alt="" src=data:,><img src=data:,><svg role=img aria-label=Chart></svg><svg>'
    + '<title>Logo</title></svg>',
    ['- img "A cat"', '- img "Chart"', '- img "Logo"']],
  ['links inside SVG', '<svg width=90 height=20><a href="/s"><text y=15>Sector</text></a></svg>', ['- link "Sector" [ref=e1]']],
  ['canvas and video', '<canvas aria-label=Board>fallback</canvas><video aria-label=Clip controls></video>',
    ['- canvas "Board" [ref=e1]', '- video "Clip" [ref=e2]']],
  ['contenteditable is a text field', '<div contenteditable aria-label=Body>Hello <b>you</b></div>',
    ['- textbox "Body" [ref=e1]: Hello you']],
  ['progress and meter', '<progress value=3 max=4 aria-label=p></progress><meter value=6 max=10 aria-label=m></meter>',
    ['- progressbar "p": 75%', '- meter "m": 6']],
  ['live regions', '<div role=alert>Bad</div><div role=status></div><output>7</output>', ['- alert: Bad', '- status: 7']],
  ['a header that is short for something', '<table><tr><th><i aria-label=Sunday>Sun</i><th><i>Mon</i><tr><td>1<td>2</table>',
    ['- table [ref=e1]', '  - row', '    - columnheader "Sunday": Sun', '    - columnheader: Mon', '  - row: 1 | 2']],
  ['rows of a table that arranges, if they are declared', '<div role=grid><table role=presentation><tr role=row><td role=gridcell>a<td role=gridcell>b'
    + '<tr><td>c</table></div>',
    ['- grid [ref=e1]', '  - row', '    - gridcell [ref=e2]: a', '    - gridcell [ref=e3]: b', '  - gridcell [ref=e4]: c']],
  ['an unknown role is passed over', '<div role="foo button">x</div><nav role="bar">y</nav>',
    ['- button "x" [ref=e1]', '- navigation [ref=e2]: y']],
  ['presentation does not hide what can be used', '<button role=presentation>x</button><ul role=none><li role=none>y</ul>',
    ['- button "x" [ref=e1]', '- text: y']],
  ['things with a click handler in the markup or a tab stop',
    '<div onclick="1">a</div><div tabindex=0>b</div><div tabindex=-1>c</div>',
    ['- [clickable] [ref=e1]: a', '- [clickable] [ref=e2]: b', '- text: c']],
  ['things that show a hand can be clicked', '<style>.k{cursor:pointer}</style><div class=k>Open <span>it</span></div>'
    + '<i class=k style="display:block;width:9px;height:9px"></i>',
    ['- [clickable] [ref=e1]: Open it', '- [clickable] [ref=e2]']],
  ['something to click that shows no words is told by its picture',
    '<i class="fa fa-lg fa-trash" onclick="1"></i><span onclick="1"><i class="glyphicon glyphicon-home"></i></span>'
    + '<i class="mdi mdi-24px mdi-delete-outline" tabindex=0></i><i class="bi bi-x" onclick="1"></i><i class="ti ti-pin" onclick="1"></i>'
    + '<i class="icon-search" onclick="1"></i><i class="el-icon-edit" onclick="1"></i><i class=material-icons onclick="1">delete</i>'
    + '<span onclick="1"><svg><use href="/sprite.svg#icon-gear"/></svg></span><span onclick="1"><svg data-testid=CloseIcon></svg></span>'
    + '<span onclick="1"><img src="/i/arrow-left.svg?v=2"></span><x-icon name=bell onclick="1"></x-icon>',
    ['- [clickable] [icon=trash] [ref=e1]', '- [clickable] [icon=home] [ref=e2]', '- [clickable] [icon=delete-outline] [ref=e3]',
      '- [clickable] [icon=x] [ref=e4]', '- [clickable] [icon=pin] [ref=e5]', '- [clickable] [icon=search] [ref=e6]',
      '- [clickable] [icon=edit] [ref=e7]', '- [clickable] [ref=e8]: delete', '- [clickable] [icon=gear] [ref=e9]',
      '- [clickable] [icon=close] [ref=e10]', '- [clickable] [icon=arrow-left] [ref=e11]', '- [clickable] [icon=bell] [ref=e12]']],
  ['a part of running text that shows a hand is a line of its own', '<style>.k{cursor:pointer}</style><p>Long text <span class=k>more</span> and'
    + ' <b>so</b> on</p><p><a class=k>Edit <i>it</i></a> or leave</p>',
    ['- text: Long text', '- [clickable] [ref=e1]: more', '- text: and so on', '- [clickable] [ref=e2]: Edit it', '- text: or leave']],
  ['or by the name that its markup gives it', '<span onclick="1"><svg><title>Gear</title></svg></span><i onclick="1" title=Close></i>'
    + '<i onclick="1" aria-description="Opens the menu"></i><span onclick="1"><img alt=Cat src=data:,></span>',
    ['- [clickable] "Gear" [ref=e1]', '- [clickable] "Close" [ref=e2]', '- [clickable] "Opens the menu" [ref=e3]',
      '- [clickable] "Cat" [ref=e4]']],
  ['a button and a link that lead nowhere by name are told by their picture', '<button><i class="fas fa-pen"></i></button>'
    + '<a href="#"><i class="fa fa-bars"></i></a><a href="/cart"><i class="fa fa-cart"></i></a>',
    ['- button [icon=pen] [ref=e1]', '- link [icon=bars] [ref=e2]: #', '- link [ref=e3]: /cart']],
  ['a picture cannot forge a line', '<i onclick="1" title="x&quot;] [ref=e9]"></i><i onclick="1" class="fa-a]b"></i>',
    ['- [clickable] "x\\"] [ref=e9]" [ref=e1]', '- [clickable] [icon=a] [ref=e2]']],
  ['an icon is one line, whatever it is drawn with', '<span style="cursor:pointer"><svg width=9 height=9><path d="M0 0h5v5z"/>'
    + '<path d="M0 0h5v5z"/></svg></span>',
    ['- [clickable] [ref=e1]']],
  ['what has no area and no picture cannot be clicked', '<div tabindex=0></div><div tabindex=0 style="height:9px"></div>',
    ['- [clickable] [ref=e1]']],
  ['the arrow of a tree item is a thing of its own', '<style>i{cursor:pointer;padding:5px}</style><div role=tree>'
    + '<div role=treeitem tabindex=0>Root <i class="fa fa-caret"></i></div></div><div tabindex=0>Scrolls <p style="cursor:pointer">Row</p></div>'
    + '<button>x <i></i></button>',
    ['- tree [ref=e1]', '  - treeitem "Root" [ref=e2]', '    - [clickable] [icon=caret] [ref=e3]', '- [clickable] [ref=e4]',
      '  - text: Scrolls', '  - [clickable] [ref=e5]: Row', '- button "x" [ref=e6]']],
  ['links of one name that go to different places say where', `<a href="/a?b=1#c">View</a><a href="http://other.test/x">View</a>
    <a href="/${'long/'.repeat(20)}end">View</a><a href=/s>Same</a><a href=/s>Same</a>`,
    ['- link "View" [ref=e1]: /a?b=1#c', '- link "View" [ref=e2]: http://other.test/x',
      '- link "View" [ref=e3]: /long/long/long/long/long/long/long/lon…g/long/long/long/end', '- link "Same" [ref=e4]', '- link "Same" [ref=e5]']],
  ['a link that only a script follows has no address', '<span role=link>View</span><a href="/b">View</a><span role=link>Go</span><a role=link>Go</a>',
    ['- link "View" [ref=e1]', '- link "View" [ref=e2]: /b', '- link "Go" [ref=e3]', '- link "Go" [ref=e4]']],
  ['a form that lets a field answer for what names it', '<form aria-labelledby=""><input name=ariaLabelledByElements aria-label=a></form>',
    ['- textbox "a" [ref=e1]']],
  ['many equal things without a name are one line', `${'<canvas></canvas>'.repeat(18)}<p>x</p>${'<canvas></canvas>'.repeat(3)}`,
    ['- canvas [ref=e1] and 17 more, e2 to e18', '- text: x', '- canvas [ref=e19]', '- canvas [ref=e20]', '- canvas [ref=e21]']],
  ['a button inside a tab keeps its own line', '<div role=tab>Inbox <button>close</button></div>',
    ['- tab "Inbox close" [ref=e1]', '  - button "close" [ref=e2]']],
  ['menus and trees', '<ul role=menu><li role=menuitem>Cut<li role=menuitemcheckbox aria-checked=true>Wrap</ul><div role=tree>'
    + '<div role=treeitem aria-expanded=true>Root</div></div>',
    ['- menu', '  - menuitem "Cut" [ref=e1]', '  - menuitemcheckbox "Wrap" [checked] [ref=e2]', '- tree [ref=e3]',
      '  - treeitem "Root" [expanded] [ref=e4]']],
  ['the element with the focus', '<input aria-label=a id=f><input aria-label=b><script>f.focus()</script>',
    ['- textbox "a" [focused] [ref=e1]', '- textbox "b" [ref=e2]']],
  ['hidden things are left out', '<p hidden>a</p><p style="display:none">b</p>'
    + '<p style="visibility:hidden">c <b style="visibility:visible">d</b></p><p aria-hidden=true>e</p><p inert>f</p>'
    + '<div style="content-visibility:hidden">g</div><template>h</template><noscript>i</noscript><p style="opacity:0">j</p>',
    ['- text: d', '- text: j']],
  ['display: contents is no hiding', '<div style="display:contents">a <button style="display:contents">b</button></div>',
    ['- text: a', '- button "b" [ref=e1]']],
  ['a paragraph between inline text', 'a<p>b</p>c', ['- text: a', '- text: b', '- text: c']],
  ['figures', '<figure><img alt=Graph src=data:,><figcaption>Fig. 1</figcaption></figure>',
    ['- figure "Fig. 1"', '  - img "Graph"']],
  ['custom elements with an ARIA role', '<x-button role=button tabindex=0>Go</x-button>', ['- button "Go" [ref=e1]']],
];

for (const [name, body, expected] of CASES) {
  test(name, async (t) => {
    const tab = await rig.show(t, body);
    assert.deepEqual(await tab.lines(), expected);
  });
}

test('an outline is no longer than max_chars, however little that is', async (t) => {
  const tab = await rig.show(t, Array.from({ length: 60 }, (_, at) => `<button>Button ${at}</button>`).join(''));
  for (const most of [200, 300, 500]) {
    const { text, truncated } = await tab.call('snapshot', { max_chars: most });
    assert.equal(truncated, true);
    assert.ok(text.length <= most && text.length > most / 2, `${text.length} for ${most}`);
    assert.match(text, /\n… \d+ more lines; ask with target, depth or find$/);
  }
});

test('a modal dialog is all there is', async (t) => {
  const tab = await rig.show(t, '<button>Behind</button><dialog id=d aria-label=Sure><button>Yes</button></dialog>'
    + '<script>d.showModal()</script>');
  assert.deepEqual(await tab.lines(), ['- dialog "Sure" [modal] [ref=e1]', '  - button "Yes" [focused] [ref=e2]']);
});

test('a dialog that is not modal is a part of the page', async (t) => {
  const tab = await rig.show(t, '<p>Page</p><dialog open><button>Yes</button></dialog>');
  assert.deepEqual(await tab.lines(), ['- text: Page', '- dialog [ref=e1]', '  - button "Yes" [ref=e2]']);
});

test('a typed value and a chosen option show at once', async (t) => {
  const tab = await rig.show(t, '<input id=i aria-label=a><select id=s aria-label=b><option>x<option>y</select>');
  await tab.page('i.value = "typed"; s.selectedIndex = 1');
  assert.deepEqual(await tab.lines(), ['- textbox "a" [ref=e1]: typed', '- combobox "b" [ref=e2]: y', '  - option "x"',
    '  - option "y" [selected]']);
});

test('a select with many options shows its value and how many there are', async (t) => {
  const tab = await rig.show(t, `<select aria-label=n>${Array.from({ length: 21 }, (_, i) => `<option>${i}`).join('')}</select>`);
  assert.deepEqual(await tab.lines(), ['- combobox "n" [21 options] [ref=e1]: 0']);
  const all = await tab.lines({ target: 'e1' });
  assert.deepEqual([all.length, all[0], all[21]], [22, '- combobox "n" [ref=e1]: 0', '  - option "20"']);
});

const EMPTY = [
  ['a document without content', '<!doctype html><title>x</title>', /^… nothing to show: the document is empty$/],
  ['a hidden body', '<!doctype html><body style="display:none"><p>x</p>', /^… nothing to show: <body> has display: none$/],
  ['a hidden part of it', '<div><div id=app aria-hidden=true>x</div></div>', /: <div id="app"> "x" has aria-hidden$/],
  ['nothing that means anything', '<div><div></div></div>', /: there is neither text nor a name, nor anything to act on; wait for a text/],
  ['nothing to act on', '<p>x', /: nothing here can be acted on; ask without interactive$/, { interactive: true }],
  ['a hidden target', '<section style="visibility:hidden"><p id=p>x</p></section>', /: <section> has visibility: hidden$/, { target: '#p' }],
  ['a page that is looked through', '<!doctype html><title>x</title>', /: the document is empty$/, { find: 'x' }],
];
for (const [name, body, expected, args] of EMPTY) {
  test(`an empty outline says why: ${name}`, async (t) => {
    const tab = await rig.show(t, body);
    assert.match((await tab.lines(args)).join('\n'), expected);
  });
}

test('an empty outline says why: a page that is loading', async (t) => {
  const tab = await rig.show(t, '');
  await tab.page('document.open(), 0');
  assert.match((await tab.lines()).join('\n'), /: the page is still loading \(readyState loading\); wait for a text of it$/);
});

test('the refs behind one line for many things are good', async (t) => {
  const tab = await rig.show(t, '<canvas width=9 height=9></canvas>'.repeat(6));
  assert.deepEqual(await tab.lines({ interactive: false }), ['- canvas [ref=e1] and 5 more, e2 to e6']);
  assert.equal((await tab.call('point', { target: 'e5' })).tag, 'canvas');
  await tab.page('document.querySelectorAll("canvas")[3].before(document.createElement("canvas"))');
  assert.deepEqual(await tab.lines(), ['- canvas [ref=e1]', '- canvas [ref=e2]', '- canvas [ref=e3]', '- canvas [ref=e7]', '- canvas [ref=e4]',
    '- canvas [ref=e5]', '- canvas [ref=e6]']);
});

test('right-to-left and emoji names are kept as they are', async (t) => {
  const tab = await rig.show(t, '<button>שלום עולם</button><button dir=rtl>مرحبا</button><button>👩‍👩‍👧 🇫🇷 ok</button>');
  assert.deepEqual(await tab.lines(), ['- button "שלום עולם" [ref=e1]', '- button "مرحبا" [ref=e2]',
    '- button "👩‍👩‍👧 🇫🇷 ok" [ref=e3]']);
});

test('the reply carries address and title', async (t) => {
  const tab = await rig.show(t, '<title>  My\n page </title>x');
  const { url, title, frames, hosts, truncated } = await tab.call('snapshot', {});
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/page\d+\.html$/);
  assert.deepEqual({ title, frames, hosts, truncated }, { title: 'My page', frames: [], hosts: 0, truncated: false });
});

test('a password that the page shows is none the less one', async (t) => {
  const tab = await rig.show(t, '<input id=p type=password aria-label=P value=hunter2><input id=q type=password aria-label=Q><button onclick="p.type=q.type=`text`">Show</button>');
  await tab.call('extract', { target: '#p' });
  await tab.page('q.focus()');
  await tab.send('Input.insertText', { text: 'hunter3' });
  await tab.click('button', { presses: 1, watch: true });
  const seen = [await tab.call('here', { late: true }), await tab.lines(), await tab.call('elements'), await tab.call('extract', { target: 'body', format: 'html' }),
    await tab.call('extract', { target: '#p', format: 'json' }), await tab.call('extract', { target: '#q' })];
  assert.equal(await tab.page('p.type + q.type'), 'texttext');
  assert.doesNotMatch(JSON.stringify(seen), /hunter/);
  assert.deepEqual(seen[1], ['- textbox "P" [ref=e1]: •••', '- textbox "Q" [ref=e2]: •••', '- button "Show" [focused] [ref=e3]']);
});

test('a password that the page puts into another field is none the less one', async (t) => {
  const tab = await rig.show(t, `<label>P <span id=w><input id=p type=password></span></label><label>Q <span id=v><input id=q type=password></span></label><input aria-label=Z type=password value=abc>
    <button onclick="for (const el of [p, q]) { const { id, value, parentNode } = el; parentNode.innerHTML = '<input id=' + id + ' value=' + value + '>' } z.value = 'abc'">Show</button>
    <input id=z aria-label=Short><input aria-label=User value=ann>`);
  await tab.call('fill', { target: '#p', value: 'hunter2' });
  await tab.page('q.focus()');
  await tab.send('Input.insertText', { text: 'hunter3' });
  await tab.call('snapshot', {});
  await tab.click('button', { presses: 1, watch: true });
  const seen = [await tab.call('here', { late: true }), await tab.lines(), await tab.call('elements'), await tab.call('extract', { target: 'body', format: 'html' }),
    await tab.call('extract', { target: '#p', format: 'json' }), await tab.call('extract', { target: '#q' })];
  assert.equal(await tab.page('p.type + p.value + q.type + q.value'), 'texthunter2texthunter3');
  assert.doesNotMatch(JSON.stringify(seen), /hunter/);
  assert.equal(seen[1].some((line) => /"Short".*: abc$/.test(line)), true, 'too short to be known by');
  assert.equal(seen[1].some((line) => /"User".*: ann$/.test(line)), true);
});

test('only the last passwords are known again', async (t) => {
  const tab = await rig.show(t, '<input id=p type=password aria-label=P><input id=q aria-label=Q>');
  for (let at = 0; at < 25; at += 1) {
    await tab.call('fill', { target: '#p', value: `hunter${at}` });
  }
  await tab.page('q.value = `hunter0`');
  assert.match((await tab.lines())[1], /: hunter0$/);
  await tab.page('q.value = `hunter24`');
  assert.match((await tab.lines())[1], /: •••$/);
});

test('a select and a text area of a secret do not tell it', async (t) => {
  const tab = await rig.show(t, `<select id=m aria-label=M autocomplete=cc-exp-month><option>Jan<option selected>Nov</select>
    <textarea id=c aria-label=C autocomplete=one-time-code>777123</textarea><input type=checkbox id=x><label for=x>In <select autocomplete=cc-exp-year><option>2031</select></label>`);
  const lines = await tab.lines();
  assert.equal(lines[0], '- combobox "M" [ref=e1]: •••');
  assert.equal(lines.some((line) => line.includes('[selected]')), false);
  const seen = [lines, await tab.call('elements'), await tab.call('extract', { target: 'body', format: 'html' }), await tab.call('extract', { target: 'body' }),
    await tab.call('extract', { target: '#c', format: 'json' }), await tab.call('fill', { target: '#c', value: '777124' }), await tab.call('fill', { target: '#m', value: 'Nov' }),
    await tab.call('extract', { format: 'markdown', target: 'body' }), await tab.call('snapshot', {})];
  assert.doesNotMatch(JSON.stringify(seen), /77712/);
  assert.doesNotMatch(JSON.stringify(seen[2]), /option selected/);
  assert.equal(seen[6].secret, true);
  assert.equal(seen[6].now, undefined);
});

test('closed details without a summary open by their ref', async (t) => {
  const tab = await rig.show(t, '<p>a</p><details>secret</details>');
  await tab.click(await tab.ref('Details'));
  assert.deepEqual(await tab.lines(), ['- text: a', '- text: secret']);
});
