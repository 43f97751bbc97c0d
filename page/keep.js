// SPDX-License-Identifier: Apache-2.0
// What the daemon keeps of a page, so that it can be brought back in another browser.

/** A page without storage (sandboxed, about:blank) throws when it is asked for. */
const entriesOf = (name) => {
  try {
    return Object.entries(globalThis[name]);
  } catch {
    return [];
  }
};

const countDatabases = async () => {
  try {
    return (await indexedDB.databases()).length;
  } catch {
    return 0;
  }
};

const isTypedInto = (el) => (/^(checkbox|radio)$/.test(el.type) ? el.checked !== el.defaultChecked
  : el.type !== 'hidden' && el.value !== el.defaultValue);

/** Values of fields are only counted: what is typed is often secret, and the page would not know of it. */
const kept = async () => ({
  url: location.href,
  origin: location.origin,
  scroll: [Math.round(scrollX), Math.round(scrollY)],
  local: entriesOf('localStorage'),
  session: entriesOf('sessionStorage'),
  typed: queryAll(document, 'input,textarea').filter(isTypedInto).length,
  databases: await countDatabases(),
  history: history.length,
});
