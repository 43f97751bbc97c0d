// SPDX-License-Identifier: Apache-2.0
// NET-1: a page of an allowed host tries to reach another server in every way that a page has. Each way is first tried in a
// session without a policy, and only those that arrive there count.
import assert from 'node:assert/strict';
import dgram from 'node:dgram';
import { once } from 'node:events';
import http from 'node:http';
import net from 'node:net';
import { test } from 'node:test';
import { Agent } from '../support/agent.mjs';
import { Daemon, until } from '../support/daemon.mjs';
import { Reader } from '../support/events.mjs';
import { Names } from '../support/names.mjs';
import { below } from '../support/processes.mjs';
import { headers, unseen, ways } from '../support/ways_out.mjs';

const ARRIVE_MS = 1500; // for a way in a session that nothing limits
const LOAD_MS = 30_000;
const WAYS_MIN = 50;
const TRIES = 4;

/** Whatever comes to it counts, by TCP and by UDP. */
class Other {
  static async start(t, names) {
    const other = new Other();
    other.names = names;
    other.seen = [];
    other.sockets = new Set();
    other.server = net.createServer((socket) => other.accept(socket)).listen(0, '127.0.0.1');
    await once(other.server, 'listening');
    other.port = other.server.address().port;
    other.udp = dgram.createSocket('udp4').on('message', () => other.seen.push('a datagram'));
    other.udp.bind(other.port, '127.0.0.1');
    await once(other.udp, 'listening');
    t.after(() => {
      other.udp.close();
      other.server.close();
      other.sockets.forEach((socket) => socket.destroy());
    });
    return other;
  }

  accept(socket) {
    this.seen.push('a connection');
    this.sockets.add(socket);
    socket.on('error', () => {}).on('close', () => this.sockets.delete(socket));
    socket.on('data', (data) => {
      this.seen.push(data.toString('latin1').split('\r\n')[0]);
      socket.end('HTTP/1.1 200 OK\r\nAccess-Control-Allow-Origin: *\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
    });
  }

  /** The address of a way, as in ways_out.mjs. */
  to(name) {
    const host = this.names ? `${name}.other.test` : '127.0.0.1';
    return (scheme = 'http', suffix = '') => (['stun', 'turn'].includes(scheme) ? `${scheme}:${host}:${this.port}`
      : `${scheme}://${host}:${this.port}/${name}${suffix}`);
  }

  /** This way has arrived: it asked for its name, requested its path, or is one that does neither. */
  met(way) {
    return this.asked().some((name) => name.startsWith(`${way}.`)) || this.seen.some((line) => line.toLowerCase().includes(`/${way}`))
      || (/^(webrtc|web-transport|preconnect)/.test(way) && this.seen.length > 0);
  }

  asked() {
    return (this.names?.asked ?? []).filter((name) => name.endsWith('other.test'));
  }

  clear() {
    this.seen.length = 0;
    if (this.names) this.names.asked.length = 0;
  }
}

/** The host that is allowed: it serves the pages that try to get out, and knows which it has served. */
async function pages(t, other) {
  const served = new Set();
  const server = http.createServer((request, response) => {
    const { pathname, searchParams, search } = new URL(request.url, 'http://x');
    const name = pathname.slice(1);
    if (pathname === '/to') return response.writeHead(Number(searchParams.get('code')), { location: searchParams.get('to') }).end();
    if (name === 'shared.js' || name === 'service.js') {
      const to = JSON.stringify(decodeURIComponent(search.slice(1)));
      return response.writeHead(200, { 'content-type': 'text/javascript' }).end(`fetch(${to}, { mode: 'no-cors' }).catch(() => {})`);
    }
    if (!ways[name]) return response.writeHead(404).end();
    served.add(name);
    return response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...headers[name]?.(other.to(name)) })
      .end(`<!doctype html><title>${name}</title><body>${ways[name](other.to(name))}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.close(); server.closeAllConnections(); });
  return { host: `127.0.0.1:${server.address().port}`, served };
}

/** Loads the page of a way. The call fails if that leaves at once, and while the tab of the one before is being closed. */
function load(agent, session, { host, served }, name) {
  served.delete(name);
  return until(async () => {
    await agent.call('browser_navigate', { sessionId: session, url: `http://${host}/${name}`, timeout_ms: 5000 }).catch(() => {});
    return served.has(name);
  }, LOAD_MS, `the page ${name} is loaded`);
}

async function tryAll(agent, session, site, each = async () => {}) {
  for (const name of Object.keys(ways)) {
    await load(agent, session, site, name);
    await each(name);
  }
}

const start = (agent, sessionId, more = {}) => agent.call('start_session', { sessionId, ...more });

const came = (other) => other.seen.length + other.asked().length > 0;

/** Waits until nothing more of what was begun arrives. */
async function calm(other) {
  for (let busy = true; busy;) {
    other.clear();
    busy = await until(() => came(other), ARRIVE_MS, 'calm').then(() => true, () => false);
  }
}

async function countArrivals(agent, site, other) {
  const arrived = [];
  const silent = [];
  await start(agent, 'free');
  await tryAll(agent, 'free', site, async (name) => {
    await until(() => other.met(name), ARRIVE_MS, name).then(() => arrived.push(name), () => silent.push(name));
    if (name.includes('window') || name === 'target-blank') {
      await agent.call('close_session', { sessionId: 'free' }).catch(() => {});
      await start(agent, 'free');
    }
    other.clear();
  });
  await agent.call('close_session', { sessionId: 'free' });
  await calm(other);
  return { arrived, silent };
}

/** What came late counts as well, so there is a wait that nothing ends. */
async function expectSilence(other, what) {
  await assert.rejects(until(() => came(other), ARRIVE_MS, what), /not within/,
    `${what}: ${[...other.seen, ...other.asked()]}`);
}

function networkService(daemon) {
  return below(daemon.child.pid).find((p) => p.args.join(' ').includes('network.mojom.NetworkService')
    && below(daemon.child.pid).some((b) => b.pid === p.parent && b.args.join(' ').includes('--host-resolver-rules')));
}

/** Those that want an answer of their own server's, or an origin that browsers trust, which an empty page has not. */
const needsSite = /^(redirect-|payment-|service-worker|shared-worker|worker-module|link-header|refresh-header|csp-report|reporting)/;

/** TABARD_ENGINE=chromium tries the full browser. */
const config = `browser:\n  engine: ${process.env.TABARD_ENGINE ?? 'auto'}\n`;

/** How often the proxy or the daemon has refused what a way wants: by the name of its host, where ways have names. */
async function refusalsOf(world, session, way) {
  const { hosts } = JSON.parse((await world.daemon.request(`/api/sessions/${session}/hosts`, { auth: true })).text);
  const mine = world.names && !/^(spelled|socket)-|-address$/.test(way) ? (host) => host === `${way}.other.test` : (host) => !host.endsWith('.other.test');
  const tabs = world.events.events.filter((text) => text.includes('"page_refused"') && text.includes(world.names ? `//${way}.other.test` : `/${way}`)).length;
  return hosts.filter((one) => mine(one.host)).reduce((sum, one) => sum + one.refused, tabs);
}

/** Every way is refused, and so was tried. One that the tab was too quick for is given another go. */
async function expectRefused(world, session, expected, go) {
  const open = [];
  for (const way of expected) {
    const before = await refusalsOf(world, session, way);
    const refused = () => until(async () => await refusalsOf(world, session, way) > before, ARRIVE_MS, way).then(() => true, () => false);
    for (let left = TRIES; left > 0; left--) {
      await go(way);
      if (await refused()) break;
      if (left === 1) open.push(way);
    }
  }
  assert.deepEqual(open, [], `session ${session}: never tried, or never refused`);
}

/** From an empty page, since there is no host from which one could come: the way says that its script ran, unless that has left already. */
async function goFromNowhere(agent, session, other, way) {
  const html = JSON.stringify(`<body><script>window.ran = ${JSON.stringify(way)}</script>${ways[way](other.to(way))}`);
  const script = `document.open(); document.write(${html}); document.close(); window.ran`;
  let said;
  await until(async () => { // the tab of the way before may still be closing
    await agent.raw('browser_navigate', { sessionId: session, url: 'about:blank' });
    said = JSON.stringify(await agent.raw('browser_evaluate', { sessionId: session, script, timeout_ms: 5000 }));
    return said.includes(way) || /the tab went to where it may not be/.test(said);
  }, LOAD_MS, `${way} runs`).catch((err) => { throw new Error(`${err.message}: ${said}`); });
}

test('NET-1: of more than fifty ways out of a page none leads to a host that is not allowed', { timeout: 600_000 }, async (t) => {
  const names = await Names.make(t);
  if (!names) await t.test('the names that are looked up', { skip: 'no resolver of the test\'s own can be mounted here' });
  const daemon = await Daemon.start(t, names ? { disk: names, config } : { config });
  const other = await Other.start(t, names);
  const site = await pages(t, other);
  const { host } = site;
  const agent = await Agent.connect(t, daemon);
  const world = { daemon, names, events: await Reader.open(t, daemon) };
  const { arrived, silent } = await countArrivals(agent, site, other);
  t.diagnostic(`${arrived.length} ways arrive without a policy; silent even so: ${silent.join(', ')}; names ${names ? 'looked up' : 'not tried'}`);
  assert.ok(arrived.length >= WAYS_MIN, `only ${arrived.length} ways arrive without a policy`);
  for (const way of Object.keys(ways).filter((name) => name.startsWith('spelled-') || name.startsWith('socket-'))) assert.ok(arrived.includes(way), way);
  const seen = arrived.filter((name) => !unseen.test(name));

  await start(agent, 'one', { policy: { allow_domains: [host] } });
  await expectRefused(world, 'one', seen, (way) => load(agent, 'one', site, way));
  await expectSilence(other, 'one host allowed');

  await start(agent, 'none', { policy: { allow_domains: [] } });
  await expectRefused(world, 'none', seen.filter((name) => !needsSite.test(name)), (way) => goFromNowhere(agent, 'none', other, way));
  for (const way of Object.keys(ways).filter((name) => !seen.includes(name))) await goFromNowhere(agent, 'none', other, way);
  assert.match(await agent.failure('browser_navigate', { sessionId: 'none', url: `http://${host}/img` }), /allow_domains/);
  await expectSilence(other, 'no host allowed');

  // The browser's network service is killed: what comes back has a pass again, and no way around it.
  process.kill(networkService(daemon).pid, 'SIGKILL');
  await tryAll(agent, 'one', site);
  await expectSilence(other, 'after the network service was killed');
});

const REBOUND = '127.0.0.9';

test('NET-1: a name that points elsewhere once its page is loaded leads no page to an address that is not allowed', { timeout: 120_000 }, async (t) => {
  const names = await Names.make(t);
  if (!names) return t.skip('no resolver of the test\'s own can be mounted here');
  const daemon = await Daemon.start(t, { disk: names, config });
  const other = await Other.start(t, names);
  const site = http.createServer((request, response) => response.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end('<title>mine</title>')).listen(other.port, REBOUND);
  await once(site, 'listening');
  t.after(() => { site.close(); site.closeAllConnections(); });
  const agent = await Agent.connect(t, daemon);
  const url = `http://rebind.test:${other.port}/`;
  const ask = (session) => agent.call('browser_evaluate', { sessionId: session, script: "fetch('/x', { cache: 'no-store' }).then((r) => 'answered ' + r.status, () => 'failed')" });
  const socket = (session) => agent.call('browser_evaluate', { sessionId: session, script: "new Promise((done) => { const s = new WebSocket('ws://' + location.host); s.onopen = () => done('open'); s.onerror = () => done('failed') })" });
  for (const [session, policy, answers] of [
    ['control', { allow_domains: ['rebind.test'] }, /answered 200/],
    ['blocked', { allow_domains: ['rebind.test'], block_domains: ['127.0.0.1'] }, /answered 403/],
    ['range', { allow_domains: ['rebind.test'], block_domains: ['127.0.0.0/29'] }, /answered 403/],
  ]) {
    names.at.set('rebind.test', () => [REBOUND]);
    await start(agent, session, { policy });
    await agent.call('browser_navigate', { sessionId: session, url });
    for (const addresses of [['127.0.0.1'], ['127.0.0.1', '127.0.0.1']]) {
      names.at.set('rebind.test', () => addresses);
      other.clear();
      assert.match(await ask(session), answers, session);
      await socket(session);
      assert.equal(other.seen.length > 0, session === 'control', `${session}: ${other.seen}`);
    }
    names.at.set('rebind.test', () => ['169.254.169.254', '127.0.0.1'].slice(0, session === 'control' ? 1 : 2));
    assert.match(await ask(session), /answered 403/, 'nor to a cloud\'s metadata, whatever is allowed');
    names.at.set('rebind.test', () => [REBOUND]);
    assert.match(await ask(session), /answered 200/, 'where it may go it goes');
  }
});
