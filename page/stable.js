// SPDX-License-Identifier: Apache-2.0
// Whether an element may be moving. To see that it is not takes two frames, ten times as long as the click itself, so
// we wait for frames only where something says that it may: an animation or transition that can move it, a scroll
// under way, or positions in style attributes, which is where scripts that animate write them. What has been seen
// to stand still with the same style attributes is not watched again.

const HARMLESS = new RegExp('^(offset|computedOffset|easing|composite)$|color|opacity|shadow|filter|'
  + '^(background|fill|stroke|visibility|outline|text|cursor)', 'i');
const MOVES_ITSELF = /^(transform|translate|rotate|scale|left|top|right|bottom|inset|offset[A-Z])/;
const POSITION_IN_STYLE = /transform|translate|(?:^|[;\s])(?:left|top|right|bottom|inset)\s*:/;
const ANIMATION_LIMIT = 100;

let scrolling = false;
// Not heard: scrolls inside frames. They are rare, and then the hit test is what is left.
globalThis.addEventListener('scroll', () => { scrolling = true; }, { capture: true, passive: true });
globalThis.addEventListener('scrollend', () => { scrolling = false; }, { capture: true, passive: true });

/** Whether an animation can move `el`: a shift of something around it, or a change of size of anything. */
const canMove = (animation, el) => {
  if (animation.playState !== 'running' || !animation.effect?.target) {
    return false;
  }
  const around = holds(animation.effect.target, el);
  return animation.effect.getKeyframes().slice(0, 20).some((frame) => Object.keys(frame)
    .some((property) => !HARMLESS.test(property) && (around || !MOVES_ITSELF.test(property))));
};

const SOON_MS = 2000;
const endsSoon = (animation) => animation.effect.getComputedTiming().endTime - (animation.currentTime ?? 0) <= SOON_MS;

/** The animations that can move an element, in its root and in those around it. */
const movingAnimations = (el) => {
  const moving = [];
  for (let root = rootOf(el), steps = 0; root !== null && steps < 100; steps += 1) {
    const type = nodeTypeOf(root);
    const animations = type === DOCUMENT || type === FRAGMENT ? readerOf(root).animations(root) : [];
    moving.push(...animations.slice(0, ANIMATION_LIMIT).filter((animation) => canMove(animation, el)));
    const up = parentOf(root);
    root = up === null ? null : rootOf(up);
  }
  return moving;
};

// Style attributes at and around an element when it was last seen to stand still.
const stillStyles = new WeakMap();

const stylesAround = (el) => {
  let styles = '';
  for (let up = el, steps = 0; up !== null && steps < 200 && styles.length < 10_000; up = parentElementOf(up), steps += 1) {
    styles += attr(up, 'style')?.slice(0, 1000) ?? '';
    styles += ';';
  }
  return styles;
};

/** 'no', 'maybe', or 'for now' if it is sure to end within a moment. */
const movement = (el) => {
  const animations = movingAnimations(el);
  if (animations.length > 0) {
    // The first frames of a transition do not differ yet, so one that ends soon is waited for.
    return animations.some(endsSoon) ? 'for now' : 'maybe';
  }
  const styles = stylesAround(el);
  return scrolling || (POSITION_IN_STYLE.test(styles) && stillStyles.get(el) !== styles) ? 'maybe' : 'no';
};

const standsStill = (el) => stillStyles.set(el, stylesAround(el));

/** After so many milliseconds. Timers and frames have numbers of their window, and a page that cancels all small ones hits those of every world: this has none. */
const pause = (ms) => scheduler.postTask(() => {}, { delay: Math.max(0, ms) });

/** True when a frame was drawn. Hidden tabs draw none and busy machines draw late, so a timer goes along: false. */
const nextFrame = () => new Promise((resolve) => {
  requestAnimationFrame(() => resolve(true));
  pause(100).then(() => resolve(false));
});

/** For what pages do once a frame. */
const drawn = () => nextFrame().then(() => ({}));

// Editors learn what is selected from an event that comes behind other work. An act that overtakes it works on what was selected before.
const SELECTION_MS = 100; // far more than it takes
const NOTHING_SELECTED = [[null, 0], [null, 0]];
const selectionNow = () => {
  const selection = getSelection();
  if (selection === null || selection.rangeCount === 0) {
    return NOTHING_SELECTED; // by one question, which takes the browser as long as each of the four
  }
  const { anchorNode, anchorOffset, focusNode, focusOffset } = selection;
  return [[anchorNode, anchorOffset], [focusNode, focusOffset]];
};
let heardSelection = selectionNow();
let whenHeard = []; // who waits for it
const noteSelection = () => {
  heardSelection = selectionNow();
  whenHeard.forEach((resolve) => resolve());
  whenHeard = [];
};
guards.push(['selectionchange', noteSelection, { capture: true, passive: true }]);

/** Whether one end of it was moved. What a page removes or puts in moves it as well, but of that no event tells. */
const isMoved = ([node, offset], [before, offsetBefore]) => (node !== before ? before === null || isConnected(before)
  : node !== null && nodeTypeOf(node) === TEXT && offset !== offsetBefore);

/** When the page has been told what is selected; null: it has. */
const selectionHeard = () => (selectionNow().some((end, at) => isMoved(end, heardSelection[at])) ? new Promise((resolve) => {
  whenHeard.push(resolve);
  pause(SELECTION_MS).then(noteSelection);
}) : null);
