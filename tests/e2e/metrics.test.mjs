// SPDX-License-Identifier: Apache-2.0
// What a collector reads while agents work, and the charts that people make of it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { Agent } from '../support/agent.mjs';
import { Daemon, root } from '../support/daemon.mjs';
import { Site } from '../support/site.mjs';

const MIB = 1024 * 1024;

async function scrape(daemon) {
  const { text } = await daemon.request('/metrics', { auth: true });
  const samples = new Map(text.split('\n').filter((line) => line && !line.startsWith('#')).map((line) => {
    const at = line.lastIndexOf(' ');
    return [line.slice(0, at), Number(line.slice(at + 1))];
  }));
  return { text, samples };
}

test('sessions, calls, browsers and the proxy are counted', async (t) => {
  const daemon = await Daemon.start(t);
  const site = await Site.start(t);
  const agent = await Agent.connect(t, daemon);
  await agent.call('start_session', { sessionId: 'a', url: `${site.url}/list`, policy: { allow_domains: ['127.0.0.1'], private_networks: 'allow' } });
  await agent.call('browser_snapshot', { sessionId: 'a' });
  await agent.failure('browser_click', { sessionId: 'a', target: 'e999' });
  const { samples } = await scrape(daemon);
  const get = (name) => samples.get(name) ?? assert.fail(`${name} is not in ${[...samples.keys()].join('\n')}`);
  assert.equal(get('tabard_sessions{kind="browser",state="idle"}') + (samples.get('tabard_sessions{kind="browser",state="active"}') ?? 0), 1);
  assert.equal(get('tabard_calls_total{tool="browser_snapshot",outcome="ok"}'), 1);
  const failed = [...samples].filter(([name, value]) => /tool="browser_click",outcome="(?!ok)/.test(name) && value === 1);
  assert.equal(failed.length, 1);
  assert.equal(get('tabard_call_duration_seconds_count{tool="browser_snapshot"}'), 1);
  assert.equal(get('tabard_call_duration_seconds_bucket{tool="browser_snapshot",le="+Inf"}'), 1);
  assert.ok(get('tabard_call_duration_seconds_sum{tool="start_session"}') > 0.01);
  assert.ok(get('tabard_browsers') >= 1);
  assert.ok(get('tabard_browser_processes') > 2);
  assert.ok(get('tabard_browser_memory_bytes') > 20 * MIB);
  assert.ok(get('tabard_proxy_requests_total') >= 1);
  assert.ok(get('tabard_proxy_to_pages_bytes_total') > get('tabard_proxy_from_pages_bytes_total'));
  assert.ok(get('tabard_store_commit_duration_seconds_count') >= 1);
  assert.ok(get('process_resident_memory_bytes') > 2 * MIB);
  assert.ok(get('process_open_fds') > 5);
});

test('the dashboard for Grafana asks for metrics that there are, by labels that they have', async (t) => {
  const daemon = await Daemon.start(t);
  const agent = await Agent.connect(t, daemon);
  await agent.call('list_sessions');
  const { text } = await scrape(daemon);
  const kinds = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, kind]) => [name, kind]));
  const labels = { tabard_sessions: ['kind', 'state'], tabard_calls_total: ['tool', 'outcome'], tabard_call_duration_seconds: ['tool', 'le'] };
  const { panels, templating } = JSON.parse(await readFile(path.join(root, 'packaging/grafana/tabard.json'), 'utf8'));
  const asked = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).concat(templating.list.map(({ query }) => query));
  const names = new Set(asked.join(' ').match(/\b(tabard|process)_\w+/g));
  assert.ok(names.size > 15);
  for (const name of names) {
    const base = name.replace(/_bucket$/, '');
    assert.ok(kinds.has(base), `${name} is no metric`);
    assert.equal(kinds.get(base) === 'histogram', name !== base, `${name} is of another kind`);
  }
  for (const expr of asked) {
    const [, name] = /\b(tabard_\w+)/.exec(expr) ?? [];
    const by = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, list]) => list.split(', '));
    const known = ['instance', 'le', ...(labels[name?.replace(/_bucket$/, '')] ?? [])];
    assert.deepEqual(by.filter((label) => !known.includes(label)), [], expr);
  }
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length);
});
