// SPDX-License-Identifier: Apache-2.0
// What all parts use.

const OUTPUT_MAX = 1024 * 1024; // bytes of JSON
const WORDS_MAX = 4000;

export class BTCPError extends Error {
  /**
   * @param {string} code
   * @param {string | { message?: string, suggestion?: string, data?: any }} [words]
   */
  constructor(code, words = code) {
    const { message = code, suggestion = undefined, data = undefined } = typeof words === 'string' ? { message: words } : words;
    super(suggestion ? `${message} ${suggestion}` : message);
    this.name = 'BTCPError';
    this.code = code;
    this.data = data;
  }
}

export const wordsOf = (err) => String(err?.message ?? err).slice(0, WORDS_MAX);
export const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
export const entriesOf = (value) => (isObject(value) ? Object.entries(value) : []);
export const listOf = (value) => (Array.isArray(value) ? value : []);

/**
 * What the work comes to, unless before that the signal says that nobody waits for it, or it is late.
 * @type {(work: Promise<any>, signal?: AbortSignal, ms?: number, late?: BTCPError) => Promise<any>}
 */
export function inTime(work, signal, ms, late) {
  let stop;
  let timer;
  return new Promise((resolve, reject) => {
    stop = () => reject(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop);
    if (ms !== undefined) timer = setTimeout(() => reject(late), ms);
    work.then(resolve, reject);
  }).finally(() => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  });
}

/** As JSON, which has its ceiling. */
export function jsonOf(result) {
  let text;
  try {
    text = JSON.stringify(result) ?? 'null';
  } catch (err) {
    throw new BTCPError('EXECUTION_ERROR', `the tool returned what JSON cannot hold: ${wordsOf(err)}`);
  }
  expectSize(text);
  return text;
}

export function expectSize(text) {
  const size = text.length * 3 <= OUTPUT_MAX ? 0 : new TextEncoder().encode(text).length;
  if (size > OUTPUT_MAX) {
    const message = `the tool returned ${size} bytes; ${OUTPUT_MAX} are allowed`;
    throw new BTCPError('OUTPUT_TOO_LARGE', { message, data: { size, limit: OUTPUT_MAX } });
  }
}
