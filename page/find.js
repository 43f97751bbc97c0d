// SPDX-License-Identifier: Apache-2.0
// From a target to elements. A target is a ref or a selector; the form of the selector says how to read it, in the
// order of the table. Forms that WebdriverIO's users know are read as there.

const linkText = (text, part) => findByTagText({ css: 'a', text, part, ignoreCase: false });

const attributeIs = (name) => (value) => findByCss(`[${name}="${CSS.escape(value)}"]`);

/** `div.card[data-x="1"]*=text`, with a dot before the sign to ignore case. */
const TAG_TEXT = /^([a-zA-Z][\w-]*)?((?:[.#][\w-]+)*(?:\[[\w-]+(?:="[^"]*")?\])?)(\.)?(\*)?=(.*)$/s;

const findByTagForm = (match) => {
  const [, tag = '', rest = '', dot, star, text] = match;
  return findByTagText({ css: tag + rest || '*', text, part: star !== undefined, ignoreCase: dot !== undefined });
};

const FORMS = [
  [/^css(?: selector)?[:=](.*)$/s, (match) => findByCss(match[1])],
  [/^xpath[:=](.*)$/s, (match) => findByXPath(match[1])],
  [/^link text:(.*)$/s, (match) => linkText(match[1], false)],
  [/^partial link text:(.*)$/s, (match) => linkText(match[1], true)],
  [/^tag name:(.*)$/s, (match) => findByCss(CSS.escape(match[1]))],
  [/^class name:(.*)$/s, (match) => findByCss(`.${CSS.escape(match[1])}`)],
  [/^name:(.*)$/s, (match) => attributeIs('name')(match[1])],
  [/^(?:id:|id=)(.*)$/s, (match) => attributeIs('id')(match[1])],
  [/^(?:accessibility id:|~)(.*)$/s, (match) => findByAccessibilityId(match[1])],
  [/^(?:\/|\(|\.\.?\/|\*\/|\.\.?$)/, (match) => findByXPath(match.input)],
  [/^text=(.*)$/s, (match) => findByText(unquote(match[1].trim()))],
  [/^role=(.*)$/s, (match) => findByRole(match[1])],
  [/^aria\/(.*)$/s, (match) => findByName(match[1])],
  [/^=(.*)$/s, (match) => linkText(match[1], false)],
  [/^\*=(.*)$/s, (match) => linkText(match[1], true)],
  [/>>>/, (match) => findDeep(match.input)],
  [TAG_TEXT, findByTagForm],
  [/^[^]*$/, (match) => findByCss(match.input)],
];

/** All that a selector can mean, lazily where its form allows. */
function* candidates(selector) {
  for (const [form, find] of FORMS) {
    const match = form.exec(selector);
    if (match === null) {
      continue;
    }
    try {
      yield* find(match);
    } catch (thrown) {
      if (thrown instanceof DOMException || thrown instanceof TypeError) {
        badSelector(selector, 'it is neither CSS nor XPath');
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

/** The element that a target means: the first visible one that fits, or else the first. Null: nothing fits. */
const findFirst = (target) => {
  const text = asTarget(target);
  const ref = asRef(text);
  if (ref !== null) {
    return elementByRef(ref);
  }
  let first = null;
  let tries = 0;
  for (const el of candidates(text)) {
    if (isVisible(el)) {
      return el;
    }
    first ??= el;
    tries += 1;
    if (tries >= VISIBLE_TRIES) {
      break;
    }
  }
  return first;
};

const noSuchElement = (target, waited = '') => {
  fail('element_not_found', `nothing on the page matches ${quote(cut(squeeze(String(target)), 120))}${waited}`);
};

/** The ref of an element in a message. The daemon hears of it, for none is given twice in a session. */
const handleOf = (el) => {
  const ref = refOf(el);
  tellDaemon('named', { last: lastRef });
  return ref;
};

const findOne = (target) => findFirst(target) ?? noSuchElement(target);
