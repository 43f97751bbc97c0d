// SPDX-License-Identifier: Apache-2.0
// The truth is asked of the page, by the same script whoever acts.

export const SEE_MS = 10_000;

/** Runs in the page: waits until `holds` gives something true. Gives 'yes', or what it gave or threw in the end. */
async function watch(holds, args, ms) {
  for (const end = performance.now() + ms; ;) {
    let last;
    try {
      last = await holds(...args);
      if (last) return 'yes';
    } catch (err) {
      last = err;
    }
    if (performance.now() > end) return `no: ${last}`;
    await new Promise((resolve) => { setTimeout(resolve, 20); });
  }
}

export function script(holds, args) {
  return `(${watch})(${holds}, ${JSON.stringify(args)}, ${SEE_MS})`;
}
