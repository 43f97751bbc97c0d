// SPDX-License-Identifier: Apache-2.0
// Runs contenders side by side. Those of one group live at the same time and take turns at every
// single repetition, so that a busy moment of the machine meets all of them alike.
import { pause, within } from './house.mjs';
import { idle, memory, serverSeconds } from './proc.mjs';
import { operations } from './ops.mjs';

const CALL_MS = 60_000;
const IDLE_MS = 5000;
const SETTLE_MS = 1000;
const THINK_MS = 500; // between two new sessions, as between two calls of an agent
const REST_MS = 20; // before each call: what the one before has left to draw must not fall into this one's time
const AGENTS = 10; // that start at once
const NEXT = 4; // one right after the other
const AT_WORK = 20; // sessions that are used at once
const WORK_MS = 1500;
const FULL_MB = 0.05; // a server that has grown by less has filled what it keeps of calls, however many sessions there are
const FILLS = 20;

export function median(list, part = 0.5) {
  const sorted = [...list].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)];
  return low + (sorted[Math.ceil(at)] - low) * (at % 1);
}

/** In any order: what a contender does long after its answer falls into the turn of the next, who should not be the same one always. */
function shuffled(list) {
  const rest = [...list];
  return list.map(() => rest.splice(Math.floor(Math.random() * rest.length), 1)[0]);
}

export class Bench {
  samples = new Map(); // "row key" to milliseconds
  sizes = new Map(); // the same to bytes
  memory = new Map(); // contender to [{sessions, all, server, resident}]
  idle = new Map();
  stale = new Map();
  failed = new Map(); // contender to words

  /** `rows` chooses what is measured; empty: all. */
  constructor(site, say, rows = []) {
    this.rows = rows;
    this.site = site;
    this.items = `${site}/items-200.html`;
    this.say = say;
  }

  note(row, contender, ms) {
    const key = `${row} ${contender.key}`;
    if (!this.samples.has(key)) this.samples.set(key, []);
    this.samples.get(key).push(ms);
  }

  async time(row, contender, work) {
    const began = performance.now();
    const result = await within(work(), CALL_MS, `${contender.key} ${row}`);
    this.note(row, contender, performance.now() - began);
    return result;
  }

  /** Work on a contender; one that fails is out of the rest. */
  async guard(contender, work) {
    if (this.failed.has(contender.key)) return undefined;
    try {
      return await work();
    } catch (error) {
      const words = `${error.message} ${contender.house?.words?.split('\n').slice(-2).join(' ') ?? ''}`.trim();
      this.failed.set(contender.key, words.slice(0, 300));
      this.say(`  ${contender.label} FAILED: ${words}`);
      return undefined;
    }
  }

  async #begin(contender) {
    await pause(SETTLE_MS); // the browser of whoever began before is still at work
    const began = performance.now();
    await this.time('start', contender, () => contender.start());
    contender.session = await within(contender.open(this.items), CALL_MS, `${contender.key} first page`);
    this.note('cold', contender, performance.now() - began);
    if (!contender.again) return;
    const leave = await this.time('again', contender, () => contender.again());
    await leave();
  }

  wants(row) {
    return !this.rows.length || this.rows.includes(row);
  }

  /** One round of a group: start, every operation, stop. */
  async round(group, reps, quickly) {
    for (const contender of group) await this.guard(contender, () => this.#begin(contender));
    for (const op of operations(this.site).filter(({ key }) => this.wants(key))) {
      await this.#block(group, op, Math.ceil(reps * (op.times?.(quickly) ?? 1)));
    }
    await this.#pings(group, reps);
    if (this.wants('open')) await this.#opens(group, Math.ceil(reps / 2), THINK_MS);
    if (this.wants('next')) await this.#opens(group, Math.ceil(reps / 2), 0);
    for (const each of group.filter(({ crew }) => crew)) {
      if (this.wants('burst')) await this.guard(each, () => this.#burst(each, Math.ceil(reps / 4)));
      if (this.wants('crowd')) await this.guard(each, () => this.#crowd(each));
    }
    for (const contender of group) await this.#finish(contender);
  }

  async #block(group, op, reps) {
    const taking = group.filter(({ only, sessionsOnly, session }) => (only?.includes(op.key) ?? true) && !sessionsOnly
      && (!op.needs || session?.[op.needs]));
    const before = async (each) => op.before?.(each.session);
    for (const each of taking) await this.guard(each, () => within(before(each), CALL_MS, `before ${op.key}`));
    for (let i = 0; i < reps; i += 1) {
      for (const each of shuffled(taking)) {
        await pause(REST_MS);
        await this.guard(each, async () => {
          const result = await this.time(op.key, each, () => op.run(each.session));
          const bytes = typeof result === 'string' ? Buffer.byteLength(result) : result;
          if (Number.isFinite(bytes)) this.sizes.set(`${op.key} ${each.key}`, bytes);
        });
      }
    }
    for (const each of taking) await this.guard(each, () => op.after?.(each.session, reps));
  }

  async #pings(group, reps) {
    for (let i = 0; i < reps * 2; i += 1) {
      for (const each of shuffled(group).filter(({ ping }) => ping)) {
        await pause(REST_MS);
        await this.guard(each, () => this.time('ping', each, () => each.ping()));
      }
    }
  }

  /** New sessions: with a pause before each, or several one right after the other. */
  async #opens(group, reps, thinkMs) {
    for (let i = 0; i < reps; i += 1) {
      for (const each of shuffled(group)) {
        if (each.oneSession || each.only) continue;
        if (thinkMs) await pause(thinkMs / group.length);
        await this.guard(each, async () => {
          const sessions = [];
          for (let n = 0; n < (thinkMs ? 1 : NEXT); n += 1) {
            sessions.push(await this.time(thinkMs ? 'open' : 'next', each, () => each.open(this.items)));
          }
          for (const session of sessions) await within(session.close(), CALL_MS, `${each.key} close`);
        });
      }
    }
  }

  /** Agents that start at once, until all have their first page. The first time nobody could know that they would come. */
  async #burst(contender, reps) {
    const crew = await contender.crew(AGENTS);
    for (let i = 0; i <= reps; i += 1) {
      const open = () => Promise.all(crew.map((agent) => agent.open(this.items)));
      const sessions = await (i ? this.time('burst', contender, open) : within(open(), CALL_MS, `${contender.key} burst`));
      for (const session of sessions) await within(session.close(), CALL_MS, `${contender.key} close`);
      await pause(SETTLE_MS * 2);
    }
    await crew.leave?.();
  }

  /** What the server weighs when calls alone make it grow no more, so that the sessions are not blamed for what they all share. */
  async #full(contender) {
    let weight = memory(contender.house).server;
    for (let i = 0; weight && i < FILLS; i += 1) {
      await within(contender.fill(), CALL_MS, `${contender.key} fill`);
      const now = memory(contender.house).server;
      if (now - weight < FULL_MB) return now;
      weight = now;
    }
    return weight;
  }

  /** Sessions that are all at work: calls a second, and what a call and a session cost the server, if there is one. */
  async #crowd(contender) {
    const crew = await contender.crew(AT_WORK);
    const sessions = [];
    const weight = await this.#full(contender);
    for (const agent of crew) sessions.push(await within(agent.open(this.items), CALL_MS, `${contender.key} open`));
    await pause(SETTLE_MS);
    const spent = serverSeconds(contender.house);
    const began = performance.now();
    let calls = 0;
    await within(Promise.all(sessions.map(async (session) => {
      for (; performance.now() - began < WORK_MS; calls += 1) await session.evaluate('1+1');
    })), CALL_MS, `${contender.key} crowd`);
    this.note('crowd', contender, calls / (performance.now() - began) * 1000);
    if (weight) {
      this.note('spent', contender, (serverSeconds(contender.house) - spent) / calls * 1e6);
      this.note('weight', contender, (memory(contender.house).server - weight) / AT_WORK * 1024);
    }
    for (const session of sessions) await within(session.close(), CALL_MS, `${contender.key} close`);
    await crew.leave?.();
  }

  async #finish(contender) {
    if (contender.session?.stale) this.stale.set(contender.key, (this.stale.get(contender.key) ?? 0) + contender.session.stale);
    if (contender.house) await contender.stop().catch((error) => this.say(`  ${contender.label}: ${error.message}`));
    contender.house = null;
  }

  /** Memory of the server before it has a browser, then with so many sessions; and what it does when nobody asks. */
  async weigh(contender, counts) {
    await this.guard(contender, async () => {
      await within(contender.start(), CALL_MS, 'start');
      await pause(SETTLE_MS);
      const found = [{ sessions: 0, ...memory(contender.house) }];
      for (const count of contender.oneSession ? [1] : counts) {
        for (let have = found.at(-1).sessions; have < count; have += 1) await within(contender.open(this.items), CALL_MS, 'open');
        await pause(SETTLE_MS);
        found.push({ sessions: count, ...memory(contender.house) });
        if (count === 1) this.idle.set(contender.key, await idle(contender.house, IDLE_MS));
      }
      this.memory.set(contender.key, found);
    });
    await this.#finish(contender);
  }
}
