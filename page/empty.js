// SPDX-License-Identifier: Apache-2.0
// Why an outline is empty, as far as it is cheap to know, and what to do then.

const HIDDEN_LOOKED_AT = 50; // elements

/** What keeps an element itself from being shown; '' if nothing does. */
const hidingOf = (el) => {
  if (isTrue(el, 'aria-hidden')) {
    return 'aria-hidden';
  }
  if (hasAttr(el, 'inert')) {
    return 'inert';
  }
  const { display, visibility, contentVisibility } = styleOf(el);
  return display === 'none' ? 'display: none' : visibility !== 'visible' ? `visibility: ${visibility}`
    : contentVisibility === 'hidden' ? 'content-visibility: hidden' : '';
};

/** `<main> has display: none`, of an element or the nearest one around it that hides it; '' if none does. */
const hiderAround = (el) => {
  for (let up = el, steps = 0; up !== null && steps < 100; up = parentElementOf(up), steps += 1) {
    const how = hidingOf(up);
    // What is inherited is told of the one that has it first.
    const above = how.startsWith('visibility') ? parentElementOf(up) : null;
    if (how !== '' && (above === null || hidingOf(above) !== how)) {
      return `${sketch(up)} has ${how}`;
    }
  }
  return '';
};

/** The same for the first of an element's children, and their children, that is hidden and says something. */
const hiderInside = (root) => {
  const open = [root];
  for (let left = HIDDEN_LOOKED_AT; open.length > 0 && left > 0; left -= 1) {
    const el = open.shift();
    if (!NEVER_DRAWN.has(tagOf(el)) && textContentOf(el).trim() !== '') {
      const how = hidingOf(el);
      if (how !== '') {
        return `${sketch(el)} has ${how}`;
      }
      for (let child = firstElementOf(el), n = 0; child !== null && n < HIDDEN_LOOKED_AT; child = nextElementOf(child), n += 1) {
        open.push(child);
      }
    }
  }
  return '';
};

const whyDocumentEmpty = () => {
  const body = bodyOf(document);
  if (location.href === 'about:blank' && (body === null || firstElementOf(body) === null)) {
    return 'the tab is blank; navigate to a page first';
  }
  if (location.protocol === 'chrome-error:') {
    return 'this is the error page of the browser: the address could not be opened; navigate again, or to another one';
  }
  const state = readyStateOf(document);
  if (state !== 'complete') {
    return `the page is still loading (readyState ${state}); wait for a text of it`;
  }
  if (body === null || firstElementOf(body) === null) {
    return 'the document is empty';
  }
  return hiderInside(body);
};

const NO_MEANING = 'there is neither text nor a name, nor anything to act on; wait for a text, or take a screenshot to see what is drawn';

/** The only line of an outline without any, of the whole document or of one element. A frame that has loaded may be empty without a word. */
const whyEmpty = (root, interactive) => {
  if (root === null && globalThis.top !== globalThis) {
    return readyStateOf(document) === 'complete' ? '' : '… this frame is still loading';
  }
  const why = root === null ? whyDocumentEmpty() : hiderAround(root);
  return `… nothing to show: ${why || (interactive ? 'nothing here can be acted on; ask without interactive' : NO_MEANING)}`;
};
