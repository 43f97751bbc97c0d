// SPDX-License-Identifier: Apache-2.0
// What somebody meets who has just found tabard: help, mistakes, the first page, the next step.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { binary, Daemon, root, run, tempDir, undo, until } from '../support/daemon.mjs';

test('help and version are found under the names that people try', async () => {
  for (const args of [['help'], ['--help'], ['-h'], ['help', '--help'], ['help', 'help']]) {
    const result = await run(args);
    assert.deepEqual([result.code, result.stderr], [0, ''], args.join(' '));
    assert.match(result.stdout, /usage: tabard COMMAND/);
  }
  for (const args of [['help', 'mcp'], ['mcp', '--help'], ['mcp', '-h'], ['mcp', '--no-start', '--help']]) {
    const result = await run(args);
    assert.equal(result.code, 0, args.join(' '));
    assert.match(result.stdout, /usage: tabard mcp .*--toolset/s);
  }
  for (const args of [['version'], ['--version'], ['-v'], ['-V']]) {
    assert.match((await run(args)).stdout, /^tabard \d+\.\d+\.\d+\n$/);
  }
});

test('help lists what a command takes, in columns', async () => {
  for (const [command, only] of [['audit', /--state-dir/], ['doctor', /--listen/], ['version', /version/]]) {
    const { stdout } = await run(['help', command]);
    assert.match(stdout, only);
    assert.doesNotMatch(stdout, /--log-level/, command);
    assert.doesNotMatch(stdout, / $/m);
  }
  const { stdout } = await run(['help', 'serve']);
  assert.match(stdout, /^ {2}--listen {8}IP address/m);
  assert.match((await run(['help', 'mcp'])).stdout, /settings for a daemon that has to be started/);
});

test('a mistake costs one line, which says what was meant, and exit code 2', async () => {
  const mistakes = [
    [['mpc'], /unknown command 'mpc' \(did you mean mcp\?\)/],
    [['help', 'sevre'], /unknown command 'sevre' \(did you mean serve\?\)/],
    [['--listen', 'x'], /unknown option '--listen'/],
    [['serve', '--lisen', 'x'], /unknown option --lisen \(did you mean --listen\?\)/],
    [['serve', '-x'], /unknown option -x/],
    [['serve', '--listen'], /option --listen needs a value/],
    [['serve', 'x'], /unexpected argument 'x'/],
    [['mcp', '--toolset', 'octopu'], /unknown toolset 'octopu'; known toolsets: default, octopus/],
    [['mcp', '--groups=filez'], /unknown group 'filez'; known groups: files/],
    [['mcp', '--toolset'], /option --toolset needs a value/],
    [['doctor', '--jsn'], /unknown option --jsn \(did you mean --json\?\)/],
    [['tools', '--x'], /unexpected argument '--x'/],
    [['audit', 'search', '--type', 'bogus'], /the audit log has no entries of type "bogus"; a search without a type shows which it has/],
    [['audit', 'search', '--type', 'tab_close'], /no entries of type "tab_close" \(did you mean tab_closed\?\)/],
    [['audit', 'tail', '--sesion', 'x'], /unknown option --sesion \(did you mean --session\?\)/],
  ];
  for (const [args, words] of mistakes) {
    const result = await run(args);
    assert.deepEqual([result.code, result.stdout], [2, ''], args.join(' '));
    assert.match(result.stderr, words);
    assert.match(result.stderr, /^tabard[^\n]*'tabard help[^\n]*\n$/, args.join(' '));
  }
});

test('a person who opens the address is told what it is, and nothing that is not public', async (t) => {
  const daemon = await Daemon.start(t);
  const page = await daemon.request('/', { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
  assert.equal(page.status, 200);
  assert.match(page.headers['content-type'], /^text\/html/);
  assert.match(page.text, /between AI agents and browsers.*tabard mcp/s);
  const version = JSON.parse((await daemon.request('/health')).text).version;
  for (const secret of [version, daemon.token, daemon.dir, String(daemon.port)]) assert.ok(!page.text.includes(secret));
  const plain = await daemon.request('/');
  assert.deepEqual([plain.status, plain.headers['content-type']], [200, 'text/plain']);
  assert.equal((await daemon.request('/', { headers: { accept: 'text/html', host: 'evil.example' } })).status, 421);
});

test('the ready daemon says how to give it to an agent, with the settings that it has', async (t) => {
  const dir = path.join(await tempDir(t), 'it\'s here');
  await mkdir(dir);
  const daemon = await Daemon.start(t, { dir });
  await until(() => /claude mcp add .*\n/.test(daemon.said), 5000, 'the next step');
  const [, command] = /agent \(more in README\.md\): (claude mcp add .*)\n/.exec(daemon.said);
  // The shell reads it as it was meant.
  const words = spawnSync('sh', ['-c', `set -- ${command}; printf '%s\\n' "$@"`], { encoding: 'utf8' }).stdout.split('\n');
  assert.deepEqual(words.slice(0, 7), ['claude', 'mcp', 'add', '--scope', 'user', 'tabard', '--']);
  assert.equal(words[8], 'mcp');
  assert.equal(words[words.indexOf('--state-dir') + 1], daemon.stateDir);
  assert.equal(words[words.indexOf('--config') + 1], daemon.configFile);
});

test('settings of the environment are part of it, too', async (t) => {
  const dir = await tempDir(t);
  const env = { ...process.env, TABARD_STATE_DIR: path.join(dir, 'state'), TABARD_RUNTIME_DIR: path.join(dir, 'run'),
    TABARD_LISTEN: '127.0.0.1:0', TABARD_AGENT_LISTEN: 'off', TABARD_SESSIONS_TOTAL: '7', TABARD_BROWSER_ARGS: '--lang=de,--mute-audio' };
  const child = spawn(binary, ['serve', '--listen', '127.0.0.1:0'], { env, stdio: ['ignore', 'pipe', 'ignore'] });
  undo(t, () => child.kill('SIGKILL'));
  let said = '';
  child.stdout.on('data', (data) => { said += data; });
  await until(() => /claude mcp add .*\n/.test(said), 9000, 'the next step');
  const [, words] = / -- (.*)\n/.exec(said);
  assert.equal(words, `env TABARD_SESSIONS_TOTAL=7 TABARD_BROWSER_ARGS=--lang=de,--mute-audio ${binary} mcp`
    + ` --state-dir ${dir}/state --runtime-dir ${dir}/run --agent-listen off --listen 127.0.0.1:0`);
});

test('a second daemon says which command stops the first', async (t) => {
  const daemon = await Daemon.start(t);
  const refused = await run(daemon.args);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, new RegExp(`is in use by process ${daemon.child.pid}, http\\S+; run: kill ${daemon.child.pid} \\(`));
});

test('make without the packages says what to run', async (t) => {
  const bin = path.join(await tempDir(t), 'bin');
  await mkdir(bin);
  for (const tool of ['sh', 'cat', 'find', 'echo', 'mkdir', 'sort']) {
    const [found] = spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.split('\n');
    if (found.startsWith('/')) await symlink(found, path.join(bin, tool));
  }
  const make = spawnSync('sh', ['-c', 'command -v make'], { encoding: 'utf8' }).stdout.trim();
  const result = spawnSync(make, ['--no-print-directory', 'MODE=nothing', 'all'],
    { cwd: root, env: { PATH: bin }, encoding: 'utf8' });
  assert.notEqual(result.status, 0);
  assert.match(result.stderr, /run 'make setup'/);
  assert.doesNotMatch(result.stderr + result.stdout, /fatal error|CC /);
});

test('tools --json is the list that an agent gets, for each toolset', async () => {
  for (const args of [[], ['--groups', 'all'], ['--toolset', 'octopus'], ['--toolset', 'wdio']]) {
    const { code, stdout, stderr } = await run(['tools', ...args, '--json']);
    assert.equal(code, 0, stderr);
    const tools = JSON.parse(stdout);
    assert.ok(tools.length > 3 && tools.every((tool) => tool.name && tool.inputSchema.type === 'object'), args.join(' '));
  }
});
