// SPDX-License-Identifier: Apache-2.0
// Events to the outside: streams, WebSockets, coming back, slow readers, webhooks.
import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { WebSocket } from 'ws';
import { Daemon, fixtures, run, sanitized, tempDir, until, within } from '../support/daemon.mjs';
import { metric, Reader, Source } from '../support/events.mjs';

const WAIT_MS = 20_000;
const numbers = (ids) => ids.map((id) => Number(id.split('-')[1]));
const range = (from, to) => Array.from({ length: to - from + 1 }, (_, i) => from + i);

function webSocket(t, daemon, { query = '', unix = false } = {}) {
  const ws = unix ? new WebSocket(`ws+unix://${daemon.socket}:/api/events${query}`, { headers: { host: 'localhost' } })
    : new WebSocket(`ws://127.0.0.1:${daemon.port}/api/events${query}`, { headers: { authorization: `Bearer ${daemon.token}` } });
  ws.on('error', () => {});
  t.after(() => ws.terminate());
  return ws;
}

test('events come as a stream and as messages, alike', async (t) => {
  const daemon = await Daemon.start(t);
  const source = await Source.begin(daemon);
  const reader = await Reader.open(t, daemon);
  const ws = webSocket(t, daemon);
  await within(once(ws, 'open'), WAIT_MS, 'the WebSocket');
  const message = once(ws, 'message');
  await source.happen(1);
  await reader.until(1);
  const event = reader.json(0);
  assert.match(event.id, /^[0-9a-f]{12}-1$/);
  assert.equal(event.id, reader.ids[0]);
  assert.equal(event.type, 'call_done');
  assert.ok(Math.abs(Date.parse(event.time) - Date.now()) < 60_000);
  assert.deepEqual([event.tenant, event.sessionId, event.kind, event.data.tool], ['default', null, null, 'list_sessions']);
  assert.equal((await within(message, WAIT_MS, 'a message'))[0].toString(), reader.events[0]);
});

test('nobody gets in without a token, and a wrong filter is refused', async (t) => {
  const daemon = await Daemon.start(t);
  assert.equal((await daemon.request('/api/events')).status, 401);
  const refused = await daemon.request('/api/events?type=nonsense', { auth: true });
  assert.equal(refused.status, 400);
  assert.match(refused.text, /'nonsense'/);
  const ws = new WebSocket(`ws://127.0.0.1:${daemon.port}/api/events`);
  ws.on('error', () => {});
  const [, answer] = await within(once(ws, 'unexpected-response'), WAIT_MS, 'an answer');
  assert.equal(answer.statusCode, 401);
  ws.terminate();
});

test('a reader whose line breaks again and again misses nothing and gets nothing twice', async (t) => {
  const daemon = await Daemon.start(t);
  const source = await Source.begin(daemon);
  const ids = [];
  let reader = await Reader.open(t, daemon);
  await within(new Promise((resolve) => reader.waiting.push(() => reader.last && (resolve(), true))), WAIT_MS, 'a place to go on from');
  for (let round = 1; round <= 20; round++) {
    const happening = source.happen(50);
    if (round % 2) await happening;
    else await reader.until(reader.ids.length + 1);
    reader.close();
    await happening;
    ids.push(...reader.ids);
    reader = await Reader.open(t, daemon, { after: reader.last, header: round % 3 > 0 });
    await reader.until(round * 50 - ids.length);
  }
  ids.push(...reader.ids);
  assert.deepEqual(numbers(ids), range(1, 1000));
});

test('after a restart the first event is resync', async (t) => {
  const dir = await tempDir(t);
  const first = await Daemon.start(t, { dir });
  const reader = await Reader.open(t, first);
  await (await Source.begin(first)).happen(3);
  await reader.until(3);
  await first.kill();
  const second = await Daemon.start(t, { dir });
  await (await Source.begin(second)).happen(2);
  const again = await Reader.open(t, second, { after: reader.ids.at(-1) });
  await again.until(3);
  assert.deepEqual(numbers(again.ids), [0, 1, 2]);
  assert.equal(again.json(0).type, 'resync');
  assert.deepEqual(again.json(0).data, { reason: 'restarted', next: again.ids[1] });
});

test('streams end when the daemon stops', async (t) => {
  const daemon = await Daemon.start(t);
  const reader = await Reader.open(t, daemon);
  const ws = webSocket(t, daemon);
  await within(once(ws, 'open'), WAIT_MS, 'the WebSocket');
  const closed = once(ws, 'close');
  daemon.child.kill('SIGTERM');
  const [code] = await within(closed, WAIT_MS, 'the close');
  assert.equal(code, 1001);
  await within(daemon.exited, WAIT_MS, 'the end of the daemon');
  assert.equal(reader.res.complete, true);
});

test('sessions are listed, renewed and stopped by REST, and their events tell it', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const source = await Source.begin(daemon);
  const reader = await Reader.open(t, daemon, { query: '?kind=browser&type=session_started,session_renewed,session_ended' });
  const ask = async (target, body = {}) => {
    const reply = await daemon.request(`/api/${target}`, {
      method: 'POST', auth: true, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
    });
    return [reply.status, JSON.parse(reply.text)];
  };
  for (const name of ['one', 'two', 'three']) await source.call('start_session', { name });
  const list = JSON.parse((await daemon.request('/api/sessions', { auth: true })).text);
  assert.deepEqual(list.sessions.map((session) => session.sessionId), ['one', 'two', 'three']);
  const [status, renewed] = await ask('sessions/one/renew', { ttl_ms: 60_000 });
  assert.equal(status, 200);
  assert.ok(Math.abs(Date.parse(renewed.expiresAt) - Date.now() - 60_000) < 10_000);
  assert.deepEqual(await ask('sessions/two/close'), [200, { closed: 'two' }]);
  assert.deepEqual(await ask('stop-all'), [200, { stopped: 2 }]);
  assert.equal((await ask('sessions/one/close'))[0], 410);
  await reader.until(7);
  const events = reader.events.map((text) => JSON.parse(text));
  assert.deepEqual(events.slice(0, 5).map(({ type, sessionId }) => `${type} ${sessionId}`), [
    'session_started one', 'session_started two', 'session_started three', 'session_renewed one', 'session_ended two']);
  assert.deepEqual(events.slice(5).map(({ data }) => data.reason), ['global_stop', 'global_stop']);
  assert.deepEqual(events.slice(3, 5).map(({ data }) => [data.reason, data.agent]), [[undefined, 'operator'], ['user_stopped', 'operator']]);
  const told = (sessionId) => source.call('browser_snapshot', { sessionId });
  await assert.rejects(told('two'), /Session two was stopped by the user; .*Ask the user before you start another session;/s);
  await assert.rejects(told('one'), /Session one was stopped by the operator, with all other sessions; .*Ask the user before/s);
  // Who names no session, and has not heard of it, is not let into a new one unasked either.
  for (const [tool, args] of [['start_session', { name: 'four' }], ['browser_navigate', { url: 'http://127.0.0.1/' }]]) {
    const agent = await Source.begin(daemon);
    await agent.call('browser_navigate', { url: 'http://127.0.0.1/' });
    await ask('stop-all');
    await assert.rejects(agent.call(tool, args),
      /was stopped by the operator, with all other sessions; .*Ask the user .* when the user agrees, call browser_navigate or start_session/s);
    await agent.call(tool, args);
  }
  daemon.child.kill('SIGTERM'); // then all of the log is there
  await daemon.exited;
  const log = await run(['audit', 'export', '--type', 'global_stop', '--state-dir', daemon.stateDir]);
  assert.match(log.stdout, /"agent":"operator"/);
});

/** A server for a webhook; it gives the statuses of `script` in turn, then 200. */
async function receiver(t, secret, script) {
  const got = [];
  const server = http.createServer(async (req, res) => {
    let body = '';
    for await (const data of req) body += data;
    const time = req.headers['x-tabard-timestamp'];
    const signature = `sha256=${createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')}`;
    assert.equal(req.headers['x-tabard-signature'], signature);
    assert.ok(Math.abs(Number(time) * 1000 - Date.now()) < 60_000);
    const event = JSON.parse(body);
    assert.deepEqual([req.headers['x-tabard-event'], req.headers['x-tabard-delivery']], [event.type, event.id]);
    const status = script.shift() ?? 200;
    got.push(`${event.id.split('-')[1]}:${status}`);
    res.writeHead(status, { location: '/elsewhere' }).end('thank you');
    server.emit('got');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.after(() => { server.closeAllConnections(); server.close(); });
  return { got, server, url: `http://127.0.0.1:${server.address().port}/hook?key=hidden` };
}

async function received(hook, count) {
  while (hook.got.length < count) await within(once(hook.server, 'got'), WAIT_MS, `delivery ${hook.got.length + 1}`);
}

test('a webhook that fails gets its events again, in order, signed', async (t) => {
  const secret = 'a secret of sixteen or more';
  const all = await receiver(t, secret, [500, 302]);
  const none = await receiver(t, secret, []);
  const daemon = await Daemon.start(t, {
    config: `webhooks:\n  - url: ${all.url}\n    secret: ${secret}\n`
      + `  - url: ${none.url}\n    secret: ${secret}\n    types: [session_ended]\n`,
  });
  await (await Source.begin(daemon)).happen(4);
  await received(all, 6);
  assert.deepEqual(all.got, ['1:500', '1:302', '1:200', '2:200', '3:200', '4:200']);
  assert.deepEqual(none.got, []);
  assert.equal(await metric(daemon, 'tabard_webhook_failures_total'), 2);
  await daemon.logged('accepts events again');
  assert.doesNotMatch(daemon.log.text, /sixteen|hidden/);
});

/** Asks for /health all the time, from a thread of its own; `end` gives the slowest answer in ms. */
function askHealth(t, daemon) {
  const worker = new Worker(`
    const { parentPort, workerData } = require('node:worker_threads');
    let slowest = 0;
    (async () => {
      for (;;) {
        const asked = performance.now();
        const reply = await fetch(workerData);
        if (reply.status !== 200) throw new Error('status ' + reply.status);
        await reply.text();
        slowest = Math.max(slowest, performance.now() - asked);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    })();
    parentPort.on('message', () => parentPort.postMessage(slowest));
  `, { eval: true, workerData: `${daemon.url}/health` });
  t.after(() => worker.terminate());
  return {
    async end() {
      worker.postMessage('how slow');
      const [slowest] = await within(once(worker, 'message'), WAIT_MS, 'the slowest answer');
      await worker.terminate();
      return slowest;
    },
  };
}

const residentMb = (daemon) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${daemon.child.pid}/status`, 'utf8'))[1]) / 1024;

test('of a thousand readers half stop reading; the others miss nothing and memory is bounded', async (t) => {
  const EACH = 250;
  const BATCH = 60;
  const MOST = 20_000; // events; the sockets of those who stopped hold some, the daemon keeps some
  const daemon = await Daemon.start(t);
  const source = await Source.begin(daemon);
  const many = (make) => Promise.all(Array.from({ length: EACH }, make));
  const opened = async (ws) => { await within(once(ws, 'open'), WAIT_MS, 'a WebSocket'); return ws; };
  const readers = [...await many(() => Reader.open(t, daemon, { many: true })),
    ...await many(() => Reader.open(t, daemon, { many: true, unix: true }))];
  const stopped = await many(() => Reader.open(t, daemon, { unix: true, reads: false }));
  const stoppedWs = await many(async () => {
    const ws = await opened(webSocket(t, daemon, { unix: true }));
    ws.pause();
    return ws;
  });
  assert.equal(await metric(daemon, 'tabard_event_readers'), 4 * EACH);

  const before = residentMb(daemon);
  let most = before;
  const health = askHealth(t, daemon);
  let sent = 0;
  const left = () => metric(daemon, 'tabard_event_readers');
  while (sent < MOST && await left() > 2 * EACH) {
    await source.happen(BATCH);
    sent += BATCH;
    await Promise.all(readers.map((reader) => reader.until(sent)));
    most = Math.max(most, residentMb(daemon));
  }
  const slowest = await health.end();
  t.diagnostic(`${sent} events; resident ${before.toFixed(1)} MB before, at most ${most.toFixed(1)} MB; slowest /health ${slowest.toFixed(0)} ms`);
  assert.ok(readers.every((reader) => reader.count === sent));
  assert.equal(await metric(daemon, 'tabard_events_total'), sent);
  // A WebSocket that was dropped is a reader until it has had its time to answer the close frame.
  await until(async () => await left() === 2 * EACH, WAIT_MS, 'the end of those who stopped reading');
  // On a slow machine a WebSocket that answers no ping has gone before its time to be dropped.
  const dropped = await metric(daemon, 'tabard_event_readers_dropped_total');
  assert.ok(dropped >= EACH, `${dropped} were dropped`);
  if (!sanitized) assert.ok(most - before < 64, `${most - before} MB more`);
  assert.ok(slowest < 2000, `/health took ${slowest} ms`);

  // Those who stopped find out where they were, and can go on from there or are told that it is too late.
  const closed = once(stoppedWs[0], 'close');
  stoppedWs[0].resume();
  const [code, cursor] = await within(closed, WAIT_MS, 'the close');
  // 1006: so slow a machine that the daemon has given up waiting for it to take the last words.
  assert.ok(code === 1006 || (code === 1013 && /^[0-9a-f]{12}-\d+$/.test(cursor)), `closed with ${code} ${cursor}`);
  const late = stopped[0];
  late.res.on('data', (data) => late.take(data));
  await within(once(late.res, 'close'), WAIT_MS, 'the end of the stream');
  assert.equal(late.json(-1).type, 'dropped');
  assert.deepEqual(numbers(late.ids.slice(0, -1)), range(1, numbers(late.ids).at(-1)));
  const again = await Reader.open(t, daemon, { after: late.ids.at(-1) });
  await again.until(1);
  assert.deepEqual([again.json(0).type, again.json(0).data.reason], ['resync', 'expired']);
});
