// SPDX-License-Identifier: Apache-2.0
// Where the page is, for the reply after an act. It is wanted after every act, so it must cost next to nothing.

// How many of them this document has seen: what is told of the next one has a higher count.
let clicks = 0;
let inputs = 0;

const here = () => ({ url: location.href, title: cut(squeezeSome(titleOf(document), LINE_TEXT)), clicks, inputs });

/** The same with the status of the response. */
const arrived = () => ({ ...here(), status: performance.getEntriesByType('navigation')[0]?.responseStatus ?? 0 });

/** Tells without being asked, where a question would have to wait: a page that has just loaded is busy with drawing itself. */
const tellDaemon = (stage, what) => globalThis.tabardTell?.(JSON.stringify({ stage, ...what }));

/** Whether a click on it makes the browser follow a link or send a form, or click on something else. */
const isLeading = (node) => node !== globalThis && nodeTypeOf(node) === ELEMENT && (matches(node, 'a[href],area[href],label')
  || (matches(node, 'button,input') && (node.type === 'submit' || node.type === 'image') && node.form !== null));

/** Whether the browser will do more about a click than its listeners have done. */
const leadsOn = (event) => !event.defaultPrevented && event.composedPath().some(isLeading);

// A click is told at the end of its way, input when the page's own listeners have had their turn. (A task of its own would do
// for both, but after a click the browser draws first, and that takes a frame.)
const onClick = (event) => {
  if (event.isTrusted) {
    tellDaemon('click', { ...here(), leadsOn: leadsOn(event) });
  }
};
const onInput = ({ isTrusted }) => {
  if (isTrusted) {
    inputs += 1;
    scheduler.postTask(() => tellDaemon('input', here()), { priority: 'user-blocking' });
  }
};

globalThis.addEventListener('mouseup', ({ isTrusted }) => { clicks += isTrusted ? 1 : 0; }, { capture: true, passive: true });
if (globalThis.top === globalThis) {
  globalThis.addEventListener('click', onClick, { passive: true });
  globalThis.addEventListener('input', onInput, { capture: true, passive: true });
  globalThis.addEventListener('DOMContentLoaded', () => tellDaemon('domcontentloaded', arrived()), { once: true });
  globalThis.addEventListener('load', () => tellDaemon('load', arrived()), { once: true });
}
