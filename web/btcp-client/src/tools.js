// SPDX-License-Identifier: Apache-2.0
// The tools of a client, and what a call of one goes through: its arguments are checked, it waits for its turn, runs in its time, and what it
// returns is checked and has a ceiling.

import { BTCPError, inTime, jsonOf, listOf } from './base.js';
import { checkManifest, checkTool } from './manifest.js';
import { runInSandbox } from './sandbox.js';
import { checkSchema } from './schema.js';

const TOOL_MS = 30_000;
const CONCURRENT = 3; // calls of a manifest that does not say how many

/**
 * @typedef {{ name: string, description: string, inputSchema: object, outputSchema?: object, capabilities?: string[], timeout?: number }} Tool
 * @typedef {{ name: string, signal: AbortSignal, agentId?: string, requestId?: string | number }} CallContext
 * @typedef {(args: any, context: CallContext) => unknown} ToolFunction
 * @typedef {{ source: string }} ToolSource the text of a function; it runs in a sandbox
 * @typedef {ToolFunction | ToolSource} Implementation
 * @typedef {{ timeout?: number, maxConcurrent?: number, sandbox?: string }} ManifestConfig
 * @typedef {{ btcp: string, name: string, version: string, tools: Tool[], capabilities: string[], config?: ManifestConfig }} Manifest
 */

/** Lets so many calls run at a time. */
class Gate {
  #waiting = [];

  constructor(free) {
    this.free = free;
  }

  /** Its place is free again as soon as nobody waits for the work any more, even if that goes on. */
  async run(signal, work) {
    if (this.free > 0) this.free -= 1;
    else await this.#turn(signal);
    try {
      return await inTime(work(), signal);
    } finally {
      this.#leave();
    }
  }

  #turn(signal) {
    let go;
    const turn = new Promise((resolve) => { go = resolve; });
    this.#waiting.push(go);
    return inTime(turn, signal).catch((err) => {
      if (this.#waiting.includes(go)) this.#waiting = this.#waiting.filter((each) => each !== go);
      else this.#leave(); // its turn had just come
      throw err;
    });
  }

  #leave() {
    const next = this.#waiting.shift();
    if (next) next();
    else this.free += 1;
  }
}

/** As it goes over the wire; what the caller does to its own later changes nothing. */
const copyOf = (value) => JSON.parse(JSON.stringify(value));

const refuse = (code, faults) => {
  if (faults.length) throw new BTCPError(code, faults.join('; '));
};

/** How a tool runs, by what it was given for that. */
function runnerOf(name, implementation, sandbox) {
  const source = implementation?.source;
  if (typeof implementation !== 'function' && typeof source !== 'string') {
    throw new BTCPError('INVALID_TOOL', `the tool ${name} has neither a function nor { source: 'the text of one' }`);
  }
  if (typeof source !== 'string') return async (args, context) => implementation(args, context);
  if (sandbox !== 'worker') throw new BTCPError('INVALID_TOOL', `the tool ${name} wants a sandbox of the kind ${sandbox}; here is only 'worker'`);
  return (args, context) => runInSandbox(source, args, context);
}

/** A tool as it is kept: `wire` is what the server is told of it. */
function entryOf(tool, implementation, { timeout = TOOL_MS, sandbox = 'worker' } = {}, gate = new Gate(Infinity), manifestName = undefined) {
  return {
    manifestName,
    gate,
    wire: manifestName === undefined ? tool : { ...tool, manifestName },
    run: runnerOf(tool.name, implementation, sandbox),
    ms: tool.timeout ?? timeout,
  };
}

/** What the tool says by its outputSchema; of content for people only it says nothing. */
function expectOutput(schema, json) {
  const result = JSON.parse(json);
  const isContent = listOf(result?.content).length > 0;
  if (isContent && result.structuredContent === undefined) return;
  refuse('EXECUTION_ERROR', checkSchema(schema, isContent ? result.structuredContent : result, 'the result'));
}

export class Toolbox {
  #tools = new Map();

  get size() {
    return this.#tools.size;
  }

  /** As the server is told of them. */
  list() {
    return [...this.#tools.values()].map(({ wire }) => wire);
  }

  /** Gives what takes it back. */
  addTool(tool, implementation) {
    refuse('INVALID_TOOL', checkTool(tool));
    return this.#add([entryOf(copyOf(tool), implementation)]);
  }

  /** In place of those that a manifest of the same name has brought before. */
  addManifest(manifest, implementations) {
    refuse('INVALID_MANIFEST', checkManifest(manifest));
    const { name, tools, config = {} } = copyOf(manifest);
    const gate = new Gate(config.maxConcurrent ?? CONCURRENT);
    const runs = new Map(Object.entries(Object(implementations)));
    return this.#add(tools.map((tool) => entryOf(tool, runs.get(tool.name), config, gate, name)), name);
  }

  #add(entries, manifestName = undefined) {
    const before = [...this.#tools].filter(([, entry]) => manifestName !== undefined && entry.manifestName === manifestName);
    const kept = new Map([...this.#tools].filter(([name]) => !before.some(([each]) => each === name)));
    refuse('TOOL_CONFLICT', entries.filter(({ wire }) => kept.has(wire.name))
      .map(({ wire }) => `there is a tool ${wire.name} already; unregister it first`));
    this.#tools = new Map([...kept, ...entries.map((entry) => [entry.wire.name, entry])]);
    return () => {
      entries.filter((entry) => this.#tools.get(entry.wire.name) === entry).forEach(({ wire }) => this.#tools.delete(wire.name));
      before.filter(([name]) => !this.#tools.has(name)).forEach(([name, entry]) => this.#tools.set(name, entry));
    };
  }

  /** Without names all of them. */
  remove(/** @type {string | string[]} */ names = [...this.#tools.keys()]) {
    [names].flat().forEach((name) => this.#tools.delete(name));
  }

  /** The result as JSON. What does not end in its time, or is no longer wanted, is told so by its signal. */
  async call({ name, arguments: args = {}, metadata = {} }, signal) {
    const tool = this.#tools.get(name);
    if (!tool) throw new BTCPError('TOOL_NOT_FOUND', `there is no tool ${name}`);
    refuse('INVALID_PARAMS', checkSchema(tool.wire.inputSchema, args, 'the arguments'));
    const control = new AbortController();
    const { agentId, requestId } = Object(metadata);
    const work = tool.gate.run(control.signal, () => tool.run(args, { name, signal: control.signal, agentId, requestId }));
    const late = new BTCPError('TIMEOUT', `the tool ${name} did not end within ${tool.ms} ms`);
    try {
      const json = jsonOf(await inTime(work, signal, tool.ms, late));
      if (tool.wire.outputSchema) expectOutput(tool.wire.outputSchema, json);
      return json;
    } catch (err) {
      control.abort(err);
      throw err;
    }
  }
}
