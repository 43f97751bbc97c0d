// SPDX-License-Identifier: Apache-2.0
// The module as it is given away: of one piece, typed, and in a package that installs and works. `make web` comes first.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../../..');
const built = path.join(root, 'build/web/btcp-client');
const run = (file, args, cwd) => promisify(execFile)(file, args, { cwd }).catch((err) => { throw new Error(`${file} ${args.join(' ')}: ${err.stdout}${err.stderr}`); });
const tsc = (args, cwd = root) => run(process.execPath, [path.join(root, 'tests/node_modules/typescript/bin/tsc'), ...args], cwd);

async function tempDir(t) {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'tabard-web-test-'));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

test('all parts are in it, and it needs nothing else', async () => {
  const parts = (await readFile(path.join(root, 'web/btcp-client/src/files.txt'), 'utf8')).split('\n').filter((line) => line && !line.startsWith('#'));
  assert.deepEqual(parts.toSorted(), (await readdir(path.join(root, 'web/btcp-client/src'))).filter((name) => name.endsWith('.js')).sort());
  const text = await readFile(path.join(built, 'btcp-client.js'), 'utf8');
  assert.doesNotMatch(text, /^\s*(import\b(?!\()|export .* from)/m);
  assert.deepEqual(Object.keys(await import(path.join(built, 'btcp-client.js'))).sort(), ['BTCPClient', 'BTCPError', 'checkManifest', 'checkSchema']);
});

test('its types hold, in the parts and in the whole', async (t) => {
  await tsc(['-p', 'web/btcp-client']);
  const dir = await tempDir(t);
  const { compilerOptions } = JSON.parse(await readFile(path.join(root, 'web/btcp-client/tsconfig.json'), 'utf8'));
  await writeFile(path.join(dir, 'package.json'), '{"type":"module"}');
  await writeFile(path.join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
  await writeFile(path.join(dir, 'use.ts'), `import { BTCPClient, BTCPError, checkSchema } from ${JSON.stringify(path.join(built, 'btcp-client.js'))};
    const client = new BTCPClient({ serverUrl: 'ws://localhost', reconnect: { tries: 3 }, onCapabilityRequest: async ({ capabilities }) => capabilities });
    const id: string = (await client.connect()).id;
    const faults: string[] = checkSchema({}, id);
    await client.registerTool({ name: 'a', description: 'b', inputSchema: {} }, ({ n }, { signal }) => (signal.aborted ? n : 1));
    await client.registerTool({ name: 'a', description: 'b', inputSchema: {} }, { source: '() => 1' });
    // @ts-expect-error: a name is a text
    await client.registerTool({ name: 7, description: 'b', inputSchema: {} }, () => 1);
    // @ts-expect-error: no such way
    new BTCPClient({ transport: 'pigeon' });
    // @ts-expect-error: no such method
    client.nothing();
    export { faults, BTCPError };`);
  await tsc(['-p', dir]);
});

test('npm packs it, and what was packed installs and works', async (t) => {
  const dir = await tempDir(t);
  await run('npm', ['pack', built, '--silent'], dir);
  const [file] = await readdir(dir);
  assert.equal(file, `tabard-btcp-client-${(await readFile(path.join(root, 'VERSION'), 'utf8')).trim()}.tgz`);
  await writeFile(path.join(dir, 'package.json'), '{"private":true,"type":"module"}');
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', '--silent', `./${file}`], dir);
  const there = path.join(dir, 'node_modules/@tabard/btcp-client');
  assert.deepEqual((await readdir(there)).sort(), ['LICENSE', 'README.md', 'btcp-client.js', 'example', 'package.json']);
  assert.equal(await readFile(path.join(there, 'LICENSE'), 'utf8'), await readFile(path.join(root, 'LICENSE'), 'utf8'));
  await writeFile(path.join(dir, 'use.mjs'), `import { BTCPClient, checkManifest } from '@tabard/btcp-client';
    const client = new BTCPClient({ serverUrl: 'ws://127.0.0.1:1', connectTimeoutMs: 5000 });
    const { code } = await client.connect().catch((err) => err);
    console.log(client.state, code, checkManifest({}).length);`);
  assert.equal((await run(process.execPath, ['use.mjs'], dir)).stdout, 'idle CONNECTION 1\n');
});
