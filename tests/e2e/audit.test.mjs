// SPDX-License-Identifier: Apache-2.0
// What agents do in real pages is on record, and nothing of what they typed or read. (S2-63, S2-65, S2-67, S2-68)
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon, run } from '../support/daemon.mjs';
import { Site } from '../support/site.mjs';

const CANARY = 'canary7263';
const audit = (daemon, ...args) => run(['audit', ...args, '--state-dir', daemon.stateDir]);

/** The newest entries first, once there are so many. */
async function entries(daemon, count) {
  let list = [];
  for (const end = Date.now() + 5000; list.length < count && Date.now() < end;) {
    list = (await audit(daemon, 'search', '--json')).stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  }
  return list;
}

for (const kind of [kinds[0], kinds[3]]) {
  test(`${kind.sdk} ${kind.era} over ${kind.transport}: every action is on record`, async (t) => {
    const daemon = await Daemon.start(t);
    const site = await Site.start(t);
    const host = new URL(site.url).host;
    const agent = await Agent.connect(t, daemon, kind);
    await agent.call('start_session', { sessionId: 'shop', url: `${site.url}/login?secret=${CANARY}#${CANARY}` });
    await agent.call('browser_fill', { sessionId: 'shop', target: 'css=input[type=password]', value: CANARY });
    await agent.call('browser_evaluate', { sessionId: 'shop', script: `document.cookie = 'x=${CANARY}'; '${CANARY}'` });
    await agent.failure('browser_click', { sessionId: 'shop', target: `text=${CANARY}`, timeout_ms: 300 });
    await agent.call('execute_sequence', {
      sessionId: 'shop',
      actions: [{ action: 'browser_navigate', url: `${site.url}/list?${CANARY}` }, { action: 'browser_evaluate', script: `'${CANARY}'` }],
    });
    await agent.call('close_session', { sessionId: 'shop' });

    const list = await entries(daemon, 11);
    const login = `${site.url}/login`;
    const at = (entry) => [entry.type, entry.session, entry.tool, entry.outcome, entry.details.url, entry.details.action, entry.details.step];
    const done = (tool, outcome, url, action) => ['call_done', 'shop', tool, outcome, url, action, undefined];
    const step = (tool, url, action, n) => ['call_step', 'shop', tool, 'ok', url, action, n];
    assert.deepEqual(list.map(at).reverse(), [
      ['session_started', 'shop', '', '', undefined, undefined, undefined],
      step('browser_navigate', login, 1, 1),
      done('start_session', 'ok', login, 1),
      done('browser_fill', 'ok', login, 2),
      done('browser_evaluate', 'ok', login, 3),
      done('browser_click', 'element_not_found', login, 4),
      step('browser_navigate', `${site.url}/list`, 5, 1),
      step('browser_evaluate', `${site.url}/list`, 5, 2),
      done('execute_sequence', 'ok', `${site.url}/list`, 5),
      ['session_ended', 'shop', '', 'closed', `${site.url}/list`, undefined, undefined],
      ['call_done', 'shop', 'close_session', 'ok', undefined, undefined, undefined],
    ]);
    assert.ok(list.every((entry) => entry.tenant === 'default' && (!entry.tool || entry.agent === 'tabard-test 1')));
    const end = list[1].details;
    assert.ok(end.calls === 5 && end.errors === 1 && end.duration_ms > 0, JSON.stringify(end));
    assert.match((await audit(daemon, 'tail')).stdout, new RegExp(`browser_fill +ok .*ms=\\d+`));
    assert.ok((await audit(daemon, 'search', '--tool', 'browser_fill')).stdout.includes(host));

    assert.equal((await audit(daemon, 'verify')).code, 0);
    daemon.child.kill('SIGTERM');
    await daemon.exited;
    assert.equal((await audit(daemon, 'verify')).code, 0);
    for (const name of await readdir(daemon.stateDir)) {
      if (/^tabard\./.test(name)) assert.ok(!(await readFile(path.join(daemon.stateDir, name))).includes(CANARY), name);
    }
    assert.ok(!daemon.log.text.includes(CANARY));
  });
}
