// SPDX-License-Identifier: Apache-2.0
// The applications: one file each in tests/apps.
import { readdirSync } from 'node:fs';

const folder = new URL('../', import.meta.url);

/** All of them, or those that are named, by name. */
export async function load(names) {
  const all = readdirSync(folder).filter((file) => file.endsWith('.mjs')).map((file) => file.slice(0, -'.mjs'.length)).sort();
  const wrong = names?.find((name) => !all.includes(name));
  if (wrong) throw new Error(`no application ${wrong}; there are ${all.join(', ')}`);
  const apps = new Map();
  for (const name of names ?? all) apps.set(name, { name, ...(await import(new URL(`${name}.mjs`, folder))).default });
  return apps;
}
