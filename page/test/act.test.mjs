// SPDX-License-Identifier: Apache-2.0
// Focus, values, choices, scrolling.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();

test('focus tells the kind of field', async (t) => {
  const tab = await rig.show(t, `<input id=text><input id=mail type=email><input id=num type=number><textarea id=area>`
    + `</textarea><div id=ce contenteditable>x</div><select id=sel></select>
    <input id=cb type=checkbox><input id=ra type=radio><input id=fi type=file><input id=da type=date><input id=co type=color>`
      + `<input id=rg type=range><button id=bu>x</button>`);
  const kinds = {};
  for (const id of ['text', 'mail', 'num', 'area', 'ce', 'sel', 'cb', 'ra', 'fi', 'da', 'co', 'rg', 'bu']) {
    kinds[id] = (await tab.call('focus', { target: `#${id}`, timeout_ms: 500 })).kind;
  }
  assert.deepEqual(kinds, { text: 'text', mail: 'text', num: 'text', area: 'text', ce: 'contenteditable', sel: 'select',
    cb: 'checkbox', ra: 'radio', fi: 'file', da: 'value', co: 'value', rg: 'value', bu: 'none' });
});

test('fill replaces the content, with the events of typing', async (t) => {
  const tab = await rig.show(t, '<input id=a value="old text"><textarea id=b>old\ntext</textarea>'
    + '<div id=c contenteditable>old <b>text</b></div><input id=d type=number value=12><input id=e type=email value=a@b><script>log = [];'
    + 'for (const type of ["beforeinput", "input"]) addEventListener(type, (e) => log.push([type, e.inputType, e.data].join(" ")))</script>');
  for (const [id, text] of [['a', 'new'], ['b', 'one\ntwo'], ['c', 'new'], ['d', '7'], ['e', 'c@d'], ['a', '']]) {
    const { typed } = await tab.call('fill', { target: `#${id}`, value: text });
    assert.equal(typed, id !== 'c', id); // editors want the browser's own events, so there the daemon types
    if (!typed) await tab.send('Input.insertText', { text });
    const { same, taken } = typed ? { same: true, taken: true } : await tab.call('filled');
    assert.deepEqual({ same, taken }, { same: true, taken: true }, id);
    assert.equal(await tab.page(`${id}.value ?? ${id}.innerText`), text, id);
  }
  assert.deepEqual(await tab.page('log.slice(0, 2)'), ['beforeinput insertText new', 'input insertText new']);
  assert.deepEqual(await tab.page('log.slice(-2)'), ['beforeinput deleteContentBackward ', 'input deleteContentBackward ']);
});

test('fill says what the field has when that is something else', async (t) => {
  const tab = await rig.show(t, `<input id=num type=number><input id=num5 type=number value=5><input id=max maxlength=3>
    <input id=back value=old oninput="this.value = 'old'"><input id=soon value=old oninput="Promise.resolve().then(() => { this.value = 'old'; })">
    <input id=upper oninput="this.value = this.value.toUpperCase()"><input id=no value=old onbeforeinput="event.preventDefault()">
    <input id=pw type=password maxlength=3><input id=date type=date oninput="this.value = ''"><input id=ok>`);
  const rows = [['num', 'abc', false, ''], ['num5', 'abc', false, ''], ['max', 'abcdef', true, 'abc'], ['back', 'new', false, 'old'],
    ['soon', 'new', false, 'old'], ['upper', 'abc', true, 'ABC'], ['no', 'new', false, 'old'], ['pw', 'secret', true, undefined],
    ['date', '2024-02-29', false, '']];
  for (const [id, value, wasTaken, has] of rows) {
    const { same, taken, now } = await tab.call('fill', { target: `#${id}`, value });
    assert.deepEqual({ id, same, taken, now }, { id, same: false, taken: wasTaken, now: has });
  }
  assert.equal((await tab.call('fill', { target: '#num', value: 'abc' })).form, 'a number');
  assert.equal((await tab.call('fill', { target: '#ok', value: 'x' })).same, true);
});

test('keys and text for one field never reach another', async (t) => {
  const tab = await rig.show(t, '<input id=a><input id=b><div id=c contenteditable></div>');
  const told = async () => tab.inside('globalThis.told');
  await tab.inside('globalThis.tabardTell = (text) => { globalThis.told = JSON.parse(text); }, 0');
  for (const [target, type] of [['#a', { text: 'x' }], ['#a', { key: 'x' }], ['#c', { text: 'x' }]]) {
    await tab.call('fill', { target, value: 'secret', keys: true });
    await tab.page('b.focus()');
    if (type.text) await tab.send('Input.insertText', type);
    else await tab.send('Input.dispatchKeyEvent', { type: 'keyDown', key: 'x', text: 'x' });
    assert.equal(await tab.page('a.value + b.value + c.innerText'), '');
    assert.equal((await told()).strayed, '<input id="b">');
    assert.equal((await tab.call('filled')).strayed, '<input id="b">');
    await tab.inside('delete globalThis.told');
  }
  await tab.send('Input.insertText', { text: 'mine' });
  assert.equal(await tab.page('b.value'), 'mine');
});

test('keys for a field do not reach a frame that takes the focus', async (t) => {
  const tab = await rig.tab(t);
  await tab.show(`<input id=a><iframe id=near src=/in.html></iframe><iframe id=far src="${rig.server.otherOrigin}/in.html"></iframe>`,
    { '/in.html': '<input id=k>' });
  await tab.inside('globalThis.tabardTell = (text) => { globalThis.told = JSON.parse(text); }, 0');
  const { aim } = await tab.call('focus', { target: '#a' });
  await tab.page('near.contentWindow.k.focus()');
  assert.deepEqual(await tab.inside('told'), { stage: 'away', away: '<iframe id="near">', aim, keys: 0 });
  await tab.send('Input.insertText', { text: 'x' });
  assert.equal(await tab.page('near.contentWindow.k.value'), '');
  await tab.call('focus', { target: '#a' });
  await tab.send('Input.insertText', { text: 'x' });
  await tab.page('far.focus()');
  assert.equal((await tab.inside('told')).away, '<iframe id="far">');
  assert.equal((await tab.inside('told')).keys, 1);
  assert.equal(await tab.page('a.value'), 'x');
});

test('a field that the page takes away when it is reached', async (t) => {
  const tab = await rig.show(t, '<input id=a onfocus="outerHTML = \'<input id=a>\'"><input id=b onbeforeinput="this.remove()">');
  assert.equal((await tab.call('fill', { target: '#a', value: 'x' })).now, 'x'); // the one that came in its place
  const { error } = await tab.call('fill', { target: '#b', value: 'x' });
  assert.deepEqual(error, { code: 'focus_moved', message: 'the page moved the focus from <input id="b"> to <body>; nothing was typed' });
});

test('what happens to the field before is not told of the next', async (t) => {
  const tab = await rig.show(t, `<input id=a onbeforeinput="event.preventDefault()">
    <input id=b onbeforeinput="event.preventDefault()" onfocus="a.dispatchEvent(new Event('input'))">`);
  await tab.inside('globalThis.told = [], globalThis.tabardTell = (text) => { told.push(JSON.parse(text).stage); }, 0');
  await tab.call('fill', { target: '#a', value: 'x' });
  await tab.call('fill', { target: '#b', value: 'x' });
  assert.deepEqual(await tab.inside('told'), []);
});

test('fill without clear: what is typed is added', async (t) => {
  const tab = await rig.show(t, '<input id=a><input id=b type=number value=1>');
  for (const value of ['one ', 'two', '']) {
    assert.equal((await tab.call('fill', { target: '#a', value, clear: false })).same, true);
  }
  assert.equal((await tab.call('fill', { target: '#b', value: '2', clear: false })).now, '12');
  assert.equal(await tab.page('a.value'), 'one two');
});

test('focus goes through labels, shadow roots and frames', async (t) => {
  const tab = await rig.show(t, '<label id=l>Name <input id=n></label><x-f id=x><template shadowrootmode=open><input>'
    + '</template></x-f><iframe id=f srcdoc="<input id=deep>"></iframe>');
  await tab.call('focus', { target: '#l' });
  assert.equal(await tab.page('document.activeElement.id'), 'n');
  assert.equal((await tab.call('focus', { target: '#x' })).kind, 'text');
  await tab.send('Input.insertText', { text: 'shadow' });
  assert.equal(await tab.page('x.shadowRoot.querySelector("input").value'), 'shadow');
  await tab.call('fill', { target: '#deep', value: 'frame' });
  assert.equal(await tab.page('f.contentDocument.getElementById("deep").value'), 'frame');
});

test('focus waits, and says why in the end', async (t) => {
  const tab = await rig.show(t, '<input id=a disabled><input id=r readonly value=x><input id=h hidden><p id=p>text</p>'
    + '<script>setTimeout(() => { a.disabled = false; }, 100)</script>');
  assert.equal((await tab.call('focus', { target: '#a', timeout_ms: 2000 })).kind, 'text');
  const why = async (name, target) => (await tab.call(name, { target, value: 'x', timeout_ms: 50 })).error.message;
  assert.match(await why('fill', '#r'), /is read-only/);
  assert.match(await why('focus', '#h'), /is hidden/);
  assert.match(await why('focus', '#p'), /does not accept the focus/);
});

test('a hidden file input can be used', async (t) => {
  const tab = await rig.show(t, '<input id=f type=file style="display:none"><label for=f>Upload</label>');
  assert.equal((await tab.call('focus', { target: await tab.ref('Upload'), timeout_ms: 100 })).kind, 'file');
});

test('fill sets what cannot be typed, with events', async (t) => {
  const tab = await rig.show(t, `<input id=d type=date><input id=c type=color><input id=r type=range min=0 max=10>`
    + `<input id=m type=month><input id=t type=time><script>
    log = []; for (const type of ['input', 'change']) {
      document.addEventListener(type, (e) => log.push(e.target.id + ' ' + type + ' ' + e.target.value)); }</script>`);
  for (const [id, value] of [['d', '2024-02-29'], ['c', '#ff8800'], ['r', '7'], ['m', '2024-05'], ['t', '13:37']]) {
    const { same, taken, now } = await tab.call('fill', { target: `#${id}`, value });
    assert.deepEqual({ same, taken, now }, { same: true, taken: true, now: value });
  }
  assert.deepEqual(await tab.page('log.slice(0, 2)'), ['d input 2024-02-29', 'd change 2024-02-29']);
  assert.equal(await tab.page('log.length'), 10);
});

test('fill takes a time with one digit for the hour', async (t) => {
  const tab = await rig.show(t, '<input id=t type=time><input id=d type=datetime-local><input id=x value="">');
  for (const [target, value, now] of [['#t', '9:30', '09:30'], ['#t', '19:30', '19:30'], ['#d', '2026-01-31T9:30', '2026-01-31T09:30'], ['#x', '9:30', '9:30']]) {
    const reply = await tab.call('fill', { target, value });
    assert.deepEqual([reply.now, reply.same], [now, true], value);
  }
  assert.equal((await tab.call('fill', { target: '#t', value: '9.30' })).error.code, 'invalid_params');
});

test('fill refuses what the field cannot hold and leaves it as it was', async (t) => {
  const tab = await rig.show(t, '<input id=d type=date value=2020-01-01><input id=c type=color value="#112233">'
    + '<button id=b>x</button><input id=x disabled>');
  const { error } = await tab.call('fill', { target: '#d', value: '1st of May' });
  assert.deepEqual(error, { code: 'invalid_params', message: 'a field of type date takes YYYY-MM-DD, not "1st of May"' });
  assert.equal((await tab.call('fill', { target: '#c', value: 'red' })).error.code, 'invalid_params');
  assert.deepEqual(await tab.page('[d.value, c.value]'), ['2020-01-01', '#112233']);
  assert.equal((await tab.call('fill', { target: '#b', value: '1' })).kind, 'none');
  assert.equal((await tab.call('fill', { target: '#x', value: '1', timeout_ms: 50 })).error.code, 'element_not_ready');
});

test('fill gets past accessors that a framework put on the element', async (t) => {
  const tab = await rig.show(t, `<input id=i><script>
    let tracked = ''; const own = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
    Object.defineProperty(i, 'value', { get() { return own.get.call(this); }, set(v) { tracked = v; own.set.call(this, v); } });
    i.oninput = () => { window.changed = own.get.call(i) !== tracked; };</script>`);
  await tab.call('fill', { target: '#i', value: 'new' });
  assert.equal(await tab.page('changed'), true);
});

const PETS = '<select id=s><option value=c>Cat</option><option value=d label="Dog label">Dog</option>'
  + '<option value=f disabled>Fish</option></select>';

test('select by value, label, text, in any case', async (t) => {
  const tab = await rig.show(t, `${PETS}<script>log=[];s.onchange=()=>log.push(s.value)</script>`);
  for (const [want, label] of [['d', 'Dog label'], ['Cat', 'Cat'], ['Dog label', 'Dog label'], ['cAT', 'Cat'],
    ['Dog', 'Dog label']]) {
    assert.deepEqual((await tab.call('select', { target: '#s', values: [want] })).selected, [label], want);
  }
  assert.deepEqual(await tab.page('log'), ['d', 'c', 'd', 'c', 'd']);
  const { kind, same, now } = await tab.call('fill', { target: '#s', value: 'c' });
  assert.deepEqual({ kind, same, now }, { kind: 'select', same: true, now: 'Cat' });
});

test('a secret is not told of what takes the place of its field', async (t) => {
  const tab = await rig.show(t, `<script>swap = (el, html, put) => { const at = document.createElement('div'); at.innerHTML = html; const [to] = at.children;
    to.id = el.id; put(to, el.value + 'x'); el.replaceWith(to); }; putText = (el, to) => { el.textContent = to; }; putValue = (el, to) => { el.value = to; };</script>
    <input type=password id=p oninput="swap(this, '<input>', putValue)"><input type=password id=e oninput="swap(this, '<div contenteditable>', putText)">
    <input id=c autocomplete=cc-number oninput="swap(this, '<input>', putValue)"><input id=m autocomplete=cc-csc maxlength=3>`);
  for (const target of ['#p', '#e', '#c']) {
    const { error } = await tab.call('fill', { target, value: 'hunter2' });
    assert.equal(error.code, 'element_stale', target);
    assert.match(error.message, /is in its place with another value/);
    assert.doesNotMatch(error.message, /hunter/);
  }
  const { secret, same, now } = await tab.call('fill', { target: '#m', value: '1234' });
  assert.deepEqual({ secret, same, now }, { secret: true, same: false, now: undefined });
});

test('an option is meant by what is shown of it before its value', async (t) => {
  const tab = await rig.show(t, '<select id=s aria-label=N><option value=9>0<option value=0>1<option value=1>2</select>');
  const { same, now, unsaid } = await tab.call('fill', { target: '#s', value: '1' });
  assert.deepEqual({ same, now, unsaid }, { same: true, now: '1', unsaid: undefined });
  assert.deepEqual((await tab.call('select', { target: '#s', values: ['2'] })).selected, ['2']);
  const byValue = await tab.call('fill', { target: '#s', value: '9' });
  assert.deepEqual([byValue.same, byValue.now, byValue.unsaid], [true, '0', true]);
});

test('an option of several groups is asked for by its value', async (t) => {
  const tab = await rig.show(t, `<select id=s><option value=x>None<optgroup label=Fruit><option value=US>USA<option value=f>Other<option value=Same>Same</optgroup>
    <optgroup label=Trees><option value=US>USA<option value=t>Other<option value=s2>Same</optgroup></select>`);
  const { error } = await tab.call('fill', { target: '#s', value: 'Other', timeout_ms: 0 });
  assert.deepEqual(error, { code: 'wrong_value', message: '<select id="s"> has several options "Other": in "Fruit" (value "f"), in "Trees" (value "t"); give the value of the one you mean' });
  assert.equal((await tab.call('select', { target: '#s', values: ['other'], timeout_ms: 0 })).error.code, 'wrong_value');
  for (const [want, at] of [['t', 5], ['f', 2], ['Same', 3], ['USA', 1], ['None', 0]]) {
    assert.equal((await tab.call('select', { target: '#s', values: [want] })).error, undefined, want);
    assert.equal(await tab.page('s.selectedIndex'), at, want);
  }
});

test('fill of a select tells what the page made of the choice', async (t) => {
  const tab = await rig.show(t, `${PETS}<script>s.onchange=()=>{s.value=s.value==='d'?'f':'c'}</script>`);
  const other = await tab.call('fill', { target: '#s', value: 'd' });
  assert.deepEqual([other.same, other.taken, other.now], [false, true, 'Fish']);
  await tab.page('s.value="c"');
  await tab.page('s.onchange=()=>{s.value="c"}');
  const back = await tab.call('fill', { target: '#s', value: 'Dog' });
  assert.deepEqual([back.same, back.taken, back.now], [false, false, 'Cat']);
});

test('select fails where the page makes another choice at once', async (t) => {
  const tab = await rig.show(t, `${PETS}<select id=m multiple><option>a<option>b<option>c</select><select id=r><option>p<option>q</select>
    <select id=l><option>p<option>q</select><select id=k><option value=1>p<option value=2>q</select><select id=x autocomplete=cc-exp-month><option>01<option>02</select><script>
    s.onchange = () => { s.value = 'c' }; m.onchange = () => { m.options[2].selected = false }; r.onchange = () => { r.innerHTML = '<option>gone' };
    l.onchange = () => Promise.resolve().then(() => { l.value = 'p' }); k.onchange = () => { k.innerHTML = '<option value=1>p<option value=2 selected>q (chosen)' };
    x.onchange = () => { x.value = '01' }</script>`);
  for (const [target, values, now] of [['#s', ['d'], '"Cat"'], ['#m', ['b', 'c'], '"b"'], ['#m', ['c'], 'nothing'], ['#r', ['q'], '"gone"'], ['#l', ['q'], '"p"']]) {
    const { error } = await tab.call('select', { target, values });
    assert.equal(error?.code, 'wrong_value', target);
    assert.equal(error.message.endsWith(` did not accept the choice; it now has ${now} selected`), true, error.message);
  }
  assert.equal((await tab.call('select', { target: '#s', values: ['Cat'] })).error, undefined);
  assert.deepEqual((await tab.call('select', { target: '#k', values: ['q'] })).selected, ['q (chosen)']);
  assert.match((await tab.call('select', { target: '#x', values: ['02'] })).error.message, / did not accept the choice$/);
  assert.deepEqual((await tab.call('select', { target: '#x', values: ['01'] })).selected, ['•••']);
});

test('select several', async (t) => {
  const tab = await rig.show(t, '<select id=m multiple><option selected>a<option>b<option>c</select>');
  assert.deepEqual((await tab.call('select', { target: '#m', values: ['b', 'c'] })).selected, ['b', 'c']);
  assert.deepEqual((await tab.call('select', { target: '#m', values: [] })).selected, []);
});

test('select: what is not there, disabled, too much, no select', async (t) => {
  const tab = await rig.show(t, `${PETS}<div id=d role=combobox>x</div><input id=t>`);
  const select = (target, values) => tab.call('select', { target, values, timeout_ms: 50 });
  const { error } = await select('#s', ['Cow']);
  assert.equal(error.code, 'wrong_value');
  assert.match(error.message, /^<select id="s"> has no option "Cow"; it has "Cat", "Dog label", "Fish"/);
  assert.deepEqual((await select('#s', ['Fish'])).error, { code: 'wrong_value', message: 'option "Fish" is disabled' });
  assert.equal((await select('#s', ['Cat', 'Dog'])).error.code, 'invalid_params');
  assert.deepEqual((await select('#s', [])).error, { code: 'invalid_params',
    message: '<select id="s"> always has one option selected, so values must name one' });
  assert.equal((await select('#d', ['x'])).error.code, 'not_possible');
  assert.deepEqual((await select('#t', ['x'])).error, { code: 'takes_text', message: '<input id="t"> takes text; it is not a select' });
});

test('select finds an option among very many, and says how many there are', async (t) => {
  const tab = await rig.show(t, `<select id=s></select><script>
    s.innerHTML = Array.from({ length: 50000 }, (_, at) => '<option>o' + at + '</option>').join('')</script>`);
  assert.deepEqual((await tab.call('select', { target: '#s', values: ['o49999'] })).selected, ['o49999']);
  const { error } = await tab.call('select', { target: '#s', values: ['x'], timeout_ms: 0 });
  assert.match(error.message, /has no option "x"; it has "o0", .*"o19" and 49980 more$/);
});

test('select waits for options that are loaded', async (t) => {
  const tab = await rig.show(t, '<select id=s></select>'
    + '<script>setTimeout(() => { s.innerHTML = "<option>Late"; }, 100)</script>');
  assert.deepEqual((await tab.call('select', { target: '#s', values: ['Late'], timeout_ms: 2000 })).selected, ['Late']);
});

test('fill of a select waits for them, too', async (t) => {
  const tab = await rig.show(t, '<select id=s><option value="">Loading</select>');
  await tab.page('setTimeout(() => { s.innerHTML = "<option>Early<option>Late"; }, 100)');
  assert.equal((await tab.call('fill', { target: '#s', value: 'Late', timeout_ms: 5000 })).now, 'Late');
  const { error } = await tab.call('fill', { target: '#s', value: 'Never', timeout_ms: 50 });
  assert.equal(error.code, 'wrong_value');
  assert.match(error.message, /^<select id="s"> has no option "Never"; it has "Early", "Late"/);
});

test('check', async (t) => {
  const tab = await rig.show(t, '<label id=l><input type=checkbox checked>x</label><div id=s role=switch aria-checked=true>'
    + '</div><div id=m role=checkbox aria-checked=mixed></div><p id=p>y</p>');
  assert.deepEqual(await tab.call('check', { target: '#l' }), { checked: true });
  assert.deepEqual(await tab.call('check', { target: '#s' }), { checked: true });
  assert.deepEqual(await tab.call('check', { target: '#m' }), { checked: 'mixed' });
  assert.equal((await tab.call('check', { target: '#p' })).error.code, 'not_possible');
});

test('scroll the page', async (t) => {
  const tab = await rig.show(t, '<style>html{scroll-behavior:smooth}body{margin:0}</style>'
    + '<div style="width:3000px;height:3000px"></div><p id=p>x</p>');
  assert.deepEqual(await tab.call('scroll', {}), { x: 0, y: 500, atTop: false, atBottom: false });
  assert.deepEqual(await tab.call('scroll', { direction: 'right', pixels: 100 }),
    { x: 100, y: 500, atTop: false, atBottom: false });
  assert.equal((await tab.call('scroll', { to: 'bottom' })).atBottom, true);
  assert.deepEqual(await tab.call('scroll', { to: 'top' }), { x: 100, y: 0, atTop: true, atBottom: false });
  assert.equal((await tab.call('scroll', { target: '#p', pixels: 200 })).y, 200);
  assert.ok((await tab.call('scroll', { target: '#p' })).y > 1000);
  assert.equal((await tab.call('scroll', { direction: 'sideways' })).error.code, 'invalid_params');
});

test('scroll says what was scrolled, and what was brought into view', async (t) => {
  const tab = await rig.show(t, `<div id=box role=region aria-label=Box style="height:100px;overflow:auto"><p id=in style="margin:900px 0">In</p></div>
    <iframe title=Frame src=/tall.html></iframe><ul><li id=item style="margin:2000px 0">Item</ul>`, { '/tall.html': '<p style="margin:900px 0">Deep</p>' });
  const scrolled = async (args) => { const { role, name, intoView } = await tab.call('scroll', args); return [role, name, intoView]; };
  assert.deepEqual(await scrolled({ target: '#item', direction: 'down' }), [undefined, undefined, undefined]);
  assert.deepEqual(await scrolled({ target: '#in', direction: 'down' }), ['region', 'Box', undefined]);
  assert.deepEqual(await scrolled({ target: 'text=Deep', to: 'bottom' }), ['iframe', 'Frame', undefined]);
  assert.deepEqual(await scrolled({ target: '#item' }), ['listitem', '', true]);
});

test('a scroll tells what the page does about it', async (t) => {
  const tab = await rig.show(t, `<ul id=l></ul><div id=end style="height:10px"></div><script>let n = 0;
    const more = (count) => { for (let i = 0; i < count; i += 1) l.insertAdjacentHTML('beforeend', '<li style="height:100px">Item ' + n++); };
    more(20); new IntersectionObserver(([{ isIntersecting }]) => { if (isIntersecting && n < 24) more(2); }).observe(end);
    onscroll = () => { document.title = 'at ' + Math.round(scrollY); };</script>`);
  const { changes: at, title, titled } = await tab.call('scroll', { pixels: 300, watch: true });
  assert.deepEqual([at, title, titled], [undefined, 'at 300', true]);
  const { changes: { text }, grown, atBottom } = await tab.call('scroll', { to: 'bottom', watch: true });
  assert.deepEqual([text, grown, atBottom], ['+ listitem: Item 20\n+ listitem: Item 21', true, true]);
  assert.equal((await tab.call('scroll', { to: 'bottom', watch: true })).changes.text, '+ listitem: Item 22\n+ listitem: Item 23');
  const { changes: none, grown: still } = await tab.call('scroll', { to: 'bottom', watch: true });
  assert.deepEqual([none, still], [undefined, undefined]);
});

test('a page sees how long it is before it is scrolled to its end', async (t) => {
  const tab = await rig.show(t, `<ul id=l></ul><div id=end style="height:10px"></div><script>let seen = 0;
    new IntersectionObserver(([{ isIntersecting }]) => { seen += isIntersecting ? 1 : 0; }).observe(end);</script>`);
  await tab.page('new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); })');
  // In one task: no frame is drawn between them.
  await tab.inside(`document.querySelector('#l').innerHTML = '<li style="height:400px">Item'.repeat(5); tabard.scroll({ to: 'bottom', watch: true })`);
  assert.equal(await tab.page('seen'), 2);
});

// In one task: the scroll has begun right after an act, and waits for what is there to be drawn.
const whileItWaits = (tab, args, then) => tab.inside(`(() => { document.dispatchEvent(new Event('mouseup'));
  const waits = tabard.scroll(${JSON.stringify({ watch: true, ...args })}); ${then}; return waits; })()`);

test('a scroll finds what is there when it begins to scroll, not what was there before', async (t) => {
  const tab = await rig.show(t, '<div id=all><p style="height:3000px">x</p><p id=p>Old</p></div>');
  const replaced = await whileItWaits(tab, { target: '#p' },
    "document.querySelector('#all').innerHTML = '<p style=\\'height:3000px\\'>x</p><p id=p>New</p>'");
  assert.ok(replaced.intoView && replaced.y > 1000, JSON.stringify(replaced));
  assert.ok(await tab.page('scrollY') > 1000);
  await tab.call('scroll', { to: 'top' });
  const gone = await tab.show('<div id=all><p style="height:3000px">x</p><p id=p>Old</p></div>')
    .then(() => whileItWaits(tab, { target: '#p' }, "document.querySelector('#p').remove()"));
  assert.equal(gone.error?.code, 'element_not_found');
  assert.equal(await tab.page('scrollY'), 0);
});

test('a scroll that nobody waits for any more when it may begin fails, and scrolls nothing', async (t) => {
  const tab = await rig.show(t, '<body style="height:5000px">');
  const { error } = await whileItWaits(tab, { pixels: 300 }, 'tabard.endTurn()');
  assert.deepEqual(error, { code: 'timeout', message: 'the call is no longer waiting for this; nothing was done' });
  // It stood still for a while, and the daemon does not answer for it.
  await tab.inside('Object.defineProperty(globalThis, "tabardTell", { value: () => {} }), 0');
  const stood = await whileItWaits(tab, { pixels: 300 }, 'const end = performance.now() + 100; while (performance.now() < end);');
  assert.equal(stood.error?.code, 'timeout');
  assert.equal(await tab.page('scrollY'), 0);
});

test('a scroll tells the daemon when it has scrolled, and what changed before that', async (t) => {
  for (const watch of [false, true]) {
    const tab = await rig.show(t, '<body style="height:5000px"><p id=p>Before</p>');
    await tab.inside('globalThis.told = [], globalThis.tabardTell = (text) => { told.push([JSON.parse(text).done, scrollY]); }, 0');
    const { changes } = await whileItWaits(tab, { pixels: 300, watch }, "document.querySelector('#p').textContent = 'After'");
    assert.deepEqual(await tab.inside('told.filter(([done]) => done)'), [[true, 300]]);
    assert.equal(changes?.text, watch ? '+ text: After' : undefined);
  }
});

test('a scroll at the end waits for more while the page may be about to bring it, and goes there', async (t) => {
  const tab = await rig.show(t, `<ul id=l></ul><script>setTimeout(() => { l.innerHTML = '<li style="height:400px">Item'.repeat(5); }, 300)</script>`);
  const { y, grown, atBottom } = await tab.call('scroll', { to: 'bottom', watch: true });
  assert.ok(y > 1000 && atBottom && grown === undefined, String(y));
  // Nothing more comes, and soon nobody waits for it.
  const times = [];
  for (let i = 0; i < 4; i += 1) {
    const began = performance.now();
    assert.equal((await tab.call('scroll', { to: 'bottom', watch: true })).y, y);
    times.push(performance.now() - began);
  }
  assert.ok(times[0] < 3000 && Math.min(...times.slice(1)) < 200, times.join());
});

test('a scroll that the page takes back is told as that', async (t) => {
  const tab = await rig.show(t, '<body style="height:5000px" onscroll="scrollTo(0, 0)">');
  const { y, atTop } = await tab.call('scroll', { watch: true });
  assert.deepEqual([y, atTop], [0, true]);
});

test('what comes above the end of a conversation is no more below it', async (t) => {
  const tab = await rig.show(t, `<div id=box style="height:200px;overflow:auto"><p id=old style="height:900px">Old</p><p>New</p></div>
    <script>box.addEventListener('scroll', () => old.insertAdjacentHTML('beforebegin', '<p style="height:500px">Older</p>'), { once: true })</script>`);
  const { atBottom, grown, y } = await tab.call('scroll', { target: '#box', to: 'bottom', watch: true });
  assert.deepEqual([atBottom, grown, y > 1000], [true, undefined, true], String(y));
});

test('a scroll that waits for more does nothing once it was given up, or another act has begun', async (t) => {
  for (const then of ['tabard.endTurn()', 'tabard.point({ target: "#b", watch: true })']) {
    const tab = await rig.show(t, '<button id=b>B</button>');
    const waits = tab.call('scroll', { to: 'bottom', watch: true });
    await tab.inside(`${then}, 0`);
    await tab.page('document.body.insertAdjacentHTML("beforeend", "<p style=height:5000px>More</p>"), 0');
    const { y, error } = await waits;
    assert.ok(y === 0 || error.code === 'timeout', then); // by then it waits for more, or still to begin
    assert.equal(await tab.page('scrollY'), 0, then);
  }
});

test('of two that wait for the page to hear of its selection, the first does nothing and both end', async (t) => {
  const tab = await rig.show(t, '<p>Text</p><input id=a><input id=b>');
  const [first, second] = await tab.inside(`getSelection().selectAllChildren(document.querySelector('p')),
    Promise.all(['#a', '#b'].map((target) => tabard.fill({ target, value: 'x' })))`);
  assert.equal(first.error.message, 'the call is no longer waiting for this; nothing was done');
  assert.equal(second.error, undefined);
  assert.deepEqual(await tab.page('[a.value, b.value]'), ['', 'x']);
});

test('scroll what scrolls when the page itself does not', async (t) => {
  const tab = await rig.show(t, '<style>html,body{height:100%;margin:0;overflow:hidden}</style>'
    + '<div id=app style="height:100%;overflow:auto"><div style="height:3000px">x</div></div>');
  assert.equal((await tab.call('scroll', { direction: 'down' })).y, 500);
  assert.equal(await tab.page('app.scrollTop'), 500);
});

test('a conversation that grows upwards has its top above and its bottom at 0', async (t) => {
  const tab = await rig.show(t, `<div id=chat style="height:200px;overflow:auto;display:flex;flex-direction:column-reverse">
    ${'<p style="flex:none;margin:0;height:100px">x</p>'.repeat(10)}</div>`);
  const scrolled = async (args) => { const { y, atTop, atBottom } = await tab.call('scroll', { target: '#chat', ...args }); return [y, atTop, atBottom]; };
  assert.deepEqual(await scrolled({ pixels: 0 }), [0, false, true]);
  assert.deepEqual(await scrolled({ to: 'top' }), [-800, true, false]);
  assert.deepEqual(await scrolled({ direction: 'down', pixels: 300 }), [-500, false, false]);
  assert.deepEqual(await scrolled({ to: 'bottom' }), [0, false, true]);
});

for (const root of ['body', 'html']) {
  test(`behind what is open over a page that is held still by its ${root}, the page does not scroll`, async (t) => {
    const tab = await rig.show(t, `<style>${root}{overflow:hidden}</style><div style="height:3000px">Page</div>
      <div style="position:fixed;inset:100px;overflow:auto" id=box role=region aria-label=Box><div style="height:3000px">x</div></div>`);
    const { y, name } = await tab.call('scroll', {});
    assert.deepEqual([y, name, await tab.page('scrollY')], [500, 'Box', 0]);
  });
}

test('what scrolls only sideways is not what scrolls down', async (t) => {
  const tab = await rig.show(t, `<div id=wide style="overflow-x:auto;width:300px"><table><tr><td id=cell><div style="width:900px">x</div></table></div>
    <div style="height:3000px"></div>`);
  const { y, atBottom, name } = await tab.call('scroll', { target: '#cell', direction: 'down' });
  assert.deepEqual([y, atBottom, name], [500, false, undefined]);
  assert.equal((await tab.call('scroll', { target: '#cell', direction: 'right', pixels: 100 })).x, 100);
  assert.equal(await tab.page('wide.scrollLeft'), 100);
});

// No waiting mends these, so nobody waits out the time for them.
const AT_ONCE = [
  ['a select that has other options', 'select', { target: '#s', values: ['Cow'] }, 'wrong_value', /has no option "Cow"; it has "Cat", "Dog"/],
  ['the same by fill', 'fill', { target: '#s', value: 'Cow' }, 'wrong_value', /has no option "Cow"; it has "Cat", "Dog"/],
  ['a read-only field that opens something', 'fill', { target: '#date', value: 'x' }, 'wrong_element', /is read-only; click it instead: it opens a dialog/],
  ['and what it opens', 'fill', { target: '#pick', value: 'x' }, 'wrong_element', /is read-only; click it instead: it opens <ul id="list">/],
  ['an option of a closed select', 'point', { target: 'option=Dog' }, 'closed_select', /^<option> "Dog" is an option of a closed select, e1/],
  ['a hidden file field', 'point', { target: '#file' }, 'takes_files', /is hidden \(display: none\) and takes files; only what stands for it can be clicked/],
];
for (const [what, name, args, code, words] of AT_ONCE) {
  test(`told at once: ${what}`, async (t) => {
    const tab = await rig.show(t, `<select id=s><option>Cat<option>Dog</select><input id=date readonly aria-haspopup=dialog>
      <div role=combobox><input id=pick readonly aria-controls=list></div><ul id=list></ul><input id=file type=file hidden>`);
    const { error } = await tab.call(name, { ...args, timeout_ms: 600_000 }); // longer than the test may take
    assert.equal(error.code, code);
    assert.match(error.message, words);
  });
}

test('options that another choice brings are waited for', async (t) => {
  const tab = await rig.show(t, `<select id=a onchange="requestAnimationFrame(() => requestAnimationFrame(() => { b.innerHTML = '<option>Rome<option>Pisa'; }))">
    <option>France<option>Italy</select><select id=b><option>Paris<option>Nice</select>`);
  await tab.call('select', { target: '#a', values: ['Italy'] });
  assert.deepEqual((await tab.call('select', { target: '#b', values: ['Pisa'] })).selected, ['Pisa']);
});

test('a field that is writable once it has the focus', async (t) => {
  const tab = await rig.show(t, '<input id=a readonly onfocus="readOnly = false">');
  assert.equal((await tab.call('fill', { target: '#a', value: 'x' })).now, 'x');
});

test('what nobody waits for any more does not act', async (t) => {
  for (const next of ['endTurn', 'focus']) {
    const tab = await rig.show(t, '<input id=other>');
    const given = tab.call('fill', { target: '#late', value: 'x' });
    await tab.call(next, { target: '#other' });
    await tab.page('document.body.insertAdjacentHTML("beforeend", "<input id=late>")');
    const { error } = await given;
    assert.deepEqual([error.code, await tab.page('late.value')], ['timeout', ''], next);
    assert.equal((await tab.call('fill', { target: '#late', value: 'y' })).now, 'y');
  }
});
