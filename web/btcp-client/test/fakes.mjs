// SPDX-License-Identifier: Apache-2.0
// Servers for the tests of the client: one behind WebSockets that are none, and a small one of event streams with POSTs.
import { once } from 'node:events';
import http from 'node:http';

/** Turns of the event loop, until it holds; the tests' own clock stands still meanwhile. */
export async function until(holds, what = 'it') {
  for (let turns = 0; !holds(); turns += 1) {
    if (turns > 100_000) throw new Error(`${what} does not come`);
    await new Promise(setImmediate);
  }
}

export const tool = (name, more = {}) => ({ name, description: `What ${name} does, in words.`, inputSchema: { type: 'object' }, ...more });

/** What both kinds of server do: they answer by `answers`, and ask. */
class Server {
  lines = []; // all that there ever were
  heard = []; // requests of clients
  #replies = new Map();
  #asked = 0;
  answers = {
    'session/create': ({ sessionId }) => ({ sessionId: sessionId ?? 'new', expiresAt: 1000, ...(sessionId ? { recovered: true, tools: 0 } : {}) }),
    'session/renew': ({ ttl = 1 }) => ({ sessionId: 'new', expiresAt: ttl * 1000 }),
    'session/terminate': () => ({ terminated: true }),
    'tools/register': ({ tools }) => ({ registered: tools.length }),
    'capabilities/grant': ({ capabilities }) => ({ granted: capabilities, pending: [] }),
    'capabilities/revoke': () => ({ granted: [], pending: [] }),
    ping: () => ({ pong: true }),
  };

  get open() {
    return this.lines.filter((line) => line.isOpen);
  }

  /** The last list of tools, by name. */
  get tools() {
    return this.heard.findLast(({ method }) => method === 'tools/register')?.params.tools.map(({ name }) => name);
  }

  count(method) {
    return this.heard.filter((each) => each.method === method).length;
  }

  /** An answer, or undefined for one that is never given. */
  async answerTo(message, line) {
    if (!message.method) {
      this.#replies.get(message.id)?.(message);
      return undefined;
    }
    this.heard.push(message);
    const answer = this.answers[message.method];
    const { error, ...result } = await answer?.(message.params, line) ?? { error: { code: -32601, message: 'unknown' } };
    return error === 'none' ? undefined : { jsonrpc: '2.0', id: message.id, ...(error ? { error } : { result }) };
  }

  /** Asks the newest line that is open. */
  ask(method, params, id = `call-${++this.#asked}`) {
    const reply = new Promise((resolve) => { this.#replies.set(id, resolve); });
    this.tell(method, params, id);
    return reply;
  }

  tell(method, params, id = undefined) {
    this.open.at(-1).say({ jsonrpc: '2.0', id, method, params });
  }
}

export class SocketServer extends Server {
  refuses = false;

  get WebSocket() {
    const server = this;
    return class {
      constructor(url) {
        this.url = url;
        server.lines.push(this);
        queueMicrotask(() => (server.refuses ? this.end(1006) : this.begin()));
      }

      begin() {
        if (this.hasEnded) return;
        this.isOpen = true;
        this.onopen?.();
      }

      say(message) {
        this.onmessage({ data: JSON.stringify(message) });
      }

      async send(text) {
        const answer = await server.answerTo(JSON.parse(text), this);
        if (answer && this.isOpen) this.say(answer);
      }

      end(code, reason = '') {
        this.isOpen = false;
        this.hasEnded = true;
        queueMicrotask(() => this.onclose?.({ code, reason }));
      }

      close(code) {
        this.end(code);
      }
    };
  }
}

/** Dialect H, on a real port. */
export class StreamServer extends Server {
  requests = [];
  refuses = null; // [status, body]
  inBody = true; // where answers go
  names = null; // what it calls a session, whatever a page calls it

  static async start(t) {
    const server = new StreamServer();
    server.http = http.createServer((req, res) => server.#take(req, res));
    server.http.listen(0, '127.0.0.1');
    await once(server.http, 'listening');
    server.url = `http://127.0.0.1:${server.http.address().port}`;
    t.after(() => {
      server.http.closeAllConnections();
      server.http.close();
    });
    return server;
  }

  async #take(req, res) {
    const url = new URL(req.url, 'http://x');
    this.requests.push({ path: url.pathname, query: Object.fromEntries(url.searchParams), headers: req.headers, method: req.method });
    if (this.refuses) return res.writeHead(this.refuses[0], { 'content-type': 'application/json' }).end(JSON.stringify(this.refuses[1]));
    if (url.pathname === '/events') return this.#stream(res, url.searchParams.get('sessionId'));
    if (url.pathname !== '/message') return res.writeHead(404).end('Not Found');
    let text = '';
    for await (const data of req) text += data;
    const answer = await this.answerTo(JSON.parse(text));
    if (!answer || this.inBody) return res.end(answer ? JSON.stringify(answer) : '');
    res.writeHead(202).end();
    return this.open.at(-1).say(answer, 'response');
  }

  #stream(res, sessionId) {
    const line = {
      isOpen: true,
      res,
      say: (message, event = 'message') => res.write(`event: ${event}\ndata: ${JSON.stringify(message)}\n\n`),
      end: () => res.end(),
    };
    res.on('close', () => { line.isOpen = false; });
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.write(': connected\n\n');
    line.say({ jsonrpc: '2.0', id: 'welcome', result: { sessionId: this.names ?? sessionId, message: 'welcome' } });
    this.lines.push(line);
  }
}
