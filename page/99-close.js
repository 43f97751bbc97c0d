// SPDX-License-Identifier: Apache-2.0
// What the daemon can call. See README.md for each of them.

const api = {
  snapshot: snapshotParsed, point, through, focus, typing, fill, filled, select, check, scroll, receiver, received, choosing, carry, drop,
  waitFor, extract, elements, adopt, hosts, describe: here, here: afterAct, arrived, kept, keptSite, stored, store, takeAim,
  sent, goOn, endTurn, element: ({ target }) => findOne(target),
};
for (const [name, work] of Object.entries(api)) {
  api[name] = guarded(work);
}

// Configurable: a document that takes over the window of an empty one brings its own.
Object.defineProperty(globalThis, 'tabard', { value: Object.freeze({ ...api, document }), configurable: true });
})();
