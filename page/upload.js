// SPDX-License-Identifier: Apache-2.0
// Where files go: into a field for them, or onto whatever takes them when they are dropped. No drag of the browser's brings them there: it
// would open what the page does not take, and go into frames of other sites. The page gets the events of a drag from here.

// What the files are for, and whether it was a field for them when the daemon was told; a field of our own that no page sees, through which
// the browser hands over what is dropped.
let zone = null;
let zoneIsField = false;
let basket = null;

// {x, y, el, at, accepted}: where they are held over our viewport, what lies there, the same point in its own viewport, and what came of
// the last dragover there; null: none was made.
let held = null;

/** As a place to drop files on. */
const tryZone = (el, waiting) => (isVisible(el) ? tryPoint(el, undefined, 0, waiting) : whyUndrawn(el));

const tryField = (field) => {
  if (hasAttr(field, 'webkitdirectory')) {
    fail('not_possible', `${sketch(field)} takes a whole directory (webkitdirectory), and only files can be given; use a field or drop zone of the page that takes files`);
  }
  const why = whyDisabled(field);
  return why === null ? {} : { why };
};

/** `kind` is `file` for a field of files, which may be hidden; anything else is a place to drop them. */
const receiver = (options) => {
  countRefs(options);
  forgetAim();
  const waiting = new Waiting(options);
  return waiting.until((found) => {
    const field = fieldOf(found);
    zoneIsField = kindOf(field) === 'file';
    zone = zoneIsField ? field : found;
    const { why, ...how } = zoneIsField ? tryField(field) : tryZone(found, waiting);
    if (why !== undefined) {
      return { why, ...how };
    }
    watchChanges(zone);
    return { kind: zoneIsField ? 'file' : 'zone', ...introduce(zone) };
  });
};

/** What the browser is to give the files to, fetched as a remote object: the field, or ours. */
const received = () => {
  if (zoneIsField) {
    return zone;
  }
  basket = createElement(document, HTML, 'input');
  Object.assign(basket, { type: 'file', multiple: true });
  return basket;
};

/** The files of a chooser come next, and what they change is told. Any object of this world tells the daemon which one it is. */
const choosing = () => {
  watchChanges();
  return document;
};

const ACCEPT_TEXT = 100;

/** Whether a file is of a type that the attribute `accept` names: .pdf, image/*, text/csv. */
const isAccepted = ({ name, type }, accept) => accept.toLowerCase().split(',').map((each) => each.trim()).some((each) => (
  each.startsWith('.') ? name.toLowerCase().endsWith(each)
    : each.endsWith('/*') ? each === '*/*' || type.startsWith(each.slice(0, -1)) : each === '*' || type === each));

/** What a field has by now: {now, unaccepted?, accept?}. A person's dialog hides files of other types, but the browser takes them from us. */
const filesOf = (field) => {
  const files = [...(field.files ?? [])]; // none: the page has made another field of it
  const accept = (attr(field, 'accept') ?? '').trim();
  const unaccepted = accept === '' ? [] : files.filter((file) => !isAccepted(file, accept)).map(({ name }) => name);
  return { now: files.map(({ name }) => name), ...(unaccepted.length === 0 ? {} : { unaccepted, accept: cut(squeeze(accept), ACCEPT_TEXT) }) };
};

/** {el, at}: the innermost element at a point of our viewport, in frames of our origin as well, and the point in its own viewport. */
const elementUnder = ({ x, y }) => {
  let at = { x, y };
  let el = elementAt(document, at) ?? rootElementOf(document);
  for (let steps = 0; steps < 100; steps += 1) {
    const doc = frameDocumentOf(el);
    const inside = doc === null ? null : intoFrame(el, at);
    const hit = doc === null ? null : elementAt(doc, inside) ?? rootElementOf(doc);
    if (hit === null) {
      break;
    }
    el = hit;
    at = inside;
  }
  return { el, at };
};

/** True: the page has prevented what browsers do by themselves. (That it wants no copy of them, dropEffect, Chromium 156 keeps to real drags.) */
const sendDrag = (type, { el, at }, dataTransfer) => {
  const cancelable = type !== 'dragleave';
  const event = new DragEvent(type, {
    bubbles: true, cancelable, composed: true, clientX: at.x, clientY: at.y, view: viewOf(ownerOf(el)), dataTransfer,
  });
  dispatch(el, event);
  return event.defaultPrevented;
};

const asTransfer = (files) => {
  const transfer = new DataTransfer();
  for (const file of files) {
    transfer.items.add(file);
  }
  return transfer;
};

/** Until they are dropped a page learns of files only how many there are and of which types. */
const hintOf = (files) => asTransfer(Array.from(files, ({ type }) => new File([], '', { type })));

const letGo = () => {
  if (held !== null) {
    sendDrag('dragleave', held, hintOf(basket.files));
  }
  held = null;
};

/** Fails where a drop would come to nothing. */
const checkAccepted = () => {
  const { el, accepted } = held;
  if (accepted === true) {
    return;
  }
  letGo();
  if (OTHER_DOCUMENTS.has(tagOf(el))) {
    fail('wrong_element', `nothing was dropped: ${sketch(el)} is there, which shows another site; for a place inside it, use a ref from a snapshot`);
  }
  if (kindOf(el) === 'file') {
    fail('wrong_element', `nothing was dropped: there is a file input there; give it the files with target ${handleOf(el)}`);
  }
  if (accepted === null) {
    fail('element_not_ready', 'nothing was dropped: the element there changes whenever files are dragged over it; try again, or use another target');
  }
  fail('takes_no_files', `${sketch(el)} is not a file input, and the page does not accept files that are dropped on it`);
};

const CARRY_STEPS = 20;

/** A frame is drawn after each event: pages put places to drop there when something is dragged over them. */
const carryTo = async ({ x, y }, { turn: ours }) => {
  for (let steps = 0; steps < CARRY_STEPS && (held?.accepted ?? null) === null; steps += 1) {
    const { el, at } = elementUnder({ x, y });
    if (el === held?.el) {
      held.accepted = sendDrag('dragover', held, hintOf(basket.files));
    } else {
      const left = held;
      held = { x, y, el, at, accepted: OTHER_DOCUMENTS.has(tagOf(el)) ? false : null };
      if (held.accepted === null) {
        sendDrag('dragenter', held, hintOf(basket.files));
      }
      if (left !== null) {
        sendDrag('dragleave', left, hintOf(basket.files));
      }
    }
    await nextFrame();
    if (ours !== turn) {
      letGo();
      fail('timeout', 'the call is no longer waiting for this; nothing was dropped');
    }
    if (held.accepted !== null && elementUnder({ x, y }).el !== held.el) {
      held.accepted = null; // something else has come there
    }
  }
};

/** Holds the files over the element, so that `drop` can drop them. */
const carry = async (options) => {
  if (basket === null) {
    fail('element_stale', 'the page moved to another document before the files were dropped; nothing was dropped');
  }
  const waiting = new Waiting({ ...options, known: zone });
  const at = await waiting.until((el) => {
    zone = el;
    return tryZone(el, waiting);
  });
  held = null;
  await carryTo(at, waiting);
  checkAccepted();
  return {};
};

/** The page may show a dialog or leave when it gets them, so it is told first. */
const drop = () => {
  const now = held === null ? null : elementUnder(held);
  if (now === null || now.el !== held.el) {
    letGo();
    fail('element_stale', `nothing was dropped: ${now === null ? 'the page moved to another document' : `${sketch(now.el)} got there at the last moment`}`);
  }
  const reply = { dropped: true, ...(standsFor(now.el, zone) ? {} : { instead: sketch(now.el) }) };
  const files = asTransfer(basket.files);
  held = null;
  basket = null;
  tellDaemon('drop', reply);
  tellDaemon('struck', { struck: true });
  sendDrag('drop', now, files);
  return reply;
};
