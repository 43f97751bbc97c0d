// SPDX-License-Identifier: Apache-2.0
// Lines that are lost, servers that come back, and pages that want the same session. Time is moved by hand.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SocketServer, tool, until } from './fakes.mjs';
import { pair } from './stage.mjs';

const settle = () => new Promise(setImmediate);

const clock = (t) => t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });

test('S4-43: after the loss of the line the session is taken up again, with its tools and what was granted', async (t) => {
  clock(t);
  const { server, client, events } = pair(t);
  await client.registerTool(tool('a'), () => 1);
  await client.connect();
  await client.grant(['dom:read', 'dom:write', 'clipboard:read']);
  server.answers['capabilities/revoke'] = () => ({ granted: ['dom:read'], pending: [] });
  await client.revoke('clipboard:read');
  server.heard.length = 0;
  server.open[0].end(1006);
  await until(() => client.state === 'waiting', 'the loss');
  assert.deepEqual(await client.registerTool(tool('b'), () => 2), { registered: 2 }, 'meanwhile a tool can come');
  await assert.rejects(client.renewSession(), { code: 'DISCONNECTED' });
  t.mock.timers.tick(1000);
  await until(() => client.state === 'open', 'the new line');
  assert.deepEqual(server.heard.map(({ method, params }) => [method, params.sessionId ?? params.capabilities ?? params.tools.map(({ name }) => name)]),
    [['session/create', 'new'], ['capabilities/grant', ['dom:read']], ['tools/register', ['a', 'b']]]);
  assert.deepEqual(events.slice(2).map(([name, { recovered }]) => [name, recovered]), [['disconnected', undefined], ['connected', true]]);
});

test('a list that was emptied while the line was lost is told, too', async (t) => {
  clock(t);
  const { server, client } = pair(t);
  await client.registerTool(tool('a'), () => 1);
  await client.connect();
  server.open[0].end(1006);
  await until(() => client.state === 'waiting', 'the loss');
  await client.unregister();
  t.mock.timers.tick(1000);
  await until(() => client.state === 'open', 'the new line');
  assert.deepEqual(server.tools, []);
});

test('a list that was being told when the line was lost is told again', async (t) => {
  clock(t);
  const { server, client } = pair(t);
  await client.registerTool(tool('a'), () => 1);
  await client.connect();
  const { 'tools/register': register } = server.answers;
  server.answers['tools/register'] = () => ({ error: 'none' });
  const emptied = client.unregister();
  server.open[0].end(1006);
  await emptied;
  server.answers['tools/register'] = register;
  const told = server.count('tools/register');
  t.mock.timers.tick(1000);
  await until(() => client.state === 'open', 'the new line');
  assert.deepEqual([server.count('tools/register'), server.tools], [told + 1, []]);
});

test('waits grow to their ceiling, differ from page to page, and begin anew after a line that has lasted', async (t) => {
  clock(t);
  const { server, client, events } = pair(t);
  await client.connect();
  const waits = () => events.filter(([name]) => name === 'disconnected').map(([, { retryInMs }]) => retryInMs);
  server.refuses = true;
  server.open[0].end(1006);
  for (let i = 1; i <= 9; i += 1) {
    await until(() => waits().length === i, `loss ${i}`);
    const most = Math.min(30_000, 1000 * 2 ** (i - 1));
    assert.ok(waits()[i - 1] >= most / 2 && waits()[i - 1] <= most, `${waits()}`);
    t.mock.timers.tick(waits()[i - 1] - 1);
    await settle();
    assert.equal(server.lines.length, i, 'not before its time');
    t.mock.timers.tick(1);
  }
  assert.ok(new Set(waits().slice(5)).size > 1, 'the same wait twice would be chance');
  await until(() => waits().length === 10, 'the tenth');
  server.refuses = false;
  t.mock.timers.tick(30_000);
  await until(() => client.state === 'open', 'the new line');
  server.open[0].end(1006); // at once: it is not believed in yet
  await until(() => waits().length === 11, 'the loss');
  assert.ok(waits().at(-1) >= 15_000);
  t.mock.timers.tick(30_000);
  await until(() => client.state === 'open', 'the new line');
  t.mock.timers.tick(29_000);
  server.open[0].say({ jsonrpc: '2.0', method: 'session:none' });
  t.mock.timers.tick(2000);
  server.open[0].end(1006);
  await until(() => waits().length === 12, 'the loss');
  assert.ok(waits().at(-1) <= 1000);
});

test('a server that will not hear of grants gets the tools all the same', async (t) => {
  clock(t);
  const { server, client } = pair(t);
  await client.registerTool(tool('a'), () => 1);
  await client.connect();
  await client.grant('dom:read');
  const errors = [];
  client.on('error', (err) => errors.push(err.message));
  server.answers['capabilities/grant'] = undefined;
  server.open[0].end(1006);
  await until(() => client.state === 'waiting', 'the loss');
  t.mock.timers.tick(1000);
  await until(() => client.state === 'open', 'the new line');
  assert.deepEqual([errors, server.tools], [['unknown'], ['a']]);
});

test('it gives up after as many tries as it was told', async (t) => {
  clock(t);
  const { server, client, events } = pair(t, { reconnect: { baseMs: 10, tries: 2 } });
  await client.connect();
  server.refuses = true;
  server.open[0].end(1006);
  for (let i = 1; i <= 2; i += 1) {
    await until(() => events.filter(([name]) => name === 'disconnected').length === i, `loss ${i}`);
    t.mock.timers.tick(20);
  }
  await until(() => events.at(-1)[0] === 'disconnected' && events.at(-1)[1].retryInMs === undefined, 'the end');
  assert.deepEqual([client.state, server.lines.length], ['idle', 3]);
  server.refuses = false;
  assert.equal((await client.reconnect()).recovered, true, 'but it can be told to');
});

test('a session that has ended meanwhile is not asked for again', async (t) => {
  clock(t);
  const { server, client, events } = pair(t);
  await client.connect();
  server.answers['session/create'] = () => ({ error: { code: -10440, message: 'unknown or ended', data: { code: 'session_not_found' } } });
  server.open[0].end(1006);
  await until(() => client.state === 'waiting', 'the loss');
  t.mock.timers.tick(1000);
  await until(() => events.at(-1)[0] === 'session:terminated', 'the end');
  assert.deepEqual([client.state, client.session, server.open.length], ['idle', null, 0]);
  t.mock.timers.tick(100_000);
  await settle();
  assert.equal(server.lines.length, 2);
});

test('a credential that is refused is not shown again; a server that is busy is asked again', async (t) => {
  clock(t);
  const { server, client, events } = pair(t);
  await client.connect();
  server.answers['session/create'] = () => ({ error: { code: -10503, message: 'busy', data: { code: 'busy' } } });
  server.open[0].end(1006);
  await until(() => client.state === 'waiting', 'the loss');
  t.mock.timers.tick(1000);
  await until(() => events.filter(([name]) => name === 'disconnected').length === 2 && client.state === 'waiting', 'busy');
  server.answers['session/create'] = () => ({ error: { code: -10401, message: 'not valid', data: { code: 'unauthorized' } } });
  t.mock.timers.tick(2000);
  await until(() => client.state === 'idle', 'the end');
  assert.deepEqual(events.at(-1), ['disconnected', { reason: 'not valid' }]);
  t.mock.timers.tick(100_000);
  await settle();
  assert.equal(server.lines.length, 3);
});

test('whom a newer page has overtaken stays away until it is told to come back', async (t) => {
  clock(t);
  const { server, client, events } = pair(t);
  await client.connect();
  server.tell('session:replaced', {});
  assert.deepEqual([client.state, server.open.length, events.at(-1)[0]], ['idle', 0, 'session:replaced']);
  t.mock.timers.tick(100_000);
  await settle();
  assert.equal(server.lines.length, 1);
  assert.equal((await client.reconnect()).recovered, true);
});

test('however often it is told to connect, there is one line, and everybody gets the same session', async (t) => {
  const { server, client } = pair(t);
  const first = await Promise.all([client.connect(), client.connect(), client.connect()]);
  assert.deepEqual([server.lines.length, new Set(first).size], [1, 1]);
  for (let i = 0; i < 50; i += 1) {
    client.reconnect().catch(() => {});
    client.connect().catch(() => {});
    client.reconnect().catch(() => {});
    assert.ok(server.open.length <= 1, 'never two');
    if (i % 3 === 0) server.open.at(-1)?.end(1006);
    if (i % 5 === 0) await settle();
  }
  await client.connect();
  assert.deepEqual([client.state, server.open.length], ['open', 1]);
});

test('disconnect ends whatever is under way', async (t) => {
  clock(t);
  const { server, client } = pair(t);
  server.answers['session/create'] = () => ({ error: 'none' });
  const connecting = client.connect();
  await until(() => server.count('session/create') === 1, 'the request');
  await client.disconnect();
  await assert.rejects(connecting, { code: 'DISCONNECTED' });
  assert.deepEqual([client.state, server.open.length], ['idle', 0]);
  const other = client.connect();
  client.disconnect();
  await assert.rejects(other, { code: 'DISCONNECTED' }, 'also before the line is there');
  server.answers['session/create'] = () => ({ sessionId: 's' });
  await client.connect();
  server.open[0].end(1006);
  await until(() => client.state === 'waiting', 'the loss');
  await client.disconnect();
  t.mock.timers.tick(100_000);
  await settle();
  assert.deepEqual([client.state, server.open.length], ['idle', 0]);
  const retried = pair(t, {}, server);
  await retried.client.connect();
  server.answers['session/create'] = () => ({ error: 'none' });
  server.open[0].end(1006);
  await until(() => retried.client.state === 'waiting', 'the loss');
  t.mock.timers.tick(1000);
  await until(() => retried.client.state === 'dialling' && server.open.length === 1, 'the second try');
  await retried.client.disconnect();
  await settle();
  t.mock.timers.tick(100_000);
  await settle();
  assert.deepEqual([retried.client.state, server.open.length], ['idle', 0], 'also when it was trying by itself');
});

test('whoever leaves while the client connects is not connected', async (t) => {
  clock(t);
  const { server, client } = pair(t);
  await client.connect();
  await client.grant('dom:read');
  server.answers['capabilities/grant'] = undefined;
  client.on('error', () => client.disconnect());
  server.open[0].end(1006);
  await until(() => client.state === 'waiting', 'the loss');
  t.mock.timers.tick(1000);
  await until(() => client.state === 'idle', 'the end');
  await settle();
  assert.deepEqual([client.state, server.open.length], ['idle', 0]);
});

test('what is asked when the line goes fails, but tools stay, for the next line', async (t) => {
  clock(t);
  const { server, client } = pair(t);
  await client.connect();
  server.answers['session/renew'] = () => ({ error: 'none' });
  server.answers['tools/register'] = () => ({ error: 'none' });
  const asked = client.renewSession();
  const told = client.registerTool(tool('a'), () => 1);
  server.open[0].end(1006);
  await assert.rejects(asked, { code: 'DISCONNECTED' });
  assert.deepEqual(await told, { registered: 1 });
  server.answers['tools/register'] = ({ tools }) => ({ registered: tools.length });
  t.mock.timers.tick(1000);
  await until(() => client.state === 'open', 'the new line');
  assert.deepEqual(server.tools, ['a']);
});

test('a line on which nothing comes any more is asked, then given up', async (t) => {
  clock(t);
  const { server, client, events } = pair(t, { heartbeatMs: 30_000 });
  await client.connect();
  for (let i = 0; i < 10; i += 1) {
    t.mock.timers.tick(30_000);
    await settle();
  }
  assert.deepEqual([server.lines.length, server.count('ping')], [1, 10], 'an answer is enough');
  server.answers.ping = () => ({ error: 'none' });
  t.mock.timers.tick(30_000);
  await settle();
  t.mock.timers.tick(30_000);
  await settle();
  assert.equal(client.state, 'open');
  t.mock.timers.tick(30_000);
  await settle();
  assert.match(events.at(-1)[1].reason, /has said nothing for 90 seconds/);
  assert.equal(client.state, 'waiting');
});

for (const tells of [true, false]) {
  test(`several pages with one session come to rest after a restart, whether or not the server ${tells ? 'tells' : 'told'} whom it has replaced`, async (t) => {
    clock(t);
    const server = new SocketServer();
    const { 'session/create': create } = server.answers;
    let owner;
    server.answers['session/create'] = (params, line) => {
      if (tells && owner?.isOpen && owner !== line) owner.say({ jsonrpc: '2.0', method: 'session:replaced', params: {} });
      owner = line;
      return create(params);
    };
    const pages = Array.from({ length: 5 }, () => pair(t, { sessionId: 'one' }, server));
    for (const { client } of pages) await client.connect();
    await Promise.all(pages.map(({ client }) => client.reconnect().catch(() => {})));
    await settle();
    const count = tells ? 1 : 5;
    assert.equal(server.open.length, count);
    const before = server.lines.length;
    server.open.forEach((line) => line.end(1006));
    await until(() => pages.filter(({ client }) => client.state === 'waiting').length === count, 'the loss');
    for (let i = 0; i < 10; i += 1) {
      t.mock.timers.tick(10_000);
      await settle();
    }
    assert.deepEqual([server.lines.length, server.open.length], [before + count, count], 'one attempt each');
    assert.ok(owner.isOpen, 'the newest has it');
  });
}
