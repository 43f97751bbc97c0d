// SPDX-License-Identifier: Apache-2.0
// Whether times tell what words do not: of another tenant's things against those of nobody, and of a key that is nearly right against one that
// is not. Samples of two classes come in random order on one connection; of each the slowest twentieth is dropped, which is the machine's and not
// the daemon's. Welch's t of more than 4.5 is a difference (the bound of dudect). A pair that must differ shows that a difference would be seen.
import assert from 'node:assert/strict';
import { randomBytes, randomInt } from 'node:crypto';
import { once } from 'node:events';
import net from 'node:net';
import { test } from 'node:test';
import { Daemon, fixtures } from '../support/daemon.mjs';
import { as, ask, makeKey } from '../support/keys.mjs';
import { beginSession, post, request } from '../support/mcp.mjs';

const SAMPLES = Number(process.env.TABARD_TIMING ?? 20_000); // of both classes together
const BOUND = 4.5;
const KEPT = 0.95;
const MEDIAN_NS = 5e6;
const ROUNDS = 3; // a difference of the daemon's is there each time, one of the machine's is not

/** One request after another on one connection. */
class Clock {
  static async open(t, daemon) {
    const clock = new Clock();
    clock.socket = net.connect(daemon.port, '127.0.0.1').setNoDelay(true);
    await once(clock.socket, 'connect');
    clock.socket.on('data', (data) => clock.take(data));
    t.after(() => clock.socket.destroy());
    return clock;
  }

  take(data) {
    this.text += data.toString('latin1');
    const head = this.text.indexOf('\r\n\r\n');
    if (head < 0) return;
    const length = Number(/content-length: (\d+)/i.exec(this.text)?.[1] ?? 0);
    if (this.text.length >= head + 4 + length) this.done(process.hrtime.bigint());
  }

  /** Nanoseconds from the last byte asked to the last byte answered, and the status. */
  async measure(bytes) {
    this.text = '';
    const answered = new Promise((resolve) => { this.done = resolve; });
    const from = process.hrtime.bigint();
    this.socket.write(bytes);
    const ns = Number(await answered - from);
    return { ns, status: Number(this.text.slice(9, 12)) };
  }
}

function welch(a, b) {
  const crop = (list) => list.sort((x, y) => x - y).slice(0, Math.floor(list.length * KEPT));
  const [one, other] = [crop(a), crop(b)];
  const mean = (list) => list.reduce((sum, x) => sum + x, 0) / list.length;
  const [m, n] = [mean(one), mean(other)];
  const spread = (list, middle) => list.reduce((sum, x) => sum + (x - middle) ** 2, 0) / (list.length - 1) / list.length;
  return { t: (m - n) / Math.sqrt(spread(one, m) + spread(other, n)), medians: one[one.length >> 1] - other[other.length >> 1] };
}

/** Two makers of requests, in random order; each answer has to have the status that is expected. */
async function compare(clock, makers, statuses, samples = SAMPLES) {
  const times = [[], []];
  for (let i = 0; i < samples + 200; i++) {
    const which = randomInt(2);
    const { ns, status } = await clock.measure(makers[which]());
    assert.ok(statuses[which].includes(status), `${status}`);
    if (i >= 200) times[which].push(ns);
  }
  return welch(...times);
}

async function expectSame(t, clock, what, makers, statuses) {
  const seen = [];
  for (let round = 0; round < ROUNDS; round++) {
    const result = await compare(clock, makers, [statuses, statuses]);
    seen.push(result.t);
    t.diagnostic(`${what}: t = ${result.t.toFixed(2)}, medians ${(result.medians / 1000).toFixed(2)} us apart, ${SAMPLES} samples`);
    assert.ok(Math.abs(result.medians) < MEDIAN_NS, `${what}: medians ${result.medians} ns apart`);
    if (Math.abs(result.t) < BOUND) return;
  }
  assert.fail(`${what}: t of ${ROUNDS} rounds ${seen.map((one) => one.toFixed(2))}`);
}

/** That what does differ is seen, or the rest would say nothing; a busy machine may hide it once. */
async function expectDifference(clock, makers, statuses) {
  const seen = [];
  while (seen.length < ROUNDS && !seen.some((t) => Math.abs(t) > BOUND)) {
    seen.push((await compare(clock, makers, statuses, Math.min(SAMPLES, 20_000))).t);
  }
  assert.ok(Math.abs(seen.at(-1)) > BOUND, `what differs is seen: t = ${seen}`);
}

const http = (daemon, key, method, target, { body, headers = '' } = {}) => `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1:${daemon.port}\r\nAuthorization: Bearer ${key}\r\n${headers}`
  + `${body === undefined ? '' : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n`}\r\n${body ?? ''}`;
const random = (like) => randomBytes(like.length).toString('hex').slice(0, like.length);

test('TEN-2: times do not tell whether an id is another tenant\'s or nobody\'s', { timeout: 3_600_000 }, async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures, config: 'sessions:\n  total: 200\n  per_tenant: 100\n' });
  const { key: a, id: keyOfA } = await makeKey(daemon, { tenant: 'a', scopes: ['act', 'admin'] });
  const { key: b } = await makeKey(daemon, { tenant: 'b', scopes: ['act', 'admin'] });
  const mine = as(daemon, a);
  const { headers } = await beginSession(mine);
  const theirs = [];
  for (let i = 0; i < 20; i++) {
    theirs.push(randomBytes(8).toString('hex'));
    const reply = await post(mine, request(i + 1, 'tools/call', { name: 'start_session', arguments: { sessionId: theirs.at(-1) } }), { headers });
    assert.ok(!reply.text.includes('"isError":true'), reply.text);
    assert.equal((await ask(daemon, a, `/api/secrets/s${theirs.at(-1)}`, { method: 'PUT', body: { value: 'x'.repeat(9), domains: ['example.com'] } })).status, 200);
  }
  const clock = await Clock.open(t, daemon);
  const nobodys = theirs.map(() => randomBytes(8).toString('hex')); // asked for as often, so that caches know them as well
  const [one, none] = [theirs, nobodys].map((list) => () => list[randomInt(list.length)]);
  const talk = headers['mcp-session-id'];
  const call = (id) => JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'browser_snapshot', arguments: { sessionId: id },
    _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {} } } });
  const modern = 'Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: browser_snapshot\r\n';
  const kinds = {
    'a session': (id) => http(daemon, b, 'GET', `/api/sessions/${id}/hosts`),
    'a session to close': (id) => http(daemon, b, 'POST', `/api/sessions/${id}/close`, { body: '{}' }),
    'a session of a tool': (id) => http(daemon, b, 'POST', '/mcp', { body: call(id), headers: modern }),
    'a secret': (id) => http(daemon, b, 'DELETE', `/api/secrets/s${id}`),
  };
  for (const [what, make] of Object.entries(kinds)) {
    await expectSame(t, clock, what, [() => make(one()), () => make(none())], [404, 200]);
  }
  const key = (id) => http(daemon, b, 'DELETE', `/api/keys/${id}`);
  const noKey = `tbk_${random(keyOfA).slice(4)}`;
  await expectSame(t, clock, 'a key', [() => key(keyOfA), () => key(noKey)], [404]);
  const resume = (id) => http(daemon, b, 'DELETE', '/mcp', { headers: `Mcp-Session-Id: ${id}\r\nMCP-Protocol-Version: 2025-11-25\r\n` });
  const noTalk = random(talk);
  await expectSame(t, clock, 'a session of MCP', [() => resume(talk), () => resume(noTalk)], [404]);
  const hosts = (id) => http(daemon, a, 'GET', `/api/sessions/${id}/hosts`);
  await expectDifference(clock, [() => hosts(one()), () => hosts(none())], [[200], [404]]);
});

test('AUTH-2: times do not tell how much of a token is right', { timeout: 3_600_000 }, async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const { key } = await makeKey(daemon, { tenant: 'a', scopes: 'observe' });
  const clock = await Clock.open(t, daemon);
  const other = (letter) => (letter === 'A' ? 'B' : 'A');
  for (const [what, right] of [['a key', key], ['the token', daemon.token]]) {
    const start = what === 'a key' ? key.lastIndexOf('_', key.length - 43) + 1 : 0; // the id is no secret
    const early = right.slice(0, start) + other(right[start]) + right.slice(start + 1);
    const late = right.slice(0, -2) + other(right.at(-2)) + right.at(-1);
    const get = (token) => () => http(daemon, token, 'GET', '/api/sessions');
    await expectSame(t, clock, what, [get(early), get(late)], [401, 429]);
  }
  const [wrong, good] = [() => http(daemon, 'x', 'GET', '/api/sessions'), () => http(daemon, daemon.token, 'GET', '/metrics')];
  await expectDifference(clock, [wrong, good], [[401, 429], [200]]);
});
