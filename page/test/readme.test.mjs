// SPDX-License-Identifier: Apache-2.0
// README.md is what the daemon's side is written from: it knows every code and every stage, and who takes `strict`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { source } from './harness.mjs';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const wordsOf = (pattern) => [...new Set([...source.matchAll(pattern)].map(([, word]) => word))];

test('every code of a failure is in the README', () => {
  const codes = wordsOf(/\bfail\('(\w+)'/g);
  assert.ok(codes.length > 0);
  const [, list] = /wire name of `src\/base\/err\.def`:(.*?)\n\n/s.exec(readme);
  assert.deepEqual(codes.filter((code) => !list.includes(`\`${code}\``)), []);
});

test('every stage that is told to the daemon is in the README', () => {
  const stages = wordsOf(/\btellDaemon\('(\w+)'/g);
  assert.ok(stages.length > 0);
  const [, list] = /`tabardTell`(.*?)\n\n/s.exec(readme);
  assert.deepEqual(stages.filter((stage) => !new RegExp(`["\`]${stage}["\`]`).test(list)), []);
});

test('every function that looks for what is meant takes strict, and says so', () => {
  for (const name of ['point', 'focus', 'fill', 'select', 'check', 'receiver']) {
    assert.match(readme, new RegExp(`^\\| \`${name}\\(\\{target,[^}]*\\bstrict\\?`, 'm'), name);
  }
});
