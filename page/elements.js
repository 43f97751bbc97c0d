// SPDX-License-Identifier: Apache-2.0
// A flat table of what can be used, each row with a selector that finds it again.

const USABLE = `a[href],button,input:not([type=hidden]),select,textarea,summary,[contenteditable=""],[contenteditable=true],[onclick],
  [tabindex]:not([tabindex="-1"]),[role=button],[role=link],[role=checkbox],[role=radio],[role=tab],[role=menuitem],
  [role=combobox],[role=option],[role=switch],[role=slider],[role=textbox],[role=searchbox],[role=spinbutton],[role=treeitem]`;
const ROWS = 1000;
const SELECTOR_TEXT = 50;
const LABEL_TEXT = 80;
const ROW_NAME = 100;
const TEXTS_COMPARED = 2000;

/** Whether a selector fits nothing else on the page. What it reads of the page is kept for the other rows. */
class Uniqueness {
  #roots = [...everyRoot()];
  #texts = new Map(); // tag: the texts of all elements of that tag
  #css = new Map();

  ofText(tag, text) {
    let texts = this.#texts.get(tag);
    if (texts === undefined) {
      const search = new TextSearch();
      texts = [];
      for (const el of findByCss(CSS.escape(tag), this.#roots)) {
        if (texts.length > TEXTS_COMPARED || search.left <= 0) {
          break;
        }
        texts.push(search.textOf(el));
      }
      this.#texts.set(tag, texts);
    }
    return texts.length <= TEXTS_COMPARED && texts.filter((each) => each.includes(text)).length === 1;
  }

  ofCss(css) {
    let only = this.#css.get(css);
    if (only === undefined) {
      const found = findByCss(css, this.#roots);
      only = found.next().done === false && found.next().done === true;
      this.#css.set(css, only);
    }
    return only;
  }
}

const childNumber = (el, tag) => {
  let number = 1;
  let before = previousElementOf(el);
  for (let n = 0; before !== null && n < MAX_MATCHES; n += 1) {
    number += localNameOf(before) === tag ? 1 : 0;
    before = previousElementOf(before);
  }
  return number;
};

/** `#list > li:nth-of-type(2) > a:nth-of-type(1)`: up to four steps, beginning at an id if one is near. */
const pathOf = (el) => {
  const steps = [];
  for (let node = el; node !== null && nodeTypeOf(node) === ELEMENT && steps.length < 4; node = parentNodeOf(node)) {
    const id = attr(node, 'id');
    if (id) {
      steps.unshift(`#${CSS.escape(id)}`);
      break;
    }
    const tag = localNameOf(node);
    steps.unshift(`${CSS.escape(tag)}:nth-of-type(${childNumber(node, tag)})`);
  }
  return steps.join(' > ');
};

const quoted = (value) => `"${value.replace(/["\\]/g, '\\$&').replace(/\n/g, '\\a ')}"`;

/** CSS selectors worth trying, the ones that people would write first. */
function* cssOf(el, tag) {
  const testId = attr(el, 'data-testid');
  if (testId) {
    yield `[data-testid=${quoted(testId)}]`;
  }
  const id = attr(el, 'id');
  if (id) {
    yield `#${CSS.escape(id)}`;
  }
  const name = attr(el, 'name');
  if (name) {
    yield `${tag}[name=${quoted(name)}]`;
  }
  const classes = (attr(el, 'class') ?? '').slice(0, 500).split(/\s+/).filter(Boolean).slice(0, 5)
    .map((each) => `.${CSS.escape(each)}`);
  for (const each of classes) {
    yield tag + each;
  }
  if (classes.length > 1) {
    yield tag + classes[0] + classes[1];
  }
  yield pathOf(el);
}

/** The first form that fits this element and no other; at last its ref. */
const selectorOf = (el, uniqueness) => {
  const tag = localNameOf(el);
  // A select would be named by its options, which says nothing.
  const text = tag === 'select' || tag === 'textarea' ? '' : squeezeSome(textContentOf(el), SELECTOR_TEXT + 1);
  if (text !== '' && text.length <= SELECTOR_TEXT && /^[a-z][\w-]*$/.test(tag) && uniqueness.ofText(tag, text)) {
    return `${tag}*=${text}`;
  }
  const label = attr(el, 'aria-label');
  if (label && label.length <= LABEL_TEXT && uniqueness.ofCss(`[aria-label=${quoted(label)}]`)) {
    return `aria/${squeeze(label)}`;
  }
  for (const css of cssOf(el, CSS.escape(tag))) {
    if (css.length < 300 && uniqueness.ofCss(css)) {
      return css;
    }
  }
  return refOf(el);
};

const isWhollyInView = (el) => {
  const box = boxOf(el);
  const { x, y } = toOurs(el, { x: box.left, y: box.top });
  const { width, height } = viewportOf(document);
  return x >= 0 && y >= 0 && x + box.width <= width && y + box.height <= height;
};

const rowOf = (el, isInView, uniqueness, bounds) => {
  const tag = tagOf(el);
  const role = roleOf(el, tag);
  const row = {
    tagName: localNameOf(el),
    name: cut(nameOf(el, tag, role) || contentText(el) || pictureText(el), ROW_NAME),
    type: cut(attr(el, 'type') ?? '', 40),
    value: tag === 'button' ? cut(el.value, LINE_TEXT) : cut(valueOf(el, tag, role)),
    href: cut(attr(el, 'href') ?? '', ADDRESS_TEXT),
    selector: selectorOf(el, uniqueness),
    isInViewport: isInView,
  };
  if (bounds) {
    const box = boxOf(el);
    const { x, y } = toOurs(el, { x: box.left, y: box.top });
    row.boundingBox = {
      x: rounded(x + scrollX), y: rounded(y + scrollY), width: rounded(box.width), height: rounded(box.height),
    };
  }
  return row;
};

const elements = ({ in_viewport: onlyInView = false, limit = 0, offset = 0, bounds = false, ...counting } = {}) => {
  countRefs(counting);
  const rows = [];
  for (const el of findByCss(USABLE)) {
    if (!isVisible(el)) {
      continue;
    }
    const isInView = isWhollyInView(el);
    if (isInView || !onlyInView) {
      rows.push({ el, isInView });
    }
  }
  const from = Math.max(0, Math.trunc(Number(offset)) || 0);
  const most = Math.min(ROWS, Math.trunc(Number(limit)) || ROWS);
  const uniqueness = new Uniqueness();
  const showing = rows.slice(from, from + most).map(({ el, isInView }) => rowOf(el, isInView, uniqueness, bounds));
  const hasMore = from + showing.length < rows.length;
  return { total: rows.length, showing: showing.length, hasMore, elements: showing, last: lastRef };
};
