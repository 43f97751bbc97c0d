// SPDX-License-Identifier: Apache-2.0
// NET-3: what policies read of an address (src/proto/url_parts.h) against `new URL()` of the real browser, for generated strings. Whatever both take
// has the same scheme, host and port. One may refuse what the other takes only where no DNS name can be, in international names (browsers take emoji,
// which IDNA 2008 does not, and are strict with those from right to left), and for zeros before the IPv4 part of an IPv6 address.
// TABARD_URLS: how many; TABARD_URL_SEED repeats an earlier run.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { Agent } from '../support/agent.mjs';
import { Daemon, fixtures } from '../support/daemon.mjs';

const COUNT = Number(process.env.TABARD_URLS ?? 12_000);
const BATCH = 4000;
const SEED = Number(process.env.TABARD_URL_SEED ?? Date.now() % 2_147_483_646 + 1);

let seed = SEED;
const pick = (n) => (seed = (seed * 48_271) % 2_147_483_647) % n;
const of = (list) => list[pick(list.length)];
const some = (max, make) => Array.from({ length: pick(max + 1) }, make).join('');

const SCHEMES = ['http', 'https', 'HTTP', 'hTTps', 'ws', 'wss', 'ht\ttp', 'http\n', 'ftp', 'file', 'about', 'data', 'blob', 'javascript', 'httpx', '1http', 'h-t.t+p', ''];
const SLASHES = ['//', '//', '//', '//', '/', '', '\\\\', '/\\', '///', '////', '/\t/', '//\n'];
const LETTERS = [...'abcxyzABZ019-_.....', '~', '!', '$', '&', "'", '(', ')', '*', '+', ',', ';', '=', '`', '{', '}', '"'];
const ODD = ['%', '%2e', '%2E', '%41', '%00', '%c3%9f', '%zz', ' ', '\t', '\n', '\r', '\0'.repeat(0), '\x01', '\x7f', '<', '>', '^', '|', '[', ']', '#', '?', '@', ':', '\\', '/'];
const WORLD = ['ß', 'ẞ', 'ς', 'ü', 'Ü', 'é', 'e\u0301', '例', '。', '．', '｡', '１', '２', 'ａ', 'Ａ', 'א', 'ا', '\u00ad', '\u200b', '\u200c', '\u200d', '\u2060', '😀', 'ﬁ', 'İ', 'ı', 'K', '℀', '⒈', '¼', '\u0338', '\ufeff', '％', '＠', '：', 'xn--', 'xn--zca', 'xn--a', 'xn--80ak6aa92e'];
const NUMBERS = ['0', '1', '127', '255', '256', '0x7f', '0X7F', '0x', '0177', '08', '0377', '4294967295', '4294967296', '2130706433', '0x7f000001', '00000000001', '1e3', '-1', '999999999999999999999', '0xfffffffff'];
const PORTS = ['', '', '', ':', ':80', ':443', ':8080', ':0', ':65535', ':65536', ':00080', ':1\t2', ':x', ':-1', ':8 0', ': 80', ':８０', ':99999999999999'];
const USERS = ['', '', '', '', 'u@', 'u:p@', '@', 'good.test@', 'good.test:80@', 'a@b@', 'a%40b@', 'u:p:q@', '\\@', 'u\t@'];
const ENDS = ['', '/', '/p', '?q', '#f', '\\p', '/@evil.test', '?@evil.test', '#@evil.test', ' ', '\n', '/../x', ';x', '/ü'];

const hex = () => pick(65_536).toString(16);
const hosts = [
  () => of(['example.com', 'EXAMPLE.com.', 'localhost', 'a.test', 'a-b.c_d.test', 'xn--mnchen-3ya.de']),
  () => some(3, () => `${of(NUMBERS)}.`) + of(NUMBERS) + of(['', '', '.', '..']),
  () => some(12, () => of(LETTERS)),
  () => some(6, () => of(LETTERS)) + some(2, () => of(ODD)) + some(6, () => of(LETTERS)),
  () => some(4, () => of(LETTERS)) + some(3, () => of(WORLD)) + some(4, () => of(LETTERS)),
  () => `${of(WORLD)}${some(3, () => of(WORLD))}.${of(['test', 'com', of(WORLD)])}`,
  () => some(8, () => String.fromCodePoint(of([pick(0x300), 0x300 + pick(0x2d00), 0x3000 + pick(0xa000), 0xf900 + pick(0x6f0), 0x10000 + pick(0x20000)]))),
  () => `[${Array.from({ length: 1 + pick(9) }, () => of([hex(), hex(), '0', '', '1.2.3.4', '00001'])).join(':')}]`,
  () => `[${some(3, () => `${hex()}:`)}:${some(3, () => `:${hex()}`)}]`,
  () => `[::${of(['ffff:', 'FFFF:0:', '', '64:ff9b::'])}${of(['127.0.0.1', '7f00:1', '1.2.3', '256.1.1.1', '01.2.3.4', '0x7f.1'])}${of(['', '', '%25lo', '%lo'])}]`,
  () => 'a'.repeat(60 + pick(8)) + '.test',
];

/** Some 24 bytes long; without NUL, which ends a string on its way. */
function address() {
  const text = of(['', '', '', '', ' ', '\t', '\x01']) + of(SCHEMES) + of([':', ':', ':', ':', ':', ':', '', ' :']) + of(SLASHES) + of(USERS) + of(hosts)() + of(PORTS) + of(ENDS);
  return text.replaceAll('\0', '').toWellFormed();
}

/** In the page: those of the pairs (string, what we read) that the browser reads in another way. */
function differ(pairs) {
  const usual = { 'http:': 80, 'https:': 443, 'ws:': 80, 'wss:': 443 };
  const host = (name) => {
    if (!name.startsWith('[')) return unescape(name).replace(/\.$/, ''); // Chromium keeps "*" and the like escaped
    const mapped = /^\[::ffff:([0-9a-f]+):([0-9a-f]+)\]$/.exec(name);
    if (!mapped) return name.slice(1, -1);
    const [high, low] = mapped.slice(1).map((part) => parseInt(part, 16));
    return [high >> 8, high & 255, low >> 8, low & 255].join('.');
  };
  const plain = (line) => line.replace(/^(\S+ ::)(\d+)\.(\d+)\.(\d+)\.(\d+)( )/, (all, start, a, b, c, d, end) => `${start}${(a * 256 + +b).toString(16)}:${(c * 256 + +d).toString(16)}${end}`);
  const read = (text) => {
    try {
      const url = new URL(text);
      return url.protocol in usual ? `${url.protocol.slice(0, -1)} ${host(url.hostname)} ${url.port || usual[url.protocol]}` : `${url.protocol.slice(0, 15).replace(/:$/, '')}`;
    } catch {
      return '-';
    }
  };
  const noName = (line) => { // no DNS name has spaces or such a part, and none is so long
    const [, name = '', ...more] = line.split(' ');
    return more.length > 1 || name.length > 253 || name.split('.').some((label) => label.length === 0 || label.length > 63);
  };
  let both = 0;
  const found = pairs.flatMap(([text, ours]) => {
    const theirs = read(text);
    both += theirs !== '-' && ours !== '-';
    const [scheme, name] = ours.split(' ');
    const otherScheme = name === '' && (theirs === '-' || theirs === scheme); // then only that counts
    const same = theirs === plain(ours) || (ours === '-' && (noName(theirs) || /\[.*:0\d*\..*\]|\[.*\.0\d.*\]/.test(text))) || otherScheme
      || ([ours, theirs].includes('-') && /[^\x00-\x7f]|%[89a-f]|xn--/i.test(text));
    return same ? [] : [{ text, ours, theirs }];
  });
  return { read: both, found: found.slice(0, 20) };
}


async function ours(addresses) {
  const child = spawn(fixtures, ['url-lines'], { stdio: ['pipe', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (data) => { text += data; });
  child.stdin.end(addresses.map((one) => `${one}\0`).join(''));
  const [code] = await once(child, 'close');
  assert.equal(code, 0);
  return text.split('\n').slice(0, -1);
}

test('NET-3: policies read addresses as the browser does', { timeout: 24 * 3_600_000 }, async (t) => {
  const daemon = await Daemon.start(t);
  const agent = await Agent.connect(t, daemon);
  await agent.call('start_session', { sessionId: 's' });
  let read = 0;
  for (let done = 0; done < COUNT; done += BATCH) {
    const addresses = Array.from({ length: Math.min(BATCH, COUNT - done) }, address);
    const lines = await ours(addresses);
    assert.equal(lines.length, addresses.length);
    const script = `btoa(unescape(encodeURIComponent(JSON.stringify((${differ})(${JSON.stringify(addresses.map((one, i) => [one, lines[i]]))})))))`;
    const said = await agent.call('browser_evaluate', { sessionId: 's', script });
    const result = JSON.parse(Buffer.from(/[\w+/=]{20,}/.exec(said)[0], 'base64'));
    read += result.read;
    assert.deepEqual(result.found, [], `seed ${SEED}`);
  }
  t.diagnostic(`${COUNT} strings, ${read} of them addresses for both; seed ${SEED}`);
  assert.ok(read > COUNT / 10, `${read} of ${COUNT} are addresses`);
});
