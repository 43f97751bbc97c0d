// SPDX-License-Identifier: Apache-2.0
// The same call by REST and by MCP over HTTP (both eras), by turns, on one connection each: in a real browser, and in a session that
// needs none, where all that is left is the daemon. QUICK=1 is a short run.
import { once } from 'node:events';
import http from 'node:http';
import { Daemon, fixtures } from '../../tests/support/daemon.mjs';
import { LEGACY, MODERN, initialize, modernMeta, request } from '../../tests/support/mcp.mjs';
import { median } from '../browser/lib/measure.mjs';

const CALLS = process.env.QUICK ? 300 : 3000;
const WARM = 50;

const hooks = [];
const t = { after: (fn) => hooks.unshift(fn) };
const say = (text) => process.stdout.write(`${text}\n`);

/** One connection that is kept; a function that posts and gives the text of the answer. */
function connection(daemon, target, headers = {}) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  return async (body) => {
    const req = http.request({
      host: '127.0.0.1', port: daemon.port, path: target, method: 'POST', agent,
      headers: { authorization: `Bearer ${daemon.token}`, 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    });
    req.end(JSON.stringify(body));
    const [res] = await once(req, 'response');
    let text = '';
    for await (const piece of res) text += piece;
    return { text, headers: res.headers };
  };
}

async function ways(daemon, tool, args) {
  const rest = connection(daemon, `/api/tools/${tool}`);
  const modern = connection(daemon, '/mcp', { 'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': tool });
  const begun = await connection(daemon, '/mcp')(initialize());
  const legacy = connection(daemon, '/mcp', { 'mcp-session-id': begun.headers['mcp-session-id'], 'mcp-protocol-version': LEGACY });
  return {
    REST: () => rest(args),
    'MCP, 2026-07-28': () => modern(request(1, 'tools/call', { name: tool, arguments: args, _meta: modernMeta() })),
    'MCP, 2025-11-25': () => legacy(request(1, 'tools/call', { name: tool, arguments: args })),
  };
}

async function measure(title, program, tool, args) {
  const daemon = await Daemon.start(t, { program, config: 'log:\n  level: warn\n' });
  await connection(daemon, '/api/sessions')({ sessionId: 'bench' });
  const all = Object.entries(await ways(daemon, tool, { sessionId: 'bench', ...args }));
  const times = Object.fromEntries(all.map(([name]) => [name, []]));
  for (let i = -WARM; i < CALLS; i++) {
    for (const [name, call] of i % 2 ? all : all.toReversed()) {
      const began = performance.now();
      const { text } = await call();
      const took = performance.now() - began;
      if (!/"ok":true|"result"/.test(text) || /"isError":true/.test(text)) throw new Error(`${name}: ${text}`);
      if (i >= 0) times[name].push(took);
    }
  }
  const lower = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 4)];
  const [restTimes] = [times.REST];
  for (const [name, list] of Object.entries(times)) {
    const ratio = name === 'REST' ? '' : `${(median(restTimes) / median(list)).toFixed(3)} (${(lower(restTimes) / lower(list)).toFixed(3)})`;
    say(`| ${title}, ${name} | ${median(list).toFixed(3)} | ${ratio} |`);
  }
}

try {
  say('| one call, ms | median | REST to it: by medians (by lower quartiles) |\n| --- | --: | --: |');
  await measure('browser_evaluate in Chromium', undefined, 'browser_evaluate', { script: '1 + 1' });
  await measure('browser_evaluate without a browser', fixtures, 'browser_evaluate', { script: '1 + 1' });
} finally {
  for (const hook of hooks) await hook();
}
