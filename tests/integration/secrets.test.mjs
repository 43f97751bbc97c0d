// SPDX-License-Identifier: Apache-2.0
// Secrets are set, listed and removed by REST and by command; their values come out nowhere.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { binary, Daemon, run, within } from '../support/daemon.mjs';

const VALUE = 'canary-of-1-secret';

const api = (daemon, method, target, body, more = {}) => daemon.request(target, {
  method, auth: true, ...(body ? { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) } : {}), ...more });

/** `tabard secrets …` with `input` on standard input. */
async function secrets(daemon, args, input = '') {
  const child = spawn(binary, ['secrets', ...args, '--config', daemon.configFile, '--state-dir', daemon.stateDir, '--runtime-dir', path.join(daemon.dir, 'run')]);
  let text = '';
  for (const out of [child.stdout, child.stderr]) out.on('data', (data) => (text += data));
  child.stdin.on('error', () => {}); // it may have ended before it read
  child.stdin.end(input);
  const [code] = await within(once(child, 'close'), 10_000, args.join(' '));
  return { code, text };
}

async function filesBelow(dir) {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return Promise.all(entries.filter((entry) => entry.isFile()).map((entry) => readFile(path.join(entry.parentPath, entry.name))));
}

test('a secret is set, listed without its value, replaced and removed', async (t) => {
  const daemon = await Daemon.start(t, { args: ['--log-level', 'debug'] });
  assert.deepEqual(JSON.parse((await api(daemon, 'GET', '/api/secrets')).text), { secrets: [] });
  const put = await api(daemon, 'PUT', '/api/secrets/login', { value: VALUE, domains: ['Example.com', '=login.example.org'] });
  assert.deepEqual([put.status, JSON.parse(put.text)], [200, { set: 'login' }]);
  const [one] = JSON.parse((await api(daemon, 'GET', '/api/secrets')).text).secrets;
  assert.match(one.changed_at, /^\d{4}-\d\d-\d\dT/);
  assert.deepEqual({ ...one, changed_at: '' }, { name: 'login', kind: 'text', domains: ['example.com', '=login.example.org'], changed_at: '' });
  const seed = { value: 'GEZDGNBVGY3TQOJQ', totp: true, domains: ['a.example'] };
  const refused = await api(daemon, 'PUT', '/api/secrets/login', seed);
  assert.equal(refused.status, 409);
  assert.match(refused.text, /login is a password, and this would replace it with the seed of one-time codes/);
  assert.equal((await api(daemon, 'PUT', '/api/secrets/login', { ...seed, replace: true })).status, 200);
  assert.equal(JSON.parse((await api(daemon, 'GET', '/api/secrets')).text).secrets[0].kind, 'totp');
  assert.deepEqual(JSON.parse((await api(daemon, 'DELETE', '/api/secrets/login')).text), { removed: 'login' });
  assert.equal((await api(daemon, 'DELETE', '/api/secrets/login')).status, 404);
  daemon.child.kill('SIGTERM');
  await daemon.exited;
  const { stdout } = await run(['audit', 'export', '--json', '--state-dir', daemon.stateDir]);
  const told = stdout.split('\n').filter(Boolean).map((line) => JSON.parse(line));
  assert.deepEqual(told.map(({ type, agent, details }) => [type, agent, details]), [['secret_set', 'operator', { secret: 'login', kind: 'text' }],
    ['secret_set', 'operator', { secret: 'login', kind: 'totp' }], ['secret_removed', 'operator', { secret: 'login', kind: 'totp' }]]);
  assert.ok(![VALUE, seed.value].some((value) => stdout.includes(value)));
  assert.ok(!daemon.log.text.includes(VALUE));
});

test('a bad secret is refused in words that do not repeat it', async (t) => {
  const daemon = await Daemon.start(t);
  const bad = [{}, [], { value: VALUE }, { value: VALUE, domains: [] }, { value: VALUE, domains: ['com'] }, { value: 'abc', domains: ['a.example'] },
    { value: 7, domains: ['a.example'] }, { value: VALUE, domains: 'a.example' }, { value: VALUE, domains: ['a.example'], totp: true },
    { value: VALUE, domains: ['a.example'], domain: 'b' }, { value: VALUE.repeat(1000), domains: ['a.example'] }];
  for (const body of bad) {
    const answer = await api(daemon, 'PUT', '/api/secrets/x', body);
    assert.ok(answer.status === 400 || answer.status === 422, `${JSON.stringify(body)}: ${answer.status} ${answer.text}`);
    assert.ok(!answer.text.includes('canary'), answer.text);
  }
  for (const name of ['a%20b', 'a%2Fb', '%C3%B6', 'x'.repeat(65)]) {
    assert.ok((await api(daemon, 'PUT', `/api/secrets/${name}`, { value: VALUE, domains: ['a.example'] })).status >= 400, name);
  }
  assert.equal((await daemon.request('/api/secrets')).status, 401);
});

test('the command reads the value from its input, and the files of the daemon never have it', async (t) => {
  const daemon = await Daemon.start(t, { args: ['--log-level', 'debug'] });
  const set = await secrets(daemon, ['set', 'login', '--domain', 'example.com', '--domain', '=b.example'], `${VALUE}\n`);
  assert.deepEqual([set.code, set.text], [0, 'Set. Agents use it as {{secret:login}}, or {{totp:login}} if it is the seed of one-time codes.\n']);
  assert.equal((await secrets(daemon, ['list'])).text, 'login  text  example.com =b.example\n');
  assert.equal(JSON.parse((await secrets(daemon, ['list', '--json'])).text).secrets.length, 1);
  assert.equal((await secrets(daemon, ['set', 'login'], VALUE)).code, 2);
  assert.equal((await secrets(daemon, ['set', '--domain', 'a.example'], VALUE)).code, 2);
  assert.equal((await secrets(daemon, ['set', 'a/b', '--domain', 'a.example'], VALUE)).code, 2);
  assert.equal((await secrets(daemon, ['set', 'short', '--domain', 'a.example'], 'abc\n')).code, 1);
  assert.equal((await secrets(daemon, ['show', 'login'])).code, 2);
  const totp = ['set', 'login', '--domain', 'example.com', '--totp'];
  const refused = await secrets(daemon, totp, 'GEZDGNBVGY3TQOJQ\n');
  assert.equal(refused.code, 1);
  assert.match(refused.text, /login is a password, .*--replace/);
  assert.equal((await secrets(daemon, [...totp, '--replace'], 'GEZDGNBVGY3TQOJQ\n')).code, 0);
  assert.equal((await secrets(daemon, ['list'])).text, 'login  totp  example.com\n');
  for (const bytes of await filesBelow(daemon.dir)) assert.ok(!bytes.includes(VALUE));
  assert.deepEqual(await secrets(daemon, ['remove', 'login']), { code: 0, text: 'Removed login.\n' });
  assert.equal((await secrets(daemon, ['list'])).text, 'There are no secrets.\n');
});

test('a secret outlives the daemon', async (t) => {
  const daemon = await Daemon.start(t);
  assert.equal((await api(daemon, 'PUT', '/api/secrets/login', { value: VALUE, domains: ['example.com'] })).status, 200);
  await daemon.kill();
  const next = await Daemon.start(t, { dir: daemon.dir });
  assert.equal(JSON.parse((await api(next, 'GET', '/api/secrets')).text).secrets[0].name, 'login');
});
