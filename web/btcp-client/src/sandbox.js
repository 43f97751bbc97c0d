// SPDX-License-Identifier: Apache-2.0
// Tools that are text. Each call has a worker of its own, which ends with it. In a page that is the worker of a frame with an origin that nothing
// else has, and with a policy, which the worker inherits, that lets nothing be loaded or sent. In Node it sees the language and nothing else,
// which is no wall against code that looks for a way out.

import { BTCPError, expectSize, inTime, wordsOf } from './base.js';

const START_MS = 5000;
const START_WORDS = 'the sandbox did not start; the Content-Security-Policy of the page has to allow inline scripts and blob: workers';
const NODE_HEAP_MB = 64;

const workerCode = (source) => `const tool = (${source}\n);
onmessage = async ({ data, ports: [port] }) => {
  try {
    port.postMessage({ text: JSON.stringify(await tool(...JSON.parse(data))) ?? 'null' });
  } catch (err) {
    port.postMessage({ error: String(err?.message ?? err) });
  }
};`;

// `wire` is the frame's own, `work` the worker's.
const FRAME = `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' blob:; worker-src blob:"><script>
onmessage = ({ source, data, ports: [wire, work] }) => {
  if (source !== parent) return;
  wire.postMessage('ready');
  const worker = new Worker(URL.createObjectURL(new Blob([data.code], { type: 'text/javascript' })));
  worker.onerror = ({ message }) => wire.postMessage({ error: message || 'it could not be started' });
  worker.postMessage(data.input, [work]);
};
</script>`;

const NODE_CODE = `const { parentPort, workerData: { source, input } } = require('node:worker_threads');
const vm = require('node:vm');
const context = vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });
const run = '(async (input) => JSON.stringify(await (' + source + '\\n)(...JSON.parse(input))) ?? "null")';
vm.runInContext(run, context)(input).then((text) => parentPort.postMessage({ text: String(text) }),
  (err) => parentPort.postMessage({ error: String(err?.message ?? err) }));`;

const heard = (port) => new Promise((resolve) => { port.onmessage = ({ data }) => resolve(data); });

/** This and the next give {text} or {error}, made by the code in the sandbox: to be believed in nothing. */
async function runInFrame(source, input, signal) {
  const frame = document.createElement('iframe');
  const wire = new MessageChannel();
  const work = new MessageChannel();
  frame.hidden = true;
  frame.setAttribute('sandbox', 'allow-scripts');
  frame.srcdoc = FRAME;
  frame.addEventListener('load', () => {
    frame.contentWindow?.postMessage({ code: workerCode(source), input }, '*', [wire.port2, work.port2]);
  }, { once: true });
  const late = new BTCPError('SANDBOX', START_WORDS);
  try {
    document.documentElement.append(frame);
    await inTime(heard(wire.port1), signal, START_MS, late); // what keeps its script from running tells nobody
    return await inTime(Promise.race([heard(wire.port1), heard(work.port1)]), signal);
  } finally {
    frame.remove(); // and its worker with it
    wire.port1.close();
    work.port1.close();
  }
}

async function runInNode(source, input, signal) {
  const name = 'node:worker_threads'; // bundlers for pages have no such module
  const { Worker: Thread } = await import(/* webpackIgnore: true */ /* @vite-ignore */ name);
  const resourceLimits = { maxOldGenerationSizeMb: NODE_HEAP_MB };
  const worker = new Thread(NODE_CODE, { eval: true, workerData: { source, input }, env: {}, resourceLimits });
  const ended = new Promise((resolve) => {
    worker.once('message', resolve);
    worker.once('error', (err) => resolve({ error: wordsOf(err) }));
    worker.once('exit', () => resolve({ error: 'it ended without an answer' }));
  });
  return inTime(ended, signal).finally(() => worker.terminate());
}

/** What the function of this text makes of the arguments. */
export async function runInSandbox(source, args, { signal, ...context }) {
  const run = typeof document === 'undefined' ? runInNode : runInFrame;
  const { text, error } = Object(await run(source, JSON.stringify([args, context]), signal));
  if (typeof text !== 'string') throw new BTCPError('EXECUTION_ERROR', wordsOf(error));
  expectSize(text);
  return JSON.parse(text);
}
