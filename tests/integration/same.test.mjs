// SPDX-License-Identifier: Apache-2.0
// The tool table, walked by every way: each tool says the same, well and badly, whoever calls it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Daemon, fixtures } from '../support/daemon.mjs';
import { postModern } from '../support/mcp.mjs';
import { rest } from '../support/rest.mjs';

/** What differs between two runs of the same. */
const plain = (text) => text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME').replace(/<(\/?)page \w+>/g, '<$1page>')
  .replace(/\d+ ms/g, 'N ms').replace(/\/tmp\/tabard-test-\w+/g, 'DIR').replace(/[0-9a-z]{26}-[0-9a-z]{4}/g, 'ID');

/** Each gives the text of the answer, its picture, and whether it went well. */
const ways = {
  async mcp(daemon, name, args) {
    const { content, isError } = (await postModern(daemon, 'tools/call', { name, arguments: args }, { target: '/mcp?groups=all' })).json.result;
    const words = content.filter(({ type }) => type === 'text').map(({ text }) => text);
    return { words, image: content.find(({ type }) => type === 'image')?.data, ok: !isError };
  },
  async rest(daemon, name, args) {
    const { json } = await rest(daemon, 'POST', `/api/tools/${name}`, args);
    const session = json.session ? [`Session: ${json.session}`] : [];
    const [note, aside] = json.notes?.length === 2 ? json.notes : json.notes?.[0] === json.data?.note ? [json.notes?.[0]] : [undefined, json.notes?.[0]];
    const text = json.text || (!json.image && !json.session ? 'Done.' : undefined);
    return { words: [note, text, aside, ...session].filter(Boolean), image: json.image?.data, ok: json.ok };
  },
};

/** Arguments by which a tool has something to do on the fake driver, or has not. */
const table = ({ name, inputSchema }) => {
  const sample = { string: 'e1', integer: 1, number: 1, boolean: true, array: [], object: {} };
  const needed = Object.fromEntries((inputSchema.required ?? []).map((key) => [key, inputSchema.properties[key].enum?.[0] ?? sample[inputSchema.properties[key].type] ?? 'e1']));
  const session = inputSchema.properties?.sessionId && name !== 'start_session' ? [{ ...needed, sessionId: 'nobody' }] : [];
  return [{}, needed, { nonsense: 1 }, ...session];
};

test('each tool gives the same by MCP and by REST', async (t) => {
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
