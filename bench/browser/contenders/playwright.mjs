// SPDX-License-Identifier: Apache-2.0
// @playwright/mcp. Over stdio it has one browser a server and no sessions; over HTTP each MCP session has a
// context of its own, which is what the rows about many sessions use.
import { once } from 'node:events';
import { House, within } from '../lib/house.mjs';
import { HttpClient } from '../lib/mcp.mjs';
import { browser } from '../lib/browsers.mjs';
import { McpContender, packaged, pictureSize } from './mcp.mjs';

class Session {
  constructor(client) {
    this.client = client;
  }

  navigate(url) {
    return this.client.call('browser_navigate', { url });
  }

  evaluate(script) {
    return this.client.text('browser_evaluate', { function: `() => ${script}` });
  }

  snapshot() {
    return this.client.text('browser_snapshot', {});
  }

  click({ css }) {
    return this.client.call('browser_click', { target: css });
  }

  clickThrough(target) {
    return this.click(target);
  }

  fill({ css }, text) {
    return this.client.call('browser_type', { target: css, text });
  }

  async screenshot() {
    return pictureSize(await this.client.call('browser_take_screenshot', { type: 'jpeg', scale: 'css' }));
  }

  async close() {
    await this.client.call('browser_close', {});
    await this.client.close();
  }
}

function options(engine, settle) {
  return ['--headless', '--isolated', '--executable-path', browser(engine), '--viewport-size', '1280x720', '--sandbox',
    ...(settle === undefined ? [] : ['--timeout-settle', String(settle)])];
}

export class Playwright extends McpContender {
  oneSession = true;

  /** `settle` in milliseconds; undefined leaves what it comes with. */
  constructor(engine, settle) {
    const bare = settle === undefined;
    super(`playwright-${engine}${bare ? '' : '-0'}`, 'playwright', engine, `Playwright MCP${bare ? '' : ', no settle'}`);
    this.settle = settle;
  }

  command() {
    return [process.execPath, [packaged('@playwright/mcp/cli.js'), ...options(this.engine, this.settle)], {}];
  }

  async open(url) {
    const session = new Session(this.client);
    await session.navigate(url);
    return session;
  }
}

export class PlaywrightHttp {
  sessionsOnly = true;

  constructor(engine) {
    this.key = `playwright-${engine}-http`;
    this.family = 'playwright';
    this.engine = engine;
    this.label = 'Playwright MCP, HTTP';
  }

  async start() {
    this.house = new House();
    this.child = this.house.spawn(process.execPath, [packaged('@playwright/mcp/cli.js'), ...options(this.engine), '--port', '0'],
      { env: { PLAYWRIGHT_MCP_PING_TIMEOUT_MS: '600000' } });
    this.url = await within(this.#address(), 20_000, 'an address from Playwright MCP');
    this.first = await this.#connect();
  }

  async #address() {
    let text = '';
    for (;;) {
      const [data] = await Promise.race([once(this.child.stdout, 'data'), once(this.child.stderr, 'data')]);
      text += data;
      const found = /http:\/\/localhost:\d+/.exec(text);
      if (found) return `${found[0]}/mcp`;
    }
  }

  async #connect() {
    const client = new HttpClient(this.url);
    await client.initialize();
    return client;
  }

  ping() {
    return this.first.ping();
  }

  async open(url) {
    const session = new Session(await this.#connect());
    await session.navigate(url);
    return session;
  }

  async stop() {
    this.child.kill('SIGTERM');
    return this.house.empty();
  }
}
