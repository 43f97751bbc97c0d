// SPDX-License-Identifier: Apache-2.0
// The lines of a snapshot while they are collected, and their final text.

class Line {
  constructor(depth, role, name, states, el, text) {
    this.depth = depth;
    this.role = role; // '': something to click without a role of its own
    this.name = name;
    this.states = states; // array of words
    this.el = el; // gets a ref when the line is printed; null: none
    this.src = el; // what it is about, if that is known
    this.text = text;
    this.active = false; // one can act on it
    this.closed = false; // an iframe that we cannot enter
    // What an outline says beside it. It is no change of the page when this differs.
    this.options = 0; // how many options of it are not listed
    this.address = ''; // tells a link from others of its name
  }

  /** Says nothing but its role. */
  isBare() {
    return this.text === '' && this.name === '' && this.el === null && this.states.length === 0;
  }

  /** The same of a cell that has a ref only for being a cell of a grid. */
  isMereCell() {
    return this.text === '' && this.name === '' && this.role === 'gridcell' && this.states.length === 0 && !isMadeActive(this.el);
  }

  /** All but indent and ref. */
  head() {
    const role = this.role === '' ? '[clickable]' : this.role;
    let out = this.name === '' ? role : `${role} ${quote(cut(this.name))}`;
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

  /** The same with what an outline says beside it. */
  printAll() {
    if (this.options > 0) {
      this.states.push(`${this.options} options`);
    }
    this.text ||= this.address;
    return this.print();
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

const EMPTY_MEANS_NOTHING = words(`alert article banner complementary contentinfo feed figure form grid group heading list listitem
  log main menu menubar navigation radiogroup region row search status table tablist tabpanel timer toolbar tree treegrid`);

/** A line with nothing inside: what can be clicked is told by its picture; what cannot, or is not drawn, says nothing. */
const finishEmpty = (lines, at) => {
  const line = lines[at];
  if (lines.length > at + 1 || line.name !== '') {
    return;
  }
  if (!line.active) {
    if (line.text === '' && EMPTY_MEANS_NOTHING.has(line.role)) {
      lines.length = at;
    }
    return;
  }
  if (line.text !== '' && !/^(?:#|javascript:)/.test(line.text)) {
    return; // an address that leads nowhere says nothing
  }
  const { name, icon } = pictureOf(line.el);
  line.name = name;
  if (icon !== '') {
    line.states.push(`icon=${icon}`);
  } else if (name === '' && !ACTIVE_ROLES.has(line.role) && !isVisible(line.el)) {
    lines.length = at; // such as what catches the focus at both ends of a dialog
  }
};

/** A header whose text is short for something, by an aria-label inside, is found by that. */
const nameHeader = (line) => {
  if (HEADER_CELLS.has(line.role) && line.name === '' && queryOne(line.src, '[aria-label]') !== null) {
    const name = nameOf(line.src);
    line.name = name === line.text ? '' : name;
  }
};

/** Called when all that is inside lines[at] has been collected: shortens what one line can say. */
const finishLine = (lines, at) => {
  const line = lines[at];
  const inside = lines.length - at - 1;
  if (inside === 1) {
    const only = lines[at + 1];
    if (only.role === 'text' && line.text === '') {
      line.text = only.text;
      lines.length = at + 1;
      nameHeader(line);
    } else if (only.role === 'img' && only.el === null && line.active && line.name === '' && line.text === '') {
      line.name = only.name;
      lines.length = at + 1;
    } else if (line.role === 'heading' && only.name === line.name) {
      line.name = ''; // its link says it already
    } else if (HEADER_CELLS.has(line.role) && only.head() === '[clickable]' && line.text === '' && line.name === '') {
      line.text = only.text; // what sorts the column is its header to a reader
      line.el = only.el;
      line.active = only.active;
      lines.length = at + 1;
      nameHeader(line);
    } else if (LIFTING_ROLES.has(line.role) && (line.isBare() || (only.el !== null && line.isMereCell()))) {
      only.depth -= 1;
      lines[at] = only;
      lines.length = at + 1;
      return;
    }
  }
  if (line.role === 'row' && inside > 0) {
    foldRow(lines, at);
  }
  finishEmpty(lines, at);
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

const ROW_LINES = 40; // what is longer is no row to a reader, but the layout of a page

/** For every line {row, end} of the row that it is in or is itself; undefined: it is in none. */
const rowsOf = (lines) => {
  const rows = new Array(lines.length);
  lines.forEach(({ role, depth }, at) => {
    if (role !== 'row') {
      return;
    }
    let end = at + 1;
    while (end < lines.length && lines[end].depth > depth && end - at <= ROW_LINES) {
      end += 1;
    }
    if (end - at <= ROW_LINES) {
      rows.fill({ row: at, end }, at, end);
    }
  });
  return rows;
};

/** For every line 1 if it has the text; if none has and the text is a regular expression, if it fits that. */
const matchLines = (lines, find) => {
  const texts = lines.map((line) => (line.text === '' ? line.head() : `${line.head()}: ${line.text}`));
  const needle = find.toLowerCase();
  const found = Uint8Array.from(texts, (text) => (text.toLowerCase().includes(needle) ? 1 : 0));
  const pattern = found.includes(1) ? null : asPattern(find);
  return pattern === null ? found : Uint8Array.from(texts, (text) => (pattern.test(text) ? 1 : 0));
};

/** For every line whether it is kept: those that match, the whole row of each or else two lines around it, and all that they are in. */
const keepMatches = (lines, find) => {
  const matching = matchLines(lines, find);
  const parents = parentsOf(lines);
  const rows = rowsOf(lines);
  const isWhole = (at) => rows[at] === undefined || rows[at].end === rows[at].row + 1; // and not one cell of another row
  const keep = new Uint8Array(lines.length);
  const traced = new Uint8Array(lines.length); // all above it is kept
  let count = 0;
  matching.forEach((matches, at) => {
    if (matches === 0) {
      return;
    }
    count += 1;
    if (isWhole(at)) {
      for (let near = Math.max(0, at - 2); near < Math.min(lines.length, at + 3); near += 1) {
        keep[near] ||= isWhole(near) ? 1 : 0;
      }
    } else {
      keep.fill(1, rows[at].row, rows[at].end);
    }
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

const ADDRESS_SHOWN = 60;

/** Where a link goes: a path if that is on the same site, without the middle if it is long. '' if only a script knows. */
const shortAddress = (el) => {
  const href = attr(el, 'href') ?? attr(el, 'xlink:href');
  if (href === null) {
    return '';
  }
  const url = URL.parse(href.slice(0, 2000), baseOf(el));
  const shown = squeeze(url !== null && url.origin === location.origin ? url.href.slice(url.origin.length) : href);
  const end = ADDRESS_SHOWN / 3;
  return shown.length <= ADDRESS_SHOWN ? shown : `${shown.slice(0, ADDRESS_SHOWN - end - 1)}…${shown.slice(-end)}`;
};

/** Links of one name that go to different places say where. */
const tellLinksApart = (lines) => {
  const firsts = new Map();
  const groups = new Map();
  for (const line of lines) {
    if (line.role === 'link' && line.name !== '') {
      const first = firsts.get(line.name);
      if (first === undefined) {
        firsts.set(line.name, line);
      } else if (groups.has(first)) {
        groups.get(first).push(line);
      } else {
        groups.set(first, [first, line]);
      }
    }
  }
  for (const group of groups.values()) {
    const addresses = group.map(({ src }) => shortAddress(src));
    if (new Set(addresses).size > 1) {
      group.forEach((line, at) => { line.address = addresses[at]; });
    }
  }
};

const ROOM_FOR_MARK = 80;
const FOLDED_FROM = 4; // lines

const refNumber = (el) => Number(/\d+$/.exec(refOf(el))[0]);

const saysNothing = (line) => line.name === '' && line.text === '' && line.options === 0 && line.role !== 'iframe';

/** How many lines from here on say the same without a name, one below the other and with refs in a row. */
const countEqual = (lines, at) => {
  const first = lines[at];
  if (!saysNothing(first)) {
    return 1;
  }
  const head = first.head();
  const ref = first.el === null ? 0 : refNumber(first.el);
  const isNext = (line, n) => line.depth === first.depth && saysNothing(line) && line.head() === head
    && (line.el === null ? ref === 0 : ref > 0 && refNumber(line.el) === ref + n);
  let count = 1;
  while (at + count < lines.length && isNext(lines[at + count], count)) {
    count += 1;
  }
  // What is inside the last of them is not inside the others.
  const hasInside = at + count < lines.length && lines[at + count].depth > first.depth;
  return hasInside ? count - 1 : count;
};

/** The text of so many equal lines. */
const printEqual = (lines, at, count) => {
  const { el } = lines[at];
  const refs = el === null ? '' : `, ${refOf(lines[at + 1].el)} to ${refOf(lines[at + count - 1].el)}`;
  return `${lines[at].print()} and ${count - 1} more${refs}`;
};

/** Prints lines up to `maxChars`; the last line then says what is missing. */
const printLines = (lines, maxChars, cutShort) => {
  const out = [];
  const frames = [];
  const texts = new Set();
  const indents = ['- '];
  let room = maxChars - ROOM_FOR_MARK;
  let printed = 0;
  while (printed < lines.length) {
    const line = lines[printed];
    // A tree that is deep only to be deep must not fill the page with blanks.
    const depth = Math.min(line.depth, 40);
    const indent = indents[depth] ??= `${'  '.repeat(depth)}- `;
    const told = line.print();
    const equal = line.name === '' && lines[printed + 1]?.depth === line.depth ? countEqual(lines, printed) : 1;
    const count = equal < FOLDED_FROM ? 1 : equal;
    const text = count > 1 ? printEqual(lines, printed, count) : line.options > 0 || line.address !== '' ? line.printAll() : told;
    room -= indent.length + text.length + 1;
    if (room < 0) {
      break;
    }
    out.push(indent + text);
    rememberLine(line, told, texts);
    printed += 1;
    for (const last = printed + count - 1; printed < last; printed += 1) {
      rememberLine(lines[printed], lines[printed].print(), texts);
    }
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
