// SPDX-License-Identifier: Apache-2.0
// What input really reaches. Between our look at an element and the press of the mouse a page can move anything, and between
// two keys it can move the focus. So the element that is meant is noted first: a press or key that reaches another one is held
// back before the page sees it, and the daemon is told. Listeners are there from the start of the document, before any of the page's.

/**
 * {id, el, typing, keys, beyond, left, verdict, pressed, place, unmoved, clicked, over}: `keys` are those that have come; `beyond` a frame, so that nothing of it is for this
 * document; `left` presses are to come; `verdict` is null until the first of them (or a stray key) has come, then true or a sketch of
 * what was there; `pressed` is what the mouse went down on; `place` is where the element was then, and `unmoved` whether it was still
 * there when the page had dealt with that; `clicked` is null until a click has come, then true or a sketch of what received it in place
 * of the element. The scripts of same-origin frames around an element share one such object.
 */
let aim = null;

const takeAim = (shared) => {
  aim = shared;
};

/** Input that comes from now on is nobody's business until the next aim. */
const forgetAim = () => {
  if (aim !== null) {
    aim.over = true;
  }
};

const aimAt = (el, { typing = false, presses = 0, beyond = false } = {}) => {
  aim = { id: Math.random(), el, typing, keys: 0, beyond, left: presses, verdict: null, pressed: null, place: '', unmoved: false, clicked: null, over: false };
  for (let doc = ownerOf(el); doc !== document;) {
    viewOf(doc).tabard?.takeAim(aim);
    doc = ownerOf(frameElementOf(doc));
  }
};

const isAimed = (typing, event) => aim !== null && !aim.over && aim.typing === typing && event.isTrusted;

const holdBack = (event) => {
  event.preventDefault();
  event.stopImmediatePropagation();
};

/** The innermost element that an event is for. A closed shadow root that we know hides it from us, but not from a look at the point. */
const targetOf = (event) => {
  const [first] = event.composedPath();
  return adopted.has(first) && event.clientX !== undefined ? elementAt(ownerOf(first), { x: event.clientX, y: event.clientY }) ?? first : first;
};

/** A page that removes or moves what is pressed gets no click from the browser, or one for something around it. */
const noteClick = (event) => {
  const hit = targetOf(event);
  if (hit === aim.pressed || standsFor(hit, aim.el)) {
    aim.clicked = true;
  } else {
    aim.clicked ??= sketch(hit);
  }
};

/**
 * Whether the mouse went down on the element and comes up elsewhere, because the element was on its way. The browser makes no click
 * on it of that. What the press itself has moved has had its press, and must not get another.
 */
const hasSlipped = (event) => event.type === 'mouseup' && aim.verdict === true && aim.clicked === null && aim.unmoved
  && placeOf(aim.el) !== aim.place && !standsFor(targetOf(event), aim.el);

const onPress = (event) => {
  if (!isAimed(false, event)) {
    return;
  }
  if (aim.verdict === null && event.type.endsWith('down')) {
    aim.pressed = targetOf(event);
    aim.verdict = (!aim.beyond && standsFor(aim.pressed, aim.el)) || sketch(coverOf(aim.pressed, aim.el));
    aim.place = placeOf(aim.el);
  }
  if (aim.clicked === null && (event.type === 'click' || event.type === 'auxclick')) {
    noteClick(event);
  }
  aim.left -= event.type === 'mouseup' ? 1 : 0;
  const slipped = hasSlipped(event);
  if (slipped) {
    aim.verdict = sketch(coverOf(targetOf(event), aim.el));
  }
  if (typeof aim.verdict === 'string') {
    // A page that has seen the mouse go down sees it come up: nothing stays pressed.
    if (!slipped) {
      holdBack(event);
    }
    // The click itself comes in the same breath as the last mouseup, so what the daemon does next is behind it.
    if (event.type === 'mouseup' && aim.left <= 0) {
      tellDaemon('missed', { missed: aim.verdict });
    }
  }
};

/** When all listeners of the page have had their turn, those of the window too. */
const onPressed = (event) => {
  if (isAimed(false, event) && aim.verdict === true && aim.clicked === null) {
    aim.unmoved = placeOf(aim.el) === aim.place;
  }
};
const listenToPressLast = () => {
  globalThis.removeEventListener('mousedown', onPressed);
  globalThis.addEventListener('mousedown', onPressed);
};

const takesKeys = (target) => holds(aim.el, target)
  || (holds(target, aim.el) && (aim.el.isContentEditable === true || adopted.has(target)));

// Whether the last key came while nothing had the focus.
let keyForNobody = false;

const isNobody = (el) => el === null || (el === bodyOf(document) && el.isContentEditable !== true && document.designMode !== 'on')
  || el === rootElementOf(document) || el === document;

/** {unfocused}, once. */
const keyReply = () => {
  const reply = keyForNobody ? { unfocused: true } : {};
  keyForNobody = false;
  return reply;
};

const onType = (event) => {
  if (event.isTrusted) {
    keyForNobody = event.type === 'keydown' && isNobody(targetOf(event));
  }
  if (event.isTrusted && (watch === null || watch.told)) {
    watchChanges(); // the daemon may press a key without a word before it
  }
  if (!isAimed(true, event)) {
    return;
  }
  if (aim.verdict === null && !takesKeys(targetOf(event))) {
    aim.verdict = sketch(targetOf(event));
    tellDaemon('strayed', { strayed: aim.verdict, keys: aim.keys });
  }
  aim.keys += aim.verdict === null ? 1 : 0;
  if (aim.verdict !== null) {
    holdBack(event);
  }
};

/** What was held back when it went down does not come up either. */
const onKeyUp = (event) => {
  if (isAimed(true, event) && aim.verdict !== null) {
    holdBack(event);
  }
};

/**
 * The focus is in another frame now: keys would go there, and a frame of another origin has nothing to hold them back. So the daemon is
 * told at once, and it knows whether there are more to come. One of our origin holds them back itself.
 */
const onWindowBlur = (event) => {
  if (event.target !== globalThis || !isAimed(true, event) || aim.verdict !== null || (hasFocus(aim.el) && ownerOf(aim.el).hasFocus())) {
    return;
  }
  const frame = inDocument.active(document);
  const inner = frame === null ? null : frameDocumentOf(frame);
  if (inner !== null && !holds(inner, aim.el)) {
    viewOf(inner).tabard?.takeAim(aim);
  }
  tellDaemon('away', { away: frame === null || holds(frame, aim.el) ? 'another frame' : sketch(frame), aim: aim.id, keys: aim.keys });
};

/** Why a press that hit the element was no click on it; nothing if it was one. */
const clickReply = ({ el, clicked }) => (clicked === true ? {} : { unclicked: { removed: !isAttached(el), instead: clicked ?? '' } });

/** What came of it, once. `hit` false: nothing has reached this document. */
const aimReply = () => {
  if (aim === null || aim.over) {
    return {};
  }
  const { typing, beyond, verdict } = aim;
  aim.over = true;
  if (typeof verdict === 'string') {
    return typing ? { strayed: verdict } : { missed: verdict };
  }
  if (typing || beyond) {
    return {};
  }
  return verdict === true ? { hit: true, ...clickReply(aim) } : { hit: false };
};

for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'contextmenu', 'dblclick']) {
  globalThis.addEventListener(type, onPress, { capture: true });
}
globalThis.addEventListener('mousedown', listenToPressLast, { capture: true, passive: true });
for (const type of ['keydown', 'beforeinput']) {
  globalThis.addEventListener(type, onType, { capture: true });
}
globalThis.addEventListener('keyup', onKeyUp, { capture: true });
globalThis.addEventListener('blur', onWindowBlur, { capture: true });
