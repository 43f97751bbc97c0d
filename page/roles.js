// SPDX-License-Identifier: Apache-2.0
// What an element is: its role, and whether one can act on it.

const words = (text) => new Set(text.split(/\s+/));

// Roles that a role attribute may name. Others in its list are passed over, as the standard asks.
const KNOWN_ROLES = words(`alert alertdialog application article banner blockquote button caption cell checkbox code
  columnheader combobox complementary contentinfo definition deletion dialog directory document emphasis feed figure form
  generic grid gridcell group heading img image insertion link list listbox listitem log main mark marquee math menu menubar
  menuitem menuitemcheckbox menuitemradio meter navigation none note option paragraph presentation progressbar radio
  radiogroup region row rowgroup rowheader scrollbar search searchbox separator slider spinbutton status strong subscript
  suggestion superscript switch tab table tablist tabpanel term textbox time timer toolbar tooltip tree treegrid treeitem`);

// Roles that add nothing to the text inside: the element is left out and its children move up.
const PLAIN_ROLES = words(`application blockquote caption code definition deletion document emphasis generic insertion mark none
  note paragraph presentation rowgroup separator strong subscript suggestion superscript term time`);

// Roles of things that people click, type into or choose. In a grid that is every cell: its keys and clicks go to cells.
const ACTIVE_ROLES = words(`button checkbox combobox gridcell link listbox menuitem menuitemcheckbox menuitemradio option radio scrollbar
  searchbox slider spinbutton switch tab textbox treeitem`);

// Containers that are worth a ref so that a snapshot of one of them can be asked for.
const SCOPE_ROLES = words(`alertdialog complementary contentinfo banner dialog feed form grid iframe main navigation region search
  table tabpanel tree treegrid`);

const ROLE_OF_TAG = {
  'svg:svg': 'img', article: 'article', aside: 'complementary', audio: 'audio', button: 'button', canvas: 'canvas',
  details: 'group', dialog: 'dialog', embed: 'embed', fieldset: 'group', figure: 'figure', form: 'form', frame: 'iframe',
  h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading', h5: 'heading', h6: 'heading', iframe: 'iframe', img: 'img',
  li: 'listitem', main: 'main', menu: 'list', meter: 'meter', nav: 'navigation', object: 'object', ol: 'list',
  optgroup: 'group', option: 'option', output: 'status', progress: 'progressbar', search: 'search', section: 'region',
  summary: 'button', table: 'table', textarea: 'textbox', tr: 'row', ul: 'list', video: 'video',
  'xml:math': 'math',
};
Object.setPrototypeOf(ROLE_OF_TAG, null);

const ROLE_OF_INPUT = {
  button: 'button', checkbox: 'checkbox', file: 'button', hidden: '', image: 'button', number: 'spinbutton', radio: 'radio',
  range: 'slider', reset: 'button', search: 'searchbox', submit: 'button',
};
Object.setPrototypeOf(ROLE_OF_INPUT, null);

const HEADER_CELLS = words('columnheader rowheader');
const TABLES = 'table:not([role=none],[role=presentation]),[role=table],[role=grid],[role=treegrid]';

/** Whether the table around it is one whose cells take the focus. */
const isInGrid = (el) => {
  const table = closest(el, TABLES);
  return table !== null && matches(table, '[role=grid],[role=treegrid]');
};

const SECTIONING = 'article,aside,main,nav,section,[role=article],[role=main],[role=navigation],[role=region]';

const CELLS_LOOKED_AT = 50; // of a row, for each of its headers

const hasDataCell = (row) => {
  for (let cell = firstElementOf(row), n = 0; cell !== null && n < CELLS_LOOKED_AT; cell = nextElementOf(cell), n += 1) {
    if (localNameOf(cell) === 'td') {
      return true;
    }
  }
  return false;
};

const headerCellRole = (el) => {
  const scope = attr(el, 'scope');
  if (scope === 'row' || scope === 'rowgroup') {
    return 'rowheader';
  }
  const row = parentNodeOf(el);
  const inHead = scope === 'col' || scope === 'colgroup' || row === null || closest(el, 'thead') !== null;
  return inHead || !hasDataCell(row) ? 'columnheader' : 'rowheader';
};

// Tags whose role depends on more than the tag.
const ROLE_BY_LOOK = {
  a: (el) => (hasAttr(el, 'href') ? 'link' : ''),
  'svg:a': (el) => (hasAttr(el, 'href') || hasAttr(el, 'xlink:href') ? 'link' : ''),
  area: (el) => (hasAttr(el, 'href') ? 'link' : ''),
  header: (el) => (closest(parentElementOf(el) ?? el, SECTIONING) === null ? 'banner' : ''),
  footer: (el) => (closest(parentElementOf(el) ?? el, SECTIONING) === null ? 'contentinfo' : ''),
  img: (el) => (attr(el, 'alt') === '' ? 'none' : 'img'),
  input: (el) => {
    const role = ROLE_OF_INPUT[el.type] ?? 'textbox';
    return hasAttr(el, 'list') && (role === 'textbox' || role === 'searchbox') ? 'combobox' : role;
  },
  select: (el) => (el.multiple || el.size > 1 ? 'listbox' : 'combobox'),
  // A table that holds a table arranges a page and says nothing by its cells.
  table: (el) => (queryOne(el, 'table') === null ? 'table' : 'none'),
  td: (el, inGrid = isInGrid(el)) => (inGrid ? 'gridcell' : 'cell'),
  th: headerCellRole,
};
Object.setPrototypeOf(ROLE_BY_LOOK, null);

/** contenteditable as written; an element inherits it, but only the outermost one is a field. */
const isEditableHost = (el) => {
  const value = attr(el, 'contenteditable');
  return value !== null && value.toLowerCase() !== 'false';
};

const MARKS = words('contenteditable inert onclick placeholder role tabindex title');

/**
 * Whether an element has an attribute that matters to its role, name or states. Few have, and to read the names once is five
 * times quicker than to ask for each of them.
 */
const isMarked = (el) => {
  if (hasAttributes(el)) {
    for (const name of attributeNames(el)) {
      if (name.startsWith('aria-') || MARKS.has(name)) {
        return true;
      }
    }
  }
  return false;
};

const nativeRole = (el, tag, inGrid) => {
  const look = ROLE_BY_LOOK[tag];
  return look === undefined ? ROLE_OF_TAG[tag] ?? '' : look(el, inGrid);
};

// Attributes that make an element more than decoration, whatever its role says.
const NOT_MERE_LOOKS = ['label', 'labelledby', 'describedby', 'live', 'owns'].map((name) => `[aria-${name}]:not([aria-${name}=""])`)
  .concat('[tabindex]').join();

/** The role that the role attribute names; null if it names none that we know. */
const givenRole = (el, tag) => {
  const given = attr(el, 'role');
  if (given === null) {
    return null;
  }
  for (const word of given.slice(0, 200).toLowerCase().split(/\s+/)) {
    if (!KNOWN_ROLES.has(word)) {
      continue;
    }
    if (word === 'none' || word === 'presentation') {
      // One cannot declare away that something can be used, or what aria attributes say of it.
      const native = nativeRole(el, tag);
      const isUsed = ACTIVE_ROLES.has(native) && native !== 'gridcell';
      return isUsed || matches(el, NOT_MERE_LOOKS) ? native : 'none';
    }
    return word === 'image' ? 'img' : word;
  }
  return null;
};

/** The role, '' if the element has none of its own. A caller that knows whether it stands in a grid saves the look for it. */
const roleOf = (el, tag = tagOf(el), marked = isMarked(el), inGrid = undefined) => {
  if (!marked) {
    return nativeRole(el, tag, inGrid);
  }
  const role = givenRole(el, tag) ?? nativeRole(el, tag, inGrid);
  return role === '' && isEditableHost(el) ? 'textbox' : role;
};

/** Whether an attribute of it says that one can act on it. */
const isMadeActive = (el) => {
  const index = attr(el, 'tabindex');
  return hasAttr(el, 'onclick') || isEditableHost(el) || (index !== null && Number.parseInt(index, 10) >= 0);
};

/** Whether one can act on it. `inGrid`: it stands in a grid, where headers are cells like others. */
const isActive = (el, role, marked, inGrid) => ACTIVE_ROLES.has(role) || (marked && isMadeActive(el))
  || (inGrid && HEADER_CELLS.has(role));

// What a click on a part of it means the same as a click on the whole.
const ONE_THING = 'a[href],button,label,summary,select,option,[role=button],[role=link],[role=checkbox],[role=radio],[role=tab],'
  + '[role=menuitem],[role=option],[role=switch],[role=treeitem]';

// Or may mean it: many listen for the clicks of all that is in them, even the body.
const CLICKABLE = `${ONE_THING},[onclick]`;

/** The control that a label stands for, else the element itself. */
const controlOf = (el) => (tagOf(el) === 'label' ? el.control ?? el : el);
