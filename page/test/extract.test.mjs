// SPDX-License-Identifier: Apache-2.0
// Content as text, HTML, Markdown and JSON.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useBrowser } from './harness.mjs';

const rig = useBrowser();

// What it shows, the body, the Markdown.
const MARKDOWN = [
  ['headings and paragraphs', '<h1>A</h1><p>b  c</p><h3>D <em>e</em></h3>', '# A\n\nb c\n\n### D *e*'],
  ['emphasis and code', '<p><b>bold</b> and <i>it</i>, <code>x = 1</code>, <code>a`b</code></p>',
    '**bold** and *it*, `x = 1`, `` a`b ``'],
  ['links and images', '<p><a href="/a b?x=(1)">go <b>on</b>'
    + '</a> <a href="javascript:1">no</a> <img alt=Cat src="http://x.test/c.png"><img alt="" src=x></p>',
    '[go **on**](ORIGIN/a%20b?x=%281%29) no ![Cat](http://x.test/c.png)'],
  ['lists', '<ul><li>a<li>b<ul><li>c</ul></ul><ol start=3><li>x<li>y</ol>', '- a\n- b\n  - c\n\n3. x\n4. y'],
  ['tables', '<table><tr><th>N<th>V<tr><td>a|b<td><b>1</b><tr><td>c</table>',
    '| N | V |\n| --- | --- |\n| a\\|b | **1** |\n| c |  |'],
  ['tables: captions, and cells that are not shown', '<table><caption>Top <b>ten</b></caption><tr><th>N<th style="display:none">H<th>V<tr><td>a<td style="display:none">h<td>1<tr><td style="visibility:hidden">b<td>2</table>',
    'Top **ten**\n\n| N | V |\n| --- | --- |\n| a | 1 |\n|  | 2 |'],
  ['tables: a caption alone', '<table><caption>Top</caption></table>', 'Top'],
  ['code blocks keep their lines', '<pre><code>if (x)\n  y();\n</code></pre>', '```\nif (x)\n  y();\n```'],
  ['quotes and rules', '<blockquote><p>a</p><p>b</p></blockquote><hr>c', '> a\n\n> b\n\n---\n\nc'],
  ['line breaks', '<p>a<br>b</p>', 'a\nb'],
  ['signs are escaped', '<p>2 * 3 * 4 [x] `y` &lt;b&gt; snake_case_name</p>',
    '2 \\* 3 \\* 4 \\[x\\] \\`y\\` \\<b> snake\\_case_name'],
  ['what is not shown is left out', '<script>s</script><style>p{}</style><p hidden>h</p><p aria-hidden=true>a</p><details>'
    + '<summary>S</summary>closed</details><p>x</p>', 'S\n\nx'],
  ['an object that shows what it holds', '<object data="data:nothing/here,x"><p>Cannot show this</object>', 'Cannot show this'],
  ['buttons', '<table><tr><th>Thing<th>Act<tr><td>Pen<td><button>Buy</button><button><b>No</b></button></table><button></button><button>More</button><p>x</p>',
    '| Thing | Act |\n| --- | --- |\n| Pen | [Buy] [**No**] |\n\n[More]\n\nx'],
  ['shadow roots, slots and frames', '<div><template shadowrootmode=open><h2>S</h2><slot></slot></template><p>light</p></div>'
    + '<iframe srcdoc="<p>framed</p>"></iframe>', '## S\n\nlight\n\nframed'],
  ['a link around a card', '<a href=x><div><h3>T</h3><p>d</p></div></a>', '### T\n\nd'],
];

for (const [name, body, expected] of MARKDOWN) {
  test(`markdown: ${name}`, async (t) => {
    const tab = await rig.show(t, body);
    const { results } = await tab.call('extract', { format: 'markdown' });
    assert.equal(results[0], expected.replace('ORIGIN', rig.server.origin));
  });
}

test('text is what is drawn', async (t) => {
  const tab = await rig.show(t, '<p>a</p><p hidden>b</p><p style="text-transform:uppercase">c</p><script>d</script>');
  assert.deepEqual(await tab.call('extract', {}), { count: 1, results: ['a\n\nC'], truncated: false });
});

const FRAMED = (other) => `<h1>Outer</h1><iframe title=Payment src=/card.html></iframe><p>Between</p><iframe title="Other site" src="${other}/card.html"></iframe>
  <iframe hidden src=/card.html></iframe><iframe src=/empty.html></iframe>`;
const FRAMES = { '/card.html': '<h2>Card</h2><p>Number</p>', '/empty.html': '', '/deep.html': '<p>Deep</p><iframe src=/card.html></iframe>' };
const LEFT_OUT = '[isolated frame left out: "Other site"]';

test('frames of our origin are part of the content, others are said to be left out', async (t) => {
  const tab = await rig.show(t, FRAMED(rig.server.otherOrigin), FRAMES);
  const content = async (args) => (await tab.call('extract', args)).results;
  assert.deepEqual(await content({}), [`Outer\n\nBetween\n\n[frame "Payment"]\nCard\n\nNumber\n\n${LEFT_OUT}`]);
  assert.deepEqual(await content({ format: 'markdown' }), [`# Outer\n\n## Card\n\nNumber\n\nBetween\n\n${LEFT_OUT}`]);
  assert.match((await content({ format: 'json' }))[0].text, /Card\n\nNumber\n\n\[isolated frame left out/);
  assert.deepEqual(await content({ target: 'iframe:visible' }), ['Card\n\nNumber', LEFT_OUT, '']);
  assert.deepEqual(await content({ target: 'p' }), ['Between', 'Number', 'Number']);
});

test('frames in frames, and room for them', async (t) => {
  const tab = await rig.show(t, '<p>Outer</p><iframe src=/deep.html></iframe>', FRAMES);
  assert.deepEqual((await tab.call('extract', {})).results, ['Outer\n\n[frame]\nDeep\n\n[frame]\nCard\n\nNumber']);
  await tab.page('frames[0].document.querySelector("p").textContent = "x ".repeat(500), 0');
  const { results: [text], truncated } = await tab.call('extract', { max_chars: 200 });
  assert.ok(truncated && text.length <= 200, text);
});

test('text of shadow roots', async (t) => {
  const tab = await rig.show(t, '<div id=d>x<span><template shadowrootmode=open><p>one</p><p>two <slot></slot></p>'
    + '</template>three</span></div>');
  assert.equal((await tab.call('extract', { target: '#d' })).results[0], 'x\none\ntwo three');
});

test('text of shadow roots has no end before max_chars, and says where it has one', async (t) => {
  const tab = await rig.show(t, '<div id=d><span><template shadowrootmode=open>in the shadow</template></span></div>');
  await tab.page(`d.insertAdjacentHTML('beforeend', '<p>  some   text here</p>'.repeat(10_000) + '<p>end</p>')`);
  const whole = await tab.call('extract', { target: '#d', max_chars: 400_000 });
  assert.deepEqual([whole.truncated, whole.results[0].length], [false, 'in the shadow\n'.length + 10_000 * 15 + 'end'.length]);
  assert.ok(whole.results[0].endsWith('\nend'));
  for (const format of ['text', 'json']) {
    const { truncated } = await tab.call('extract', { target: '#d', format, max_chars: 100_000 });
    assert.equal(truncated, true, format);
  }
  await tab.page(`d.lastChild.innerHTML = '<i></i>'.repeat(190_000) + 'never seen'`);
  assert.equal((await tab.call('extract', { target: '#d', max_chars: 400_000 })).truncated, true);
});

test('underscores of any number are escaped in a moment', async (t) => {
  const tab = await rig.show(t, '<p id=p>_a_b_ c_d _e</p><p id=long></p>');
  assert.equal((await tab.call('extract', { target: '#p', format: 'markdown' })).results[0], '\\_a\\_b_ c_d _e');
  await tab.page(`long.textContent = '_a'.repeat(500_000) + ' '`);
  const { ms } = await tab.cost("tabard.extract({target: '#long', format: 'markdown', max_chars: 1_000_000}), 0");
  assert.ok(ms < 2000, String(ms));
});

test('main content for text and Markdown when nothing is named', async (t) => {
  const words = 'word '.repeat(60).trim();
  const tab = await rig.show(t, `<nav>menu</nav><main><p>${words}</p></main><footer>foot</footer>`);
  assert.equal((await tab.call('extract', { format: 'text' })).results[0], words);
  assert.equal((await tab.call('extract', { format: 'markdown' })).results[0], words);
  assert.match((await tab.call('extract', { format: 'html' })).results[0], /<nav>menu<\/nav>/);
});

test('a stub of a main element does not hide the page', async (t) => {
  const tab = await rig.show(t, '<p>The real thing</p><main>x</main>');
  assert.match((await tab.call('extract', { format: 'text' })).results[0], /The real thing/);
});

test('html is the whole element', async (t) => {
  const tab = await rig.show(t, '<ul><li class=a>1<li class=a>2</ul>');
  assert.deepEqual(await tab.call('extract', { target: 'li.a', format: 'html' }),
    { count: 2, results: ['<li class="a">1</li>', '<li class="a">2</li>'], truncated: false });
});

test('json has text, html and attributes', async (t) => {
  const tab = await rig.show(t, '<a href="/x" title=T>go <b>on</b></a>');
  assert.deepEqual((await tab.call('extract', { target: 'a', format: 'json' })).results,
    [{ text: 'go on', html: '<a href="/x" title="T">go <b>on</b></a>', attributes: { href: '/x', title: 'T' } }]);
});

test('values of cards and codes are in none of them', async (t) => {
  const tab = await rig.show(t, '<form id=f><input value=me><input autocomplete=cc-number id=p value=4111><input value=you></form>');
  for (const format of ['text', 'html', 'markdown', 'json']) {
    for (const target of ['#f', '#p']) {
      assert.doesNotMatch(JSON.stringify(await tab.call('extract', { target, format })), /4111/, format);
    }
  }
  assert.equal((await tab.call('extract', { target: '#f', format: 'html' })).results[0],
    '<form id="f"><input value="me"><input autocomplete="cc-number" id="p" value="•••"><input value="you"></form>');
});

test('password values are in none of them', async (t) => {
  const tab = await rig.show(t, '<form id=f><input type=password id=p value=hunter2></form>');
  for (const format of ['text', 'html', 'markdown', 'json']) {
    for (const target of ['#f', '#p', undefined]) {
      assert.doesNotMatch(JSON.stringify(await tab.call('extract', { target, format })), /hunter2/, format);
    }
  }
  assert.equal(await tab.page('p.value'), 'hunter2');
});

test('fields give their value as text', async (t) => {
  const tab = await rig.show(t, '<input id=i value=typed><select id=s><option>A<option selected>B</select>');
  assert.equal((await tab.call('extract', { target: '#i' })).results[0], 'typed');
  assert.equal((await tab.call('extract', { target: '#s' })).results[0], 'B');
});

test('a huge page is cut and says so', async (t) => {
  const tab = await rig.show(t, '<div id=d></div>');
  await tab.page('d.innerHTML = "<p>some text here</p>".repeat(20000)');
  for (const format of ['text', 'html', 'markdown', 'json']) {
    const result = await tab.call('extract', { format });
    assert.equal(result.truncated, true, format);
    assert.ok(JSON.stringify(result).length < 230_000, format);
  }
  const { results, count, truncated } = await tab.call('extract', { target: 'p', max_chars: 200, limit: 500 });
  assert.deepEqual([results.length < 20, count, truncated], [true, 1000, true]);
});

test('no format gives more than max_chars', async (t) => {
  const tab = await rig.show(t, '<main id=d></main>');
  await tab.page(`for (let i = 0; i < 100; i += 1) d.setAttribute('data-a' + i, '"'.repeat(3000));
    d.innerHTML = '<p title="x"><a href="/somewhere/else">"quoted"</a>\\nnext</p>'.repeat(2000)`);
  for (const format of ['text', 'html', 'markdown', 'json']) {
    for (const target of [undefined, '#d', 'p']) {
      for (const max of [400, 5000]) {
        const { results, truncated } = await tab.call('extract', { target, format, max_chars: max, limit: 1000 });
        const size = format === 'json' ? JSON.stringify(results).length : results.join('').length;
        assert.ok(truncated && size <= max + 50 && size > max / 2, `${format} of ${target}: ${size} for ${max}`);
      }
    }
  }
});

test('an unknown format and an unknown element are refused', async (t) => {
  const tab = await rig.show(t, 'x');
  assert.equal((await tab.call('extract', { format: 'pdf' })).error.code, 'invalid_params');
  assert.equal((await tab.call('extract', { format: '__proto__' })).error.code, 'invalid_params');
  assert.equal((await tab.call('extract', { target: '#none' })).error.code, 'element_not_found');
});

test('frames in shadow roots are read, and hidden ones in front of them cost none of their places', async (t) => {
  const tab = await rig.show(t, `${'<iframe hidden></iframe>'.repeat(120)}<x-card></x-card><iframe src=/card.html title=Last></iframe>
    <script>document.querySelector('x-card').attachShadow({ mode: 'open' }).innerHTML = '<p>Shadow</p><iframe src=/card.html title=First></iframe>'</script>`, FRAMES);
  const { results: [text], truncated } = await tab.call('extract', {});
  assert.match(text, /^Shadow\n.*\n\n\[frame "Last"\]\nCard\s+Number\n\n\[frame "First"\]\nCard\s+Number$/s);
  assert.equal(truncated, false);
});

test('rows and cells that are left out of a table are not passed over in silence', async (t) => {
  const tab = await rig.show(t, '<table id=long></table><table id=wide></table><script>long.innerHTML = "<tr><td>x".repeat(5001); wide.innerHTML = "<tr>" + "<td>x".repeat(101)</script>');
  for (const target of ['#long', '#wide']) {
    assert.equal((await tab.call('extract', { target, format: 'markdown', max_chars: 1e6 })).truncated, true, target);
  }
  await tab.page('long.rows[0].remove(), wide.rows[0].cells[0].remove()');
  for (const target of ['#long', '#wide']) {
    assert.equal((await tab.call('extract', { target, format: 'markdown', max_chars: 1e6 })).truncated, false, target);
  }
});

test('of what lies too deep only what is drawn is told, and that something may be missing', async (t) => {
  const deep = (levels) => `${'<div>'.repeat(levels)}<p>Deep</p><p hidden>Secret</p><script>"code"</script>${'</div>'.repeat(levels)}`;
  const tab = await rig.show(t, `<div><template shadowrootmode=open><p>Shadow</p></template></div><div id=deep>${deep(100)}</div>`);
  const read = async (format) => { const { results, truncated } = await tab.call('extract', { target: 'body', format }); return [results[0], truncated]; };
  assert.deepEqual(await read('text'), ['Shadow\nDeep', false]);
  assert.deepEqual(await read('markdown'), ['Shadow\n\nDeep', false]);
  await tab.page(`deep.innerHTML = ${JSON.stringify(deep(300))}, 0`);
  assert.deepEqual(await read('text'), ['Shadow\nDeep', true]);
  assert.deepEqual(await read('markdown'), ['Shadow\n\nDeep', true]);
});

test('to read the markup does not act on the page', async (t) => {
  const tab = await rig.show(t, `<script>made = 0; customElements.define('x-p', class extends HTMLElement { constructor() { super(); made += 1; } })</script>
    <div id=d><x-p></x-p><img src=data:, onerror="made += 10"><input type=password value=hunter2></div>`);
  await tab.page('new Promise((resolve) => setTimeout(resolve, 50))');
  assert.equal(await tab.page('made'), 11);
  const { results } = await tab.call('extract', { target: '#d', format: 'html' });
  assert.equal(results[0], '<div id="d"><x-p></x-p><img src="data:," onerror="made += 10"><input type="password" value="•••"></div>');
  await tab.page('new Promise((resolve) => setTimeout(resolve, 50))');
  assert.equal(await tab.page('made'), 11);
});
