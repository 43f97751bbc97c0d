// SPDX-License-Identifier: Apache-2.0
// The content of elements, or of the page.

const EXTRACT_CHARS = 100_000;
const EXTRACT_LIMIT = 100;
const EXTRACT_LEVELS = 200;
const FRAMES_READ = 100;
const importNode = method(Document, 'importNode');
const implementationOf = getter(Document, 'implementation');

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

/** An element, and the shadow roots in it. */
const rootsIn = (el) => {
  const roots = [el, ...[shadowOf(el)].filter((root) => root !== null)];
  let left = MAX_NODES;
  for (let at = 0; at < roots.length && left > 0; at += 1) {
    for (const inner of queryAll(roots[at], '*')) {
      const shadow = shadowOf(inner);
      if (shadow !== null) {
        roots.push(shadow);
      }
      left -= 1;
      if (left <= 0) {
        break;
      }
    }
  }
  return roots;
};

/** {text, cutShort}: the text as it is drawn. The browser's own innerText knows styles best, but looks neither into shadow roots nor into frames. */
const drawnText = (el, room, level = 0) => {
  const tag = tagOf(el);
  if (tag === 'input' || tag === 'select' || tag === 'textarea') {
    return { text: valueOf(el, tag, roleOf(el)), cutShort: false };
  }
  if (namespaceOf(el) !== HTML) {
    return { text: textContentOf(el), cutShort: false };
  }
  if (tag === 'iframe' || tag === 'frame') {
    return frameText(el, tag, room, level);
  }
  const roots = rootsIn(el);
  return withFrames(roots.length > 1 ? gatheredText(el, tag, room) : { text: innerTextOf(el), cutShort: false }, roots, room, level);
};

const gatheredText = (el, tag, room) => {
  const run = new LongRun(room);
  const how = newGathering(null, MAX_NODES, EXTRACT_LEVELS);
  gather(el, tag, run, how);
  return { text: run.whole(), cutShort: run.isFull() || how.left.nodes <= 0 || how.left.tooDeep };
};

const FRAME_LEVELS = 20;

const frameText = (el, tag, room, level) => {
  const doc = frameDocumentOf(el, tag);
  const root = doc === null ? null : bodyOf(doc) ?? rootElementOf(doc);
  return root === null || level >= FRAME_LEVELS ? { text: closedFrameNote(el, tag) ?? '', cutShort: level >= FRAME_LEVELS } : drawnText(root, room, level + 1);
};

/** Behind the text of an element that of the frames in its roots, each below its name. */
const withFrames = ({ text, cutShort }, roots, room, level) => {
  const parts = [text];
  let left = room - text.length;
  const frames = roots.flatMap((root) => [...queryAll(root, 'iframe,frame')].filter(isVisible));
  cutShort ||= frames.length > FRAMES_READ;
  for (const frame of frames.slice(0, FRAMES_READ)) {
    const inner = left <= 0 ? { text: '', cutShort: true } : frameText(frame, tagOf(frame), left, level);
    const name = cut(nameOf(frame));
    const isOpen = frameDocumentOf(frame) !== null;
    cutShort ||= inner.cutShort;
    if (inner.text.trim() !== '') {
      parts.push(isOpen ? `[frame${name === '' ? '' : ` ${quote(name)}`}]\n${inner.text.trim()}` : inner.text);
      left -= parts.at(-1).length + 2;
    }
  }
  return { text: parts.length === 1 ? text : parts.map((part) => part.trimEnd()).filter(Boolean).join('\n\n'), cutShort };
};

/** Like TextRun, for more text than `room`, with blocks on lines of their own. */
class LongRun {
  text = ''; // the lines that have ended
  #line = ''; // by itself: to look at the end of a text that grows would copy all of it each time
  #full = false; // for good, though the end of a line may make it shorter

  constructor(room) {
    this.room = room;
  }

  isFull() {
    return this.#full;
  }

  edge(el, tag) {
    if (!INLINE.has(tag)) {
      this.#endLine();
    }
  }

  add(data) {
    if (!this.#full) {
      this.#line += data.replace(BLANKS, ' ');
      this.#full = this.text.length + this.#line.length > this.room;
    }
  }

  #endLine() {
    const line = squeeze(this.#line);
    this.text += line === '' ? '' : `${line}\n`;
    this.#line = '';
  }

  whole() {
    this.#endLine();
    return this.text.trimEnd();
  }
}

const VALUED = 'input[value],select,textarea';

/** The fields of an element, itself among them, that have a value in the markup. */
const valuedFields = (el) => [el, ...queryAll(el, VALUED)].filter((field) => matches(field, VALUED));

/** Of a copy. */
const veilField = (field) => {
  switch (tagOf(field)) {
    case 'select': queryAll(field, 'option[selected]').forEach((option) => option.removeAttribute('selected')); break;
    case 'textarea': field.textContent = field.textContent === '' ? '' : HIDDEN_VALUE; break;
    default: field.setAttribute('value', HIDDEN_VALUE);
  }
};

/** The markup, without values that are secret. */
const markupOf = (el) => {
  const fields = valuedFields(el);
  if (!fields.some(isSecret)) {
    return outerHtmlOf(el);
  }
  // Into a document of no window: in ours a copy runs the page's constructors and fetches pictures.
  const copy = importNode(implementationOf(document).createHTMLDocument(''), el, true);
  valuedFields(copy).forEach((field, at) => {
    if (isSecret(fields[at])) { // of the copy nobody knows that it was one
      veilField(field);
    }
  });
  return outerHtmlOf(copy);
};

const short = ({ text, cutShort }, room) => ({ value: cut(text, room), cutShort: cutShort || text.length > room });

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
  const secret = isSecret(el);
  const value = {};
  let left = room;
  let cutShort = false;
  for (const name of attributeNames(el).slice(0, 200)) {
    const each = shortInJson(secret && name === 'value' ? HIDDEN_VALUE : attr(el, name), Math.min(2000, left - name.length));
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
  text: (el, room) => short(drawnText(el, room), room),
  html: (el, room) => short({ text: markupOf(el), cutShort: false }, room),
  markdown: (el, room) => short(markdownOf(el, room), room),
  json: (el, room) => {
    const part = Math.trunc(room / 3);
    const attributes = attributesOf(el, part);
    const drawn = drawnText(el, part);
    const text = shortInJson(drawn.text, part);
    const html = shortInJson(markupOf(el), room - JSON.stringify([text.value, attributes.value]).length);
    const value = { text: text.value, html: html.value, attributes: attributes.value };
    return { value, cutShort: drawn.cutShort || text.cutShort || html.cutShort || attributes.cutShort };
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
