// SPDX-License-Identifier: Apache-2.0
// F-11 … F-13: the store cannot store. Callers get a clear error, nothing is acknowledged that is not stored, the
// daemon answers all the while, and it goes on by itself when the store does.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { cp, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { Daemon, fixtures, run, tempDir, undo, until, within } from '../support/daemon.mjs';
import { Disk } from '../support/disk.mjs';
import { Line } from '../support/line.mjs';

const CLIENTS = 8;
const CUTS = Number(process.env.TABARD_CUTS ?? 10);
const DAMAGES = Number(process.env.TABARD_DAMAGES ?? 20);
const config = 'sessions:\n  per_tenant: 1000\n  total: 1000\n';
const begin = (t, where = {}) => Daemon.start(t, { ...where, config, program: fixtures });

/** Clients that work on a session each, and what was acknowledged to them. */
class Crowd {
  acknowledged = [];
  ops = 0;

  static async start(daemon) {
    const crowd = new Crowd();
    crowd.lines = Array.from({ length: CLIENTS }, (_, i) => new Line(daemon, i % 2 === 0));
    for (const [i, line] of crowd.lines.entries()) await line.call(++crowd.ops, 'start_session', { sessionId: `f${i}` });
    return crowd;
  }

  /** One call, with an address that makes its entry in the log as long as is wanted. */
  async act(i, length = 1000) {
    const op = ++this.ops;
    const url = `http://127.0.0.1/${op}/${'x'.repeat(length)}`;
    await this.lines[i].call(op, 'browser_navigate', { sessionId: `f${i}`, url });
    this.acknowledged.push(op);
  }

  /** All work until `enough` says so or they are refused; gives the refusals. */
  work(enough) {
    return Promise.all(this.lines.map(async (_, i) => {
      while (!enough?.()) {
        const refusal = await this.act(i).then(() => null, (err) => err);
        if (refusal) return refusal;
      }
      return null;
    }));
  }

  /** The first call that is not refused any more. */
  async recovers(ms) {
    const end = Date.now() + ms;
    while (await this.act(0).then(() => false, () => true)) {
      assert.ok(Date.now() < end, `nothing can be stored ${ms} ms after the fault`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** Asks /health all the while; gives the longest wait, in ms. */
async function healthDuring(daemon, fn) {
  let ended = false;
  let longest = 0;
  const asks = (async () => {
    while (!ended) {
      const began = performance.now();
      assert.equal((await daemon.request('/health')).status, 200);
      longest = Math.max(longest, performance.now() - began);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  })();
  await Promise.race([asks, fn()]);
  ended = true;
  await asks;
  return longest;
}

/** All that was acknowledged is in a log that is right, and the sessions are there. */
async function allIsThere(t, daemon, crowd, where = { dir: daemon.dir }) {
  await daemon.kill();
  const verified = await run(['audit', 'verify', '--state-dir', daemon.stateDir], where);
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  const log = (await run(['audit', 'export', '--state-dir', daemon.stateDir], where)).stdout;
  const stored = new Set([...log.matchAll(/"agent":"op (\d+)","tool":"browser_navigate","outcome":"ok"/g)].map((m) => Number(m[1])));
  assert.deepEqual(crowd.acknowledged.filter((op) => !stored.has(op)), []);
  const next = await begin(t, where);
  const { sessions } = JSON.parse((await next.request('/api/sessions', { auth: true })).text);
  assert.equal(sessions.filter((s) => /^f\d$/.test(s.sessionId)).length, CLIENTS);
  return next;
}

/** Waits until the database has so many entries: then the daemon has nothing left to move. */
async function moved(daemon, count) {
  const last = () => {
    try {
      const db = new DatabaseSync(path.join(daemon.stateDir, 'tabard.db'), { readOnly: true });
      const { last_seq: seq } = db.prepare('SELECT last_seq FROM head').get();
      db.close();
      return seq;
    } catch { // it is not made yet
      return 0;
    }
  };
  await until(() => last() >= count, 10_000, `${count} entries in the database`);
}

/** For assert.rejects: the error is of the store, and says why. */
const clear = (words) => (err) => {
  assert.match(err.message, /not_stored|cannot store/);
  assert.match(err.message, words);
  return true;
};

test('F-11: on a full disk calls are refused with the reason, and go on when there is room', async (t) => {
  const disk = await Disk.make(t, '48m');
  if (!disk) return;
  const daemon = await begin(t, { disk });
  const crowd = await Crowd.start(daemon);
  await disk.fill();
  let refusals;
  const longest = await healthDuring(daemon, async () => {
    refusals = await within(crowd.work(), 60_000, 'the calls are refused');
  });
  refusals.forEach(clear(/no disk space/));
  const before = crowd.acknowledged.length;
  await assert.rejects(crowd.lines[0].call(0, 'start_session', { sessionId: 'more' }), clear(/no disk space/));
  await assert.rejects(crowd.lines[0].post('/api/sessions/f0/renew', { ttl_ms: 1000 }), clear(/no disk space/));
  await disk.empty();
  const began = Date.now();
  await crowd.recovers(5000);
  t.diagnostic(`${before} calls acknowledged on the full disk, /health within ${longest.toFixed()} ms, stores again after ${Date.now() - began} ms`);
  await allIsThere(t, daemon, crowd, { disk });
});

test('F-11: kill -9 on a full disk loses nothing that was acknowledged', async (t) => {
  const disk = await Disk.make(t, '48m');
  if (!disk) return;
  const daemon = await begin(t, { disk });
  const crowd = await Crowd.start(daemon);
  await disk.fill();
  await crowd.work();
  await daemon.kill();
  const next = await begin(t, { disk });
  assert.equal((await next.request('/health')).status, 200);
  await disk.empty();
  crowd.lines = [new Line(next, false)];
  await crowd.recovers(15_000);
  await allIsThere(t, next, crowd, { disk });
});

test('on a full disk a stop and the first call after a start wait for no disk that stays full', async (t) => {
  const disk = await Disk.make(t, '48m');
  if (!disk) return;
  const daemon = await begin(t, { disk });
  const line = new Line(daemon, false);
  await line.call(1, 'start_session', { sessionId: 'one' });
  await line.call(2, 'browser_navigate', { sessionId: 'one', url: 'http://x/' });
  await disk.fill();
  daemon.child.kill('SIGTERM');
  assert.deepEqual(await within(daemon.exited, 8000, 'its end'), [0, null]);
  assert.match(daemon.log.text, /not saved name=one reason="no disk space/);
  assert.doesNotMatch(daemon.log.text, /did not end in time|in time/);
  const next = await begin(t, { disk });
  await assert.rejects(within(new Line(next, false).call(1, 'list_sessions', {}), 8000, 'an answer'), /cannot be read: no disk space/);
});

test('a read-only state directory is told at the start', async (t) => {
  const disk = await Disk.make(t, '48m');
  if (!disk) return;
  const daemon = await begin(t, { disk });
  await daemon.kill();
  disk.remount('ro');
  const refused = await run(daemon.args, { disk });
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /read-only|EROFS/i);
  disk.remount('rw');
  await begin(t, { disk });
});

test('F-12: with the database locked calls go on until nothing more fits, and again when it is free', async (t) => {
  const daemon = await begin(t);
  const crowd = await Crowd.start(daemon);
  const db = new DatabaseSync(path.join(daemon.stateDir, 'tabard.db'));
  t.after(() => db.isOpen && db.close());
  db.exec('PRAGMA busy_timeout = 5000; BEGIN EXCLUSIVE');
  let refusals;
  const longest = await healthDuring(daemon, async () => {
    refusals = await within(crowd.work(), 60_000, 'the calls are refused');
  });
  refusals.forEach(clear(/./));
  await daemon.logged('locked');
  await assert.rejects(crowd.lines[0].call(0, 'browser_navigate', { sessionId: 'f0', url: 'http://127.0.0.1/' }), clear(/locked/));
  db.exec('ROLLBACK');
  const began = Date.now();
  await crowd.recovers(5000);
  t.diagnostic(`${crowd.acknowledged.length} calls acknowledged with the database locked, /health within ${longest.toFixed()} ms, stores again after ${Date.now() - began} ms`);
  await daemon.logged('storing works again');
  await allIsThere(t, daemon, crowd);
});

test('F-12: a start with the database locked does not lose the sessions', async (t) => {
  const daemon = await begin(t);
  const crowd = await Crowd.start(daemon);
  await crowd.work(() => crowd.ops > 100);
  await daemon.kill();
  const db = new DatabaseSync(path.join(daemon.stateDir, 'tabard.db'));
  t.after(() => db.isOpen && db.close());
  db.exec('BEGIN EXCLUSIVE');
  const next = await begin(t, { dir: daemon.dir });
  const line = new Line(next, false);
  const longest = await healthDuring(next, () => assert.rejects(
    line.call(0, 'browser_navigate', { sessionId: 'f1', url: 'http://127.0.0.1/' }), clear(/locked/)));
  const listed = next.request('/api/sessions', { auth: true });
  db.exec('ROLLBACK');
  db.close();
  assert.equal(JSON.parse((await listed).text).sessions.length, CLIENTS);
  crowd.lines = [line];
  await crowd.recovers(5000);
  t.diagnostic(`/health within ${longest.toFixed()} ms while the database was locked`);
  await allIsThere(t, next, crowd);
});

const damages = {
  'its beginning overwritten': async (file) => {
    const bytes = await readFile(file);
    await writeFile(file, Buffer.concat([Buffer.alloc(512, 'garbage '), bytes.subarray(512)]));
  },
  'cut in the middle': async (file) => {
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, Math.floor(bytes.length / 2)));
  },
  'pages overwritten': async (file) => {
    const bytes = await readFile(file);
    bytes.fill(0xa5, 8192, Math.min(bytes.length, 8192 + 5 * 4096));
    await writeFile(file, bytes);
  },
};

for (const [what, spoil] of Object.entries(damages)) {
  test(`F-13: a broken database (${what}) is set aside, said loudly, and the daemon goes on`, async (t) => {
    const daemon = await begin(t);
    const crowd = await Crowd.start(daemon);
    await crowd.work(() => crowd.ops > 200);
    daemon.child.kill('SIGTERM');
    await daemon.exited;
    await spoil(path.join(daemon.stateDir, 'tabard.db'));
    const next = await begin(t, { dir: daemon.dir });
    await next.logged('set aside');
    assert.match(next.log.text, /error +store .*set aside/);
    assert.ok((await readdir(daemon.stateDir)).some((name) => name.startsWith('tabard.db.broken-')));
    assert.equal((await next.request('/health')).status, 200);
    const line = new Line(next, false);
    await line.call(1, 'start_session', { sessionId: 'new' });
    await next.kill();
    const verified = await run(['audit', 'verify', '--state-dir', daemon.stateDir]);
    assert.equal(verified.code, 0, verified.stdout + verified.stderr);
    const last = await begin(t, { dir: daemon.dir });
    const { sessions } = JSON.parse((await last.request('/api/sessions', { auth: true })).text);
    assert.ok(sessions.some((s) => s.sessionId === 'new'));
  });
}

test('an older copy of the database is found, each time, and told by the daemon', async (t) => {
  const daemon = await begin(t);
  const file = path.join(daemon.stateDir, 'tabard.db');
  const crowd = await Crowd.start(daemon);
  daemon.child.kill('SIGTERM');
  await daemon.exited;
  const older = await readFile(file);
  const next = await begin(t, { dir: daemon.dir });
  crowd.lines.forEach((line) => (line.daemon = next));
  await crowd.work(() => crowd.ops > 50);
  next.child.kill('SIGTERM');
  await next.exited;
  assert.equal((await run(['audit', 'verify', '--state-dir', daemon.stateDir])).code, 0);
  await writeFile(file, older);
  for (const command of ['verify', 'tail', 'verify']) {
    const { code, stderr } = await run(['audit', command, '--state-dir', daemon.stateDir]);
    assert.equal(code, 1, command);
    assert.match(stderr, /older copy/);
  }
  const last = await begin(t, { dir: daemon.dir });
  await last.logged('older copy');
});

/** Flips a few bytes, overwrites a piece, cuts the file, empties it, or takes it away. */
async function damage(file, pick) {
  const bytes = await readFile(file);
  const at = pick(bytes.length || 1);
  const ways = [
    () => { for (let i = pick(8); i >= 0 && bytes.length; i--) bytes[pick(bytes.length)] ^= 1 << pick(8); return bytes; },
    () => bytes.fill(pick(256), at, Math.min(bytes.length, at + pick(8192))),
    () => bytes.subarray(0, at),
    () => Buffer.alloc(0),
    () => null,
  ];
  const damaged = ways[pick(ways.length)]();
  await (damaged ? writeFile(file, damaged) : rm(file));
}

test(`F-13: after each of ${DAMAGES} random damages the daemon says what is lost, and stores`, async (t) => {
  let seed = Number(process.env.TABARD_DAMAGE_SEED ?? Date.now() % 2_147_483_646 + 1);
  const pick = (n) => (seed = (seed * 48_271) % 2_147_483_647) % n;
  t.diagnostic(`TABARD_DAMAGE_SEED=${seed}`);
  const first = await begin(t);
  const crowd = await Crowd.start(first);
  await crowd.work(() => crowd.ops > 200);
  // Before there is a database, an intake that is taken away leaves nothing that could tell of it.
  const database = path.join(first.stateDir, 'tabard.db');
  await until(() => existsSync(database) && statSync(database).size, 5000, 'no database is made');
  await first.kill();
  const dir = await tempDir(t);
  const state = path.join(dir, 'state');
  const wrong = { verify: 0, lost: 0, aside: 0 };
  for (let i = 0; i < DAMAGES; i++) {
    await rm(state, { recursive: true, force: true });
    await cp(first.stateDir, state, { recursive: true });
    const names = (await readdir(state)).filter((name) => name.startsWith('tabard.'));
    const name = names[pick(names.length)];
    await damage(path.join(state, name), pick);
    const verified = await run(['audit', 'verify', '--state-dir', state]);
    assert.ok(verified.code === 0 || verified.code === 1, `${name}: ${verified.signal} ${verified.stderr}`);
    wrong.verify += verified.code;
    const daemon = await begin(t, { dir });
    const line = new Line(daemon, true);
    await line.call(1, 'start_session', { sessionId: 'new' });
    await line.call(2, 'browser_navigate', { sessionId: 'new', url: 'http://127.0.0.1/' });
    line.close();
    const left = JSON.parse((await daemon.request('/api/sessions', { auth: true })).text).sessions.length - 1;
    const told = () => left === CLIENTS || / error +(store|session) /.test(daemon.log.text); // which is read by itself
    await until(told, 2000, `${name}: ${CLIENTS - left} sessions are lost without a word`);
    await daemon.kill();
    wrong.lost += left < CLIENTS;
    wrong.aside += (await readdir(state)).some((each) => each.includes('.broken-'));
    const again = await begin(t, { dir });
    const { sessions } = JSON.parse((await again.request('/api/sessions', { auth: true })).text);
    assert.ok(sessions.some((s) => s.sessionId === 'new'), `${name}: what was stored after the damage is lost`);
    await again.kill();
  }
  t.diagnostic(`${wrong.verify} were seen by audit verify, ${wrong.lost} cost sessions, ${wrong.aside} times a file was set aside`);
});

/** What is not to be touched, byte by byte. */
async function bytesOf(dir) {
  const names = (await readdir(dir)).filter((name) => /^tabard\.(db|intake|db-wal)$/.test(name)).sort();
  return Buffer.concat(await Promise.all(names.map((name) => readFile(path.join(dir, name)))));
}

test('a wrong or missing secret is refused with the way out, and costs nothing', async (t) => {
  const daemon = await begin(t);
  const crowd = await Crowd.start(daemon);
  await crowd.work(() => crowd.ops > 50);
  daemon.child.kill('SIGTERM');
  await daemon.exited;
  const file = path.join(daemon.stateDir, 'secret');
  const right = await readFile(file);
  const before = await bytesOf(daemon.stateDir);
  for (const [wrong, words] of [[null, /secret is missing.*restore/], [Buffer.alloc(0), /contains no secret.*restore/], [Buffer.alloc(32, 7), /a different secret.*restore/]]) {
    await (wrong ? writeFile(file, wrong, { mode: 0o600 }) : rm(file));
    for (const args of [daemon.args, ['audit', 'verify', '--state-dir', daemon.stateDir]]) {
      const refused = await run(args);
      assert.equal(refused.code === 0, false, `${args[0]} took ${words}`);
      assert.match(refused.stderr, words);
    }
    if (!wrong) await assert.rejects(readFile(file), /ENOENT/);
    await writeFile(file, right, { mode: 0o600 });
  }
  assert.ok(before.equals(await bytesOf(daemon.stateDir)), 'the store was touched');
  await allIsThere(t, await begin(t, { dir: daemon.dir }), crowd);
});

test('with lock and socket removed, a second daemon is still refused', async (t) => {
  const daemon = await begin(t);
  await rm(path.join(daemon.stateDir, 'lock'));
  await rm(daemon.socket);
  const refused = await run(daemon.args);
  assert.notEqual(refused.code, 0);
  assert.match(refused.stderr, /is in use by/);
});

test('an intake that is cut or removed under the daemon costs nothing', async (t) => {
  const daemon = await begin(t);
  const crowd = await Crowd.start(daemon);
  const file = path.join(daemon.stateDir, 'tabard.intake');
  for (const [spoil, words] of [[() => truncate(file, 0), 'was cut while'], [() => rm(file), 'was removed or replaced while']]) {
    await crowd.work(() => crowd.ops % 50 === 0);
    await spoil();
    await crowd.act(0);
    await daemon.logged(words);
    await crowd.work(() => daemon.log.text.lastIndexOf('storing works again') > daemon.log.text.lastIndexOf(words));
    await crowd.act(1);
  }
  await allIsThere(t, daemon, crowd);
});

test('an index that is cut or removed under load kills nobody and costs nothing', async (t) => {
  const daemon = await begin(t);
  const crowd = await Crowd.start(daemon);
  const file = path.join(daemon.stateDir, 'tabard.db-shm');
  const words = 'tabard.db-shm was cut or removed while';
  const times = (text) => daemon.log.text.split(text).length - 1;
  let ended = false;
  const work = crowd.work(() => ended);
  for (let i = 0; i < CUTS; i++) {
    const seen = times(words);
    await until(() => existsSync(file), 10_000, 'an index');
    await (i % 5 === 4 ? rm(file, { force: true }) : truncate(file, [0, 4096, 3, 20_000][i % 5]).catch(() => {}));
    await until(() => times(words) > seen, 15_000, `cut ${i} is told`);
    await until(() => times('storing works again') >= times(words), 15_000, `storing goes on after cut ${i}`);
  }
  ended = true;
  assert.deepEqual((await work).filter(Boolean), []);
  t.diagnostic(`${crowd.acknowledged.length} calls acknowledged beside ${CUTS} cuts`);
  assert.doesNotMatch(daemon.log.text, /lacks the last|set aside|is broken/);
  await allIsThere(t, daemon, crowd);
});

test('a state directory that is removed is noticed: nothing is acknowledged, /health says it', async (t) => {
  const daemon = await begin(t);
  const crowd = await Crowd.start(daemon);
  const health = async () => JSON.parse((await daemon.request('/health')).text).status;
  assert.equal(await health(), 'ok');
  const away = `${daemon.stateDir}.away`;
  await rename(daemon.stateDir, away);
  undo(t, () => rm(away, { recursive: true, force: true }));
  const refused = await within((async () => {
    for (;;) {
      const refusal = await crowd.act(0).then(() => null, (err) => err);
      if (refusal) return refusal;
    }
  })(), 10_000, 'a call is refused');
  clear(/removed while the daemon was running/)(refused);
  await daemon.logged('was removed while the daemon was running');
  assert.equal(await health(), 'degraded');
  await rename(away, daemon.stateDir);
  await crowd.recovers(10_000);
  assert.equal(await health(), 'ok');
  await allIsThere(t, daemon, crowd);
});

test('a state directory that is removed under an idle daemon is told, once, and nothing is acknowledged any more', async (t) => {
  const daemon = await begin(t);
  const crowd = await Crowd.start(daemon);
  await moved(daemon, CLIENTS);
  const words = 'tabard.db was removed while the daemon was running';
  await rm(daemon.stateDir, { recursive: true });
  await daemon.logged(words); // nobody has called it
  const health = async () => JSON.parse((await daemon.request('/health')).text).status;
  assert.equal(await health(), 'degraded');
  for (let i = 0; i < CLIENTS; i++) await assert.rejects(crowd.act(i), clear(/removed while the daemon was running/));
  assert.deepEqual(crowd.acknowledged, []);
  assert.equal(daemon.log.text.split(words).length, 2, daemon.log.text);
  await daemon.kill();
});

test('a store that is slow by 5 s holds nobody up, and kill -9 meanwhile loses nothing', async (t) => {
  const daemon = await begin(t);
  const crowd = await Crowd.start(daemon);
  const calls = 'fsync,fdatasync,pwrite64';
  const files = ['tabard.db', 'tabard.db-wal'].flatMap((name) => ['-P', path.join(daemon.stateDir, name)]);
  const tracer = spawn('strace', ['-f', '-qq', '-o', '/dev/null', ...files, '-e', `trace=${calls}`,
    '-e', `inject=${calls}:delay_enter=5000000`, '-p', `${daemon.child.pid}`]);
  const traced = () => /TracerPid:\t[1-9]/.test(readFileSync(`/proc/${daemon.child.pid}/status`, 'utf8'));
  const failed = once(tracer, 'close').catch((err) => err.message);
  tracer.on('error', () => {});
  t.after(() => tracer.kill('SIGKILL'));
  await Promise.race([failed, until(traced, 5000, 'strace begins')]);
  if (!traced()) {
    t.skip('strace cannot look at a process here');
    return;
  }
  let slowest = 0;
  const end = Date.now() + 5000;
  const longest = await healthDuring(daemon, async () => {
    while (Date.now() < end) {
      const began = performance.now();
      await crowd.act(0, 10);
      slowest = Math.max(slowest, performance.now() - began);
    }
  });
  t.diagnostic(`${crowd.acknowledged.length} calls, the slowest ${slowest.toFixed()} ms, /health within ${longest.toFixed()} ms`);
  assert.ok(slowest < 1000, `a call took ${slowest} ms`);
  const file = (await run(['audit', 'export', '--state-dir', daemon.stateDir])).stdout.split('\n').length;
  assert.ok(file < crowd.acknowledged.length / 2, 'the database was not slow');
  process.kill(daemon.child.pid, 'SIGKILL');
  tracer.kill('SIGKILL');
  await allIsThere(t, daemon, crowd);
});
