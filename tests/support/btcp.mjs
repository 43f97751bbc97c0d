// SPDX-License-Identifier: Apache-2.0
// A page that speaks BTCP over a WebSocket, in Node.
import { once } from 'node:events';
import WebSocket from 'ws';
import { undo, until, within } from './daemon.mjs';

const ANSWER_MS = 10_000;

export const echo = {
  name: 'echo', description: 'Gives back what it is given.',
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
};

export class Page {
  notices = [];
  answers = new Map();
  asked = 0;
  /** Answers a call of one of its tools. */
  handle = () => ({});

  static async connect(t, daemon, { path = '/', token = daemon.token, ...options } = {}) {
    const page = new Page();
    page.socket = new WebSocket(`ws://127.0.0.1:${daemon.port}${path}?token=${token}`, options);
    page.closed = new Promise((resolve) => { page.socket.on('close', resolve); });
    page.socket.on('message', (data) => page.#take(JSON.parse(data)));
    undo(t, () => page.socket.terminate());
    await within(once(page.socket, 'open'), ANSWER_MS, 'open');
    page.socket.on('error', () => {});
    return page;
  }

  async #take(message) {
    if (message.id === undefined) {
      this.notices.push(message);
    } else if (message.method) {
      const result = await this.handle(message.params);
      this.socket.send(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
    } else {
      this.answers.set(message.id, message);
    }
  }

  async #answer(id) {
    await until(() => this.answers.has(id), ANSWER_MS, `the answer ${id}`);
    const answer = this.answers.get(id);
    this.answers.delete(id);
    return answer;
  }

  /** Its result, or an Error with the words of its error. */
  async ask(method, params) {
    const id = `q${++this.asked}`;
    this.socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const { result, error } = await this.#answer(id);
    if (error) throw new Error(`${error.code} ${error.message} ${JSON.stringify(error.data)}`);
    return result;
  }

  /** The answer to a message without an id that can be read. */
  raw(text) {
    this.socket.send(text);
    return this.#answer(null);
  }
}
