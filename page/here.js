// SPDX-License-Identifier: Apache-2.0
// Where the page is, for the reply after an act. It is wanted after every act, so it must cost next to nothing.

// How many of them this document has seen: what is told of the next one has a higher count.
let clicks = 0;

const here = () => ({ url: location.href, title: cut(squeezeSome(titleOf(document), LINE_TEXT)), clicks });

const IDLE_MS = 100;
const idle = () => Promise.race([new Promise((resolve) => { requestIdleCallback(resolve); }), pause(IDLE_MS)]);

const outcome = (again = false) => ({ ...here(), ...aimReply(), ...keyReply(), ...changesReply(again) });
const outcomeSince = (heard) => ({ ...here(), ...aimReply(), ...keyReply(), ...changesSince(heard) });

/** What is asked of one act must not take what belongs to the next, if that begins meanwhile. */
const unlessNext = (waiting, answer) => {
  const [aimed, watched] = [aim, watch];
  return waiting.then(() => (aim === aimed && watch === watched ? answer() : here()));
};

/** What came late. `whole`: all that came of the act, in place of what was told of it before. */
const outcomeLate = (whole) => {
  if (!whole) {
    watch?.forget();
  }
  return { ...outcome(true), ...(whole ? { again: true } : {}) };
};

/**
 * The same with what came of the act before it; a promise where more of it is about to come. `late`: requests that it began were
 * answered, and the page gets the time to deal with that: what it has to do is done when it is idle.
 * `heard`: a dialog stood in between, and this is the number of the last changes of which the daemon has heard.
 */
const afterAct = ({ late = false, whole = false, heard, ...counting } = {}) => {
  countRefs(counting);
  beginWatch();
  if (late) {
    return unlessNext(nextFrame().then(idle).then(() => watch?.settle()), () => outcomeLate(whole));
  }
  const now = heard === undefined ? () => outcome() : () => outcomeSince(heard);
  return watch?.isComing() ? unlessNext(watch.settle(), now) : now();
};

/** The same with the status of the response. */
const arrived = () => ({ ...here(), status: performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0 });

/** Tells without being asked, where a question would have to wait: a page that has just loaded is busy with drawing itself. */
const tellDaemon = (stage, what) => globalThis.tabardTell?.(JSON.stringify({ stage, ...what }));

/** Whether a click on it makes the browser follow a link, send a form, change a control, ask for files or click on something else. */
const isLeading = (node) => node !== globalThis && nodeTypeOf(node) === ELEMENT
  && (matches(node, 'a[href],area[href],label,summary,[type=checkbox],[type=file],[type=radio]') || isSender(node));

/** A box is ticked before the listeners of its click run, and what they prevent is undone after them. */
const isTicked = (node) => node !== globalThis && nodeTypeOf(node) === ELEMENT && matches(node, '[type=checkbox],[type=radio]');

/** Whether more comes of a click than its listeners have done: by the browser, or as part of a double click. */
const leadsOn = (event) => event.detail > 1 || event.composedPath().some(event.defaultPrevented ? isTicked : isLeading);

// Told at the end of its way, when the page's own listeners have had their turn, those of the window too. (A task of its own would come behind the
// drawing, and that takes a frame.) Where more comes, the daemon asks behind it, and gets what has come until then.
const listenLast = () => {
  removeListener(globalThis, 'click', onClick);
  addListener(globalThis, 'click', onClick);
};
// What a key makes a click of is no press of the mouse: nobody waits for word of it, and what it has changed must not be told to nobody.
const onClick = (event) => {
  if (event.isTrusted && event.detail > 0 && (aim === null || aim.left <= 0) && !leadsOn(event) && !watch?.isComing()) {
    tellDaemon('click', outcome());
  }
};

guards.push(['mouseup', ({ isTrusted }) => { clicks += isTrusted ? 1 : 0; }, { capture: true, passive: true }]);
if (globalThis.top === globalThis) {
  guards.push(['click', listenLast, { capture: true, passive: true }]);
  globalThis.addEventListener('DOMContentLoaded', () => tellDaemon('domcontentloaded', arrived()), { once: true });
  globalThis.addEventListener('load', () => tellDaemon('load', arrived()), { once: true });
}
