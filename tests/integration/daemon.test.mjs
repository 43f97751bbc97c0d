// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import https from 'node:https';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { Daemon, agentPort, binary, fixtures, run, tempDir, undo, until, within } from '../support/daemon.mjs';
import { beginSession, postModern, request, Stream } from '../support/mcp.mjs';

test('the ready line names the address and /health answers there', async (t) => {
  const daemon = await Daemon.start(t);
  assert.match(daemon.url, /^http:\/\/127\.0\.0\.1:\d+$/);
  const reply = await daemon.request('/health');
  assert.equal(reply.status, 200);
  assert.equal(JSON.parse(reply.text).status, 'ok');
});

test('the admin token is private and opens /metrics', async (t) => {
  const daemon = await Daemon.start(t);
  const info = await stat(path.join(daemon.stateDir, 'admin.token'));
  assert.equal(info.mode & 0o777, 0o600);
  assert.equal((await daemon.request('/metrics')).status, 401);
  const reply = await daemon.request('/metrics', { auth: true });
  assert.equal(reply.status, 200);
  assert.match(reply.text, /^tabard_auth_failures_total 1$/m);
  assert.match(reply.text, /^tabard_http_connections 1$/m);
});

test('the same user needs no token over the Unix socket', async (t) => {
  const daemon = await Daemon.start(t);
  assert.equal((await daemon.request('/metrics', { unix: true })).status, 200);
  assert.equal((await stat(daemon.socket)).mode & 0o777, 0o600);
});

test('a socket that cannot be made again is told once, and made when it can be', async (t) => {
  const daemon = await Daemon.start(t);
  const run = path.dirname(daemon.socket);
  await rm(run, { recursive: true });
  await writeFile(run, '');
  await daemon.logged('the socket was removed and cannot be created again');
  await rm(run);
  await daemon.logged('the socket was removed and has been created again');
  assert.equal(daemon.log.text.match(/cannot be created again/g).length, 1);
  assert.equal((await daemon.request('/metrics', { unix: true })).status, 200);
  assert.equal((await stat(daemon.socket)).mode & 0o777, 0o600);
});

test('a secret that was removed is written again while the daemon runs, and at the latest when it stops', async (t) => {
  const daemon = await Daemon.start(t);
  const file = path.join(daemon.stateDir, 'secret');
  const secret = await readFile(file);
  await rm(file);
  const doctor = await run(['doctor', '--json', '--state-dir', daemon.stateDir]);
  assert.equal(JSON.parse(doctor.stdout).find((finding) => finding.check === 'keys').health, 'bad');
  await daemon.logged('the secret was removed and has been written again');
  assert.deepEqual(await readFile(file), secret);
  await rm(file);
  daemon.child.kill('SIGTERM');
  assert.deepEqual(await daemon.exited, [0, null]);
  assert.deepEqual(await readFile(file), secret);
  await Daemon.start(t, { dir: daemon.dir });
});

test('a second daemon on the state directory says who holds it', async (t) => {
  const daemon = await Daemon.start(t);
  const second = await run(daemon.args);
  assert.equal(second.code, 1);
  assert.equal(second.stdout, '');
  assert.match(second.stderr, new RegExp(`process ${daemon.child.pid}, ${daemon.url}`));
});

test('a state directory is free again after kill -9', async (t) => {
  const first = await Daemon.start(t);
  await first.kill();
  const second = await Daemon.start(t, { dir: first.dir });
  assert.equal(second.token, first.token);
});

/** A daemon with a call of that fixture under way, whose stream has said `words`. */
async function startCalling(t, name, words) {
  const daemon = await Daemon.start(t, { program: fixtures });
  const { headers } = await beginSession(daemon);
  const stream = await Stream.open(t, daemon, { headers, message: request(1, 'tools/call', { name }) });
  stream.ended.catch(() => {}); // it may be cut
  await stream.until(words);
  return { daemon, stream };
}

test('SIGTERM lets a request under way end and refuses new connections', async (t) => {
  const { daemon, stream } = await startCalling(t, 'test_tool_with_logging', 'The tool has begun.');
  daemon.child.kill('SIGTERM');
  await daemon.logged('stopping');
  await assert.rejects(daemon.request('/health'), /ECONNREFUSED|ECONNRESET/); // the words come a moment before the door closes
  const [code] = await within(daemon.exited, 9000, 'exit');
  assert.equal(code, 0);
  await stream.until('All steps are done');
});

test('half a request, which anybody can send, does not delay the end', async (t) => {
  const daemon = await Daemon.start(t);
  const socket = net.connect(daemon.port, '127.0.0.1');
  let text = '';
  socket.on('data', (data) => (text += data));
  const ended = once(socket, 'end');
  socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n');
  // It is in the daemon's hands once another request was answered after it.
  await daemon.request('/health');
  daemon.child.kill('SIGTERM');
  const [code] = await within(daemon.exited, 5000, 'exit');
  assert.equal(code, 0);
  await within(ended, 1000, 'the end of the connection');
  assert.match(text, /^HTTP\/1\.1 503 /);
});

test('an idle daemon ends within a second of SIGTERM', async (t) => {
  const daemon = await Daemon.start(t);
  await daemon.request('/health');
  daemon.child.kill('SIGTERM');
  const [code] = await within(daemon.exited, 1000, 'exit');
  assert.equal(code, 0);
  await assert.rejects(stat(daemon.socket), /ENOENT/);
});

test('a second SIGTERM ends it at once', async (t) => {
  const { daemon } = await startCalling(t, 'test_elicitation', 'elicitation/create');
  daemon.child.kill('SIGTERM');
  await daemon.logged('stopping');
  daemon.child.kill('SIGTERM');
  await within(daemon.exited, 1000, 'exit');
});

test('signals that mean nothing to it do not end it', async (t) => {
  const daemon = await Daemon.start(t);
  daemon.child.kill('SIGUSR1');
  daemon.child.kill('SIGUSR2');
  assert.equal((await daemon.request('/health')).status, 200);
  daemon.child.kill('SIGTERM');
  assert.deepEqual(await daemon.exited, [0, null]);
});

test('SIGHUP takes over what can change and names what cannot', async (t) => {
  const daemon = await Daemon.start(t);
  const headers = { host: 'inn.example' };
  assert.equal((await daemon.request('/health', { headers })).status, 421);
  await writeFile(daemon.configFile,
    'http:\n  allowed_hosts: [inn.example]\n  idle_ms: 5000\n');
  daemon.child.kill('SIGHUP');
  await daemon.logged('daemon   reloaded');
  assert.match(daemon.log.text, /setting changed key=http.allowed_hosts/);
  assert.match(daemon.log.text, /takes effect after a restart key=http.idle_ms/);
  assert.equal((await daemon.request('/health', { headers })).status, 200);
});

test('SIGHUP during the start ends nothing and is done when somebody can', async (t) => {
  const dir = await tempDir(t);
  const file = path.join(dir, 'tabard.yaml');
  execFileSync('mkfifo', ['-m', '600', file]); // who reads it waits for us
  const child = spawn(binary, ['serve', '--config', file, '--state-dir', path.join(dir, 'state'),
    '--runtime-dir', path.join(dir, 'run'), '--listen', '127.0.0.1:0', '--agent-listen', 'off'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  undo(t, async () => { child.kill('SIGKILL'); await exited; });
  let log = '';
  child.stderr.on('data', (data) => (log += data));
  const first = await within(open(file, 'w'), 5000, 'it reads its settings');
  child.kill('SIGHUP');
  await first.close();
  await until(() => existsSync(path.join(dir, 'state', 'lock')), 5000, 'it goes on');
  const second = await within(open(file, 'w'), 5000, 'it reads them again');
  await second.close();
  await until(() => log.includes('daemon   reloaded'), 5000, 'the reload');
});

test('a bad file at SIGHUP leaves the old settings', async (t) => {
  const daemon = await Daemon.start(t, { config: 'http:\n  allowed_hosts: [inn.example]\n' });
  await writeFile(daemon.configFile, 'http:\n  idle_ms: soon\n');
  daemon.child.kill('SIGHUP');
  await daemon.logged('not reloaded');
  assert.match(daemon.log.text, /tabard.yaml:2: http.idle_ms/);
  assert.equal((await daemon.request('/health', { headers: { host: 'inn.example' } })).status, 200);
});

test('a word that no setting knows is refused at start and at SIGHUP, with the one that is meant', async (t) => {
  const meant = /tabard\.yaml:2: each item of mcp\.groups must be files, .* or all, not 'fiels' \(did you mean files\?\)/;
  const daemon = await Daemon.start(t);
  await writeFile(daemon.configFile, 'mcp:\n  groups: [pdf, fiels]\n');
  daemon.child.kill('SIGHUP');
  await daemon.logged('not reloaded');
  assert.match(daemon.log.text, meant);
  const dir = await tempDir(t);
  const start = (...args) => run(['serve', ...args, '--state-dir', path.join(dir, 'state')]);
  assert.match((await start('--config', daemon.configFile)).stderr, meant);
  await writeFile(daemon.configFile, 'browser:\n  engine: chromuim\n');
  const wrong = await start('--config', daemon.configFile);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /tabard\.yaml:2: browser\.engine must be .*not 'chromuim' \(did you mean chromium\?\)/);
});

test('a bad setting at start is fatal and names file, line and key', async (t) => {
  const dir = await tempDir(t);
  const file = path.join(dir, 'tabard.yaml');
  await writeFile(file, 'listen: 127.0.0.1:0\nhttp:\n  idle_ms: 1\n');
  const result = await run(['serve', '--config', file, '--state-dir', path.join(dir, 'state')]);
  assert.equal(result.code, 1);
  assert.match(result.stderr, /tabard\.yaml:3: http\.idle_ms must be a whole number/);
});

test('a port in use is said with the way out', async (t) => {
  const daemon = await Daemon.start(t);
  const dir = await tempDir(t);
  const result = await run(['serve', '--state-dir', path.join(dir, 'state'),
    '--runtime-dir', path.join(dir, 'run'), '--listen', `127.0.0.1:${daemon.port}`]);
  assert.equal(result.code, 1);
  assert.match(result.stderr, new RegExp(`127\\.0\\.0\\.1:${daemon.port} is in use by another tabard daemon, with another state directory.*--listen`));
});

test('the environment sets what the file leaves open', async (t) => {
  const daemon = await Daemon.start(t, { env: { TABARD_HTTP_ALLOWED_HOSTS: 'inn.example' } });
  assert.equal((await daemon.request('/health', { headers: { host: 'inn.example' } })).status, 200);
});

test('the log says which file was read', async (t) => {
  const daemon = await Daemon.start(t);
  await daemon.logged('ready');
  assert.ok(daemon.log.text.includes(`config=${daemon.configFile}`), daemon.log.text);
});

test('a variable that names no setting is named in the log, with the one that is meant', async (t) => {
  const daemon = await Daemon.start(t, { env: { TABARD_HTTP_IDEL_MS: '5000' } });
  await daemon.logged('ready');
  assert.match(daemon.log.text, /ignored a variable or key that is no setting here name=TABARD_HTTP_IDEL_MS meant=TABARD_HTTP_IDLE_MS/);
});

test('beyond loopback it wants TLS, unless it is told that a proxy has it', async (t) => {
  const dir = await tempDir(t);
  const args = ['serve', '--state-dir', path.join(dir, 'state'), '--runtime-dir', path.join(dir, 'run'), '--agent-listen', 'off'];
  const refused = await run([...args, '--listen', '0.0.0.0:0']);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /0\.0\.0\.0:0 can be reached from other machines.*tls\.cert.*tls\.required/s);
  const daemon = await Daemon.start(t, { args: ['--listen', '0.0.0.0:0'], env: { TABARD_TLS_REQUIRED: 'false' } });
  assert.match(daemon.url, /^http:\/\/0\.0\.0\.0:/);
  await daemon.logged('ready');
  assert.match(daemon.log.text, /warn .*other machines get 421.*http\.allowed_hosts/);
  const { error } = JSON.parse((await daemon.request('/health', { headers: { host: '192.0.2.7:1' } })).text);
  assert.match(error.message, /"192\.0\.2\.7"/);
  assert.match(error.hint, /http\.allowed_hosts/);
});

test('it listens on localhost by that name, and says of other names that they are not addresses', async (t) => {
  const daemon = await Daemon.start(t, { args: ['--listen', 'localhost:0'] });
  assert.match(daemon.url, /^http:\/\/127\.0\.0\.1:/);
  assert.equal((await daemon.request('/health')).status, 200);
  const dir = await tempDir(t);
  const args = ['--state-dir', path.join(dir, 'state'), '--runtime-dir', path.join(dir, 'run')];
  const refused = await run(['serve', ...args, '--listen', 'inn.example:0']);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /'inn\.example:0' is not an address to listen on; write it like 127\.0\.0\.1:8765/);
});

test('a reload does not pretend to turn TLS on', async (t) => {
  const daemon = await Daemon.start(t);
  await writeFile(daemon.configFile, 'tls:\n  cert: /c.pem\n  key: /k.pem\n');
  daemon.child.kill('SIGHUP');
  await daemon.logged('not reloaded');
  assert.match(daemon.log.text, /to turn TLS on, restart the daemon/);
});

test('with a certificate the listener speaks TLS', async (t) => {
  const dir = await tempDir(t);
  const cert = path.join(dir, 'cert.pem');
  const key = path.join(dir, 'key.pem');
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj',
    '/CN=localhost', '-keyout', key, '-out', cert], { stdio: 'ignore' });
  const daemon = await Daemon.start(t, { config: `tls:\n  cert: ${cert}\n  key: ${key}\n` });
  assert.match(daemon.url, /^https:/);
  const status = await new Promise((resolve, reject) => {
    https.get(`${daemon.url}/health`, { rejectUnauthorized: false }, (res) => {
      res.resume();
      resolve(res.statusCode);
    }).on('error', reject);
  });
  assert.equal(status, 200);
});

test('the agents\' port answers /health, and agents of MCP over a WebSocket', async (t) => {
  const daemon = await Daemon.start(t, { args: ['--agent-listen', '127.0.0.1:0'] });
  const port = await agentPort(daemon);
  const status = async (target) => (await fetch(`http://127.0.0.1:${port}${target}`,
    { headers: { authorization: `Bearer ${daemon.token}` } })).status;
  assert.deepEqual([await status('/health'), await status('/metrics'), await status('/')], [200, 404, 400]);
});

test('tabard doctor finds a broken setting and says how to mend it', async (t) => {
  const dir = await tempDir(t);
  const result = await run(['doctor', '--json', '--state-dir', path.join(dir, 'state'),
    '--runtime-dir', path.join(dir, 'run'), '--listen', '127.0.0.1:0', '--agent-listen', 'off'],
  { env: { ...process.env, TABARD_BROWSER_PATH: '/no/such/browser' } });
  const findings = JSON.parse(result.stdout);
  const browser = findings.find((finding) => finding.check === 'browser');
  assert.equal(browser.health, 'bad');
  assert.match(browser.mend, /browser\.path/);
  assert.equal(result.code, 1);
  for (const check of ['sandbox', 'state directory', 'runtime directory', 'ports', 'store']) {
    assert.ok(findings.some((finding) => finding.check === check), check);
  }
});

test('tabard doctor takes for a browser only what says so itself', async (t) => {
  const dir = await tempDir(t);
  const program = path.join(dir, 'program');
  const say = async (script) => {
    await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o700 });
    const result = await run(['doctor', '--json', '--state-dir', path.join(dir, 'state')],
      { env: { ...process.env, TABARD_BROWSER_PATH: program } });
    return JSON.parse(result.stdout).find((finding) => finding.check === 'browser');
  };
  for (const script of ['exit 0', 'echo shell 1.0', 'echo Chromium 1.0; exit 1', 'echo; echo Chromium 1.0']) {
    const { health, seen, mend } = await say(script);
    assert.equal(health, 'bad', script);
    assert.match(seen, /program is not Chromium: with --version it prints/);
    assert.match(mend, /browser\.path/);
  }
  assert.deepEqual(await say('[ "$1" = --version ] && echo Chromium 156.0; echo more'),
    { check: 'browser', health: 'ok', seen: `${program} (Chromium 156.0)`, mend: '' });
});

test('a browser that cannot be run, or a switch that may not be, stops the start with one line', async (t) => {
  const dir = await tempDir(t);
  const args = ['--state-dir', path.join(dir, 'state'), '--runtime-dir', path.join(dir, 'run'),
    '--listen', '127.0.0.1:0', '--agent-listen', 'off'];
  for (const [name, value, words] of [
    ['TABARD_BROWSER_PATH', '/no/such/browser', /^tabard serve: browser\.path is \/no\/such\/browser, .*\n$/],
    ['TABARD_BROWSER_ARGS', '--no-sandbox', /^tabard serve: browser\.args must not contain --no-sandbox: .*\n$/],
    ['TABARD_BROWSER_ARGS', '--lang=de,--proxy-server=http://u:secret@x', /^tabard serve: browser\.args must not contain --proxy-server: (?!.*secret).*\n$/],
  ]) {
    const env = { ...process.env, [name]: value };
    const served = await run(['serve', ...args], { env });
    assert.match(served.stderr, words);
    assert.equal(served.code, 1);
    const seen = JSON.parse((await run(['doctor', '--json', ...args], { env })).stdout);
    assert.equal(seen.find((finding) => finding.check === 'browser').health, 'bad');
  }
});

test('tabard doctor says of directories and addresses what a start says', async (t) => {
  const dir = await tempDir(t);
  const stateDir = path.join(dir, 'not', 'there');
  const args = (more) => Object.entries({ '--state-dir': stateDir, '--runtime-dir': path.join(dir, 'run'),
    '--listen': '127.0.0.1:0', '--agent-listen': 'off', ...more }).flat();
  const look = async (more, check) => JSON.parse((await run(['doctor', '--json', ...args(more)])).stdout)
    .find((finding) => finding.check === check);
  for (const [check, more] of [
    ['state directory', { '--state-dir': '/proc/x' }],
    ['runtime directory', { '--runtime-dir': '/proc/x' }],
    ['ports', { '--listen': '0.0.0.0:0' }],
    ['ports', { '--listen': '18777' }],
    ['ports', { '--listen': '127.0.0.1:80000' }],
    ['ports', { '--agent-listen': 'myhost:18777' }],
  ]) {
    const finding = await look(more, check);
    const served = await run(['serve', ...args(more)]);
    assert.equal(served.code, 1, JSON.stringify(more));
    assert.equal(finding.health, 'bad', JSON.stringify(more));
    assert.equal(served.stderr.split('\n').at(-2), `tabard serve: ${finding.seen}`); // the environment may have been warned of before
    await rm(path.join(dir, 'not'), { recursive: true, force: true });
  }
  assert.equal((await look({}, 'ports')).seen, '127.0.0.1:0 is free');
  assert.equal((await look({}, 'state directory')).health, 'ok');
  await assert.rejects(stat(path.join(dir, 'not')), /ENOENT/);
});

test('tabard doctor sees a running daemon', async (t) => {
  const daemon = await Daemon.start(t);
  const result = await run(['doctor', '--state-dir', daemon.stateDir]);
  assert.match(result.stdout, new RegExp(`ports +a daemon is running: process ${daemon.child.pid}`));
});

test('tabard doctor goes on when a line of the configuration is wrong', async (t) => {
  const daemon = await Daemon.start(t);
  const file = path.join(await tempDir(t), 'tabard.yaml');
  await writeFile(file, 'listen: 127.0.0.1:8765\nsesions:\n  idle_ms: 5\n');
  const result = await run(['doctor', '--config', file, '--state-dir', daemon.stateDir]);
  assert.equal(result.code, 1);
  assert.match(result.stdout, /^bad +configuration +.*tabard\.yaml:2: unknown setting sesions/m);
  assert.match(result.stdout, new RegExp(`ports +a daemon is running: process ${daemon.child.pid}`));
});

test('wrong usage is exit code 2 with a pointer to the help', async () => {
  for (const args of [[], ['nonsense'], ['serve', '--listen'], ['serve', 'x']]) {
    const result = await run(args);
    assert.equal(result.code, 2, args.join(' '));
    assert.match(result.stderr, /help/);
  }
  const help = await run(['help', 'serve']);
  assert.equal(help.code, 0);
  assert.match(help.stdout, /--state-dir/);
});

test('a key that is a pipe is refused at once, and not waited for', async (t) => {
  for (const name of ['secret', 'admin.token']) {
    const dir = await tempDir(t);
    execFileSync('mkfifo', ['-m', '600', path.join(dir, name)]);
    const result = await run(['serve', '--state-dir', dir, '--runtime-dir', path.join(dir, 'run'), '--listen', '127.0.0.1:0',
      '--agent-listen', 'off']);
    assert.equal(result.code, 1);
    assert.match(result.stderr, new RegExp(`${name} is not a plain file`));
  }
});

test('output that cannot be written is a failure that is told', () => {
  for (const command of ['version', 'help', 'routes', 'tools']) {
    const { status, stderr } = spawnSync('sh', ['-c', `"$0" ${command} >/dev/full`, binary], { encoding: 'utf8' });
    assert.equal(status, 1, command);
    assert.match(stderr, /^tabard: the output could not be written/);
  }
});

test('a session that sleeps to make room for another is not called idle', async (t) => {
  const daemon = await Daemon.start(t, { config: 'sessions:\n  per_tenant: 1\n', program: fixtures });
  for (const conversation of ['a', 'b']) {
    await postModern(daemon, 'tools/call', { name: 'browser_navigate', arguments: { url: 'http://x/' } },
      { headers: { 'x-conversation-id': conversation } });
  }
  await daemon.logged('reason=evicted');
  assert.doesNotMatch(daemon.log.text, /idle_timeout/);
});
