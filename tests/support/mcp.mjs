// SPDX-License-Identifier: Apache-2.0
// MCP by hand: raw messages over HTTP and over `tabard mcp`, for tests of what is on the wire.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import http from 'node:http';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { binary, finish, undo, within } from './daemon.mjs';

export const MODERN = '2026-07-28';
export const LEGACY = '2025-11-25';
const ANSWER_MS = 10_000;

/** `_meta` of a modern request. */
export const modernMeta = (capabilities = {}, more = {}) => ({
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': capabilities,
  ...more,
});

export const request = (id, method, params) => ({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) });

export const initialize = (version = LEGACY) => request(0, 'initialize', {
  protocolVersion: version, capabilities: {}, clientInfo: { name: 'raw', version: '1' },
});

/** The messages of an event stream, with their ids. */
export function parseEvents(text) {
  return text.split('\n\n').filter((block) => block.includes('data:')).map((block) => {
    const field = (name) => block.split('\n').filter((line) => line.startsWith(`${name}:`))
      .map((line) => line.slice(name.length + 1).replace(/^ /, '')).join('\n');
    const data = field('data');
    return { id: field('id'), message: data ? JSON.parse(data) : null };
  });
}

/** One POST; gives status, headers, and the answer as JSON or as events. */
export async function post(daemon, message, { headers = {}, target = '/mcp', auth = true } = {}) {
  const reply = await daemon.request(target, {
    method: 'POST', auth, body: typeof message === 'string' ? message : JSON.stringify(message),
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  });
  const type = reply.headers['content-type'] ?? '';
  return {
    ...reply,
    json: type.includes('json') && reply.text ? JSON.parse(reply.text) : undefined,
    events: type.includes('event-stream') ? parseEvents(reply.text) : undefined,
  };
}

/** A modern request with the headers that go with it. */
export function postModern(daemon, method, params = {}, { id = 1, headers = {}, meta = modernMeta(), ...options } = {}) {
  const name = params.name ?? params.uri;
  return post(daemon, request(id, method, { ...params, _meta: meta }), {
    headers: { 'mcp-protocol-version': MODERN, 'mcp-method': method, ...(name ? { 'mcp-name': name } : {}), ...headers },
    ...options,
  });
}

/** A legacy session: begins it and gives the headers that name it. */
export async function beginSession(daemon, version = LEGACY, options = {}) {
  const reply = await post(daemon, initialize(version), options);
  const headers = { 'mcp-session-id': reply.headers['mcp-session-id'], 'mcp-protocol-version': version };
  await post(daemon, { jsonrpc: '2.0', method: 'notifications/initialized' }, { headers, ...options });
  return { headers, result: reply.json.result };
}

/** A reply that stays open; `until` waits for words in it. */
export class Stream {
  static async open(t, daemon, { method = 'POST', target = '/mcp', headers = {}, message } = {}) {
    const stream = new Stream();
    stream.text = '';
    stream.req = http.request({
      host: '127.0.0.1', port: daemon.port, path: target, method, agent: false,
      headers: {
        authorization: `Bearer ${daemon.token}`, accept: 'text/event-stream',
        ...(message ? { 'content-type': 'application/json' } : {}), ...headers,
      },
    });
    stream.req.on('error', () => {});
    stream.req.end(message ? JSON.stringify(message) : undefined);
    [stream.res] = await within(once(stream.req, 'response'), ANSWER_MS, 'a response');
    stream.ended = once(stream.res, 'close');
    stream.res.on('data', (data) => (stream.text += data));
    stream.res.on('error', () => {});
    t.after(() => stream.req.destroy());
    return stream;
  }

  async until(words) {
    const seen = new Promise((resolve) => {
      const look = () => this.text.includes(words) && resolve();
      this.res.on('data', look);
      look();
    });
    await within(seen, ANSWER_MS, `"${words}" in the stream`);
  }
}

/** `tabard mcp` as an agent starts it. */
export class Stdio {
  constructor(t, daemon, args = ['--no-start'], env = {}) {
    this.child = spawn(binary, ['mcp', '--state-dir', daemon.stateDir, '--runtime-dir', path.dirname(daemon.socket), ...args],
      { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...env } });
    this.stderr = '';
    this.lines = [];
    this.waiting = [];
    this.child.stderr.on('data', (data) => (this.stderr += data));
    this.child.stdin.on('error', () => {});
    this.exited = once(this.child, 'exit');
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      const waiting = this.waiting.shift();
      if (waiting) waiting(line); else this.lines.push(line);
    });
    undo(t, () => finish(this.child, this.exited, () => this.child.stdin.end()));
  }

  send(...messages) {
    this.child.stdin.write(messages.map((m) => `${typeof m === 'string' ? m : JSON.stringify(m)}\n`).join(''));
  }

  /** The next line, as JSON. */
  async next() {
    const line = this.lines.length ? this.lines.shift()
      : await within(new Promise((resolve) => this.waiting.push(resolve)), ANSWER_MS, 'a line');
    return JSON.parse(line);
  }

  async ask(id, method, params) {
    this.send(request(id, method, params));
    return this.next();
  }
}
