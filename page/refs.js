// SPDX-License-Identifier: Apache-2.0
// Refs: short names of elements. A ref belongs to one element of one document and is never given twice;
// it does not keep its element alive.

let refPrefix = '';
let firstRef = 1;
let lastRef = 0;
const elementOfRef = new Map();
const refOfElement = new WeakMap();
const REF = /^(?:@|\[?ref=)?((f\d+)?e(\d+))\]?$/;
const PRUNE_EVERY = 4096;

/** `first`: where counting goes on, so that a ref of the last document never means something in this one. */
const setup = ({ prefix = '', first = 1 } = {}) => {
  refPrefix = String(prefix);
  if (lastRef < firstRef) { // none given yet
    firstRef = Math.max(1, Math.trunc(Number(first)) || 1);
    lastRef = firstRef - 1;
  }
  return { prefix: refPrefix };
};

const pruneRefs = () => {
  for (const [ref, weak] of elementOfRef) {
    if (weak.deref() === undefined) {
      elementOfRef.delete(ref);
    }
  }
};

const refOf = (el) => {
  let ref = refOfElement.get(el);
  if (ref === undefined) {
    lastRef += 1;
    ref = `${refPrefix}e${lastRef}`;
    refOfElement.set(el, ref);
    elementOfRef.set(ref, new WeakRef(el));
    if (lastRef % PRUNE_EVERY === 0) {
      pruneRefs();
    }
  }
  return ref;
};

/** The ref that a target names, or null if it is a selector. */
const asRef = (target) => REF.exec(target)?.[1] ?? null;

/** The element of a ref; fails if this document never gave it or if the element has gone. */
const elementByRef = (ref) => {
  const [, , prefix = '', number] = REF.exec(ref);
  const weak = elementOfRef.get(ref);
  const el = weak?.deref();
  if (weak === undefined && (prefix !== refPrefix || number < firstRef || number > lastRef)) {
    return fail('element_stale', `ref ${ref} is not of this page as it is now`);
  }
  if (el === undefined || !isAttached(el)) {
    return fail('element_not_found', `the element of ref ${ref} has left the page`);
  }
  return el;
};
