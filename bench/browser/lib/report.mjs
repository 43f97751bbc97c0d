// SPDX-License-Identifier: Apache-2.0
// Tables of the figures, ratios to the limit and to the peers, and the goals.
import { median } from './measure.mjs';

const rows = [
  ['start', 'start to first answer'], ['again', 'the same, daemon running'], ['cold', 'cold first page'],
  ['open', 'new session to first page'],
  ['next', 'the same, one right after the other'], ['burst', 'ten agents at once, until all have their page'],
  ['crowd', '20 sessions at work at once, evaluate a second'], ['spent', 'of the server in each of these calls, µs'],
  ['weight', 'of the server for each of these sessions, KB'], ['evaluate', 'evaluate'], ['fill', 'fill'], ['click', 'click'],
  ['navigate', 'navigate, 200-item page'], ['snapshot200', 'snapshot, 200 items'], ['snapshot2000', 'snapshot, 2,000 elements'],
  ['outline200', 'bare outline, 200 items'], ['outline2000', 'bare outline, 2,000 elements'], ['screenshot', 'screenshot 1280x720, JPEG'], ['workflow', 'ten-step workflow'], ['ping', 'MCP ping'],
];
const operations = ['evaluate', 'fill', 'click', 'navigate', 'snapshot200', 'snapshot2000', 'screenshot'];

function number(value) {
  if (value === undefined || Number.isNaN(value)) return '–';
  if (value >= 100) return String(Math.round(value));
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

function table(head, lines) {
  const text = [head, head.map((_, i) => (i ? '--:' : '---')), ...lines].map((cells) => `| ${cells.join(' | ')} |`);
  return text.join('\n');
}

export class Report {
  constructor(bench, contenders) {
    this.bench = bench;
    this.contenders = contenders;
    this.goals = [];
  }

  /** A median, or the lower quartile with `part` 0.25. */
  of(row, key, part) {
    const list = this.bench.samples.get(`${row} ${key}`);
    return list && median(list, part);
  }

  #has(contender) {
    return [...this.bench.samples.keys()].some((name) => name.endsWith(` ${contender.key}`));
  }

  #bytes(row, key) {
    const bytes = this.bench.sizes.get(`${row} ${key}`);
    return bytes ? ` (${number(bytes / 1024)})` : '';
  }

  times() {
    const shown = this.contenders.filter((each) => this.#has(each));
    return table(['median ms (KB)', ...shown.map((each) => each.label)], rows
      .map(([row, label]) => [label, ...shown.map(({ key }) => number(this.of(row, key)) + this.#bytes(row, key))]));
  }

  /** How far the middle half of the repetitions lies apart, as a part of the median. */
  noise() {
    const shown = this.contenders.filter((each) => this.#has(each));
    return table(['middle half, % of median (repetitions)', ...shown.map((each) => each.label)], rows.map(([row, label]) => [
      label, ...shown.map(({ key }) => {
        const list = this.bench.samples.get(`${row} ${key}`);
        return list ? `${Math.round((median(list, 0.75) - median(list, 0.25)) / median(list) * 100)} (${list.length})` : '–';
      }),
    ]));
  }

  #limit(contender) {
    return this.contenders.find(({ family, engine }) => family === 'raw' && engine === contender.engine)?.key;
  }

  /** tabard over what its goal allows as 1.00: raw CDP and one ping. */
  #ratio(row, contender, part) {
    const ping = operations.includes(row) || row === 'workflow' ? this.of('ping', contender.key, part) : 0;
    return this.of(row, contender.key, part) / (this.of(row, this.#limit(contender), part) + (row === 'workflow' ? 0 : ping));
  }

  /** A snapshot over the least that could be called one, and a ping. */
  #toOutline(size, contender) {
    return this.of(`snapshot${size}`, contender.key) / (this.of(`outline${size}`, this.#limit(contender)) + this.of('ping', contender.key));
  }

  /** Of a rate: the more the better. */
  #share(contender, part) {
    return this.of('crowd', contender.key, part) / this.of('crowd', this.#limit(contender), part);
  }

  ratios() {
    const ours = this.contenders.filter((each) => each.family === 'tabard' && this.#has(each));
    if (!ours.length) return '';
    const wanted = ['cold', 'open', 'next', 'burst', 'crowd', ...operations, 'workflow'];
    return table(['to the limit: by medians (by lower quartiles)', ...ours.map((each) => each.label)], wanted.map((row) => [
      rows.find(([key]) => key === row)[1],
      ...ours.map((each) => `${number(this.#ratio(row, each))} (${number(this.#ratio(row, each, 0.25))})`),
    ]));
  }

  /** How many times as long a peer takes. */
  peers() {
    const ours = this.contenders.find((each) => each.family === 'tabard' && this.#has(each));
    const others = this.contenders.filter((each) => !['tabard', 'beforetabard', 'raw'].includes(each.family) && this.#has(each));
    if (!ours || !others.length) return '';
    const wanted = ['start', 'cold', 'open', ...operations, 'workflow'];
    return table([`times as long as ${ours.label}`, ...others.map((each) => each.label)], wanted.map((row) => [
      rows.find(([key]) => key === row)[1],
      ...others.map(({ key }) => number(this.of(row, key) / this.of(row, ours.key))),
    ]));
  }

  /** The middle 95 % of what the ratio of medians, below the line a sum of them, would be had the repetitions come out otherwise. */
  #range(ours, ...theirs) {
    const again = (list) => median(list.map(() => list[Math.floor(Math.random() * list.length)]));
    const ratios = Array.from({ length: 500 }, () => again(ours) / theirs.reduce((sum, list) => sum + again(list), 0));
    return [median(ratios, 0.025), median(ratios, 0.975)];
  }

  /** The same of a row of ours over rows of the limit and our ping. */
  #rangeTo(contender, row, limit, ping) {
    const lists = [[row, contender.key], [limit, this.#limit(contender)], ...(ping ? [['ping', contender.key]] : [])]
      .map(([each, key]) => this.bench.samples.get(`${each} ${key}`));
    return lists.every(Boolean) ? this.#range(...lists) : undefined;
  }

  /** This build over an earlier one. */
  builds() {
    const ours = this.contenders.filter((each) => each.family === 'tabard' && this.bench.samples.has(`ping before${each.key}`));
    if (!ours.length) return '';
    return table(['this build over the one before: by medians (95 %)', ...ours.map((each) => each.label)], rows
      .filter(([row]) => this.bench.samples.has(`${row} ${ours[0].key}`)).map(([row, label]) => [label, ...ours.map(({ key }) => {
        const [now, before] = [key, `before${key}`].map((each) => this.bench.samples.get(`${row} ${each}`));
        return now && before ? `${number(median(now) / median(before))} (${this.#range(now, before).map(number).join('–')})` : '–';
      })]));
  }

  memory() {
    const shown = this.contenders.filter(({ key }) => this.bench.memory.has(key));
    const found = [...this.bench.memory.values()].flat().map(({ sessions }) => sessions);
    const counts = [...new Set(found)].filter(Boolean).sort((a, b) => a - b);
    const at = (key, count) => this.bench.memory.get(key).find(({ sessions }) => sessions === count);
    const line = (label, value) => [label, ...shown.map(({ key }) => number(value(key)))];
    return table(['MB, proportional', ...shown.map((each) => each.label)], [
      line('server alone, no session', (key) => at(key, 0)?.server || undefined),
      line('its largest process, resident', (key) => at(key, 0)?.resident || undefined),
      ...counts.map((count) => line(`server, ${count} sessions`, (key) => at(key, count)?.server || undefined)),
      ...counts.map((count) => line(`everything, ${count} sessions`, (key) => at(key, count)?.all)),
      line('idle, everything, % of a core', (key) => this.bench.idle.get(key)?.all),
      line('idle, server, % of a core', (key) => this.bench.idle.get(key)?.server),
    ]);
  }

  #goal(words, value, bound, { unit = '', atLeast = false, range } = {}) {
    if (value === undefined || Number.isNaN(value)) return;
    const met = atLeast ? value >= bound : value <= bound;
    const found = `${number(value)}${unit}${range ? ` (${range.map(number).join('–')})` : ''}`;
    this.goals.push([words, `${atLeast ? '≥' : '≤'} ${bound}${unit}`, found, met ? 'met' : '**missed**']);
  }

  #goalsOf(ours) {
    const to = (row, limit = row, ping = true) => ({ range: this.#rangeTo(ours, row, limit, ping) });
    for (const row of operations) this.#goal(`${row}, ${ours.label}, to raw CDP + ping`, this.#ratio(row, ours), 1.1, to(row));
    for (const size of [200, 2000]) {
      this.#goal(`snapshot${size}, ${ours.label}, to a bare outline + ping`, this.#toOutline(size, ours), 1.1, to(`snapshot${size}`, `outline${size}`));
    }
    const alone = (row) => to(row, row, false);
    this.#goal(`workflow, ${ours.label}, to raw CDP`, this.#ratio('workflow', ours), 1.15, alone('workflow'));
    this.#goal(`new session, ${ours.label}, to raw CDP`, this.#ratio('open', ours), 0.7, alone('open'));
    this.#goal(`the same, one right after the other, ${ours.label}, to raw CDP`, this.#ratio('next', ours), 0.7, alone('next'));
    this.#goal(`ten agents at once, ${ours.label}, to raw CDP`, this.#ratio('burst', ours), 0.8, alone('burst'));
    this.#goal(`rate of evaluate in 20 sessions, ${ours.label}, to raw CDP`, this.#share(ours), 0.9, { atLeast: true });
    this.#goal(`server's processor time a call, 20 sessions, ${ours.label}`, this.of('spent', ours.key), 60, { unit: ' µs' });
    this.#goal(`server's memory a session at work, ${ours.label}`, this.of('weight', ours.key), 64, { unit: ' KB' });
    this.#goal(`first answer, ${ours.label}`, this.of('start', ours.key), 10, { unit: ' ms' });
    this.#goal(`first answer, daemon running, ${ours.label}`, this.of('again', ours.key), 10, { unit: ' ms' });
    const weights = this.bench.memory.get(ours.key);
    if (!weights) return;
    this.#goal(`resident with no session, ${ours.label}`, weights[0].resident, 6, { unit: ' MB' });
    const [one, many] = [weights[1], weights.at(-1)];
    if (many.sessions > one.sessions) {
      this.#goal(`server's memory a session, ${ours.label}`, (many.server - one.server) * 1024 / (many.sessions - one.sessions), 64,
        { unit: ' KB' });
    }
  }

  #goalsAgainst(ours, peers) {
    for (const [key, times] of [['playwright-full', 10], ['agent-browser-full', 3]]) {
      const peer = peers.find((each) => each.key === key);
      if (!peer) continue;
      this.#goal(`workflow, times as fast as ${peer.label}`, this.of('workflow', key) / this.of('workflow', ours.key), times, { atLeast: true });
    }
    const ten = (key) => this.bench.memory.get(key)?.find(({ sessions }) => sessions === 10)?.all;
    for (const peer of peers) {
      if (ten(peer.key) && ten(ours.key)) this.#goal(`everything, 10 sessions, to ${peer.label}`, ten(ours.key) / ten(peer.key), 1);
    }
  }

  goalTable() {
    this.goals = [];
    const ours = this.contenders.filter((each) => each.family === 'tabard' && this.#has(each));
    for (const each of ours) this.#goalsOf(each);
    if (ours.length) this.#goalsAgainst(ours[0], this.contenders.filter(({ family }) => !['tabard', 'beforetabard', 'raw'].includes(family)));
    return this.goals.length ? table(['goal', 'bound', 'found (95 %)', ''], this.goals) : '';
  }

  notes() {
    const label = (key) => this.contenders.find((each) => each.key === key).label;
    return [
      ...[...this.bench.failed].map(([key, words]) => `- ${label(key)} was given up: ${words}`),
      ...[...this.bench.stale].map(([key, times]) => `- ${label(key)}: ${times} snapshots in the workflow were of the old page and had `
        + 'to be taken again'),
    ].join('\n');
  }

  text() {
    const parts = [
      ['Times', this.times()], ['Ratio to the limit', this.ratios()], ['Ratio of the peers', this.peers()],
      ['Ratio to the build before', this.builds()],
      ['Memory and idling', this.bench.memory.size ? this.memory() : ''], ['Goals', this.goalTable()],
      ['Spread', this.noise()], ['Notes', this.notes()],
    ];
    return parts.filter(([, text]) => text).map(([head, text]) => `## ${head}\n\n${text}\n`).join('\n');
  }
}
