// SPDX-License-Identifier: Apache-2.0
// What the daemon keeps of a page, so that it can be brought back in another browser.

/**
 * As text, because keys and values may hold halves of surrogate pairs, and these go through no other JSON.
 * A page without storage (sandboxed, about:blank) throws when it is asked for.
 */
const entriesOf = (name) => {
  try {
    const area = globalThis[name];
    // By number: keys that are called as one of its methods are no properties.
    return JSON.stringify(Array.from({ length: area.length }, (_, at) => [area.key(at), area.getItem(area.key(at))]));
  } catch {
    return '[]';
  }
};

const countDatabases = async () => {
  if (self.origin === 'null') {
    return 0; // it has none, and to ask would be an error in its console
  }
  try {
    return (await indexedDB.databases()).length;
  } catch {
    return 0;
  }
};

const FIELD_LIMIT = 10000;

/** The value that the page gave it. A range or a colour makes one up from its other attributes, so a new one is asked. */
const givenValue = (el) => {
  if (!/^(range|color)$/.test(el.type)) {
    return el.defaultValue;
  }
  const fresh = createElement(document, HTML, 'input');
  for (const name of ['type', 'min', 'max', 'step', 'value'].filter((each) => hasAttr(el, each))) {
    fresh.setAttribute(name, attr(el, name));
  }
  return fresh.value;
};

// Nobody but the page knows what an editor held at first, so it counts once a person's input has come to it.
const edited = new WeakSet();
guards.push(['beforeinput', (event) => {
  if (event.isTrusted) {
    edited.add(targetOf(event));
  }
}, { capture: true, passive: true }]);

/** Whether a field is not as the page gave it. */
const isTypedInto = (el) => {
  if (isEditableHost(el)) {
    return edited.has(el);
  }
  if (tagOf(el) === 'select') {
    return !el.multiple && el.selectedIndex !== Math.max(0, Array.from(el.options).findIndex((option) => option.defaultSelected));
  }
  return /^(checkbox|radio)$/.test(el.type) ? el.checked !== el.defaultChecked
    : el.type !== 'hidden' && el.value !== givenValue(el);
};

const countTyped = () => {
  let typed = 0;
  let seen = 0;
  for (const el of findByCss('input,textarea,select,[contenteditable]')) {
    typed += isTypedInto(el) ? 1 : 0;
    seen += 1;
    if (seen === FIELD_LIMIT) {
      break;
    }
  }
  return typed;
};

/** Values of fields are only counted: what is typed is often secret, and the page would not know of it. */
const kept = async () => ({
  url: location.href,
  origin: self.origin, // that of a sandboxed page is "null", whatever its address
  scroll: [Math.round(scrollX), Math.round(scrollY)],
  local: entriesOf('localStorage'),
  session: entriesOf('sessionStorage'),
  typed: countTyped(),
  databases: await countDatabases(),
  history: history.length,
});

/** What cannot be asked for any more once the tab shows another site. */
const keptSite = () => ({ origin: self.origin, local: entriesOf('localStorage') });
