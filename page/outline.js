// SPDX-License-Identifier: Apache-2.0
// The lines of a snapshot while they are collected, and their final text.

class Line {
  constructor(depth, role, name, states, el, text) {
    this.depth = depth;
    this.role = role;
    this.name = name;
    this.states = states; // array of words
    this.el = el; // gets a ref when the line is printed; null: none
    this.src = el; // what it is about, if that is known
    this.text = text;
    this.closed = false; // an iframe that we cannot enter
  }

  /** Says nothing but its role. */
  isBare() {
    return this.text === '' && this.name === '' && this.el === null && this.states.length === 0;
  }

  /** All but indent and ref. */
  head() {
    let out = this.name === '' ? this.role : `${this.role} ${quote(cut(this.name))}`;
    for (const state of this.states) {
      out += ` [${state}]`;
    }
    return out;
  }

  /** All but the indent. */
  print() {
    const ref = this.el === null ? '' : ` [ref=${refOf(this.el)}]`;
    const text = this.text === '' ? '' : `: ${bare(cut(this.text))}`;
    return `${this.head()}${ref}${text}`;
  }
}

const CELL_ROLES = words('cell gridcell columnheader rowheader');

// A cell or an item that holds one thing is shown by that thing.
const LIFTING_ROLES = words('cell gridcell listitem');

/** A row whose cells hold nothing but text is one line. */
const foldRow = (lines, at) => {
  const row = lines[at];
  const cells = lines.slice(at + 1);
  let length = 0;
  for (const cell of cells) {
    length += cell.text.length + 3;
    const plain = CELL_ROLES.has(cell.role) && cell.depth === row.depth + 1 && cell.el === null && cell.states.length === 0;
    if (!plain || cell.name !== '' || cell.text.includes('|') || length > LINE_TEXT) {
      return;
    }
  }
  if (cells.length === 0) {
    return;
  }
  row.text = cells.map((cell) => cell.text).join(' | ').trimEnd();
  if (cells.every((cell) => cell.role === 'columnheader')) {
    row.states.push('header');
  }
  lines.length = at + 1;
};

const EMPTY_MEANS_NOTHING = words(`alert article banner complementary contentinfo feed figure form generic grid group heading list
  listitem log main menu menubar navigation radiogroup region row search status table tablist tabpanel timer toolbar tree
  treegrid`);

/** Called when all that is inside lines[at] has been collected: shortens what one line can say. */
const finishLine = (lines, at) => {
  const line = lines[at];
  const inside = lines.length - at - 1;
  if (inside === 1) {
    const only = lines[at + 1];
    if (only.role === 'text' && line.text === '') {
      line.text = only.text;
      lines.length = at + 1;
    } else if (line.role === 'heading' && only.name === line.name) {
      line.name = ''; // its link says it already
    } else if (LIFTING_ROLES.has(line.role) && line.isBare()) {
      only.depth -= 1;
      lines[at] = only;
      lines.length = at + 1;
      return;
    }
  }
  if (line.role === 'row' && inside > 0) {
    foldRow(lines, at);
  }
  const empty = lines.length === at + 1 && line.text === '' && line.name === '';
  if (empty && !ACTIVE_ROLES.has(line.role) && EMPTY_MEANS_NOTHING.has(line.role)) {
    lines.length = at;
  }
};

/** For every line the index of the line that it is in, -1 at the top. */
const parentsOf = (lines) => {
  const parents = new Int32Array(lines.length);
  const open = []; // the last line seen at each depth
  lines.forEach((line, at) => {
    open.length = line.depth;
    parents[at] = open.findLast((each) => each !== undefined) ?? -1;
    open[line.depth] = at;
  });
  return parents;
};

/** For every line whether it is kept: those that match, two lines around them, and all that they are in. */
const keepMatches = (lines, find) => {
  const pattern = asPattern(find);
  const needle = find.toLowerCase();
  const fits = (text) => (pattern === null ? text.toLowerCase().includes(needle) : pattern.test(text));
  const parents = parentsOf(lines);
  const keep = new Uint8Array(lines.length);
  const traced = new Uint8Array(lines.length); // all above it is kept
  let count = 0;
  lines.forEach((line, at) => {
    if (!fits(line.text === '' ? line.head() : `${line.head()}: ${line.text}`)) {
      return;
    }
    count += 1;
    keep.fill(1, Math.max(0, at - 2), at + 3);
    for (let up = at; up >= 0 && traced[up] === 0; up = parents[up]) {
      keep[up] = 1;
      traced[up] = 1;
    }
  });
  return { keep, count };
};

/** Lines deeper than `depth` become a count behind the line that they are in. */
const foldDeep = (lines, depth) => {
  const kept = [];
  let below = 0;
  const tell = () => {
    if (below > 0) {
      const last = kept[kept.length - 1];
      last.text = squeeze(`${last.text} … ${below} below`);
      below = 0;
    }
  };
  for (const line of lines) {
    if (line.depth < depth) {
      tell();
      kept.push(line);
    } else {
      below += 1;
    }
  }
  tell();
  return kept;
};

const ROOM_FOR_MARK = 80;

/** Prints lines up to `maxChars`; the last line then says what is missing. */
const printLines = (lines, maxChars, cutShort) => {
  const out = [];
  const frames = [];
  const texts = new Set();
  const indents = ['- '];
  let room = maxChars - ROOM_FOR_MARK;
  let printed = 0;
  for (const line of lines) {
    // A tree that is deep only to be deep must not fill the page with blanks.
    const depth = Math.min(line.depth, 40);
    const indent = indents[depth] ??= `${'  '.repeat(depth)}- `;
    const text = line.print();
    room -= indent.length + text.length + 1;
    if (room < 0) {
      break;
    }
    out.push(indent + text);
    printed += 1;
    rememberLine(line, text, texts);
    if (line.closed) {
      frames.push(refOf(line.el));
    }
  }
  const missing = lines.length - printed;
  if (missing > 0 || cutShort) {
    out.push(`… ${cutShort ? 'at least ' : ''}${missing} more lines; ask with target, depth or find`);
  }
  return { text: out.join('\n').toWellFormed(), frames, truncated: missing > 0 || cutShort };
};
