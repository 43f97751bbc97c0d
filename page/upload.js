// SPDX-License-Identifier: Apache-2.0
// Where files go: into a field for them, or onto whatever takes them when they are dropped.

// What the files were brought to, and the last event of a drag over this document.
let zone = null;
let dragged = null;

/** Of an earlier drag, in whatever window. */
const forgetDrag = () => {
  dragged = null;
  landing = null;
  shareAim(allWindows());
};

/** `kind` is `file` for a field of files, which may be hidden; anything else is a place to drop them. */
const receiver = (options) => {
  countRefs(options);
  forgetAim();
  forgetDrag();
  return new Waiting(options).until((found) => {
    const field = fieldOf(found);
    const isField = kindOf(field) === 'file';
    zone = isField ? field : found;
    const why = isField ? whyDisabled(field) : null;
    if (why !== null) {
      return { why };
    }
    watchChanges(zone);
    return { kind: isField ? 'file' : 'zone', ...introduce(zone) };
  });
};

/** The field itself, fetched as a remote object. */
const received = () => zone;

/** The files of a chooser come next, and what they change is told. Any object of this world tells the daemon which one it is. */
const choosing = () => {
  watchChanges();
  return document;
};

/** Whether the page has accepted what was dragged there. Where it has not, the browser would open dropped files in a tab. */
const accepts = () => {
  const view = zone === null ? globalThis : viewOf(ownerOf(zone));
  const isTheirs = view !== null && view !== globalThis && Object.hasOwn(view, 'tabard');
  return isTheirs ? view.tabard.accepts() : { accepted: dragged?.defaultPrevented === true };
};

guards.push(['dragover', (event) => { dragged = event.isTrusted ? event : dragged; }, { capture: true, passive: true }]);
