// SPDX-License-Identifier: Apache-2.0
// Reading a DOM that may be hostile. Forms and documents answer for the names of their children before
// they answer for their own properties (<form><input name="parentNode">), in every world. So nodes are
// read through the getters of the prototypes, which also work on nodes of other frames.

const uncurry = (fn) => Function.prototype.call.bind(fn);
const getter = (type, name) => uncurry(Object.getOwnPropertyDescriptor(type.prototype, name).get);
const method = (type, name) => uncurry(type.prototype[name]);

const nodeTypeOf = getter(Node, 'nodeType');
const firstChildOf = getter(Node, 'firstChild');
const nextSiblingOf = getter(Node, 'nextSibling');
const parentNodeOf = getter(Node, 'parentNode');
const textContentOf = getter(Node, 'textContent');
const isConnected = getter(Node, 'isConnected');
const createElement = method(Document, 'createElementNS');
const ownerOf = getter(Node, 'ownerDocument');
const baseOf = getter(Node, 'baseURI');
const rootOf = method(Node, 'getRootNode');
const dispatch = method(EventTarget, 'dispatchEvent');

const localNameOf = getter(Element, 'localName');
const namespaceOf = getter(Element, 'namespaceURI');
const openShadowOf = getter(Element, 'shadowRoot');
const firstElementOf = getter(Element, 'firstElementChild');
const firstElementInDocument = getter(Document, 'firstElementChild');
const firstElementInFragment = getter(DocumentFragment, 'firstElementChild');
const nextElementOf = getter(Element, 'nextElementSibling');
const previousElementOf = getter(Element, 'previousElementSibling');
const assignedSlotOf = getter(Element, 'assignedSlot');
const textSlotOf = getter(Text, 'assignedSlot');
const attr = method(Element, 'getAttribute');
const hasAttr = method(Element, 'hasAttribute');
const hasAttributes = method(Element, 'hasAttributes');
const attributeNames = method(Element, 'getAttributeNames');
const matches = method(Element, 'matches');
const closest = method(Element, 'closest');
const boxOf = method(Element, 'getBoundingClientRect');
const boxesOf = method(Element, 'getClientRects');
const checkVisibility = method(Element, 'checkVisibility');
const scrollIntoView = method(Element, 'scrollIntoView');
const outerHtmlOf = getter(Element, 'outerHTML');
const innerTextOf = getter(HTMLElement, 'innerText');

const bodyOf = getter(Document, 'body');
const rootElementOf = getter(Document, 'documentElement');
const viewOf = getter(Document, 'defaultView');
const titleOf = getter(Document, 'title');
const readyStateOf = getter(Document, 'readyState');
const visibilityOf = getter(Document, 'visibilityState');
const addressOf = getter(Document, 'URL');

// Documents, shadow roots and elements each have their own copy of these.
const inDocument = {
  queryAll: method(Document, 'querySelectorAll'),
  byId: method(Document, 'getElementById'),
  active: getter(Document, 'activeElement'),
  atPoint: method(Document, 'elementFromPoint'),
  animations: method(Document, 'getAnimations'),
};
const inShadow = {
  queryAll: method(DocumentFragment, 'querySelectorAll'),
  byId: method(DocumentFragment, 'getElementById'),
  active: getter(ShadowRoot, 'activeElement'),
  atPoint: method(ShadowRoot, 'elementFromPoint'),
  animations: method(ShadowRoot, 'getAnimations'),
};
const queryInElement = method(Element, 'querySelectorAll');
const queryOne = method(Element, 'querySelector');

const ELEMENT = 1;
const TEXT = 3;
const DOCUMENT = 9;
const FRAGMENT = 11;

const readerOf = (root) => (nodeTypeOf(root) === DOCUMENT ? inDocument : inShadow);
const queryAll = (root, css) => (nodeTypeOf(root) === ELEMENT ? queryInElement(root, css) : readerOf(root).queryAll(root, css));
const byId = (root, id) => {
  const type = nodeTypeOf(root);
  return type === DOCUMENT || type === FRAGMENT ? readerOf(root).byId(root, id) : null;
};

const firstElementIn = (root) => (nodeTypeOf(root) === DOCUMENT ? firstElementInDocument(root) : firstElementInFragment(root));

const HTML = 'http://www.w3.org/1999/xhtml';
const SVG = 'http://www.w3.org/2000/svg';

/** `a` for an HTML link, `svg:a` for one of SVG: only elements of HTML have the properties of their tag. */
const tagOf = (el) => {
  const space = namespaceOf(el);
  return space === HTML ? localNameOf(el) : `${space === SVG ? 'svg' : 'xml'}:${localNameOf(el)}`;
};

/** A tag as a word of a line: HTML takes brackets and quotes in it. */
const tagWord = (tag) => cut(tag.replace(/[^-:\w]/g, '_'), 40);

// Closed shadow roots that the daemon handed over.
const adopted = new WeakMap();
let anyAdopted = false;

/** The shadow root that we can look into, or null. */
const shadowOf = (el) => openShadowOf(el) ?? (anyAdopted ? adopted.get(el) ?? null : null);

/** The document inside an iframe if this origin may see it, or null. */
const frameDocumentOf = (el, tag = tagOf(el)) => (tag === 'iframe' || tag === 'frame' ? el.contentDocument : null);

/** Whether the document that a frame was made for has not come yet, or only in part: until then it has an empty one of our origin. */
const isAwaited = (frame, doc) => readyStateOf(doc) === 'loading'
  || (addressOf(doc) === 'about:blank' && !hasAttr(frame, 'srcdoc') && /^(?!about:|javascript:)./i.test((attr(frame, 'src') ?? '').trim()));

/** The element that holds the document as a frame; null for our own document. */
const frameElementOf = (doc) => (doc === document ? null : viewOf(doc)?.frameElement ?? null);

/** One step up in what is drawn: through slots, shadow roots and same-origin frames. */
const parentOf = (node) => {
  const type = nodeTypeOf(node);
  if (type === DOCUMENT) {
    return frameElementOf(node);
  }
  const slot = type === ELEMENT ? assignedSlotOf(node) : type === TEXT ? textSlotOf(node) : null;
  return slot ?? parentNodeOf(node) ?? (type === FRAGMENT ? node.host ?? null : null);
};

/** The same, passing over roots and documents. */
const parentElementOf = (node) => {
  let up = parentOf(node);
  while (up !== null && nodeTypeOf(up) !== ELEMENT) {
    up = parentOf(up);
  }
  return up;
};

/** Whether `inner` is `outer` or drawn inside it. */
const holds = (outer, inner) => {
  for (let node = inner, steps = 0; node !== null && steps < MAX_NODES; node = parentOf(node), steps += 1) {
    if (node === outer) {
      return true;
    }
  }
  return false;
};

/** Part of the document that this script stands for, or of one of its frames. */
const isAttached = (el) => {
  if (!isConnected(el)) {
    return false;
  }
  for (let doc = ownerOf(el); doc !== document;) {
    const frame = frameElementOf(doc);
    if (frame === null || !isConnected(frame)) {
      return false;
    }
    doc = ownerOf(frame);
  }
  return true;
};

const styleOf = (el, pseudo) => (viewOf(ownerOf(el)) ?? globalThis).getComputedStyle(el, pseudo);

// Without a prototype: the browser looks for each of its options, and finds their absence in half the time.
const SHOWN = Object.freeze({ __proto__: null, visibilityProperty: true });

/** Whether what an element holds besides its summary is put away. */
const isClosedDetails = (el, tag = tagOf(el)) => tag === 'details' && !hasAttr(el, 'open');

/** Whether the content of an element is drawn though it has no box of its own (display: contents). */
const isBoxless = (el) => {
  for (let up = el, steps = 0; up !== null && steps < 100; up = parentElementOf(up), steps += 1) {
    if (styleOf(up).display !== 'contents') {
      return up !== el && checkVisibility(up) && !isClosedDetails(up) && styleOf(el).visibility === 'visible';
    }
  }
  return true;
};

/** Drawn, as far as styles go; says nothing about its size. */
const isShown = (el) => checkVisibility(el, SHOWN) || (!checkVisibility(el) && isBoxless(el));

/** The first of some boxes that has an area, or null. */
const firstWithArea = (boxes) => {
  for (let i = 0; i < boxes.length && i < 100; i += 1) {
    if (boxes[i].width > 0 && boxes[i].height > 0) {
      return boxes[i];
    }
  }
  return null;
};

const textBoxesOf = (text) => {
  const range = new Range();
  range.selectNode(text);
  return range.getClientRects();
};

/** The first box of what is drawn in an element without a box of its own, slots and the like in it included, or null. */
const innerBoxOf = (el) => {
  const open = [el];
  for (let at = 0, left = 40; at < open.length; at += 1) {
    const boxless = !checkVisibility(open[at]); // else it is as small as it says, and its text counts for nothing
    for (const node of drawnIn(open[at])) {
      left -= 1;
      if (left < 0) {
        return null;
      }
      const isChild = nodeTypeOf(node) === ELEMENT && isShown(node);
      const box = isChild ? firstWithArea([boxOf(node)]) : boxless && nodeTypeOf(node) === TEXT ? firstWithArea(textBoxesOf(node)) : null;
      if (box !== null) {
        return box;
      }
      if (isChild && !checkVisibility(node)) {
        open.push(node);
      }
    }
  }
  return null;
};

/** Drawn, and with an area. */
const isVisible = (el) => isShown(el) && (firstWithArea([boxOf(el)]) ?? innerBoxOf(el)) !== null;

/** What has the focus, inside shadow roots and frames as well. */
const activeElement = () => {
  let el = inDocument.active(document);
  for (let steps = 0; el !== null && steps < 100; steps += 1) {
    const inner = shadowOf(el) ?? frameDocumentOf(el);
    const next = inner === null ? null : readerOf(inner).active(inner);
    if (next === null) {
      break;
    }
    el = next;
  }
  return el;
};

/** Our document, and every shadow root and same-origin frame in it, outer ones first. */
function* everyRoot() {
  const roots = [document];
  let left = MAX_NODES;
  while (roots.length > 0) {
    const root = roots.shift();
    yield root;
    for (const el of queryAll(root, '*')) {
      left -= 1;
      if (left < 0) {
        return;
      }
      const inner = shadowOf(el) ?? frameDocumentOf(el);
      if (inner !== null) {
        roots.push(inner);
      }
    }
  }
}
