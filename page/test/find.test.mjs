// SPDX-License-Identifier: Apache-2.0
// Every form of selector.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();
const PAGE = `
<h2 id=t2>Title two</h2>
<form id=login aria-label="Log in form">
  <label for=user>User name</label><input id=user name=user data-id=user>
  <input type=password aria-label="Pass word" data-id=pass>
  <label data-id=remlabel><input type=checkbox checked data-id=remember> Remember me</label>
  <button type=button class="btn primary" data-id=login>Log in</button>
  <button type=button class=btn data-id=login-other disabled>Log in elsewhere</button>
  <input type=submit value="Send it" data-id=send>
</form>
<ul><li data-id=li1>First</li><li data-id=li2>Second <b data-id=bold>bold</b> part</li></ul>
<a href="/about" data-id=about>About   us</a><a href="/help" data-id=help>Help me</a>
<button style="display:none" data-id=hidden>Twice</button><button data-id=shown>Twice</button>
<div role=button tabindex=0 aria-label="Close dialog" aria-pressed=true data-id=close>x</div>
<p data-id=split>Hel<b>lo</b> wor<i>ld</i></p>
<button data-id=icon><span data-id=iconspan>Save all</span></button>
<select data-id=pet aria-label=Pet><option>Cat</option></select>
<p data-id=quoted>It's "so"</p><p data-id=quotes>"Quoted"</p><input data-id=its aria-label="It's">
<div data-id=odd id="a:b.c" name=oddname title="The title">odd</div>
<x-card data-id=card><template shadowrootmode=open><button data-id=inner>In shadow</button><slot></slot></template>`
  + `<i data-id=slotted>slotted</i></x-card>
<iframe data-id=frame srcdoc="<button data-id=framed>In frame</button>"></iframe>`;

// Selector, data-id of the element that it means.
const FORMS = [
  ['#user', 'user'], ['input[name="user"]', 'user'], ['css=.btn.primary', 'login'], ['css selector:.primary', 'login'],
    ['form > button', 'login'],
  ['//button[@class="btn"]', 'login-other'], ['(//li)[2]', 'li2'], ['xpath=//li', 'li1'], ['xpath:.//b', 'bold'],
    ['//li[2]/b/text()', 'bold'], ['./html/body/ul/li', 'li1'],
  ['text=Log in', 'login'], ['text=log in elsew', 'login-other'], ['text=Send it', 'send'], ['text=Hello world', 'split'],
    ['text="First"', 'li1'], ['text=Save all', 'icon'],
  ['text=In shadow', 'inner'], ['text=In frame', 'framed'],
  ['text=/^log in e/i', 'login-other'], ['text=/^Fir/', 'li1'], ['text=/^Save .ll$/', 'icon'], ['text=/hello w/i', 'split'], ['text=/d it$/', 'send'], ['ul >> text=/bo.d/', 'bold'],
    ['text=/In (shadow|cellar)/', 'inner'], ['internal:text=/secon/i', 'li2'],
  ['role=button[name="Log in"]', 'login'], ['role=button "Log in"', 'login'], ["role=button[name='Close dialog']", 'close'],
    ['role=button[name="elsewhere"]', 'login-other'],
  ['role=button[name="Send it"]', 'send'], ['role=checkbox', 'remember'], ['role=checkbox[checked]', 'remember'],
    ['role=button[disabled]', 'login-other'],
  ['role=button[pressed=true]', 'close'], ['role=button[name=/^close/i]', 'close'], ['role=combobox[name="Pet"]', 'pet'],
    ['role=link', 'about'],
  ['role=textbox[name="User name"]', 'user'], ['role=listitem', 'li1'], ['role=button[name="In shadow"]', 'inner'],
    ['role=button[name="In frame"]', 'framed'],
  ['aria/Close dialog', 'close'], ['aria/User name', 'user'], ['aria/Remember me', 'remember'], ['aria/Pass word', 'pass'],
    ['aria/Log in', 'login'],
  ['~Close dialog', 'close'], ['~Pass word', 'pass'], ['accessibility id:Pet', 'pet'],
  ['id=user', 'user'], ['id:user', 'user'], ['id=a:b.c', 'odd'], ['name:user', 'user'], ['tag name:select', 'pet'],
    ['class name:primary', 'login'],
  ['button=Log in', 'login'], ['button*=elsewhere', 'login-other'], ['button.=log IN', 'login'], ['li.*=SECOND', 'li2'],
    ['.btn=Log in', 'login'], ['button.btn*=Log', 'login'],
  ['input[type="submit"]=Send it', 'send'], ['b=bold', 'bold'],
  ['=About us', 'about'], ['*=Help', 'help'], ['link text:Help me', 'help'], ['partial link text:About', 'about'],
  ['x-card >>> button', 'inner'], ['>>>button[data-id=inner]', 'inner'], ['[data-id=inner]', 'inner'],
    ['[data-id=slotted]', 'slotted'], ['[data-id=framed]', 'framed'],
  ['form >> text=Log in', 'login'], ['ul >> li >> nth=1', 'li2'], ['li >> nth=-1', 'li2'], ['//ul >> text=bold', 'bold'], ['button >> visible=true >> nth=0', 'login'],
    ['button:has-text("log in elsewhere")', 'login-other'], ['.btn:has-text("Elsewhere"):visible', 'login-other'], ["css=li:has-text('second') > b", 'bold'],
    ['label:has-text("User") + input', 'user'], ['label:has-text("User") ~ button:visible', 'login'], ['h2:visible+form>button ~ [type=submit]', 'send'],
    ['li:has-text("First") + li > b', 'bold'], ['li:contains( Second )', 'li2'],
    ['li:contains(Second)', 'li2'], ['ul :text("bold")', 'bold'], ['button:text-is("Log in")', 'login'], ['x, i:has-text("slot")', 'slotted'], ['a:has-text("About") , x', 'about'],
  ["getByRole('button', { name: 'Close dialog' })", 'close'], ['page.getByRole("button", { name: /^close/i })', 'close'], ["getByText('First')", 'li1'],
    ["getByLabel('User name')", 'user'], ["page.locator('li').nth(1)", 'li2'], ["locator('form').getByRole('button').first()", 'login'],
    ["getByTitle('the TITLE')", 'odd'], [String.raw`page.locator("button:has-text(\"Log in else\")")`, 'login-other'], [String.raw`getByText( '\F\irst' )`, 'li1'],
    [String.raw`getByText('It\'s "so"')`, 'quoted'], [`getByText('"Quoted"')`, 'quotes'], [String.raw`getByLabel('It\'s')`, 'its'], ["page . locator( 'li' ) . nth( 1 )", 'li2'],
  ['internal:role=button[name="close dialog"i]', 'close'], ['internal:text="First"i', 'li1'], ['internal:label="User name"i', 'user'], ['text/First', 'li1'],
    ['pierce/[data-id=inner]', 'inner'], ['text="Log in"', 'login'],
  ['text=Twice', 'shown'], ['button=Twice', 'shown'], ['role=button[name="Twice"]', 'shown'], ['[data-id=hidden]', 'hidden'],
];

test('each form of selector finds its element', async (t) => {
  const tab = await rig.show(t, PAGE);
  for (const [selector, id] of FORMS) {
    const found = await tab.inside(`(() => { const el = tabard.element(${JSON.stringify({ target: selector })});
      return el.error?.message ?? el.getAttribute('data-id'); })()`);
    assert.equal(found, id, selector);
  }
});

test('a text that looks like a regular expression is first of all a text', async (t) => {
  const tab = await rig.show(t, `<p id=word>spa</p><p id=path>In /spa/us</p><a href=x id=link>/log/i</a><a href=x id=other>Log out</a>
    <p id=b>A slash: /us/a</p>`);
  const found = (target) => tab.inside(`(tabard.element({target: ${JSON.stringify(target)}}).id)`);
  for (const [target, id] of [['text=/spa/us', 'path'], ['text=/spa/u', 'path'], ['text=/^spa$/', 'word'], ['text=/us/a', 'b'],
    ['role=link[name="/log/i"]', 'link'], ['role=link[name=/log/i]', 'link'], ['role=link[name=/^log/i]', 'other']]) {
    assert.equal(await found(target), id, target);
  }
  for (const target of ['text="/^spa$/"', 'text=/spa/users', 'text=/spa/ii', 'role=link[name="/^log/i"]']) {
    assert.equal((await tab.call('check', { target })).error.code, 'element_not_found', target);
  }
  assert.equal((await tab.call('check', { target: 'text=/(/' })).error.code, 'invalid_params');
});

test('a search by regular expression has a ceiling', async (t) => {
  const tab = await rig.show(t, `${'<div>'.repeat(400)}${'<p>some words of filler</p>'.repeat(5000)}`);
  const { ms } = await tab.cost("tabard.check({target: 'text=/^nothing$/'}), 0");
  assert.ok(ms < 5000, String(ms));
});

test('what fits nothing is said with the selector', async (t) => {
  const tab = await rig.show(t, PAGE);
  for (const target of ['#none', '//none', 'text=none such', 'role=slider', 'aria/none', '~none', 'id=none', 'p=none', '=none']) {
    const { error } = await tab.call('check', { target });
    assert.deepEqual(error, { code: 'element_not_found', message: `nothing on the page matches "${target}"` }, target);
  }
});

test('what is no selector is refused', async (t) => {
  const tab = await rig.show(t, PAGE);
  for (const target of ['[[', 'a{}', '//[', 'role=', 'role=button[color=red]', 'role=button[name="x"', '', '   ', null, 7,
    'xpath=count(//a)', "getByRole('button').filter({ hasText: 'x' })", 'internal:control=x', 'a:has(b:has-text("x"))', 'b:contains(', 'a:visible,',
    'a:visible >']) {
    assert.equal((await tab.call('check', { target })).error?.code, 'invalid_params', String(target));
  }
});

test('a selector of any length is harmless', async (t) => {
  const tab = await rig.show(t, PAGE);
  for (const target of ['a'.repeat(1e6), `text=${'x'.repeat(1e6)}`, `role=button[name="${'['.repeat(5000)}"]`,
    `role=${'a '.repeat(5000)}`, `a:has-text(${'('.repeat(9000)}`, `b${'(c)'.repeat(3000)}:visible`, `a >> ${'"'.repeat(9001)}`, `locator(${' '.repeat(9000)}x`,
    `locator(' ${'\\a'.repeat(4000)}`, `locator('a')${' '.repeat(9000)}x`, `a:contains(${' '.repeat(9000)}x`, `a:visible${' '.repeat(9000)}x`]) {
    const { error } = await tab.call('check', { target });
    assert.ok(error.message.length <= 500, error.message);
  }
});

test('a fault of our own is not told as one of the selector', async (t) => {
  const tab = await rig.show(t, PAGE);
  await tab.inside('CSS.escape = () => { throw new TypeError("ours"); }; 0');
  assert.deepEqual((await tab.call('check', { target: 'id=user' })).error, { code: 'internal_error', message: 'ours' });
});

test('what comes behind a thousand others is found in its place', async (t) => {
  const tab = await rig.show(t, `${'<p>Buy</p>'.repeat(1100)}<div id=card><p id=here>Buy</p><input type=submit value=Buy></div>`);
  assert.equal(await tab.inside(`tabard.element({target: '#card >> text=Buy'}).id`), 'here');
});

test('steps behind a class by text have a ceiling', async (t) => {
  const tab = await rig.show(t, '<div id=all></div>');
  // In each other, so that every one of them holds all that follow.
  await tab.page(`let at = all; for (let i = 0; i < 1000; i += 1) { at.append(document.createElement('div')); at = at.lastChild; }
    at.innerHTML = '<i>x</i>'.repeat(60_000); all.offsetHeight`);
  const { value: count, ms } = await tab.cost("tabard.extract({target: ':visible :visible :visible', limit: 1}).count");
  assert.ok(count <= 1000 && ms < 1000, `${count}, ${ms}`);
});

test('text that is not drawn finds nothing, not even what it stands in', async (t) => {
  const tab = await rig.show(t, `<div id=all><script>var Arrives = 1;</script><style>.Arrives {}</style><template>Arrives</template>
    <noscript>Arrives</noscript><p hidden>Arrives</p><p style="visibility:hidden">Arrives <b id=seen style="visibility:visible">Departs
    </b></p><i style="display:contents" id=contents>Here</i><p id=cut>Two <span hidden>and a half</span> words</p></div>`);
  for (const target of ['text=Arrives', 'text=arr', 'div*=Arrives']) {
    assert.equal((await tab.call('extract', { target })).error?.code, 'element_not_found', target);
  }
  for (const [target, id] of [['text=Departs', 'seen'], ['text=Here', 'contents'], ['text=Two words', 'cut'], ['p=Two words', 'cut']]) {
    assert.equal(await tab.inside(`tabard.element({target: '${target}'}).id`), id, target);
  }
  await tab.page('setTimeout(() => all.insertAdjacentHTML("beforeend", "<button onclick=\'hit = 1\'>Arrives</button>"), 50)');
  assert.equal((await tab.click('text=Arrives')).tag, 'button');
  assert.equal(await tab.page('hit'), 1);
});

test('text of an element without a box of its own is shown, and clicked', async (t) => {
  const tab = await rig.show(t, `<style>.none { display: contents }</style><p><b class=none id=bare onclick="hit = 'bare'">Here</b> and more</p>
    <div hidden><i class=none>Away</i></div><i class=none style="visibility:hidden">Away</i><details><i class=none>Away</i></details>
    <div style="height:0;overflow:hidden">Away</div>`);
  assert.equal((await tab.click('text=Here')).tag, 'b');
  assert.equal(await tab.page('hit'), 'bare');
  assert.equal((await tab.call('waitFor', { text: 'Here', timeout_ms: 0 })).found, true);
  assert.equal((await tab.call('waitFor', { text: 'Away', timeout_ms: 0 })).error.code, 'timeout');
});

test('several matches: all are extracted, the first visible one is acted on', async (t) => {
  const tab = await rig.show(t, '<p hidden>0</p><p>1</p><p>2</p>');
  assert.deepEqual(await tab.call('extract', { target: 'p', format: 'text' }),
    { count: 3, results: ['0', '1', '2'], truncated: false });
  assert.deepEqual(await tab.call('extract', { target: 'p', format: 'text', limit: 2 }),
    { count: 3, results: ['0', '1'], truncated: false });
  assert.equal(await tab.inside('tabard.element({target: "p"}).textContent'), '1');
});

test('text is found in ten thousand nodes within a second', async (t) => {
  const tab = await rig.show(t, `${'<div><p><span>filler</span></p></div>'.repeat(3400)}<button>Needle</button>`);
  const { ms } = await tab.cost("tabard.element({target: 'text=Needle'}).tagName");
  assert.ok(ms < 1000, String(ms));
  assert.equal((await tab.click('text=Needle')).name, 'Needle');
});

// What is there, the selector, and the matches or the words of the refusal.
const SEVERAL = [
  ['the same name twice', '<button>Save</button><button>Save</button>', 'text=Save', 2],
  ['exactly goes before in part', '<button>Save all</button><button>Save</button>', 'text=Save', undefined],
  ['two names', '<button>Save draft</button><button>Save all</button>', 'text=save',
    /^"text=save" matches 2 elements: e1 button "Save draft", e2 button "Save all"$/],
  ['more than are looked at', Array.from({ length: 205 }, (_, i) => `<a href=/>${i}</a>`).join(''), 'a',
    /matches at least 200 elements: e1 link "0", .*e5 link "4" and at least 195 more$/],
  ['many names', [...'ABCDEFG'].map((each) => `<a href=/>${each}</a>`).join(''), 'a', /matches 7 elements: e1 link "A", .*e5 link "E" and 2 more$/],
  ['fields that have only ids', '<input id=a><input id=b>', 'input', /matches 2 elements: e1 <input id="a">, e2 <input id="b">$/],
  ['texts without a role', '<p class=x>One<p class=x>Two', '.x', /matches 2 elements: e1 <p class="x"> "One", e2 <p class="x"> "Two"$/],
  ['a hidden one does not count', '<button hidden>Send</button><button>Go</button>', 'button', undefined],
  ['nor one in the other', '<div class=x onclick=1>A<span class=x>B</span></div>', '.x', undefined],
  ['nor a label and its field', '<label title=x>N<input title=x></label>', '[title=x]', undefined],
  ['nor what is behind a dialog', '<button>Delete</button><dialog id=d><button>Delete it</button></dialog><script>d.showModal()</script>', 'button', undefined],
  ['nor what aria-modal covers', '<button>One</button><div role=dialog aria-modal=true><button>Two</button></div>', 'button', undefined],
  ['nor what assistive technology does not see', '<div aria-hidden=true><button>One</button></div><button>Two</button>', 'button', undefined],
  ['a number says which', '<ul><li>A<li>B</ul><ul><li>C<li>D</ul>', '//li[1]', undefined],
  ['in CSS, too', '<ul><li>A<li>B</ul><ul><li>C<li>D</ul>', 'li:nth-child(2)', undefined],
  ['in shadow roots', '<x-a><template shadowrootmode=open><b class=x>A</b></template></x-a><x-a><template shadowrootmode=open><b class=x>B</b></template></x-a>',
    '.x', /matches 2 elements/],
];
for (const [what, html, target, expected] of SEVERAL) {
  test(`several fit: ${what}`, async (t) => {
    const tab = await rig.show(t, html);
    const reply = await tab.call('point', { target, strict: true, timeout_ms: 5000 });
    if (expected instanceof RegExp) {
      assert.equal(reply.error?.code, 'element_ambiguous', JSON.stringify(reply));
      assert.match(reply.error.message, expected);
    } else {
      assert.equal(reply.error, undefined, reply.error?.message);
      assert.equal(reply.matches, expected);
    }
    assert.equal((await tab.call('point', { target, timeout_ms: 5000 })).matches, undefined);
  });
}

test('a line of the outline is the ref in it', async (t) => {
  const tab = await rig.show(t, `<button>A "b" [ref=e2]</button><button disabled>Other</button><div onclick="" style="cursor: pointer">Some text</div>
    <select aria-label=s>${'<option>o'.repeat(30)}</select><a href=/x>L</a><a href=/y>L</a>`);
  const lines = await tab.lines();
  assert.equal(lines.filter((line) => line.includes('[ref=e')).length, 6, lines.join('\n'));
  for (const [at, line] of lines.entries()) {
    for (const pasted of [line, line.slice(2), line.replace('-', '+'), ` ${line.replace(/\](?::.*)?$/, ']')}`]) {
      const found = await tab.inside(`tabard.element({ target: ${JSON.stringify(pasted)} }) === tabard.element({ target: 'e${at + 1}' })`);
      assert.equal(found, true, pasted);
    }
  }
  for (const target of ['text=see [ref=e2]', '"x" [ref=e2]', 'b c [ref=e2]']) {
    assert.notEqual(await tab.inside(`tabard.element({ target: ${JSON.stringify(target)} }).tagName`), 'BUTTON', target);
  }
});

test('a ref in the forms that others write', async (t) => {
  const tab = await rig.show(t, '<a href=/>A</a><button>B</button>');
  await tab.lines();
  for (const target of ['e2', 'E2', '@e2', '[ref=e2]', 'ref=e2', 'aria-ref=e2', '[aria-ref=e2]']) {
    assert.equal(await tab.inside(`tabard.element({ target: ${JSON.stringify(target)} }).tagName`), 'BUTTON', target);
  }
  assert.match((await tab.call('point', { target: 'E9', timeout_ms: 0 })).error.message, /^ref e9 does not belong to the current page/);
});

test('words that the page shows are no selector, and the message says what is', async (t) => {
  const tab = await rig.show(t, '<button>Later</button><label>Notes for you <input></label><p>Details and more</p><section>see the path</section>');
  const ask = async (target, timeout_ms) => {
    const began = performance.now();
    const { error } = await tab.call('point', { target, timeout_ms });
    return { message: error?.message ?? '', ms: performance.now() - began };
  };
  for (const target of ['Later', 'Notes for you', 'later']) {
    const { message, ms } = await ask(target, 15_000);
    assert.ok(message.endsWith(`. The page shows this text: for that, the target is text=${target}`), message);
    assert.ok(ms < 12_000, `${target}: ${ms}`);
  }
  // There may be such elements yet.
  for (const target of ['Details', 'path']) {
    assert.match((await ask(target, 1500)).message, new RegExp(`; waited 1\\d{3} ms\\. The page shows .* text=${target}$`));
  }
  assert.match((await ask('Elsewhere', 100)).message, /^nothing on the page matches "Elsewhere"(; waited \d+ ms)?$/);
});

test('a pattern is not tried on texts of any length', async (t) => {
  const tab = await rig.show(t, `<p>${'Total '.repeat(200_000)}</p><p id=sum>Total 7 EUR</p>`);
  const { value: text, ms } = await tab.cost("tabard.snapshot({ target: 'text=/Total.*EUR/' }).text");
  assert.equal(text, '- text: Total 7 EUR');
  assert.ok(ms < 2000, String(ms));
});
