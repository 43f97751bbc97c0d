// SPDX-License-Identifier: Apache-2.0
// The README's page, in a browser session of the daemon itself: it brings a tool, and another agent calls it.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, root, undo, until } from '../support/daemon.mjs';
import { makeKey } from '../support/keys.mjs';

test('the README\'s page brings a tool from a real browser, and every kind of agent calls it', async (t) => {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  const [, code] = /```js\n(import { BTCPClient[^]*?)```/.exec(readme);
  const module = await readFile(path.join(root, 'build/web/btcp-client/btcp-client.js'));
  let script = '';
  const site = http.createServer((req, res) => (req.url === '/btcp-client.js' ? res.setHeader('content-type', 'text/javascript').end(module)
    : res.setHeader('content-type', 'text/html').end(`<!doctype html><title>Shop</title><script type="module">${script}</script>`)));
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  undo(t, () => site.close());
  const origin = `http://127.0.0.1:${site.address().port}`;
  const daemon = await Daemon.start(t, { config: `http:\n  allowed_origins: [${origin}]\n` });
  const { key } = await makeKey(daemon, { tenant: 'default', scopes: ['act'] });
  script = `const key = ${JSON.stringify(key)};\n${code.replace('127.0.0.1:8765', `127.0.0.1:${daemon.port}`)}`;

  const driver = await Agent.connect(t, daemon);
  await driver.call('browser_navigate', { url: origin });
  const client = async () => JSON.parse((await daemon.request('/api/sessions', { auth: true })).text).sessions.find((each) => each.type === 'client');
  await until(async () => (await client())?.capabilities.tools === 1, 10_000, 'the tool of the page');
  const { sessionId } = await client();

  for (const kind of kinds) {
    const agent = await Agent.connect(t, daemon, kind, { headers: { 'x-conversation-id': `${kind.era}-${kind.transport}` } });
    await agent.call('set_current_session', { sessionId });
    const { tools } = await agent.client.listTools();
    assert.equal(tools.find((tool) => tool.name === 'add').description, 'Adds two numbers.', JSON.stringify(kind));
    assert.match(await agent.call('add', { a: 2, b: 40 }), /^42\b/);
  }
  await driver.call('browser_navigate', { url: 'about:blank' });
  await until(async () => (await client()).away, 10_000, 'the page has gone');
});
