// SPDX-License-Identifier: Apache-2.0
// Readers of /api/events as raw sockets, so that a test decides what is read and when.
import { once } from 'node:events';
import http from 'node:http';
import { within } from './daemon.mjs';
import { beginSession, post, request } from './mcp.mjs';

const WAIT_MS = 20_000;

/** A reader of server-sent events: the ids and the JSON of all so far, in order. One of many only counts, as long as each follows the one before. */
export class Reader {
  static async open(t, daemon, { after, header = false, query = after ? `?after=${after}` : '', unix = false, reads = true, many = false } = {}) {
    const reader = new Reader();
    Object.assign(reader, { ids: [], events: [], last: after, text: '', many, count: 0, waiting: [] });
    reader.req = http.request({
      ...(unix ? { socketPath: daemon.socket } : { host: '127.0.0.1', port: daemon.port }),
      path: `/api/events${header ? '' : query}`, agent: false,
      headers: {
        ...(unix ? {} : { authorization: `Bearer ${daemon.token}` }),
        ...(header ? { 'last-event-id': after } : {}),
      },
    });
    reader.req.on('error', () => {});
    reader.req.end();
    t.after(() => reader.close());
    [reader.res] = await within(once(reader.req, 'response'), WAIT_MS, 'a response');
    reader.res.on('error', () => {});
    if (reads) reader.res.on('data', (data) => reader.take(data));
    return reader;
  }

  take(data) {
    this.text += data.toString('latin1');
    const end = this.text.lastIndexOf('\n\n');
    if (end < 0) return;
    const whole = this.text.slice(0, end + 2);
    if (this.many) this.countAll(whole);
    else this.keepAll(whole);
    this.text = this.text.slice(end + 2);
    this.look();
  }

  keepAll(text) {
    for (const [, id, data] of text.matchAll(/^id: (.*)\n(?:data: (.*)\n)?/gm)) {
      this.last = id;
      if (!data) continue; // the first one only tells where to go on from
      this.ids.push(id);
      this.events.push(data);
      this.count++;
    }
  }

  countAll(text) {
    for (let at = text.indexOf('\ndata: '); at > 0; at = text.indexOf('\ndata: ', at + 1)) {
      const number = Number(text.slice(text.lastIndexOf('-', at) + 1, at));
      if (number === this.count + 1) this.count++;
    }
  }

  look() {
    this.waiting = this.waiting.filter((wake) => !wake());
  }

  /** Waits until `count` events have come. */
  async until(count) {
    const come = new Promise((resolve) => {
      this.waiting.push(() => this.count >= count && (resolve(), true));
      this.look();
    });
    await within(come, WAIT_MS, `${count} events`);
  }

  json(index) {
    return JSON.parse(this.events.at(index));
  }

  close() {
    this.req.destroy();
  }
}

/** Something that happens: each call is one event call_done. Up to 64 go in one request. */
export class Source {
  static async begin(daemon) {
    const source = new Source();
    source.daemon = daemon;
    source.headers = (await beginSession(daemon, '2025-03-26')).headers;
    return source;
  }

  async happen(count) {
    await this.send(Array.from({ length: count }, (_, i) => request(i + 1, 'tools/call', { name: 'list_sessions', arguments: {} })));
  }

  async call(name, args) {
    await this.send(request(1, 'tools/call', { name, arguments: args }));
  }

  async send(message) {
    const reply = await post(this.daemon, message, { headers: this.headers });
    if (reply.status !== 200 || reply.text.includes('"isError":true')) throw new Error(`it failed: ${reply.status} ${reply.text}`);
  }
}

/** A number of /metrics. */
export async function metric(daemon, name) {
  const { text } = await daemon.request('/metrics', { auth: true });
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)[1]);
}
