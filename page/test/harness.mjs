// SPDX-License-Identifier: Apache-2.0
// A real browser for the tests of page/: one headless shell a test file over the DevTools pipe, one
// loopback server, and for every test a fresh tab with the joined scripts in an isolated world.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { after, before } from 'node:test';
import { fileURLToPath } from 'node:url';

const pageDir = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');
const WORLD = 'tabard';
const COMMAND_MS = 60_000; // on a busy machine
// Browsers refuse their sandbox to root, so root starts them as nobody.
const NOBODY = 65534;

/** The scripts as the program embeds them. */
export const source = readFileSync(path.join(pageDir, 'files.txt'), 'utf8')
  .split('\n').filter((line) => line && !line.startsWith('#'))
  .map((name) => readFileSync(path.join(pageDir, name), 'utf8')).join('');

// The daemon's part: it answers a function that asks, after the page stood still, whether it is still waited for. The rest is the test's.
const daemon = `{ let hear = () => {};
  Object.defineProperty(globalThis, 'tabardTell', {
    get: () => (text) => (JSON.parse(text).stalled ? tabard.goOn() : hear(text)), set(listener) { hear = listener; }, configurable: true,
  }); }`;

function browserPath() {
  const places = [process.env.TABARD_TEST_BROWSER, '/usr/lib/chromium/chromium-headless-shell',
    '/usr/lib/chromium/chromium', '/usr/lib/chromium-browser/chromium-browser'];
  const found = places.find((place) => place && existsSync(place));
  if (!found) throw new Error('no Chromium found; install chromium-headless-shell or set TABARD_TEST_BROWSER');
  return found;
}

/** Messages with ids over the two descriptors of the DevTools pipe. */
class Pipe {
  #last = 0;
  #waiting = new Map();
  #rest = '';
  listeners = new Set();

  constructor(to, from) {
    this.to = to;
    from.setEncoding('utf8');
    from.on('data', (data) => this.#read(data));
    to.on('error', () => {});
  }

  #read(data) {
    const parts = (this.#rest + data).split('\0');
    this.#rest = parts.pop();
    for (const part of parts) this.#message(JSON.parse(part));
  }

  #message(message) {
    const waiting = this.#waiting.get(message.id);
    if (!waiting) {
      for (const listener of this.listeners) listener(message);
      return;
    }
    this.#waiting.delete(message.id);
    clearTimeout(waiting.timer);
    if (message.error) waiting.reject(new Error(`${waiting.method}: ${message.error.message}`));
    else waiting.resolve(message.result);
  }

  send(method, params = {}, sessionId = undefined) {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.delete(id);
        reject(new Error(`${method}: no answer`));
      }, COMMAND_MS);
      this.#waiting.set(id, { method, resolve, reject, timer });
      this.to.write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }
}

class Browser {
  static async start() {
    const browser = new Browser();
    const root = process.getuid() === 0;
    browser.profile = await mkdtemp(path.join(os.tmpdir(), 'tabard-page-test-'));
    if (root) await chown(browser.profile, NOBODY, NOBODY);
    const args = ['--headless', '--remote-debugging-pipe', `--user-data-dir=${browser.profile}`, '--no-first-run',
      '--disable-gpu', '--window-size=1280,720', '--site-per-process', 'about:blank'];
    browser.child = spawn(browserPath(), args, {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, HOME: browser.profile, LANG: 'C.UTF-8' },
      ...(root ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    browser.gone = once(browser.child, 'exit');
    browser.pipe = new Pipe(browser.child.stdio[3], browser.child.stdio[4]);
    await browser.pipe.send('Browser.getVersion');
    return browser;
  }

  /** Closing our end of the pipe ends the browser; the signal is for one that hangs. */
  async stop() {
    this.child.stdio[3].destroy();
    const timer = setTimeout(() => this.child.kill('SIGKILL'), 5000);
    await this.gone;
    clearTimeout(timer);
    await rm(this.profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Serves `pages` (path to HTML) on two loopback addresses, which the browser holds for two sites. */
class Server {
  pages = new Map();

  static async start() {
    const server = new Server();
    server.http = http.createServer((request, response) => {
      const html = server.pages.get(new URL(request.url, 'http://x').pathname);
      response.writeHead(html === undefined ? 404 : 200, { 'content-type': 'text/html; charset=utf-8' });
      response.end(html ?? 'nothing here');
    });
    server.http.listen(0, '127.0.0.1');
    await once(server.http, 'listening');
    const { port } = server.http.address();
    server.origin = `http://127.0.0.1:${port}`;
    server.otherOrigin = `http://localhost:${port}`;
    return server;
  }

  async stop() {
    this.http.close();
    this.http.closeAllConnections();
    await once(this.http, 'close');
  }
}

/** A tab. `call` runs a function of the scripts; `page` runs code in the page's own world. */
export class Tab {
  constructor(rig) {
    this.rig = rig;
  }

  send(method, params) {
    return this.rig.browser.pipe.send(method, params, this.sessionId);
  }

  async open() {
    const { pipe } = this.rig.browser;
    ({ targetId: this.targetId } = await pipe.send('Target.createTarget', { url: 'about:blank' }));
    ({ sessionId: this.sessionId } = await pipe.send('Target.attachToTarget', { targetId: this.targetId, flatten: true }));
    this.worlds = new Map();
    this.loads = [];
    this.listener = (message) => this.#event(message);
    pipe.listeners.add(this.listener);
    await this.send('Page.enable');
    await this.send('Runtime.enable');
    await this.send('Page.addScriptToEvaluateOnNewDocument', { source: source + daemon, worldName: WORLD });
  }

  #event({ sessionId, method, params }) {
    if (sessionId !== this.sessionId) return;
    if (method === 'Runtime.executionContextCreated' && params.context.name === WORLD) {
      this.worlds.set(params.context.auxData.frameId, params.context.id);
    } else if (method === 'Page.loadEventFired') {
      for (const resolve of this.loads.splice(0)) resolve();
    }
  }

  async goto(url) {
    const loaded = new Promise((resolve) => { this.loads.push(resolve); });
    const { frameId, errorText } = await this.send('Page.navigate', { url });
    if (errorText) throw new Error(errorText);
    await loaded;
    this.frameId = frameId;
  }

  /** Opens a page of this HTML. `others` are further paths of the server, for frames. */
  async show(html, others = {}) {
    const { server } = this.rig;
    const name = `/page${server.pages.size}.html`;
    server.pages.set(name, html.includes('<!doctype') ? html : `<!doctype html><meta charset=utf-8><body>${html}`);
    for (const [at, body] of Object.entries(others)) server.pages.set(at, `<!doctype html><meta charset=utf-8><body>${body}`);
    await this.goto(server.origin + name);
    return this;
  }

  async #evaluate(params) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate',
      { awaitPromise: true, returnByValue: true, ...params });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  /** An expression in the world of the scripts. */
  inside(expression) {
    return this.#evaluate({ expression, contextId: this.worlds.get(this.frameId) });
  }

  /** {value, ms}: the same, and the processor time that the page's thread has spent on it, whatever else the machine was doing. */
  async cost(expression) {
    await this.send('Performance.enable', { timeDomain: 'threadTicks' });
    const spent = async () => (await this.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'ThreadTime').value * 1000;
    const before = await spent();
    const value = await this.inside(expression);
    return { value, ms: await spent() - before };
  }

  call(name, args) {
    return this.inside(`tabard.${name}(${args === undefined ? '' : JSON.stringify(args)})`);
  }

  page(expression) {
    return this.#evaluate({ expression });
  }

  /** The lines of a snapshot. */
  async lines(args = {}) {
    const { text, error } = await this.call('snapshot', args);
    if (error) throw new Error(`${error.code}: ${error.message}`);
    return text === '' ? [] : text.split('\n');
  }

  /** The ref on the first line that contains `part`. */
  async ref(part, args = {}) {
    const lines = await this.lines(args);
    const line = lines.find((each) => each.includes(part));
    const ref = /\[ref=(\w+)\]/.exec(line ?? '')?.[1];
    if (!ref) throw new Error(`no ref for ${part} in\n${lines.join('\n')}`);
    return ref;
  }

  /** A real click where `point` says. */
  async click(target, options = {}) {
    const at = await this.call('point', { target, timeout_ms: 2000, ...options });
    if (at.error) return at;
    const mouse = { x: at.x, y: at.y, button: 'left', clickCount: 1 };
    await this.send('Input.dispatchMouseEvent', { ...mouse, type: 'mouseMoved', button: 'none' });
    await this.send('Input.dispatchMouseEvent', { ...mouse, type: 'mousePressed' });
    await this.send('Input.dispatchMouseEvent', { ...mouse, type: 'mouseReleased' });
    return at;
  }

  /** What the daemon does for closed shadow roots: asks the browser for each host and hands the root over. */
  async adoptAll() {
    const contextId = this.worlds.get(this.frameId);
    const { result: list } = await this.send('Runtime.evaluate', { expression: 'tabard.hosts()', contextId });
    const { result: items } = await this.send('Runtime.getProperties', { objectId: list.objectId, ownProperties: true });
    for (const { name, value } of items) {
      if (!/^\d+$/.test(name)) continue;
      const { node } = await this.send('DOM.describeNode', { objectId: value.objectId, pierce: true });
      const root = node.shadowRoots?.find((each) => each.shadowRootType !== 'user-agent');
      if (!root) continue;
      const { object } = await this.send('DOM.resolveNode', { backendNodeId: root.backendNodeId, executionContextId: contextId });
      await this.send('Runtime.callFunctionOn', {
        objectId: value.objectId,
        functionDeclaration: 'function (root) { tabard.adopt(this, root); }',
        arguments: [{ objectId: object.objectId }],
      });
    }
  }

  async close() {
    this.rig.browser.pipe.listeners.delete(this.listener);
    await this.rig.browser.pipe.send('Target.closeTarget', { targetId: this.targetId });
  }
}

/** Starts browser and server before the tests of a file and ends them afterwards. */
export function useBrowser() {
  const rig = {
    /** A fresh tab, closed when the test ends. */
    async tab(t) {
      const tab = new Tab(rig);
      await tab.open();
      t.after(() => tab.close());
      return tab;
    },
    /** A fresh tab with a page of this HTML. */
    async show(t, html, others) {
      return (await rig.tab(t)).show(html, others);
    },
  };
  before(async () => {
    rig.server = await Server.start();
    rig.browser = await Browser.start();
  });
  after(async () => {
    await rig.browser?.stop();
    await rig.server?.stop();
  });
  return rig;
}
