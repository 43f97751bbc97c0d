// SPDX-License-Identifier: Apache-2.0
// DATA-1 through all tests: what a test gives a daemon to keep secret, and what that has of its own, is remembered here, and searched for when the
// daemon has ended: in its log, its standard output, its audit log, and the bytes below its state directory. Not searched are the places that
// have it by their purpose: the two key files, profiles of browsers and directories of files. e2e/canary.test.mjs looks in more places.
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const LEAST = 12; // what is shorter may stand anywhere by chance
const FILE_MAX = 64 << 20;
const PIECE = 1 << 16;
const NOTHING = Buffer.alloc(PIECE);

const planted = new Map(); // from value to what it is

/** A reference to a named secret tells only its name. */
export function plant(what, value) {
  if (typeof value === 'string' && value.length >= LEAST && !value.includes('{{')) planted.set(value, what);
}

export const uproot = (value) => planted.delete(value);

/** Each spelling in which it could stand somewhere. */
export function spellings(canary) {
  const bytes = Buffer.from(canary);
  return [bytes, Buffer.from(bytes.toString('base64').replace(/=+$/, '').slice(0, -1)), Buffer.from(bytes.toString('hex')),
    ...(Buffer.isBuffer(canary) ? [] : [Buffer.from(canary, 'utf16le')])];
}

/** What a configuration has of passwords, secrets and addresses with either. */
export function plantConfig(config) {
  for (const [, name, value] of config.matchAll(/\b(secret|password|token|api_key):\s*"?([^\s"]+)/g)) plant(`${name} of the configuration`, value);
  for (const [, file] of config.matchAll(/\bkey: (\/\S+)/g)) {
    const lines = existsSync(file) ? readFileSync(file, 'latin1').split('\n') : [];
    lines.filter((line) => line && !line.startsWith('-')).forEach((line) => plant('a TLS key', line));
  }
  for (const [, password] of config.matchAll(/:\/\/[^\s:/@]*:([^\s@]+)@/g)) plant('a password in an address of the configuration', password);
}

/** What goes by in a request and its answer: keys, named secrets, passes of the proxy. */
export function plantRequest(target, { method, body }, answer) {
  for (const [, secret] of answer.matchAll(/tbk_[a-z0-9]{12}_([A-Za-z0-9_-]{43})/g)) plant('an API key', secret);
  if (/^\/api\/sessions/.test(target)) for (const [, secret] of answer.matchAll(/"secret":"([^"]+)"/g)) plant('a pass of the proxy', secret);
  if (method === 'PUT' && target.startsWith('/api/secrets/') && typeof body === 'string') plant('a named secret', /"value":"([^"\\]+)"/.exec(body)?.[1]);
}

const typed = { browser_fill: ['value'], browser_cookies: ['value'], browser_storage: ['value'], browser_dialog: ['text'] };

/** What an agent types or stores. */
export function plantCall(tool, args) {
  for (const name of typed[tool] ?? []) plant(`${name} of ${tool}`, args[name]);
  if (tool === 'browser_fill_form' && Array.isArray(args.fields)) args.fields.forEach((field) => plant('a field of a form', field?.value));
}

/** A file without its long runs of zeros, of which a log that is made at its full size has many. */
async function bytesOf(name) {
  const all = await readFile(name).catch(() => NOTHING.subarray(0, 0));
  const pieces = [];
  for (let at = 0; at < Math.min(all.length, FILE_MAX); at += PIECE) {
    const piece = all.subarray(at, at + PIECE);
    if (!piece.equals(NOTHING.subarray(0, piece.length))) pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

async function filesOf(dir) {
  const entries = await readdir(dir, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isFile() && !['secret', 'admin.token'].includes(entry.name)).map((entry) => path.join(dir, entry.name));
  return Promise.all(names.map(async (name) => [name, await bytesOf(name)]));
}

/** What of all that is found in a place where it does not belong; `places` are pairs of a name and bytes. */
export async function leaks(stateDir, places) {
  const own = [['the installation\'s secret', 'secret'], ['the admin token', 'admin.token']];
  const canaries = [...planted].map(([value, what]) => [what, value]);
  for (const [what, file] of own) {
    const bytes = await readFile(path.join(stateDir, file)).catch(() => null);
    if (bytes?.length >= LEAST) canaries.push([what, file === 'secret' ? bytes : bytes.toString().trim()]);
  }
  const everywhere = [...places, ...await filesOf(stateDir)];
  return canaries.flatMap(([what, canary]) => everywhere.filter(([, bytes]) => spellings(canary).some((one) => bytes.includes(one)))
    .map(([where]) => `${what} in ${where}`));
}
