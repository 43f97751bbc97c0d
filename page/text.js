// SPDX-License-Identifier: Apache-2.0
// Text of the page on its way into one line of output.

const BLANKS = /[\s\u0000-\u001f\u007f-\u009f]+/g;

/** One line: every run of white space and control characters becomes a space, none at the ends. */
const squeeze = (text) => text.replace(BLANKS, ' ').trim();

/** The same for text of any size: looks only at as much as `max` characters can need. */
const squeezeSome = (text, max) => (text.length > 4 * max ? squeeze(text.trimStart().slice(0, 4 * max)) : squeeze(text));

/** At most `max` characters, the last one an ellipsis if something was left out. Pairs stay whole. */
const cut = (text, max = LINE_TEXT) => {
  if (text.length <= max) {
    return text;
  }
  const last = text.charCodeAt(max - 2);
  const whole = last >= 0xd800 && last <= 0xdbff ? max - 2 : max - 1;
  return `${text.slice(0, whole)}…`;
};

// What ends quotes, begins a line, turns the reading order around or hides: the rule of src/base/quote.c. The joiners are left.
const HIDDEN = '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u206f\\ufeff\\ufff9-\\ufffb';
const TO_ESCAPE = new RegExp(`["\\\\${HIDDEN}]|\\udb40[\\udc00-\\udc7f]`, 'g');

const escapeOne = (piece) => (piece === '"' || piece === '\\' ? `\\${piece}`
  : [...Array(piece.length).keys()].map((at) => `\\u${piece.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''));

/** In quotes, so that a name can neither end early nor begin a line of its own. */
const quote = (text) => `"${text.replace(TO_ESCAPE, escapeOne)}"`;

/** An address as part of a sentence: the browser leaves blanks and quotes in those of no host. */
const shownAddress = (href) => cut(href.replace(/[\s"]/g, encodeURIComponent));

// What makes bare text look like the marks of a line, or hides in it.
const LOOKS_LIKE_MARKS = new RegExp(`\\[ref=|^"|[${HIDDEN}]|\\udb40[\\udc00-\\udc7f]`);

/** Text behind the colon of a line: bare, unless it could be taken for a ref of ours. */
const bare = (text) => (LOOKS_LIKE_MARKS.test(text) ? quote(text) : text);

/** Whether an element that says `have` is meant by `want`: 2 exactly, 1 in part, 0 not at all. */
const likeness = (have, want) => {
  if (have === want) {
    return 2;
  }
  return want !== '' && have.toLowerCase().includes(want.toLowerCase()) ? 1 : 0;
};
