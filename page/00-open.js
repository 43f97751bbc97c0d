// SPDX-License-Identifier: Apache-2.0
// The files that files.txt lists are joined into one function. All that stands in them is private to it;
// only the object that 99-close.js makes can be reached from outside.
(() => {
'use strict';

// A second injection into the same document would forget its refs. (A page can plant an element of this
// name into the window's named properties, but never an own property of this world's window.)
if (Object.hasOwn(globalThis, 'tabard') && globalThis.tabard.document === document) {
  return;
}

// Ceilings: the page decides how large everything is, so no loop runs without one.
const MAX_NODES = 200_000; // nodes that one walk looks at
const MAX_LINES = 50_000; // lines that one snapshot collects
const MAX_MATCHES = 1000; // elements that one selector gives
const LINE_TEXT = 200; // characters of a name or text on a line
const NAME_TEXT = 1000; // characters of a name that selectors compare
