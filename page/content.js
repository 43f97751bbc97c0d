// SPDX-License-Identifier: Apache-2.0
// The text of elements as it is drawn, for names, lines and extracts.

const CONTENT_NODES = 400;
const CONTENT_LEVELS = 60;
const COSTLY_QUESTIONS = 16;

// Tags that run on in a line of text: no space between them and their neighbours.
const INLINE = words(`a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp slot small span strong sub sup
  time u var wbr`);
const NEVER_DRAWN = words(`base datalist head link meta noscript param script source style svg:desc svg:metadata svg:script
  svg:style svg:title template title track`);

/** Gathers text the way it is drawn, as far as the tags tell; looks at styles only where two words could run together. */
class TextRun {
  text = '';
  #seam = null; // the last edge since there was text
  #firstSeam = null;

  /** The edge of an element lies between what is there and what comes. */
  edge(el, tag) {
    if (this.text === '') {
      return;
    }
    if (!INLINE.has(tag)) {
      this.text += ' ';
    } else {
      this.#firstSeam ??= el;
      this.#seam = el;
    }
  }

  /** There is more than any line can show. */
  isFull() {
    return this.text.length > 4 * NAME_TEXT;
  }

  add(data) {
    if (this.isFull()) {
      return;
    }
    if (this.#seam !== null) {
      const seams = [this.#seam, this.#firstSeam];
      this.#seam = null;
      this.#firstSeam = null;
      if (/\S$/.test(this.text) && /^\S/.test(data) && seams.some((el) => styleOf(el).display !== 'inline')) {
        this.text += ' ';
      }
    }
    this.text += data.length > 4 * NAME_TEXT ? data.trimStart().slice(0, 4 * NAME_TEXT) : data;
  }
}

/** A closed details draws its summary only; its bare text would look as if it were drawn. */
const summaryOf = (details) => {
  for (let child = firstElementOf(details), n = 0; child !== null && n < 100; child = nextElementOf(child), n += 1) {
    if (localNameOf(child) === 'summary') {
      return [child];
    }
  }
  return [];
};

/** The children that are drawn in an element's place. */
const drawnChildren = (el, tag) => {
  const shadow = shadowOf(el);
  if (shadow !== null) {
    return { first: firstChildOf(shadow), list: null };
  }
  if (tag === 'details' && !hasAttr(el, 'open')) {
    return { first: null, list: summaryOf(el) };
  }
  if (tag === 'slot') {
    const list = el.assignedNodes();
    return list.length > 0 ? { first: null, list } : { first: firstChildOf(el), list: null };
  }
  return { first: firstChildOf(el), list: null };
};

/** The same, one by one. */
function* drawnIn(el) {
  const { first, list } = drawnChildren(el, tagOf(el));
  yield* list ?? [];
  for (let node = first; node !== null; node = nextSiblingOf(node)) {
    yield node;
  }
}

/** Whether an object shows what it holds, for want of what it stands for. */
const showsFallback = (el) => {
  let left = 40;
  for (const node of drawnIn(el)) {
    const type = nodeTypeOf(node);
    if (type === ELEMENT ? isShown(node) : type === TEXT && firstWithArea(textBoxesOf(node)) !== null) {
      return true;
    }
    left -= 1;
    if (left === 0) {
      break;
    }
  }
  return false;
};

/**
 * How text is gathered. `hidden`: also what is not drawn, because what is gathered is hidden as a whole. `skip`: an element that
 * is left out. `named`: the element whose name this becomes; null: it is only text. `left` is what the whole of it may cost.
 */
const newGathering = (named, nodes = CONTENT_NODES, levels = CONTENT_LEVELS) => ({
  left: { nodes, questions: COSTLY_QUESTIONS, followed: null, tooDeep: false },
  levels,
  named,
  hidden: false,
  skip: null,
  direct: null, // what a label refers to
  labelled: false, // inside what an aria-labelledby refers to
  inTree: false, // of an item of a tree, whose groups hold other items
});

/** All that an element gives, with the space that its edges make. */
const gatherWhole = (el, tag, run, how, level) => {
  const marked = isMarked(el);
  if (marked && how.inTree && attr(el, 'role') === 'group') {
    return;
  }
  const edge = tag === 'br' || (marked && CELL_ROLES.has(attr(el, 'role'))) ? 'div' : tag;
  run.edge(el, edge);
  const text = standIn(el, tag, marked, how);
  if (text === null) {
    const before = run.text.length;
    gather(el, tag, run, how, level + 1);
    if (how.named !== null) {
      completeName(el, tag, marked, run, how, before, level);
    }
  } else if (text !== '') {
    run.add(` ${text} `);
  }
  run.edge(el, edge);
};

const gatherElement = (el, run, how, level) => {
  const tag = tagOf(el);
  if (NEVER_DRAWN.has(tag) || how.skip === el) {
    return;
  }
  if (how.hidden || ((tag === 'slot' || isShown(el)) && attr(el, 'aria-hidden') !== 'true')) {
    gatherWhole(el, tag, run, how, level);
  } else if (checkVisibility(el) && attr(el, 'aria-hidden') !== 'true') {
    gather(el, tag, run, how, level + 1, false); // with visibility: hidden; its children can be visible again
  }
};

const gatherNode = (node, run, how, level, ownText) => {
  how.left.nodes -= 1;
  const type = nodeTypeOf(node);
  if (type === ELEMENT) {
    gatherElement(node, run, how, level);
  } else if (type === TEXT && ownText) {
    run.add(node.data);
  }
};

/** The text of what lies too deep to be gone into: as it is drawn, but without what shadow roots and frames show. */
const deepText = (el) => (namespaceOf(el) === HTML ? innerTextOf(el) : textContentOf(el));

/** The text of what is drawn inside an element. */
function gather(el, tag, run, how, level = 0, ownText = true) {
  const spent = () => how.left.nodes <= 0 || run.isFull();
  if (level > how.levels) {
    how.left.tooDeep = true;
    run.add(deepText(el));
    return;
  }
  const { first, list } = drawnChildren(el, tag);
  if (list !== null) {
    for (let i = 0; i < list.length && !spent(); i += 1) {
      gatherNode(list[i], run, how, level, ownText);
    }
    return;
  }
  for (let node = first; node !== null && !spent(); node = nextSiblingOf(node)) {
    gatherNode(node, run, how, level, ownText);
  }
}
