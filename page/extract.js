// SPDX-License-Identifier: Apache-2.0
// The content of elements, or of the page.

const EXTRACT_CHARS = 100_000;
const EXTRACT_LIMIT = 100;
const cloneNode = method(Node, 'cloneNode');

/** The one element that holds what the page is about, or else its body. */
const mainContent = () => {
  const body = bodyOf(document) ?? rootElementOf(document);
  if (body === null) {
    return fail('element_not_found', 'the page is empty');
  }
  for (const css of ['main,[role=main]', 'article']) {
    const found = [...queryAll(document, css)].filter(isVisible);
    // A stub that only looks like it must not hide the rest of the page.
    if (found.length === 1 && textContentOf(found[0]).trim().length >= 200) {
      return found[0];
    }
  }
  return body;
};

const hasShadow = (el) => {
  let left = MAX_NODES;
  for (const inner of queryAll(el, '*')) {
    left -= 1;
    if (left < 0 || shadowOf(inner) !== null) {
      return left >= 0;
    }
  }
  return shadowOf(el) !== null;
};

/** The text as it is drawn. The browser's own innerText knows styles best, but does not look into shadow roots. */
const drawnText = (el) => {
  if (tagOf(el) === 'input' || tagOf(el) === 'select' || tagOf(el) === 'textarea') {
    return valueOf(el, tagOf(el), roleOf(el));
  }
  if (namespaceOf(el) !== HTML) {
    return textContentOf(el);
  }
  if (!hasShadow(el)) {
    return innerTextOf(el);
  }
  const run = new LongRun();
  gather(el, tagOf(el), run, newGathering(null, MAX_NODES));
  return run.text.trim();
};

/** Like TextRun, for text of any length, with blocks on lines of their own. */
class LongRun {
  text = '';

  edge(el, tag) {
    if (!INLINE.has(tag) && this.text !== '' && !this.text.endsWith('\n')) {
      this.text = `${this.text.trimEnd()}\n`;
    }
  }

  add(data) {
    if (this.text.length < EXTRACT_CHARS * 2) {
      this.text += data.replace(BLANKS, ' ');
    }
  }
}

/** The markup, without values of password fields. */
const markupOf = (el) => {
  const secret = 'input[type=password i][value]';
  if (!matches(el, secret) && queryOne(el, secret) === null) {
    return outerHtmlOf(el);
  }
  const copy = cloneNode(el, true);
  for (const field of [copy, ...queryAll(copy, secret)]) {
    if (matches(field, secret)) {
      field.setAttribute('value', '•••');
    }
  }
  return outerHtmlOf(copy);
};

const short = (text, room) => ({ value: cut(text, room), cutShort: text.length > room });

/** The same for what becomes JSON: quotes and line ends take more room there. */
const shortInJson = (text, room) => {
  let value = room < 10 ? '' : cut(text, room);
  for (let size = JSON.stringify(value).length; value !== '' && size > room; size = JSON.stringify(value).length) {
    const next = Math.trunc(value.length * Math.min(0.9, room / size));
    value = next < 2 ? '' : cut(text, next);
  }
  return { value, cutShort: value.length < text.length };
};

const attributesOf = (el, room) => {
  const secret = matches(el, 'input[type=password i]');
  const value = {};
  let left = room;
  let cutShort = false;
  for (const name of attributeNames(el).slice(0, 200)) {
    const each = shortInJson(secret && name === 'value' ? '•••' : attr(el, name), Math.min(2000, left - name.length));
    left -= name.length + each.value.length + 6;
    cutShort ||= each.cutShort;
    if (left < 0) {
      return { value, cutShort: true };
    }
    value[name] = each.value;
  }
  return { value, cutShort };
};

// Each gives {value, cutShort} in about `room` characters.
const FORMATS = {
  text: (el, room) => short(drawnText(el), room),
  html: (el, room) => short(markupOf(el), room),
  markdown: (el, room) => {
    const { text, cutShort } = markdownOf(el, room);
    return { value: cut(text, room), cutShort: cutShort || text.length > room };
  },
  json: (el, room) => {
    const part = Math.trunc(room / 3);
    const attributes = attributesOf(el, part);
    const text = shortInJson(drawnText(el), part);
    const html = shortInJson(markupOf(el), room - JSON.stringify([text.value, attributes.value]).length);
    const value = { text: text.value, html: html.value, attributes: attributes.value };
    return { value, cutShort: text.cutShort || html.cutShort || attributes.cutShort };
  },
};
Object.setPrototypeOf(FORMATS, null);

const sizeOf = (result) => (typeof result === 'string' ? result.length : JSON.stringify(result).length);

const wellFormed = (result) => (typeof result === 'string'
  ? result.toWellFormed()
  : { ...result, text: result.text.toWellFormed(), html: result.html.toWellFormed() });

const extract = ({ target, format = 'text', limit, max_chars: maxChars } = {}) => {
  const convert = FORMATS[format] ?? fail('invalid_params', 'format must be text, html, markdown or json');
  const whole = format === 'html' || format === 'json' ? () => rootElementOf(document) : mainContent;
  const found = isGiven(target) ? findAll(target) : [whole()];
  if (found.length === 0) {
    return noSuchElement(target);
  }
  let room = Math.max(100, Math.trunc(Number(maxChars)) || EXTRACT_CHARS);
  const most = Math.max(1, Math.trunc(Number(limit)) || EXTRACT_LIMIT);
  const results = [];
  let truncated = false;
  for (const el of found.slice(0, most)) {
    if (room <= 100) {
      truncated = true;
      break;
    }
    const { value, cutShort } = convert(el, room);
    truncated ||= cutShort;
    room -= sizeOf(value);
    results.push(wellFormed(value));
  }
  return { count: found.length, results, truncated };
};
