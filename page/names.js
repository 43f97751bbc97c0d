// SPDX-License-Identifier: Apache-2.0
// Accessible names: what a person would call an element. Follows the order of the accname standard, with
// bounds: so many nodes, characters and levels, and no label is followed twice.

const NAMED_BY_CONTENT = words(`button checkbox heading link menuitem menuitemcheckbox menuitemradio option radio switch tab
  tooltip treeitem`);
const NAME_NODES = 400;
const NAME_LEVELS = 60;

// Tags that run on in a line of text: no space between them and their neighbours.
const INLINE = words(`a abbr b bdi bdo cite code data del dfn em font i ins kbd label mark q s samp slot small span strong sub sup
  time u var wbr`);
// Of these, the ones that pages often set apart by styles.
const OFTEN_BLOCK = words('a label slot small span time');
const NEVER_DRAWN = words('base datalist head link meta noscript param script source style template title track');

/** Gathers text the way it is drawn, as far as the tags tell; looks at styles only where two words could run together. */
class TextRun {
  text = '';
  #seam = null;

  /** The edge of an element lies between what is there and what comes. */
  edge(el, tag) {
    if (this.text === '') {
      return;
    }
    if (!INLINE.has(tag)) {
      this.text += ' ';
    } else if (OFTEN_BLOCK.has(tag)) {
      this.#seam = el;
    }
  }

  add(data) {
    if (this.text.length > 4 * NAME_TEXT) {
      return; // more than any line can show
    }
    if (this.#seam !== null) {
      const seam = this.#seam;
      this.#seam = null;
      if (/\S$/.test(this.text) && /^\S/.test(data) && styleOf(seam).display !== 'inline') {
        this.text += ' ';
      }
    }
    this.text += data.length > 4 * NAME_TEXT ? data.trimStart().slice(0, 4 * NAME_TEXT) : data;
  }
}

const idRefs = (el, name) => {
  const ids = attr(el, name);
  if (ids === null) {
    return [];
  }
  const root = rootOf(el);
  return ids.slice(0, 1000).split(/\s+/).slice(0, 20).map((id) => id && byId(root, id)).filter(Boolean);
};

/** What a field inside a label or a button adds to its name. Never a password. */
const embeddedValue = (el, tag) => {
  if (tag === 'input') {
    if (/^(button|submit|reset)$/.test(el.type)) {
      return el.value;
    }
    return el.type === 'image' ? attr(el, 'alt') ?? '' : '';
  }
  return tag === 'select' || tag === 'textarea' ? '' : null;
};

const svgTitle = (el) => {
  for (let child = firstElementOf(el), n = 0; child !== null && n < 20; child = nextElementOf(child), n += 1) {
    if (localNameOf(child) === 'title') {
      return textContentOf(child);
    }
  }
  return null;
};

/** What stands for a whole element inside a name, or null if its content does. */
const standIn = (el, tag) => {
  const label = attr(el, 'aria-label');
  if (label !== null && label.trim() !== '') {
    return label;
  }
  if (tag === 'img') {
    return attr(el, 'alt') ?? '';
  }
  if (tag === 'svg:svg') {
    return svgTitle(el);
  }
  return embeddedValue(el, tag);
};

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

const gatherElement = (el, run, budget, level) => {
  const tag = tagOf(el);
  if (NEVER_DRAWN.has(tag) || budget.skip === el) {
    return;
  }
  if (!budget.hidden && ((tag !== 'slot' && !isShown(el)) || attr(el, 'aria-hidden') === 'true')) {
    return;
  }
  run.edge(el, tag === 'br' ? 'div' : tag);
  const text = standIn(el, tag);
  if (text === null) {
    gather(el, tag, run, budget, level + 1);
  } else if (text !== '') {
    run.add(` ${text} `);
  }
  run.edge(el, tag);
};

const gatherNode = (node, run, budget, level) => {
  budget.nodes -= 1;
  const type = nodeTypeOf(node);
  if (type === TEXT) {
    run.add(node.data);
  } else if (type === ELEMENT) {
    gatherElement(node, run, budget, level);
  }
};

function gather(el, tag, run, budget, level) {
  const spent = () => budget.nodes <= 0 || run.text.length > 4 * NAME_TEXT;
  if (level > NAME_LEVELS) {
    run.add(textContentOf(el));
    return;
  }
  const { first, list } = drawnChildren(el, tag);
  if (list !== null) {
    for (let i = 0; i < list.length && !spent(); i += 1) {
      gatherNode(list[i], run, budget, level);
    }
    return;
  }
  for (let node = first; node !== null && !spent(); node = nextSiblingOf(node)) {
    gatherNode(node, run, budget, level);
  }
}

/** The text that an element draws, as one line. `hidden`: also if it is not drawn, as for labels by id. */
const contentText = (el, { hidden = false, skip = null } = {}) => {
  const tag = tagOf(el);
  const first = firstChildOf(el);
  if (first !== null && nodeTypeOf(first) === TEXT && nextSiblingOf(first) === null && shadowOf(el) === null) {
    return squeezeSome(first.data, NAME_TEXT);
  }
  const run = new TextRun();
  gather(el, tag, run, { nodes: NAME_NODES, hidden, skip }, 0);
  return squeeze(run.text);
};

const labelText = (el) => {
  const labels = el.labels;
  if (!labels || labels.length === 0) {
    return '';
  }
  return squeeze([...labels].slice(0, 5).map((label) => attr(label, 'aria-label') ?? contentText(label, { skip: el })).join(' '));
};

const childText = (el, name) => {
  for (let child = firstElementOf(el), n = 0; child !== null && n < 20; child = nextElementOf(child), n += 1) {
    if (localNameOf(child) === name) {
      return contentText(child);
    }
  }
  return '';
};

const inputName = (el) => {
  const byLabel = labelText(el);
  if (byLabel !== '') {
    return byLabel;
  }
  switch (el.type) {
    case 'submit': return el.value || 'Submit';
    case 'reset': return el.value || 'Reset';
    case 'button': return el.value;
    case 'image': return attr(el, 'alt') || el.value || attr(el, 'title') || 'Submit';
    default: return '';
  }
};

// Names that the element's own kind gives it.
const NATIVE_NAME = {
  area: (el) => attr(el, 'alt') ?? '',
  // A label names a button as well, but then its own words are more to the point.
  button: (el) => (firstChildOf(el) === null ? labelText(el) : ''),
  fieldset: (el) => childText(el, 'legend'),
  figure: (el) => childText(el, 'figcaption'),
  img: (el) => attr(el, 'alt') ?? '',
  input: inputName,
  meter: labelText,
  optgroup: (el) => attr(el, 'label') ?? '',
  option: (el) => el.label,
  output: labelText,
  progress: labelText,
  select: labelText,
  'svg:svg': (el) => svgTitle(el) ?? '',
  table: (el) => childText(el, 'caption'),
  textarea: labelText,
};
Object.setPrototypeOf(NATIVE_NAME, null);

/** The name that aria attributes give. */
const ariaName = (el) => {
  const labels = idRefs(el, 'aria-labelledby');
  if (labels.length > 0) {
    const texts = labels.map((each) => attr(each, 'aria-label') ?? contentText(each, { hidden: true }));
    const text = squeeze(texts.join(' '));
    if (text !== '') {
      return text;
    }
  }
  return squeezeSome(attr(el, 'aria-label') ?? '', NAME_TEXT);
};

/** The accessible name, '' if there is none; at most NAME_TEXT characters. */
const nameOf = (el, tag = tagOf(el), role = roleOf(el, tag), marked = isMarked(el)) => {
  let name = marked ? ariaName(el) : '';
  const native = name === '' ? NATIVE_NAME[tag] : undefined;
  if (native !== undefined) {
    name = squeezeSome(native(el), NAME_TEXT);
  }
  if (name === '' && NAMED_BY_CONTENT.has(role)) {
    name = contentText(el);
  }
  if (name === '' && marked) {
    name = squeezeSome(attr(el, 'title') ?? attr(el, 'placeholder') ?? attr(el, 'aria-placeholder') ?? '', NAME_TEXT);
  }
  return cut(name, NAME_TEXT);
};
