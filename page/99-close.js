// SPDX-License-Identifier: Apache-2.0
// What the daemon can call. See README.md for each of them.

// All files have named their listeners by now.
guard();
watchDocument();

const api = {
  snapshot: snapshotParsed, point, through, focus, typing, fill, place, fillSecret, filled, veil, select, check, scroll, receiver, received, filesOf, choosing, carry, drop,
  waitFor, drawn, extract, elements, adopt, hosts, describe: here, here: afterAct, arrived, kept, keptSite, stored, store, takeAim, takeWitness,
  sent, goOn, endTurn, element: ({ target }) => findOne(target),
};
for (const [name, work] of Object.entries(api)) {
  api[name] = guarded(work);
}

// Configurable: a document that takes over the window of an empty one brings its own.
Object.defineProperty(globalThis, 'tabard', { value: Object.freeze({ ...api, document }), configurable: true });
})();
