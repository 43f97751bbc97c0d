// SPDX-License-Identifier: Apache-2.0
// localStorage and sessionStorage, which this world shares with the page.

/** Calls `work` with the storage of an area; a page without one is told apart from a failure of ours. */
const inStorage = (area, work) => {
  try {
    const storage = area === 'session' ? sessionStorage : localStorage;
    return { origin: self.origin, ...work(storage) }; // an empty window has that of its opener
  } catch (thrown) {
    return fail('not_possible', `this page has no usable storage: ${quote(cut(squeeze(String(thrown.message)), 200))}`);
  }
};

const stored = ({ area, key }) => inStorage(area, (storage) => {
  const items = Object.create(null);
  for (let at = 0; at < storage.length; at += 1) {
    const name = storage.key(at);
    if (key === undefined || name === key) {
      items[name] = storage.getItem(name);
    }
  }
  return { items };
});

const store = ({ action, area, key, value }) => inStorage(area, (storage) => {
  let changed = 1;
  if (action === 'set') {
    storage.setItem(key, value);
  } else if (action === 'remove') {
    changed = storage.getItem(key) === null ? 0 : 1;
    storage.removeItem(key);
  } else {
    changed = storage.length;
    storage.clear();
  }
  return { changed };
});
