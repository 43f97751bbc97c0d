// SPDX-License-Identifier: Apache-2.0
// A part of the page as Markdown: what is drawn, through shadow roots, slots and same-origin frames.

const MARKDOWN_LEVELS = 200;
const TABLE_ROWS = 5000;
const TABLE_CELLS = 100; // of a row
const ADDRESS_TEXT = 500;
const SKIPPED_IN_MARKDOWN = words('audio canvas embed input meter object progress select svg:svg textarea video');
const HEADINGS = words('h1 h2 h3 h4 h5 h6');
const STRONG = words('b strong');
const EMPHASIS = words('em i');
const BLOCKS = 'div,p,ul,ol,table,h1,h2,h3,h4,h5,h6,section,article,pre,blockquote';
const CODE = words('code kbd samp');

/** Signs that would read as Markdown. */
const escapeMarkdown = (text) => text.replace(/[\\`*[\]<]|_(?=[^\W_]*_)/g, '\\$&');

const isInline = (tag) => INLINE.has(tag) || tag === 'button' || tag === 'img' || tag === 'br' || tag === 'picture';

/** What stands for a frame that this script cannot enter; null for anything else. */
const closedFrameNote = (el, tag) => {
  if ((tag !== 'iframe' && tag !== 'frame') || frameDocumentOf(el, tag) !== null || !isVisible(el)) {
    return null;
  }
  const name = cut(nameOf(el, tag));
  return `[isolated frame left out${name === '' ? '' : `: ${quote(name)}`}]`;
};

/** An address between brackets. */
const inAddress = (url) => url.replace(/[()\s]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`);

const indented = (text, first, rest) => first + text.split('\n').join(`\n${rest}`);

class Markdown {
  constructor(maxChars) {
    this.left = maxChars; // characters of text that may still be taken
    this.nodes = MAX_NODES;
    this.cutShort = false; // elsewhere than at its end
  }

  spent() {
    return this.left <= 0 || this.nodes <= 0;
  }

  /** The children that are drawn, without those that say nothing. */
  * children(el, tag) {
    const doc = frameDocumentOf(el, tag);
    const { first, list } = doc === null ? drawnChildren(el, tag) : { first: null, list: [bodyOf(doc)].filter(Boolean) };
    if (list !== null) {
      for (const node of list) {
        yield* this.drawn(node);
      }
      return;
    }
    for (let node = first; node !== null && !this.spent(); node = nextSiblingOf(node)) {
      yield* this.drawn(node);
    }
  }

  * drawn(node) {
    this.nodes -= 1;
    const type = nodeTypeOf(node);
    if (type === TEXT) {
      yield { node, tag: '' };
    } else if (type === ELEMENT) {
      const tag = tagOf(node);
      const skipped = NEVER_DRAWN.has(tag) || isTrue(node, 'aria-hidden')
        || (SKIPPED_IN_MARKDOWN.has(tag) && !(tag === 'object' && showsFallback(node)));
      if (!skipped && (tag === 'slot' || isShown(node))) {
        yield { node, tag };
      }
    }
  }

  /** The text of what lies too deep. */
  deep(el) {
    this.cutShort = true;
    return escapeMarkdown(this.take(deepText(el)));
  }

  take(text) {
    const taken = text.slice(0, Math.max(0, this.left));
    this.left -= taken.length;
    return taken;
  }

  /** Content that runs on in a line. */
  inline(el, tag, level) {
    if (level > MARKDOWN_LEVELS) {
      return this.deep(el);
    }
    let out = closedFrameNote(el, tag) ?? '';
    for (const child of this.children(el, tag)) {
      out += this.inlineNode(child, level);
    }
    return out;
  }

  inlineNode({ node, tag }, level) {
    if (tag === '') {
      return escapeMarkdown(this.take(node.data.replace(BLANKS, ' ')));
    }
    if (tag === 'br') {
      return '\n';
    }
    if (tag === 'img') {
      return this.image(node);
    }
    if (CODE.has(tag)) {
      const code = squeeze(this.take(textContentOf(node)));
      return code === '' ? '' : code.includes('`') ? `\`\` ${code} \`\`` : `\`${code}\``;
    }
    const inner = this.inline(node, tag, level + 1);
    if (tag === 'a') {
      return this.link(node, inner);
    }
    if (tag === 'button') {
      const text = squeeze(inner);
      return text === '' ? '' : ` [${text}] `; // apart from the next one, and no content
    }
    if (STRONG.has(tag)) {
      return this.wrapped(inner, '**');
    }
    return EMPHASIS.has(tag) ? this.wrapped(inner, '*') : isInline(tag) ? inner : ` ${inner} `;
  }

  /** Marks must touch the words that they mark. */
  wrapped(inner, mark) {
    const text = inner.trim();
    return text === '' ? inner : `${/^\s/.test(inner) ? ' ' : ''}${mark}${text}${mark}${/\s$/.test(inner) ? ' ' : ''}`;
  }

  link(el, inner) {
    const text = squeeze(inner);
    const { href } = el;
    const useful = /^(https?|mailto|tel|ftp):/.test(href) && href.length <= ADDRESS_TEXT;
    return text === '' || !useful ? inner : `[${text}](${inAddress(href)})`;
  }

  image(el) {
    const alt = squeezeSome(attr(el, 'alt') ?? '', LINE_TEXT);
    const { src } = el;
    if (alt === '') {
      return '';
    }
    const text = escapeMarkdown(cut(alt));
    return /^https?:/.test(src) && src.length <= ADDRESS_TEXT ? `![${text}](${inAddress(src)})` : text;
  }

  /** Content as blocks, with an empty line between them. */
  blocks(el, tag, level) {
    if (level > MARKDOWN_LEVELS) {
      return [squeeze(this.deep(el))].filter(Boolean);
    }
    const out = [closedFrameNote(el, tag)].filter(Boolean);
    let line = '';
    const endLine = () => {
      const text = line.split('\n').map((each) => squeeze(each)).join('\n').trim();
      line = '';
      if (text !== '') {
        out.push(text);
      }
    };
    for (const child of this.children(el, tag)) {
      if (child.tag === '' || (isInline(child.tag) && !this.holdsBlocks(child))) {
        line += this.inlineNode(child, level);
      } else {
        endLine();
        out.push(...this.block(child, level + 1));
      }
    }
    endLine();
    return out;
  }

  /** A link around a whole card. */
  holdsBlocks({ node, tag }) {
    return tag !== 'img' && tag !== 'br' && queryOne(node, BLOCKS) !== null;
  }

  block({ node, tag }, level) {
    if (HEADINGS.has(tag)) {
      const text = squeeze(this.inline(node, tag, level));
      return text === '' ? [] : [`${'#'.repeat(Number(tag[1]))} ${text}`];
    }
    switch (tag) {
      case 'pre': return this.codeBlock(node);
      case 'hr': return ['---'];
      case 'ul': case 'ol': case 'menu': return this.list(node, tag, level);
      case 'blockquote': return this.blocks(node, tag, level).map((text) => indented(text, '> ', '> '));
      case 'table': return queryOne(node, 'table') === null ? this.table(node, level) : this.blocks(node, tag, level);
      default: return this.blocks(node, tag, level);
    }
  }

  codeBlock(el) {
    const text = this.take(textContentOf(el)).replace(/\n$/, '');
    const fence = /^\s*```/m.test(text) ? '````' : '```';
    return text.trim() === '' ? [] : [`${fence}\n${text}\n${fence}`];
  }

  list(el, tag, level) {
    const items = [];
    let number = tag === 'ol' ? el.start : 0;
    for (const child of this.children(el, tag)) {
      if (child.tag === '') {
        continue;
      }
      const mark = tag === 'ol' ? `${number}. ` : '- ';
      const inner = this.blocks(child.node, child.tag, level + 1).join('\n');
      if (inner !== '') {
        items.push(indented(inner, mark, ' '.repeat(mark.length)));
        number += 1;
      }
    }
    return items.length > 0 ? [items.join('\n')] : [];
  }

  some(list, most) {
    this.cutShort ||= list.length > most;
    return [...list].slice(0, most);
  }

  /** What a cell says: nothing if it is not drawn but has its place, null without one. */
  cell(el, level) {
    if (!isShown(el)) {
      return checkVisibility(el) ? '' : null;
    }
    return isTrue(el, 'aria-hidden') ? '' : squeeze(this.inline(el, 'td', level)).replaceAll('|', '\\|');
  }

  table(el, level) {
    const caption = el.caption === null || !isShown(el.caption) ? [] : this.blocks(el.caption, 'caption', level + 1);
    const rows = [];
    for (const row of this.some(el.rows, TABLE_ROWS)) {
      if (!this.spent() && isShown(row)) {
        rows.push(this.some(row.cells, TABLE_CELLS).map((cell) => this.cell(cell, level + 1)).filter((text) => text !== null));
      }
    }
    const width = Math.max(0, ...rows.map((row) => row.length));
    if (width === 0) {
      return caption;
    }
    const lines = rows.map((row) => `| ${[...row, ...Array(width - row.length).fill('')].join(' | ')} |`);
    lines.splice(1, 0, `|${' --- |'.repeat(width)}`);
    return [...caption, lines.join('\n')];
  }
}

/** Markdown of an element, and whether something was left out for want of room. */
const markdownOf = (el, maxChars) => {
  const writer = new Markdown(maxChars);
  const blocks = writer.block({ node: el, tag: tagOf(el) }, 0);
  return { text: blocks.join('\n\n'), cutShort: writer.spent() || writer.cutShort };
};
