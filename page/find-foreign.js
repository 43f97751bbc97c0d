// SPDX-License-Identifier: Apache-2.0
// Selectors as other tools write them, as far as they are simple: chains (`.card >> text=Buy >> nth=0`), classes by text
// (`button:has-text("Buy")`, `:contains(x)`, `:visible`), locators (`getByRole('button', { name: 'Buy' })`), and forms with a prefix of their own.

/** The steps of `a >> b`; one if it is no chain. Signs inside double quotes are text. */
const chainSteps = (selector) => {
  const steps = [''];
  selector.split(/("(?:\\.|[^"\\])*")/).forEach((piece, n) => {
    const [first, ...rest] = n % 2 === 1 ? [piece] : piece.split(/(?<!>)>>(?!>)/);
    steps[steps.length - 1] += first;
    steps.push(...rest);
  });
  const trimmed = steps.map((step) => step.trim());
  return trimmed.includes('') ? [selector] : trimmed;
};

const liesIn = (el, outer) => {
  for (let up = parentOf(el), n = 0; up !== null && n < MAX_NODES; up = parentOf(up), n += 1) {
    if (outer.has(up)) {
      return true;
    }
  }
  return false;
};

/** What a step finds inside of what the steps before it have found; null: all there is. */
const takeStep = (step, outer) => {
  const nth = /^nth=(-?\d+)$/.exec(step);
  if (nth !== null) {
    const one = [...outer ?? []].at(Number(nth[1]));
    return new Set(one === undefined ? [] : [one]);
  }
  if (/^visible=(true|1)$/.test(step)) {
    return new Set([...outer ?? []].filter(isVisible));
  }
  const fits = outer === null ? () => true : (el) => liesIn(el, outer);
  const found = step.startsWith('text=') ? findByTextForm(step.slice(5).trim(), fits) : candidates(step);
  const kept = new Set();
  for (const el of found) {
    if (fits(el)) {
      kept.add(el);
    }
    if (kept.size >= MAX_MATCHES) {
      searchCut = true;
      break;
    }
  }
  return kept;
};

const findByChain = (steps) => steps.reduce((outer, step) => takeStep(step, outer), null);

const TEXT_CLASS = /:(?:visible(?![-\w])|(?:has-text|text-is|text|contains)\()/;
const CSS_TOKEN = /\\.|\[(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^\]"'])*\]|:(visible(?![-\w])|has-text(?=\()|text-is(?=\()|text(?=\()|contains(?=\())|\((?:\([^()]*\)|[^()])*\)|\s*[>+~]\s*|\s+|[^]/gsy;
const CLASS_WORDS = /\(\s*(?:"((?:\\.|[^"\\])*)"\s*|'((?:\\.|[^'\\])*)'\s*|([^)]*))\)/sy;
const LOOK_COST = 100; // of a search, in characters: whether an element can be seen

const shows = (search, el, words) => search.textOf(el).toLowerCase().includes(words.toLowerCase());
const TEXT_CLASSES = {
  'has-text': (words, search) => (el) => shows(search, el, words),
  contains: (words, search) => (el) => shows(search, el, words),
  text: (words, search) => (el) => shows(search, el, words) && ![...queryAll(el, ':scope > *')].some((inner) => shows(search, inner, words)),
  'text-is': (words, search) => (el) => search.textOf(el) === words,
};
Object.setPrototypeOf(TEXT_CLASSES, null);

const NOWHERE = new DocumentFragment();

/** The test that stands at `at` behind its name, and where it ends. */
const textClassAt = (selector, at, name, search) => {
  if (name === 'visible') {
    const test = (el) => {
      search.left -= LOOK_COST;
      return isVisible(el);
    };
    return { test, end: at };
  }
  CLASS_WORDS.lastIndex = at;
  const [whole, ...words] = CLASS_WORDS.exec(selector) ?? badSelector(selector, `write :${name}("text")`);
  return { test: TEXT_CLASSES[name](squeeze(words.find((each) => each !== undefined)), search), end: at + whole.length };
};

/**
 * `.card:has-text("A") > b, i` as a list of lists of steps {from, css, tests}: what stands behind a class of ours is looked for from what it
 * leaves. `from` is the sign between the two, '' for a blank.
 */
const textClassSteps = (selector, search) => {
  const list = [[{ from: '', css: '', tests: [] }]];
  for (let at = 0; at < selector.length;) {
    const steps = list[list.length - 1];
    const step = steps[steps.length - 1];
    CSS_TOKEN.lastIndex = at;
    const [token, name] = CSS_TOKEN.exec(selector);
    at += token.length;
    if (name !== undefined) {
      const { test, end } = textClassAt(selector, at, name, search);
      step.css += step.css.trim() === '' || /[\s>+~]$/.test(step.css) ? '*' : '';
      step.tests.push(test);
      at = end;
    } else if (token === ',') {
      list.push([{ from: '', css: '', tests: [] }]);
    } else if (/^[\s>+~]/.test(token) && (steps.length > 1 || step.tests.length > 0)) {
      steps.push({ from: token.trim(), css: '', tests: [] });
    } else {
      step.css += token;
    }
  }
  // What is left of a blank at the end is no step.
  const all = list.map((steps) => steps.filter(({ from, css }, n) => n === 0 || from !== '' || css !== ''));
  all.flat().forEach(({ css }) => inShadow.queryAll(NOWHERE, css)); // refused even if no step gets as far
  return all;
};

const contains = method(Node, 'contains');

/** What fits `css` inside of (`from` is ''), as children of (`>`) or behind (`+`, `~`) each of some nodes. No part of the page is gone through twice. */
function* relatives(nodes, from, css, search) {
  const passed = new Set();
  let outer = null;
  for (const node of nodes) {
    if (from === '') {
      if (outer === null || !contains(outer, node)) {
        outer = node;
        yield* queryAll(node, css);
      }
      continue;
    }
    let next = from === '>' ? firstElementOf(node) : nextElementOf(node);
    while (next !== null && !passed.has(next) && search.left > 0) {
      passed.add(next);
      search.left -= 1;
      if (matches(next, css)) {
        yield next;
      }
      next = from === '+' ? null : nextElementOf(next);
    }
  }
}

const takeTextSteps = (steps, root, search) => {
  let found = [root];
  for (const { from, css, tests } of steps) {
    const kept = new Set();
    for (const el of relatives(found, from, css, search)) {
      if (kept.size >= MAX_MATCHES || search.left <= 0) {
        searchCut = true;
        break;
      }
      search.left -= 1;
      if (tests.every((test) => test(el))) {
        kept.add(el);
      }
    }
    found = kept;
  }
  return found;
};

function* findByTextClass(selector, roots) {
  const search = new TextSearch();
  const list = textClassSteps(selector.trim(), search);
  for (const root of roots) {
    for (const steps of list) {
      yield* takeTextSteps(steps, root, search);
    }
  }
}

/** CSS, with or without such classes. */
const findByAnyCss = (css, roots) => (TEXT_CLASS.test(css) ? findByTextClass(css, roots) : findByCss(css, roots));

const attributeHas = (name) => (value) => `css=[${name}*="${CSS.escape(value)}" i]`;
const LOCATORS = {
  getByRole: (role, name) => `role=${role}${name === undefined ? '' : `[name=${name}]`}`,
  getByText: (text) => `text="${text.replace(/["\\]/g, '\\$&')}"`,
  getByLabel: (text) => `aria/${text}`,
  getByPlaceholder: attributeHas('placeholder'),
  getByAltText: attributeHas('alt'),
  getByTitle: attributeHas('title'),
  getByTestId: (id) => `css=[data-testid="${CSS.escape(id)}"]`,
  locator: (selector) => selector,
  first: () => 'nth=0',
  last: () => 'nth=-1',
  nth: (number) => `nth=${number}`,
};
Object.setPrototypeOf(LOCATORS, null);
const LOCATOR = /^(?:page\s*\.\s*)?(?:getBy[A-Z]\w*|locator)\(/;
const LOCATOR_CALL = /\s*(?:\.\s*)?(\w+)\(\s*(?:(["'`])((?:\\[^]|(?!\2)[^\\])*)\2\s*|(-?\d+)\s*)?(?:,\s*\{([^}]*)\}\s*)?\)/y;

/** `page.getByRole('button', { name: 'x' }).first()` as the steps of a chain. */
const findByLocator = (selector) => {
  const steps = [];
  const text = selector.trim().replace(/^page\s*\./, '');
  for (let at = 0; at < text.length;) {
    LOCATOR_CALL.lastIndex = at;
    const [call, name, , words, number, options] = LOCATOR_CALL.exec(text) ?? [];
    if (call === undefined || LOCATORS[name] === undefined) {
      badSelector(selector, 'of locators, getBy…(), locator(), first(), last() and nth() work; or write role=button[name="Log in"]');
    }
    const named = /\bname:\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\/.*\/[a-z]*)/.exec(options ?? '')?.[1];
    steps.push(LOCATORS[name](words?.replace(/\\([^])/g, '$1') ?? number ?? '', named));
    at += call.length;
  }
  return findByChain(steps);
};

const PREFIXES = {
  'internal:role=': (rest) => `role=${rest.replace(/(["'])[is]\]/g, '$1]')}`,
  'internal:text=': (rest) => `text=${rest.replace(/(["'])[is]$/, '$1')}`,
  'internal:label=': (rest) => `aria/${unquote(rest.replace(/(["'])[is]$/, '$1'))}`,
  'internal:attr=': (rest) => `css=${rest}`,
  'internal:testid=': (rest) => `css=${rest.replace(/(["'])[is]\]/g, '$1]')}`,
  'text/': (rest) => `text=${rest}`,
  'xpath/': (rest) => `xpath=${rest}`,
  'pierce/': (rest) => `css=${rest}`,
  'data-testid=': (rest) => `css=[data-testid="${CSS.escape(unquote(rest))}"]`,
};
Object.setPrototypeOf(PREFIXES, null);
const PREFIX = /^(internal:\w+=|text\/|xpath\/|pierce\/|data-testid=)(.*)$/s;
