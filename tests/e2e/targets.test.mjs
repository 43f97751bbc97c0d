// SPDX-License-Identifier: Apache-2.0
// Which element a call means, and how long it is waited for.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon } from '../support/daemon.mjs';

async function setup(t, body, options = {}) {
  const daemon = await Daemon.start(t, options);
  const server = http.createServer((request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(`<!doctype html><title>Targets</title><body>${body}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.close(); server.closeAllConnections(); });
  const agent = await Agent.connect(t, daemon, kinds[0], options);
  await agent.call('browser_navigate', { url: `http://127.0.0.1:${server.address().port}/` });
  return { agent, daemon };
}

test('an element is waited for as long as the setting says, unless the call says it', async (t) => {
  const { agent } = await setup(t, '<button disabled>Go</button>', { config: 'browser:\n  element_timeout_ms: 300\n' });
  assert.match(await agent.failure('browser_click', { target: '#nope' }), /^nothing on the page matches "#nope"; waited 300 ms\n/);
  assert.match(await agent.failure('browser_click', { target: 'text=Go' }), /"Go" is disabled; waited 300 ms\n/);
  assert.match(await agent.failure('browser_fill', { target: '#nope', value: 'x', timeout_ms: 120 }), /; waited \d{1,3} ms\n/);
});

const SEVERAL = `<button onclick="document.title = 1">Save</button><button>Save</button><a href=#1>Edit</a><a href=#2>Delete</a>
  <input aria-label=Name><input aria-label=Name>`;

test('several elements that look the same: the first is used, and that is said', async (t) => {
  const { agent } = await setup(t, SEVERAL);
  assert.match(await agent.call('browser_click', { target: 'button' }), /^Clicked button "Save" \(2 match, used the first\)\. Title is now "1"/);
  assert.match(await agent.call('browser_fill', { target: 'input', value: 'x' }), /^Filled textbox "Name" \(2 match, used the first\)\./);
  assert.match(await agent.call('browser_fill_form', { fields: [{ target: 'input', value: 'y' }] }), /^Filled 1 field: textbox "Name" \(2 match, used/);
});

test('several elements of different names: nothing is done, and refs tell them apart', async (t) => {
  const { agent } = await setup(t, SEVERAL);
  const said = await agent.failure('browser_click', { target: 'a' });
  const [, ref] = /^"a" matches 2 elements: e\d+ link "Edit", (e\d+) link "Delete"\n/.exec(said) ?? assert.fail(said);
  assert.match(await agent.call('browser_evaluate', { script: 'location.hash' }), /^""/);
  assert.match(await agent.call('browser_click', { target: ref }), /^Clicked link "Delete"\. Page is now \S+#2/);
  assert.match(await agent.call('browser_snapshot'), new RegExp(`link "Delete".*\\[ref=${ref}\\]`));
});

test('the toolset octopus takes the first, as it documents', async (t) => {
  const { agent } = await setup(t, SEVERAL, { toolset: 'octopus' });
  assert.doesNotMatch(await agent.call('browser_click', { selector: 'a' }), /error|match/);
});

test('the habits of other servers are understood', async (t) => {
  const { agent } = await setup(t, '<button onclick="document.title = 1">Save</button><button>Other</button><input id=name aria-label=Name>');
  const [, ref] = /button "Save" \[ref=(e\d+)\]/.exec(await agent.call('browser_snapshot'));
  assert.match(await agent.call('browser_click', { element: 'Save button', ref }), /^Clicked button "Save"\. Title is now "1"/);
  for (const target of ['button:has-text("sav")', 'body >> text=Save', 'button >> nth=0', "getByRole('button', { name: 'Save' })"]) {
    assert.match(await agent.call('browser_click', { element: 'Save button', target }), /^Clicked button "Save"\./, target);
  }
  assert.match(await agent.call('browser_type', { element: 'Name', ref: '#name', text: 'Ada' }), /^Filled textbox "Name"\./);
  assert.match(await agent.call('take_snapshot'), /textbox "Name".*: Ada/);
  await assert.rejects(agent.raw('browser_tab_new', { url: 'about:blank' }), /'browser_tab_new' is unknown here; use browser_tabs with action new and url/);
});
