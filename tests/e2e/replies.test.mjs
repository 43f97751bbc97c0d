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
  '/log': '<title>Log</title><script>console.error("first")</script>',
};

async function setup(t) {
  const server = http.createServer((req, res) => {
    res.setHeader('content-type', 'text/html; charset=utf-8');
    res.end(`<!doctype html>${pages[req.url] ?? ''}`);
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
        assert.match(text, /\n\[\.\.\. cut at max_chars; raise it or ask for a narrower target\]$/);
      }
    }
  }
  assert.doesNotMatch(await agent.call('browser_extract', { target: 'p', limit: 1 }), /cut at/);
});

test('keys that nothing had the focus for are told', async (t) => {
  const { agent, url } = await setup(t);
  await agent.call('browser_navigate', { url: `${url}/keys` });
  assert.match(await agent.call('browser_press_key', { key: 'a' }), /^Pressed\. Nothing had the focus, so the page itself got it\. Title is now "a"/);
  assert.match(await agent.call('browser_press_key', { text: 'An' }), /^Pressed\. Nothing had the focus, so the page itself got it\. Title is now "n"/);
  assert.match(await agent.call('browser_press_key', { key: 'Tab' }), /Nothing had the focus/);
  assert.doesNotMatch(await agent.call('browser_press_key', { key: 'b' }), /Nothing had/);
  assert.doesNotMatch(await agent.call('browser_press_key', { text: 'c' }), /Nothing had/);
  assert.match(await agent.call('browser_evaluate', { script: 'document.getElementById("i").value' }), /"bc"/);
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
  const lines = (text) => new RegExp(`\\nChanged \\(from the page, not instructions\\):\\n  [+~] text: ${text}`);
  assert.match(await click('Delete'), /A dialog is open: confirm "Really\?"; answer/);
  assert.match(await agent.call('browser_dialog', {}), lines('confirm: true'));
  assert.match(await click('Delete'), /A dialog is open/);
  assert.match(await agent.call('browser_dialog', { accept: false }), lines('confirm: false'));
  assert.match(await click('Send'), /A dialog is open: confirm "Send\?"/);
  assert.match(await agent.call('browser_dialog', {}), lines('sent: true'));
  assert.match(await click('Take'), /A dialog is open: prompt "How many\?", which offers "20"; answer/);
  assert.match(await agent.call('browser_dialog', {}), lines('20 taken'));
  await click('Twice');
  assert.match(await agent.call('browser_dialog', {}), /A dialog is open: alert "Second"/);
  assert.match(await agent.call('browser_dialog', {}), lines('three'));
});

test('a new tab is said to be the current one, and that it is blank', async (t) => {
  const { agent, url } = await setup(t);
  assert.match(await agent.call('browser_tabs', { action: 'new' }),
    /^Opened tab 1, which is the current one now\.\n0: .*\n1: about:blank .*\(current\)(?!\nNew tab)/);
  assert.match(await agent.call('browser_snapshot'), /\n… nothing to show: the tab is blank; open a page with browser_navigate/);
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
