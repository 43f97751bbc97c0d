// SPDX-License-Identifier: Apache-2.0
// tabard by MCP: over stdio (`tabard mcp`, which starts the daemon) and over HTTP (`tabard serve`).
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { House } from '../lib/house.mjs';
import { HttpClient, StdioClient } from '../lib/mcp.mjs';
import { McpContender, pictureSize } from './mcp.mjs';

const builds = { '': process.env.TABARD ?? 'build/release/tabard', before: process.env.BEFORE };

class Session {
  constructor(client, name) {
    this.client = client;
    this.sessionId = name;
  }

  #call(tool, args) {
    return this.client.call(tool, { sessionId: this.sessionId, ...args });
  }

  #text(tool, args) {
    return this.client.text(tool, { sessionId: this.sessionId, ...args });
  }

  navigate(url) {
    return this.#call('browser_navigate', { url });
  }

  evaluate(script) {
    return this.#text('browser_evaluate', { script });
  }

  snapshot() {
    return this.#text('browser_snapshot', { max_chars: 500_000 });
  }

  click({ css }) {
    return this.#call('browser_click', { target: css });
  }

  clickThrough(target) {
    return this.click(target);
  }

  fill({ css }, value) {
    return this.#call('browser_fill', { target: css, value });
  }

  async screenshot() {
    return pictureSize(await this.#call('browser_screenshot', { format: 'jpeg', quality: 80 }));
  }

  close() {
    return this.#call('close_session', {});
  }
}

export class Tabard extends McpContender {
  #opened = 0;

  /** `transport` is stdio or http; `build` is empty, or "before" for an earlier one, which is compared with nobody but us. */
  constructor(engine, transport, build = '') {
    super(`${build}tabard-${engine}-${transport}`, `${build}tabard`, engine, `tabard${build && ` ${build}`}, ${transport}, ${engine}`);
    this.transport = transport;
    this.program = path.resolve(builds[build]);
  }

  #options() {
    return ['--state-dir', this.house.folder('state'), '--runtime-dir', this.house.folder('run'),
      '--listen', '127.0.0.1:0', '--agent-listen', 'off'];
  }

  async start() {
    if (!existsSync(this.program)) throw new Error(`no program ${path.basename(this.program)}; run make`);
    this.house = new House();
    this.options = this.#options();
    this.client = this.transport === 'stdio' ? this.#stdio() : await this.#http();
    await this.client.initialize();
  }

  #stdio() {
    this.connect = () => new StdioClient(this.house.spawn(this.program, ['mcp', ...this.options]));
    return this.connect();
  }

  async #http() {
    this.child = this.house.spawn(this.program, ['serve', ...this.options]);
    let text = '';
    while (!text.includes('\n')) text += (await once(this.child.stdout, 'data'))[0];
    const [, url] = /tabard ready (\S+)/.exec(text);
    const token = readFileSync(path.join(this.house.dir, 'state', 'admin.token'), 'utf8').trim();
    this.connect = () => new HttpClient(`${url}/mcp`, { authorization: `Bearer ${token}` });
    return this.connect();
  }

  /** Another agent connects while the daemon runs. */
  async again() {
    const child = this.house.spawn(this.program, ['mcp', ...this.options]);
    const client = new StdioClient(child);
    await client.initialize();
    return async () => {
      const gone = once(child, 'exit');
      client.close();
      await gone;
    };
  }

  /** Work that no session pays for: it fills what the daemon keeps of calls in any case (pages of the database, latest events). */
  async fill() {
    const chain = async () => { for (let i = 0; i < 100; i += 1) await this.client.call('list_sessions', {}); };
    await Promise.all(Array.from({ length: 20 }, chain));
  }

  /** So many agents, each with a connection of its own. */
  async crew(count) {
    const clients = Array.from({ length: count }, () => this.connect());
    await Promise.all(clients.map((client) => client.initialize()));
    const crew = clients.map((client) => ({ open: (url) => this.open(url, client) }));
    crew.leave = () => Promise.all(clients.map((client) => client.close()));
    return crew;
  }

  async open(url, client = this.client) {
    const name = `s${this.#opened += 1}`;
    await client.call('start_session', {
      sessionId: name, url, ...(this.engine === 'full' && { engine: 'chromium' }),
    });
    return new Session(client, name);
  }

  async stop() {
    await this.client?.close();
    this.house.evict('SIGTERM');
    return this.house.empty();
  }
}
