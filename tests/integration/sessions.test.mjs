// SPDX-License-Identifier: Apache-2.0
// Sessions on the command line, also under the name and with the settings of BTCP's own server.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import { Page, echo } from '../support/btcp.mjs';
import { agentPort, binary, Daemon, finish, run, tempDir, undo, until, within } from '../support/daemon.mjs';
import { initialize, request } from '../support/mcp.mjs';

const SECOND = 1000;

async function agentOf(t, daemon, session) {
  const agent = new Client({ name: 'claude-agent', version: '1' });
  const url = new URL(`ws://127.0.0.1:${await agentPort(daemon)}/`);
  url.search = new URLSearchParams({ token: daemon.token, session });
  await agent.connect(new WebSocketClientTransport(url));
  undo(t, () => agent.close());
  return agent;
}

test('S4-10, S4-48, S4-49, S4-50, S4-51, S4-52: sessions are listed, shown and ended, by REST, by the page and on the command line', async (t) => {
  const daemon = await Daemon.start(t);
  const page = await Page.connect(t, daemon, { headers: { 'user-agent': 'BTCPClient/1.0' } });
  const { sessionId, expiresAt } = await page.ask('session/create', {});
  const tool = { ...echo, name: 'getPageContent', manifestName: 'page-tools', capabilities: ['dom:read'] };
  await page.ask('tools/register', { tools: [tool] });
  const agent = await agentOf(t, daemon, sessionId);
  await agent.callTool({ name: 'getPageContent', arguments: {} });
  const dump = JSON.parse((await daemon.request(`/api/sessions/${sessionId}`, { auth: true })).text);
  assert.equal(dump.id, sessionId);
  assert.equal(dump.state, 'active');
  assert.ok(Math.abs(Date.parse(dump.expiresAt) - expiresAt) < SECOND && dump.createdAt < dump.expiresAt);
  assert.deepEqual([dump.owner.type, dump.owner.userAgent], ['client', 'BTCPClient/1.0']);
  assert.deepEqual(dump.members.map(({ type, name }) => [type, name.split(' ')[0]]), [['agent', 'claude-agent']]);
  for (const { connectionId, connectedAt } of [dump.owner, ...dump.members]) {
    assert.match(connectionId, /^(client|agent)-[0-9a-f]{12}$/);
    assert.ok(Date.parse(connectedAt) > 0);
  }
  assert.deepEqual(dump.tools, [{ name: 'getPageContent', capabilities: ['dom:read'], manifestName: 'page-tools' }]);
  assert.deepEqual([dump.stats.toolCalls, dump.stats.errors], [1, 0]);
  const timeless = ({ expiresAt: _, ...rest }) => rest; // it comes of two clocks, which may be a millisecond apart
  assert.deepEqual(timeless(await page.ask('session/info', {})), timeless(dump), 'the page is shown the same');

  const cli = (...words) => run(['sessions', ...words, '--state-dir', daemon.stateDir, '--runtime-dir', path.join(daemon.dir, 'run')]);
  const listed = await cli('list');
  assert.match(listed.stdout, /^SESSION +TYPE +STATE .*\nclient-1 +client +active +1 /);
  assert.ok(!listed.stdout.includes(sessionId), 'S4-44');
  const shown = await cli('info', 'client-1');
  for (const text of [`id +${sessionId}`, 'agent +agent-.*claude-agent', 'owner +client-.*BTCPClient/1.0', 'tool +getPageContent  dom:read', 'calls +1, 0 failed']) {
    assert.match(shown.stdout, new RegExp(`^${text}`, 'm'));
  }
  assert.deepEqual(timeless(JSON.parse((await cli('info', sessionId, '--json')).stdout)), timeless(dump));
  assert.equal((await cli('terminate', sessionId)).stdout, 'terminated client-1\n');
  await until(() => page.notices.some(({ method }) => method === 'session:terminated'), 10 * SECOND, 'the end');
  const gone = await cli('info', sessionId);
  assert.equal(gone.code, 4);
  assert.match(gone.stderr, /GET \/api\/sessions lists/);
  assert.match((await cli('info')).stderr, /name the session by its id or name/);
  assert.match((await cli('list')).stdout, /^SESSION .*\n$/);
});

/** The program under another name, with a home of its own. */
async function btcpServer(t) {
  const dir = await tempDir(t);
  const program = path.join(dir, 'btcp-server');
  await symlink(binary, program);
  const env = { ...process.env, HOME: dir, XDG_CONFIG_HOME: path.join(dir, 'config'), XDG_STATE_HOME: path.join(dir, 'state'), XDG_RUNTIME_DIR: '' };
  const begin = (args, more = {}, input = 'ignore') => {
    const child = spawn(program, args, { cwd: dir, env: { ...env, ...more }, stdio: [input, 'pipe', 'pipe'] });
    const said = { out: '', err: '' };
    child.stdout.on('data', (data) => (said.out += data));
    child.stderr.on('data', (data) => (said.err += data));
    return { child, said, exited: once(child, 'exit') };
  };
  const ask = async (...args) => {
    const { said, exited } = begin(args);
    const [code] = await within(exited, 10 * SECOND, args.join(' '));
    return { ...said, code };
  };
  return { dir, begin, ask };
}

test('S4-48: installed as btcp-server it takes the options, the file and the variables of that one', async (t) => {
  const { dir, begin, ask } = await btcpServer(t);
  await writeFile(path.join(dir, 'btcp-server.yaml'), 'server:\n  transport: websocket\nsessions:\n  ttl: 90\nlogging:\n  level: debug\n');
  const { child, said, exited } = begin(['--port', '0', '--mcp-port=0'], { BTCP_SESSION_STORE: 'redis://localhost:6379', BTCP_LOG_LEVEL: 'info' });
  undo(t, () => finish(child, exited, () => child.kill('SIGTERM')));
  await until(() => /^tabard ready /.test(said.out), 10 * SECOND, 'ready');
  for (const name of ['server.transport', 'BTCP_SESSION_STORE']) {
    assert.match(said.err, new RegExp(`ignored a variable or key that is no setting here name=${name}`));
  }
  const listed = await ask('sessions', 'list');
  assert.deepEqual([listed.code, listed.out.split(' ')[0]], [0, 'SESSION']);
  assert.match((await ask('--help')).out, /^usage: btcp-server \[--port PORT\]/);
  assert.match((await ask('--version')).out, /^tabard \d/);
  const wrong = await ask('--port', 'x');
  assert.deepEqual([wrong.code, /option --port: must be a port/.test(wrong.err)], [1, true], wrong.err);
  await writeFile(path.join(dir, 'btcp-server.yaml'), 'sessions:\n  tll: 90\n');
  assert.match((await ask()).err, /btcp-server.yaml:2: unknown setting sessions.tll \(did you mean sessions.ttl\?\)/);
});

test('S4-06: btcp-server --session is an agent of that page', async (t) => {
  const { dir, begin } = await btcpServer(t);
  const daemon = await Daemon.start(t);
  const page = await Page.connect(t, daemon);
  const { sessionId } = await page.ask('session/create', {});
  await page.ask('tools/register', { tools: [echo] });
  const { child, said, exited } = begin(['--session', sessionId, '--no-start', '--state-dir', daemon.stateDir, '--runtime-dir', path.join(daemon.dir, 'run')], {}, 'pipe');
  undo(t, () => finish(child, exited, () => child.stdin.end()));
  child.stdin.write(`${JSON.stringify(initialize())}\n${JSON.stringify(request(1, 'tools/list'))}\n`);
  await until(() => said.out.split('\n').length === 3, 10 * SECOND, 'the list');
  assert.ok(JSON.parse(said.out.split('\n')[1]).result.tools.some(({ name }) => name === 'echo'), dir);
});

test('S4-27, S4-31: the settings of btcp-server.yaml hold', async (t) => {
  const daemon = await Daemon.start(t, { env: { BTCP_SESSION_TTL: '90' } });
  const page = await Page.connect(t, daemon);
  const { expiresAt } = await page.ask('session/create', {});
  assert.ok(Math.abs(expiresAt - Date.now() - 90 * SECOND) < 10 * SECOND);
});
