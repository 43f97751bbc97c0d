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
import { Names } from '../support/names.mjs';
import { below } from '../support/processes.mjs';
import { headers, ways } from '../support/ways_out.mjs';

const ARRIVE_MS = 1500; // for a way in a session that nothing limits
const LOAD_MS = 30_000;
const WAYS_MIN = 50;

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
    return response.writeHead(200, { 'content-type': 'text/html', ...headers[name]?.(other.to(name)) })
      .end(`<!doctype html><title>${name}</title><body>${ways[name](other.to(name))}`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.close(); server.closeAllConnections(); });
  return { host: `127.0.0.1:${server.address().port}`, served };
}

/** Loads the page of each way. The call fails if that leaves at once, and while the tab of the one before is being closed. */
async function tryAll(agent, session, { host, served }, each = async () => {}) {
  served.clear();
  for (const name of Object.keys(ways)) {
    await until(async () => {
      await agent.call('browser_navigate', { sessionId: session, url: `http://${host}/${name}`, timeout_ms: 5000 }).catch(() => {});
      return served.has(name);
    }, LOAD_MS, `the page ${name} is loaded`);
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
    await until(() => came(other), ARRIVE_MS, name).then(() => arrived.push(name), () => silent.push(name));
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

/** TABARD_ENGINE=chromium tries the full browser. */
const config = `browser:\n  engine: ${process.env.TABARD_ENGINE ?? 'auto'}\n`;

test('NET-1: of more than fifty ways out of a page none leads to a host that is not allowed', { timeout: 600_000 }, async (t) => {
  const names = await Names.make(t);
  const daemon = await Daemon.start(t, names ? { disk: names, config } : { config });
  const other = await Other.start(t, names);
  const site = await pages(t, other);
  const { host } = site;
  const agent = await Agent.connect(t, daemon);
  const { arrived, silent } = await countArrivals(agent, site, other);
  t.diagnostic(`${arrived.length} ways arrive without a policy; silent even so: ${silent.join(', ')}; names ${names ? 'looked up' : 'not tried'}`);
  assert.ok(arrived.length >= WAYS_MIN, `only ${arrived.length} ways arrive without a policy`);

  await start(agent, 'one', { policy: { allow_domains: [host] } });
  await tryAll(agent, 'one', site);
  await expectSilence(other, 'one host allowed');
  const listed = await daemon.request('/api/sessions/one/hosts', { auth: true });
  assert.ok(JSON.parse(listed.text).refusedTotal >= arrived.length / 2, listed.text);

  // From an empty page: there is no host from which a page could come.
  await start(agent, 'none', { policy: { allow_domains: [] } });
  for (const name of Object.keys(ways)) {
    const html = JSON.stringify(`<body>${ways[name](other.to(name))}`);
    await agent.call('browser_evaluate', { sessionId: 'none', script: `document.open(); document.write(${html}); document.close()`, timeout_ms: 5000 }).catch(() => {});
  }
  await agent.call('browser_navigate', { sessionId: 'none', url: `http://${host}/img` }).catch(() => {});
  await expectSilence(other, 'no host allowed');

  // The browser's network service is killed: what comes back has a pass again, and no way around it.
  process.kill(networkService(daemon).pid, 'SIGKILL');
  await tryAll(agent, 'one', site);
  await expectSilence(other, 'after the network service was killed');
});
