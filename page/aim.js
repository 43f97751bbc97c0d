// SPDX-License-Identifier: Apache-2.0
// What input really reaches. Between our look at an element and the press of the mouse a page can move anything, and between
// two keys it can move the focus. So the element that is meant is noted first: a press or key that reaches another one is held
// back before the page sees it, and the daemon is told. Listeners are there from the start of the document, before any of the page's.

/**
 * {id, el, typing, keys, entering, due, heard, beyond, left, down, got, verdict, drags, pressed, place, unmoved, slipped, clicked, stopped, told, over}: `keys`
 * are those that have come, `entering` while one is about to put its text in, `due` how many are to come, and of the last is told when it goes down (`heard` is "key") or is in ("input"); `beyond` a frame, so that nothing of it is for this document; `left` presses are to come, `down` is one that is
 * under way, `got` those that went to the element; `verdict` is null until the first of them (or a stray key) has come, then true or a sketch
 * of what was there; `pressed` is what the mouse went down on; `place` is where the element was then, and `unmoved` whether it was still
 * there when the page had dealt with that; `slipped` while the mouse comes up where the element is no more; `clicked` is null until a click
 * has come, then true or a sketch of what received it in place of the element; `stopped` is a sketch of what a later press would have hit.
 * `told`: the daemon knows that the press came. The scripts of all frames of this origin share one such object.
 */
let aim = null;

// {el, reached}: where something that is dragged is to be dropped, and whether it was seen there.
let landing = null;

const addListener = method(EventTarget, 'addEventListener');
const removeListener = method(EventTarget, 'removeEventListener');
const guards = []; // [type, listener, options]

// {el, x, y}: where the mouse was last seen in this document, and on what; null: it was not, or has left.
let mouseAt = null;

let guardedDocument = document;

/**
 * Listeners that are there stay where they are. document.open() takes away those of its window, all of them, in every world. And a document
 * that has taken over the window of an empty one does not know of those that are there (Chromium 156).
 */
const guard = (view = globalThis) => {
  const anew = view === globalThis && guardedDocument !== document;
  for (const [type, listener, options] of guards) {
    if (anew) {
      removeListener(view, type, listener, options);
    }
    addListener(view, type, listener, options);
  }
  if (anew) {
    guardedDocument = document;
    watchDocument();
  }
};

/** A document that is opened anew loses its content, too, and of that an observer hears before the next event comes. */
const watchDocument = () => new MutationObserver(() => guard()).observe(document, { childList: true });

/** So our own window is guarded already, unless another document has taken it over. This is part of every click: twenty listeners are too many for it. */
const stayGuarded = () => {
  if (guardedDocument !== document) {
    guard();
  }
};

const takeAim = (sharedAim, sharedLanding) => {
  aim = sharedAim;
  landing = sharedLanding;
  stayGuarded();
};

const WINDOWS = 100;

/** Of the tab, ours among them. Their number and places are open to everybody, what is inside only to their own origin. */
const allWindows = () => {
  const all = globalThis.top === null ? [] : [globalThis.top];
  for (let i = 0; i < all.length; i += 1) {
    for (let k = 0; k < all[i].length && all.length < WINDOWS; k += 1) {
      all.push(all[i][k]);
    }
  }
  return all;
};

/** What the page puts under the mouse may be in any window. One of our origin that has no script of ours yet is watched from here. */
const shareAim = (views) => {
  for (const view of views) {
    try {
      if (view === globalThis) {
        stayGuarded();
      } else if (Object.hasOwn(view, 'tabard')) {
        view.tabard.takeAim(aim, landing);
      } else {
        guard(view);
      }
    } catch {
      // of another origin
    }
  }
};

/** Input that comes from now on is nobody's business until the next aim. */
const forgetAim = () => {
  if (aim !== null) {
    aim.over = true;
  }
};

/** The windows around an element, up to ours. */
const windowsAround = (el) => [...framesAround(el).map((frame) => frame.contentWindow), globalThis];

const aimAt = (el, { typing = false, due = 0, heard = '', presses = 0, beyond = false } = {}) => {
  aim = { id: Math.random(), el, typing, keys: 0, entering: false, due, heard, beyond, left: presses, down: false, got: 0, verdict: null, drags: false, pressed: null, place: '', unmoved: false, slipped: false, clicked: null, stopped: null, told: false, over: false };
  shareAim(typing || beyond ? windowsAround(el) : allWindows());
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

const noteMouse = (event) => {
  if (event.isTrusted) {
    // On its way to another element a move of it follows; into a frame, or under what comes to lie over it, none does.
    const left = event.pointerType !== 'mouse' || event.type === 'pointerout';
    mouseAt = left ? null : { el: targetOf(event), x: event.clientX, y: event.clientY };
  }
};

/** Whether the mouse is at a point of this document already, on what lies there now: it stays where it was left, as a person's does between two clicks. */
const isMouseAt = (hit, { x, y }) => mouseAt !== null && mouseAt.el === hit && ownerOf(hit) === document
  && Math.abs(mouseAt.x - x) < 1 && Math.abs(mouseAt.y - y) < 1;

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
 * on it of that. What the press itself has moved has had its press, and must not get another; so it is judged before the page hears
 * that the mouse comes up. The place comes last: asking for it has the browser do its layout.
 */
const hasSlipped = (event) => event.type === 'pointerup' && !aim.drags && aim.verdict === true && aim.clicked === null && aim.unmoved
  && !standsFor(targetOf(event), aim.el) && placeOf(aim.el) !== aim.place;

/** Each press is judged when it goes down: a page may put something else there after the first. */
const judge = (event) => {
  const hit = targetOf(event);
  const first = aim.verdict === null;
  const right = !aim.beyond && standsFor(hit, aim.el);
  aim.down = true;
  aim.got += right ? 1 : 0;
  if (first) {
    aim.pressed = hit;
    aim.verdict = right || sketch(coverOf(hit, aim.el));
    aim.place = placeOf(aim.el);
  } else if (aim.verdict === true && !right) {
    aim.stopped ??= sketch(coverOf(hit, aim.el));
  }
  // Word of the click follows. That of a drag does not, and a frame may be taken away before it has told.
  if (first && right && (aim.drags || globalThis !== globalThis.top)) {
    tellStruck(aim);
  }
};

/** At once: a dialog, a new tab or another document may be what comes next, and then nobody can be asked here. */
const tellStruck = (struck) => {
  if (!struck.told && !struck.over) {
    struck.told = true;
    tellDaemon('struck', { struck: true });
  }
};

/** The same for the click that was meant, or the last key: a dialog before it has come in the middle of the act. */
const tellDone = () => {
  if (aim !== null) {
    aim.told = true;
  }
  tellDaemon('struck', { struck: true, done: true });
};

/** The document is about to go, or another tab comes before it: nobody may be able to ask here any more. */
const onLeave = () => {
  if (aim !== null && !aim.typing && aim.verdict === true) {
    tellStruck(aim);
  }
};

const onPress = (event) => {
  if (!isAimed(false, event)) {
    return;
  }
  if (!aim.down && event.type.endsWith('down')) {
    judge(event);
  }
  aim.down = aim.down && !event.type.endsWith('up');
  if (aim.stopped === null && (event.type === 'click' || event.type === 'auxclick')) {
    if (aim.clicked === null) {
      noteClick(event);
    }
    if (aim.clicked === true && aim.verdict === true) { // and not a click on what was in its place
      tellDone(); // it may take its own frame away
    }
  }
  aim.left -= event.type === 'mouseup' ? 1 : 0;
  if (aim.stopped !== null) {
    holdBack(event);
    return;
  }
  if (hasSlipped(event)) {
    aim.slipped = true;
    aim.verdict = sketch(coverOf(targetOf(event), aim.el));
  }
  if (typeof aim.verdict === 'string') {
    // A page that has seen the mouse go down sees it come up: nothing stays pressed.
    if (!aim.slipped || !event.type.endsWith('up')) {
      holdBack(event);
    }
    aim.slipped = aim.slipped && event.type !== 'mouseup';
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
const listenToPressLast = ({ currentTarget: view }) => {
  removeListener(view, 'mousedown', onPressed);
  addListener(view, 'mousedown', onPressed);
};

/** Whether keys for this target are for the element. Of a closed root only the host is named, whichever of its fields has the focus. */
const takesKeys = (target) => holds(aim.el, target)
  || (holds(target, aim.el) && (adopted.has(target) ? hasFocus(aim.el) : kindOf(aim.el) === 'contenteditable'));

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
    witness(event); // the daemon may press a key without a word before it
  }
  if (!isAimed(true, event)) {
    return;
  }
  if (aim.verdict === null && !takesKeys(targetOf(event))) {
    aim.verdict = sketch(targetOf(event));
    tellDaemon('strayed', { strayed: aim.verdict, keys: aim.keys });
  }
  if (aim.verdict === null) {
    aim.entering = event.type === 'beforeinput';
    aim.keys += event.type === 'keydown' || aim.keys === 0 ? 1 : 0; // text may come without a key
    if (aim.heard === 'key' && aim.keys === aim.due && event.type === 'keydown') {
      tellDone();
    } else {
      tellStruck(aim);
    }
  }
  if (aim.verdict !== null) {
    holdBack(event);
  }
};

/** The text is in or the box ticked, whatever the page's own listeners do about it; or it went where they have moved the selection. */
const onEntered = (event) => {
  const typed = isAimed(true, event) && aim.verdict === null;
  const strays = typed && aim.entering && !takesKeys(targetOf(event));
  if (typed) {
    aim.entering = false;
  }
  if (strays) {
    aim.verdict = sketchTag(targetOf(event)); // its content has the text by now, which may be a password
    tellDaemon('strayed', { strayed: aim.verdict, keys: aim.keys, got: true });
  } else if (typed && aim.heard === 'input' && aim.keys >= aim.due) {
    tellDone();
  } else if (isAimed(false, event) && aim.verdict === true && matches(targetOf(event), '[type=checkbox],[type=radio]')) {
    tellDaemon('ticked', { ticked: targetOf(event).checked });
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
    shareAim([viewOf(inner)]);
  }
  tellDaemon('away', { away: frame === null || holds(frame, aim.el) ? 'another frame' : sketch(frame), aim: aim.id, keys: aim.keys });
};

const frameWithFocus = () => {
  const active = activeElement();
  return active !== null && /^i?frame$/.test(tagOf(active)) ? { away: sketch(active) } : {};
};

/**
 * Whether keys go where they are meant to, for the daemon to ask between two of them: {keys, strayed?, away?}. With no aim of this number
 * they are for whatever has the focus: {nobody, away?}.
 */
const typing = ({ aim: id = 0 } = {}) => {
  if (aim === null || aim.over || aim.id !== id) {
    return { nobody: isNobody(inDocument.active(document)), ...frameWithFocus() };
  }
  const { el, keys, verdict } = aim;
  if (verdict !== null) {
    return { strayed: verdict, keys };
  }
  if (hasFocus(el) && ownerOf(el).hasFocus()) {
    return { keys };
  }
  const lost = ownerOf(el).hasFocus() ? {} : { away: 'another frame' };
  return { keys, ...lost, ...frameWithFocus() };
};

/** Why a press that hit the element was no click on it; nothing if it was one. */
const clickReply = ({ el, clicked }) => (clicked === true ? {} : { unclicked: { removed: !isAttached(el), instead: clicked ?? '' } });

/** How many presses the element got, if not all of them. */
const stoppedReply = ({ got, stopped }) => (stopped === null ? {} : { stopped: { presses: got, cover: stopped } });

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
  return verdict === true ? { hit: true, ...clickReply(aim), ...stoppedReply(aim) } : { hit: false };
};

const landAt = (el) => {
  landing = { el, reached: false };
  shareAim(allWindows());
};

const onDragOver = (event) => {
  if (event.isTrusted && landing !== null) {
    landing.reached ||= standsFor(targetOf(event), landing.el);
  }
};

const isOver = (el, { clientX: x, clientY: y }) => {
  const { left, right, top, bottom } = boxOf(el);
  return x >= left && x <= right && y >= top && y <= bottom;
};

/**
 * Only what accepts a drop is told of it by the browser, so this is how a drag ends well. Pages put places to drop over what is meant, or
 * move what is dragged there; those get the drop, and the daemon is told which. What has nothing to do with it does not get it.
 */
const onDrop = (event) => {
  if (!event.isTrusted) {
    return;
  }
  const hit = targetOf(event);
  if (landing === null) {
    tellDaemon('drop', { dropped: true, instead: sketch(hit) }); // what was meant is in a document of another origin
  } else if (standsFor(hit, landing.el)) {
    tellDaemon('drop', { dropped: true });
  } else {
    const related = landing.reached || (isAttached(landing.el) && ownerOf(landing.el) === ownerOf(hit) && isOver(landing.el, event));
    if (!related) {
      holdBack(event);
    }
    tellDaemon('drop', { dropped: related, instead: sketch(hit) });
  }
  landing = null;
};

/**
 * After a drag that was cut off, the daemon lets the button come up outside of the viewport, so that it is over for the page. Of that the
 * browser makes a click on whatever is around both places, and nobody has meant one.
 */
const dropStrayClick = (event) => {
  if (event.isTrusted && event.clientX < 0 && event.clientY < 0) {
    holdBack(event);
  }
};

guards.push(['click', dropStrayClick, { capture: true }]);
for (const type of ['pointermove', 'pointerout', 'pointerup']) {
  guards.push([type, noteMouse, { capture: true, passive: true }]);
}
for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click', 'auxclick', 'contextmenu', 'dblclick']) {
  guards.push([type, onPress, { capture: true }]);
}
guards.push(
  ['mousedown', listenToPressLast, { capture: true, passive: true }],
  ['keydown', onType, { capture: true }],
  ['beforeinput', onType, { capture: true }],
  ['input', onEntered, { capture: true, passive: true }],
  ['keyup', onKeyUp, { capture: true }],
  ['blur', onWindowBlur, { capture: true }],
  ['pagehide', onLeave, { capture: true, passive: true }],
  ['visibilitychange', onLeave, { capture: true, passive: true }],
  ['dragenter', onDragOver, { capture: true, passive: true }],
  ['dragover', onDragOver, { capture: true, passive: true }],
  ['drop', onDrop, { capture: true }],
);
