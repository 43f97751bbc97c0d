// SPDX-License-Identifier: Apache-2.0
// The wire: malformed and smuggled requests, pipelining, slow peers.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { Daemon, root, within } from '../support/daemon.mjs';

const escapes = { r: '\r', n: '\n', t: '\t', 0: '\0', '\\': '\\' };

/** The lines of tests/data/http/bad.txt: status, name, request. */
async function badRequests() {
  const text = await readFile(path.join(root, 'tests/data/http/bad.txt'), 'latin1');
  return text.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => {
    const [status, name, request] = line.split('\t');
    const bytes = request.replace(/\\(x([0-9a-fA-F]{2})|(.))/g,
      (_, __, hex, letter) => (hex ? String.fromCharCode(parseInt(hex, 16)) : escapes[letter]));
    return { status: Number(status), name, bytes: Buffer.from(bytes, 'latin1') };
  });
}

test('HTTP-1: every malformed request is refused and closed, and nothing behind it runs', async (t) => {
  const daemon = await Daemon.start(t, { config: 'http:\n  allowed_hosts: [a, b]\n' });
  const cases = await badRequests();
  assert.ok(cases.length >= 60);
  const follower = Buffer.from('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
  // 404, 405: the head was right and named nothing that takes a body, so the bad one behind it is not even read.
  const unread = [404, 405];
  const allowed = new Set([400, ...unread, 413, 414, 417, 431, 501]);
  for (const { status, name, bytes } of cases) {
    const text = await daemon.raw(Buffer.concat([bytes, follower]), { end: true });
    const seen = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => Number(match[1]));
    assert.equal(seen.length, 1, `${name}: ${seen}`);
    assert.ok(allowed.has(seen[0]), `${name}: ${seen}`);
    if (!unread.includes(seen[0])) assert.equal(seen[0], status, name);
  }
  assert.equal((await daemon.request('/health')).status, 200);
});

test('pipelined requests are answered in their order', async (t) => {
  const daemon = await Daemon.start(t);
  const targets = ['/health', '/a', '/health', '/b', '/health'];
  const bytes = targets.map((target, i) => `GET ${target} HTTP/1.1\r\nHost: localhost\r\n${
    i === targets.length - 1 ? 'Connection: close\r\n' : ''}\r\n`).join('');
  const text = await daemon.raw(bytes);
  const seen = [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map((match) => match[1]);
  assert.deepEqual(seen, ['200', '404', '200', '404', '200']);
});

test('a head that does not come in time gets 408', async (t) => {
  const daemon = await Daemon.start(t, { config: 'http:\n  header_ms: 100\n' });
  const text = await daemon.raw('GET /health HTTP/1.1\r\nHost: local');
  assert.match(text, /^HTTP\/1\.1 408 /);
});

test('an idle connection is closed without words', async (t) => {
  const daemon = await Daemon.start(t, { config: 'http:\n  idle_ms: 100\n' });
  const text = await daemon.raw('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
  assert.equal([...text.matchAll(/HTTP\/1\.1/g)].length, 1);
});

test('a connection over the ceiling gets 503', async (t) => {
  const daemon = await Daemon.start(t, { config: 'http:\n  connections_max: 2\n' });
  const held = await Promise.all([0, 1].map(() => new Promise((resolve) => {
    const socket = net.connect(daemon.port, '127.0.0.1', () => {
      socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
      socket.once('data', () => resolve(socket));
    });
  })));
  assert.match(await daemon.raw(''), /^HTTP\/1\.1 503 /);
  held[0].destroy();
  const again = async () => {
    while ((await daemon.request('/health')).status !== 200);
  };
  await within(again(), 5000, 'a place is free again');
  held[1].destroy();
});

test('a body for a route that wants JSON must be JSON, and a wrong token is told before the body', async (t) => {
  const daemon = await Daemon.start(t);
  const text = await daemon.raw('GET /metrics HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5000000\r\n\r\n');
  assert.match(text, /^HTTP\/1\.1 401 /);
  const reply = await daemon.request('/metrics',
    { auth: true, headers: { 'content-type': 'text/plain', 'content-length': 1 }, body: 'x' });
  assert.equal(reply.status, 415);
  assert.deepEqual(JSON.parse(reply.text).error, { code: 'unsupported_media_type', message: 'the body must be application/json, not "text/plain"',
    hint: "Send the header 'Content-Type: application/json' and a body that is JSON." });
});

const KEEPALIVE = '02'; // in /proc/net/tcp

/** What the system does for the daemon's end of the connection: its timer and the seconds until then. */
async function timerOf(daemonPort, clientPort) {
  const hex = (port) => `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const lines = (await readFile('/proc/net/tcp', 'utf8')).split('\n').map((line) => line.trim().split(/\s+/));
  const [timer, jiffies] = lines.find(([, local, remote]) =>
    local?.endsWith(hex(daemonPort)) && remote.endsWith(hex(clientPort)))[5].split(':');
  return { kind: timer, seconds: parseInt(jiffies, 16) / 100 };
}

test('the system asks after a peer that is silent', async (t) => {
  const daemon = await Daemon.start(t);
  const { port } = new URL(daemon.url);
  const socket = net.connect(Number(port), '127.0.0.1');
  t.after(() => socket.destroy());
  const answer = within(new Promise((resolve) => socket.once('data', resolve)), 5000, 'an answer');
  socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n');
  await answer;
  // Until our side has acknowledged the answer, it is the timer for sending it again.
  const end = Date.now() + 5000;
  let timer = await timerOf(Number(port), socket.localPort);
  while (timer.kind !== KEEPALIVE && Date.now() < end) {
    timer = await timerOf(Number(port), socket.localPort);
  }
  assert.equal(timer.kind, KEEPALIVE);
  assert.ok(timer.seconds < 10, `${timer.seconds} s`);
});
