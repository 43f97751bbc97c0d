// SPDX-License-Identifier: Apache-2.0
// From a target to elements. A target is a ref or a selector; the form of the selector says how to read it, in the
// order of the table. Forms that WebdriverIO's users know are read as there.

const linkText = (text, part) => findByTagText({ css: 'a', text, part, ignoreCase: false });

const attributeIs = (name, value) => `[${name}="${CSS.escape(value)}"]`;

/** `div.card[data-x="1"]*=text`, with a dot before the sign to ignore case. */
const TAG_TEXT = /^([a-zA-Z][\w-]*)?((?:[.#][\w-]+)*(?:\[[\w-]+(?:="[^"]*")?\])?)(\.)?(\*)?=(.*)$/s;

const findByTagForm = (match) => {
  const [, tag = '', rest = '', dot, star, text] = match;
  return findByTagText({ css: tag + rest || '*', text, part: star !== undefined, ignoreCase: dot !== undefined });
};

const SELECTOR_ADVICE = 'write CSS, //xpath, text=Log in, role=button[name="Log in"] or a ref from a snapshot';

/** Each with what it means: elements by CSS and XPath are looked for in `roots`, all others everywhere. */
const FORMS = [
  [/^css(?: selector)?[:=](.*)$/s, (match, roots) => findByAnyCss(match[1], roots)],
  [/^xpath[:=](.*)$/s, (match, roots) => findByXPath(match[1], roots)],
  [/^link text:(.*)$/s, (match) => linkText(match[1], false)],
  [/^partial link text:(.*)$/s, (match) => linkText(match[1], true)],
  [/^tag name:(.*)$/s, (match, roots) => findByCss(CSS.escape(match[1]), roots)],
  [/^class name:(.*)$/s, (match, roots) => findByCss(`.${CSS.escape(match[1])}`, roots)],
  [/^name:(.*)$/s, (match, roots) => findByCss(attributeIs('name', match[1]), roots)],
  [/^(?:id:|id=)(.*)$/s, (match, roots) => findByCss(attributeIs('id', match[1]), roots)],
  [/^(?:accessibility id:|~)(.*)$/s, (match) => findByAccessibilityId(match[1])],
  [/^(?:\/|\(|\.\.?\/|\*\/|\.\.?$)/, (match, roots) => findByXPath(match.input, roots)],
  [/^text=(.*)$/s, (match) => findByTextForm(match[1].trim())],
  [/^role=(.*)$/s, (match) => findByRole(match[1])],
  [/^aria\/(.*)$/s, (match) => findByName(match[1])],
  [/^=(.*)$/s, (match) => linkText(match[1], false)],
  [/^\*=(.*)$/s, (match) => linkText(match[1], true)],
  [LOCATOR, (match) => findByLocator(match.input)],
  [PREFIX, ({ input, 1: prefix, 2: rest }) => candidates(PREFIXES[prefix]?.(rest) ?? badSelector(input, SELECTOR_ADVICE))],
  [/>>>/, (match) => findDeep(match.input)],
  [TAG_TEXT, findByTagForm],
  [/^[^]*$/, (match, roots) => findByAnyCss(match.input, roots)],
];

/** All that a selector can mean, lazily where its form allows. */
function* candidates(selector, roots = everyRoot()) {
  const steps = selector.includes('>>') ? chainSteps(selector) : [selector];
  if (steps.length > 1) {
    yield* findByChain(steps);
    return;
  }
  for (const [form, find] of FORMS) {
    const match = form.exec(selector);
    if (match === null) {
      continue;
    }
    try {
      yield* find(match, roots);
    } catch (thrown) {
      if (thrown instanceof DOMException) {
        badSelector(selector, `it is neither CSS nor XPath; ${SELECTOR_ADVICE}`);
      }
      throw thrown;
    }
    return;
  }
}

const asTarget = (target) => {
  const text = typeof target === 'string' ? target.trim() : '';
  return text === '' ? fail('invalid_params', 'target must be a ref or a selector') : text.slice(0, 10_000);
};

/** Elements that a target means, at most `limit`. Null where nothing fits yet: a ref that has gone fails at once. */
const findAll = (target, limit = MAX_MATCHES) => {
  const text = asTarget(target);
  const ref = asRef(text);
  if (ref !== null) {
    return [elementByRef(ref)];
  }
  const found = new Set();
  for (const el of candidates(text)) {
    found.add(el);
    if (found.size >= limit) {
      break;
    }
  }
  return [...found];
};

const VISIBLE_TRIES = 200;

/** The element that a target means: the first visible one that fits, of so many, or else the first. Null: nothing fits. */
const findFirst = (target, most = VISIBLE_TRIES) => {
  const text = asTarget(target);
  const ref = asRef(text);
  if (ref !== null) {
    return elementByRef(ref);
  }
  let first = null;
  let tries = 0;
  searchCut = false;
  for (const el of candidates(text)) {
    if (isVisible(el)) {
      return el;
    }
    first ??= el;
    tries += 1;
    if (tries >= most) {
      searchCut = true;
      break;
    }
  }
  return first;
};

// Words alone are CSS, too: the names of elements in each other.
const ONLY_WORDS = /^\p{L}[\p{L}\p{N}]*(?: \p{L}[\p{L}\p{N}]*)*$/u;

/** Whether a target is the text of something that the page shows. This looks through the page. */
const isShownText = (target) => ONLY_WORDS.test(target) && target.length <= LINE_TEXT && findByText(target).length > 0;

const isElementName = (word) => !(createElement(document, HTML, word.toLowerCase()) instanceof HTMLUnknownElement)
  || createElement(document, SVG, word).constructor !== SVGElement;

/** The same of one that no waiting helps: there are no elements of these names. */
const isOnlyText = (target) => ONLY_WORDS.test(target) && !target.split(' ').every(isElementName) && isShownText(target);

/** How many frames one can see that this script cannot enter. This looks through the page. */
const countClosedFrames = () => {
  let count = 0;
  for (const root of everyRoot()) {
    count += [...queryAll(root, 'iframe,frame')].filter((el) => frameDocumentOf(el) === null && isVisible(el)).length;
  }
  return count;
};

/** The end of a message that says that something is not there: it may be in such a frame. '' if there is none. */
const unlessInFrame = (advice) => {
  const count = countClosedFrames();
  return count === 0 ? '' : `; the page has ${count === 1 ? '1 isolated frame' : `${count} isolated frames`}, ${advice}`;
};
const NO_SELECTORS = 'in which selectors do not look; refs of elements in there work';

const noSuchElement = (target, waited = '') => {
  const text = squeeze(String(target));
  const advice = isShownText(text) ? `. The page shows this text: for that, the target is text=${text}`
    : unlessInFrame(NO_SELECTORS);
  fail('element_not_found', `nothing on the page matches ${quote(cut(text, 120))}${waited}${advice}`);
};

/** The ref of an element in a message. The daemon hears of it, for none is given twice in a session. */
const handleOf = (el) => {
  const ref = refOf(el);
  tellDaemon('named', { last: lastRef });
  return ref;
};

const findOne = (target) => findFirst(target) ?? noSuchElement(target);

// A selector that ends in a number says which one it means.
const NUMBERED = /(?:\[(?:\d+|last\(\))\]\)?|:(?:first|last|nth|only)-[a-z-]+(?:\([^)]*\))?)$/;
const MATCHES_TOLD = 5;

/** Of elements that all fit, those that a person could use now: what is behind an open dialog, or hidden from assistive technology, is not meant. */
const inReach = (all) => {
  const dialogs = new Map(); // of each document, the open modal ones
  const dialogsOf = (doc) => dialogs.get(doc) ?? dialogs.set(doc, [...inDocument.queryAll(doc, 'dialog:modal,[aria-modal=true]')].filter(isVisible)).get(doc);
  const near = all.filter((el) => {
    const modal = dialogsOf(ownerOf(el));
    return closest(el, '[aria-hidden=true],[inert]') === null && (modal.length === 0 || modal.some((dialog) => holds(dialog, el)));
  });
  return near.length > 0 ? near : all;
};

/** Whether an act on one of them is an act on the other: they lie in each other, or one is the label of the other. */
const areOne = (a, b) => controlOf(a) === controlOf(b) || holds(a, b) || holds(b, a);

const looksOf = (el) => {
  const { tag, role, name } = introduce(el);
  return name === '' ? sketch(el) : `${role || tagWord(tag)} ${quote(name)}`;
};

/** Every root, but only our document if that has shown something: to look into all shadow roots and frames takes longer. */
function* rootsUntilSeen(visible) {
  for (const root of everyRoot()) {
    yield root;
    if (root === document && visible.size > 0) {
      return;
    }
  }
}

/** The first element that fits, and those that can be seen; `sure`: these are all. */
const lookFor = (text) => {
  const visible = new Set();
  let first = null;
  let tries = 0;
  for (const el of candidates(text, rootsUntilSeen(visible))) {
    if (isVisible(el)) {
      visible.add(el);
    }
    first ??= el;
    tries += 1;
    if (tries >= VISIBLE_TRIES) {
      break;
    }
  }
  return { first, visible: [...visible], sure: tries < VISIBLE_TRIES };
};

const failAmbiguous = (text, all, sure) => {
  const told = all.slice(0, MATCHES_TOLD).map((el) => `${handleOf(el)} ${looksOf(el)}`).join(', ');
  const least = sure ? '' : 'at least ';
  const more = all.length > MATCHES_TOLD ? ` and ${least}${all.length - MATCHES_TOLD} more` : '';
  fail('element_ambiguous', `${quote(cut(squeeze(text), 120))} matches ${least}${all.length} elements: ${told}${more}`);
};

/** The element that a target means, and how many fit. Those that a person can tell apart are not taken one for the other. */
const findMeant = (target) => {
  const text = asTarget(target);
  if (asRef(text) !== null || NUMBERED.test(text)) {
    return { el: findFirst(text), matches: 1 };
  }
  const { first, visible, sure } = lookFor(text);
  if (visible.length < 2) {
    return { el: visible[0] ?? first, matches: 1 };
  }
  const [el, ...rest] = inReach(visible);
  const others = rest.filter((other) => !areOne(el, other));
  const looks = looksOf(el);
  if (others.some((other) => looksOf(other) !== looks)) {
    failAmbiguous(text, [el, ...others], sure);
  }
  return { el, matches: others.length + 1 };
};
