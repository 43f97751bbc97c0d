// SPDX-License-Identifier: Apache-2.0
// Tools from text, in Node. What the sandbox of a page keeps out is seen in a real browser, by tests/e2e.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runInSandbox } from '../src/sandbox.js';

const run = (source, args = {}, signal = new AbortController().signal) => runInSandbox(source, args, { signal, name: 'tool', agentId: 'agent-1', requestId: 7 });

test('a function from text gets its arguments and who asks, and gives its result', async () => {
  assert.deepEqual(await run('({ a, b }) => ({ sum: a + b })', { a: 2, b: 40 }), { sum: 42 });
  assert.deepEqual(await run('async function named(args, context) { return context; } // a comment'), { name: 'tool', agentId: 'agent-1', requestId: 7 });
  assert.equal(await run('() => undefined'), null);
  assert.equal(await run('({ text }) => text', { text: 'ü😀"\u2028' }), 'ü😀"\u2028');
});

test('each call begins afresh', async () => {
  const count = '() => { globalThis.n = (globalThis.n ?? 0) + 1; return n; }';
  assert.deepEqual([await run(count), await run(count)], [1, 1]);
});

test('it sees the language, and nothing of Node', async () => {
  const names = ['process', 'require', 'module', 'fetch', 'setTimeout', 'Buffer', 'WebSocket', 'document'];
  assert.deepEqual(await run(`() => ${JSON.stringify(names)}.filter((name) => name in globalThis)`), []);
  await assert.rejects(run('() => new Function("return 1")()'), { code: 'EXECUTION_ERROR', message: /Code generation from strings/ });
  await assert.rejects(run('() => import("node:fs")'), { code: 'EXECUTION_ERROR' });
});

test('what it throws, and what it is not, is told in words', async () => {
  await assert.rejects(run('() => { throw new Error("out of paper"); }'), { code: 'EXECUTION_ERROR', message: 'out of paper' });
  await assert.rejects(run('() => { throw null; }'), { code: 'EXECUTION_ERROR', message: 'null' });
  await assert.rejects(run('() => {'), { code: 'EXECUTION_ERROR', message: /Unexpected/ });
  await assert.rejects(run('7'), { code: 'EXECUTION_ERROR', message: /is not a function/ });
  await assert.rejects(run('() => 10n'), { code: 'EXECUTION_ERROR', message: /BigInt/ });
  await assert.rejects(run('() => new Promise(() => {})'), { code: 'EXECUTION_ERROR', message: 'it ended without an answer' });
});

test('it cannot pass off as JSON what is none, nor more than there may be', async () => {
  await assert.rejects(run('() => { Promise.prototype.then = (done) => done("1},{"); }'), SyntaxError);
  await assert.rejects(run('() => "x".repeat(1024 * 1024)'), { code: 'OUTPUT_TOO_LARGE' });
});

test('one that never stops is stopped when nobody waits any more', async () => {
  for (const source of ['() => { for (;;); }', '(args) => new Promise(function again(resolve) { Promise.resolve().then(() => again(resolve)); })']) {
    const control = new AbortController();
    const running = run(source, {}, control.signal);
    setTimeout(() => control.abort(new Error('too late')), 200);
    await assert.rejects(running, { message: 'too late' });
  }
  await assert.rejects(run('() => 1', {}, AbortSignal.abort(new Error('before'))), { message: 'before' });
});

test('one that takes all memory ends, and nothing else does', async () => {
  await assert.rejects(run('() => { const all = []; for (;;) all.push(new Array(100_000).fill(1.5)); }'), { code: 'EXECUTION_ERROR', message: /memory/ });
});
