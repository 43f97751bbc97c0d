// SPDX-License-Identifier: Apache-2.0
// The limit: each operation by the fewest DevTools commands, sent in bursts wherever one does not
// need the answer of another. No waiting for elements, no checks, no errors explained.
import { Pipe } from '../lib/cdp.mjs';
import { House } from '../lib/house.mjs';
import { launch, pageScript } from '../lib/browsers.mjs';

const WORLD = 'tabard';

/** Roles by tag, names by the nearest attribute, the text as it stands: no states, no refs, no frames, nothing checked. */
function bareOutline() {
  const roles = {
    A: 'link', BUTTON: 'button', FORM: 'form', H1: 'heading', H2: 'heading', H3: 'heading', IMG: 'img', INPUT: 'textbox', LI: 'listitem',
    MAIN: 'main', NAV: 'navigation', OL: 'list', SELECT: 'combobox', TABLE: 'table', TD: 'cell', TEXTAREA: 'textbox', TH: 'columnheader',
    TR: 'row', UL: 'list',
  };
  const lines = [];
  const visit = (el, depth) => {
    if (!el.checkVisibility({ visibilityProperty: true })) return;
    const role = el.getAttribute('role') ?? roles[el.tagName];
    if (role) {
      const name = el.getAttribute('aria-label') ?? el.labels?.[0]?.textContent ?? el.alt ?? '';
      lines.push(`${'  '.repeat(depth)}- ${role}${name ? ` "${name.trim()}"` : ''}`);
    }
    for (const child of el.childNodes) {
      if (child.nodeType === 1) visit(child, role ? depth + 1 : depth);
      else if (child.nodeType === 3 && child.data.trim()) lines.push(`${'  '.repeat(depth + 1)}- text: ${child.data.trim()}`);
    }
  };
  visit(document.body, 0);
  return lines.join('\n');
}

class Session {
  #armed = false;
  #loaded = null;

  constructor(pipe, full) {
    this.pipe = pipe;
    this.full = full;
  }

  send(method, params) {
    return this.pipe.send(method, params, this.id);
  }

  async open(url) {
    const { browserContextId } = await this.pipe.send('Target.createBrowserContext', { disposeOnDetach: true });
    this.context = browserContextId;
    const attached = new Promise((resolve) => {
      this.pipe.attached.set(browserContextId, resolve);
    });
    this.pipe.send('Target.createTarget', { url: 'about:blank', browserContextId });
    this.id = await attached;
    this.pipe.listeners.set(this.id, (method, params) => this.#event(method, params));
    this.send('Runtime.enable');
    this.send('Page.addScriptToEvaluateOnNewDocument', { source: pageScript, worldName: WORLD });
    // Window decorations take their part of the window's size.
    if (this.full) this.send('Emulation.setDeviceMetricsOverride', { width: 1280, height: 720, deviceScaleFactor: 0, mobile: false });
    // The browser process navigates while the renderer still enables: a quick page's events would be lost.
    await this.send('Page.enable');
    await this.navigate(url);
    return this;
  }

  #event(method, params) {
    if (method === 'Page.frameNavigated') {
      this.#armed = !params.frame.parentId;
    } else if (method === 'Runtime.executionContextCreated' && params.context.name === WORLD) {
      this.world = params.context.uniqueId;
    } else if (method === 'Page.loadEventFired' && this.#armed) {
      this.#loaded?.();
    }
  }

  #load() {
    this.#armed = false;
    return new Promise((resolve) => { this.#loaded = resolve; });
  }

  async navigate(url) {
    const loaded = this.#load();
    const { errorText } = await this.send('Page.navigate', { url });
    if (errorText) throw new Error(errorText);
    await loaded;
  }

  async #value(expression, more) {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', { expression, returnByValue: true, ...more });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result.value;
  }

  evaluate(script) {
    return this.#value(script);
  }

  async snapshot() {
    const { text } = await this.#value('tabard.snapshot({max_chars: 500000})', { uniqueContextId: this.world, awaitPromise: true });
    return text;
  }

  /** The least that could be called an outline. */
  outline() {
    return this.#value(`(${bareOutline})()`, { uniqueContextId: this.world });
  }

  async click({ css }) {
    const [x, y] = await this.#value(`(() => {
      const element = document.querySelector('${css}');
      element.scrollIntoViewIfNeeded();
      const box = element.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    })()`);
    const mouse = (type, button, buttons) => this.send('Input.dispatchMouseEvent', { type, x, y, button, buttons, clickCount: 1 });
    mouse('mouseMoved', 'none', 0);
    mouse('mousePressed', 'left', 1);
    await mouse('mouseReleased', 'left', 0);
  }

  async clickThrough(target) {
    const loaded = this.#load();
    await this.click(target);
    await loaded;
  }

  async fill({ css }, text) {
    // Not in one burst: the browser process takes the text and may type it before the renderer has moved the focus.
    await this.#value(`(() => { const field = document.querySelector('${css}'); field.focus(); field.select(); })()`);
    await this.send('Input.insertText', { text });
  }

  async screenshot() {
    const { data } = await this.send('Page.captureScreenshot', { format: 'jpeg', quality: 80, optimizeForSpeed: true });
    return data.length;
  }

  async close() {
    this.pipe.listeners.delete(this.id);
    await this.pipe.send('Target.disposeBrowserContext', { browserContextId: this.context });
  }
}

export class Raw {
  constructor(engine) {
    this.key = `raw-${engine}`;
    this.family = 'raw';
    this.engine = engine;
    this.label = `raw CDP, ${engine}`;
  }

  async start() {
    this.house = new House();
    this.child = launch(this.house, this.engine);
    this.pipe = new Pipe(this.child.stdio[3], this.child.stdio[4]);
    this.pipe.attached = new Map();
    this.pipe.listeners.set('', (method, params) => {
      if (method !== 'Target.attachedToTarget') return;
      const { targetInfo: { type, browserContextId }, sessionId } = params;
      if (type === 'page') this.pipe.attached.get(browserContextId)?.(sessionId);
    });
    this.pipe.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true });
    await this.pipe.send('Browser.getVersion');
  }

  open(url) {
    return new Session(this.pipe, this.engine === 'full').open(url);
  }

  /** So many who drive it; here it is one program in any case. */
  crew(count) {
    return Array.from({ length: count }, () => this);
  }

  async stop() {
    this.child.stdio[3].destroy();
    return this.house.empty();
  }
}
