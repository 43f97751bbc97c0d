// SPDX-License-Identifier: Apache-2.0
// The npm package, from nothing to an agent that drives a page: what `npx` starts needs glibc and a browser, and nothing else.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { root, tempDir, undo } from '../support/daemon.mjs';
import { gone } from '../support/processes.mjs';
import { Site } from '../support/site.mjs';

const MAKE_MS = 300_000;

const version = (await readFile(path.join(root, 'VERSION'), 'utf8')).trim();
const packages = path.join(root, 'build/npm');
const file = `./tabard-${version}.tgz`;

async function endDaemon(stateDir) {
  const pid = Number(/^process (\d+)/.exec(await readFile(path.join(stateDir, 'lock'), 'utf8'))[1]);
  process.kill(pid, 'SIGTERM');
  await gone([pid], 20_000);
}

test('npx starts an agent\'s server from the package alone', async (t) => {
  execFileSync('make', ['--no-print-directory', '--silent', 'npm'], { cwd: root, timeout: MAKE_MS });
  const site = await Site.start(t);
  const home = await tempDir(t);
  const stateDir = path.join(home, '.local/state/tabard');
  // No registry is asked, no library of this machine is found by way of the tree.
  const env = { HOME: home, PATH: process.env.PATH, XDG_RUNTIME_DIR: home, npm_config_offline: 'true', TABARD_LISTEN: '127.0.0.1:0', TABARD_AGENT_LISTEN: 'off' };
  const npx = (...args) => execFileSync('npx', ['-y', file, ...args], { cwd: packages, env, encoding: 'utf8' });
  assert.equal(npx('version'), `tabard ${version}\n`);

  const client = new Client({ name: 'newcomer', version: '1' });
  undo(t, () => endDaemon(stateDir));
  await client.connect(new StdioClientTransport({ command: 'npx', args: ['-y', file, 'mcp'], cwd: packages, env, stderr: 'inherit' }));
  undo(t, () => client.close());
  await client.callTool({ name: 'browser_navigate', arguments: { url: `${site.url}/list` } });
  const { content, isError } = await client.callTool({ name: 'browser_snapshot', arguments: {} });
  assert.ok(!isError, content[0].text);
  assert.match(content[0].text, /Item 7/);
});

test('the program of the package brings its libraries along', () => {
  const lines = execFileSync('ldd', [path.join(packages, 'tabard/bin/tabard')], { encoding: 'utf8' }).trim().split('\n');
  const foreign = lines.map((line) => line.trim().split(' => ')).filter(([, where]) => where && !where.startsWith(packages)).map(([name]) => name);
  assert.deepEqual(foreign.filter((name) => !/^lib[cm]\.so\.6$/.test(name)), []);
});
