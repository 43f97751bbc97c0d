// SPDX-License-Identifier: Apache-2.0
// Calls of tools, and everything that can become of one.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BTCPError } from '../src/index.js';
import { tool, until } from './fakes.mjs';
import { call, connected, manifest } from './stage.mjs';

test('S4-09, S4-11, S4-12, S4-13: a call runs the tool with its arguments and gives what it returns', async (t) => {
  const { server, client, events } = await connected(t);
  let seen;
  await client.registerTool(tool('add'), (args, context) => {
    seen = context;
    return { sum: args.a + args.b };
  });
  const reply = await call(server, 'add', { a: 2, b: 40 }, { metadata: { agentId: 'agent-1', requestId: 7 } });
  assert.deepEqual(reply.result, { sum: 42 });
  assert.deepEqual([seen.name, seen.agentId, seen.requestId, seen.signal.aborted], ['add', 'agent-1', 7, false]);
  assert.deepEqual([events.at(-1)[0], events.at(-1)[1].tool, events.at(-1)[1].agentId], ['tool:executed', 'add', 'agent-1']);
  assert.equal((await server.ask('tools/call', { name: 'add' })).result.sum, null, 'without arguments it gets none');
});

test('results pass as JSON has them: nothing is null, content stays content, ids keep their type', async (t) => {
  const { server, client } = await connected(t);
  let next;
  await client.registerTool(tool('give'), () => next);
  const content = { content: [{ type: 'text', text: 'clicked' }], isError: true };
  for (const [result, json] of [[undefined, null], ['clicked', 'clicked'], [content, content], [Promise.resolve(3), 3], [new Date(0), '1970-01-01T00:00:00.000Z'], [() => 1, null]]) {
    next = result;
    assert.deepEqual((await call(server, 'give', {})).result, json);
  }
  next = 1;
  assert.equal((await server.ask('tools/call', { name: 'give' }, 77)).id, 77);
  assert.equal((await server.ask('tools/call', { name: 'give' }, 'a:"b"')).id, 'a:"b"');
});

test('each failure of a call has its code, and words for the agent', async (t) => {
  const { server, client, events } = await connected(t);
  const cycle = {};
  cycle.self = cycle;
  const fails = {
    throws: () => { throw new Error('out of paper'); },
    names: () => { throw new BTCPError('ITEM_NOT_FOUND', { message: 'No item 7.', suggestion: 'Use list_items.' }); },
    rejects: () => Promise.reject(new TypeError('no')),
    nothing: () => { throw undefined; },
    cyclic: () => cycle,
    big: () => 10n,
  };
  await client.registerTool(tool('strict', { inputSchema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } }, additionalProperties: false } }), () => 'never');
  await client.registerTool(tool('wrong', { outputSchema: { type: 'object', required: ['n'] } }), () => ({}));
  for (const [name, run] of Object.entries(fails)) await client.registerTool(tool(name), run);
  const error = async (name, args = {}) => (await call(server, name, args)).error;
  assert.deepEqual(await error('nobody'), { code: -32601, message: 'there is no tool nobody', data: { btcpCode: 'TOOL_NOT_FOUND' } });
  assert.deepEqual(await error('strict', { n: 'x' }), { code: -32602, message: 'the arguments.n must be integer, not string', data: { btcpCode: 'INVALID_PARAMS' } });
  assert.match((await error('strict', { m: 1 })).message, /lacks n; the arguments.m is not allowed/);
  assert.match((await error('strict', [])).message, /must be object, not array/);
  assert.deepEqual(await error('throws'), { code: -32603, message: 'out of paper', data: { btcpCode: 'EXECUTION_ERROR' } });
  assert.deepEqual(await error('names'), { code: -32603, message: 'No item 7. Use list_items.', data: { btcpCode: 'EXECUTION_ERROR' } });
  assert.match((await error('rejects')).message, /no/);
  assert.equal((await error('nothing')).data.btcpCode, 'EXECUTION_ERROR');
  assert.match((await error('cyclic')).message, /JSON cannot hold/);
  assert.match((await error('big')).message, /JSON cannot hold/);
  assert.match((await error('wrong')).message, /the result lacks n/);
  assert.deepEqual([events.at(-1)[0], events.at(-1)[1].tool], ['tool:error', 'wrong']);
});

test('output over one MiB is refused with its size, in bytes, not characters', async (t) => {
  const { server, client } = await connected(t);
  await client.registerTool(tool('give'), ({ text, times }) => text.repeat(times));
  const limit = 1024 * 1024;
  assert.equal((await call(server, 'give', { text: 'x', times: limit - 2 })).result.length, limit - 2);
  const { error } = await call(server, 'give', { text: 'x', times: limit - 1 });
  assert.deepEqual(error, { code: -32603, message: `the tool returned ${limit + 1} bytes; ${limit} are allowed`, data: { size: limit + 1, limit, btcpCode: 'OUTPUT_TOO_LARGE' } });
  assert.equal((await call(server, 'give', { text: 'ä', times: limit / 2 })).error.data.size, limit + 2);
});

test('structured content is held to the outputSchema, content for people is not', async (t) => {
  const { server, client } = await connected(t);
  let next;
  await client.registerTool(tool('give', { outputSchema: { type: 'object', required: ['n'] } }), () => next);
  const passes = async (result) => {
    next = result;
    return !(await call(server, 'give', {})).error;
  };
  const content = [{ type: 'text', text: 'x' }];
  assert.deepEqual([await passes({ n: 1 }), await passes({}), await passes({ content }), await passes({ content, structuredContent: {} }),
    await passes({ content, structuredContent: { n: 1 } })], [true, false, true, false, true]);
});

test('a tool that takes too long is answered for, and told by its signal', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  const { server, client } = await connected(t);
  const signals = {};
  const never = (args, { signal, name }) => {
    signals[name] = signal;
    return new Promise(() => {});
  };
  await client.registerTool(tool('usual'), never);
  await client.registerTool(tool('quick', { timeout: 1000 }), never);
  const quick = call(server, 'quick', {});
  const usual = call(server, 'usual', {});
  await until(() => signals.usual && signals.quick, 'both');
  t.mock.timers.tick(1000);
  assert.deepEqual((await quick).error, { code: -32603, message: 'the tool quick did not end within 1000 ms', data: { btcpCode: 'TIMEOUT' } });
  assert.deepEqual([signals.quick.aborted, signals.usual.aborted], [true, false]);
  t.mock.timers.tick(29_000);
  assert.equal((await usual).error.data.btcpCode, 'TIMEOUT');
});

test('a call that is cancelled is told so by its signal, and is not answered', async (t) => {
  const { server, client } = await connected(t);
  const answered = [];
  let seen;
  await client.registerTool(tool('slow'), (args, { signal }) => new Promise((resolve) => {
    seen = signal;
    signal.addEventListener('abort', () => resolve('too late'));
  }));
  call(server, 'slow', {}).then((reply) => answered.push(reply));
  await until(() => seen, 'the call');
  server.tell('notifications/cancelled', { requestId: 'call-2' });
  assert.equal(seen.aborted, false, 'that was another');
  server.tell('notifications/cancelled', { requestId: 'call-1' });
  await until(() => seen.aborted, 'the signal');
  assert.equal(seen.reason.code, 'CANCELLED');
  assert.equal((await server.ask('ping', {})).result.pong, true);
  assert.deepEqual(answered, []);
});

test('calls that are under way when the line goes are told so', async (t) => {
  const { server, client } = await connected(t);
  let seen;
  await client.registerTool(tool('slow'), (args, { signal }) => new Promise(() => { seen = signal; }));
  call(server, 'slow', {});
  await until(() => seen, 'the call');
  await client.disconnect();
  await until(() => seen.aborted, 'the signal');
  assert.equal(seen.reason.code, 'DISCONNECTED');
});

test('a manifest brings its tools under its name, at most so many of its calls run at a time, and a newer version takes their place', async (t) => {
  const { server, client } = await connected(t);
  const waiting = [];
  const slow = () => new Promise((resolve) => { waiting.push(resolve); });
  await client.registerManifest({ manifest: manifest(['a', 'b'], { config: { maxConcurrent: 2 } }), implementations: { a: slow, b: slow } });
  assert.deepEqual(server.heard.at(-1).params.tools.map(({ name, manifestName }) => [name, manifestName]), [['a', 'm'], ['b', 'm']]);
  const replies = ['a', 'b', 'a', 'b'].map((name) => call(server, name, {}));
  await until(() => waiting.length === 2, 'two calls');
  await server.ask('ping', {});
  assert.equal(waiting.length, 2, 'the others wait');
  waiting.splice(0).forEach((answer) => answer(1));
  await until(() => waiting.length === 2, 'the other two');
  waiting.forEach((answer) => answer(2));
  assert.deepEqual((await Promise.all(replies)).map(({ result }) => result), [1, 1, 2, 2]);
  await client.registerManifest(manifest(['b', 'c']), { b: slow, c: slow });
  assert.deepEqual(server.tools, ['b', 'c']);
});

test('a call that ends while it waits for its turn leaves the turn to others, and one that hangs holds nobody up for ever', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout', 'setInterval', 'Date'] });
  const { server, client } = await connected(t);
  const begun = [];
  const hang = ({ n }) => new Promise(() => { begun.push(n); });
  await client.registerManifest(manifest(['hang'], { config: { maxConcurrent: 1, timeout: 1000 } }), { hang });
  call(server, 'hang', { n: 1 });
  call(server, 'hang', { n: 2 });
  await until(() => begun.length === 1, 'the first');
  server.tell('notifications/cancelled', { requestId: 'call-2' });
  const third = call(server, 'hang', { n: 3 });
  t.mock.timers.tick(999);
  await server.ask('ping', {});
  assert.deepEqual(begun, [1]);
  t.mock.timers.tick(1);
  assert.equal((await third).error.data.btcpCode, 'TIMEOUT', 'its time began when it was asked for');
  call(server, 'hang', { n: 4 });
  await until(() => begun.includes(4), 'the turn of the fourth');
});

test('more calls than anybody would make are refused', async (t) => {
  const { server, client } = await connected(t);
  await client.registerTool(tool('slow'), () => new Promise(() => {}));
  for (let i = 0; i < 100; i += 1) call(server, 'slow', {});
  assert.match((await call(server, 'slow', {})).error.message, /100 calls are under way/);
});
