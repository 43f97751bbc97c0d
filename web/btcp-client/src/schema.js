// SPDX-License-Identifier: Apache-2.0
// JSON Schema, as far as arguments need it. What is no keyword here, or cannot be read, holds for every value.

import { entriesOf, isObject, listOf, wordsOf } from './base.js';

const STEPS_MAX = 500_000; // schemas that refer to each other can ask for more than anybody waits for
const FAULTS_MAX = 5;

// Texts that are the same for values that are, in whatever order they have their members.
const sorted = (_, value) => (isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value);
const textOf = (value) => JSON.stringify(value, sorted);
const isSame = (a, b) => textOf(a) === textOf(b);
const typeOf = (value) => (value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
const TYPES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];
const isOf = (value, type) => typeOf(value) === type || (type === 'integer' && Number.isInteger(value)) || !TYPES.includes(type);

const matches = (pattern, text) => {
  try {
    return new RegExp(pattern, 'u').test(text);
  } catch {
    return undefined; // no pattern
  }
};

/** A step of a JSON pointer in a fragment; one that is no encoding is what it is. */
const stepOf = (text) => {
  const plain = /%(?![0-9a-f]{2})/i.test(text) ? text : decodeURIComponent(text);
  return plain.replaceAll('~1', '/').replaceAll('~0', '~');
};

const bound = (words, measure, holds) => (limit, value) => {
  const size = measure(value);
  return size !== undefined && typeof limit === 'number' && !holds(size, limit) ? `must ${words} ${limit}` : undefined;
};
const numberOf = (value) => (typeof value === 'number' ? value : undefined);
const lengthOf = (value) => (typeof value === 'string' ? [...value].length : undefined);
const itemsOf = (value) => (Array.isArray(value) ? value.length : undefined);
const membersOf = (value) => (isObject(value) ? Object.keys(value).length : undefined);
const atLeast = (a, b) => a >= b;
const atMost = (a, b) => a <= b;

// Each gives what is wrong with the value, or has it looked at further by `at`.
const KEYWORDS = {
  type: (types, value) => ([types].flat().some((type) => isOf(value, type)) ? undefined
    : `must be ${[types].flat().join(' or ')}, not ${typeOf(value)}`),
  enum: (list, value) => (!Array.isArray(list) || list.some((each) => isSame(each, value)) ? undefined
    : `must be one of ${JSON.stringify(list).slice(0, 200)}`),
  const: (wanted, value) => (isSame(wanted, value) ? undefined : `must be ${JSON.stringify(wanted).slice(0, 200)}`),
  minimum: bound('be at least', numberOf, atLeast),
  maximum: bound('be at most', numberOf, atMost),
  exclusiveMinimum: bound('be more than', numberOf, (a, b) => a > b),
  exclusiveMaximum: bound('be less than', numberOf, (a, b) => a < b),
  multipleOf: bound('be a multiple of', numberOf, (a, b) => !(b > 0) || Math.abs(a / b - Math.round(a / b)) < 1e-9),
  minLength: bound('have a length of at least', lengthOf, atLeast),
  maxLength: bound('have a length of at most', lengthOf, atMost),
  minItems: bound('have a number of items of at least', itemsOf, atLeast),
  maxItems: bound('have a number of items of at most', itemsOf, atMost),
  minProperties: bound('have a number of members of at least', membersOf, atLeast),
  maxProperties: bound('have a number of members of at most', membersOf, atMost),
  pattern: (pattern, value) => (typeof value === 'string' && matches(pattern, value) === false ? `must match ${pattern}` : undefined),
  uniqueItems: (wanted, value) => (wanted === true && new Set(listOf(value).map(textOf)).size < listOf(value).length
    ? 'must not have an item twice' : undefined),
  required: (names, value) => {
    const missing = isObject(value) ? listOf(names).filter((name) => !Object.hasOwn(value, name)) : [];
    return missing.length ? `lacks ${missing.join(', ')}` : undefined;
  },
  properties: (map, value, at) => entriesOf(value)
    .forEach(([key, each]) => isObject(map) && Object.hasOwn(map, key) && at.member(`.${key}`).check(map[key], each)),
  patternProperties: (map, value, at) => entriesOf(map).forEach(([pattern, schema]) => entriesOf(value)
    .forEach(([key, each]) => matches(pattern, key) && at.member(`.${key}`).check(schema, each))),
  additionalProperties: (schema, value, at, { properties, patternProperties }) => entriesOf(value)
    .filter(([key]) => !Object.hasOwn(Object(properties), key) && !entriesOf(patternProperties).some(([pattern]) => matches(pattern, key)))
    .forEach(([key, each]) => at.member(`.${key}`).check(schema, each)),
  prefixItems: (list, value, at) => listOf(value).slice(0, listOf(list).length).forEach((each, i) => at.member(`[${i}]`).check(list[i], each)),
  items: (schema, value, at, { prefixItems }) => listOf(value)
    .forEach((each, i) => i >= listOf(prefixItems).length && at.member(`[${i}]`).check(schema, each)),
  allOf: (list, value, at) => listOf(list).forEach((schema) => at.check(schema, value)),
  anyOf: (list, value, at) => (listOf(list).some((schema) => at.holds(schema, value)) ? undefined : 'has none of the forms that it may have'),
  oneOf: (list, value, at) => {
    const count = listOf(list).filter((schema) => at.holds(schema, value)).length;
    return count === 1 ? undefined : `has ${count || 'none'} of the forms of which it must have one`;
  },
  not: (schema, value, at) => (at.holds(schema, value) ? 'has a form that it must not have' : undefined),
  if: (schema, value, at, { then, else: otherwise }) => at.check(at.holds(schema, value) ? then : otherwise, value),
  $ref: (ref, value, at) => at.follow(ref, value),
};

/** A value inside the one that is checked. A reference back to a schema that it is under already asks for nothing new. */
class Place {
  constructor(run, path, faults, followed = []) {
    this.run = run;
    this.path = path;
    this.faults = faults;
    this.followed = followed;
  }

  member(step) {
    return new Place(this.run, this.path + step, this.faults);
  }

  check(schema, value) {
    this.run.steps += 1;
    if (this.run.steps > STEPS_MAX) throw new Error('it asks for too much');
    if (this.faults.length >= FAULTS_MAX) return;
    if (schema === false) this.faults.push(`${this.path} is not allowed`);
    for (const [key, limit] of entriesOf(schema)) {
      const fault = Object.hasOwn(KEYWORDS, key) && KEYWORDS[key](limit, value, this, schema);
      if (fault) this.faults.push(`${this.path} ${fault}`);
    }
  }

  holds(schema, value) {
    const trial = new Place(this.run, this.path, [], this.followed);
    trial.check(schema, value);
    return trial.faults.length === 0;
  }

  follow(ref, value) {
    if (!/^#(\/|$)/.test(ref)) return;
    const target = ref.split('/').slice(1).map(stepOf)
      .reduce((schema, step) => (Object.hasOwn(Object(schema), step) ? schema[step] : undefined), this.run.root);
    if (!this.followed.includes(target)) new Place(this.run, this.path, this.faults, [...this.followed, target]).check(target, value);
  }
}

/**
 * What is wrong with a value, in words; nothing if it is as the schema wants it. What cannot be checked to its end is wrong.
 * @param {any} schema
 * @param {unknown} value
 * @param {string} [name] of the value, in those words
 * @returns {string[]}
 */
export function checkSchema(schema, value, name = 'the value') {
  const at = new Place({ root: schema, steps: 0 }, name, []);
  try {
    at.check(schema, value);
  } catch (err) {
    at.faults.push(`${name} cannot be checked by its schema: ${wordsOf(err)}`);
  }
  return at.faults;
}
