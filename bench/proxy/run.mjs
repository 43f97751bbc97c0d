// SPDX-License-Identifier: Apache-2.0
// A page with 60 resources, loaded in a session without a policy and in one whose every byte goes through the forward proxy,
// by turns; and how long it takes to start such a session. QUICK=1 is a short run.
import { once } from 'node:events';
import http from 'node:http';
import { Agent, kinds } from '../../tests/support/agent.mjs';
import { Daemon } from '../../tests/support/daemon.mjs';
import { median } from '../browser/lib/measure.mjs';

const quick = Boolean(process.env.QUICK);
const LOADS = quick ? 15 : 60;
const STARTS = quick ? 5 : 15;
const RESOURCES = 60;
const BYTES = 10_000;

const hooks = [];
const t = { after: (fn) => hooks.unshift(fn) };
const say = (text) => process.stdout.write(`${text}\n`);

async function site() {
  const body = Buffer.alloc(BYTES, 'x');
  let loads = 0;
  const server = http.createServer((request, response) => {
    if (request.url.startsWith('/r')) return response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-store' }).end(body);
    const names = Array.from({ length: RESOURCES }, (_, i) => `/r${i}?${loads}`);
    loads++;
    return response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'no-store' }).end(`<!doctype html><title>load</title><script>
      const begun = performance.now();
      window.done = Promise.all(${JSON.stringify(names)}.map((url) => fetch(url).then((answer) => answer.arrayBuffer())))
        .then(() => performance.now() - begun);</script>`);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  return `http://127.0.0.1:${server.address().port}/`;
}

async function load(agent, sessionId, url) {
  const begun = performance.now();
  await agent.call('browser_navigate', { sessionId, url });
  const fetched = Number(/^[\d.]+/.exec(await agent.call('browser_evaluate', { sessionId, script: 'window.done' }))[0]);
  return { all: performance.now() - begun, fetched };
}

async function start(agent, args) {
  const begun = performance.now();
  await agent.call('start_session', { sessionId: 'fresh', ...args });
  const ms = performance.now() - begun;
  await agent.call('close_session', { sessionId: 'fresh' });
  await new Promise((resolve) => { setTimeout(resolve, 1500); }); // for the next spare
  return ms;
}

const url = await site();
const daemon = await Daemon.start(t);
const agent = await Agent.connect(t, daemon, kinds[0]);
const policy = { allow_domains: ['127.0.0.1'] };
await agent.call('start_session', { sessionId: 'free' });
await agent.call('start_session', { sessionId: 'held', policy });
const figures = { free: [], held: [] };
for (let i = -3; i < LOADS; i++) {
  for (const name of i % 2 ? ['free', 'held'] : ['held', 'free']) {
    const figure = await load(agent, name, url);
    if (i >= 0) figures[name].push(figure);
  }
}
const of = (name, what) => median(figures[name].map((figure) => figure[what]));
for (const what of ['all', 'fetched']) {
  say(`${what === 'all' ? 'navigate and load' : 'fetch alone'}, ${RESOURCES} resources: ${of('free', what).toFixed(1)} ms, through the proxy ${of('held', what).toFixed(1)} ms, ratio ${(of('held', what) / of('free', what)).toFixed(3)}`);
}
const starts = { free: [], held: [] };
for (let i = 0; i < STARTS; i++) {
  starts.free.push(await start(agent, {}));
  starts.held.push(await start(agent, { policy }));
}
say(`start_session: ${median(starts.free).toFixed(1)} ms, with a policy ${median(starts.held).toFixed(1)} ms`);
for (const hook of hooks) await hook();
process.exit(0);
