// SPDX-License-Identifier: Apache-2.0
// Ways to a server. The owner of a line hears its messages and, once, that it is lost: hear(line, message), lose(line, words).

import { BTCPError, wordsOf } from './base.js';

const EVENT_MAX = 8 * 1024 * 1024; // characters that may come without the end of a line
// What the server says when waiting does not help.
const ENDED = ['session_not_found', 'session_ended', 'session_stopped'];
const REFUSED = ['session_exists', 'unauthorized', 'forbidden', 'missing_scope'];

/** The error that a server answered with. */
export const refusalOf = (name, message, data) => {
  const code = ENDED.includes(name) ? 'SESSION_GONE' : REFUSED.includes(name) ? 'REFUSED' : data?.btcpCode ?? 'SERVER_ERROR';
  return new BTCPError(code, { message: message ?? name, data });
};

class Line {
  heardAt = Date.now();
  sessionId = ''; // if the line has one by itself
  control = new AbortController(); // aborted when the client lets go of it

  constructor(owner) {
    this.owner = owner;
  }

  get signal() {
    return this.control.signal;
  }

  take(text) {
    let message = null;
    try {
      message = JSON.parse(text);
    } catch {
      return; // whoever speaks no JSON waits for no answer of ours
    }
    if (message?.jsonrpc === '2.0') this.pass(message);
  }

  pass(message) {
    this.owner.hear(this, message);
  }

  close(reason) {
    this.control.abort(reason);
  }
}

export class SocketLine extends Line {
  kind = 'websocket';

  async open({ serverUrl, token, WebSocket: Socket }) {
    const url = new URL(serverUrl);
    url.protocol = url.protocol.replace('http', 'ws');
    if (token) url.searchParams.set('token', token);
    this.socket = new Socket(url.href);
    this.socket.onmessage = ({ data }) => {
      this.heardAt = Date.now();
      this.take(data);
    };
    await new Promise((resolve, reject) => {
      let isOpen = false;
      this.socket.onopen = () => {
        isOpen = true;
        resolve(undefined);
      };
      this.socket.onerror = () => {}; // the close that follows says as much
      this.socket.onclose = ({ code, reason }) => {
        const words = `the WebSocket was closed (${[code, reason].filter(Boolean).join(' ')})`;
        if (isOpen) this.owner.lose(this, words);
        else reject(new BTCPError('CONNECTION', words));
      };
    });
  }

  async send(text) {
    this.socket.send(text);
  }

  close(reason) {
    super.close(reason);
    this.socket?.close(1000);
  }
}

/** The data of server-sent events, each as soon as it is whole. */
async function* eventsOf(body, heard) {
  const decoder = new TextDecoder();
  let rest = '';
  let data = [];
  for (const reader = body.getReader(); ;) {
    const { done, value } = await reader.read();
    if (done) return;
    heard();
    const lines = (rest + decoder.decode(value, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > EVENT_MAX) throw new Error('an event has no end');
    for (const line of lines) {
      if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
      if (line === '' && data.length) yield data.splice(0).join('\n');
    }
  }
}

/** A session that a page names itself is open to whoever can guess the name. */
const newSecret = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');

/** What the server says comes by an event stream, or in the body of the answer to what was posted. */
export class StreamLine extends Line {
  kind = 'http';
  /** @type {(() => void) | undefined} */
  greet;

  /** Until the greeting, which names the session. */
  async open({ serverUrl, token, fetch, sessionId }) {
    const url = new URL(serverUrl);
    this.base = `${url.protocol.replace('ws', 'http')}//${url.host}${url.pathname.replace(/\/+(btcp|btcp\/client|ws)?\/*$/, '')}`;
    this.fetch = fetch;
    this.headers = token ? { authorization: `Bearer ${token}` } : {};
    this.sessionId = sessionId ?? `btcp-${newSecret()}`;
    const query = new URLSearchParams({ sessionId: this.sessionId, clientType: 'browser', version: '1.0.0' });
    const reply = await this.#ask(`/events?${query}`, { headers: { ...this.headers, accept: 'text/event-stream' }, cache: 'no-store' });
    if (reply.status !== 200 || !reply.body) throw new BTCPError('CONNECTION', `the event stream was answered with status ${reply.status}`);
    const greeted = new Promise((resolve) => { this.greet = () => resolve(undefined); });
    const ended = this.#read(reply.body);
    await Promise.race([greeted, ended.then((words) => { throw new BTCPError('CONNECTION', words); })]);
    ended.then((words) => this.owner.lose(this, words));
  }

  async #ask(path, options) {
    const { fetch } = this; // it must be called as nobody's method
    const reply = await fetch(this.base + path, { ...options, signal: this.signal }).catch((err) => {
      throw new BTCPError('CONNECTION', `${this.base} cannot be reached: ${wordsOf(err?.cause ?? err)}`);
    });
    if (reply.ok) return reply;
    const body = Object(await reply.json().catch(() => null));
    const { code = body.code, message = body.error, data } = Object(body.error); // as JSON-RPC has it, or a text with a code beside it
    const name = [data?.code, code, { 401: 'unauthorized', 403: 'forbidden' }[reply.status]].find((each) => typeof each === 'string');
    const words = typeof message === 'string' ? message : `${path.replace(/\?.*/, '')} was answered with status ${reply.status}`;
    throw refusalOf(name, words, data);
  }

  async #read(body) {
    try {
      for await (const data of eventsOf(body, () => { this.heardAt = Date.now(); })) this.take(data);
      return 'the server ended the event stream';
    } catch (err) {
      return `the event stream broke off: ${wordsOf(err)}`;
    }
  }

  pass(message) {
    const isGreeting = message.id === 'welcome' || message.method === 'connected';
    if (!isGreeting) return super.pass(message);
    this.sessionId = (message.result ?? message.params)?.sessionId ?? this.sessionId;
    return this.greet?.();
  }

  /** An answer that cannot be posted says of the stream what it may not know yet. */
  async send(text) {
    const headers = { ...this.headers, 'content-type': 'application/json', 'x-session-id': this.sessionId };
    try {
      const body = await (await this.#ask('/message', { method: 'POST', headers, body: text })).text();
      if (body) this.take(body);
    } catch (err) {
      if (!(err instanceof BTCPError) || err.code === 'CONNECTION') this.owner.lose(this, wordsOf(err));
      throw err;
    }
  }
}
