// SPDX-License-Identifier: Apache-2.0
// Refs: short names of elements. A ref belongs to one element of one document and is never given twice in a session: the
// daemon says with each call from where to count on. A ref does not keep its element alive.

let refPrefix = '';
let lastRef = 0;
const elementOfRef = new Map();
const refOfElement = new WeakMap();
const given = []; // [first, last] of the numbers that this document gave, in order
const REF = /^(?:@|\[?(?:aria-)?ref=)?((f\d+)?e(\d+))\]?$/i;
// A line of an outline, or of changes, is as good as the ref in it. Names stand in quotes, so it is none of the page's words.
const LINE_WITH_REF = /^(?:[-+~] +)?(?:[a-zA-Z][\w-]*|\[clickable\])(?: "(?:[^"\\]|\\.)*")?(?: \[[^\]"]*\])*? \[ref=((?:f\d+)?e\d+)\](?:[: ].*)?$/s;
const PRUNE_EVERY = 4096;

/** `prefix` tells the frames of a tab apart, `first_ref` is a number that no document of the session has given yet. */
const countRefs = ({ prefix, first_ref: first }) => {
  refPrefix = prefix ?? refPrefix;
  lastRef = Math.max(lastRef, (first ?? 0) - 1);
};

const pruneRefs = () => {
  for (const [ref, weak] of elementOfRef) {
    if (weak.deref() === undefined) {
      elementOfRef.delete(ref);
    }
  }
};

const noteGiven = (number) => {
  const range = given[given.length - 1];
  if (range !== undefined && range[1] === number - 1) {
    range[1] = number;
  } else {
    given.push([number, number]);
  }
};

const refOf = (el) => {
  let ref = refOfElement.get(el);
  if (ref === undefined) {
    lastRef += 1;
    ref = `${refPrefix}e${lastRef}`;
    refOfElement.set(el, ref);
    elementOfRef.set(ref, new WeakRef(el));
    noteGiven(lastRef);
    if (lastRef % PRUNE_EVERY === 0) {
      pruneRefs();
    }
  }
  return ref;
};

/** The ref that a target names, or null if it is a selector. */
const asRef = (target) => REF.exec(target)?.[1].toLowerCase() ?? LINE_WITH_REF.exec(target)?.[1] ?? null;

const wasGiven = (ref) => {
  const [, , prefix = '', digits] = REF.exec(ref);
  const number = Number(digits);
  return prefix === refPrefix && given.some(([first, last]) => number >= first && number <= last);
};

/** The element of a ref; fails if this document never gave it or if the element has gone. */
const elementByRef = (ref) => {
  const el = elementOfRef.get(ref)?.deref();
  if (el === undefined && !wasGiven(ref)) {
    return fail('element_stale', `ref ${ref} does not belong to the current page`);
  }
  if (el === undefined || !isAttached(el)) {
    return fail('element_not_found', `the element of ref ${ref} has left the page`);
  }
  return el;
};
