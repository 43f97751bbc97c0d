// SPDX-License-Identifier: Apache-2.0
// Accessible names: what a person would call an element. Follows accname 1.2 and html-aam, with bounds: so many nodes,
// characters and levels, and no label is followed twice. What a custom element declares by its ElementInternals (a role, a name)
// cannot be known here: only the page's own world holds them. That a label stands for such an element, the label tells.

const NAMED_BY_CONTENT = words(`button checkbox heading link menuitem menuitemcheckbox menuitemradio option radio switch tab
  tooltip treeitem`);
// The same by the standard, but an outline shows their content in lines of its own; the name is there to find them by.
const FOUND_BY_CONTENT = words('cell columnheader gridcell row rowheader');
// Controls that add their value to a name that they are in.
const VALUE_ROLES = words('combobox listbox meter progressbar scrollbar searchbox slider spinbutton textbox');
const VALUE_TAGS = words('input meter progress select textarea');
const MOST_LABELS = 5;

const idRefs = (el, name) => {
  const ids = attr(el, name);
  if (ids === null) {
    return [];
  }
  const root = rootOf(el);
  return ids.slice(0, 1000).split(/\s+/).slice(0, 20).map((id) => id && byId(root, id)).filter(Boolean);
};

// Not in every browser that we drive.
const labellingSet = 'ariaLabelledByElements' in Element.prototype ? getter(Element, 'ariaLabelledByElements') : () => null;

/** What aria-labelledby refers to; elements that a script has set stand behind an empty attribute. */
const labellingElements = (el) => (attr(el, 'aria-labelledby') === ''
  ? (labellingSet(el) ?? []).slice(0, 20) : idRefs(el, 'aria-labelledby'));

const svgTitle = (el) => {
  for (let child = firstElementOf(el), n = 0; child !== null && n < 20; child = nextElementOf(child), n += 1) {
    if (localNameOf(child) === 'title') {
      return textContentOf(child);
    }
  }
  return null;
};

/** The text of an element that holds nothing else, '' for all others: most do, and need no gathering. */
const plainText = (el) => {
  const first = firstChildOf(el);
  return first !== null && nodeTypeOf(first) === TEXT && nextSiblingOf(first) === null && shadowOf(el) === null
    ? squeezeSome(first.data, NAME_TEXT) : '';
};

/** What an element that a label refers to, or a label itself, gives to a name. */
const alternativeOf = (el, how) => {
  const plain = isMarked(el) ? '' : plainText(el);
  if (plain !== '') {
    return plain;
  }
  const run = new TextRun();
  gatherWhole(el, tagOf(el), run, how, 0);
  return run.text;
};

const isHidden = (el) => !isShown(el) || closest(el, '[aria-hidden=true]') !== null;

const labelledText = (el, how) => squeeze(labellingElements(el).map((label) => {
  (how.left.followed ??= new Set()).add(label);
  return alternativeOf(label, { ...how, labelled: true, direct: label, skip: null, hidden: isHidden(label) });
}).join(' '));

// The last one that was named by its labels: what it holds is no part of its name.
let lastLabelled = null;

/** What a label says, with what styles put before and behind its text: a label has a star where others have none. */
const drawnLabel = (label, how) => {
  const [before, after] = ['::before', '::after'].map((pseudo) => generatedText(label, 'label', how, pseudo));
  const text = alternativeOf(label, how);
  return text === squeeze(before + after) ? text : before + text + after;
};

/** What the labels of a control say, without the control itself. A label that an aria-labelledby has followed is not said again. */
const labelText = (el, given = null) => {
  const labels = labelsOf(el);
  if (labels.length === 0) {
    return '';
  }
  const how = given ?? newGathering(el);
  const followed = how.left.followed ??= new Set();
  const text = squeeze(labels.slice(0, MOST_LABELS).filter((label) => !followed.has(label)).map((label) => {
    followed.add(label);
    return drawnLabel(label, { ...how, direct: null, skip: el, hidden: isHidden(label) });
  }).join(' '));
  lastLabelled = text === '' ? lastLabelled : el;
  return text;
};

/** The chosen options of a combobox or listbox made of other elements; null: all that it shows is its value. */
const chosenText = (el, role, how) => {
  how.left.questions -= 1;
  if (how.left.questions < 0) {
    return null;
  }
  const chosen = [el, ...idRefs(el, 'aria-owns'), ...idRefs(el, 'aria-controls')]
    .flatMap((list) => [...queryAll(list, '[role=option][aria-selected=true]')].slice(0, 5));
  if (chosen.length > 0) {
    return chosen.map((option) => alternativeOf(option, how)).join(' ');
  }
  const field = role === 'combobox' ? queryOne(el, 'input:not([type=hidden i])') : null;
  return (field !== null && isSecret(field) ? '' : field?.value) ?? (role === 'listbox' ? '' : null);
};

/** What a control inside a name adds to it; null: its content, undefined: it is no such control. Never a secret. */
const embeddedValue = (el, tag, marked, how) => {
  const native = VALUE_TAGS.has(tag);
  const role = native || marked ? roleOf(el, tag, marked) : '';
  if (!VALUE_ROLES.has(role)) {
    return undefined;
  }
  if (native || (role !== 'combobox' && role !== 'listbox')) {
    const isText = !native && (role === 'textbox' || role === 'searchbox');
    return isText ? null : native && isSecret(el) ? '' : valueOf(el, tag, role);
  }
  return chosenText(el, role, how);
};

/** What stands for an element of this kind in a text; null: its content. */
const nativeStandIn = (el, tag, marked) => {
  switch (tag) {
    case 'img':
      return marked && roleOf(el, tag, marked) === 'none' ? '' : attr(el, 'alt') ?? attr(el, 'title') ?? '';
    case 'input':
      return /^(button|submit|reset)$/.test(el.type) ? el.value : el.type === 'image' ? attr(el, 'alt') ?? '' : '';
    case 'audio': case 'canvas': case 'iframe': case 'object': case 'select': case 'textarea': case 'video':
      return attr(el, 'title') ?? '';
    default:
      return tag.startsWith('svg:') ? svgTitle(el) : null;
  }
};

/** What stands for a whole element inside a text; null: its content. */
const standIn = (el, tag, marked, how) => {
  if (how.named !== null) {
    const text = marked && !how.labelled ? labelledText(el, how) : '';
    const value = text === '' && el !== how.named ? embeddedValue(el, tag, marked, how) : undefined;
    if (text !== '' || value !== undefined) {
      return text || value;
    }
  }
  const label = marked ? attr(el, 'aria-label') ?? '' : '';
  if (label.trim() !== '') {
    return label;
  }
  return (el === how.direct && labelText(el, how)) || nativeStandIn(el, tag, marked);
};

// A string of the computed value of `content`, or what stands between its strings.
const CONTENT_PART = /"((?:\\.|[^"\\])*)"|\/|[^\s"/]+/g;
const PRIVATE_USE = /[\ue000-\uf8ff\u{f0000}-\u{10fffd}]/gu;

/** The text of `content`: what is behind the slash is said in place of what is before it. Signs of icon fonts say nothing. */
const contentStrings = (content) => {
  let text = '';
  for (const [part, string] of content.slice(0, 4 * NAME_TEXT).matchAll(CONTENT_PART)) {
    if (part === '/') {
      text = '';
    } else if (string !== undefined) {
      text += string.replace(/\\([0-9a-f]{1,6} ?|.)/gi, (_, sign) => (sign.length > 1 ? ' ' : sign));
    }
  }
  return text.replace(PRIVATE_USE, '');
};

/**
 * What styles put into an element by ::before and ::after. To ask for it costs more than all the rest of a name, so it is asked
 * only where it makes a difference: of labels, and of elements that say nothing else, such as icons and buttons that are one.
 */
const generatedText = (el, tag, how, ...pseudos) => {
  if (tag.includes(':') || LEAVES.has(tag) || how.left.questions <= 0) {
    return '';
  }
  how.left.questions -= 1;
  return pseudos.map((pseudo) => {
    const style = styleOf(el, pseudo);
    const { content } = style;
    if (content === 'none' || content === 'normal' || style.display === 'none' || style.visibility !== 'visible') {
      return '';
    }
    return style.display === 'inline' ? contentStrings(content) : ` ${contentStrings(content)} `;
  }).join('');
};

/** Behind its content: what an element owns, or what there is if it says nothing. */
const completeName = (el, tag, marked, run, how, before, level) => {
  for (const owned of marked ? idRefs(el, 'aria-owns') : []) {
    if (!holds(el, owned) && !how.left.followed?.has(owned)) {
      (how.left.followed ??= new Set()).add(owned);
      run.add(' ');
      gatherNode(owned, run, how, level + 1, true);
    }
  }
  if (!/\S/.test(run.text.slice(before))) {
    run.add(generatedText(el, tag, how, '::before', '::after') || (marked && el !== how.named ? attr(el, 'title') ?? '' : ''));
  }
};

/** The text that an element draws, as one line. */
const contentText = (el, tag = tagOf(el), marked = isMarked(el), role = '') => {
  const plain = marked && hasAttr(el, 'aria-owns') ? '' : plainText(el);
  if (plain !== '') {
    return plain;
  }
  const run = new TextRun();
  const how = newGathering(el);
  how.inTree = role === 'treeitem';
  gather(el, tag, run, how);
  completeName(el, tag, marked, run, how, 0, 0);
  return squeeze(run.text);
};

const childText = (el, name) => {
  for (let child = firstElementOf(el), n = 0; child !== null && n < 20; child = nextElementOf(child), n += 1) {
    if (localNameOf(child) === name) {
      return contentText(child);
    }
  }
  return '';
};

const inputName = (el) => {
  const byLabel = labelText(el);
  if (byLabel !== '') {
    return byLabel;
  }
  switch (el.type) {
    case 'submit': return el.value || 'Submit';
    case 'reset': return el.value || 'Reset';
    case 'button': return el.value;
    case 'image': return attr(el, 'alt') || el.value || attr(el, 'title') || 'Submit';
    default: return '';
  }
};

// Names that the element's own kind gives it.
const NATIVE_NAME = {
  area: (el) => attr(el, 'alt') ?? '',
  button: labelText,
  fieldset: (el) => childText(el, 'legend'),
  figure: (el) => childText(el, 'figcaption'),
  img: (el) => attr(el, 'alt') ?? '',
  input: inputName,
  meter: labelText,
  optgroup: (el) => attr(el, 'label') ?? '',
  option: (el) => el.label,
  output: labelText,
  progress: labelText,
  select: labelText,
  'svg:a': svgTitle,
  'svg:svg': svgTitle,
  table: (el) => childText(el, 'caption'),
  textarea: labelText,
};
Object.setPrototypeOf(NATIVE_NAME, null);

/** Custom elements and shapes are something by their attributes only. */
const nativeName = (el, tag, marked) => {
  const native = NATIVE_NAME[tag] ?? (marked && (tag.includes('-') ? labelText : tag.startsWith('svg:') ? svgTitle : null));
  return native ? squeezeSome(native(el) ?? '', NAME_TEXT) : '';
};

/** The name that aria attributes give. */
const ariaName = (el) => (hasAttr(el, 'aria-labelledby') && labelledText(el, newGathering(el)))
  || squeezeSome(attr(el, 'aria-label') ?? '', NAME_TEXT);

/** The first attribute of these that says something. */
const attributeText = (el, names) => {
  for (const name of names) {
    const text = squeezeSome(attr(el, name) ?? '', NAME_TEXT);
    if (text !== '') {
      return text;
    }
  }
  return '';
};
const HINTS = ['title', 'placeholder', 'aria-placeholder'];

/**
 * The name as the line of an element shows it, '' if there is none; at most NAME_TEXT characters. `whole`: also by the content
 * of what has its content in other lines.
 */
const lineName = (el, tag, role, marked, whole = false) => {
  if (role === 'none') {
    return '';
  }
  let name = marked ? ariaName(el) : '';
  if (name === '') {
    name = nativeName(el, tag, marked);
  }
  if (name === '' && (NAMED_BY_CONTENT.has(role) || (whole && FOUND_BY_CONTENT.has(role)))) {
    name = contentText(el, tag, marked, role);
  }
  if (name === '' && marked) {
    name = attributeText(el, HINTS);
  }
  if (name === '' && tag === 'label' && role !== '') {
    name = nameOf(controlOf(el));
  }
  return cut(name, NAME_TEXT);
};

/** The accessible name. */
const nameOf = (el, tag = tagOf(el), role = roleOf(el, tag), marked = isMarked(el)) => lineName(el, tag, role, marked, true);
