// SPDX-License-Identifier: Apache-2.0
// Those who send slowly, much, or leave things behind: each is bounded, and others do not notice.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import { test } from 'node:test';
import { Daemon, fixtures, sanitized, until, within } from '../support/daemon.mjs';
import { makeKey } from '../support/keys.mjs';
import { LEGACY, initialize, beginSession, post, request } from '../support/mcp.mjs';

const MIB = 1 << 20;
const residentMb = (daemon) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${daemon.child.pid}/status`, 'utf8'))[1]) / 1024;
const descriptors = (daemon) => Number(/^FDSize:\s+(\d+)/m.exec(readFileSync(`/proc/${daemon.child.pid}/status`, 'utf8'))[1]);

/** Milliseconds of /health, the worst of a hundred but one. */
async function health(daemon) {
  const times = [];
  for (let i = 0; i < 100; i++) {
    const from = performance.now();
    assert.equal((await daemon.request('/health')).status, 200);
    times.push(performance.now() - from);
  }
  return times.sort((a, b) => a - b).at(-2);
}

/** A peer that sends a beginning and then a byte now and then; it knows what came back and when it ended. */
class Slow {
  constructor(port, begin, byte) {
    this.text = '';
    this.began = performance.now();
    this.socket = net.connect(port, '127.0.0.1', () => {
      this.socket.write(begin);
      this.drip = setInterval(() => this.socket.writable && this.socket.write(byte), 900);
    });
    this.socket.on('error', () => {}).on('data', (data) => { this.text += data.toString('latin1'); });
    this.ended = once(this.socket, 'close').catch(() => {}).then(() => {
      clearInterval(this.drip);
      this.ms = performance.now() - this.began;
    });
  }

  stop() {
    clearInterval(this.drip);
    this.socket.destroy();
  }
}

/** TABARD_SLOW: how many peers of each kind; thousands in tools/soak.sh. */
test('HTTP-2: slow heads and slow bodies end by their deadline, and others do not wait for them', { timeout: 300_000 }, async (t) => {
  const many = Number(process.env.TABARD_SLOW ?? 200);
  const daemon = await Daemon.start(t, { config: 'http:\n  header_ms: 3000\n', program: fixtures });
  const keys = [];
  for (let i = 0; i < many / 50; i++) keys.push((await makeKey(daemon, { tenant: 'slow', scopes: 'act' })).key); // a credential has 64 connections
  const idle = await health(daemon);
  const heads = Array.from({ length: many }, () => new Slow(daemon.port, 'GET /health HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', 'x'));
  const bodies = Array.from({ length: many }, (_, i) => new Slow(daemon.port, 'POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\n'
    + `Content-Length: 100000\r\nAuthorization: Bearer ${keys[i % keys.length]}\r\n\r\n{`, ' '));
  t.after(() => [...heads, ...bodies].forEach((slow) => slow.stop()));
  await until(() => descriptors(daemon) >= Math.min(many, 64), 10_000, 'they are connected');
  const busy = await health(daemon);
  const most = residentMb(daemon);
  await within(Promise.all(heads.map((slow) => slow.ended)), 20_000, 'every slow head ends');
  await within(Promise.all(bodies.map((slow) => slow.ended)), 60_000, 'every slow body ends');
  t.diagnostic(`/health took ${idle.toFixed(1)} ms before and ${busy.toFixed(1)} ms beside ${2 * many} slow peers; ${most.toFixed(0)} MB resident`);
  for (const slow of heads) assert.ok(slow.ms >= 2900, `a head ended after ${slow.ms} ms`);
  for (const slow of bodies) assert.match(slow.text, /^HTTP\/1\.1 (408|429|503) |^$/);
  assert.ok(bodies.some((slow) => slow.text.includes(' 408 ')), 'they are told');
  assert.ok(busy < Math.max(2 * idle, 200), `${idle} ms, then ${busy} ms`);
  if (!sanitized) assert.ok(most < 256, `${most} MB`);
  assert.equal((await daemon.request('/health')).status, 200);
});

/** TABARD_OPENINGS: how many; a million in tools/soak.sh. */
test('WS-7: openings that are left behind are bounded, and what they took comes back', { timeout: 3_600_000 }, async (t) => {
  const openings = Number(process.env.TABARD_OPENINGS ?? 6000);
  const daemon = await Daemon.start(t, { program: fixtures, config: 'mcp:\n  session_idle_ms: 2000\n' });
  const { key } = await makeKey(daemon, { tenant: 'hoarder', scopes: 'act' });
  const agent = new http.Agent({ keepAlive: true, maxSockets: 16 });
  t.after(() => agent.destroy());
  const begin = (token) => daemon.request('/mcp', { method: 'POST', agent, body: JSON.stringify(initialize(LEGACY)),
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream' } });
  const counts = {};
  const flood = async (many) => {
    for (let left = many; left > 0; left -= 16) {
      const replies = await Promise.all(Array.from({ length: Math.min(16, left) }, () => begin(key)));
      for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
    }
  };
  await flood(openings / 2);
  await until(async () => (await begin(key)).status === 200, 30_000, 'their time is over');
  const first = residentMb(daemon);
  await flood(openings / 2);
  assert.equal((await begin(daemon.token)).status, 200, 'another credential opens as before');
  await until(async () => (await begin(key)).status === 200, 30_000, 'their time is over again');
  const second = residentMb(daemon);
  t.diagnostic(`${JSON.stringify(counts)}; resident ${first.toFixed(1)} MB after the first half, ${second.toFixed(1)} MB after the second`);
  assert.deepEqual(Object.keys(counts).filter((status) => !['200', '429', '503'].includes(status)), []);
  assert.ok(counts[429] + (counts[503] ?? 0) > 0 || openings < 2000, 'there is a bound');
  if (!sanitized) assert.ok(second < first * 1.05 + 2, `${first} MB, then ${second} MB`);
  assert.equal((await daemon.request('/health')).status, 200);
});

test('MSG-2: a flood of notifications changes nothing and holds up nobody', { timeout: 120_000 }, async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const { headers } = await beginSession(daemon);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  t.after(() => agent.destroy());
  const before = residentMb(daemon);
  const kinds = ['notifications/cancelled', 'notifications/progress', 'notifications/initialized', 'notifications/roots/list_changed', 'notifications/none', 'x'.repeat(1000)];
  const seen = new Set();
  for (let i = 0; i < 5000; i += 8) {
    const replies = await Promise.all(Array.from({ length: 8 }, (_, j) => daemon.request('/mcp', { method: 'POST', auth: true, agent,
      body: JSON.stringify({ jsonrpc: '2.0', method: kinds[(i + j) % kinds.length], params: { requestId: i, progressToken: i, progress: i } }),
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers } })));
    replies.forEach((reply) => seen.add(reply.status));
  }
  assert.deepEqual([...seen].filter((status) => ![202, 400, 429].includes(status)), []);
  assert.deepEqual((await post(daemon, request(2, 'ping'), { headers })).json.result, {});
  assert.deepEqual(JSON.parse((await daemon.request('/api/sessions', { auth: true })).text).sessions, []);
  if (!sanitized) assert.ok(residentMb(daemon) < before + 8, `${before} MB, then ${residentMb(daemon)} MB`);
});

const STACK = 256 << 10;

for (const [what, value, statuses] of [
  ['a million keys', () => `{${Array.from({ length: 500_000 }, (_, i) => `"k${i}":1`).join(',')}}`, [400, 413]],
  ['a million values', () => `[${'1,'.repeat(1_000_001)}1]`, [400, 413]],
  ['a number of 7 MiB', () => '1'.repeat(7 * MIB), [400]],
  ['a number of 10 MiB', () => '1'.repeat(10 * MIB), [413]],
  ['1e999999', () => '1e999999', [400]],
  ['-1e999999', () => '-1e999999', [400]],
  ['a string of 7 MiB', () => `"${'x'.repeat(7 * MIB)}"`, [400]],
  ['depth 10^6', () => '['.repeat(1_000_000), [400]],
  ['depth 10^6 of objects', () => '{"a":'.repeat(1_000_000), [400]],
]) {
  test(`MSG-1: ${what} in a message is refused, with a small stack and in bounded memory`, async (t) => {
    const daemon = await Daemon.start(t, { program: fixtures });
    if (!sanitized) execFileSync('prlimit', ['--pid', `${daemon.child.pid}`, `--stack=${STACK}:${STACK}`]);
    const before = residentMb(daemon);
    const reply = await post(daemon, `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":${value()}}}`);
    assert.ok(statuses.includes(reply.status), `${reply.status}: ${reply.text.slice(0, 200)}`);
    if (reply.status === 400) assert.ok([-32700, -32600, -32602].includes(reply.json.error.code), reply.text.slice(0, 200));
    assert.equal((await daemon.request('/health')).status, 200);
    if (!sanitized) assert.ok(residentMb(daemon) < before + 64, `${before} MB, then ${residentMb(daemon)} MB`);
  });
}
