// SPDX-License-Identifier: Apache-2.0
// The least of an MCP client, over stdio and over HTTP, in the legacy era: that is what all peers
// speak, and it has `ping`.
import http from 'node:http';
import { eachMessage } from './cdp.mjs';

const VERSION = '2025-06-18';

function outcome(message) {
  if (message.error) throw new Error(`${message.error.code} ${message.error.message}`);
  return message.result;
}

class Client {
  #last = 0;

  request(method, params) {
    const id = ++this.#last;
    const message = { jsonrpc: '2.0', id, method, ...(params && { params }) };
    return this.exchange(id, JSON.stringify(message)).then(outcome);
  }

  async initialize() {
    await this.request('initialize', {
      protocolVersion: VERSION, capabilities: {}, clientInfo: { name: 'bench', version: '1' },
    });
    this.notify(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }));
  }

  ping() {
    return this.request('ping');
  }

  /** The content of a tool's result. */
  async call(name, args) {
    const { content, isError } = await this.request('tools/call', { name, arguments: args });
    if (isError) throw new Error(`${name}: ${content[0]?.text?.slice(0, 400)}`);
    return content;
  }

  async text(name, args) {
    return (await this.call(name, args)).filter((part) => part.type === 'text').map((part) => part.text).join('\n');
  }
}

export class StdioClient extends Client {
  #waiting = new Map();

  constructor(child) {
    super();
    this.child = child;
    child.stdin.on('error', () => {});
    eachMessage(child.stdout, 10, (line) => line && this.#message(JSON.parse(line)));
    child.on('close', () => this.#end());
  }

  #message(message) {
    const waiting = this.#waiting.get(message.id);
    if (message.method && message.id !== undefined) {
      this.notify(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: {} }));
    } else if (waiting) {
      this.#waiting.delete(message.id);
      waiting.resolve(message);
    }
  }

  #end() {
    for (const { reject } of this.#waiting.values()) reject(new Error('the server is gone'));
    this.#waiting.clear();
  }

  exchange(id, line) {
    this.child.stdin.write(`${line}\n`);
    return new Promise((resolve, reject) => { this.#waiting.set(id, { resolve, reject }); });
  }

  notify(line) {
    this.child.stdin.write(`${line}\n`);
  }

  close() {
    this.child.stdin.end();
  }
}

/** The message with this id, from a body that is one JSON text or a stream of events. */
function answer(id, type, body) {
  if (!type.startsWith('text/event-stream')) return JSON.parse(body);
  const lines = body.split('\n').filter((line) => line.startsWith('data:')).map((line) => line.slice(5).trim());
  const found = lines.filter(Boolean).map((line) => JSON.parse(line)).find((message) => message.id === id);
  if (!found) throw new Error('the stream ended without an answer');
  return found;
}

export class HttpClient extends Client {
  #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  #session = {};

  constructor(url, headers = {}) {
    super();
    this.url = new URL(url);
    this.headers = {
      'content-type': 'application/json', accept: 'application/json, text/event-stream',
      'mcp-protocol-version': VERSION, ...headers,
    };
  }

  #post(body, method = 'POST') {
    return new Promise((resolve, reject) => {
      const request = http.request(this.url, {
        method, agent: this.#agent,
        headers: { ...this.headers, ...this.#session, 'content-length': Buffer.byteLength(body) },
      });
      request.on('error', reject);
      request.on('response', (response) => {
        const parts = [];
        response.on('data', (data) => parts.push(data));
        response.on('error', reject);
        response.on('end', () => {
          const { headers, statusCode } = response;
          if (headers['mcp-session-id']) this.#session = { 'mcp-session-id': headers['mcp-session-id'] };
          resolve({ status: statusCode, type: headers['content-type'] ?? '', body: Buffer.concat(parts).toString() });
        });
      });
      request.end(body);
    });
  }

  async exchange(id, message) {
    const { status, type, body } = await this.#post(message);
    if (status >= 500 || (status >= 400 && !body.startsWith('{'))) throw new Error(`HTTP ${status}: ${body.slice(0, 200)}`);
    return answer(id, type, body);
  }

  notify(message) {
    return this.#post(message).catch(() => {});
  }

  /** Ends the MCP session. */
  async close() {
    await this.#post('', 'DELETE').catch(() => {});
    this.#agent.destroy();
  }
}
