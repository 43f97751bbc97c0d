// SPDX-License-Identifier: Apache-2.0
// Fields that the browser finds not valid. It then sends no form and shows a person a bubble, which is in no outline; all that a script can see
// are events.

const INVALID_TOLD = 3;
const INVALID_FIELDS = 100;

// The click that makes the browser send a form, and the fields that were called not valid, since the act began.
let sending = null; // {click, form}
let invalidFields = new Set();

/** Whether a click on it makes the browser send a form. */
const isSender = (el) => matches(el, 'button,input') && (el.type === 'submit' || el.type === 'image') && el.form !== null;

const FORM_EVENTS = {
  click(event) {
    const button = closest(event.composedPath()[0], 'button,input');
    if (button !== null && isSender(button)) {
      const checks = !hasAttr(button, 'formnovalidate') && !hasAttr(button.form, 'novalidate');
      sending = checks ? { click: event, form: button.form } : null;
    }
  },
  submit() {
    sending = null; // what the page does from here on is its own doing
  },
  invalid(event) {
    if (invalidFields.size < INVALID_FIELDS) {
      invalidFields.add(event.composedPath()[0]);
    }
  },
};

const onFormEvent = (event) => {
  if (event.isTrusted) {
    FORM_EVENTS[event.type](event);
  }
};

/** The events do not leave shadow roots. Listeners that are there already are not added again. */
const watchValidity = (roots) => {
  sending = null;
  invalidFields = new Set();
  for (const root of roots) {
    for (const type of Object.keys(FORM_EVENTS)) {
      addListener(root, type, onFormEvent, { capture: true, passive: true });
    }
  }
};

/**
 * {invalid: {unsent, fields: [{tag, role, name, message}], more}} of those that are still not valid, once. `unsent`: for this the browser has not
 * sent the form. Otherwise the page has asked, and pages ask for many reasons: then only of the field that has the focus.
 */
const validityReply = () => {
  if (invalidFields.size === 0) {
    return {};
  }
  const all = [...invalidFields].filter((el) => isAttached(el) && matches(el, ':invalid'));
  const kept = sending === null || sending.click.defaultPrevented ? [] : all.filter((el) => el.form === sending.form);
  const told = kept.length > 0 ? kept : all.filter(hasFocus);
  invalidFields = new Set();
  if (told.length === 0) {
    return {};
  }
  const fields = told.slice(0, INVALID_TOLD).map((el) => ({ ...introduce(el), message: cut(squeeze(String(el.validationMessage ?? ''))) }));
  return { invalid: { unsent: kept.length > 0, fields, more: told.length - fields.length } };
};
