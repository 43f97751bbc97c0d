// SPDX-License-Identifier: Apache-2.0
// Acts that need no mouse: focus, values, choices, scrolling.

const TYPED = words('email number password search tel text url');
const focusHtml = method(HTMLElement, 'focus');
const focusSvg = method(SVGElement, 'focus');

/** How a value gets into the element. */
const kindOf = (el, tag = tagOf(el)) => {
  if (tag === 'input') {
    if (TYPED.has(el.type)) {
      return 'text';
    }
    if (/^(checkbox|radio|file)$/.test(el.type)) {
      return el.type;
    }
    return /^(button|submit|reset|image|hidden)$/.test(el.type) ? 'none' : 'value';
  }
  if (tag === 'textarea') {
    return 'text';
  }
  if (tag === 'select') {
    return 'select';
  }
  return el.isContentEditable === true ? 'contenteditable' : 'none';
};

const EDITABLE = 'input:not([type=hidden]),textarea,select,[contenteditable]:not([contenteditable=false])';

/** The field that is meant: of a label its control, of a wrapper the only field in it. */
const fieldOf = (found) => {
  const el = controlOf(found);
  if (kindOf(el) !== 'none') {
    return el;
  }
  const inner = queryAll(shadowOf(el) ?? el, EDITABLE);
  return inner.length === 1 ? inner[0] : el;
};

/** The field itself, or if the page has taken it away, the one that the same target finds now; null: none. */
const fieldNow = (el, options) => {
  if (isAttached(el)) {
    return el;
  }
  const found = asRef(asTarget(options.target)) === null ? meantBy(options).el : null;
  const field = found === null ? null : fieldOf(found);
  return field === null || kindOf(field) === 'none' ? null : field;
};

const selectContent = (el, kind) => {
  if (kind === 'text') {
    el.select();
  } else if (kind === 'contenteditable') {
    viewOf(ownerOf(el)).getSelection().selectAllChildren(el);
  }
};

const hasFocus = (el) => {
  if (!isConnected(el)) {
    return false; // and what it hangs from may be no root that could tell
  }
  const active = readerOf(rootOf(el)).active(rootOf(el));
  return active === el || (active !== null && kindOf(el) === 'contenteditable' && holds(active, el));
};

const whyNotFocusable = (el, kind) => {
  // A file input is filled without a look at it, and pages like to hide it behind a button.
  if (kind !== 'file' && !isVisible(el)) {
    return whyHidden(el);
  }
  return whyDisabled(el);
};

const isReadOnly = (el) => el.readOnly === true || isTrue(el, 'aria-readonly');

/** What a click on a field opens that nobody types into; null if nothing says that it does. */
const whatOpens = (el) => {
  const box = hasAttr(el, 'aria-controls') ? el : closest(el, '[aria-haspopup]:not([aria-haspopup=false]),[role=combobox]');
  if (box === null) {
    return null;
  }
  const kind = attr(box, 'aria-haspopup') ?? 'listbox';
  const opened = byId(rootOf(box), attr(box, 'aria-controls') ?? attr(box, 'aria-owns') ?? '');
  return opened === null ? `a ${/^(dialog|grid|listbox|menu|tree)$/.test(kind) ? kind : 'menu'}` : sketch(opened);
};

const focusOn = (el) => (namespaceOf(el) === HTML ? focusHtml : focusSvg)(el);

/** `watch`: what changes from now on is told after the act. `filled`: for the field that `fill` has just filled. `keys`: so many will come. */
const focus = ({ watch: watches = false, filled: again = false, keys: due = 1, ...options }) => {
  countRefs(options);
  return new Waiting({ ...options, known: again ? filling?.el : null }).until((found) => {
    const el = fieldOf(found);
    const kind = kindOf(el);
    const why = whyNotFocusable(el, kind);
    if (why !== null) {
      return { why };
    }
    if (kind !== 'file') {
      focusOn(el);
      if (!hasFocus(el)) {
        return { why: 'does not accept the focus' };
      }
      aimAt(el, { typing: true, due, heard: 'key' });
    }
    if (watches) {
      watchChanges(el);
    }
    return { kind, ...introduce(el), aim: aim?.id };
  });
};

const tell = (el, ...types) => {
  for (const type of types) {
    dispatch(el, new Event(type, { bubbles: true, composed: true }));
  }
};

const VALUE_FORMS = {
  color: '#rrggbb',
  date: 'YYYY-MM-DD',
  'datetime-local': 'YYYY-MM-DDTHH:MM',
  month: 'YYYY-MM',
  number: 'a number',
  range: 'a number',
  time: 'HH:MM',
  week: 'YYYY-Www',
};
Object.setPrototypeOf(VALUE_FORMS, null);

const WITH_TIME = words('datetime-local time');

/** The value as the field wants it written: 9:30 is 09:30. */
const inForm = (el, value) => (WITH_TIME.has(el.type) ? value.replace(/(^|[T ])(\d:\d\d)/, (_, before, time) => `${before}0${time}`) : value);

/**
 * Frameworks put accessors of their own on elements to see what scripts set; those live in the page's world, so to them this
 * looks like a person's input.
 */
const setField = (el, value) => {
  const form = VALUE_FORMS[el.type];
  const before = el.value;
  el.value = value;
  const refused = el.type === 'color' ? el.value !== value.toLowerCase() : el.value === '' && value !== '';
  if (form !== undefined && refused) {
    el.value = before;
    fail('invalid_params', `a field of type ${el.type} takes ${form}, not ${isSecret(el) ? 'the value given' : quote(cut(value, 60))}`);
  }
};

/** Of the box that `fill` was called for, or of another that is in its place now. */
const check = ({ target, strict }) => {
  const isThere = filling?.target === target && isAttached(filling.el);
  const el = isThere ? filling.el : controlOf(meantBy({ target, strict }).el ?? noSuchElement(target));
  const checked = checkedOf(el);
  return checked === undefined ? fail('not_possible', `${sketch(el)} is neither a checkbox nor a radio button`) : { checked };
};
