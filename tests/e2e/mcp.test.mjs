// SPDX-License-Identifier: Apache-2.0
// What MCP has beside tools, with a real page behind it: resources, prompts, cancelling, and an agent that goes away.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { Agent, kinds } from '../support/agent.mjs';
import { binary, Daemon, root, until, within } from '../support/daemon.mjs';
import { below } from '../support/processes.mjs';
import { Site } from '../support/site.mjs';

const MS = { timeout: 20_000 };

async function setup(t, kind, options = {}) {
  const daemon = await Daemon.start(t, options);
  const site = await Site.start(t);
  return { daemon, site, agent: await Agent.connect(t, daemon, kind, options) };
}

const sessions = async (agent) => JSON.parse(await agent.call('list_sessions')).sessions;

for (const kind of kinds) {
  const name = `${kind.era} over ${kind.transport}`;

  test(`${name}: resources show the sessions, the page, its picture and its downloads`, async (t) => {
    const { agent, site } = await setup(t, kind);
    const read = async (uri) => (await agent.client.readResource({ uri }, MS)).contents[0];
    const { resources } = await agent.client.listResources(undefined, MS);
    assert.deepEqual(resources.map((row) => row.uri), ['tabard://sessions']);
    const { resourceTemplates } = await agent.client.listResourceTemplates(undefined, MS);
    assert.deepEqual(resourceTemplates.map((row) => row.uriTemplate),
      ['snapshot', 'screenshot', 'downloads'].map((last) => `tabard://session/{id}/${last}`));
    await agent.call('start_session', { sessionId: 'a', url: `${site.url}/list` });
    assert.equal(JSON.parse((await read('tabard://sessions')).text).sessions[0].sessionId, 'a');
    assert.match((await read('tabard://session/a/snapshot')).text, /link "Item 7" \[ref=\w+\]/);
    const picture = await read('tabard://session/a/screenshot');
    assert.equal(picture.mimeType, 'image/jpeg');
    assert.equal(Buffer.from(picture.blob, 'base64').readUInt16BE(0), 0xffd8);
    assert.match((await read('tabard://session/a/downloads')).text, /No downloads/);
    await assert.rejects(read('tabard://session/nobody/snapshot'), /unknown resource/);
  });

  test(`${name}: prompts, lists that come whole, and a call that is cancelled`, async (t) => {
    const { agent, site } = await setup(t, kind);
    const { messages } = await agent.client.getPrompt({ name: 'two-user-chat', arguments: { url: 'http://chat.test/' } }, MS);
    assert.match(messages[0].content.text, /http:\/\/chat\.test\/[^]*alice[^]*bob/);
    await assert.rejects(agent.client.getPrompt({ name: 'two-user-chat', arguments: {} }, MS), /url/);
    await assert.rejects(agent.client.listTools({ cursor: 'nonsense' }, MS), /cursor/);
    assert.equal((await agent.client.listTools(undefined, MS)).nextCursor, undefined);

    await agent.call('start_session', { sessionId: 'a', url: `${site.url}/form` });
    const stop = new AbortController();
    const call = agent.raw('browser_wait', { text: 'never', timeout_ms: 60_000 }, { signal: stop.signal });
    const [, second] = [call.catch(() => {}), agent.call('browser_evaluate', { script: '6 * 7' })];
    stop.abort();
    await assert.rejects(call);
    assert.match(await second, /42/);
  });
}

test('no browser before the first call that needs one, and none after the last session', async (t) => {
  const { daemon, agent, site } = await setup(t, kinds[0], { config: 'browser:\n  linger_ms: 0\n' });
  await agent.client.listTools();
  await agent.call('list_sessions');
  await agent.failure('browser_click', { target: '#x' });
  assert.deepEqual(below(daemon.child.pid), []);
  await agent.call('start_session', { sessionId: 'a', url: site.url });
  assert.ok(below(daemon.child.pid).length > 0);
  await agent.call('close_session');
  await until(() => below(daemon.child.pid).length === 0, 5000, 'the browser is gone');
});

for (const [how, left] of [['close', 0], ['keep', 1]]) {
  test(`mcp.on_disconnect ${how}: ${left} of the conversation's sessions stay when its agent goes away`, async (t) => {
    const { daemon, agent, site } = await setup(t, kinds[0], { config: `mcp:\n  on_disconnect: ${how}\n` });
    const observer = await Agent.connect(t, daemon, kinds[1]);
    await agent.call('browser_navigate', { url: `${site.url}/chat` });
    await agent.call('start_session', { sessionId: 'named' });
    await agent.close();
    if (!left) await daemon.logged('reason=conversation_ended');
    await site.heardBy(left);
    const names = (await sessions(observer)).map((session) => session.sessionId);
    assert.deepEqual(names, left ? ['browser-1', 'named'] : ['named']);
  });
}

test('groups of the configuration are there for every agent', async (t) => {
  const { agent } = await setup(t, kinds[3], { config: 'mcp:\n  groups: [pdf, debug]\n' });
  const names = (await agent.client.listTools()).tools.map((tool) => tool.name);
  assert.deepEqual(names.slice(21), ['browser_console', 'browser_network', 'browser_pdf']);
});

test('the README tells the truth: the number of tools, and a script that works as it stands there', async (t) => {
  const { daemon, agent, site } = await setup(t, kinds[0]);
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  const { tools } = await agent.client.listTools();
  assert.ok(readme.includes(`The agent sees ${tools.length} tools`));
  const args = JSON.stringify(['mcp', '--no-start', '--state-dir', daemon.stateDir, '--runtime-dir', path.dirname(daemon.socket)]);
  const script = /```js\n([^]*?)```/.exec(readme)[1].replace("'/path/to/tabard/build/release/tabard'", `'${binary}'`).replace("['mcp']", args)
    .replace('https://example.com', `${site.url}/list`);
  const node = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], { cwd: path.join(root, 'tests') });
  assert.match((await within(node, 20_000, 'the script')).stdout, /link "Item 7" \[ref=\w+\]/);
  await daemon.logged('reason=conversation_ended');
});

test('the README tells the truth: renewing a session with curl', async (t) => {
  const { daemon, agent, site } = await setup(t, kinds[0]);
  await agent.call('browser_navigate', { url: site.url });
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  const command = /```\n(curl -X POST [^]*?)```/.exec(readme)[1].replace('http://127.0.0.1:8765', daemon.url)
    .replace('~/.local/state/tabard', daemon.stateDir);
  const { stdout } = await within(promisify(execFile)('sh', ['-c', `${command.trim()} -s`]), 20_000, 'curl');
  assert.equal(JSON.parse(stdout).sessionId, 'browser-1');
});

test('the README tells the truth: calls on the command line, and one with curl', async (t) => {
  const { daemon, site } = await setup(t, kinds[0]);
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  const [shell, curl] = [...readme.matchAll(/```sh\n([^]*?)```/g)].map(([, text]) => text.replace('http://127.0.0.1:8765', daemon.url)
    .replace('~/.local/state/tabard', daemon.stateDir).replace('https://example.com', `${site.url}/list`));
  const at = (command) => within(promisify(execFile)('sh', ['-c', command], { cwd: daemon.dir }), 20_000, command);
  const tabard = `tabard() { ${binary} "$@" --state-dir ${daemon.stateDir} --runtime-dir ${path.dirname(daemon.socket)}; }`;
  assert.match((await at(`${tabard}\n${shell}`)).stdout, /link "Item 7" \[ref=\w+\]/);
  assert.equal((await readFile(path.join(daemon.dir, 'page.jpg'))).readUInt16BE(0), 0xffd8);
  assert.match(JSON.parse((await at(curl)).stdout).text, /link "Item 7" \[ref=\w+\]/);
});
