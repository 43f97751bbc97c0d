// SPDX-License-Identifier: Apache-2.0
// Writes the pages of the benches beside itself: `node bench/pages/generate.mjs`. The same bytes every time, and nothing is
// loaded from elsewhere. The pages are kept in the repository so that a bench needs no step before it.
import { writeFileSync } from 'node:fs';

const WOODS = ['Oak', 'Walnut', 'Ash', 'Birch', 'Cherry', 'Maple', 'Elm'];
const THINGS = ['Lamp', 'Chair', 'Desk', 'Shelf', 'Kettle', 'Clock', 'Rug', 'Mirror', 'Vase', 'Bench'];

const STYLE = `body { font: 14px/1.4 sans-serif; margin: 16px; }
li, tr { border-bottom: 1px solid #ddd; padding: 4px; }
label { display: block; margin: 8px 0; }
[hidden] { display: none; }`;

/** Lines made of the numbers from 1 on. */
const lines = (count, make) => Array.from({ length: count }, (_, i) => make(i + 1)).join('\n');

const thing = (n) => THINGS[n % THINGS.length];
const item = (n) => `<li class="item"><a href="/item?n=${n}">${WOODS[n % WOODS.length]} ${thing(n)} ${n}</a> `
  + `<span class="price">${5 + (n * 37) % 500}.90 EUR</span> <button type="button">Add</button></li>`;
const order = (n) => `<tr><td><a href="/item?n=${n}">Order ${n}</a></td><td><b>${thing(n)}</b></td>`
  + `<td><input aria-label="Amount ${n}" value="${n % 9 + 1}"></td><td><button type="button">Remove ${n}</button></td><td>${3 * n}.00</td></tr>`;

const page = (title, body, script = '') => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>${title}</title>
<style>
${STYLE}
</style>
</head>
<body>
${body}
${script && `<script>\n${script}\n</script>`}
</body>
</html>
`;

const COUNT = `document.getElementById('count').addEventListener('click', () => {
  const out = document.getElementById('counted');
  out.textContent = Number(out.textContent) + 1;
});`;

const FILTER = `document.getElementById('apply').addEventListener('click', () => {
  const words = document.getElementById('filter').value.toLowerCase();
  let shown = 0;
  for (const item of document.querySelectorAll('.item')) {
    item.hidden = !item.textContent.toLowerCase().includes(words);
    shown += item.hidden ? 0 : 1;
  }
  document.getElementById('shown').textContent = shown + ' items';
});`;

const pages = {
  'items-200': page('200 items', `<h1>Shop</h1>
<label>Note <input id="note" name="note"></label>
<button id="count" type="button">Count</button> <output id="counted">0</output>
<ul>
${lines(200, item)}
</ul>`, COUNT),
  'elements-2000': page('2,000 elements', `<h1>Orders</h1>
<table>
<tbody>
${lines(200, order)}
</tbody>
</table>`),
  // The workflow: the server of the bench answers the form by leading to list.html.
  login: page('Log in', `<h1>Welcome</h1>
<form method="post" action="/login">
<label>User <input id="user" name="user" autocomplete="off"></label>
<label>Password <input id="password" name="password" type="password"></label>
<button id="submit">Log in</button>
</form>`),
  list: page('List', `<h1>Shop</h1>
<label>Filter <input id="filter" name="filter"></label>
<button id="apply" type="button">Apply</button> <output id="shown">200 items</output>
<ul>
${lines(200, item)}
</ul>`, FILTER),
};

for (const [name, html] of Object.entries(pages)) {
  writeFileSync(new URL(`${name}.html`, import.meta.url), html);
}
