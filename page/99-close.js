// SPDX-License-Identifier: Apache-2.0
// What the daemon can call. See README.md for each of them.

/** The page in short, for the reply after an act. */
const describe = () => {
  const el = activeElement();
  const hasFocused = el !== null && el !== bodyOf(document) && el !== rootElementOf(document);
  const modal = queryAll(document, 'dialog:modal')[0] ?? null;
  return {
    url: location.href,
    title: cut(squeezeSome(titleOf(document), LINE_TEXT)),
    focused: hasFocused ? `${roleOf(el) || 'generic'} ${quote(cut(nameOf(el), 80))} [ref=${refOf(el)}]` : null,
    modal: modal === null ? null : cut(nameOf(modal) || contentText(modal), 80),
  };
};

const api = {
  snapshot, point, through, focus, fill, filled, select, check, scroll, waitFor, extract, elements, adopt, hosts, describe,
  here: afterAct, arrived, kept, stored, store, takeAim,
  element: ({ target }) => findOne(target),
};
for (const [name, work] of Object.entries(api)) {
  api[name] = guarded(work);
}

// Configurable: a document that takes over the window of an empty one brings its own.
Object.defineProperty(globalThis, 'tabard', { value: Object.freeze({ ...api, document }), configurable: true });
})();
