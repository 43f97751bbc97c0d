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
  const found = step.startsWith('text=') ? findByText(unquote(step.slice(5).trim()), fits) : candidates(step);
  const kept = new Set();
  for (const el of found) {
    if (fits(el)) {
      kept.add(el);
    }
    if (kept.size >= MAX_MATCHES) {
      break;
    }
  }
  return kept;
};

const findByChain = (steps) => steps.reduce((outer, step) => takeStep(step, outer), null);

const TEXT_CLASS = /:(?:visible(?![-\w])|(?:has-text|text-is|text|contains)\()/;
const CSS_TOKEN = /\\.|\[(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^\]"'])*\]|:(visible(?![-\w])|has-text(?=\()|text-is(?=\()|text(?=\()|contains(?=\())|\((?:\([^()]*\)|[^()])*\)|[^]/gsy;
const CLASS_WORDS = /\(\s*(?:"((?:\\.|[^"\\])*)"|'((?:\\.|[^'\\])*)'|([^)]*?))\s*\)/sy;

const shows = (search, el, words) => search.textOf(el).toLowerCase().includes(words.toLowerCase());
const TEXT_CLASSES = {
  'has-text': (words, search) => (el) => shows(search, el, words),
  contains: (words, search) => (el) => shows(search, el, words),
  text: (words, search) => (el) => shows(search, el, words) && ![...queryAll(el, ':scope > *')].some((inner) => shows(search, inner, words)),
  'text-is': (words, search) => (el) => search.textOf(el) === words,
};
Object.setPrototypeOf(TEXT_CLASSES, null);

/** The test that stands at `at` behind its name, and where it ends. */
const textClassAt = (selector, at, name, search) => {
  if (name === 'visible') {
    return { test: isVisible, end: at };
  }
  CLASS_WORDS.lastIndex = at;
  const [whole, ...words] = CLASS_WORDS.exec(selector) ?? badSelector(selector, `write :${name}("text")`);
  return { test: TEXT_CLASSES[name](squeeze(words.find((each) => each !== undefined)), search), end: at + whole.length };
};

/**
 * `.card:has-text("A") > b, i` as a list of lists of steps {css, tests}: what stands behind a class of ours is looked for inside of what it
 * leaves.
 */
const textClassSteps = (selector) => {
  const search = new TextSearch();
  const list = [[{ css: '', tests: [] }]];
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
      list.push([{ css: '', tests: [] }]);
    } else if (step.tests.length > 0 && /[\s>+~]/.test(token)) {
      steps.push({ css: `:scope${token}`, tests: [] });
    } else {
      step.css += token;
    }
  }
  // What is left of a blank at the end is no step.
  return list.map((steps) => steps.filter(({ css }) => css.trim() !== ':scope'));
};

const takeTextSteps = (steps, root) => {
  let found = null;
  for (const { css, tests } of steps) {
    const all = found === null ? queryAll(root, css) : new Set(found.flatMap((el) => [...queryAll(el, css)]));
    found = [...all].filter((el) => tests.every((test) => test(el)));
  }
  return found;
};

function* findByTextClass(selector, roots) {
  const list = textClassSteps(selector.trim());
  for (const root of roots) {
    yield* list.flatMap((steps) => takeTextSteps(steps, root));
  }
}

/** CSS, with or without such classes. */
const findByAnyCss = (css, roots) => (TEXT_CLASS.test(css) ? findByTextClass(css, roots) : findByCss(css, roots));

const attributeHas = (name) => (value) => `css=[${name}*="${CSS.escape(value)}" i]`;
const LOCATORS = {
  getByRole: (role, name) => `role=${role}${name === undefined ? '' : `[name=${name}]`}`,
  getByText: (text) => `text=${text}`,
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
const LOCATOR_CALL = /\s*\.?\s*(\w+)\(\s*(?:(["'`])((?:\\.|(?!\2)[^])*)\2|(-?\d+))?\s*(?:,\s*\{([^}]*)\})?\s*\)/y;

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
    steps.push(LOCATORS[name](words ?? number ?? '', named));
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
