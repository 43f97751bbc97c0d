// SPDX-License-Identifier: Apache-2.0
// Offers the tools of a page, or of a program in Node, to agents, by the Browser Tool Calling Protocol (BTCP).
//
//   idle --connect(), reconnect()--> dialling --the session is there--> open --the line is lost--> waiting --back-off--> dialling
//    '<-- disconnect(), the session has ended, another page has taken it over, it is refused: from any of them
//
// There is one line at a time: a WebSocket, or an event stream with POSTs where that does not get through. What a line still says after the
// client has let go of it is not heard; whoever waits for it, and the calls that came by it, are told that it is gone.

import { BTCPError, inTime, listOf, wordsOf } from './base.js';
import { refusalOf, SocketLine, StreamLine } from './lines.js';
import { Toolbox } from './tools.js';

/**
 * @typedef {import('./tools.js').Tool} Tool
 * @typedef {import('./tools.js').Manifest} Manifest
 * @typedef {import('./tools.js').Implementation} Implementation
 * @typedef {{ id: string, expiresAt?: number, recovered: boolean }} Session `expiresAt` in milliseconds since 1970, if the server says
 * @typedef {{ capabilities: string[], agentId?: string, agentName?: string }} CapabilityRequest
 * @typedef {boolean | string[] | { granted: string[] }} CapabilityAnswer
 * @typedef {'idle' | 'dialling' | 'open' | 'closing' | 'waiting'} State
 * @typedef {typeof SocketLine | typeof StreamLine} Kind
 */

/**
 * @typedef {object} Options
 * @property {string} [serverUrl] ws, wss, http or https
 * @property {string} [sessionId] of a session to go on with
 * @property {string} [token] the credential
 * @property {'auto' | 'websocket' | 'http'} [transport]
 * @property {(request: CapabilityRequest, context: { signal: AbortSignal }) => CapabilityAnswer | Promise<CapabilityAnswer>} [onCapabilityRequest]
 *   what agents get of what they ask for; without it nothing
 * @property {number} [connectTimeoutMs]
 * @property {number} [requestTimeoutMs]
 * @property {number} [heartbeatMs] how long the server may be silent before it is asked whether it is there
 * @property {{ baseMs?: number, maxMs?: number, tries?: number }} [reconnect]
 * @property {any} [WebSocket] for a Node that has none
 * @property {typeof fetch} [fetch]
 */

/** @type {Options & { serverUrl: string, token: string, connectTimeoutMs: number, requestTimeoutMs: number, heartbeatMs: number }} */
const DEFAULTS = {
  serverUrl: 'ws://localhost:8765', token: '', transport: 'auto', connectTimeoutMs: 10_000, requestTimeoutMs: 30_000, heartbeatMs: 30_000,
};
const RECONNECT = { baseMs: 1000, maxMs: 30_000, tries: Infinity };
const SILENCES = 2.5; // heartbeats without a word, and the line is given up
const CALLS_MAX = 100; // under way and waiting
const FAILED = -32603;
const RPC_CODES = {
  METHOD_NOT_FOUND: -32601, TOOL_NOT_FOUND: -32601, INVALID_PARAMS: -32602, TIMEOUT: FAILED, OUTPUT_TOO_LARGE: FAILED, EXECUTION_ERROR: FAILED,
};

/** What a tool throws is an EXECUTION_ERROR, whatever name it has for it. */
const answerOf = (err) => {
  const btcpCode = Object.hasOwn(RPC_CODES, err?.code) ? err.code : 'EXECUTION_ERROR';
  return { code: RPC_CODES[btcpCode], message: wordsOf(err), data: { ...Object(err?.data), btcpCode } };
};

const lost = (words) => new BTCPError('DISCONNECTED', words);
const isLost = ({ code }) => code === 'DISCONNECTED' || code === 'NO_ANSWER';

export class BTCPClient {
  /** @type {typeof DEFAULTS & { WebSocket: any, fetch: typeof fetch }} */
  #options;
  #back;
  #listeners = new Map();
  /** @type {State} */
  #state = 'idle';
  #turn = 0; // which attempt to be connected counts
  /** @type {Promise<Session> | null} */
  #dialling = null;
  /** @type {SocketLine | StreamLine | null} */
  #line = null;
  /** @type {Kind | null} */
  #proven = null; // the kind of line that gets through
  #isReady = false; // the line has the session
  /** @type {Session | null} */
  #session = null;
  /** @type {string | undefined} */
  #sessionId;
  #openedAt = 0;
  #tries = 0;
  /** @type {any} */
  #timer;
  /** @type {any} */
  #beat;
  #asked = 0;
  #waiting = new Map(); // for answers of the server, by our id
  #running = new Map(); // requests of the server, by its id
  #tools = new Toolbox();
  #isStale = false; // the server has not been told of the tools as they are
  /** @type {Promise<any> | null} */
  #telling = null;
  #granted = new Set(); // by this page, unasked

  /** @param {Options} [options] */
  constructor(options = {}) {
    const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
    this.#options = { ...DEFAULTS, WebSocket: globalThis.WebSocket, fetch: (url, init) => globalThis.fetch(url, init), ...given };
    this.#back = { ...RECONNECT, ...options.reconnect };
    this.#sessionId = options.sessionId;
  }

  /** @returns {State} */
  get state() {
    return this.#state;
  }

  /** @returns {Session | null} the one that it has, or had last and can go on with */
  get session() {
    return this.#session;
  }

  /**
   * @param {string} event
   * @param {(detail: any) => void} listener
   * @returns {() => void} takes it off again
   */
  on(event, listener) {
    if (!this.#listeners.has(event)) this.#listeners.set(event, new Set());
    this.#listeners.get(event).add(listener);
    return () => this.off(event, listener);
  }

  /**
   * @param {string} event
   * @param {(detail: any) => void} listener
   */
  off(event, listener) {
    this.#listeners.get(event)?.delete(listener);
  }

  /**
   * Begins a session, or goes on with the one that the client had or was given, if that has not ended.
   * @returns {Promise<Session>}
   */
  async connect() {
    if (this.#state === 'open' && this.#session) return this.#session;
    const dialling = this.#dialling ?? this.#enter();
    const turn = this.#turn;
    return dialling.catch((err) => {
      const again = err.code === 'SESSION_GONE' && (this.#dialling ?? (turn === this.#turn && this.#enter())); // others may have waited, too
      if (!again) throw err;
      return again;
    });
  }

  /**
   * Goes on with the session by a new line. Fails with SESSION_GONE if it has ended.
   * @returns {Promise<Session>}
   */
  async reconnect() {
    if (!this.#sessionId) throw new BTCPError('SESSION_GONE', 'there is no session to go on with; call connect()');
    return this.#dialling ?? this.#enter();
  }

  /** Leaves the session, which waits a while for reconnect(). */
  async disconnect() {
    if (this.#state === 'idle') return;
    const reason = 'disconnect() was called';
    this.#rest(lost(reason));
    this.#emit('disconnected', { reason });
  }

  /**
   * @param {{ ttl?: number }} [options] seconds from now
   * @returns {Promise<Session>}
   */
  async renewSession({ ttl } = {}) {
    const { expiresAt } = await this.request('session/renew', ttl === undefined ? {} : { ttl });
    this.#session = { .../** @type {Session} */ (this.#session), expiresAt };
    return this.#session;
  }

  /** Ends the session, for its agents as well. */
  async terminateSession() {
    this.#expectOpen('terminateSession()');
    this.#state = 'closing';
    try {
      await this.#ask('session/terminate', {});
    } catch (err) {
      if (this.#state === 'closing') this.#state = 'open';
      throw err;
    }
    this.#end({ reason: 'closed' });
  }

  /**
   * Checks a manifest and offers its tools, in place of those that one of the same name has brought before.
   * @param {Manifest | { manifest: Manifest, implementations: Record<string, Implementation> }} manifest
   * @param {Record<string, Implementation>} [implementations] by the names of the tools
   */
  async registerManifest(manifest, implementations) {
    const undo = 'manifest' in manifest ? this.#tools.addManifest(manifest.manifest, manifest.implementations)
      : this.#tools.addManifest(manifest, implementations);
    return this.#register(undo);
  }

  /**
   * @param {Tool} tool
   * @param {Implementation} implementation
   */
  async registerTool(tool, implementation) {
    return this.#register(this.#tools.addTool(tool, implementation));
  }

  /** @param {string | string[]} [names] without them all */
  async unregister(names) {
    this.#tools.remove(names);
    return this.#register(() => {});
  }

  /**
   * @param {string | string[]} capabilities
   * @param {{ type?: 'session' | 'once' }} [options]
   */
  async grant(capabilities, { type = 'session' } = {}) {
    const list = [capabilities].flat();
    const result = await this.request('capabilities/grant', { capabilities: list, type });
    if (type === 'session') list.forEach((each) => this.#granted.add(each));
    return result;
  }

  /** @param {string | string[]} capabilities */
  async revoke(capabilities) {
    const list = [capabilities].flat();
    const result = await this.request('capabilities/revoke', { capabilities: list });
    const left = new Set(result?.granted ?? this.#granted); // what needs one that is revoked goes as well
    this.#granted = new Set([...this.#granted].filter((each) => left.has(each) && !list.includes(each)));
    return result;
  }

  /**
   * What else a page may ask of a server, such as session/info.
   * @param {string} method
   * @param {object} [params]
   * @returns {Promise<any>}
   */
  async request(method, params = {}) {
    this.#expectOpen(method);
    return this.#ask(method, params);
  }

  #expectOpen(what) {
    if (this.#state !== 'open') throw lost(`${what} needs a connection, and the client is ${this.#state}`);
  }

  // How it comes to have a line, and loses it.

  #enter() {
    this.#rest(lost('another attempt to connect has begun'));
    this.#state = 'dialling';
    const dialling = this.#dial(this.#turn).finally(() => {
      if (this.#dialling === dialling) this.#dialling = null;
    });
    this.#dialling = dialling;
    return dialling;
  }

  /** @returns {Promise<Session>} */
  async #dial(turn) {
    try {
      return await this.#begin(await this.#open(turn));
    } catch (err) {
      if (turn !== this.#turn) throw err;
      this.#drop(err);
      this.#state = 'idle';
      if (err.code === 'SESSION_GONE') this.#forget();
      throw err;
    }
  }

  /** A line, by the first way that gets through. */
  async #open(turn) {
    const { serverUrl, connectTimeoutMs } = this.#options;
    /** @type {BTCPError | undefined} */
    let failed;
    for (const Kind of this.#kinds()) {
      const line = new Kind({ hear: (...args) => this.#hear(...args), lose: (...args) => this.#lose(...args) });
      this.#line = line;
      const late = new BTCPError('CONNECTION', `${serverUrl} did not answer within ${connectTimeoutMs} ms`);
      try {
        await inTime(line.open({ ...this.#options, sessionId: this.#sessionId }), line.signal, connectTimeoutMs, late);
        if (this.#proven !== SocketLine) this.#proven = Kind;
        return line;
      } catch (err) {
        if (turn !== this.#turn) throw err;
        this.#drop(err);
        if (err.code === 'SESSION_GONE' || err.code === 'REFUSED') throw err;
        failed = new BTCPError('CONNECTION', [failed?.message, wordsOf(err)].filter(Boolean).join('; ')); // each may be what helps
      }
    }
    throw failed ?? new BTCPError('CONNECTION', 'there is no WebSocket here, and nothing else was allowed');
  }

  /** Where WebSockets have never got through but streams have, those come first. */
  #kinds() {
    const { transport, WebSocket: Socket } = this.#options;
    if (transport === 'http' || !Socket) return transport === 'websocket' ? [] : [StreamLine];
    if (transport === 'websocket') return [SocketLine];
    return this.#proven === StreamLine ? [StreamLine, SocketLine] : [SocketLine, StreamLine];
  }

  /** The session, and in it what belongs to it: also of a server that has lost all that. */
  async #begin(line) {
    const { sessionId, expiresAt, recovered } = await (line.sessionId ? this.#identify(line) : this.#create());
    this.#sessionId = sessionId;
    const session = { id: sessionId, expiresAt, recovered: recovered === true };
    this.#session = session;
    this.#isReady = true;
    if (this.#granted.size) await this.#grantAgain();
    if (this.#tools.size || this.#isStale) await this.#tell();
    if (line !== this.#line) throw lost('the client was told to leave');
    this.#state = 'open';
    this.#openedAt = Date.now();
    this.#beat = setInterval(() => this.#feel(line), this.#options.heartbeatMs);
    if (!recovered) this.#emit('session:created', { sessionId });
    this.#emit('connected', { ...session, transport: line.kind });
    return session;
  }

  #create() {
    return this.#ask('session/create', this.#sessionId ? { sessionId: this.#sessionId } : {});
  }

  /** A page with a stream names its session itself; but the server may have an id for it, which is good for every kind of line. */
  async #identify(line) {
    const { id, expiresAt } = await this.#ask('session/info', {}).catch((err) => {
      if (isLost(err)) throw err;
      return {};
    });
    const sessionId = typeof id === 'string' ? id : line.sessionId;
    return { sessionId, expiresAt: Date.parse(expiresAt) || undefined, recovered: line.sessionId === this.#sessionId };
  }

  /** A server that keeps grants loses nothing by that, and one that refuses has said what it thinks of them. */
  async #grantAgain() {
    await this.#ask('capabilities/grant', { capabilities: [...this.#granted], type: 'session' }).catch((err) => {
      if (isLost(err)) throw err;
      this.#emit('error', err);
    });
  }

  #feel(line) {
    const { heartbeatMs } = this.#options;
    const silentMs = Date.now() - line.heardAt;
    if (silentMs > SILENCES * heartbeatMs) this.#lose(line, `the server has said nothing for ${Math.round(silentMs / 1000)} seconds`);
    else if (silentMs >= heartbeatMs && line.kind === 'websocket') this.#ask('ping', {}).catch(() => {}); // a stream has its own beat
  }

  #lose(line, words) {
    if (line !== this.#line) return;
    const wasOpen = this.#state === 'open' || this.#state === 'closing';
    this.#drop(lost(words));
    if (wasOpen) this.#again(words);
  }

  /** A line that lasted has paid for the tries before it. */
  #again(reason) {
    const { baseMs, maxMs, tries } = this.#back;
    if (Date.now() - this.#openedAt > maxMs && this.#openedAt > 0) this.#tries = 0;
    this.#openedAt = 0;
    if (this.#tries >= tries) {
      this.#rest(lost(reason));
      this.#emit('disconnected', { reason });
      return;
    }
    const retryInMs = Math.round(Math.min(maxMs, baseMs * 2 ** this.#tries) * (0.5 + Math.random() / 2));
    this.#tries += 1;
    this.#state = 'waiting';
    this.#timer = setTimeout(() => this.#retry(), retryInMs);
    this.#emit('disconnected', { reason, retryInMs });
  }

  async #retry() {
    const dialling = this.#enter();
    const turn = this.#turn;
    await dialling.catch((err) => {
      if (turn !== this.#turn) return;
      if (err.code === 'SESSION_GONE') this.#emit('session:terminated', { reason: err.message });
      else if (err.code === 'REFUSED') this.#emit('disconnected', { reason: err.message });
      else this.#again(err.message);
    });
  }

  /** Lets go of the line, and fails what hangs on it. */
  #drop(err) {
    const line = /** @type {SocketLine | StreamLine | null} */ (this.#line);
    this.#line = null;
    this.#isReady = false;
    clearInterval(this.#beat);
    this.#running.forEach((control) => control.abort(err));
    this.#running.clear();
    line?.close(err);
  }

  /** No line, and nothing under way to have one. */
  #rest(err) {
    this.#turn += 1;
    clearTimeout(this.#timer);
    this.#drop(err);
    this.#state = 'idle';
  }

  #forget() {
    this.#session = null;
    this.#sessionId = undefined;
    this.#granted.clear();
  }

  #end({ reason }) {
    this.#rest(new BTCPError('SESSION_GONE', `the session has ended: ${reason}`));
    this.#forget();
    this.#emit('session:terminated', { reason });
  }

  // What goes over the line.

  async #ask(method, params) {
    const line = this.#line;
    if (!line) throw lost(`${method} needs a connection`);
    const id = `c${++this.#asked}`;
    const answer = new Promise((resolve) => { this.#waiting.set(id, resolve); });
    const sent = line.send(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const late = new BTCPError('NO_ANSWER', `the server did not answer ${method} within ${this.#options.requestTimeoutMs} ms`);
    try {
      const { result, error } = await inTime(Promise.race([answer, sent.then(() => answer)]), line.signal, this.#options.requestTimeoutMs, late);
      if (error) throw refusalOf(error.data?.code, error.message, error.data);
      return result;
    } finally {
      this.#waiting.delete(id);
    }
  }

  #hear(line, message) {
    if (line !== this.#line) return;
    if (typeof message.method !== 'string') this.#waiting.get(message.id)?.(message);
    else if (message.id === undefined) this.#notice(message.method, Object(message.params));
    else this.#answer(line, message);
  }

  #notice(method, params) {
    if (method === 'notifications/cancelled') {
      this.#running.get(params.requestId)?.abort(new BTCPError('CANCELLED', 'nobody waits for the answer any more'));
    } else if (method === 'session:terminated') {
      if (this.#state !== 'closing') this.#end(params);
    } else if (method === 'session:replaced') {
      this.#rest(lost('another page has taken the session over')); // whoever came back by itself would take it from that one, and so on
      this.#emit(method, params);
    } else if (/[:/]/.test(method) && method !== 'session:created') {
      this.#emit(method, params);
    }
  }

  async #answer(line, { id, method, params, metadata }) {
    const control = new AbortController();
    let said;
    try {
      if (this.#running.size >= CALLS_MAX) throw new BTCPError('EXECUTION_ERROR', `${CALLS_MAX} calls are under way; wait until some have ended`);
      this.#running.set(id, control);
      said = `"result":${await this.#serve(method, { metadata, ...Object(params) }, control.signal)}`;
    } catch (err) {
      said = `"error":${JSON.stringify(answerOf(err))}`;
    }
    if (this.#running.get(id) === control) this.#running.delete(id);
    if (control.signal.aborted) return;
    await line.send(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},${said}}`).catch((err) => this.#emit('error', err));
  }

  /** A result as JSON. */
  async #serve(method, params, signal) {
    switch (method) {
      case 'tools/call': return this.#call(params, signal);
      case 'tools/list': return JSON.stringify({ tools: this.#tools.list() });
      case 'capabilities/request': return JSON.stringify(await this.#consent(params, signal));
      case 'ping': case 'session/ping': return JSON.stringify({ pong: true, timestamp: Date.now() });
      default: throw new BTCPError('METHOD_NOT_FOUND', `a page does not know ${method}`);
    }
  }

  async #call(params, signal) {
    const begun = Date.now();
    const told = () => ({ tool: params.name, agentId: params.metadata?.agentId, duration: Date.now() - begun });
    try {
      const json = await this.#tools.call(params, signal);
      this.#emit('tool:executed', told());
      return json;
    } catch (err) {
      this.#emit('tool:error', { ...told(), error: err });
      throw err;
    }
  }

  /** Whoever decides can only give what was asked for. */
  async #consent({ capabilities, agentId, agentName }, signal) {
    const asked = listOf(capabilities).filter((each) => typeof each === 'string');
    /** @type {any} */
    let said;
    try {
      said = await inTime(Promise.resolve(this.#options.onCapabilityRequest?.({ capabilities: asked, agentId, agentName }, { signal })), signal);
    } catch (err) {
      if (!signal.aborted) this.#emit('error', err);
    }
    const list = said === true ? asked : listOf(said?.granted ?? said);
    const granted = asked.filter((each) => list.includes(each));
    return { granted, denied: asked.filter((each) => !granted.includes(each)) };
  }

  async #register(undo) {
    this.#isStale = true;
    if (!this.#isReady) return { registered: this.#tools.size };
    try {
      return await this.#tell();
    } catch (err) {
      if (isLost(err)) return { registered: this.#tools.size }; // the next line begins with them
      undo();
      throw err;
    }
  }

  /** Tells the server of all tools, once for all who want it meanwhile. */
  #tell() {
    this.#isStale = true;
    /** @type {Promise<any>} */
    const telling = this.#telling ?? this.#tellAll().finally(() => {
      if (this.#telling === telling) this.#telling = null;
    });
    this.#telling = telling;
    return telling;
  }

  async #tellAll() {
    let result;
    while (this.#isStale) {
      this.#isStale = false;
      result = await this.#ask('tools/register', { tools: this.#tools.list() }).catch((err) => {
        this.#isStale = true;
        throw err;
      });
    }
    return result;
  }

  #emit(event, detail) {
    for (const listener of [...this.#listeners.get(event) ?? []]) {
      try {
        listener(detail);
      } catch (err) {
        queueMicrotask(() => { throw err; }); // as listeners of the platform fail: loudly, and nobody else with them
      }
    }
  }
}
