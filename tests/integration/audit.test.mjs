// SPDX-License-Identifier: Apache-2.0
// The audit log from outside: what `tabard audit` shows and whether it finds what was changed. (S2-63 … S2-68,
// the daemon's part.)
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { copyFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { binary, Daemon, run, tempDir, until } from '../support/daemon.mjs';
import { postModern } from '../support/mcp.mjs';

const audit = (stateDir, ...args) => run(['audit', ...args, '--state-dir', stateDir]);
const lines = (text) => text.split('\n').filter(Boolean).map((line) => JSON.parse(line));
const call = (daemon, name, args = {}) => postModern(daemon, 'tools/call', { name, arguments: args });

async function stop(daemon) {
  daemon.child.kill('SIGTERM');
  await daemon.exited;
}

/** A log with so many calls in it, of a daemon that has ended. */
async function makeLog(t, count) {
  const daemon = await Daemon.start(t);
  for (let i = 0; i < count; i++) {
    await call(daemon, i % 2 ? 'list_sessions' : 'close_session', i % 2 ? {} : { sessionId: `s${i}` });
  }
  await stop(daemon);
  return daemon.stateDir;
}

test('what was done is in the log, with the daemon running, killed and stopped', async (t) => {
  const daemon = await Daemon.start(t);
  await call(daemon, 'list_sessions');
  await call(daemon, 'close_session', { sessionId: 'nobody' });
  const expected = [['call_done', 'default', '', 'list_sessions', 'ok'], ['call_done', 'default', '', 'close_session', 'session_not_found']];
  const seen = (text) => lines(text).map((e) => [e.type, e.tenant, e.session, e.tool, e.outcome]);
  // It is stored at once, and in the file within moments.
  let running = await audit(daemon.stateDir, 'tail', '--json');
  for (const end = Date.now() + 5000; lines(running.stdout).length < 2 && Date.now() < end;) {
    running = await audit(daemon.stateDir, 'tail', '--json');
  }
  assert.deepEqual(seen(running.stdout), expected);
  assert.equal((await audit(daemon.stateDir, 'verify')).code, 0);
  await call(daemon, 'list_sessions');
  await daemon.kill();
  const killed = await audit(daemon.stateDir, 'tail', '--json');
  assert.deepEqual(seen(killed.stdout), [...expected, expected[0]]);
  assert.deepEqual(JSON.parse((await audit(daemon.stateDir, 'verify', '--json')).stdout), { right: true, first: 1, last: 3 });
  const again = await Daemon.start(t, { dir: daemon.dir });
  await call(again, 'list_sessions');
  await stop(again);
  const stopped = await audit(daemon.stateDir, 'verify');
  assert.deepEqual([stopped.code, stopped.stdout], [0, 'The audit log is intact, from entry 1 to 4.\n']);
});

test('tail, search and export choose and order', async (t) => {
  const stateDir = await makeLog(t, 6);
  const seqs = async (...args) => lines((await audit(stateDir, ...args, '--json')).stdout).map((e) => e.seq);
  assert.deepEqual(await seqs('tail', '-n', '3'), [4, 5, 6]);
  assert.deepEqual(await seqs('search'), [6, 5, 4, 3, 2, 1]); // S2-65: newest first
  assert.deepEqual(await seqs('search', '--tool', 'list_sessions', '-n', '2'), [6, 4]);
  assert.deepEqual(await seqs('search', '--text', 'NOT_found'), [5, 3, 1]);
  assert.deepEqual(await seqs('search', '--type', 'session_ended'), []);
  assert.deepEqual(await seqs('search', '--tenant', 'other'), []);
  assert.deepEqual(await seqs('export', '--since', '1h'), [1, 2, 3, 4, 5, 6]);
  assert.deepEqual(await seqs('export', '--until', '1h'), []);
  for (const verb of ['tail', 'search']) {
    assert.equal((await audit(stateDir, verb, '--tool', 'browser_fil')).stdout, 'No entries match.\n');
  }
  const table = (await audit(stateDir, 'search')).stdout.split('\n');
  assert.match(table[0], /^WHEN +EVENT +SESSION +WHERE +TOOL +OUTCOME +DETAIL/);
  assert.match(table[1], /^\d{4}-\d\d-\d\dT[\d:.]+Z +call_done +list_sessions +ok +ms=\d+/);
});

test('tail -f shows what comes', async (t) => {
  const daemon = await Daemon.start(t);
  await call(daemon, 'list_sessions');
  const follow = (...args) => {
    const tail = spawn(binary, ['audit', 'tail', '-f', '--json', '--state-dir', daemon.stateDir, ...args]);
    t.after(() => tail.kill());
    const seen = { text: '', shows: (words) => until(() => seen.text.includes(words), 5000, words) };
    tail.stdout.setEncoding('utf8').on('data', (text) => (seen.text += text));
    return seen;
  };
  const all = follow();
  const some = follow('--tool', 'close_session'); // none fits at first
  await all.shows('list_sessions');
  await call(daemon, 'close_session', { sessionId: 'x' });
  await all.shows('close_session');
  await some.shows('close_session');
  await call(daemon, 'list_sessions');
  await call(daemon, 'close_session', { sessionId: 'y' });
  await all.shows('"seq":4');
  await some.shows('"seq":4');
  assert.deepEqual(lines(all.text).map((e) => e.seq), [1, 2, 3, 4]);
  assert.deepEqual(lines(some.text).map((e) => e.seq), [2, 4]);
});

test('S2-66 the log is cleared when it is confirmed, and that stays on record', async (t) => {
  const daemon = await Daemon.start(t);
  const clear = (body) => daemon.request('/api/audit/clear', {
    method: 'POST', auth: true, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body),
  });
  await call(daemon, 'list_sessions');
  const refused = await clear({});
  assert.equal(refused.status, 400);
  assert.match(refused.text, /confirm/);
  assert.equal((await clear({ confirm: true })).status, 200);
  await call(daemon, 'list_sessions');
  await stop(daemon);
  const left = lines((await audit(daemon.stateDir, 'export')).stdout);
  assert.deepEqual(left.map((e) => [e.seq, e.type]), [[2, 'audit_cleared'], [3, 'call_done']]);
  assert.equal((await audit(daemon.stateDir, 'verify')).code, 0);
});

test('wrong usage is told', async (t) => {
  const dir = await tempDir(t);
  for (const args of [[], ['look'], ['tail', '-n', 'x'], ['tail', '-n'], ['search', '--since', 'soon'], ['verify', '-f'],
    ['verify', '--tool', 'x'], ['tail', '--nonsense', '1']]) {
    const result = await audit(dir, ...args);
    assert.equal(result.code, 2, `${args}: ${result.stderr}`);
    assert.match(result.stderr, /tabard help audit/);
  }
  const none = await audit(path.join(dir, 'none'), 'tail');
  assert.deepEqual([none.code, none.stdout], [1, '']);
  assert.match(none.stderr, /no daemon has ever run/);
  assert.match((await run(['help', 'audit'])).stdout, /verify/);
});

test('DATA-2: every change to the table is found', async (t) => {
  const stateDir = await makeLog(t, 200);
  const file = path.join(stateDir, 'tabard.db');
  const clean = path.join(stateDir, 'clean.db');
  assert.equal((await audit(stateDir, 'verify')).code, 0);
  const settle = new DatabaseSync(file);
  settle.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  settle.close();
  await copyFile(file, clean);
  const columns = ['seq', 'wall_ms', 'type', 'tenant', 'session', 'agent', 'tool', 'outcome', 'details', 'hash'];
  const pick = (n) => 1 + Math.floor(Math.random() * n);
  const spoilers = [
    ...columns.slice(2).map((c) => [`a byte of ${c}`, (n) => `UPDATE audit SET ${c} = CAST(${c} || 'x' AS ${c === 'hash' ? 'BLOB' : 'TEXT'}) WHERE seq = ${n}`]),
    ['wall_ms', (n) => `UPDATE audit SET wall_ms = wall_ms + 1 WHERE seq = ${n}`],
    ['the type of a value', (n) => `UPDATE audit SET tool = CAST(tool AS BLOB) WHERE seq = ${n}`],
    ['a row away', (n) => `DELETE FROM audit WHERE seq = ${n}`],
    ['rows away', (n) => `DELETE FROM audit WHERE seq BETWEEN ${n} AND ${n + 5}`],
    ['the end away', (n) => `DELETE FROM audit WHERE seq >= ${n}`],
    ['the beginning away', (n) => `DELETE FROM audit WHERE seq <= ${n}`],
    ['all away', () => 'DELETE FROM audit'],
    ['another number', (n) => `UPDATE audit SET seq = seq + 1000 WHERE seq = ${n}`],
    ['a row away, those behind it numbered anew', (n) => `DELETE FROM audit WHERE seq = ${n}; UPDATE audit SET seq = -seq WHERE seq > ${n}; UPDATE audit SET seq = -seq - 1 WHERE seq < 0`],
    ['an entry that another one\'s hash is put to', (n) => `UPDATE audit SET details = 'x', hash = (SELECT hash FROM audit WHERE seq = ${n % 200 + 1}) WHERE seq = ${n}`],
    ['two rows swapped', (n) => `UPDATE audit SET seq = -1 WHERE seq = ${n}; UPDATE audit SET seq = ${n} WHERE seq = ${n % 200 + 1}; UPDATE audit SET seq = ${n % 200 + 1} WHERE seq = -1`],
    ['a row behind the end', () => 'INSERT INTO audit SELECT 900, wall_ms, type, tenant, session, agent, tool, outcome, details, hash FROM audit LIMIT 1'],
    ['a row before the beginning', () => 'INSERT INTO audit SELECT 0, wall_ms, type, tenant, session, agent, tool, outcome, details, hash FROM audit LIMIT 1'],
    ['a cut that we did not make', (n) => `DELETE FROM audit WHERE seq <= ${n}; UPDATE head SET cut_seq = ${n}`],
    ['an end that we did not seal', (n) => `DELETE FROM audit WHERE seq > ${n - 1}; UPDATE head SET last_seq = ${n - 1}`],
  ];
  for (let round = 0; round < 3; round++) {
    for (const [what, sql] of spoilers) {
      await copyFile(clean, file);
      const db = new DatabaseSync(file);
      db.exec(sql(pick(200)));
      db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      db.close();
      const result = await audit(stateDir, 'verify');
      assert.equal(result.code, 1, `${what}: ${result.stdout}`);
    }
  }
  await copyFile(clean, file);
  assert.equal((await audit(stateDir, 'verify')).code, 0);
});

test('DATA-2: a flipped byte in the file is found', async (t) => {
  const stateDir = await makeLog(t, 100);
  const file = path.join(stateDir, 'tabard.db');
  const db = new DatabaseSync(file);
  db.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  const rows = db.prepare(`SELECT hash, length(CAST(type || tenant || session || agent || tool || outcome || details AS BLOB))
    AS texts FROM audit`).all();
  db.close();
  const bytes = await readFile(file);
  const right = (await audit(stateDir, 'export')).stdout;
  const any = (n) => Math.floor(Math.random() * n);
  const verifyWith = async (at) => {
    const broken = Buffer.from(bytes);
    broken[at] ^= 1 << any(8);
    await writeFile(file, broken);
    return (await audit(stateDir, 'verify')).code;
  };
  // The values of a row lie side by side: 6 bytes of time, the texts, 32 bytes of hash.
  for (let i = 0; i < 200; i++) {
    const { hash, texts } = rows[any(rows.length)];
    const end = bytes.indexOf(hash) + hash.length;
    assert.equal(await verifyWith(end - 1 - any(hash.length + texts + 6)), 1);
  }
  // Anywhere else in the file: other tables, free space, and what SQLite needs to find its way.
  for (let i = 0; i < 100; i++) {
    const at = any(bytes.length);
    if (await verifyWith(at) === 0) assert.equal((await audit(stateDir, 'export')).stdout, right, `byte ${at}`);
  }
});

test('PROC-1: a daemon whose browsers have no sandbox says so in its log and on the audit log', async (t) => {
  for (const off of [true, false]) {
    const daemon = await Daemon.start(t, { config: `browser:\n  no_sandbox: ${off}\n` });
    await stop(daemon);
    const entries = lines((await audit(daemon.stateDir, 'export')).stdout);
    assert.deepEqual(entries.map(({ type, tenant }) => [type, tenant]), off ? [['sandbox_off', 'default']] : []);
  }
});
