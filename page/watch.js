// SPDX-License-Identifier: Apache-2.0
// What an act does to the page, noted while it happens: mutations, input that makes none, and whether more is to come. What is made of that for
// the reply stands in changes.js.

const RECORDS = 500;
const NAMED_NODES = 3000; // nodes that came or went by the records
const REGIONS = 300;
const KIND_NODES = 20; // of a record; more are not looked through for an element
const STYLE_TEXT = 1000; // characters of a style attribute that are looked at

const SHOWING = ['alt', 'aria-checked', 'aria-current', 'aria-disabled', 'aria-expanded', 'aria-hidden', 'aria-invalid', 'aria-label',
  'aria-pressed', 'aria-selected', 'aria-valuenow', 'aria-valuetext', 'class', 'contenteditable', 'disabled', 'hidden', 'inert', 'open',
  'placeholder', 'readonly', 'required', 'role', 'style', 'title'];
// What makes an element one that pops up, or no more. Where it shows, something else changes, too.
const KIND_ONLY = words('aria-modal popover');
const KIND = words('aria-modal popover role');
const OBSERVED = { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: [...SHOWING, ...KIND_ONLY], attributeOldValue: true };

const HIDING_STYLE = /(?:^|;)\s*(?:display\s*:\s*none|visibility\s*:\s*hidden)/i;

/** Whether the value that an attribute had says that its element was not shown, in an outline at least. */
const saysHidden = (el, name, value) => {
  switch (name) {
    case 'hidden': case 'inert': return value !== null;
    case 'aria-hidden': return value === 'true';
    case 'open': return value === null && /^(?:dialog|details)$/.test(tagOf(el));
    case 'style': return value !== null && HIDING_STYLE.test(value.slice(0, STYLE_TEXT));
    default: return false;
  }
};

/** Role, name, states and value of one element: what a click can change without a mutation. */
const stateLine = (el) => {
  const source = controlOf(el);
  const tag = tagOf(source);
  const role = roleOf(source, tag);
  return new Line(0, role || tagWord(tag), lineName(source, tag, role, isMarked(source)), statesOf(source, tag, role), source, valueOf(source, tag, role));
};

// What comes a moment after an act. A page can begin it in three ways that can be known without a wait for nothing: an animation of what the
// act has changed, and where nothing has come of a click at all, a timer that is due or the next frames.
const COMING_MS = 400;
const COMING_FRAMES = 2;
const COSMETIC = /^(offset|computedOffset|easing|composite)$|color|shadow|filter|^(background|fill|stroke|outline|text|cursor)/i;

/** Behind the next frame: observers have seen it, and timers that are due come first. */
const afterFrame = () => nextFrame().then((wasDrawn) => pause(0).then(() => wasDrawn));

const hasElement = (nodes) => nodes.length > KIND_NODES || [...nodes].some((node) => nodeTypeOf(node) === ELEMENT);

/** Whether there may be others now among the elements that pop up. */
const changesKinds = ({ type, attributeName, addedNodes, removedNodes }) => (type === 'childList'
  ? hasElement(addedNodes) || hasElement(removedNodes) : KIND.has(attributeName));

/**
 * The observer, handed on from watch to watch while they are for the same roots: to make one takes the browser as long as all else that a watch begins
 * with, but for the search for what pops up, and that is good until an observer that was there all the time has seen an element come or go.
 */
class Lookout {
  watch = null; // null: between two of them
  roots = new Set();
  popups = null; // all that are in the document, shown or not; null: not known
  observer = new MutationObserver((records) => this.pass(records));

  observe(roots) {
    for (const root of roots) {
      if (!this.roots.has(root)) {
        this.roots.add(root);
        this.observer.observe(root, OBSERVED);
      }
    }
  }

  pass(records) {
    if (this.popups !== null && (records.length > RECORDS || records.some(changesKinds))) {
      this.popups = null;
    }
    this.watch?.take(records);
  }

  /** What is on its way. */
  flush() {
    this.pass(this.observer.takeRecords());
  }

  close() {
    this.observer.disconnect();
    this.popups = null;
  }
}

let lookout = null;

/** More has come than one act can have meant, and nothing is listened to until the next. */
const endLookout = () => {
  lookout?.close();
  lookout = null;
};

/** One for these roots and no others. */
const lookoutFor = (roots) => {
  if (lookout !== null && lookout.roots.size === roots.size && [...roots].every((root) => lookout.roots.has(root))) {
    lookout.flush();
  } else {
    endLookout();
    lookout = new Lookout();
    lookout.observe(roots);
  }
  return lookout;
};

class Watch {
  records = []; // {type, target, added, removed, name, hidden}: the attribute of this name had said that the target was not shown
  room = NAMED_NODES;
  entered = new Set(); // controls that a person's input has changed, which makes no record
  pressed = false; // a key was a click on something
  scrolled = null; // {el, height}: what was scrolled to its end, and how high it was then
  told = false;
  first = new Map(); // what was told of elements before the act: they are compared with that, so that what was there for a moment is not told
  known = new Set(); // elements that are not new, though they were never told

  constructor(el) {
    const roots = new Set([document, ...rootsSeen]);
    this.lookout = lookoutFor(this.mind(el, roots));
    this.popups = shownPopups(this.lookout);
    this.began = performance.now();
    this.url = location.href;
    this.title = titleOf(document);
    this.lookout.watch = this;
    watchValidity(roots);
  }

  /** What the act is done to; null: the page. Gives `roots` with those that it is in. */
  mind(el, roots = new Set()) {
    this.el = el;
    this.before = el === null ? '' : stateLine(el).head();
    for (let up = el; up !== null; up = parentOf(rootOf(up))) {
      roots.add(rootOf(up));
    }
    return roots;
  }

  take(records) {
    for (const { type, target, addedNodes, removedNodes, attributeName: name, oldValue } of records) {
      if (this.records.length === RECORDS || this.room === 0) {
        endLookout();
        return;
      }
      if (KIND_ONLY.has(name)) {
        continue;
      }
      const hidden = name !== null && saysHidden(target, name, oldValue);
      this.records.push({ type, target, added: this.someOf(addedNodes), removed: this.someOf(removedNodes), name, hidden });
    }
  }

  /** A popover is shown and hidden without a mutation. */
  takeToggle(target, hidden) {
    this.lookout.flush();
    if (this.records.length < RECORDS) {
      this.records.push({ type: 'attributes', target, added: [], removed: [], name: 'popover', hidden });
    }
  }

  /** As many as there is room for: one record can name any number. */
  someOf(nodes) {
    const taken = [];
    for (let i = 0; i < nodes.length && this.room > 0; i += 1, this.room -= 1) {
      taken.push(nodes[i]);
    }
    return taken;
  }

  /** What was seen until now. It goes on, since more may come of the same act, until the next act or too many records. */
  cut() {
    this.lookout.flush();
    const { el, before, title, records, entered, first, known, popups } = this;
    this.records = [];
    this.room = NAMED_NODES;
    this.entered = new Set();
    this.title = titleOf(document);
    this.told = true;
    return { el, before, title, records, entered, first, known, popups };
  }

  /** What was told so far is over: only what comes from now on is told. */
  forget() {
    this.first = new Map();
  }

  /** Whether there is more now of what was scrolled to its end. */
  hasGrown() {
    const { el, height } = this.scrolled ?? { el: null };
    return el !== null && isAttached(el) && scrollHeightOf(el) > height && !positionOf(el).atBottom; // what came above it keeps it at its end
  }

  isQuiet() {
    this.lookout.flush();
    return this.records.length === 0 && this.entered.size === 0 && invalidFields.size === 0 && titleOf(document) === this.title && location.href === this.url
      && (!isAttached(this.el) || stateLine(this.el).head() === this.before);
  }

  /** Whether a click, or a key that is one, has hit something that is there to be clicked, and nothing has come of it. A field only gets the focus. */
  isUnanswered() {
    return this.el !== null && (this.pressed || (aim !== null && !aim.over && aim.verdict === true)) && kindOf(this.el) === 'none'
      && (closest(this.el, CLICKABLE) !== null || styleOf(this.el).cursor === 'pointer') && this.isQuiet();
  }

  /** The nodes that the act has changed; true: its own attributes. */
  changed() {
    const nodes = new Map();
    for (const { type, target, added } of this.records) {
      nodes.set(target, type === 'attributes' || nodes.get(target) === true);
      for (const node of added) {
        nodes.set(node, true);
      }
    }
    return nodes;
  }

  /** Whether an animation came of the act and shows or hides something. What the mouse does to the element itself and around it is no such thing. */
  isOurs(animation, changed) {
    const target = animation.effect?.target ?? null;
    if (animation.playState !== 'running' || target === null || (this.el !== null && holds(this.el, target))) {
      return false;
    }
    const at = animation.currentTime ?? 0;
    const { endTime } = animation.effect.getComputedTiming();
    if (endTime - at > COMING_MS || at > performance.now() - this.began + COMING_MS) {
      return false;
    }
    const isAround = this.el !== null && holds(target, this.el);
    let up = target;
    for (let steps = 0; !isAround && up !== null && steps < 50 && !changed.has(up); steps += 1) {
      up = parentElementOf(up);
    }
    return (isAround ? changed.get(target) === true : changed.has(up))
      && animation.effect.getKeyframes().slice(0, 20).some((frame) => Object.keys(frame).some((property) => !COSMETIC.test(property)));
  }

  animations() {
    this.lookout.flush();
    if (this.records.length === 0) {
      return [];
    }
    const changed = this.changed();
    return inDocument.animations(document).slice(0, ANIMATION_LIMIT).filter((animation) => this.isOurs(animation, changed));
  }

  /** Whether more is to come of the act than has come so far. */
  isComing() {
    return !this.told && (this.isUnanswered() || this.animations().length > 0);
  }

  async settle() {
    for (let frames = 0; frames < COMING_FRAMES && this.isUnanswered(); frames += 1) {
      await afterFrame();
    }
    const deadline = performance.now() + COMING_MS;
    for (let moving = this.animations(); moving.length > 0 && performance.now() < deadline; moving = this.animations()) {
      await Promise.race([Promise.allSettled(moving.map((animation) => animation.finished)), pause(deadline - performance.now())]);
      await nextFrame();
    }
  }
}

let watch = null;

// What was told last of it, and the number of that.
let lastTold = {};
let toldCount = 0;

// {el}: a press is on its way there, and the watch has not begun.
let watchDue = null;

const endWatch = () => {
  if (watch !== null) {
    watch.lookout.watch = null;
    watch = null;
  }
  watchDue = null;
  lastTold = {};
};

const watchChanges = (el = null) => {
  endWatch();
  watch = new Watch(el);
};

/** For what comes once the mouse is there. What the watch has to look at first takes a tenth of a click, so that is done while the mouse is on its way. */
const watchPress = (el) => {
  if (ownerOf(el) !== document) {
    watchChanges(el); // of the mouse in a frame this window does not hear
    return;
  }
  endWatch();
  watchDue = { el };
  scheduler.postTask(beginWatch, { priority: 'user-blocking' }).catch(() => {});
};
const beginWatch = () => {
  if (watchDue !== null) {
    watchChanges(watchDue.el);
  }
};

/** Frames of our origin leave it to the outermost document to watch: that is the one that is asked what came of an act. */
const outermost = () => {
  let view = globalThis;
  try {
    while (view !== view.parent && Object.hasOwn(view.parent, 'tabard')) {
      view = view.parent;
    }
  } catch {
    // of another origin
  }
  return view;
};

const takeWitness = (type, el, state) => {
  if (type === 'keydown' || type === 'beforeinput') {
    if (watch === null || watch.told) {
      watchChanges(isNobody(el) ? null : el);
    }
  } else if (type === 'click' && watch !== null) {
    watch.pressed = true;
  } else if (type === 'beforetoggle') {
    watch?.takeToggle(el, state === 'open');
  } else if (watch !== null && watch.entered.size < REGIONS) {
    watch.entered.add(el);
  }
};

/**
 * A person's input, seen on its way down: a key, the click that a key is, a choice, a tick or a step; of text that is typed the field tells. And what
 * of the page's doing is no mutation.
 */
const witness = (event) => {
  const view = outermost();
  (view === globalThis ? takeWitness : view.tabard.takeWitness)(event.type, targetOf(event), event.newState);
};

for (const type of ['pointerout', 'pointerover', 'pointermove', 'pointerdown']) {
  guards.push([type, beginWatch, { capture: true, passive: true }]); // on a busy page the mouse comes before a task does
}
guards.push(
  ['beforetoggle', (event) => { if (event.isTrusted && hasAttr(targetOf(event), 'popover')) { witness(event); } }, { capture: true, passive: true }],
  ['click', (event) => { if (event.isTrusted && event.detail === 0) { witness(event); } }, { capture: true, passive: true }],
  ['input', (event) => { if (event.isTrusted && event.inputType === undefined) { witness(event); } }, { capture: true, passive: true }],
);
