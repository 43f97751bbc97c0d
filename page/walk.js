// SPDX-License-Identifier: Apache-2.0
// The walk that turns a page into the lines of a snapshot. It follows what is drawn: shadow roots and slots in place of
// light children, same-origin documents inside their frames. A stack of our own, not recursion: a page can
// nest deeper than any call stack.

const NAMED_ONLY = words('figure form group img region');
// Nothing of ours is drawn inside these; the first ones are worth a ref for a picture or a click.
const REF_LEAVES = words('audio canvas embed iframe object video');
const LEAVES = words('audio canvas embed frame iframe img input meter object progress select textarea video');
const CAPTIONS = words('caption figcaption legend');
const OPTIONS_LISTED = 20;
// What is inside these is not theirs only because one can act on them: a tree item has its arrow, a tab its cross.
const HOLDING_ROLES = words('combobox listbox scrollbar tab treeitem');

const isLeaf = (el, tag) => LEAVES.has(tag) && !(tag === 'object' && showsFallback(el));

class Walk {
  /** `unfolded` is a select of which all options are wanted. */
  constructor({ interactive = false, nodes = MAX_NODES, unfolded = null } = {}) {
    this.flat = interactive;
    this.unfolded = unfolded;
    this.maxNodes = nodes;
    this.lines = [];
    this.stack = [];
    this.run = new TextRun();
    this.runEl = null; // where the text of the run began
    this.nodes = 0;
    this.hosts = new HostFinder();
    this.roots = []; // shadow roots that were entered
    this.cutShort = false;
    this.focused = activeElement();
  }

  /** Collects the lines of an element and all that is in it. */
  collect(root) {
    this.stack.push(new Level(root, '', null));
    this.top().list = [root];
    this.top().grid = isInGrid(root);
    while (this.stack.length > 0) {
      const level = this.top();
      const node = level.take();
      if (node === null) {
        this.leave(level);
      } else if (this.nodes >= this.maxNodes || this.lines.length >= MAX_LINES) {
        this.cutShort = true;
        this.stack.length = 0;
      } else {
        this.visit(node, level);
      }
    }
    this.flush(0);
  }

  top() {
    return this.stack[this.stack.length - 1];
  }

  visit(node, level) {
    this.nodes += 1;
    const type = nodeTypeOf(node);
    if (type === ELEMENT) {
      this.enter(node, level);
    } else if (type === TEXT && !level.mute && !level.hidden) {
      this.addText(node.data, level);
    }
  }

  /** Text that shows a hand and text that shows none are not one line, though they run on. */
  addText(data, level) {
    const el = this.runEl;
    if (el !== level.el && (el === null || !level.active) && /\S/.test(data)) {
      if (el !== null && (styleOf(el).cursor === 'pointer') !== (styleOf(level.el).cursor === 'pointer')) {
        this.flush(level.depth);
      }
      this.runEl ??= level.el;
    }
    this.run.add(data);
  }

  /**
   * Ends the text that has been gathered: it becomes a line of its own. Scripts listen to clicks where markup does not tell;
   * the hand that the mouse shows there does.
   */
  flush(depth) {
    if (this.run.text === '') {
      return;
    }
    const text = squeezeSome(this.run.text, LINE_TEXT);
    const el = this.runEl;
    this.run = new TextRun();
    this.runEl = null;
    if (text === '') {
      return;
    }
    const style = el === null ? null : styleOf(el);
    if (style?.contentVisibility === 'hidden') {
      return;
    }
    if (style?.cursor === 'pointer' && !this.inActive()) {
      this.push(new Line(depth, '', '', [], el, text));
    } else if (!this.flat) {
      const line = new Line(depth, 'text', '', [], null, text);
      line.src = el;
      this.push(line);
    } else if (this.stack.length > 0 && this.top().owner >= 0) {
      const line = this.lines[this.top().owner];
      const said = line.text.length > LINE_TEXT || line.name.includes(text);
      line.text = said ? line.text : squeeze(`${line.text} ${text}`);
    }
  }

  inActive() {
    return this.stack.length > 0 && this.top().active;
  }

  push(line) {
    if (this.flat) {
      line.depth = 0;
    }
    this.lines.push(line);
    return this.lines.length - 1;
  }

  leave(level) {
    if (level.at < 0) {
      this.stack.pop();
      if (level.tag !== '') {
        this.edge(level.el, level.tag, level.depth);
      }
      return;
    }
    this.flush(level.depth); // while the level's own rules hold
    this.stack.pop();
    this.finish(level);
  }

  finish(level) {
    if (level.at >= 0) {
      (this.flat ? finishEmpty : finishLine)(this.lines, level.at);
    }
  }

  /** The edge of an element without a line: running text goes on, a block begins a new line. */
  edge(el, tag, depth) {
    if (tag === 'br' || INLINE.has(tag)) {
      this.run.edge(el, tag === 'br' ? 'div' : tag);
    } else {
      this.flush(depth);
    }
  }

  enter(el, up) {
    const tag = tagOf(el);
    if (NEVER_DRAWN.has(tag)) {
      return;
    }
    if (tag === 'br') {
      this.edge(el, tag, up.depth);
      return;
    }
    const level = new Level(el, tag, up);
    if (tag !== 'slot' && !checkVisibility(el, SHOWN)) {
      // Children of an element with visibility: hidden can be visible again; those of display: none cannot.
      level.hidden = checkVisibility(el);
      if (!level.hidden && styleOf(el).display !== 'contents') {
        return;
      }
    }
    const marked = isMarked(el);
    if (marked && (attr(el, 'aria-hidden') === 'true' || hasAttr(el, 'inert'))) {
      return;
    }
    const role = tag === 'label' ? this.labelRole(el, level) : roleOf(el, tag, marked, up.grid);
    if (role === '' && up.at >= 0 && CAPTIONS.has(tag)) {
      level.mute = this.lines[up.at].name.includes(contentText(el)); // it names what it is in
    }
    if (role === '' && !marked) {
      this.descend(el, tag, level, role);
    } else {
      this.describe(el, tag, role, level, up, marked);
    }
  }

  describe(el, tag, role, level, up, marked) {
    if (level.mute && isOutsideName(el, role)) {
      level.mute = false;
    }
    const active = !level.hidden && isActive(el, role, marked, up.grid);
    if (role === 'table' || role === 'grid' || role === 'treegrid' || tag === 'table') {
      level.layout = role === 'none';
      level.grid = role === 'none' ? up.grid : role !== 'table';
    }
    const inLayout = up.layout && (role === 'row' || role === 'cell') && !hasAttr(el, 'role');
    const plain = level.hidden || inLayout || role === '' || PLAIN_ROLES.has(role) || level.mute || this.flat;
    if (!active && plain && (role !== 'iframe' || level.hidden)) {
      this.descend(el, tag, level, role);
      return;
    }
    const name = lineName(el, tag, role, marked, this.flat);
    if (!active && name === '' && NAMED_ONLY.has(role)) {
      this.descend(el, tag, level, role);
      return;
    }
    this.addLine(el, tag, role === 'none' || role === 'generic' ? '' : role, name, level, active, marked);
  }

  /** A label whose checkbox is hidden behind styles is what one clicks, so it stands for it. */
  labelRole(el, level) {
    const control = el.control ?? null;
    if (control === null) {
      return '';
    }
    if (!isShown(control) && /^(checkbox|radio|file)$/.test(control.type)) {
      return roleOf(control);
    }
    level.mute = isLabelSaid(el, control);
    level.active = true; // a click on it is one on the field
    return '';
  }

  addLine(el, tag, role, name, level, active, marked) {
    this.flush(level.depth);
    const source = controlOf(el);
    const sourceTag = source === el ? tag : tagOf(source);
    const states = statesOf(source, sourceTag, role, marked || source !== el);
    if (el === this.focused) {
      states.push('focused');
    }
    const hasRef = active || SCOPE_ROLES.has(role) || REF_LEAVES.has(tag);
    const line = new Line(level.depth, role, name, states, hasRef ? el : null, valueOf(source, sourceTag, role));
    line.src = el;
    line.active = active;
    if (role === 'link' && name === '') {
      line.text = squeezeSome(attr(el, 'href') ?? '', LINE_TEXT);
    }
    level.at = this.push(line);
    level.depth += 1;
    if (active) {
      const whole = ACTIVE_ROLES.has(role) && !HOLDING_ROLES.has(role) && !CELL_ROLES.has(role);
      level.active ||= whole || styleOf(el).cursor === 'pointer';
      level.owner = SCOPE_ROLES.has(role) ? -1 : level.at;
    }
    level.mute = isContentSaid(el, role, name, level.mute);
    this.descendBelow(el, tag, role, level, line);
  }

  descendBelow(el, tag, role, level, line) {
    if (role === 'iframe') {
      const doc = frameDocumentOf(el, tag);
      line.closed = doc === null && (tag === 'iframe' || tag === 'frame');
      if (doc !== null) {
        if (isAwaited(el, doc)) {
          line.states.push('loading');
        }
        this.stack.push(level);
        this.startDocument(doc, level);
      }
    } else if (tag === 'select') {
      this.addOptions(el, level, line);
    } else if (!isLeaf(el, tag)) {
      this.into(el, tag, level);
    }
  }

  addOptions(el, level, line) {
    if (el !== this.unfolded && (el.options.length > OPTIONS_LISTED || this.flat)) {
      line.options = el.options.length;
      return;
    }
    const secret = isSecret(el);
    for (const option of el.options) {
      if (this.lines.length >= MAX_LINES) {
        this.cutShort = true;
        return;
      }
      const states = statesOf(option, 'option', 'option').filter((state) => !secret || state !== 'selected');
      this.push(new Line(level.depth, 'option', optionLabel(option), states, null, ''));
    }
  }

  /** Goes on inside an element that has no line of its own. */
  descend(el, tag, level, role) {
    this.edge(el, tag, level.depth);
    const leaf = isLeaf(el, tag);
    if (leaf || tag === 'svg:svg' || firstChildOf(el) === null) {
      this.consider(el, tag, level, role);
    }
    if (!leaf) {
      this.into(el, tag, level);
    }
  }

  /** An element without text can still be an icon that one clicks. */
  consider(el, tag, level, role) {
    if (!level.hidden && !level.active && role !== 'none' && shadowOf(el) === null && styleOf(el).cursor === 'pointer' && boxesOf(el).length > 0) {
      this.flush(level.depth);
      const line = new Line(level.depth, tag === 'svg:svg' ? '' : role, nameOf(el, tag, role), [], el, '');
      line.active = true;
      finishEmpty(this.lines, this.push(line));
      level.active = true; // so are the parts of it
    }
  }

  /** Details without a summary show a word of the browser's in its place, and while they are closed nothing else. */
  addDetails(el, level) {
    this.flush(level.depth);
    const line = new Line(level.depth, 'button', 'Details', ['collapsed'], el, '');
    line.active = true;
    this.push(line);
  }

  into(el, tag, level) {
    const shadow = shadowOf(el);
    if (shadow !== null) {
      this.roots.push(shadow);
      level.next = firstChildOf(shadow);
    } else if (tag === 'slot' || tag === 'details') {
      ({ first: level.next, list: level.list } = drawnChildren(el, tag));
      if (level.list?.length === 0 && !level.hidden) { // of a slot there is none
        this.addDetails(el, level);
      }
    } else {
      this.hosts.consider(el, tag);
      // Where text is said already, only elements matter.
      level.next = level.mute ? firstElementOf(el) : firstChildOf(el);
    }
    if (level.next === null && level.list === null) {
      this.finish(level);
    } else {
      this.stack.push(level);
    }
  }

  /** A modal dialog makes all the rest of its document inert. */
  startDocument(doc, level) {
    const modal = inDocument.queryAll(doc, 'dialog:modal');
    const root = rootElementOf(doc);
    level.list = modal.length > 0 ? [...modal] : root === null ? [] : [root];
  }

  collectDocument() {
    const level = new Level(document, '', null);
    this.startDocument(document, level);
    for (const root of level.list) {
      this.collect(root);
    }
  }
}
