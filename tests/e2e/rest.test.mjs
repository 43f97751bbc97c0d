// SPDX-License-Identifier: Apache-2.0
// A client that is generated from the OpenAPI document drives a real browser.
import { createClient as generate } from '@hey-api/openapi-ts';
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { Daemon, tempDir } from '../support/daemon.mjs';
import { rest } from '../support/rest.mjs';
import { Site } from '../support/site.mjs';

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');

/** The module of a generated client, whose types hold. */
async function clientOf(t, daemon) {
  const dir = await tempDir(t);
  const document = path.join(dir, 'openapi.json');
  await writeFile(document, (await rest(daemon, 'GET', '/api/openapi.json')).text);
  await generate({
    input: document, output: { path: path.join(dir, 'src'), tsConfigPath: null, module: { extension: '.js' } }, logs: { level: 'silent' },
    plugins: ['@hey-api/client-fetch', '@hey-api/typescript', '@hey-api/sdk'],
  });
  await writeFile(path.join(dir, 'package.json'), '{"type":"module"}');
  await promisify(execFile)(process.execPath, [tsc, '--strict', '--target', 'es2022', '--module', 'esnext', '--moduleResolution', 'bundler', '--lib', 'es2022,dom,dom.iterable',
    '--rootDir', path.join(dir, 'src'), '--outDir', path.join(dir, 'js'), path.join(dir, 'src/index.ts'), path.join(dir, 'src/client.gen.ts')]);
  const [sdk, { client }] = await Promise.all(['index.js', 'client.gen.js'].map((name) => import(pathToFileURL(path.join(dir, 'js', name)))));
  client.setConfig({ baseUrl: daemon.url, headers: { authorization: `Bearer ${daemon.token}` } });
  return sdk;
}

test('a generated client logs in, clicks, reads and closes, in ten steps', async (t) => {
  const daemon = await Daemon.start(t);
  const site = await Site.start(t);
  const sdk = await clientOf(t, daemon);
  const steps = [];
  const step = async (operation, options) => {
    const { data, error } = await sdk[operation](options);
    assert.ok(data, `${operation}: ${JSON.stringify(error)}`);
    steps.push(operation);
    return data;
  };
  const inShop = { sessionId: 'shop' };
  await step('createSession', { body: { ...inShop, url: `${site.url}/login` } });
  const { text } = await step('browserSnapshot', { body: inShop });
  const ref = (pattern) => pattern.exec(text)?.[1] ?? assert.fail(`${pattern} not in ${text}`);
  await step('browserFill', { body: { ...inShop, target: ref(/textbox "User" \[ref=(\w+)\]/), value: 'alice' } });
  await step('browserFill', { body: { ...inShop, target: ref(/textbox "Password"[^\n]*\[ref=(\w+)\]/), value: 'secret' } });
  assert.match((await step('browserClick', { body: { ...inShop, target: ref(/button "Log in" \[ref=(\w+)\]/) } })).text, /\/account/);
  assert.match((await step('callSessionTool', { path: { id: 'shop', tool: 'browser_extract' }, body: { target: 'h1' } })).text, /Hello alice/);
  await step('browserNavigate', { body: { ...inShop, url: `${site.url}/list` } });
  assert.equal((await step('browserEvaluate', { body: { ...inShop, script: 'document.querySelectorAll("a").length > 5' } })).text, 'true');
  const picture = Buffer.from(await (await step('getScreenshot', { path: { id: 'shop' }, query: { format: 'png' }, parseAs: 'blob' })).arrayBuffer());
  assert.equal(picture.toString('latin1', 1, 4), 'PNG');
  assert.deepEqual(await step('deleteSession', { path: { id: 'shop' } }), { closed: 'shop' });
  assert.equal(steps.length, 10);
  const { error } = await sdk.getSession({ path: { id: 'shop' } });
  assert.deepEqual([error.status, error.error.code], [410, 'session_stopped'], 'by the operator');
});

test('a session sleeps, wakes and is handed over by REST, and loses nothing', async (t) => {
  const daemon = await Daemon.start(t);
  const site = await Site.start(t);
  const call = async (method, target, body) => {
    const reply = await rest(daemon, method, target, body);
    assert.equal(reply.status, 200, reply.text);
    return reply.json;
  };
  await call('POST', '/api/sessions', { sessionId: 'shop', url: `${site.url}/list` });
  assert.equal((await call('POST', '/api/sessions/shop/hibernate', {})).hibernated, true);
  assert.equal((await call('POST', '/api/sessions/shop/hibernate', {})).hibernated, true);
  assert.equal((await call('GET', '/api/sessions?state=hibernated')).sessions.length, 1);
  assert.equal((await call('POST', '/api/sessions/shop/wake', {})).hibernated, undefined);
  assert.equal((await call('POST', '/api/sessions/shop/tools/browser_evaluate', { script: 'location.pathname' })).text, '"/list"');
  assert.equal((await call('POST', '/api/sessions/shop/hold', {})).held, true);
  const waits = rest(daemon, 'POST', '/api/sessions/shop/tools/browser_evaluate', { script: '1', timeout_ms: 20_000 });
  assert.equal((await call('POST', '/api/sessions/shop/release', { note: 'solved' })).held, undefined);
  assert.match((await waits).json.notes[0], /They say: solved/);
});
