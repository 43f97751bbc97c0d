// SPDX-License-Identifier: Apache-2.0
// The tool table, walked by every way: each tool says the same, well and badly, whoever calls it.
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { Daemon, fixtures, run } from '../support/daemon.mjs';
import { postModern } from '../support/mcp.mjs';
import { rest } from '../support/rest.mjs';

/** What differs between two runs of the same. */
const plain = (text) => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replace(/<(\/?)page \w+>/g, '<$1page>')
  .replace(/\d+ ms/g, 'N ms').replace(/\/tmp\/tabard-test-\w+/g, 'DIR').replace(/[0-9a-z]{26}-[0-9a-z]{4}/g, 'ID');

/** An answer of REST as MCP has it. */
function read({ text, image, session, notes = [], data, ok }) {
  const [note, aside] = notes.length === 2 ? notes : notes[0] === data?.note ? [notes[0]] : [undefined, notes[0]];
  const said = text || (!image && !session ? 'Done.' : undefined);
  return { words: [note, said, aside, session && `Session: ${session}`].filter(Boolean), image: image?.data, ok };
}

/** Each gives the text of the answer, its picture, and whether it went well. */
const ways = {
  async mcp(daemon, name, args) {
    const { content, isError } = (await postModern(daemon, 'tools/call', { name, arguments: args }, { target: '/mcp?groups=all' })).json.result;
    const words = content.filter(({ type }) => type === 'text').map(({ text }) => text);
    return { words, image: content.find(({ type }) => type === 'image')?.data, ok: !isError };
  },
  async rest(daemon, name, args) {
    return read((await rest(daemon, 'POST', `/api/tools/${name}`, args)).json);
  },
  async cli(daemon, name, args) {
    const pairs = Object.entries(args).map(([key, value]) => (typeof value === 'string' ? `${key}=${value}` : `${key}:=${JSON.stringify(value)}`));
    const { stdout, code } = await run(['call', name, ...pairs, '--json', '--state-dir', daemon.stateDir, '--runtime-dir', path.dirname(daemon.socket)]);
    const answer = JSON.parse(stdout);
    assert.equal(code === 0, answer.ok, name);
    return read(answer);
  },
};

/** Arguments by which a tool has something to do on the fake driver, or has not. */
const table = ({ name, inputSchema }) => {
  const sample = { string: 'e1', integer: 1, number: 1, boolean: true, array: [], object: {} };
  const needed = Object.fromEntries((inputSchema.required ?? []).map((key) => [key, inputSchema.properties[key].enum?.[0] ?? sample[inputSchema.properties[key].type] ?? 'e1']));
  const session = inputSchema.properties?.sessionId && name !== 'start_session' ? [{ ...needed, sessionId: 'nobody' }] : [];
  return [{}, needed, { nonsense: 1 }, ...session];
};

test('each tool gives the same by MCP, by REST and on the command line', async (t) => {
  const daemons = Object.fromEntries(await Promise.all(Object.keys(ways).map(async (way) => [way, await Daemon.start(t, { program: fixtures })])));
  const { tools } = (await rest(daemons.rest, 'GET', '/api/tools')).json;
  assert.ok(tools.length > 30);
  let good = 0;
  for (const tool of [...tools.filter(({ name }) => !/_session/.test(name)), ...tools.filter(({ name }) => /_session/.test(name))]) {
    for (const args of table(tool)) {
      const [first, ...others] = await Promise.all(Object.entries(ways).map(async ([way, call]) => {
        await call(daemons[way], 'start_session', { sessionId: 'box' });
        const { words, ...rest } = await call(daemons[way], tool.name, args);
        return { words: words.map(plain), ...rest };
      }));
      for (const other of others) assert.deepEqual(other, first, `${tool.name} ${JSON.stringify(args)}`);
      good += first.ok;
    }
  }
  assert.ok(good > 30, `${good} went well`);
});
