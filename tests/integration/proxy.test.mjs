// SPDX-License-Identifier: Apache-2.0
// The forward proxy from outside: who gets through it, where to, and what it costs. The sessions have no browser here; the
// fake driver tells the pass that a browser would show.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import { test } from 'node:test';
import { Daemon, fixtures, sanitized, until, within } from '../support/daemon.mjs';
import { as, makeKey, revokeKey } from '../support/keys.mjs';
import { postModern } from '../support/mcp.mjs';

const WAIT_MS = 20_000;
const MB = 1 << 20;

async function startSession(daemon, sessionId, args) {
  const reply = await postModern(daemon, 'tools/call', { name: 'start_session', arguments: { sessionId, ...args } });
  assert.ok(!reply.json.result.isError, reply.text);
  const list = JSON.parse((await daemon.request('/api/sessions', { auth: true })).text);
  const { proxy, user, secret } = list.sessions.find((session) => session.sessionId === sessionId).capabilities;
  return { port: Number(proxy.split(':')[1]), pass: `Proxy-Authorization: Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}\r\n`, user, secret };
}

/** A server that answers each connection by `serve`. */
async function listen(t, serve) {
  const sockets = new Set();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    serve(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => { server.close(); sockets.forEach((socket) => socket.destroy()); });
  return { port: server.address().port, sockets };
}

function connect(t, port) {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.text = '';
  socket.on('error', () => {}).on('data', (data) => { if (socket.text.length < MB) socket.text += data.toString('latin1'); });
  t.after(() => socket.destroy());
  return socket;
}

/** All that comes back for one request, until the proxy closes. */
async function ask(t, port, bytes) {
  const socket = connect(t, port);
  const closed = once(socket, 'end').catch(() => {});
  socket.write(bytes);
  await within(closed, WAIT_MS, bytes);
  socket.destroy();
  return socket.text;
}

async function tunnel(t, { port, pass }, to) {
  const socket = connect(t, port);
  socket.write(`CONNECT 127.0.0.1:${to} HTTP/1.1\r\nHost: 127.0.0.1:${to}\r\n${pass}\r\n`);
  await until(() => socket.text.includes('\r\n\r\n'), WAIT_MS, 'an answer to CONNECT');
  return socket;
}

const setup = async (t, config = '') => Daemon.start(t, { program: fixtures, config });
const residentMb = (daemon) => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${daemon.child.pid}/status`, 'utf8'))[1]) / 1024;

test('without the pass of a session there is 407, whatever is asked', async (t) => {
  const daemon = await setup(t);
  const server = await listen(t, (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
  const { port, user } = await startSession(daemon, 'a', { policy: { allow_domains: ['127.0.0.1'] } });
  const wrong = Buffer.from(`${user}:wrong`).toString('base64');
  for (const header of ['', `Proxy-Authorization: Basic ${wrong}\r\n`, `Authorization: Bearer ${daemon.token}\r\n`, 'Proxy-Authorization: Basic\r\n']) {
    for (const line of [`GET http://127.0.0.1:${server.port}/`, `CONNECT 127.0.0.1:${server.port}`, 'GET /', 'GET /health']) {
      const host = line.startsWith('GET /') ? `127.0.0.1:${port}` : `127.0.0.1:${server.port}`;
      const said = await ask(t, port, `${line} HTTP/1.1\r\nHost: ${host}\r\n${header}\r\n`);
      assert.match(said, /^HTTP\/1\.1 407 .*\r\n[^]*Proxy-Authenticate: Basic realm="tabard"/, `${line} ${header}`);
    }
  }
  assert.equal(server.sockets.size, 0);
});

test('a pass opens what its own session may reach, and ends with it', async (t) => {
  const daemon = await setup(t);
  const one = await listen(t, (socket) => socket.pipe(socket));
  const two = await listen(t, (socket) => socket.pipe(socket));
  const a = await startSession(daemon, 'a', { policy: { allow_domains: [`127.0.0.1:${one.port}`] } });
  const b = await startSession(daemon, 'b', { policy: { allow_domains: [`127.0.0.1:${two.port}`] } });
  assert.match((await tunnel(t, a, two.port)).text, /^HTTP\/1\.1 403 [^]*is not in allow_domains/);
  assert.match((await tunnel(t, b, one.port)).text, /^HTTP\/1\.1 403 /);
  const socket = await tunnel(t, a, one.port);
  socket.write('there and back');
  await until(() => socket.text.endsWith('there and back'), WAIT_MS, 'the echo');
  const hosts = JSON.parse((await daemon.request('/api/sessions/a/hosts', { auth: true })).text);
  assert.deepEqual(hosts.hosts.map(({ host, requests, refused, bytesIn, bytesOut }) => ({ host, requests, refused, bytesIn, bytesOut })),
    [{ host: '127.0.0.1', requests: 1, refused: 1, bytesIn: 14, bytesOut: 14 }]);
  assert.equal(hosts.refused[0].port, two.port);
  const closed = once(socket, 'close');
  socket.on('end', () => socket.end());
  await daemon.request('/api/sessions/a/close', { method: 'POST', auth: true, headers: { 'content-type': 'application/json' }, body: '{}' });
  await within(closed, WAIT_MS, 'the tunnel ends with its session');
  assert.match((await tunnel(t, a, one.port)).text, /^HTTP\/1\.1 407 /);
});

test('the egress of a session obeys the policy of the key that started it, also when that is revoked', async (t) => {
  const daemon = await setup(t);
  const one = await listen(t, (socket) => socket.pipe(socket));
  const two = await listen(t, (socket) => socket.pipe(socket));
  const { id, key } = await makeKey(daemon, { tenant: 'default', scopes: 'act', policy: { allow_domains: [`127.0.0.1:${one.port}`] } });
  const a = await startSession(as(daemon, key), 'a', {});
  for (const revoked of [false, true]) {
    assert.match((await tunnel(t, a, two.port)).text, /^HTTP\/1\.1 403 [^]*is not in allow_domains/, `revoked: ${revoked}`);
    assert.match((await tunnel(t, a, one.port)).text, /^HTTP\/1\.1 200 /);
    if (!revoked) await revokeKey(daemon, id);
  }
});

test('a proxy behind ours that makes tunnels for https only serves plain http, too', async (t) => {
  const daemon = await setup(t);
  const site = await listen(t, (socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello'));
  const heads = [];
  const upstream = await listen(t, (socket) => socket.once('data', (data) => { /* as Squid by default: CONNECT to 443 alone */
    const head = data.toString('latin1');
    heads.push(head);
    const [, port] = /^GET http:\/\/127\.0\.0\.1:(\d+)\/x HTTP\/1\.1\r\n/.exec(head) ?? [];
    if (!port || !head.includes(`Proxy-Authorization: Basic ${Buffer.from('u:pw').toString('base64')}\r\n`)) {
      socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
      return;
    }
    const next = net.connect(Number(port), '127.0.0.1', () => next.write(head.replace(/http:\/\/[^/]+/, '').replace(/Proxy-Auth.*\r\n/, '')));
    next.on('error', () => {}).pipe(socket);
  }));
  const a = await startSession(daemon, 'a', { proxy: { server: `http://127.0.0.1:${upstream.port}`, username: 'u', password: 'pw' } });
  const said = await ask(t, a.port, `GET http://127.0.0.1:${site.port}/x HTTP/1.1\r\nHost: 127.0.0.1:${site.port}\r\n${a.pass}Connection: close\r\n\r\n`);
  assert.match(said, /^HTTP\/1\.1 200 OK\r\n[^]*hello$/, heads.join(''));
  assert.ok(!heads.join('').includes(a.pass), 'the pass is for our proxy alone');
  assert.match((await tunnel(t, a, site.port)).text, /^HTTP\/1\.1 502 [^]*the upstream proxy answered 403/);
});

test('NET-4: the ports of the daemon and metadata services are out of reach even where private networks are allowed', async (t) => {
  const daemon = await setup(t);
  const a = await startSession(daemon, 'a', { policy: { block_domains: ['blocked.example'], private_networks: 'allow' } });
  const hosts = ['127.0.0.1', '127.1', '2130706433', '0x7f.1', '0177.0.0.1', '[::1]', '[::ffff:127.0.0.1]', 'localhost', 'LOCALHOST', 'localhost.', 'a.localhost', '0.0.0.0'];
  for (const port of [daemon.port, a.port]) {
    for (const host of hosts) {
      for (const line of [`GET http://${host}:${port}/health`, `CONNECT ${host}:${port}`]) {
        assert.match(await ask(t, a.port, `${line} HTTP/1.1\r\nHost: ${host}:${port}\r\n${a.pass}\r\n`), /^HTTP\/1\.1 403 /, line);
      }
    }
  }
  for (const host of ['169.254.169.254', '[::ffff:169.254.169.254]', '2852039166', 'metadata.google.internal', 'METADATA.google.internal.', 'blocked.example', 'x.Blocked.Example']) {
    assert.match(await ask(t, a.port, `CONNECT ${host}:80 HTTP/1.1\r\nHost: ${host}:80\r\n${a.pass}\r\n`), /^HTTP\/1\.1 403 /, host);
  }
  const { text } = await daemon.request('/api/sessions/a/hosts', { auth: true });
  assert.equal(JSON.parse(text).refusedTotal, hosts.length * 4 + 7);
});

test('HTTP-1: a request that could be read in two ways is refused, and so is what follows it', async (t) => {
  const daemon = await setup(t);
  let requests = 0;
  const server = await listen(t, (socket) => socket.on('data', () => { requests++; }));
  const { port, pass } = await startSession(daemon, 'a', { policy: { allow_domains: ['127.0.0.1'] } });
  const head = `POST http://127.0.0.1:${server.port}/ HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n${pass}`;
  const smuggled = `GET http://127.0.0.1:${server.port}/smuggled HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\n${pass}\r\n`;
  for (const more of ['Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', 'Content-Length: 1\r\nContent-Length: 2\r\n', 'Content-Length: +1\r\n',
    'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', 'Transfer-Encoding\t: chunked\r\n', 'X: y\nContent-Length: 9\r\n', 'X: a\r\n\tb\r\n', 'Host: other\r\n', 'X: \0\r\n']) {
    assert.match(await ask(t, port, `${head}${more}\r\n0\r\n\r\n${smuggled}`), /^HTTP\/1\.1 (400|501) [^]*$/, more);
  }
  assert.equal(requests, 0);
});

test('F-30: a server that resets, stays silent or half closes holds up nobody else', async (t) => {
  const daemon = await setup(t);
  const reset = await listen(t, (socket) => socket.once('data', () => { socket.write('HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nsome'); setImmediate(() => socket.resetAndDestroy()); }));
  const silent = await listen(t, () => {});
  const half = await listen(t, (socket) => socket.end('bye'));
  const a = await startSession(daemon, 'a', { policy: { allow_domains: ['127.0.0.1'] } });
  const request = (port) => `GET http://127.0.0.1:${port}/ HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${a.pass}\r\n`;
  connect(t, a.port).write(request(silent.port));
  // A reset overtakes what was sent before it, so the browser may see the beginning, a 502, or only the end.
  assert.match(await ask(t, a.port, request(reset.port)), /^(HTTP\/1\.1 (200|502) |$)/);
  const socket = await tunnel(t, a, half.port);
  await until(() => socket.text.endsWith('bye') && socket.readableEnded, WAIT_MS, 'the end of one side');
  assert.ok(socket.writable);
  assert.match(await ask(t, a.port, request(1)), /^HTTP\/1\.1 502 /);
  assert.equal((await daemon.request('/health')).status, 200);
});

test('F-30: a thousand tunnels at once', { timeout: 120_000 }, async (t) => {
  const daemon = await setup(t);
  const server = await listen(t, (socket) => socket.pipe(socket));
  const a = await startSession(daemon, 'a', { policy: { allow_domains: ['127.0.0.1'] } });
  const sockets = await Promise.all(Array.from({ length: 1000 }, () => tunnel(t, a, server.port)));
  assert.ok(sockets.every((socket) => socket.text.startsWith('HTTP/1.1 200 ')));
  sockets.forEach((socket, i) => socket.write(`<${i}>`));
  await until(() => sockets.every((socket, i) => socket.text.endsWith(`<${i}>`)), WAIT_MS, 'every echo');
  const before = Date.now();
  assert.equal((await daemon.request('/health')).status, 200);
  assert.ok(Date.now() - before < 1000);
  const over = await Promise.all(Array.from({ length: 30 }, () => tunnel(t, a, server.port)));
  assert.ok(over.slice(24).every((socket) => socket.text.startsWith('HTTP/1.1 503 ')), 'above the ceiling');
  const before_close = server.sockets.size;
  sockets.forEach((socket) => socket.destroy());
  over.forEach((socket) => socket.destroy());
  server.sockets.forEach((socket) => socket.on('end', () => socket.end()));
  await until(() => server.sockets.size === 0, WAIT_MS, `${before_close} connections end`);
});

test('a gigabyte goes through while memory stays flat', { timeout: 300_000 }, async (t) => {
  const piece = Buffer.alloc(MB);
  const flow = (socket, count) => {
    let left = count;
    const more = () => {
      while (left > 0) {
        left--;
        if (!socket.write(piece)) { socket.once('drain', more); return; }
      }
      socket.end();
    };
    more();
  };
  const daemon = await setup(t);
  const plain = await listen(t, (socket) => socket.once('data', () => { socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${256 * MB}\r\n\r\n`); flow(socket, 256); }));
  const raw = await listen(t, (socket) => flow(socket, 1024));
  const a = await startSession(daemon, 'a', { policy: { allow_domains: ['127.0.0.1'] } });
  const before = residentMb(daemon);
  let most = before;
  for (const [port, bytes, head] of [[raw.port, 1024 * MB, 'CONNECT'], [plain.port, 256 * MB, 'GET']]) {
    const socket = net.connect(a.port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.write(`${head === 'GET' ? `GET http://127.0.0.1:${port}/` : `CONNECT 127.0.0.1:${port}`} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n${a.pass}\r\n`);
    let got = 0;
    socket.on('data', (data) => { got += data.length; });
    socket.once('data', () => { socket.pause(); setImmediate(() => socket.resume()); });
    await until(() => { most = Math.max(most, residentMb(daemon)); return got >= bytes; }, 120_000, `${head}: ${got} bytes`);
    socket.destroy();
  }
  t.diagnostic(`resident ${before.toFixed(1)} MB before, ${most.toFixed(1)} MB at most`);
  if (!sanitized) assert.ok(most < before + 8, `resident memory went from ${before} to ${most} MB`);
});
