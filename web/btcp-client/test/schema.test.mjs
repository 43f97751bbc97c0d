// SPDX-License-Identifier: Apache-2.0
// Arguments against their schema, and schemas that nobody should have written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSchema } from '../src/schema.js';

const good = (schema, ...values) => values.forEach((value) => assert.deepEqual(checkSchema(schema, value), [], JSON.stringify([schema, value])));
const bad = (schema, ...values) => values.forEach((value) => assert.notEqual(checkSchema(schema, value).length, 0, JSON.stringify([schema, value])));

test('each keyword holds what it is for, and lets all else pass', () => {
  const cases = [
    [{ type: 'object' }, [{}], [[], null, 'x']],
    [{ type: 'integer' }, [1, -2, 1e3], [1.5, '1', true]],
    [{ type: 'number' }, [1.5], ['1', null]],
    [{ type: ['string', 'null'] }, ['', null], [0, false]],
    [{ type: 'boolean' }, [true], [0]],
    [{ enum: ['a', 1, { b: [1] }] }, ['a', 1, { b: [1] }], ['b', '1', { b: [2] }]],
    [{ const: { a: 1, b: 2 } }, [{ b: 2, a: 1 }], [{ a: 1 }]],
    [{ minimum: 2, maximum: 4 }, [2, 4, 'x'], [1.9, 5]],
    [{ exclusiveMinimum: 2, exclusiveMaximum: 4 }, [3, null], [2, 4]],
    [{ multipleOf: 0.1 }, [0.3, 7], [0.35]],
    [{ minLength: 2, maxLength: 3 }, ['ab', '😀😀😀', 7], ['a', 'abcd']],
    [{ pattern: '^[a-z]+$' }, ['abc', 5], ['aBc']],
    [{ minItems: 1, maxItems: 2, uniqueItems: true }, [[1], [1, '1'], {}], [[], [1, 2, 3], [1, 1], [{ a: 1, b: 2 }, { b: 2, a: 1 }]]],
    [{ items: { type: 'string' } }, [['a'], []], [['a', 1]]],
    [{ prefixItems: [{ type: 'string' }], items: { type: 'number' } }, [['a', 1, 2], ['a'], []], [[1], ['a', 'b']]],
    [{ required: ['a'] }, [{ a: undefined }, 'x'], [{}, { b: 1 }]],
    [{ properties: { a: { type: 'string' } } }, [{ a: 'x' }, { b: 1 }, []], [{ a: 1 }]],
    [{ properties: { a: {} }, patternProperties: { '^x-': { type: 'number' } }, additionalProperties: false }, [{ a: 1, 'x-1': 1 }], [{ b: 1 }, { 'x-1': 'a' }]],
    [{ additionalProperties: { type: 'number' } }, [{ a: 1 }], [{ a: 'x' }]],
    [{ minProperties: 1, maxProperties: 1 }, [{ a: 1 }], [{}, { a: 1, b: 2 }]],
    [{ allOf: [{ minimum: 1 }, { maximum: 2 }] }, [1.5], [0, 3]],
    [{ anyOf: [{ type: 'string' }, { minimum: 5 }] }, ['a', 5], [4]],
    [{ oneOf: [{ minimum: 1 }, { maximum: 2 }] }, [0, 3], [1.5]],
    [{ not: { type: 'string' } }, [1], ['a']],
    [{ if: { required: ['a'] }, then: { required: ['b'] }, else: { required: ['c'] } }, [{ a: 1, b: 1 }, { c: 1 }], [{ a: 1 }, {}]],
    [{ $ref: '#/$defs/a~1b%20c', $defs: { 'a/b c': { type: 'string' } } }, ['x'], [1]],
    [true, [1, null], []],
    [false, [], [1, null]],
  ];
  for (const [schema, passes, fails] of cases) {
    good(schema, ...passes);
    bad(schema, ...fails);
  }
});

test('the words name the place and what is wrong there', () => {
  const schema = { type: 'object', required: ['list', 'to'], properties: { list: { type: 'array', items: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } } } } };
  assert.deepEqual(checkSchema(schema, { list: [{ n: 1 }, { n: 'x' }, { n: 0 }] }, 'the arguments'), ['the arguments lacks to',
    'the arguments.list[1].n must be integer, not string', 'the arguments.list[2].n must be at least 1']);
  assert.deepEqual(checkSchema({ additionalProperties: false }, { typo: 1 }, 'the arguments'), ['the arguments.typo is not allowed']);
  assert.equal(checkSchema({ items: false }, Array.from({ length: 1000 }, () => 0)).length, 5, 'and do not go on for ever');
});

test('what is no keyword, or cannot be read, holds for every value', () => {
  const odd = [{ format: 'email', madeUp: 1 }, { pattern: '(' }, { enum: 7 }, { properties: 7, required: 'a', items: null, allOf: {}, minimum: 'x' }, { type: 'any' },
    { $ref: 'https://example.org/schema.json' }, { $ref: '#/not/there' }, { $ref: 7 }, { $ref: '#/%' }, { patternProperties: { '(': false } }, null, 7, 'x', []];
  odd.forEach((schema) => good(schema, {}, 'a', 1, null, [], { a: 1 }));
});

test('members that every object inherits are no members, and __proto__ is one like any other', () => {
  bad({ required: ['toString'] }, {});
  bad({ required: ['__proto__'] }, {});
  good({ required: ['__proto__'] }, JSON.parse('{"__proto__":1}'));
  bad({ properties: JSON.parse('{"__proto__":{"type":"string"}}') }, JSON.parse('{"__proto__":1}'));
  bad({ properties: {}, additionalProperties: false }, { constructor: 1 });
  good(JSON.parse('{"constructor":1,"toString":2}'), {});
});

test('references that lead back to themselves do not hang', () => {
  good({ $ref: '#' }, {}, 1);
  good({ $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } }, $ref: '#/$defs/a' }, 1);
  good({ anyOf: [{ $ref: '#' }, { $ref: '#' }] }, 1);
  const tree = { type: 'object', properties: { next: { $ref: '#' } }, required: ['n'] };
  good(tree, { n: 1, next: { n: 2, next: { n: 3 } } });
  bad(tree, { n: 1, next: { n: 2, next: {} } });
});

test('a schema that doubles itself at every step is given up, and then nothing passes', () => {
  const $defs = Object.fromEntries(Array.from({ length: 64 }, (_, i) => [`d${i}`, { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] }]));
  const faults = checkSchema({ $ref: '#/$defs/d0', $defs }, {});
  assert.match(faults[0], /cannot be checked by its schema: it asks for too much/);
});

test('a value that is nested too deeply fails, and nothing else does', () => {
  const deep = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
  const faults = checkSchema({ items: { $ref: '#' } }, deep);
  assert.match(faults[0], /cannot be checked/);
});
