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
  const agent = await Agent.connect(t, daemon, kinds[0]);
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
