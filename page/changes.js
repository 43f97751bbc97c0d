// SPDX-License-Identifier: Apache-2.0
// What an act has changed, as lines of the outline. Only the parts of the page that its mutations name are looked at, and only
// so many nodes of them, so a large page costs no more than a small one.

const CHANGED_TEXT = 600; // characters of the lines that are told
const CHANGED_NODES = 2000; // nodes that are looked at
const RECORDS = 500;
const NAMED_NODES = 3000; // nodes that came or went by the records
const GONE_NODES = 10_000; // nodes that are looked through for what was told of them
const REGIONS = 300;

const SHOWING = ['alt', 'aria-checked', 'aria-current', 'aria-disabled', 'aria-expanded', 'aria-hidden', 'aria-invalid', 'aria-label',
  'aria-pressed', 'aria-selected', 'aria-valuenow', 'aria-valuetext', 'class', 'contenteditable', 'disabled', 'hidden', 'inert', 'open',
  'placeholder', 'readonly', 'required', 'role', 'style', 'title'];
const OBSERVED = { subtree: true, childList: true, characterData: true, attributes: true, attributeFilter: SHOWING };

// An element whose text is part of its own line is told whole.
const ONE_LINE = `${CLICKABLE},h1,h2,h3,h4,h5,h6,tr,[role=row],[role=heading]`;

// The lines that were last told of an element, joined; and whether an outline of the whole page was.
const toldLines = new WeakMap();
let allTold = false;

/** `texts`: the elements of which bare text was told in the same outline, because that can make several lines. */
const rememberLine = ({ src, role }, text, texts) => {
  if (src === null) {
    return;
  }
  if (role !== 'text') {
    toldLines.set(src, text);
  } else if (texts.has(src)) {
    toldLines.set(src, `${toldLines.get(src)}\n${text}`);
  } else {
    texts.add(src);
    toldLines.set(src, text);
  }
};

/** The texts of lines by the element that they are about. */
const linesBySource = (lines) => {
  const texts = new Map();
  for (const line of lines) {
    if (line.src !== null) {
      const before = texts.get(line.src);
      texts.set(line.src, before === undefined ? line.print() : `${before}\n${line.print()}`);
    }
  }
  return texts;
};

/** Role, name, states and value of one element: what a click can change without a mutation. */
const stateLine = (el) => {
  const source = controlOf(el);
  const tag = tagOf(source);
  const role = roleOf(source, tag);
  return new Line(0, role || tag, lineName(source, tag, role, isMarked(source)), statesOf(source, tag, role), source, valueOf(source, tag, role));
};

const withoutRef = (text) => text.replace(/ \[ref=\w+\]/, '');

/** Whether a line says the same as before, but for the focus, which has gone elsewhere as it does with any act. */
const isOnlyBlurred = (told, text) => told !== undefined && told.includes(' [focused]') && told.replace(' [focused]', '') === text;

const treeWalker = method(Document, 'createTreeWalker');

// What comes a moment after an act. A page can begin it in three ways that can be known without a wait for nothing: an animation of what the
// act has changed, and where nothing has come of a click at all, a timer that is due or the next frames.
const COMING_MS = 400;
const COMING_FRAMES = 2;
const COSMETIC = /^(offset|computedOffset|easing|composite)$|color|shadow|filter|^(background|fill|stroke|outline|text|cursor)/i;

class Watch {
  records = []; // {type, target, added, removed}
  room = NAMED_NODES;
  told = false;

  constructor(el) {
    this.el = el;
    this.began = performance.now();
    this.url = location.href;
    this.title = titleOf(document);
    this.before = el === null ? '' : stateLine(el).head();
    this.observer = new MutationObserver((records) => this.take(records));
    const roots = new Set([document, ...rootsSeen]);
    for (let up = el; up !== null; up = parentOf(rootOf(up))) {
      roots.add(rootOf(up));
    }
    for (const root of roots) {
      this.observer.observe(root, OBSERVED);
    }
    watchValidity(roots);
  }

  take(records) {
    for (const { type, target, addedNodes, removedNodes } of records) {
      if (this.records.length === RECORDS || this.room === 0) {
        this.observer.disconnect();
        return;
      }
      this.records.push({ type, target, added: this.someOf(addedNodes), removed: this.someOf(removedNodes) });
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
    this.take(this.observer.takeRecords());
    const { el, before, title, records } = this;
    this.records = [];
    this.room = NAMED_NODES;
    this.title = titleOf(document);
    this.told = true;
    return { el, before, title, records };
  }

  isQuiet() {
    this.take(this.observer.takeRecords());
    return this.records.length === 0 && invalidFields.size === 0 && titleOf(document) === this.title && location.href === this.url
      && (!isAttached(this.el) || stateLine(this.el).head() === this.before);
  }

  /** Whether a click has hit something that is there to be clicked, and nothing has come of it. A field only gets the focus. */
  isUnanswered() {
    return this.el !== null && aim !== null && !aim.over && aim.verdict === true && kindOf(this.el) === 'none'
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
    this.take(this.observer.takeRecords());
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
      await nextFrame();
      await new Promise((resolve) => { setTimeout(resolve); }); // timers that are due come first
    }
    const deadline = performance.now() + COMING_MS;
    for (let moving = this.animations(); moving.length > 0 && performance.now() < deadline; moving = this.animations()) {
      const over = new Promise((resolve) => { setTimeout(resolve, deadline - performance.now()); });
      await Promise.race([Promise.allSettled(moving.map((animation) => animation.finished)), over]);
      await nextFrame();
    }
  }
}

let watch = null;

// What was told last of it, and the number of that.
let lastTold = {};
let toldCount = 0;

const watchChanges = (el = null) => {
  watch?.observer.disconnect();
  watch = new Watch(el);
  lastTold = {};
};

/** Elements to look at again: those with new content, then those of which only attributes changed. */
const regionsOf = (records) => {
  const renewed = new Set();
  const changed = new Set();
  for (const { type, target, added, removed } of records) {
    for (const node of added) {
      if (nodeTypeOf(node) === ELEMENT) {
        renewed.add(closest(node, ONE_LINE) ?? node);
      }
    }
    const el = nodeTypeOf(target) === ELEMENT ? target : parentElementOf(target);
    const isText = (node) => nodeTypeOf(node) === TEXT;
    if (el !== null && (type !== 'childList' || added.some(isText) || removed.some(isText))) {
      (type === 'attributes' ? changed : renewed).add(closest(el, ONE_LINE) ?? el);
    }
  }
  const all = new Set([...renewed, ...changed]);
  // What is new is looked at by itself, even inside something large of which an attribute changed.
  const isOutermost = (el, among) => {
    let up = parentElementOf(el);
    for (let steps = 0; up !== null && steps < 100 && !among.has(up); steps += 1) {
      up = parentElementOf(up);
    }
    return up === null || !among.has(up);
  };
  const regions = [];
  for (const el of all) {
    if (regions.length === REGIONS) {
      break;
    }
    const isNew = renewed.has(el);
    if (isAttached(el) && isOutermost(el, isNew ? renewed : all) && closest(el, '[aria-hidden=true],[inert]') === null) {
      regions.push([el, isNew]);
    }
  }
  return regions;
};

/** Lines that were told before of what is under the roots and are not there any more. */
const goneFrom = (roots, now) => {
  const gone = [];
  let left = GONE_NODES;
  for (const root of roots) {
    const walker = treeWalker(ownerOf(root), root, NodeFilter.SHOW_ELEMENT);
    for (let el = root; el !== null && left > 0; el = walker.nextNode(), left -= 1) {
      const text = toldLines.get(el);
      if (text !== undefined && !now.has(el)) {
        toldLines.delete(el);
        gone.push(...text.split('\n'));
      }
    }
  }
  return gone;
};

/**
 * {now, whole}: the texts of what is in the regions, and those regions that were looked at to their end. Where only attributes
 * changed, a line that was never told need not be new, unless all that the page showed was told before.
 */
const linesOfRegions = (regions) => {
  const now = new Map();
  const whole = [];
  let left = CHANGED_NODES;
  for (const [region, isNew] of regions) {
    const walk = new Walk({ nodes: left });
    walk.collect(region);
    left -= walk.nodes;
    // Where the walk was cut short, the last line may be, too.
    const lines = walk.cutShort ? walk.lines.slice(0, isNew ? -1 : 0) : walk.lines;
    for (const [src, text] of linesBySource(lines)) {
      if (isNew || allTold || toldLines.has(src)) {
        now.set(src, text);
      }
    }
    if (walk.cutShort) {
      break;
    }
    whole.push(region);
  }
  return { now, whole };
};

const comparedLines = ({ el, before, records }) => {
  const { now, whole } = linesOfRegions(regionsOf(records));
  const own = el === null || !isAttached(el) ? null : stateLine(el);
  if (own !== null && own.head() !== before && !now.has(own.src)) {
    now.set(own.src, own.print());
  }
  const lines = [];
  for (const [src, text] of now) {
    const told = toldLines.get(src);
    if (told !== text && !isOnlyBlurred(told, text)) {
      lines.push(...text.split('\n').map((line) => `${told === undefined ? '+' : '~'} ${line}`));
    }
  }
  const came = new Set(lines.map((line) => withoutRef(line.slice(2))));
  const roots = new Set(whole);
  for (const { removed } of records) {
    for (const node of removed) {
      if (nodeTypeOf(node) === ELEMENT) {
        roots.add(node);
      }
    }
  }
  lines.push(...goneFrom(roots, now).filter((line) => !came.has(withoutRef(line))).map((line) => `- ${line}`));
  for (const [src, text] of now) {
    toldLines.set(src, text);
  }
  return lines;
};

const pickLines = (lines) => {
  const kept = [];
  let room = CHANGED_TEXT;
  for (const line of lines) {
    room -= line.length + 1;
    if (room < 0) {
      break;
    }
    kept.push(line);
  }
  return { text: kept.join('\n').toWellFormed(), more: lines.length - kept.length };
};

/**
 * {changes: {text, more}, titled, invalid, last, told}, as far as there is something to tell; nothing without a watch. `again`: also what came after
 * it was told.
 */
const changesReply = (again) => {
  if (watch === null || (watch.told && !again)) {
    return {};
  }
  const seen = watch.cut();
  const lines = comparedLines(seen);
  const reply = {
    ...(lines.length === 0 ? {} : { changes: pickLines(lines), last: lastRef }),
    ...(titleOf(document) === seen.title ? {} : { titled: true }),
    ...validityReply(),
  };
  if (Object.keys(reply).length > 0) {
    toldCount += 1;
    lastTold = { ...reply, told: toldCount };
    return lastTold;
  }
  return reply;
};

/** Where a dialog came between question and answer, nobody has heard the answer: it is told again, before what has come since. */
const changesSince = (heard) => {
  const unheard = heard < toldCount ? lastTold : {};
  const reply = changesReply(true);
  const parts = [unheard.changes, reply.changes].filter((part) => part !== undefined);
  const changes = { text: parts.map(({ text }) => text).join('\n'), more: parts.reduce((sum, { more }) => sum + more, 0) };
  return { ...unheard, ...reply, ...(parts.length === 0 ? {} : { changes }) };
};
