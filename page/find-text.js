// SPDX-License-Identifier: Apache-2.0
// Elements by the text that they show. What is not drawn (scripts, styles, templates, hidden elements) has no text. A search
// reads the text of an element before it goes into it, so its cost is counted in characters.

const TEXT_BUDGET = 20_000_000;
const NO_TEXT = words('head noscript script style template title');
// The data of an application can be most of its page. It is no text, and to pass over it costs less.
const LONG_TEXT = 1_000_000;
const DATA_COST = 1 / 20;
const dataIn = (el) => [...queryAll(el, 'noscript,script,style')].reduce((sum, each) => sum + textContentOf(each).length, 0);

/** Whether the text and the children of an element are drawn. */
const ALL = 2;
const CHILDREN_ONLY = 1; // visibility: hidden, which a child can take back, and closed details, whose summary is drawn
const NOTHING = 0;
const drawnOf = (el, tag) => {
  // The list of a closed select is not drawn, but what one chooses from it is known by its text.
  if (tag === 'option' || tag === 'optgroup' || checkVisibility(el, SHOWN)) {
    return isClosedDetails(el, tag) ? CHILDREN_ONLY : ALL;
  }
  if (checkVisibility(el)) {
    return CHILDREN_ONLY;
  }
  return isBoxless(el) ? ALL : NOTHING;
};

/** What is looked for in texts: `mayBeIn` is asked about all that an element holds, drawn or not, `isIn` about what it shows. */
const partOfText = (text) => {
  const needle = text.toLowerCase();
  const all = needle.split(' ');
  return {
    mayBeIn: (content) => {
      const lower = content.toLowerCase();
      return all.every((word) => lower.includes(word));
    },
    isIn: (shown) => shown.toLowerCase().includes(needle),
  };
};
/** A pattern may take its time for a long text, and those are of large parts of the page. */
const PATTERN_TEXT = 2000;
const patternOfText = (pattern) => {
  let left = 1_000_000; // characters in all
  return {
    mayBeIn: (content) => /\S/.test(content),
    isIn: (shown) => {
      left -= shown.length <= PATTERN_TEXT ? shown.length : 0;
      searchCut ||= left <= 0;
      return left > 0 && shown.length <= PATTERN_TEXT && pattern.test(shown);
    },
  };
};

class TextSearch {
  left = TEXT_BUDGET;

  /** The text that an element shows, as one line; for a button that is an input, the words on it. */
  textOf(el, tag = tagOf(el)) {
    if (tag === 'input') {
      return /^(button|submit|reset)$/.test(el.type) && isShown(el) ? squeeze(inputName(el)) : '';
    }
    return squeeze(this.#drawnIn(el, tag));
  }

  #drawnIn(el, tag) {
    const drawn = drawnOf(el, tag);
    if (drawn === NOTHING) {
      return '';
    }
    let text = '';
    const open = [{ next: firstChildOf(el), own: drawn === ALL }];
    while (open.length > 0 && this.left > 0) {
      const level = open[open.length - 1];
      const node = level.next;
      if (node === null) {
        open.pop();
        continue;
      }
      level.next = nextSiblingOf(node);
      this.left -= 1;
      if (nodeTypeOf(node) === TEXT) {
        text += level.own ? node.data : '';
        this.left -= node.length;
      } else if (nodeTypeOf(node) === ELEMENT) {
        const inner = tagOf(node);
        const shows = NO_TEXT.has(inner) ? NOTHING : drawnOf(node, inner);
        if (shows !== NOTHING) {
          open.push({ next: firstChildOf(node), own: shows === ALL });
        }
      }
    }
    return text;
  }

  /** Quick, and most elements need no closer look. */
  #mayShow(el, wanted) {
    const text = textContentOf(el);
    const data = text.length > LONG_TEXT ? dataIn(el) : 0;
    this.left -= text.length + 1 - data * (1 - DATA_COST);
    return wanted.mayBeIn(text);
  }

  /** The innermost elements under a root whose text has what is wanted, in document order, at most `limit`. Only those that fit count. */
  innermost(root, wanted, fits = () => true, limit = MAX_MATCHES) {
    const found = [];
    const stack = [{ el: null, tag: '', next: firstElementIn(root), inner: true }];
    while (stack.length > 0 && this.left > 0 && found.length < limit) {
      const top = stack[stack.length - 1];
      const el = top.next;
      if (el === null) {
        stack.pop();
        if (!top.inner && wanted.isIn(this.textOf(top.el, top.tag))) {
          top.inner = true;
          if (fits(top.el)) {
            found.push(top.el);
          }
        }
        if (top.inner && stack.length > 0) {
          stack[stack.length - 1].inner = true;
        }
        continue;
      }
      top.next = nextElementOf(el);
      const tag = tagOf(el);
      if (!NO_TEXT.has(tag) && this.#mayShow(el, wanted)) {
        stack.push({ el, tag, next: firstElementOf(el), inner: false });
      }
    }
    for (const el of queryAll(root, 'input[type=submit],input[type=button],input[type=reset]')) {
      if (found.length >= limit) {
        break;
      }
      if (wanted.isIn(this.textOf(el)) && fits(el)) {
        found.push(el);
      }
    }
    searchCut ||= this.left <= 0 || found.length >= limit;
    return found;
  }

  /** The button around a span, if the span is all that it shows. */
  clickableAround(el, text) {
    const outer = closest(el, CLICKABLE);
    return outer !== null && outer !== el && this.textOf(outer) === text ? outer : el;
  }
}

/** Elements that show `text`: those that show nothing else, or else those that show it among other text. Only those that fit count. */
const findByText = (text, fits = () => true) => {
  const want = squeeze(text);
  if (want === '') {
    return [];
  }
  const search = new TextSearch();
  const exact = [];
  const part = [];
  for (const root of everyRoot()) {
    for (const el of search.innermost(root, partOfText(want), fits)) {
      if (search.textOf(el) === want) {
        exact.push(search.clickableAround(el, want));
      } else {
        part.push(el);
      }
    }
  }
  return exact.length > 0 ? exact : part;
};

const findByTextPattern = (pattern, fits) => {
  const search = new TextSearch();
  const wanted = patternOfText(pattern);
  const found = [];
  for (const root of everyRoot()) {
    for (const el of search.innermost(root, wanted, fits)) {
      found.push(search.clickableAround(el, search.textOf(el)));
    }
  }
  return found;
};

/** What stands behind `text=`: a text, in quotes or not; where nothing shows it and it is none in quotes, perhaps a regular expression. */
const findByTextForm = (form, fits) => {
  const found = findByText(unquote(form), fits);
  const pattern = found.length > 0 ? null : asPattern(form);
  return pattern === null ? found : findByTextPattern(pattern, fits);
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
      searchCut = true;
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
