// SPDX-License-Identifier: Apache-2.0
// Waiting until an element can be used. Everything is tried at once and without a pause; only what is not ready is
// tried again, frame by frame, until the time is over. The message then says what was in the way.

const DEFAULT_WAIT_MS = 5000;
const UNDRAWN_ENOUGH = 3; // then the tab is hidden, and nothing will move for being watched

// Whether the daemon was told that the function under way still waits and has done nothing: then it can be called anew in the next document.
let seeking = false;

const seek = (now) => {
  if (seeking !== now) {
    seeking = now;
    tellDaemon('seeking', { seeking });
  }
};

// One function acts at a time. One whose turn is over, since the daemon has given it up or called another, must not act when its element comes.
let turn = 0;

const endTurn = () => {
  turn += 1;
};

/** The number of the turn that begins. */
const beginTurn = () => {
  seeking = false;
  endTurn();
  return turn;
};

// A page that stood still for so long may have shown a dialog, and the daemon given up meanwhile: its word comes behind timers and frames that are
// due, and behind a call that was under way to the page. So it is asked, and answers only for a function that it still waits for.
const STALLED_MS = 50;
const hasStalled = (since) => performance.now() - since > STALLED_MS;

// When the function that is called next was sent, by the daemon's clock. Another machine's may differ: then it is asked for nothing, or in vain.
let sentAt = Infinity;
const sent = (at) => {
  sentAt = at;
};
const cameLate = () => Date.now() - sentAt > STALLED_MS;

let resume = null;
const goOn = () => resume?.(true);

const ANSWER_MS = 1000; // at least

const answer = (deadline) => new Promise((resolve) => {
  resume = resolve;
  pause(Math.max(deadline - performance.now(), ANSWER_MS)).then(() => resolve(false));
  tellDaemon('stalled', { stalled: true });
});

/** Whether the daemon still waits, by its answer. One that took long is out of date, too; on a machine that is always slow it counts at last. */
const isWaitedFor = async (deadline) => {
  seek(true);
  for (let patience = STALLED_MS; ; patience *= 2) {
    const asked = performance.now();
    if (!await answer(deadline)) {
      return false;
    }
    if (performance.now() - asked <= patience) {
      return true;
    }
  }
};

const forNobody = (waited = '') => fail('timeout', `the call is no longer waiting for this; nothing was done${waited}`);

/** {el, matches}: what a target means, as strictly as the caller wants it. */
const meantBy = ({ target, strict = false }) => (strict ? findMeant(target) : { el: findFirst(target), matches: 1 });

class Waiting {
  /** `known`: what an act before it was done on; it is meant as long as it can be seen. */
  constructor({ target, timeout_ms: timeoutMs, strict, known = null }) {
    this.target = target;
    this.strict = strict;
    this.known = known;
    this.timeoutMs = Math.min(Math.max(Number(timeoutMs ?? DEFAULT_WAIT_MS) || 0, 0), 600_000);
    this.began = performance.now();
    this.deadline = this.began + this.timeoutMs;
    this.tries = 0;
    this.careful = false;
    this.looked = null;
    this.place = null; // in the frame before
    this.drawn = 0; // frames in a row that were drawn in time
    this.undrawn = 0; // waits in a row in which none was
    this.turn = beginTurn();
  }

  /**
   * Calls `attempt(el)` until it gives something else than {why}; fails with the last reason, or as {giveUp} says. `surely` is
   * what no waiting mends: it fails at once, unless the page is still busy with what was done last. `code` is the code of the failure, else
   * it is element_not_ready.
   */
  async until(attempt) {
    if (cameLate() && !await isWaitedFor(this.deadline)) {
      return this.forNobody();
    }
    const untold = selectionHeard();
    if (untold !== null) {
      await untold;
      if (this.turn !== turn) {
        return this.forNobody();
      }
    }
    for (;;) {
      const began = performance.now();
      const { el, matches: count } = this.known !== null && isVisible(this.known) ? { el: this.known, matches: 1 } : meantBy(this);
      const result = el === null ? null : attempt(el);
      if (result !== null && result.why === undefined) {
        lastActAt = performance.now();
        return count > 1 ? { ...await result, matches: count } : result;
      }
      if (performance.now() >= this.deadline || (!mayStillChange() && (result === null ? this.isText() : result.surely === true))) {
        return this.giveUp(el, result);
      }
      seek(true);
      const wasDrawn = await nextFrame();
      this.drawn = wasDrawn ? this.drawn + 1 : 0;
      this.undrawn = wasDrawn ? 0 : this.undrawn + 1;
      if (hasStalled(began) && !await isWaitedFor(this.deadline)) {
        return this.giveUp(el, result);
      }
      this.tries += 1;
      if (this.turn !== turn) {
        return this.forNobody();
      }
    }
  }

  forNobody() {
    return forNobody(this.waited());
  }

  /** Whether the target is a text of the page, not a selector. One look: it takes its time. */
  isText() {
    this.looked ??= { isText: isOnlyText(asTarget(this.target)) };
    return this.looked.isText;
  }

  /** For the end of a message. */
  waited() {
    const ms = Math.round(Math.min(performance.now() - this.began, this.timeoutMs));
    return this.tries > 0 && ms > 0 ? `; waited ${ms} ms` : '';
  }

  giveUp(el, result) {
    if (result === null) {
      return noSuchElement(this.target, this.waited());
    }
    return result.giveUp?.(this.waited()) ?? fail(result.code ?? 'element_not_ready', `${sketch(el)} ${result.why}${this.waited()}`);
  }

  /** Whether the element stood still from one frame to the next, or has no reason to move. */
  isStill(el) {
    const moves = this.careful && movement(el) === 'no' ? 'maybe' : movement(el);
    if (moves === 'no') {
      return true;
    }
    const place = placeOf(el);
    const sawFrames = this.drawn > 1 || this.undrawn > UNDRAWN_ENOUGH;
    const still = moves === 'maybe' && sawFrames && place === this.place;
    this.place = place;
    if (still) {
      standsStill(el);
    }
    return still;
  }
}

// What an act or a load has set in motion: options that belong to another choice, fields that are filled by then.
const AFTER_ACT_MS = 1000;
let lastActAt = 0;
for (const type of ['load', 'keydown', 'mouseup']) {
  globalThis.addEventListener(type, () => { lastActAt = performance.now(); }, { capture: true, passive: true });
}
const mayStillChange = () => readyStateOf(document) !== 'complete' || performance.now() - lastActAt < AFTER_ACT_MS;

const whyHidden = (el) => {
  const style = styleOf(el);
  if (style.display === 'none') {
    return 'is hidden (display: none)';
  }
  if (style.visibility !== 'visible') {
    return `is hidden (visibility: ${style.visibility})`;
  }
  return checkVisibility(el) ? 'is hidden: its box is empty' : 'is hidden: something around it is not displayed';
};

/** Why one cannot use an element that is drawn; null: one can. */
const whyDisabled = (el) => {
  if (isDisabled(el)) {
    const around = hasAttr(el, 'disabled') ? null : closest(el, 'fieldset[disabled]');
    return around === null ? 'is disabled' : `is disabled, as is all of ${sketch(around)}`;
  }
  for (let up = el, steps = 0; up !== null && steps < 1000; up = parentElementOf(up), steps += 1) {
    if (hasAttr(up, 'inert')) {
      return 'is inert';
    }
    if (isTrue(up, 'aria-disabled')) {
      return up === el ? 'is disabled' : `is inside ${sketch(up)}, which is disabled`;
    }
  }
  return null;
};

const ALIGNMENTS = ['center', 'end', 'start', 'nearest'];
const SPOTS = [[0.5, 0.5], [0.5, 0.2], [0.5, 0.8], [0.1, 0.5], [0.9, 0.5]];
const BOXES_TRIED = 10;
const TRY_ALL_EVERY = 15; // frames

/** The point of a box to use: its middle, or where the caller says. Only what lies in the viewport counts. */
const spotIn = (el, box, position, [across, down]) => {
  if (position) {
    return { x: box.left + Number(position.x), y: box.top + Number(position.y) };
  }
  const { width, height } = viewportOf(ownerOf(el));
  const left = Math.max(box.left, 0);
  const top = Math.max(box.top, 0);
  const right = Math.min(box.right, width);
  const bottom = Math.min(box.bottom, height);
  return right > left && bottom > top
    ? { x: left + (right - left) * across, y: top + (bottom - top) * down }
    : { x: box.left + box.width * across, y: box.top + box.height * down };
};

const isReachable = (el, point) => isInViewport(ownerOf(el), point) && isInViewport(document, toOurs(el, point));

/** The boxes that may be clicked, the first first. What breaks over lines has several, and so has a label, for a link in it and the text beside that. */
const boxesToTry = (el, position) => {
  const boxes = position ? [] : [...boxesOf(el)].slice(0, BOXES_TRIED).filter((box) => firstWithArea([box]) !== null);
  return boxes.length === 0 ? [mainBox(el)] : boxes;
};

/** A point that a click can use as the page is scrolled now, or what is in the way. */
const tryAsScrolled = (el, position, spots) => {
  let why = null;
  for (const box of boxesToTry(el, position)) {
    for (const spot of spots) {
      const point = spotIn(el, box, position, spot);
      const hit = isReachable(el, point) ? elementAt(ownerOf(el), point) : undefined;
      const obstacle = hit === undefined ? { outside: true } : obstacleAt(el, point, hit);
      if (obstacle === null) {
        return { point, box, hit };
      }
      why = why === null || why.outside ? obstacle : why;
    }
  }
  return { obstacle: why };
};

/** The same, scrolling: a sticky header or footer may cover it at one place and not at another. */
const findPoint = (el, position, tries) => {
  const spots = position ? SPOTS.slice(0, 1) : SPOTS;
  let found = tryAsScrolled(el, position, spots.slice(0, 1));
  if (found.point || tries % TRY_ALL_EVERY !== 0) {
    return found;
  }
  for (const block of ALIGNMENTS) {
    scrollIntoView(el, { block, inline: block === 'start' ? 'start' : 'center', behavior: 'instant' });
    found = tryAsScrolled(el, position, spots);
    if (found.point) {
      return found;
    }
  }
  scrollIntoView(el, { block: 'center', inline: 'center', behavior: 'instant' });
  return tryAsScrolled(el, position, spots);
};

const whyNoPoint = (el, { outside, hit }) => {
  if (outside) {
    return 'cannot be scrolled into view';
  }
  if (styleOf(el).pointerEvents === 'none') {
    return 'takes no clicks (pointer-events: none)';
  }
  return hit === null || hit === undefined ? 'is clipped: no part of it can be clicked' : `is covered by ${sketch(coverOf(hit, el))}`;
};

/** What the element is, for the reply. */
const introduce = (el, tag = tagOf(el), marked = isMarked(el), role = roleOf(el, tag, marked)) => ({
  tag, role, name: cut(nameOf(el, tag, role, marked)),
});

/** With `presses` the click that follows is watched over; into what another document fills nobody can look from here. */
const pointReply = (el, { x, y }, box, presses, hit) => {
  const aimed = presses > 0 && !OTHER_DOCUMENTS.has(tagOf(hit ?? el));
  if (aimed) {
    aimAt(el, { presses });
  }
  const at = toOurs(el, { x, y });
  return {
    x: rounded(at.x),
    y: rounded(at.y),
    width: rounded(box.width),
    height: rounded(box.height),
    ...introduce(el),
    ...(aimed ? { aimed } : {}),
    ...(aimed && isMouseAt(hit, { x, y }) ? { there: true } : {}),
    clicks,
  };
};

const takesClicks = (el) => styleOf(el).pointerEvents !== 'none';

/** A field that is hidden behind its label, or leaves the clicks to it, is clicked by the label. */
const clickTarget = (el) => {
  if (tagOf(el) === 'input' && !(isVisible(el) && takesClicks(el))) {
    for (const label of el.labels ?? []) {
      if (isVisible(label) && takesClicks(label)) {
        return label;
      }
    }
  }
  return el;
};

/** Why one cannot click what is not drawn; for what never is, what to do instead. */
const whyUndrawn = (el) => {
  const tag = tagOf(el);
  const list = tag === 'option' ? closest(el, 'select') : null;
  if (list !== null && isVisible(list)) {
    // The words have a ref in them, so they are made once, at the end.
    const useSelect = (waited) => fail('closed_select', `${sketch(el)} is an option of a closed select, ${handleOf(list)}${waited}`);
    return { why: 'is an option of a closed select', surely: true, giveUp: useSelect };
  }
  if (tag === 'input' && el.type === 'file') {
    return { why: `${whyHidden(el)} and takes files; only what stands for it can be clicked`, surely: true, code: 'takes_files' };
  }
  return { why: whyHidden(el) };
};

const tryPoint = (el, position, presses, waiting) => {
  const disabled = whyDisabled(controlOf(el));
  if (disabled !== null) {
    return { why: disabled };
  }
  if (!waiting.isStill(el)) {
    return { why: 'keeps moving' };
  }
  const { point: at, box, hit, obstacle } = findPoint(el, position, waiting.tries);
  return at === undefined ? { why: whyNoPoint(el, obstacle) } : pointReply(el, at, box, presses, hit);
};

const forcePoint = (el, position, presses) => {
  scrollIntoView(el, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const box = mainBox(el);
  const at = spotIn(el, box, position, SPOTS[0]);
  return pointReply(el, at, box, presses, presses > 0 ? elementAt(ownerOf(el), at) : null);
};

/** `careful`: it has moved away under the mouse before, so it has to stand still for a frame. `drags`: the press begins a drag, so it may
 * follow the mouse. `drop`: what is dragged is for it. */
const point = ({ position, force = false, presses = 0, careful = false, drags = false, drop = false, watch: watches = false, strict = false, ...options }) => {
  const waiting = new Waiting({ ...options, strict: strict && !force });
  waiting.careful = careful;
  countRefs(options);
  forgetAim();
  return waiting.until((found) => {
    const el = clickTarget(found);
    if (!isVisible(el)) {
      return whyUndrawn(el);
    }
    const reply = force ? forcePoint(el, position, presses) : tryPoint(el, position, presses, waiting);
    if (watches && reply.why === undefined) {
      watchPress(el);
    }
    if (drags && reply.aimed) {
      aim.drags = true;
    }
    if (drop && reply.why === undefined) {
      landAt(el);
    }
    return reply;
  });
};

const bringIntoView = (frame, inside) => {
  scrollIntoView(frame, { block: 'nearest', inline: 'nearest', behavior: 'instant' });
  const at = outOf(frame, inside);
  if (!isReachable(frame, at)) {
    const { width, height } = viewportOf(ownerOf(frame));
    scrollBy(pageScroller(ownerOf(frame)), { left: at.x - width / 2, top: at.y - height / 2, behavior: 'instant' });
  }
  return outOf(frame, inside);
};

/**
 * A point inside a frame that this script cannot enter, in our viewport: waits until nothing lies over it there. What then
 * presses something in this document was not meant for it.
 */
const through = ({ x, y, force = false, presses = 0, ...options }) => {
  const waiting = new Waiting(options);
  return waiting.until((frame) => {
    let at = outOf(frame, { x, y });
    if (!force && !isReachable(frame, at)) {
      at = bringIntoView(frame, { x, y });
    }
    const obstacle = force ? null : !isReachable(frame, at) ? { outside: true } : obstacleAt(frame, at);
    if (obstacle !== null) {
      return { why: whyNoPoint(frame, obstacle) };
    }
    if (presses > 0) {
      aimAt(frame, { presses, beyond: true });
    }
    const ours = toOurs(frame, at);
    return { x: rounded(ours.x), y: rounded(ours.y) };
  });
};
