// SPDX-License-Identifier: Apache-2.0
// What the daemon can call. See README.md for each of them.

/** The page in short, for the reply after an act. */
const describe = (counting = {}) => {
  countRefs(counting);
  const el = activeElement();
  const modal = queryAll(document, 'dialog:modal')[0] ?? null;
  return {
    url: location.href,
    title: cut(squeezeSome(titleOf(document), LINE_TEXT)),
    focused: isNobody(el) ? null : `${roleOf(el) || 'generic'} ${quote(cut(nameOf(el), 80))} [ref=${refOf(el)}]`,
    modal: modal === null ? null : cut(nameOf(modal) || contentText(modal), 80),
    last: lastRef,
  };
};

const api = {
  snapshot: snapshotParsed, point, through, focus, fill, filled, select, check, scroll, receiver, received, accepts, waitFor, extract,
  elements, adopt, hosts, describe, here: afterAct, arrived, kept, keptSite, stored, store, takeAim,
  element: ({ target }) => findOne(target),
};
for (const [name, work] of Object.entries(api)) {
  api[name] = guarded(work);
}

// Configurable: a document that takes over the window of an empty one brings its own.
Object.defineProperty(globalThis, 'tabard', { value: Object.freeze({ ...api, document }), configurable: true });
})();
