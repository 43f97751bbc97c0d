// SPDX-License-Identifier: Apache-2.0
// Runs contenders side by side. Those of one group live at the same time and take turns at every
// single repetition, so that a busy moment of the machine meets all of them alike.
import { pause, within } from './house.mjs';
import { idle, memory } from './proc.mjs';
import { operations } from './ops.mjs';

const CALL_MS = 60_000;
const IDLE_MS = 5000;
const SETTLE_MS = 1000;
const THINK_MS = 500; // between two new sessions, as between two calls of an agent

export function median(list, part = 0.5) {
  const sorted = [...list].sort((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const low = sorted[Math.floor(at)];
  return low + (sorted[Math.ceil(at)] - low) * (at % 1);
}

export class Bench {
  samples = new Map(); // "row key" to milliseconds
  sizes = new Map(); // the same to bytes
  memory = new Map(); // contender to [{sessions, all, server, resident}]
  idle = new Map();
  stale = new Map();
  failed = new Map(); // contender to words

  constructor(site, say) {
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
    const began = performance.now();
    await this.time('start', contender, () => contender.start());
    contender.session = await within(contender.open(this.items), CALL_MS, `${contender.key} first page`);
    this.note('cold', contender, performance.now() - began);
    if (!contender.again) return;
    const leave = await this.time('again', contender, () => contender.again());
    await leave();
  }

  /** One round of a group: start, every operation, stop. */
  async round(group, reps, quickly) {
    for (const contender of group) await this.guard(contender, () => this.#begin(contender));
    for (const op of operations(this.site)) await this.#block(group, op, Math.ceil(reps * (op.times?.(quickly) ?? 1)));
    await this.#pings(group, reps);
    await this.#opens(group, Math.ceil(reps / 2));
    for (const contender of group) await this.#finish(contender);
  }

  async #block(group, op, reps) {
    const taking = group.filter(({ only, sessionsOnly }) => (only?.includes(op.key) ?? true) && !sessionsOnly);
    const before = async (each) => op.before?.(each.session);
    for (const each of taking) await this.guard(each, () => within(before(each), CALL_MS, `before ${op.key}`));
    for (let i = 0; i < reps; i += 1) {
      for (let j = 0; j < taking.length; j += 1) {
        const each = taking[(i + j) % taking.length];
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
      for (const each of group) if (each.ping) await this.guard(each, () => this.time('ping', each, () => each.ping()));
    }
  }

  async #opens(group, reps) {
    for (let i = 0; i < reps; i += 1) {
      await pause(THINK_MS);
      for (const each of group) {
        if (each.oneSession || each.only) continue;
        await this.guard(each, async () => {
          const session = await this.time('open', each, () => each.open(this.items));
          await within(session.close(), CALL_MS, `${each.key} close`);
        });
      }
    }
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
