// SPDX-License-Identifier: Apache-2.0
// puppeteer-core, which a script without an MCP server would use. It cannot start a browser as
// another user, so it is handed the pipe of one that the bench has started.
import puppeteer from 'puppeteer-core';
import { eachMessage } from '../lib/cdp.mjs';
import { House } from '../lib/house.mjs';
import { launch } from '../lib/browsers.mjs';

function transport(child) {
  const [, , , to, from] = child.stdio;
  const self = {
    send: (text) => to.write(`${text}\0`),
    close: () => to.destroy(),
  };
  to.on('error', () => {});
  eachMessage(from, 0, (text) => self.onmessage?.(text));
  from.on('close', () => self.onclose?.());
  return self;
}

class Session {
  constructor(context, page) {
    this.context = context;
    this.page = page;
  }

  navigate(url) {
    return this.page.goto(url);
  }

  evaluate(script) {
    return this.page.evaluate(script);
  }

  async snapshot() {
    return JSON.stringify(await this.page.accessibility.snapshot());
  }

  click({ css }) {
    return this.page.click(css);
  }

  clickThrough(target) {
    return Promise.all([this.page.waitForNavigation(), this.click(target)]);
  }

  fill({ css }, text) {
    return this.page.locator(css).fill(text);
  }

  async screenshot() {
    return (await this.page.screenshot({ type: 'jpeg', quality: 80, encoding: 'base64' })).length;
  }

  close() {
    return this.context.close();
  }
}

export class Puppeteer {
  constructor(engine) {
    this.key = `puppeteer-${engine}`;
    this.family = 'puppeteer';
    this.engine = engine;
    this.label = `puppeteer-core, ${engine}`;
  }

  async start() {
    this.house = new House();
    this.child = launch(this.house, this.engine);
    this.browser = await puppeteer.connect({ transport: transport(this.child), defaultViewport: { width: 1280, height: 720 } });
  }

  async open(url) {
    const context = await this.browser.createBrowserContext();
    const session = new Session(context, await context.newPage());
    await session.navigate(url);
    return session;
  }

  async stop() {
    this.child.stdio[3].destroy();
    return this.house.empty();
  }
}
