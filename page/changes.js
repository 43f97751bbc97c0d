// SPDX-License-Identifier: Apache-2.0
// What an act has changed, as lines of the outline. Only the parts of the page that its mutations name are looked at, and only
// so many nodes of them, so a large page costs no more than a small one.

const CHANGED_TEXT = 600; // characters of the lines that are told
const CHANGED_NODES = 2000; // nodes that are looked at
const GONE_NODES = 10_000; // nodes that are looked through for what was told of them

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

const withoutRef = (text) => text.replace(/ \[ref=\w+\]/, '');

/** Whether a line says the same as before, but for the focus, which has gone elsewhere as it does with any act. */
const isOnlyBlurred = (told, text) => told !== undefined && told.includes(' [focused]') && told.replace(' [focused]', '') === text;

const treeWalker = method(Document, 'createTreeWalker');

// What is there all the time in most pages that have it, and shown for a while.
const POPUP = `dialog,[aria-modal=true],[popover],[role=alert],[role=alertdialog],[role=dialog],[role=listbox],[role=menu],[role=status],
  [role=tooltip]`;
const PASSING = 'dialog,[aria-modal=true],[popover],[role=alertdialog],[role=dialog],[role=tooltip]';
const CENSUS_ELEMENTS = 3000; // of a page; in larger ones it would take longer than the click
const POPUP_NODES = 40; // elements inside of what has another class that are looked at
const POPUPS_SOUGHT = 20;

const elementsOf = method(Document, 'getElementsByTagName');

// All that may be one. The browser tries each part of a selector on each element of the page, and four parts take half the time of ten.
const MAYBE_POPUP = 'dialog,[aria-modal],[popover],[role]';

/** Those that are there before an act, unless an outline has told of them; null: not looked at. */
const shownPopups = (lookout) => {
  if (allTold || elementsOf(document, '*').length > CENSUS_ELEMENTS) {
    return null;
  }
  lookout.popups ??= [...queryAll(document, MAYBE_POPUP)].filter((el) => matches(el, POPUP));
  return new Set(lookout.popups.filter(isShown));
};

/** Whether one that was never told was there before the act. Of a large page that is not known, and some kinds stay for good in many pages. */
const wasShown = (popup, shown) => (shown !== null ? shown.has(popup) : !allTold && !matches(popup, PASSING));

/** What pops up with another class or style of an element: itself, or the first such thing in it; null: nothing that is known to. */
const popupIn = (el) => {
  const walker = treeWalker(ownerOf(el), el, NodeFilter.SHOW_ELEMENT);
  let left = POPUP_NODES;
  for (let inner = el; inner !== null && left > 0; inner = walker.nextNode(), left -= 1) {
    if (matches(inner, POPUP)) {
      return inner;
    }
  }
  return null;
};

/**
 * Elements that were not shown before the act, as far as that can be known of those that are no new ones: the old value of an attribute says so, or
 * they are of a kind that pops up. What was acted on was shown, and all around it. If that is hidden now, what has become accessible is most
 * likely the page behind a dialog that was closed.
 */
const revealedBy = ({ records, el: acted, popups }) => {
  const names = new Map(); // of each element, the attributes that have changed: their first change counts
  const revealed = new Set();
  const isOver = () => acted !== null && !(isAttached(acted) && isShown(acted));
  let sought = 0;
  for (const { type, target, name, hidden } of records) {
    const seen = type === 'attributes' ? names.get(target) ?? new Set() : null;
    if (seen === null || seen.has(name)) {
      continue;
    }
    names.set(target, seen.add(name));
    if (hidden) {
      if ((name !== 'aria-hidden' && name !== 'inert') || !isOver()) {
        revealed.add(target);
      }
    } else if (name === 'class' || name === 'style') {
      sought += 1;
      const popup = sought > POPUPS_SOUGHT ? null : popupIn(target);
      if (popup !== null && !wasShown(popup, popups)) {
        revealed.add(popup);
      }
    }
  }
  return [...revealed].filter((el) => acted === null || localNameOf(el) === 'details' || !holds(el, acted));
};

/** What is revealed as a part of another line, such as another icon on a button, only changes that. */
const isLineOfItsOwn = (el) => (closest(el, ONE_LINE) ?? el) === el || matches(el, POPUP);

/** Elements to look at again: those with new content, then those of which only attributes changed. */
const regionsOf = (seen) => {
  const { records } = seen;
  const renewed = new Set(revealedBy(seen).filter(isLineOfItsOwn));
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

/** The elements under the roots of which something was told and is not there any more. */
const goneFrom = (roots, now) => {
  const gone = [];
  let left = GONE_NODES;
  for (const root of roots) {
    const walker = treeWalker(ownerOf(root), root, NodeFilter.SHOW_ELEMENT);
    for (let el = root; el !== null && left > 0; el = walker.nextNode(), left -= 1) {
      if (toldLines.has(el) && !now.has(el)) {
        gone.push(el);
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

/** Of what was acted on, if its state is another, and of the controls that were changed by it. They need not be new, though they were never told. */
const ownLines = ({ el, before, entered }) => {
  const lines = el === null || !isAttached(el) ? [] : [stateLine(el)].filter((line) => line.head() !== before);
  return [...lines, ...[...entered].filter(isAttached).map(stateLine)];
};

/** Takes note of what the page shows now where the act has changed it, and of what was told of that before. */
const noteLines = (seen) => {
  const { records, first, known } = seen;
  const { now, whole } = linesOfRegions(regionsOf(seen));
  for (const { target, name } of records) {
    if (name === 'open') {
      summaryOf(target).forEach((summary) => known.add(summary));
    }
  }
  for (const line of ownLines(seen)) {
    known.add(line.src);
    if (!now.has(line.src)) {
      now.set(line.src, line.print());
    }
  }
  const roots = new Set(whole);
  for (const { removed } of records) {
    for (const node of removed) {
      if (nodeTypeOf(node) === ELEMENT) {
        roots.add(node);
      }
    }
  }
  const note = (src) => first.has(src) || first.set(src, toldLines.get(src));
  for (const el of goneFrom(roots, now)) {
    note(el);
    toldLines.delete(el);
  }
  for (const [src, text] of now) {
    note(src);
    toldLines.set(src, text);
  }
};

/** What is told of the elements now in comparison with what was told of them first. */
const comparedLines = ({ first, known }) => {
  const lines = [];
  const gone = [];
  for (const [src, before] of first) {
    const text = toldLines.get(src);
    if (text === undefined) {
      gone.push(...before?.split('\n') ?? []);
    } else if (text !== before && !isOnlyBlurred(before, text)) {
      lines.push(...text.split('\n').map((line) => `${before === undefined && !known.has(src) ? '+' : '~'} ${line}`));
    }
  }
  const came = new Set(lines.map((line) => withoutRef(line.slice(2))));
  return [...lines, ...gone.filter((line) => !came.has(withoutRef(line))).map((line) => `- ${line}`)];
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
 * it was told; the changes are then all of the act's.
 */
const changesReply = (again) => {
  if (watch === null || (watch.told && !again)) {
    return {};
  }
  const seen = watch.cut();
  noteLines(seen);
  const lines = comparedLines(seen);
  const reply = {
    ...(lines.length === 0 ? {} : { changes: pickLines(lines), last: lastRef }),
    ...(titleOf(document) === seen.title ? {} : { titled: true }),
    ...(watch.hasGrown() ? { grown: true } : {}),
    ...validityReply(),
  };
  if (Object.keys(reply).length > 0) {
    toldCount += 1;
    lastTold = { ...reply, told: toldCount };
    return lastTold;
  }
  return reply;
};

/** Where a dialog came between question and answer, nobody has heard the answer: it is told again, with what has come since. */
const changesSince = (heard) => {
  if (heard >= toldCount) {
    watch?.forget();
    return changesReply(true);
  }
  const { changes, ...unheard } = lastTold;
  return { ...unheard, ...changesReply(true) };
};
