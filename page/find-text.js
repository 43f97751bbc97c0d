// SPDX-License-Identifier: Apache-2.0
// Elements by the text that they show. A search reads the text of an element before it goes into it, so its cost is
// counted in characters.

const TEXT_BUDGET = 20_000_000;
const NO_TEXT = words('head noscript script style template title');

class TextSearch {
  left = TEXT_BUDGET;

  /** The text that an element shows, as one line; for a button that is an input, the words on it. */
  textOf(el, tag = tagOf(el)) {
    if (tag === 'input') {
      return /^(button|submit|reset)$/.test(el.type) ? squeeze(inputName(el)) : '';
    }
    const text = textContentOf(el);
    this.left -= text.length + 1;
    return squeeze(text);
  }

  /** The innermost elements under a root whose text contains `needle` (in lower case), in document order. */
  innermost(root, needle) {
    const found = [];
    const stack = [{ el: null, next: firstElementIn(root), inner: true }];
    while (stack.length > 0 && this.left > 0 && found.length < MAX_MATCHES) {
      const top = stack[stack.length - 1];
      const el = top.next;
      if (el === null) {
        stack.pop();
        if (!top.inner) {
          found.push(top.el);
        }
        continue;
      }
      top.next = nextElementOf(el);
      const tag = tagOf(el);
      if (!NO_TEXT.has(tag) && this.textOf(el, tag).toLowerCase().includes(needle)) {
        top.inner = true;
        stack.push({ el, next: firstElementOf(el), inner: false });
      }
    }
    for (const el of queryAll(root, 'input[type=submit],input[type=button],input[type=reset]')) {
      if (this.textOf(el).toLowerCase().includes(needle)) {
        found.push(el);
      }
    }
    return found;
  }

  /** The button around a span, if the span is all that it shows. */
  clickableAround(el, text) {
    const outer = closest(el, CLICKABLE);
    return outer !== null && outer !== el && this.textOf(outer) === text ? outer : el;
  }
}

/** Elements that show `text`: those that show nothing else, or else those that show it among other text. */
const findByText = (text) => {
  const want = squeeze(text);
  if (want === '') {
    return [];
  }
  const search = new TextSearch();
  const exact = [];
  const part = [];
  for (const root of everyRoot()) {
    for (const el of search.innermost(root, want.toLowerCase())) {
      if (search.textOf(el) === want) {
        exact.push(search.clickableAround(el, want));
      } else {
        part.push(el);
      }
    }
  }
  return exact.length > 0 ? exact : part;
};

/** WebdriverIO's `tag=text` and `tag*=text`: by the whole text of an element, or by a part of it. */
const findByTagText = ({ css, text, part, ignoreCase }) => {
  const search = new TextSearch();
  const fold = (line) => (ignoreCase ? line.toLowerCase() : line);
  const want = fold(squeeze(text));
  const fits = (el) => {
    const have = fold(search.textOf(el));
    return part ? have.includes(want) : have === want;
  };
  const found = [];
  for (const el of findByCss(css)) {
    if (search.left <= 0) {
      break;
    }
    if (!fits(el)) {
      continue;
    }
    // Of two that lie in each other the inner one is meant.
    if (found.length > 0 && holds(found[found.length - 1], el)) {
      found.pop();
    }
    found.push(el);
  }
  return found;
};
