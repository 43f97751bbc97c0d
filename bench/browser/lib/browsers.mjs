// SPDX-License-Identifier: Apache-2.0
// The two binaries that everybody drives, and the page scripts that tabard embeds.
import { existsSync, readFileSync } from 'node:fs';

const lib = '/usr/lib/chromium/';
const places = {
  shell: [process.env.BENCH_SHELL, `${lib}chromium-headless-shell`],
  full: [process.env.BENCH_CHROMIUM, `${lib}chromium`],
};

/** `engine` is shell or full. */
export function browser(engine) {
  const found = places[engine].find((place) => place && existsSync(place));
  if (!found) throw new Error(`no ${engine} Chromium; set BENCH_SHELL and BENCH_CHROMIUM, or run tools/setup.sh`);
  return found;
}

/** The arguments that tabard starts it with, out of its source, so that the limit is that of the same browser. */
function argumentsOf(source) {
  const lists = [/features_off\[\] =([^;]+);/, /common_args\[\] = \{([^}]+)\}/].map((pattern) => {
    const [, body] = pattern.exec(source) ?? [];
    if (!body) throw new Error('src/driver/cdp/browser/switches.c has changed; bring bench/browser/lib/browsers.mjs in line with it');
    return [...body.matchAll(/"([^"]*)"/g)].map(([, text]) => text);
  });
  return [lists[0].join(''), ...lists[1]];
}

const args = argumentsOf(readFileSync(new URL('../../../src/driver/cdp/browser/switches.c', import.meta.url), 'utf8'));

/** Starts one over the DevTools pipe, descriptors 3 and 4. */
export function launch(house, engine) {
  const more = engine === 'full' ? ['--headless'] : [];
  return house.spawn(browser(engine), [...args, ...more, `--user-data-dir=${house.folder('profile')}`], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
  });
}

const pageDir = new URL('../../../page/', import.meta.url);

/** The scripts as the program embeds them. */
export const pageScript = readFileSync(new URL('files.txt', pageDir), 'utf8')
  .split('\n').filter((line) => line && !line.startsWith('#'))
  .map((name) => readFileSync(new URL(name, pageDir), 'utf8')).join('');
