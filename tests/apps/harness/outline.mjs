// SPDX-License-Identifier: Apache-2.0
// The lines of tabard's outline, as an agent reads them: `- role "name" [state] [ref=e3]: text`.

const LINE = /^\s*- ([\w-]+)(?: "((?:[^"\\]|\\.)*)")?((?: \[[^\]]*\])*)(?:: (.*))?$/;

export function plain(text) {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}

export function* lines(text) {
  for (const line of text.split('\n')) {
    const [, role, name, marks, rest] = LINE.exec(line) ?? [];
    if (role) yield { role, name: plain(name?.replace(/\\(.)/g, '$1')), ref: /\[ref=(\w+)\]/.exec(marks)?.[1], text: plain(rest), line };
  }
}

/** A name as the jobs give it: the whole of it, or a pattern. */
export function fits(name, wanted) {
  return wanted instanceof RegExp ? wanted.test(name) : wanted === undefined || name === wanted;
}
