// SPDX-License-Identifier: Apache-2.0
// What was acknowledged is there after kill -9. Clients do random things at one time, the daemon is killed at random
// moments, and after each restart it is compared with what it has acknowledged. TABARD_DURABLE_OPS=10000
// TABARD_DURABLE_KILLS=300 is the long run; TABARD_DURABLE_SEED repeats the choices of an earlier one, not its timing.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { binary, Daemon, fixtures, run, tempDir, within } from '../support/daemon.mjs';
import { Line } from '../support/line.mjs';

const OPS = Number(process.env.TABARD_DURABLE_OPS ?? 1000);
const KILLS = Number(process.env.TABARD_DURABLE_KILLS ?? 30);
const CLIENTS = 8;
const LIVE_MAX = 400; // of more the daemon lists only some
const CLOCK_MS = 100; // between two readings of two clocks
const NEVER_RENEWED = 'never renewed';
const config = `
sessions:
  per_tenant: 100000
  total: 100000
  conversation_idle_ms: 0
  conversation_max_age_ms: 0
`;

let seed = Number(process.env.TABARD_DURABLE_SEED ?? Date.now() % 2_147_483_646 + 1);
const pick = (n) => (seed = (seed * 48_271) % 2_147_483_647) % n;
const anyOf = (list) => list[pick(list.length)];

/** What has been acknowledged, and what may or may not have happened. */
class Model {
  sessions = new Map(); // name: { state: 'asked' | 'live' | 'closing' | 'ended', expires: [possible values], closed_ms, conversation }
  entries = []; // of the audit log: the words that one of them must have

  live(filter = () => true) {
    return [...this.sessions.values()].filter((s) => s.state === 'live' && filter(s));
  }

  /** Compares with what the daemon lists now, and settles what was open. */
  meet(listed) {
    const found = new Map(listed.map((s) => [s.sessionId, s]));
    for (const session of this.sessions.values()) {
      const there = found.get(session.name);
      if (there && Date.parse(there.createdAt) >= session.closed_ms) continue; // another one, of the same name
      found.delete(session.name);
      if (session.state === 'live') assert.ok(there, `session ${session.name} was acknowledged and is gone`);
      if (session.state === 'ended') assert.ok(!there, `session ${session.name} had ended and is back`);
      session.state = there ? 'live' : 'ended';
      if (there && session.expires.length) {
        const expires = Date.parse(there.expiresAt);
        const renewed = session.expires.some((each) => Math.abs(each - expires) <= CLOCK_MS);
        assert.ok(renewed || session.expires[0] === NEVER_RENEWED,
          `session ${session.name} ends at ${there.expiresAt}, not at one of ${session.expires}`);
        session.expires = renewed ? [expires] : [];
      }
    }
    // The first call of a conversation makes a session whose name only the lost reply had.
    for (const name of found.keys()) {
      assert.match(name, /^browser-\d+$/, 'a session that nobody asked for');
      this.sessions.set(name, { name, state: 'live', expires: [] });
    }
  }
}

const acts = {
  async start(model, line, op) {
    const session = { name: `s${op}`, state: 'asked', expires: [] };
    model.sessions.set(session.name, session);
    await line.call(op, 'start_session', { sessionId: session.name });
    session.state = 'live';
    model.entries.push(`"agent":"op ${op}","tool":"start_session"`, `"session_started","tenant":"default","session":"${session.name}"`);
  },

  async work(model, line, op) {
    const session = anyOf(model.live((s) => !s.busy));
    if (!session) return acts.start(model, line, op);
    return keep(session, async () => {
      await line.call(op, 'browser_navigate', { sessionId: session.name, url: `http://127.0.0.1/${op}` });
      model.entries.push(`"agent":"op ${op}","tool":"browser_navigate","outcome":"ok","details":{"url":"http://127.0.0.1/${op}"`);
    });
  },

  async look(model, line, op) {
    await line.call(op, 'list_sessions', {});
    model.entries.push(`"agent":"op ${op}","tool":"list_sessions"`);
  },

  async renew(model, line, op) {
    const session = anyOf(model.live((s) => !s.busy));
    if (!session) return acts.start(model, line, op);
    return keep(session, async () => {
      const ttl_ms = 3_600_000 + op * 1000;
      if (!session.expires.length) session.expires.push(NEVER_RENEWED);
      session.expires.push(Date.now() + ttl_ms); // if it is done and never acknowledged
      const { expiresAt } = await line.post(`/api/sessions/${session.name}/renew`, { ttl_ms });
      session.expires = [Date.parse(expiresAt)];
      model.entries.push(`"session":"${session.name}","agent":"operator","tool":"","outcome":"","details":{"ttl_ms":${ttl_ms},`);
    });
  },

  async close(model, line, op) {
    const session = anyOf(model.live((s) => !s.busy));
    if (!session) return acts.start(model, line, op);
    closing(session);
    if (op % 2) await line.call(op, 'close_session', { sessionId: session.name });
    else await line.post(`/api/sessions/${session.name}/close`, {});
    session.state = 'ended';
    model.entries.push(`"session_ended","tenant":"default","session":"${session.name}"`);
  },

  async talk(model, line, op) {
    const conversation = `c${op}`;
    const result = await line.call(op, 'browser_navigate', { url: `http://127.0.0.1/${op}` }, conversation);
    const name = result.sessionId;
    model.sessions.set(name, { name, state: 'live', expires: [], conversation });
    model.entries.push(`"session":"${name}","agent":"op ${op}","tool":"browser_navigate","outcome":"ok"`);
  },

  async part(model, line, op) {
    const session = anyOf(model.live((s) => s.conversation && !s.busy));
    if (!session) return acts.talk(model, line, op);
    closing(session);
    await line.post(`/api/conversations/${session.conversation}/close`, {});
    session.state = 'ended';
    model.entries.push(`"session_ended","tenant":"default","session":"${session.name}","agent":"","tool":"","outcome":"conversation_ended"`);
  },
};
const mix = Object.entries({ start: 18, work: 34, look: 5, renew: 18, close: 12, talk: 8, part: 5 })
  .flatMap(([name, weight]) => Array(weight).fill(acts[name]));

function closing(session) {
  session.state = 'closing';
  session.closed_ms = Date.now();
}

/** Nobody else ends or renews the session meanwhile. */
async function keep(session, fn) {
  session.busy = true;
  try {
    await fn();
  } finally {
    session.busy = false;
  }
}

/** Clients at work until `stop` operations were begun; then the daemon is killed under them. Failures before that count. */
async function load(model, daemon, count, stop) {
  let killed = false;
  const client = async (number) => {
    const line = new Line(daemon, number % 2 === 0);
    while (!killed && count.ops < stop) {
      const act = model.live().length < LIVE_MAX ? anyOf(mix) : acts.close;
      await act(model, line, ++count.ops).then(() => count.acknowledged++, (err) => {
        if (!killed) throw err;
      });
    }
  };
  const killer = async () => {
    while (!killed && count.ops < stop) await new Promise(setImmediate);
    for (const end = performance.now() + pick(2000) / 1000; performance.now() < end;) await new Promise(setImmediate);
    killed = true;
    daemon.child.kill('SIGKILL');
  };
  const clients = Array.from({ length: CLIENTS }, (_, i) => client(i));
  await within(Promise.all([killer(), ...clients]), 30_000, 'the clients end');
  await daemon.exited;
}

/** A start that does not come to its end. */
async function killEarly(daemon) {
  const child = spawn(binary, daemon.args, { stdio: 'ignore' });
  const exited = once(child, 'exit');
  await new Promise((resolve) => setTimeout(resolve, pick(25)));
  child.kill('SIGKILL');
  await exited;
}

async function verify(daemon) {
  const result = await run(['audit', 'verify', '--state-dir', daemon.stateDir]);
  assert.equal(result.code, 0, `${result.stdout}${result.stderr}`);
}

test(`${OPS} operations and ${KILLS} kills: nothing that was acknowledged is lost`, async (t) => {
  t.diagnostic(`TABARD_DURABLE_SEED=${seed}`);
  const dir = await tempDir(t);
  const model = new Model();
  const count = { ops: 0, acknowledged: 0, kills: 0, early: 0, verified: 0 };
  const begin = () => Daemon.start(t, { dir, config, program: fixtures });
  let daemon = await begin();
  while (count.kills < KILLS || count.ops < OPS) {
    const left = Math.max(1, Math.round((OPS - count.ops) / Math.max(1, KILLS - count.kills)));
    await load(model, daemon, count, count.ops + 1 + pick(2 * left));
    count.kills++;
    if (pick(8) === 0) await verify(daemon).then(() => count.verified++);
    if (pick(8) === 0) await killEarly(daemon).then(() => count.kills++ && count.early++);
    daemon = await begin();
    model.meet(JSON.parse((await daemon.request('/api/sessions', { auth: true })).text).sessions);
    if (pick(8) === 0) await verify(daemon).then(() => count.verified++);
  }
  await verify(daemon);
  await daemon.kill();
  const log = (await run(['audit', 'export', '--state-dir', daemon.stateDir])).stdout;
  await verify(daemon);
  const missing = missingOf(model.entries, log);
  assert.deepEqual(missing.slice(0, 5), [], `${missing.length} of ${model.entries.length} entries of the audit log`);
  t.diagnostic(`${count.ops} operations, ${count.acknowledged} acknowledged, ${count.kills} kills (${count.early} while starting), `
    + `${model.sessions.size} sessions, ${model.live().length} live, ${model.entries.length} entries, ${count.verified + 2} times verified`);
});

/** An entry is looked for among those of its session or its agent, not in the whole log. */
function missingOf(entries, log) {
  const keyOf = (text) => /"agent":"(op \d+)"/.exec(text)?.[1] ?? /"session":"([^"]*)"/.exec(text)?.[1];
  const lines = new Map();
  for (const line of log.split('\n')) {
    for (const key of [/"agent":"(op \d+)"/.exec(line)?.[1], /"session":"([^"]*)"/.exec(line)?.[1]]) {
      if (key) lines.set(key, `${lines.get(key) ?? ''}${line}\n`);
    }
  }
  return entries.filter((entry) => !lines.get(keyOf(entry))?.includes(entry));
}
