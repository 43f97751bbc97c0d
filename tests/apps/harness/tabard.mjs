// SPDX-License-Identifier: Apache-2.0
// A user of tabard through MCP, as an agent is: it looks at the outline, finds a line by role and name, and uses its ref.
import { Agent } from '../../support/agent.mjs';
import { Daemon } from '../../support/daemon.mjs';
import { find } from './outline.mjs';
import { script } from './predicate.mjs';

const FIND_MS = 5000;
const ACT_MS = 10_000;

class User {
  constructor(agent, sessionId) {
    this.agent = agent;
    this.sessionId = sessionId;
  }

  call(tool, args) {
    return this.agent.call(tool, { sessionId: this.sessionId, ...args });
  }

  snapshot() {
    return this.call('browser_snapshot', { max_chars: 500_000 });
  }

  /** The line is looked for again and again, as the page may still be at work. Of what a selector matches the first is meant, on both sides. */
  async #target(role, name) {
    if (role === 'css') return `${name} >> nth=0`;
    for (const end = performance.now() + FIND_MS; performance.now() < end;) {
      const target = find(await this.snapshot(), role, name);
      if (target) return target;
    }
    throw new Error(`${role} ${name}: no such line in the outline`);
  }

  async #act(tool, role, name, more) {
    const target = await this.#target(role, name);
    return this.call(tool, { target, ...more, timeout_ms: ACT_MS });
  }

  /** tabard shows frames in their place. */
  frame() {
    return this;
  }

  click(role, name, { count, button, modifiers } = {}) {
    return this.#act('browser_click', role, name, { ...(count && { count }), ...(button && { button }), ...(modifiers && { modifiers }) });
  }

  fill(role, name, value) {
    return this.#act('browser_fill', role, name, { value });
  }

  hover(role, name) {
    return this.#act('browser_hover', role, name);
  }

  select(role, name, values) {
    return this.#act('browser_select', role, name, { values });
  }

  press(key) {
    return this.call('browser_press_key', { key });
  }

  type(text) {
    return this.call('browser_press_key', { text });
  }

  upload(role, name, file) {
    return this.#act('browser_upload', role, name, { content: [file] });
  }

  async drag([role, name], [toRole, toName]) {
    const to = await this.#target(toRole, toName);
    return this.#act('browser_drag', role, name, { to });
  }

  /** `pixels` down in a box that scrolls. */
  scroll(role, name, pixels) {
    return this.#act('browser_scroll', role, name, { direction: 'down', pixels });
  }

  /** A click so far from the top left corner of an element, for what is drawn. */
  async clickAt(css, x, y) {
    const at = JSON.parse(await this.value(`(() => { const box = document.querySelector(${JSON.stringify(css)}).getBoundingClientRect();
      return JSON.stringify([box.x, box.y]); })()`));
    return this.call('browser_mouse', { x: at[0] + x, y: at[1] + y });
  }

  /** A text that a script gives. */
  async value(code) {
    return JSON.parse((await this.call('browser_evaluate', { script: code })).split('\n')[0]);
  }

  see(holds, ...args) {
    return this.value(script(holds, args));
  }

  close() {
    return this.call('close_session', {});
  }
}

export class TabardSide {
  name = 'tabard';
  #opened = 0;

  /** `t` has `after`, as a test has. */
  static async start(t) {
    const self = new TabardSide();
    const daemon = await Daemon.start(t);
    self.agent = await Agent.connect(t, daemon, undefined, { groups: 'files,pointer' });
    return self;
  }

  /** `where`: further arguments of start_session. */
  async open(url, where = {}) {
    const user = new User(this.agent, `app${this.#opened += 1}`);
    await this.agent.call('start_session', { sessionId: user.sessionId, url, ...where });
    return user;
  }
}
