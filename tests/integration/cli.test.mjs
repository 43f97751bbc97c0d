// SPDX-License-Identifier: Apache-2.0
// Tools, sessions and events on the command line: what is printed where, and what the exit code says.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { Page, echo } from '../support/btcp.mjs';
import { binary, Daemon, finish, fixtures, run, tempDir, undo, until } from '../support/daemon.mjs';
import { makeKey } from '../support/keys.mjs';

const SECOND = 1000;

/** Commands of this daemon's user. */
function shell(daemon, options = {}) {
  const way = ['--state-dir', daemon.stateDir, '--runtime-dir', path.dirname(daemon.socket)];
  return (...args) => run([...args, ...way], options);
}

test('a tool is called, its text is what is printed, and failures have codes of their own', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const cli = shell(daemon);
  const started = await cli('call', 'start_session', 'sessionId=box');
  assert.deepEqual([started.code, started.stderr], [0, '']);
  assert.match(started.stdout, /^Session "box" started/);
  assert.equal(JSON.parse((await cli('call', 'browser_click', 'target=e1', '--json')).stdout).session, 'box');
  assert.equal((await cli('call', 'browser_click', 'target=e1', '--session', 'box')).code, 0);
  const codes = [
    [['browser_click', 'target=e1', '--session', 'nobody'], 4, /No session: nobody/], [['browser_clik'], 4, /did you mean browser_click/],
    [['browser_click', 'nonsense=1'], 1, /unknown argument 'nonsense'/], [['browser_click', 'target'], 2, /write key=value/], [['browser_click', 'x:={'], 2, /no valid JSON/], [[], 2, /name a tool/],
  ];
  for (const [args, code, words] of codes) {
    const result = await cli('call', ...args);
    assert.deepEqual([result.code, result.stdout], [code, ''], args.join(' '));
    assert.match(result.stderr, words);
  }
  const { key } = await makeKey(daemon, { tenant: 'acme', scopes: 'observe' });
  const remote = (...args) => run(['call', ...args, '--url', daemon.url], { env: { ...process.env, TABARD_TOKEN: key } });
  assert.equal((await remote('browser_click', 'target=e1')).code, 5);
  assert.equal((await remote('list_sessions')).stdout, '{"sessions":[],"currentSession":null}\n');
  await daemon.kill();
  const none = await cli('call', 'list_sessions');
  assert.deepEqual([none.code, /no daemon is running/.test(none.stderr)], [3, true]);
});

test('the help of a tool is that of its table', async () => {
  const help = await run(['call', 'browser_click', '--help']);
  assert.match(help.stdout, /^usage: tabard call browser_click \[key=value\]/);
  assert.match(help.stdout, /^ {2}target +text \(required\): Ref or selector$/m);
  assert.equal((await run(['help', 'call', 'browser_click'])).stdout, help.stdout);
  const wrong = await run(['help', 'call', 'browser_clik']);
  assert.deepEqual([wrong.code, /did you mean browser_click/.test(wrong.stderr)], [2, true]);
});

test('pictures go to files, and a file that is there stays', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const dir = await tempDir(t);
  const cli = shell(daemon, { cwd: dir });
  await cli('call', 'start_session');
  const shot = await cli('call', 'browser_screenshot', '--output', 'p.png');
  assert.deepEqual([shot.code, /wrote p\.png/.test(shot.stderr)], [0, true], shot.stderr);
  const bytes = await readFile(path.join(dir, 'p.png'));
  assert.ok(bytes.length > 0);
  assert.equal((await cli('call', 'browser_screenshot', '--output', 'p.png')).code, 1, 'it is there already');
  await cli('call', 'browser_screenshot');
  assert.ok((await readdir(dir)).some((name) => /^browser_screenshot-\d{8}-\d{6}\.\w+$/.test(name)));
  const piped = await cli('call', 'browser_screenshot', '--output', '-');
  assert.equal(piped.stdout, bytes.toString());
});

test('a page\'s tools are called, too, with JSON as they want it', async (t) => {
  const daemon = await Daemon.start(t);
  const cli = shell(daemon);
  const page = await Page.connect(t, daemon);
  const { sessionId } = await page.ask('session/create', {});
  await page.ask('tools/register', { tools: [echo] });
  page.handle = ({ arguments: given }) => given;
  const called = await cli('call', 'echo', 'text=5', 'n:=5', 'list:=[1,"a b"]', '--session', sessionId);
  assert.equal(called.stdout, '{"text":"5","n":5,"list":[1,"a b"]}\n');
  page.handle = () => ({ content: [{ type: 'text', text: 'no' }], isError: true });
});

test('sessions are renewed, watched and ended, and everything can be stopped', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const cli = shell(daemon);
  const child = spawn(binary, ['sessions', 'watch', '--state-dir', daemon.stateDir, '--runtime-dir', path.dirname(daemon.socket)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let seen = '';
  child.stdout.on('data', (data) => { seen += data; });
  undo(t, () => finish(child, once(child, 'exit'), () => child.kill('SIGTERM')));
  await until(async () => (await cli('call', 'start_session')).code === 0 && seen.includes('session_started'), 10 * SECOND, 'somebody who watches');
  await cli('call', 'start_session', 'sessionId=box');
  const renewed = await cli('sessions', 'renew', 'box', '--ttl', '90m', '--json');
  assert.ok(Math.abs(Date.parse(JSON.parse(renewed.stdout).expiresAt) - Date.now() - 90 * 60 * SECOND) < 60 * SECOND);
  assert.equal((await cli('sessions', 'renew', 'box', '--ttl', 'soon')).code, 2);
  assert.equal((await cli('sessions', 'renew', 'box', '--ttl', '')).code, 2);
  assert.match((await cli('sessions', 'list', '--kind', 'browser', '--state', 'idle')).stdout, /^SESSION[^\n]*\n(.*\n)*box /);
  assert.equal((await cli('sessions', 'list', '--kind', 'x')).code, 1);
  assert.equal((await cli('sessions', 'close', 'box')).stdout, 'closed box\n');
  assert.equal((await cli('sessions', 'close', 'box')).code, 4);
  await until(() => /^\S+Z session_ended +box +/m.test(seen), 10 * SECOND, 'its end');
  assert.match(seen, /^\S+Z session_renewed +box +.*ttl_ms=5400000/m);
  assert.match((await cli('stop-all')).stdout, /^stopped \d+ sessions?\n$/);
  assert.equal((await cli('stop-all', '--json')).stdout, '{"stopped":0}\n');
  daemon.child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  assert.equal(code, 3, 'the daemon has ended');
});

test('events are lines of JSON, until the reader leaves', async (t) => {
  const daemon = await Daemon.start(t, { program: fixtures });
  const cli = shell(daemon);
  const child = spawn(binary, ['events', '--type', 'call_done', '--json', '--state-dir', daemon.stateDir, '--runtime-dir', path.dirname(daemon.socket)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  undo(t, () => finish(child, exited, () => child.kill('SIGTERM')));
  const line = once(child.stdout, 'data');
  let got;
  line.then(([data]) => { got = JSON.parse(`${data}`.split('\n')[0]); });
  await until(async () => { await cli('call', 'list_sessions'); return got; }, 10 * SECOND, 'an event');
  assert.deepEqual([got.type, got.data.tool], ['call_done', 'list_sessions']);
  child.stdout.destroy();
  await until(async () => { await cli('call', 'list_sessions'); return child.signalCode; }, 10 * SECOND, 'its end');
  assert.equal(child.signalCode, 'SIGPIPE', 'as of any program');
  assert.equal((await cli('events', '--type', 'nonsense')).code, 1);
});

test('the shells\' completion and the manual come from the same tables', async (t) => {
  const bash = await run(['completion', 'bash']);
  const dir = await tempDir(t);
  const complete = (...words) => new Promise((resolve, reject) => {
    const script = `${bash.stdout}\nPATH=${path.dirname(binary)}:$PATH; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _tabard; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const child = spawn('bash', ['-c', script, 'bash', ...words], { cwd: dir });
    let out = '';
    child.stdout.on('data', (data) => { out += data; });
    child.on('error', reject);
    child.on('close', () => resolve(out.trim().split('\n')));
  });
  if (path.basename(binary) === 'tabard') {
    assert.deepEqual(await complete('tabard', 'ses'), ['sessions']);
    assert.deepEqual(await complete('tabard', 'call', 'browser_click', 'but'), ['button=']);
    assert.deepEqual(await complete('tabard', 'call', 'browser_click', 'button', '=', 'm'), ['middle'], 'as bash splits it');
  }
  for (const shellName of ['zsh', 'fish']) assert.match((await run(['completion', shellName])).stdout, /completion words --/);
  assert.equal((await run(['completion', 'csh'])).code, 2);
  const manual = (await run(['man'])).stdout;
  const names = [...(await run(['help'])).stdout.matchAll(/^ {2}(\S+) /gm)].map(([, name]) => name).filter((name) => name !== 'help');
  for (const name of names) assert.ok(manual.includes(`\n.SS tabard ${name} `), name);
  assert.doesNotMatch(manual.replace(/^\.(TH|SH|SS|TP|PP|nf|fi|B|I)\b.*$/gm, ''), /^[.']/m, 'no help reads as troff');
});
