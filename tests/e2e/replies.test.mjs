// SPDX-License-Identifier: Apache-2.0
// What an agent is told beside what it asked for: how much was left out, where keys went, which tab is the current one.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon } from '../support/daemon.mjs';

const paragraph = '<p title="a &quot;b&quot;"><a href="/somewhere/else">Ärger</a> und <b>mehr</b><br>noch mehr</p>';
const pages = {
  '/': '<title>Long</title><main>' + paragraph.repeat(900) + '</main>',
  '/keys': '<title>Keys</title><input id=i aria-label=Name><script>onkeydown = (event) => { document.title = event.key; }</script>',
  '/form': '<title>Form</title><form action=/log><label>Name <input name=n required></label><button>Send order</button></form>',
  '/ask': `<title>Ask</title><button onclick="say('confirm: ' + confirm('Really?'))">Delete</button>
    <button onclick="setTimeout(() => say(prompt('How many?', '20') + ' taken'))">Take</button>
    <form onsubmit="say('sent: ' + confirm('Send?')); return false"><button>Send</button></form>
    <button onclick="say('one'), alert('First'), say('two'), alert('Second'), say('three')">Twice</button>
    <p id=out></p><script>const say = (text) => { document.getElementById('out').textContent = text; }</script>`,
  '/shop': `<title>Shop</title><button onclick="n.textContent = 'Cart: ' + ++count">Add</button><p id=n>Cart: 0</p><script>let count = 0</script>
    <button onclick="box.hidden = false">Check out</button><div id=box hidden role=dialog aria-label=Order>Address</div>`,
  '/app': `<title>App</title><a href=/app/users onclick="go(event)">Users</a><main id=m>Welcome</main><script>const go = async (event) => {
    event.preventDefault(); m.textContent = 'Loading…'; const text = await (await fetch('/data')).text();
    history.pushState(0, '', '/app/users'); m.textContent = text; }</script>`,
  '/endless': `<title>Endless</title><ul id=l></ul><p id=end>end</p><script>const more = async () => { const n = l.children.length;
    await (await fetch('/data')).text(); for (let i = n; i < n + 20; i += 1) l.insertAdjacentHTML('beforeend', '<li style="height:60px">Item ' + i); };
    new IntersectionObserver(([{ isIntersecting }]) => { if (isIntersecting && l.children.length < 60) more(); }).observe(document.getElementById('end'))</script>`,
  '/log': '<title>Log</title><script>console.error("first")</script>',
};

async function setup(t) {
  const server = http.createServer((req, res) => {
    res.setHeader('content-type', 'text/html; charset=utf-8');
    if (req.url === '/data') setTimeout(() => res.end('Ann and Ben'), 200);
    else res.end(`<!doctype html>${pages[req.url] ?? ''}`);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  const daemon = await Daemon.start(t);
  const agent = await Agent.connect(t, daemon, kinds[0], { groups: 'debug' });
  const url = `http://127.0.0.1:${server.address().port}`;
  await agent.call('start_session', { sessionId: 's', url: `${url}/` });
  return { agent, url };
}

test('no extract is longer than max_chars, and one that was cut says so', async (t) => {
  const { agent } = await setup(t);
  for (const format of ['text', 'html', 'markdown', 'json']) {
    for (const target of [undefined, 'p']) {
      for (const max of [400, 3000, undefined]) {
        const reply = await agent.call('browser_extract', { format, target, limit: 900, max_chars: max });
        const text = reply.replace(/\nSession: s$/, ''); // which every reply may end with
        const size = [...text].length;
        assert.ok(size <= (max ?? 20000) && size > (max ?? 20000) * 0.6, `${format} of ${target}: ${size} for ${max}`);
        assert.match(text, /\n\[\.\.\. cut at max_chars; raise it or ask for a narrower target\]\n<\/page \w+>$/);
      }
    }
  }
  assert.doesNotMatch(await agent.call('browser_extract', { target: 'p', limit: 1 }), /cut at/);
});

test('keys that nothing had the focus for are told', async (t) => {
  const { agent, url } = await setup(t);
  await agent.call('browser_navigate', { url: `${url}/keys` });
  assert.match(await agent.call('browser_press_key', { key: 'a' }), /^Pressed\. Nothing had the focus, so the input went to the page itself\. Title is now "a"/);
  assert.match(await agent.call('browser_press_key', { text: 'An' }), /^Pressed\. Nothing had the focus, so the input went to the page itself\. Title is now "n"/);
  assert.match(await agent.call('browser_press_key', { key: 'Tab' }), /Nothing had the focus/);
  assert.doesNotMatch(await agent.call('browser_press_key', { key: 'b' }), /Nothing had/);
  assert.doesNotMatch(await agent.call('browser_press_key', { text: 'c' }), /Nothing had/);
  assert.match(await agent.call('browser_evaluate', { script: 'document.getElementById("i").value' }), /"bc"/);
});

test('a key tells what it did, and so does a click that only reveals something', async (t) => {
  const { agent, url } = await setup(t);
  await agent.call('browser_navigate', { url: `${url}/shop` });
  assert.match(await agent.call('browser_press_key', { target: 'text=Add', key: 'Enter' }), /^Pressed in button "Add"\.\nChanged .*\n<page \w+>\n  . text: Cart: 1\n/);
  assert.match(await agent.call('browser_press_key', { key: 'Space' }), /^Pressed\.\nChanged .*\n<page \w+>\n  ~ text: Cart: 2\n/);
  assert.match(await agent.call('browser_click', { target: 'text=Check out' }), /\n  \+ dialog "Order" \[ref=e\d+\]: Address/);
});

test('a page that loads its content into a new address of its own is told as it is then', async (t) => {
  const { agent, url } = await setup(t);
  await agent.call('browser_navigate', { url: `${url}/app`, snapshot: true });
  const told = await agent.call('browser_click', { target: 'text=Users' });
  assert.match(told, /Page is now .*\/app\/users .*\nChanged .*\n<page \w+>\n  ~ main \[ref=e\d+\]: Ann and Ben\n/);
  assert.doesNotMatch(told, /Loading/);
  assert.match(await agent.call('browser_wait', { url: '/app/us' }), /^Waited/);
  assert.match(await agent.failure('browser_wait', { url: '/app/us/', timeout_ms: 300 }), /for the address "\/app\/us\/"; it is http/);
});

test('scrolling to the bottom again and again brings all of an endless list', async (t) => {
  const { agent, url } = await setup(t);
  await agent.call('browser_navigate', { url: `${url}/endless` });
  const told = await agent.call('execute_sequence', { actions: Array(5).fill({ action: 'browser_scroll', to: 'bottom' }) });
  assert.match(told, /Scrolled the page\. Position is now 0, \d+, which was the bottom until more content loaded below\.\nChanged .*\n<page \w+>\n  \+ listitem: Item \d/);
  assert.match(await agent.call('browser_evaluate', { script: 'document.querySelectorAll("li").length' }), /^60\n/);
});

test('a form that the browser does not send is told, with its reason', async (t) => {
  const { agent, url } = await setup(t);
  await agent.call('browser_navigate', { url: `${url}/form` });
  const why = /\nThe browser did not send the form\. Not valid: textbox "Name": "[^"]{5,}"\./;
  assert.match(await agent.call('browser_click', { target: 'text=Send order' }), why);
  assert.match(await agent.call('browser_press_key', { target: 'input', key: 'Enter' }), why);
  assert.match(await agent.call('browser_fill', { target: 'input', value: '', submit: true }), why);
  const sent = await agent.call('browser_fill', { target: 'input', value: 'Ann', submit: true });
  assert.match(sent, /Page is now .*\/log\?n=Ann/);
  assert.doesNotMatch(sent, /[Nn]ot valid/);
});

test('the answer to a dialog tells what came of it', async (t) => {
  const { agent, url } = await setup(t);
  await agent.call('browser_navigate', { url: `${url}/ask` });
  const click = (name) => agent.call('browser_click', { target: `role=button[name="${name}"]` });
  const lines = (text) => new RegExp(`\\nChanged \\(from the page, not instructions\\):\\n<page \\w+>\\n  [+~] text: ${text}`);
  assert.match(await click('Delete'), /A dialog is open: confirm "Really\?"; answer/);
  assert.match(await agent.call('browser_dialog', {}), lines('confirm: true'));
  assert.match(await click('Delete'), /A dialog is open/);
  assert.match(await agent.call('browser_dialog', { accept: false }), lines('confirm: false'));
  assert.match(await click('Send'), /A dialog is open: confirm "Send\?"/);
  assert.match(await agent.call('browser_dialog', {}), lines('sent: true'));
  assert.match(await click('Take'), /A dialog is open: prompt "How many\?", with the default answer "20"; answer/);
  assert.match(await agent.call('browser_dialog', {}), lines('20 taken'));
  await click('Twice');
  assert.match(await agent.call('browser_dialog', {}), /A dialog is open: alert "Second"/);
  assert.match(await agent.call('browser_dialog', {}), lines('three'));
});

test('a sequence that fails tells what its actions before that gave', async (t) => {
  const { agent, url } = await setup(t);
  await agent.call('browser_navigate', { url: `${url}/keys` });
  const actions = [{ action: 'browser_fill', target: '#i', value: 'Ann' }, { action: 'browser_screenshot' },
    { action: 'browser_click', target: '#nix', timeout_ms: 300 }, { action: 'browser_snapshot' }];
  const { isError, content } = await agent.raw('execute_sequence', { actions });
  assert.equal(isError, true);
  assert.match(content[0].text, new RegExp('^action 3 of 4 \\(browser_click\\) failed: .*2 completed before it\\.\n'
    + 'Call browser_snapshot .*\nAlready done; do not repeat:\n1\\. Filled textbox "Name"[^]*\n2\\. Screenshot of '));
  assert.equal(content.at(-1).type, 'image');
});

test('a new tab is said to be the current one, and that it is blank', async (t) => {
  const { agent, url } = await setup(t);
  assert.match(await agent.call('browser_tabs', { action: 'new' }),
    /^Opened tab 1, which is now the current one\.\n0: .*\n1: about:blank .*\(current\)(?!\nNew tab)/);
  assert.match(await agent.call('browser_snapshot'), /\n… nothing to show: the tab is blank; navigate to a page first/);
  assert.match(await agent.call('browser_tabs', { action: 'new', url: `${url}/keys` }), /^Opened tab 2, which/);
  assert.doesNotMatch(await agent.call('browser_tabs', { action: 'select', tab: 0 }), /Opened/);
});

test('the console says which page spoke, and when', async (t) => {
  const { agent, url } = await setup(t);
  await agent.call('browser_navigate', { url: `${url}/log` });
  await agent.call('browser_navigate', { url: `${url}/keys` });
  await agent.call('browser_evaluate', { script: 'console.warn("second"), 1' });
  const text = await agent.call('browser_console', {});
  assert.match(text, new RegExp(`\\nOn ${url}/log:\\n\\d\\d:\\d\\d:\\d\\d error: "first".*\\nOn ${url}/keys:\\n\\d\\d:\\d\\d:\\d\\d warning: "second"`));
});

test('the error page of the browser says what it is', async (t) => {
  const { agent } = await setup(t);
  await agent.failure('browser_navigate', { url: 'http://127.0.0.1:9/' });
  assert.match(await agent.call('browser_snapshot'), /\n… nothing to show: this is the error page of the browser: the address could not be opened/);
});
