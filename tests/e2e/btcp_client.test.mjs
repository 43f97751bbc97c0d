// SPDX-License-Identifier: Apache-2.0
// The JavaScript client in real pages: the example that comes with it, what its sandbox keeps out, and pages that come back. The pages are in the browser
// of a daemon of their own, so that the one that they talk to can be killed. `make web` builds the client.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { test } from 'node:test';
import { Agent } from '../support/agent.mjs';
import { Daemon, root, undo, until } from '../support/daemon.mjs';
import { makeKey } from '../support/keys.mjs';

const WAIT_MS = 30_000;
const built = path.join(root, 'build/web/btcp-client');
const types = { '.js': 'text/javascript', '.html': 'text/html' };

// All ways out of a worker, or of a page, that could be there; it says which of them it got through.
const probe = `async ({ base }) => {
  const settled = (make) => new Promise((resolve, reject) => make(resolve, reject));
  const ways = {
    fetch: () => fetch(base + '/hit/fetch', { mode: 'no-cors' }),
    xhr: () => settled((resolve, reject) => {
      const request = Object.assign(new XMLHttpRequest(), { onload: resolve, onerror: reject });
      request.open('GET', base + '/hit/xhr');
      request.send();
    }),
    socket: () => settled((resolve, reject) => Object.assign(new WebSocket(base.replace('http', 'ws') + '/hit/socket'), { onopen: resolve, onerror: reject })),
    events: () => settled((resolve, reject) => Object.assign(new EventSource(base + '/hit/events'), { onopen: resolve, onerror: reject })),
    import: () => import(base + '/hit/import.js'),
    data: () => import('data:text/javascript,export default 1'),
    scripts: () => importScripts(base + '/hit/scripts.js'),
    nested: () => settled((resolve, reject) => {
      const code = 'fetch(' + JSON.stringify(base + '/hit/nested') + ', { mode: "no-cors" }).then(() => postMessage(1), () => postMessage(0))';
      const worker = new Worker(URL.createObjectURL(new Blob([code])));
      Object.assign(worker, { onmessage: ({ data }) => (data ? resolve() : reject()), onerror: reject });
    }),
    transport: () => new WebTransport(base.replace('http', 'https')).ready,
    peers: () => new RTCPeerConnection(),
    eval: () => (0, eval)('1'),
    function: () => new Function('return 1')(),
    storage: () => settled((resolve, reject) => Object.assign(indexedDB.open('probe'), { onsuccess: resolve, onerror: reject })),
    caches: () => caches.open('probe'),
    cookies: () => cookieStore.getAll(),
    local: () => localStorage.length,
    document: () => document.title,
    parent: () => parent.location.href,
    opener: () => mine, // of the page
  };
  const through = [];
  for (const [name, way] of Object.entries(ways)) {
    try {
      await way();
      through.push(name);
    } catch {}
  }
  return { through, origin: self.origin };
}`;

const tool = (name) => `{ name: '${name}', description: 'What ${name} does, in words.', inputSchema: {}, timeout: 10_000 }`;
const pages = {
  '/probe.html': `globalThis.mine = 1;
    await client.registerTool(${tool('open')}, ${probe});
    await client.registerTool(${tool('shut')}, { source: ${JSON.stringify(probe)} });
    await client.registerTool(${tool('count')}, { source: '() => { globalThis.n = (globalThis.n ?? 0) + 1; return n; }' });
    await client.registerTool({ ...${tool('loop')}, timeout: 1000 }, { source: '() => { for (;;); }' });
    await client.registerTool(${tool('broken')}, { source: '() => {' });
    await client.registerTool(${tool('frames')}, () => document.querySelectorAll('iframe').length);`,
  '/strict.html': `await client.registerTool(${tool('shut')}, { source: '() => 1' });`,
};

function answer(site, req, res) {
  const { pathname } = new URL(req.url, 'http://x');
  if (pathname.startsWith('/hit/')) {
    site.hits.push(pathname.slice(5));
    return res.writeHead(200, { 'content-type': pathname.endsWith('/events') ? 'text/event-stream' : 'text/javascript' }).end('');
  }
  if (pages[pathname]) {
    const policy = pathname === '/strict.html' ? { 'content-security-policy': `default-src 'self'; script-src 'self' 'nonce-1'; connect-src *` } : {};
    return res.writeHead(200, { 'content-type': 'text/html', ...policy }).end(`<!doctype html><title>${pathname}</title><script type="module" nonce="1">
      import { BTCPClient } from '/btcp-client.js';
      const client = new BTCPClient(Object.fromEntries(new URLSearchParams(location.hash.slice(1))));
      ${pages[pathname]}
      await client.connect();
      document.title = client.session.id;
    </script>`);
  }
  return readFile(path.join(built, pathname)).then((text) => res.writeHead(200, { 'content-type': types[path.extname(pathname)] }).end(text), () => res.writeHead(404).end());
}

/** A site with the client, a daemon for its pages to talk to, and an agent that shows them in the browser of another. */
async function stage(t) {
  const site = { hits: [] };
  site.server = http.createServer((req, res) => answer(site, req, res));
  site.server.on('upgrade', (req, socket) => {
    site.hits.push(req.url.slice(5));
    socket.destroy();
  });
  site.server.listen(0, '127.0.0.1');
  await once(site.server, 'listening');
  undo(t, () => {
    site.server.closeAllConnections();
    site.server.close();
  });
  site.url = `http://127.0.0.1:${site.server.address().port}`;
  const config = `http:\n  allowed_origins: [${site.url}]\n`;
  const daemon = await Daemon.start(t, { config });
  const { key } = await makeKey(daemon, { tenant: 'default', scopes: ['act'] });
  const viewer = await Agent.connect(t, await Daemon.start(t));
  const address = (name, more = {}) => `${site.url}${name}#${new URLSearchParams({ serverUrl: `${daemon.url}/btcp`, server: `${daemon.url}/btcp`, token: key, ...more })}`;
  return { site, daemon, viewer, address, config };
}

const clientsOf = async (daemon) => JSON.parse((await daemon.request('/api/sessions', { auth: true })).text).sessions.filter(({ type }) => type === 'client');

/** An agent in the session of the one page, once that has its tools. */
async function join(t, daemon, count) {
  const ready = async () => (await clientsOf(daemon)).find(({ capabilities, away }) => capabilities?.tools === count && !away);
  await until(ready, WAIT_MS, `a page with ${count} tools`);
  const agent = await Agent.connect(t, daemon);
  await agent.call('set_current_session', { sessionId: (await ready()).sessionId });
  return agent;
}

const json = async (agent, name, args) => JSON.parse((await agent.call(name, args)).split('\n')[0]);

test('S4-02, S4-09, S4-12: the example page brings its three tools, and an agent shops with them', async (t) => {
  const { daemon, viewer, address } = await stage(t);
  await viewer.call('browser_navigate', { url: address('/example/index.html') });
  const agent = await join(t, daemon, 3);
  const { tools } = await agent.client.listTools();
  assert.equal(tools.filter(({ name }) => ['list_items', 'add_item', 'to_grams'].includes(name)).length, 3);
  const { grams } = await json(agent, 'to_grams', { amount: 8, unit: 'oz' });
  assert.equal(grams, 227);
  assert.deepEqual(await json(agent, 'add_item', { item: `${grams} g butter` }), { count: 3 });
  assert.deepEqual(await json(agent, 'list_items', {}), { items: ['2 apples', '500 g flour', '227 g butter'] });
  assert.match(await agent.failure('add_item', { item: '' }), /the arguments.item must have a length of at least 1/);
  assert.match(await viewer.call('browser_snapshot'), /227 g butter[^]*connected \(websocket\)[^]*add_item failed/);
});

test('S4-12: a tool from text sees neither page nor network, and ends when its time is over', async (t) => {
  const { site, daemon, viewer, address } = await stage(t);
  await viewer.call('browser_navigate', { url: address('/probe.html') });
  const agent = await join(t, daemon, 6);
  const open = await json(agent, 'open', { base: site.url });
  const ways = ['fetch', 'xhr', 'events', 'import', 'data', 'nested', 'peers', 'eval', 'function', 'storage', 'local', 'document', 'parent', 'opener'];
  assert.deepEqual(ways.filter((name) => !open.through.includes(name)), [], 'the probe finds what there is');
  assert.ok(site.hits.length >= 5, `${site.hits}`);
  site.hits.length = 0;
  assert.deepEqual(await json(agent, 'shut', { base: site.url }), { through: [], origin: 'null' });
  assert.deepEqual([await agent.call('count'), await agent.call('count')].map((text) => text.split('\n')[0]), ['1', '1'], 'each call begins afresh');
  const looping = agent.failure('loop');
  assert.equal((await agent.call('count')).split('\n')[0], '1', 'the page goes on meanwhile');
  assert.match(await looping, /within 1000 ms/);
  assert.match(await agent.failure('broken'), /SyntaxError/);
  await until(async () => (await agent.call('frames')).startsWith('0'), WAIT_MS, 'no frame is left, and so no worker');
  assert.deepEqual(site.hits, []);
});

test('where the policy of a page leaves no room for the sandbox, calls say so', async (t) => {
  const { daemon, viewer, address } = await stage(t);
  await viewer.call('browser_navigate', { url: address('/strict.html') });
  const agent = await join(t, daemon, 1);
  assert.match(await agent.failure('shut'), /the sandbox did not start; .*Content-Security-Policy/);
});

test('S4-43: a page comes back by itself after kill -9 of the daemon, with its session, its tools and what it shows; a reload goes on as well', async (t) => {
  const { daemon: first, viewer, address, config } = await stage(t);
  await viewer.call('browser_navigate', { url: address('/example/index.html') });
  const before = await join(t, first, 3);
  await before.call('add_item', { item: 'salt' });
  const [{ sessionId }] = await clientsOf(first);
  await first.kill();
  const daemon = await Daemon.start(t, { dir: first.dir, config, args: ['--listen', `127.0.0.1:${first.port}`] });
  const agent = await join(t, daemon, 3);
  assert.deepEqual((await json(agent, 'list_items', {})).items, ['2 apples', '500 g flour', 'salt']);
  await viewer.call('browser_evaluate', { script: 'location.reload()' });
  await until(async () => (await json(agent, 'list_items', {}).catch(() => ({ items: [] }))).items.length === 2, WAIT_MS, 'the page that was reloaded');
  assert.deepEqual((await clientsOf(daemon)).map((each) => each.sessionId), [sessionId], 'all the time one session');
});

test('tabs that share a session do not fight for it: the newest has it, also after kill -9', async (t) => {
  const { daemon: first, viewer, address, config } = await stage(t);
  await viewer.call('browser_navigate', { url: address('/example/index.html') });
  await join(t, first, 3);
  let session;
  await until(async () => {
    [session] = /[0-9a-z]{26}-[0-9a-z]{4}/.exec(await viewer.call('browser_evaluate', { script: 'document.getElementById("id").textContent' })) ?? [];
    return session;
  }, WAIT_MS, 'the id on the page');
  for (let i = 1; i <= 3; i += 1) await viewer.call('browser_tabs', { action: 'new', url: address('/example/index.html', { session }) });
  const states = async () => {
    const seen = [];
    for (let tab = 0; tab <= 3; tab += 1) {
      await viewer.call('browser_tabs', { action: 'select', tab });
      seen.push((await viewer.call('browser_evaluate', { script: 'document.getElementById("state").textContent' })).includes('connected (') ? 'has it' : 'has not');
    }
    return seen;
  };
  const settled = ['has not', 'has not', 'has not', 'has it'];
  await until(async () => JSON.stringify(await states()) === JSON.stringify(settled), WAIT_MS, 'the newest');
  await first.kill();
  const daemon = await Daemon.start(t, { dir: first.dir, config, args: ['--listen', `127.0.0.1:${first.port}`] });
  const agent = await join(t, daemon, 3);
  assert.deepEqual(await states(), settled);
  await agent.call('add_item', { item: 'salt' });
  await viewer.call('browser_tabs', { action: 'select', tab: 3 });
  assert.match(await viewer.call('browser_snapshot'), /salt/);
  const connects = daemon.log.text.match(/\/btcp/g)?.length ?? 0;
  assert.ok(connects < 10, `${connects} connections`);
});
