// SPDX-License-Identifier: Apache-2.0
// Downloads that outlive the tab, the browser and the daemon that began them.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile, stat } from 'node:fs/promises';
import http from 'node:http';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, until } from '../support/daemon.mjs';

/** A site with a page at every address, a file at /quick, and one at /file that the test ends by `slow.file`. */
async function setup(t, args = {}) {
  const slow = {};
  const server = http.createServer((req, res) => {
    const name = { '/file': 'slow.bin', '/quick': 'quick.bin' }[req.url];
    if (req.url === '/nothing') res.statusCode = 204;
    if (!name) return res.end(req.url === '/nothing' ? '' : `<title>${req.url}</title>`);
    res.writeHead(200, { 'content-type': 'application/octet-stream', 'content-disposition': `attachment; filename=${name}` });
    res.write('x'.repeat(1000));
    if (name === 'quick.bin') res.end(); else slow.file = res;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  const daemon = await Daemon.start(t);
  const agent = await Agent.connect(t, daemon, kinds[0], { groups: 'all' });
  const url = `http://127.0.0.1:${server.address().port}`;
  await agent.call(args.sessionId ? 'start_session' : 'browser_navigate', { url, ...args });
  await agent.call('browser_downloads', args);
  return { daemon, agent, slow, url };
}

test('a download of a tab that closes itself is followed to its end', async (t) => {
  const { daemon, agent, slow } = await setup(t);
  // The switch that lets the browser tell of downloads is one for all sessions; another one must not turn it off.
  await (await Agent.connect(t, daemon, kinds[0])).call('start_session', { sessionId: 'other' });
  await agent.call('browser_evaluate', { script: "window.open('/popup'); 0" });
  await agent.call('browser_evaluate', { script: "location = '/file'; 0" });
  await until(() => slow.file, 20_000, 'the file is asked for');
  await until(async () => /slow\.bin/.test(await agent.call('browser_downloads')), 20_000, 'the download is known');
  await agent.raw('browser_evaluate', { script: 'setTimeout(() => window.close(), 0); 0' });
  await until(async () => !/popup/.test(await agent.call('browser_tabs', { action: 'list' })), 20_000, 'its tab is closed');
  slow.file.end('y'.repeat(1000));
  assert.match(await agent.call('browser_downloads', { wait: true }), /slow\.bin.*2000|2000.*slow\.bin/s);
});

test('a new tab for what is no page says so and is not left behind', async (t) => {
  const { agent, url } = await setup(t);
  const refused = async (path) => (await agent.raw('browser_tabs', { action: 'new', url: `${url}${path}` })).content[0].text;
  assert.match(await refused('/quick'), /\/quick is a download, not a page\nCall browser_downloads to see its progress\./);
  assert.match(await agent.call('browser_downloads', { wait: true }), /"quick\.bin" done, 1000 of 1000 bytes/);
  assert.match(await refused('/nothing'), /the server sent no page \(such as 204 No Content\)/);
  assert.equal((await agent.call('browser_tabs', { action: 'list' })).match(/127\.0\.0\.1|about:blank/g).length, 1);
});

test('after kill -9 of the daemon the downloads of a session are there, and half ones are told as lost', async (t) => {
  const named = { sessionId: 'files' };
  const { daemon, agent, slow, url } = await setup(t, named);
  await agent.raw('browser_navigate', { ...named, url: `${url}/quick` });
  const before = await agent.call('browser_downloads', { ...named, wait: true });
  const [, directory] = /^Downloads in (\S+)\n"quick.bin" done, 1000 of 1000 bytes/.exec(before) ?? assert.fail(before);
  await agent.call('browser_evaluate', { ...named, script: "location = '/file'; 0" });
  await until(() => slow.file, 20_000, 'the file is asked for');
  await until(async () => /slow\.bin/.test(await agent.call('browser_downloads', named)), 20_000, 'the download is known');
  await daemon.kill();
  const next = await Daemon.start(t, { dir: daemon.dir });
  const after = await Agent.connect(t, next, kinds[0], { groups: 'all' });
  const listed = await after.call('browser_downloads', named);
  assert.match(listed, /"quick\.bin" done, 1000 of 1000 bytes/);
  assert.match(listed, /"slow\.bin" lost: its browser ended before the download was complete/);
  assert.ok(listed.includes(`Downloads in ${directory}\n`), listed);
  assert.equal((await readFile(`${directory}/quick.bin`, 'utf8')).length, 1000);
  await after.call('close_session', named);
  await until(async () => !(await stat(directory).catch(() => null)), 20_000, 'the files go with their session');
});
