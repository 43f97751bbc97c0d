// SPDX-License-Identifier: Apache-2.0
// The DevTools pipe, as plain as it can be: what one turn sends goes out in one write.

/** Cuts a stream at each byte `end`; `fn` gets the text of one message. */
export function eachMessage(stream, end, fn) {
  let parts = [];
  stream.on('data', (data) => {
    let begin = 0;
    for (let at = data.indexOf(end); at >= 0; at = data.indexOf(end, begin)) {
      parts.push(data.subarray(begin, at));
      const whole = parts.length === 1 ? parts[0] : Buffer.concat(parts);
      parts = [];
      begin = at + 1;
      fn(whole.toString());
    }
    if (begin < data.length) parts.push(data.subarray(begin));
  });
}

export class Pipe {
  #last = 0;
  #waiting = new Map();
  #out = '';
  listeners = new Map();

  constructor(to, from) {
    this.to = to;
    to.on('error', () => {});
    eachMessage(from, 0, (text) => this.#message(JSON.parse(text)));
    from.on('close', () => this.#end());
  }

  #message(message) {
    const waiting = this.#waiting.get(message.id);
    if (!waiting) {
      this.listeners.get(message.sessionId ?? '')?.(message.method, message.params);
      return;
    }
    this.#waiting.delete(message.id);
    if (message.error) waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
    else waiting.resolve(message.result);
  }

  #end() {
    for (const { reject, method } of this.#waiting.values()) reject(new Error(`${method}: the browser is gone`));
    this.#waiting.clear();
  }

  send(method, params, sessionId) {
    const id = ++this.#last;
    if (!this.#out) {
      queueMicrotask(() => {
        this.to.write(this.#out);
        this.#out = '';
      });
    }
    this.#out += `${JSON.stringify({ id, method, params, sessionId })}\0`;
    return new Promise((resolve, reject) => { this.#waiting.set(id, { method, resolve, reject }); });
  }
}
