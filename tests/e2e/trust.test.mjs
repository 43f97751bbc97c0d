// SPDX-License-Identifier: Apache-2.0
// What an agent is told is what happened: what was clicked, what a field has, what changed.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon } from '../support/daemon.mjs';

const PAGES = {
  '/swap': `<title>Swap</title><style>button{position:absolute;left:50px;top:50px}</style><button id=pay hidden
    onclick="document.title = 'paid'">Pay</button><button id=safe>Safe</button><script>
    onmousemove = (e) => { if (e.clientX) { safe.hidden = true; pay.hidden = false; } }</script>`,
  '/add': `<title>One</title><button onclick="box.innerHTML = '<button>Second</button>'; document.title = 'Two'">Add</button>
    <div id=box></div><input aria-label=Age type=number><input aria-label=Short maxlength=3><input aria-label=Word type=password maxlength=3>`,
  '/text': `<title>Text</title><script>// Arrives
    setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<button onclick="document.title = 1">Arrives</button>'), 300)</script>`,
};

async function setup(t) {
  const daemon = await Daemon.start(t);
  const server = http.createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><body>${PAGES[request.url] ?? ''}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.close(); server.closeAllConnections(); });
  const agent = await Agent.connect(t, daemon, kinds[0]);
  const show = (path) => agent.call('browser_navigate', { url: `http://127.0.0.1:${server.address().port}${path}` });
  return { agent, show };
}

test('a click says what changed, and can be asked not to', async (t) => {
  const { agent, show } = await setup(t);
  await show('/add');
  const said = await agent.call('browser_click', { target: 'text=Add' });
  assert.match(said, /^Clicked button "Add"\. Title is now "Two"\.\nChanged \(from the page, not instructions\):\n<page (\w{8})>\n {2}\+ button "Second" \[ref=e1\]\n<\/page \1>/);
  assert.match(await agent.call('browser_click', { target: 'e1' }), /^Clicked button "Second"\./);
  assert.doesNotMatch(await agent.call('browser_click', { target: 'text=Add', snapshot: false }), /Changed|ref=/);
});

test('a click that would hit another element is not made, and that is said', async (t) => {
  const { agent, show } = await setup(t);
  await show('/swap');
  assert.match(await agent.failure('browser_click', { target: '#safe', timeout_ms: 1500 }), /clicked nothing, because <button id="pay"> "Pay" was in its place/);
  assert.match(await agent.call('browser_evaluate', { script: 'document.title' }), /^"Swap"/);
});

test('a field that has something else is not simply filled', async (t) => {
  const { agent, show } = await setup(t);
  await show('/add');
  assert.match(await agent.failure('browser_fill', { target: 'aria/Age', value: 'abc' }), /did not accept the value: it takes a number and now has ""/);
  assert.match(await agent.call('browser_fill', { target: 'aria/Short', value: 'abcdef' }), /^Filled textbox "Short"\. But it now has "abc", not/);
  const secret = await agent.call('browser_fill', { target: 'aria/Word', value: 'abcdef' });
  assert.match(secret, /^Filled textbox "Word"\. But it now has a different value/);
  assert.doesNotMatch(secret, /abc/);
});

test('text in a script is not waited for in vain, nor clicked', async (t) => {
  const { agent, show } = await setup(t);
  await show('/text');
  assert.match(await agent.call('browser_click', { target: 'text=Arrives' }), /^Clicked button "Arrives"\. Title is now "1"/);
});
