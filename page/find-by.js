// SPDX-License-Identifier: Apache-2.0
// Elements by CSS, XPath, role and name: one function a form of selector. They give elements of our document, of shadow
// roots and of same-origin frames, as an iterable in document order (outer roots first), visible or not.

const badSelector = (selector, why) => {
  fail('invalid_params', `${quote(cut(squeeze(selector), 120))} is not a valid selector: ${why}`);
};

// Whether the last search has left something out. Who waits until something has gone must know: it may be there.
let searchCut = false;

/** As many as one selector gives. */
const atMost = (found) => {
  searchCut ||= found.length > MAX_MATCHES;
  return found.slice(0, MAX_MATCHES);
};

/** Gives them one by one, so that a search that is content with the first does not look at the rest. */
function* findByCss(css, roots = everyRoot()) {
  for (const root of roots) {
    yield* queryAll(root, css);
  }
}

/** `host >>> inner`: what stands behind the sign is looked for inside the shadow root. */
const findDeep = (selector) => {
  const steps = selector.split('>>>').map((step) => step.trim()).filter(Boolean);
  let found = atMost([...findByCss(steps[0] ?? '')]);
  for (const step of steps.slice(1)) {
    found = atMost(found.flatMap((el) => [...queryAll(shadowOf(el) ?? el, step)]));
  }
  return found;
};

const ORDERED_SNAPSHOT = 7; // of XPathResult
const evaluateXPath = method(Document, 'evaluate');

const xpathIn = (root, expression) => {
  try {
    return evaluateXPath(root, expression, root, null, ORDERED_SNAPSHOT, null);
  } catch (thrown) {
    if (thrown instanceof TypeError) {
      badSelector(expression, 'this XPath gives a value, not elements; write //button');
    }
    throw thrown;
  }
};

/** XPath knows documents only, so shadow roots are not searched. */
function* findByXPath(expression, roots = everyRoot()) {
  for (const root of roots) {
    if (nodeTypeOf(root) !== DOCUMENT) {
      continue;
    }
    const result = xpathIn(root, expression);
    for (let i = 0; i < result.snapshotLength && i < MAX_NODES; i += 1) {
      const node = result.snapshotItem(i);
      const el = nodeTypeOf(node) === ELEMENT ? node : parentElementOf(node);
      if (el !== null) {
        yield el;
      }
    }
  }
}

// What can have a name; keeps the search off the thousands that cannot.
const NAMEABLE = `a,area,button,canvas,details,dialog,fieldset,figure,form,h1,h2,h3,h4,h5,h6,iframe,img,input,meter,nav,
  option,output,progress,select,section,summary,svg,table,textarea,[role],[aria-label],[aria-labelledby],[title],
  [contenteditable]`;

/** Those that are called exactly so, or else those whose name contains it. */
const bestNamed = (elements, name) => {
  const exact = [];
  const part = [];
  for (const el of elements) {
    const like = likeness(nameOf(el), name);
    if (like > 0) {
      (like === 2 ? exact : part).push(el);
    }
    if (exact.length >= MAX_MATCHES) {
      searchCut = true;
      break;
    }
  }
  return exact.length > 0 ? exact : part;
};

const findByName = (name) => bestNamed(findByCss(NAMEABLE), squeeze(name));

/** An accessibility id is an aria-label; without one, any accessible name. */
const findByAccessibilityId = (id) => {
  const found = [...findByCss(`[aria-label="${CSS.escape(id)}"]`)];
  return found.length > 0 ? found : findByName(id);
};

const STATE_TESTS = {
  checked: (el) => String(checkedOf(el) ?? false),
  disabled: (el) => String(isDisabled(el)),
  expanded: (el) => String(expandedOf(el, tagOf(el)) ?? false),
  level: (el) => String(levelOf(el, tagOf(el))),
  pressed: (el) => attr(el, 'aria-pressed') ?? 'false',
  selected: (el) => String(tagOf(el) === 'option' ? el.selected : isTrue(el, 'aria-selected')),
};
Object.setPrototypeOf(STATE_TESTS, null);

const unquote = (text) => text.replace(/^(["'])(.*)\1$/s, '$2').replace(/\\(["'\\])/g, '$1');

const ROLE_SELECTOR = /^([\w-]+)\s*("(?:\\.|[^"\\])*")?((?:\s*\[[^\]"']*(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')?[^\]"']*\])*)$/s;
const ROLE_TEST = /\[\s*([\w-]+)\s*(?:=\s*("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|[^\]]*?)(?:\s+i)?\s*)?\]/gs;

/** `button`, `button "Log in"`, `button[name="Log in"]`, `checkbox[checked]`, `heading[level=2]`. */
const parseRole = (text) => {
  const match = ROLE_SELECTOR.exec(text.trim());
  if (match === null) {
    return badSelector(`role=${text}`, 'write role=button or role=button[name="Log in"]');
  }
  const [, role, quoted, tests] = match;
  const parsed = { role: role.toLowerCase(), name: quoted === undefined ? null : unquote(quoted), pattern: null, states: [] };
  for (const [, key, value] of tests.matchAll(ROLE_TEST)) {
    if (key === 'name') {
      parsed.name = unquote(value ?? '');
      parsed.pattern = asPattern(value ?? ''); // in quotes it is a name
    } else if (STATE_TESTS[key] !== undefined) {
      parsed.states.push([key, unquote(value ?? 'true')]);
    } else {
      badSelector(`role=${text}`, `[${key}] is unknown; there are name, ${Object.keys(STATE_TESTS).join(', ')}`);
    }
  }
  return parsed;
};

const findByRole = (text) => {
  const { role, name, pattern, states } = parseRole(text);
  const found = [];
  for (const el of findByCss('*')) {
    if (roleOf(el) === role && states.every(([key, value]) => STATE_TESTS[key](el) === value)) {
      found.push(el);
    }
  }
  if (name === null) {
    return found;
  }
  return pattern === null ? bestNamed(found, squeeze(name)) : found.filter((el) => pattern.test(nameOf(el)));
};
