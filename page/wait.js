// SPDX-License-Identifier: Apache-2.0
// Waiting for something to become true. Changes of the DOM wake the wait, at most once a frame; a slow heartbeat sees what
// makes no such change: styles, addresses, frames and shadow roots that came later.

const HEARTBEAT_MS = 200;
const WAIT_MS = 30_000;
const STATES = words('visible hidden attached detached');

/** The element of a target, a visible one if there is any; null if there is none, for a ref also if it has gone. */
const findOrGone = (target) => {
  try {
    return findFirst(target, MAX_NODES);
  } catch (thrown) {
    if (thrown.code === 'element_not_found') {
      return null;
    }
    throw thrown;
  }
};

const NO_MATCH = 'nothing on the page matches it';
const NO_TEXT_SHOWN = 'the page does not show it';
const TOO_MANY = 'there is too much on the page to say that nothing that matches it is left';
const TOO_LONG = 'the page has too much text to say that it is gone';

/** What was seen in place of what was waited for, and where else that may be. */
const whatWasSeen = (seen) => {
  switch (seen) {
    case NO_MATCH: return seen + unlessInFrame(NO_SELECTORS);
    case NO_TEXT_SHOWN: return seen + unlessInFrame('in which this does not look');
    default: return seen;
  }
};

/** What keeps the target from its state, in words; null: nothing does. */
const elementLacks = (target, state) => {
  const wantsIt = state === 'visible' || state === 'attached';
  const el = wantsIt ? findFirst(target) : findOrGone(target);
  if (el === null) {
    return wantsIt ? NO_MATCH : searchCut ? TOO_MANY : null;
  }
  const visible = isVisible(el);
  switch (state) {
    case 'visible': return visible ? null : `${sketch(el)} ${whyHidden(el)}`;
    case 'hidden': return visible ? `${sketch(el)} is visible` : searchCut ? TOO_MANY : null;
    case 'detached': return `${sketch(el)} is on the page`;
    default: return null;
  }
};

/** Whether the page shows a text anywhere; where not, `searchCut` says whether this is sure. */
const showsText = (text) => {
  const wanted = partOfText(squeeze(text));
  const search = new TextSearch();
  searchCut = false;
  for (const root of everyRoot()) {
    if (search.innermost(root, wanted, isVisible, 1).length > 0) {
      return true;
    }
  }
  return false;
};

/** Whether the pieces stand in a text, from its beginning to its end, with anything between them. */
const fitsPieces = (text, [first, ...rest]) => {
  const last = rest.pop();
  const end = text.length - last.length;
  let at = first.length;
  for (const piece of rest) {
    at = text.indexOf(piece, at);
    if (at < 0) {
      return false;
    }
    at += piece.length;
  }
  return text.startsWith(first) && text.endsWith(last) && at <= end;
};

/** `url` is a part of the address, or with stars the whole of it; from the path on, if it begins with one. A path between slashes is no pattern. */
const fitsUrl = (url) => {
  if (!url.includes('*')) {
    return location.href.includes(url);
  }
  const { href, pathname, search, hash } = location;
  return fitsPieces(url.startsWith('/') ? pathname + search + hash : href, url.split(/\*+/));
};

const shown = (text) => quote(cut(squeeze(String(text)), 80));

/** One test a condition: {what, lacks}. */
const conditionsOf = ({ target, state = 'visible', text, text_gone: textGone, url }) => {
  const conditions = [];
  if (isGiven(target)) {
    if (!STATES.has(state)) {
      fail('invalid_params', 'state must be visible, hidden, attached or detached');
    }
    conditions.push({ what: `${shown(target)} to be ${state}`, lacks: () => elementLacks(target, state) });
  }
  if (isGiven(text)) {
    conditions.push({
      what: `the text ${shown(text)}`,
      lacks: () => (showsText(String(text)) ? null : NO_TEXT_SHOWN),
    });
  }
  if (isGiven(textGone)) {
    conditions.push({
      what: `the text ${shown(textGone)} to go`,
      lacks: () => (showsText(String(textGone)) ? 'the page still shows it' : searchCut ? TOO_LONG : null),
    });
  }
  if (isGiven(url)) {
    conditions.push({
      what: `the address ${shown(url)}`,
      lacks: () => (fitsUrl(String(url)) ? null : `it is ${shownAddress(location.href)}`),
    });
  }
  return conditions.length > 0 ? conditions : fail('invalid_params', 'nothing to wait for: give target, text, text_gone or url');
};

/** Sleeps until the page may have changed. */
class Changes {
  #wake = () => {};
  #observer = new MutationObserver(() => this.#wake());

  async next(deadline) {
    for (const root of everyRoot()) {
      this.#observer.observe(root, { subtree: true, childList: true, attributes: true, characterData: true });
    }
    const rest = Math.max(1, Math.min(HEARTBEAT_MS, deadline - performance.now()));
    await new Promise((resolve) => {
      this.#wake = resolve;
      pause(rest).then(resolve);
    });
    await nextFrame();
  }

  stop() {
    this.#observer.disconnect();
  }
}

const waitUntil = async (target, conditions, timeoutMs, changes) => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const began = performance.now();
    let missing = null;
    for (const { what, lacks } of conditions) {
      const seen = lacks();
      if (seen !== null) {
        missing = { what, seen };
        break;
      }
    }
    if (missing === null) {
      const el = isGiven(target) ? findOrGone(target) : null;
      return { found: true, ...(el === null ? {} : introduce(el)) };
    }
    if (performance.now() >= deadline) {
      return fail('timeout', `waited ${Math.round(timeoutMs)} ms for ${missing.what}; ${whatWasSeen(missing.seen)}`);
    }
    const cost = performance.now() - began;
    await changes.next(deadline);
    if (cost > 10) {
      // On a huge page that never rests, the page gets most of the time.
      await pause(Math.min(3 * cost, 1000, deadline - performance.now()));
    }
  }
};

const waitFor = async (options = {}) => {
  const conditions = conditionsOf(options);
  const changes = new Changes();
  try {
    return await waitUntil(options.target, conditions, Math.min(Number(options.timeout_ms ?? WAIT_MS) || 0, 3_600_000), changes);
  } finally {
    changes.stop();
  }
};
