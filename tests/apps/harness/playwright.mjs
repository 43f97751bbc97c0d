// SPDX-License-Identifier: Apache-2.0
// A user of playwright-core, the oracle: the same roles and names, by its usual methods, on the same Chromium.
import { once } from 'node:events';
import { createServer } from 'node:net';
import { browser } from '../../../bench/browser/lib/browsers.mjs';
import { script } from './predicate.mjs';

const ACT_MS = 10_000;
const ours = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }; // the runner ends all it has started

class User {
  constructor(page, scope = page) {
    this.page = page;
    this.scope = scope;
  }

  #target(role, name) {
    const all = role === 'css' ? this.scope.locator(name)
      : this.scope.getByRole(role, name === undefined ? {} : { name, exact: true });
    return all.first();
  }

  snapshot() {
    return this.page.ariaSnapshot({ mode: 'ai' });
  }

  frame(css) {
    return new User(this.page, this.page.frameLocator(css));
  }

  click(role, name, { count = 1, button = 'left', modifiers = [] } = {}) {
    return this.#target(role, name).click({ clickCount: count, button, modifiers });
  }

  fill(role, name, value) {
    return this.#target(role, name).fill(value);
  }

  hover(role, name) {
    return this.#target(role, name).hover();
  }

  select(role, name, values) {
    return this.#target(role, name).selectOption(values);
  }

  press(key) {
    return this.page.keyboard.press(key);
  }

  type(text) {
    return this.page.keyboard.type(text);
  }

  upload(role, name, { name: file, text }) {
    return this.#target(role, name).setInputFiles({ name: file, mimeType: 'text/plain', buffer: Buffer.from(text) });
  }

  drag([role, name], [toRole, toName]) {
    return this.#target(role, name).dragTo(this.#target(toRole, toName), { steps: 10 });
  }

  async scroll(role, name, pixels) {
    await this.#target(role, name).hover();
    await this.page.mouse.wheel(0, pixels);
  }

  clickAt(css, x, y) {
    return this.page.locator(css).click({ position: { x, y } });
  }

  value(code) {
    return this.page.evaluate(code);
  }

  see(holds, ...args) {
    return this.value(script(holds, args));
  }

  close() {
    return this.page.context().close();
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  await once(server.close(), 'close');
  return port;
}

export class PlaywrightSide {
  name = 'playwright';

  static async start(t) {
    const { chromium } = await import('playwright-core');
    const self = new PlaywrightSide();
    const port = await freePort();
    self.browser = await chromium.launch({
      executablePath: browser('shell'), chromiumSandbox: process.getuid() !== 0, args: [`--remote-debugging-port=${port}`], ...ours,
    });
    self.devtools = `http://127.0.0.1:${port}`;
    t.after(() => self.browser.close());
    return self;
  }

  async open(url) {
    const context = await this.browser.newContext({ viewport: { width: 1280, height: 720 } });
    context.setDefaultTimeout(ACT_MS);
    const page = await context.newPage();
    await page.goto(url);
    return new User(page);
  }
}
