// SPDX-License-Identifier: Apache-2.0
// The official MCP conformance suite, every scored scenario of both eras. It needs Node 22 or newer,
// which comes as an npm package where the machine's own is older.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { Daemon, fixtures, root, tempDir, within } from '../support/daemon.mjs';

const modules = path.join(root, 'tests/node_modules');
const suite = path.join(modules, '@modelcontextprotocol/conformance/dist/index.js');
const SUITE_MS = 300_000;

function findNode() {
  const own = [process.execPath].filter(() => Number(process.versions.node.split('.')[0]) >= 22);
  const packaged = [`node-${process.platform}-${process.arch}`, 'node'].map((name) => path.join(modules, name, 'bin/node'));
  return [...own, ...packaged].find((file) => existsSync(file));
}

async function runSuite(t, daemon, revision) {
  const out = await tempDir(t);
  const child = spawn(findNode(), [suite, 'server', '--url', `http://localhost:${daemon.port}/mcp`, '--requirements', revision, '-o', out], {
    cwd: out, stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stdout.on('data', (data) => (text += data));
  child.stderr.on('data', (data) => (text += data));
  t.after(() => child.kill('SIGKILL'));
  const [code] = await within(once(child, 'close'), SUITE_MS, 'the suite');
  return { code, text };
}

/** The lines of the summary: {name: {passed, failed}}, and which scenarios do not count. */
function readSummary(text) {
  const rows = [...text.matchAll(/^[✓✗] ([\w-]+): (\d+) passed, (\d+) failed$/gm)]
    .map(([, name, passed, failed]) => ({ name, passed: Number(passed), failed: Number(failed) }));
  const unscored = new Set([...text.matchAll(/^ {2}[✓✗] ([\w-]+) \(/gm)].map(([, name]) => name));
  return rows.filter((row) => !unscored.has(row.name));
}

for (const [revision, scenarios] of [['2025-11-25', 30], ['2026-07-28', 37]]) {
  test(`every scored scenario of ${revision} passes`, async (t) => {
    assert.ok(findNode(), 'no Node 22 or newer: run tools/setup.sh test');
    const daemon = await Daemon.start(t, { program: fixtures });
    const { code, text } = await runSuite(t, daemon, revision);
    const scored = readSummary(text);
    assert.equal(scored.length, scenarios, text.slice(-4000));
    assert.deepEqual(scored.filter((row) => row.failed > 0 || row.passed === 0), []);
    assert.equal(code, 0, text.slice(-4000));
  });
}
