// SPDX-License-Identifier: Apache-2.0
// chrome-devtools-mcp. It takes elements only by the uid of its own last snapshot; a session is an isolated context.
import { browser } from '../lib/browsers.mjs';
import { McpContender, packaged, pictureSize } from './mcp.mjs';

class Session {
  #seen = '';

  constructor(client, pageId, more) {
    this.client = client;
    this.pageId = pageId;
    this.more = more;
  }

  #call(name, args) {
    return this.client.call(name, { pageId: this.pageId, ...args });
  }

  navigate(url) {
    return this.#call('navigate_page', { type: 'url', url });
  }

  evaluate(script) {
    return this.client.text('evaluate_script', { pageId: this.pageId, function: `() => ${script}`, ...this.more });
  }

  async snapshot() {
    this.#seen = await this.client.text('take_snapshot', { pageId: this.pageId });
    return this.#seen;
  }

  /** Not timed: an agent has the snapshot already when it acts. */
  prepare() {
    return this.snapshot();
  }

  #uid({ line }) {
    const uid = /uid=(\S+)/.exec(this.#seen.split('\n').find((each) => line.test(each)) ?? '')?.[1];
    if (!uid) throw new Error(`no ${line} in the snapshot`);
    return uid;
  }

  click(target) {
    return this.#call('click', { uid: this.#uid(target) });
  }

  clickThrough(target) {
    return this.click(target);
  }

  fill(target, value) {
    return this.#call('fill', { uid: this.#uid(target), value });
  }

  async screenshot() {
    return pictureSize(await this.#call('take_screenshot', { format: 'jpeg', quality: 80 }));
  }

  close() {
    return this.#call('close_page', {});
  }
}

export class DevTools extends McpContender {
  #opened = 0;

  /** `settle` false: without its wait for a stable document, where it can be told so. */
  constructor(engine, settle = true) {
    super(`devtools-${engine}${settle ? '' : '-0'}`, 'devtools', engine, `chrome-devtools-mcp${settle ? '' : ', no settle'}`);
    this.more = settle ? {} : { waitForStableDom: false };
    if (!settle) this.only = ['evaluate'];
  }

  command() {
    return [process.execPath, [packaged('chrome-devtools-mcp/build/src/bin/chrome-devtools-mcp.js'), '--headless', '--isolated',
      '--executablePath', browser(this.engine), '--viewport', '1280x720', '--no-usage-statistics', '--no-performance-crux'],
    { CHROME_DEVTOOLS_MCP_NO_UPDATE_CHECKS: '1' }];
  }

  async open(url) {
    const text = await this.client.text('new_page', { url, isolatedContext: `context-${this.#opened += 1}` });
    const pageId = Number(/^(\d+):.*\[selected\]/m.exec(text)?.[1]);
    if (!pageId) throw new Error(`no page id in ${text}`);
    return new Session(this.client, pageId, this.more);
  }
}
