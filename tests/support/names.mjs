// SPDX-License-Identifier: Apache-2.0
// A resolver of the test's own, which only its daemon and browsers ask: a DNS server on loopback, in the resolv.conf of
// a mount namespace. Every name is at 127.0.0.1 unless `at` says otherwise: by name, a function that gives the addresses of
// the moment. `asked` has the names that somebody wanted to know.
import { spawn } from 'node:child_process';
import dgram from 'node:dgram';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { tempDir } from './daemon.mjs';

const QUESTION_AT = 12;

/** The name in a query, and where its question ends. */
function question(packet) {
  const labels = [];
  let at = QUESTION_AT;
  for (; packet[at]; at += packet[at] + 1) labels.push(packet.toString('latin1', at + 1, at + 1 + packet[at]));
  return { name: labels.join('.').toLowerCase(), type: packet.readUInt16BE(at + 1), end: at + 5 };
}

const record = (address) => Buffer.from([0xc0, QUESTION_AT, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]);

function answer(packet, addresses) {
  const { type, end } = question(packet);
  const head = Buffer.from(packet.subarray(0, end));
  const found = type === 1 ? addresses.map(record) : [];
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(found.length, 6);
  head.fill(0, 8, QUESTION_AT);
  return Buffer.concat([head, ...found]);
}

export class Names {
  /** Null where nothing can be mounted: then the test goes without names. */
  static async make(t) {
    const names = new Names();
    names.asked = [];
    names.at = new Map();
    names.dir = await tempDir(t);
    names.root = ''; // its files are seen from here as well
    const address = `127.53.${process.pid % 250}.${1 + Math.floor(process.pid / 250) % 250}`;
    const server = dgram.createSocket('udp4');
    server.on('message', (packet, from) => {
      const { name } = question(packet);
      names.asked.push(name);
      server.send(answer(packet, names.at.get(name)?.() ?? ['127.0.0.1']), from.port, from.address);
    });
    const bound = new Promise((resolve) => server.once('listening', () => resolve(true)).once('error', () => resolve(false)));
    server.bind(53, address);
    if (!await bound) return null;
    t.after(() => server.close());
    const file = path.join(names.dir, 'resolv.conf');
    await writeFile(file, `nameserver ${address}\noptions timeout:1 attempts:1\n`);
    const keeper = spawn('unshare', ['-m', 'sh', '-c', 'mount --bind "$0" "$(readlink -f /etc/resolv.conf)" && echo ready && exec sleep 3600', file]);
    t.after(() => keeper.kill());
    const failed = new Promise((resolve) => keeper.on('error', resolve).on('close', resolve));
    if (!await Promise.race([once(keeper.stdout, 'data'), failed.then(() => null)])) return null;
    names.keeper = keeper.pid;
    return names;
  }
}
