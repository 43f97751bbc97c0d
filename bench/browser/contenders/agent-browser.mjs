// SPDX-License-Identifier: Apache-2.0
// agent-browser: a process and a browser for each session, which outlive the MCP server and are closed by name.
import { chmodSync, copyFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { browser } from '../lib/browsers.mjs';
import { McpContender, packaged, pictureSize } from './mcp.mjs';

class Session {
  constructor(client, name) {
    this.client = client;
    this.name = name;
  }

  #call(tool, args) {
    return this.client.call(`agent_browser_${tool}`, { session: this.name, ...args });
  }

  #text(tool, args) {
    return this.client.text(`agent_browser_${tool}`, { session: this.name, ...args });
  }

  navigate(url) {
    return this.#call('open', { url });
  }

  evaluate(script) {
    return this.#text('eval', { script });
  }

  snapshot() {
    return this.#text('snapshot', {});
  }

  click({ css }) {
    return this.#call('click', { selector: css });
  }

  clickThrough(target) {
    return this.click(target);
  }

  fill({ css }, text) {
    return this.#call('fill', { selector: css, text });
  }

  async screenshot() {
    return pictureSize(await this.#call('screenshot', { format: 'jpeg', quality: 80 }));
  }

  close() {
    return this.#call('close', {});
  }
}

export class AgentBrowser extends McpContender {
  #open = [];

  constructor(engine) {
    super(`agent-browser-${engine}`, 'agent-browser', engine, 'agent-browser');
  }

  /** npm leaves the program unexecutable when scripts are off. */
  command() {
    const program = path.join(this.house.dir, 'agent-browser');
    copyFileSync(packaged(`agent-browser/bin/agent-browser-linux-${os.arch()}`), program);
    chmodSync(program, 0o755);
    return [program, ['mcp'], {
      AGENT_BROWSER_EXECUTABLE_PATH: browser(this.engine), AGENT_BROWSER_SOCKET_DIR: this.house.folder('sockets'),
    }];
  }

  async open(url) {
    const session = new Session(this.client, `s${this.#open.length}`);
    this.#open.push(session);
    await session.navigate(url);
    return session;
  }

  async stop() {
    await this.client.call('agent_browser_close', { all: true }).catch(() => {});
    return super.stop();
  }
}
