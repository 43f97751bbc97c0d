// SPDX-License-Identifier: Apache-2.0
// The states and the value of an element, as a snapshot shows them.

const CHECK_ROLES = words('checkbox menuitemcheckbox menuitemradio radio switch');
const FIELD_ROLES = words('checkbox combobox listbox radio radiogroup searchbox slider spinbutton switch textbox');
const FORM_TAGS = words('button fieldset input optgroup option select textarea');
// Types of input whose role does not tell what they take.
const TYPES_TO_TELL = words('color date datetime-local email file month password tel time url week');

// Without aria attributes these have no states.
const UNMARKED_STATELESS = words('a article li main nav ol section table td tr ul');

const isTrue = (el, name) => attr(el, name) === 'true';

/** Disabled by itself or by a fieldset around it. */
const isDisabled = (el, tag = tagOf(el)) => (FORM_TAGS.has(tag) && matches(el, ':disabled')) || isTrue(el, 'aria-disabled');

/** true, false or 'mixed'; undefined if it cannot be checked. */
const checkedOf = (el, tag = tagOf(el), role = roleOf(el, tag)) => {
  if (tag === 'input' && (el.type === 'checkbox' || el.type === 'radio')) {
    return el.indeterminate ? 'mixed' : el.checked;
  }
  if (!CHECK_ROLES.has(role)) {
    return undefined;
  }
  const value = attr(el, 'aria-checked');
  return value === 'mixed' ? value : value === 'true';
};

const expandedOf = (el, tag) => {
  if (tag === 'summary') {
    const details = parentElementOf(el);
    return details !== null && localNameOf(details) === 'details' ? hasAttr(details, 'open') : null;
  }
  const value = attr(el, 'aria-expanded');
  return value === null ? null : value === 'true';
};

const levelOf = (el, tag) => Number.parseInt(attr(el, 'aria-level') ?? /^h([1-6])$/.exec(tag)?.[1] ?? '', 10) || 2;

const fieldStates = (el, tag, into) => {
  const native = tag === 'input' || tag === 'textarea' || tag === 'select';
  if (tag === 'input' && TYPES_TO_TELL.has(el.type)) {
    into.push(el.type);
  }
  if ((native && el.required) || isTrue(el, 'aria-required')) {
    into.push('required');
  }
  if ((attr(el, 'aria-invalid') ?? 'false') !== 'false' || (native && matches(el, ':user-invalid'))) {
    into.push('invalid');
  }
  if ((native && el.readOnly) || isTrue(el, 'aria-readonly')) {
    into.push('readonly');
  }
};

const widgetStates = (el, tag, role, into) => {
  const checked = checkedOf(el, tag, role);
  if (checked) {
    into.push(checked === 'mixed' ? 'checked=mixed' : 'checked');
  }
  const pressed = attr(el, 'aria-pressed');
  if (pressed === 'true' || pressed === 'mixed') {
    into.push(pressed === 'true' ? 'pressed' : 'pressed=mixed');
  }
  if (tag === 'option' ? el.selected : isTrue(el, 'aria-selected')) {
    into.push('selected');
  }
  const current = attr(el, 'aria-current');
  if (current !== null && current !== '' && current !== 'false') {
    into.push('current');
  }
  const expanded = expandedOf(el, tag);
  if (expanded !== null) {
    into.push(expanded ? 'expanded' : 'collapsed');
  }
  if (FIELD_ROLES.has(role) || tag === 'input') {
    fieldStates(el, tag, into);
  }
};

/** The names of the states that hold. */
const statesOf = (el, tag, role, marked = true) => {
  const states = [];
  if (!marked && UNMARKED_STATELESS.has(tag)) {
    return states;
  }
  if (role === 'heading') {
    states.push(`level=${levelOf(el, tag)}`);
  } else if (tag === 'dialog' && matches(el, ':modal')) {
    states.push('modal');
  } else if (ACTIVE_ROLES.has(role) || hasAttr(el, 'role')) {
    widgetStates(el, tag, role, states);
  }
  if (isDisabled(el, tag)) {
    states.push('disabled');
  }
  return states;
};

const optionLabel = (option) => squeezeSome(option.label, LINE_TEXT);

const selectValue = (el) => [...el.selectedOptions].slice(0, 20).map(optionLabel).join(', ');

// What a field is for, by its autocomplete, if nobody is to read over one's shoulder.
const SECRET_DETAILS = words(`cc-csc cc-exp cc-exp-month cc-exp-year cc-number current-password new-password one-time-code`);

// A page may show a password by making its field another: what was one when we looked stays one. With what it held then.
const passwords = new WeakMap();

// Or by putting another field there: what such fields held is known again. Less than this may be anything.
const SECRET_LENGTH = 4;
const SECRETS_KEPT = 20;
const secrets = new Set();

const noteSecret = (el) => {
  const { value } = el;
  const before = passwords.get(el) ?? '';
  if (el.type === 'password' || passwords.has(el)) {
    passwords.set(el, value);
  }
  if (value.length < SECRET_LENGTH) {
    return;
  }
  if (before !== '' && value.startsWith(before)) {
    secrets.delete(before); // it is being typed
  }
  secrets.delete(value);
  secrets.add(value);
  if (secrets.size > SECRETS_KEPT) {
    secrets.delete(secrets.values().next().value);
  }
};

const isForSecret = (el) => {
  const details = attr(el, 'autocomplete');
  return details !== null && details.slice(0, 200).toLowerCase().split(/\s+/).some((word) => SECRET_DETAILS.has(word));
};

/** Whether what a field holds is not to be told. */
const isSecret = (el) => {
  const tag = tagOf(el);
  if (tag === 'select') {
    return isForSecret(el);
  }
  if (tag !== 'input' && tag !== 'textarea') {
    return false;
  }
  if (el.type === 'password' || passwords.has(el) || isForSecret(el)) {
    noteSecret(el);
    return true;
  }
  return secrets.size > 0 && secrets.has(el.value);
};

const HIDDEN_VALUE = '•••';

const veiled = (el, value) => (isSecret(el) && value !== '' ? HIDDEN_VALUE : value);

const inputValue = (el) => {
  switch (el.type) {
    case 'file': return [...el.files].slice(0, 20).map((file) => file.name).join(', ');
    case 'button': case 'checkbox': case 'image': case 'radio': case 'reset': case 'submit': case 'hidden': return '';
    default: return veiled(el, el.value);
  }
};

/** What a field holds, as one line; '' for what holds nothing. A secret shows only that there is one. */
const valueOf = (el, tag, role) => {
  switch (tag) {
    case 'input': return squeezeSome(inputValue(el), LINE_TEXT);
    case 'textarea': return squeezeSome(veiled(el, el.value), LINE_TEXT);
    case 'select': return squeezeSome(veiled(el, selectValue(el)), LINE_TEXT);
    case 'progress': return el.position < 0 ? '' : `${Math.round(el.position * 100)}%`;
    case 'meter': return String(el.value);
    default: break;
  }
  if (role === 'slider' || role === 'spinbutton' || role === 'progressbar' || role === 'meter' || role === 'scrollbar') {
    return squeezeSome(attr(el, 'aria-valuetext') ?? attr(el, 'aria-valuenow') ?? '', LINE_TEXT);
  }
  return '';
};
