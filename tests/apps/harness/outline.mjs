// SPDX-License-Identifier: Apache-2.0
// The lines of tabard's outline, as an agent reads them: `- role "name" [state] [ref=e3]: text`.

const LINE = /^\s*- ([\w-]+)(?: "((?:[^"\\]|\\.)*)")?((?: \[[^\]]*\])*)(?:: (.*))?$/;

export function plain(text) {
  return (text ?? '').replace(/\s+/g, ' ').trim();
}

/** A name as it stands in quotes. */
function unquote(text = '') {
  return plain(text.replace(/\\(?:u([0-9a-f]{4})|(.))/g, (_, code, char) => (code ? String.fromCharCode(parseInt(code, 16)) : char)));
}

export function* lines(text) {
  for (const line of text.split('\n')) {
    const [, role, name, marks, rest] = LINE.exec(line) ?? [];
    if (!role) continue;
    yield {
      role, name: unquote(name), ref: /\[ref=(\w+)\]/.exec(marks)?.[1], text: plain(rest), depth: line.search(/\S/),
    };
  }
}

const CELLS = ['cell', 'gridcell', 'columnheader', 'rowheader'];

/**
 * What to act on for a role and a name: the ref of the line that has them (a line without a name is told by its text), or of
 * the first line below it; a selector when the outline shows it without a ref; nothing when it does not.
 */
export function find(outline, role, name) {
  const all = [...lines(outline)];
  const isIt = (line) => line.role === role && fits(line.name || line.text, name);
  const direct = all.find((line) => line.ref && isIt(line));
  if (direct) return direct.ref;
  const under = all.findIndex((line) => line.role === role && !line.ref);
  for (let at = under, top; at >= 0 && at < all.length; at += 1) {
    const line = all[at];
    if (line.role === role) top = line;
    else if (top && line.depth <= top.depth) top = null;
    if (top && line !== top && line.ref && fits(line.name || line.text, name)) return line.ref;
  }
  const isIn = (line) => CELLS.includes(role) && line.role === 'row' && line.text.split(' | ').some((cell) => fits(cell, name));
  if (!all.some((line) => isIt(line) || isIn(line))) return null;
  return `role=${role}[name=${name instanceof RegExp ? name : JSON.stringify(name)}]`;
}

/** A name as the jobs give it: the whole of it, or a pattern. */
export function fits(name, wanted) {
  return wanted instanceof RegExp ? wanted.test(name) : wanted === undefined || name === wanted;
}
