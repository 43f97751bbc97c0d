// SPDX-License-Identifier: Apache-2.0
// Downloads that outlive the tab that began them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, until } from '../support/daemon.mjs';

test('a download of a tab that closes itself is followed to its end', async (t) => {
  let file;
  const server = http.createServer((req, res) => {
    if (req.url !== '/file') return res.end(`<title>${req.url}</title>`);
    res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-disposition': 'attachment; filename=slow.bin' });
    res.write('x'.repeat(1000));
    file = res;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  const daemon = await Daemon.start(t);
  const agent = await Agent.connect(t, daemon, kinds[0], { groups: 'all' });
  await agent.call('browser_navigate', { url: `http://127.0.0.1:${server.address().port}/` });
  await agent.call('browser_downloads');
  await agent.call('browser_evaluate', { script: "window.open('/popup'); 0" });
  await agent.call('browser_evaluate', { script: "location = '/file'; 0" });
  await until(() => file, 20_000, 'the file is asked for');
  await until(async () => /slow\.bin/.test(await agent.call('browser_downloads')), 20_000, 'the download is known');
  await agent.raw('browser_evaluate', { script: 'setTimeout(() => window.close(), 0); 0' });
  await until(async () => !/popup/.test(await agent.call('browser_tabs', { action: 'list' })), 20_000, 'its tab is closed');
  file.end('y'.repeat(1000));
  assert.match(await agent.call('browser_downloads', { wait: true }), /slow\.bin.*2000|2000.*slow\.bin/s);
});
