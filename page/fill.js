// SPDX-License-Identifier: Apache-2.0
// Putting a value into a field, and looking at what the field has then.

const execCommand = method(Document, 'execCommand');

const textIn = (el, kind) => {
  switch (kind) {
    case 'contenteditable': return innerTextOf(el);
    case 'select': return selectValue(el);
    default: return el.value;
  }
};

const failStrayed = (el) => {
  const active = activeElement();
  fail('focus_moved', `the page moved the focus from ${sketch(el)}${active === null ? '' : ` to ${sketch(active)}`}; nothing was typed`);
};

/**
 * Types into what has the focus, in one go: no script of the page runs in between that could move it, but for listeners of
 * beforeinput, the only event of a person's typing that has to be made by hand.
 */
const typeInto = (el, text) => {
  const doc = ownerOf(el);
  const inputType = text === '' ? 'deleteContentBackward' : 'insertText';
  const before = new InputEvent('beforeinput', { inputType, data: text || null, bubbles: true, cancelable: true, composed: true });
  if (!dispatch(el, before)) {
    return;
  }
  if (!hasFocus(el)) {
    failStrayed(el);
  }
  if (text === '') {
    execCommand(doc, 'delete');
  } else {
    execCommand(doc, 'insertText', false, text);
  }
};

// {el, target, strict, kind, want, before, about, unsaid, heard}: the field that is being filled, how it was found, what it is, whether it will show
// something else than was given though that is what was meant (the option of a value), and whether the page has heard of it.
let filling = null;

const sameText = (kind, have, want) => have === want
  || (kind === 'contenteditable' ? squeeze(have) === squeeze(want) : have.toLowerCase() === want.toLowerCase() && kind === 'value')
  || (kind === 'text' && have === want.replace(/\r\n?/g, '\n'));

/** What is in the place of a field, without its content if that may be the secret that the field was given. */
const sketchPlace = (el, there) => (isSecret(el) || isSecret(there) ? `${sketchTag(there)} is in its place with another value`
  : `${sketch(there)} is in its place with ${quote(cut(squeezeSome(textIn(there, kindOf(there)), LINE_TEXT), 120))}`);

const failReplaced = (el, target, there) => {
  const has = there === null ? `${quote(cut(target, 120))} finds no field now` : sketchPlace(el, there);
  fail('element_stale', `the page removed ${sketch(el)} when it received the value; ${has}`);
};

/** What a field has. A secret is never shown. */
const stateOf = (el) => {
  const { kind, want, before } = filling;
  const now = textIn(el, kindOf(el));
  const same = sameText(kind, now, want);
  const taken = same || (now !== before && now !== '');
  return { same, taken, ...(filling.unsaid === true ? { unsaid: true } : {}), ...(isSecret(el) || filling.about.secret ? {} : { now: cut(squeezeSome(now, LINE_TEXT)) }) };
};

/** Until the page's own reactions are over. */
const reactions = async () => {
  for (let turns = 0; turns < 3; turns += 1) {
    await null;
  }
};

/** What the field has now, when the page's own reactions are over. */
const readBack = async () => {
  const { el: filledOne, target, strict, kind, want } = filling;
  await reactions();
  const el = fieldNow(filledOne, { target, strict });
  if (el !== filledOne && (el === null || !sameText(kind, textIn(el, kindOf(el)), want))) {
    failReplaced(filledOne, target, el);
  }
  const state = stateOf(el);
  const form = state.taken ? undefined : VALUE_FORMS[el.type];
  return { ...state, ...(form === undefined ? {} : { form }) };
};

/** Told before the page hears of it: a dialog that it then shows keeps everything else waiting. */
const onInput = (event) => {
  if (event.isTrusted) {
    isSecret(targetOf(event)); // a person may type it, and the page show it, before anybody looks
  }
  if (filling !== null && !filling.heard && targetOf(event) === filling.el) {
    filling.heard = true;
    tellDaemon('input', { ...filling.about, ...stateOf(filling.el) });
  }
};
guards.push(['input', onInput, { capture: true, passive: true }]);

const caretToEnd = (el) => {
  // The only way that works for numbers and addresses, too.
  viewOf(ownerOf(el)).getSelection().modify('move', 'forward', 'documentboundary');
};

/** Whether the field will find the text too short. A browser minds that only of what a person has typed, which a command of ours is not. */
const isTooShort = (el, text) => (el.minLength ?? -1) > text.replace(/\r\n?/g, '\n').length;

/**
 * Text: `keys` means that the daemon will type it key by key. It also types, though at once, what editors look for real events of, and what the
 * field is to refuse.
 */
const startTyping = (el, kind, text, about, { target, strict, clear, keys, strokes, secret }) => {
  const before = textIn(el, kind);
  const want = clear ? text : before + text;
  // Keys go to whatever has the focus, so what is only for this document never comes by them.
  const byDaemon = !secret && (keys || kind === 'contenteditable' || (text !== '' && isTooShort(el, want)));
  filling = { el, target, strict, kind, want, before, about, heard: byDaemon };
  if (clear) {
    selectContent(el, kind);
  } else {
    caretToEnd(el);
  }
  if (byDaemon) {
    aimAt(el, { typing: true, due: strokes, heard: 'input' });
    return false;
  }
  if (clear || text !== '') {
    typeInto(el, text);
  }
  return true;
};

const setInto = (el, kind, given, about, { target, strict }) => {
  const before = textIn(el, kind);
  const text = inForm(el, given);
  // What is wanted is known before the page hears of it: its handlers may choose another option. And the focus may have taken it away.
  const want = kind === 'select' ? optionLabel(optionFor(searchedOptions(el), text) ?? noOption(el, [text])) : text;
  const unsaid = kind === 'select' && want.toLowerCase() !== squeeze(text).toLowerCase();
  filling = { el, target, strict, kind, want, before, about, unsaid, heard: false };
  if (kind === 'select') {
    pickOptions(el, [text]);
  } else {
    setField(el, text);
    tell(el, 'input', 'change');
  }
};

const FILLED_BY_HAND = words('checkbox file none radio');

/** One attempt; {why} if the field is not ready. */
const fillNow = (el, kind, text, options) => {
  const why = whyNotFocusable(el, kind);
  if (why !== null) {
    return { why };
  }
  const about = { kind, ...introduce(el), secret: options.secret || isSecret(el), document: DOCUMENT_ID };
  if (FILLED_BY_HAND.has(kind)) {
    filling = { el, target: options.target, about, heard: true };
    return { ...about, checked: checkedOf(el) };
  }
  if (isReadOnly(el) && whatOpens(el) !== null) {
    return { why: `is read-only; click it instead: it opens ${whatOpens(el)}`, surely: true, code: 'wrong_element' };
  }
  if (kind === 'select' && optionFor(searchedOptions(el), text) === null) {
    return lacksOption(el, [text]);
  }
  seek(false);
  const began = performance.now();
  focusOn(el);
  if (!hasFocus(el)) {
    return { why: 'does not accept the focus' };
  }
  if (hasStalled(began)) {
    return { why: 'kept the page busy when it received the focus' };
  }
  if (isReadOnly(el)) { // after the focus: some pages make it writable then
    return { why: 'is read-only', code: 'wrong_element' };
  }
  if (options.watch) {
    watchChanges(el);
  }
  if (options.secret) {
    giveSecret(el);
  }
  if (kind === 'value' || kind === 'select') {
    setInto(el, kind, text, about, options);
  } else if (!startTyping(el, kind, text, about, options)) {
    return { ...about, typed: false, aim: aim.id };
  }
  return readBack().then(async (state) => ({ ...about, typed: true, ...state, ...await afterAct() }));
};

// A form is filled by one call a field, and between them the page may go to another site.
const DOCUMENT_ID = String(Math.random());

const fill = ({ value, clear = true, keys = false, strokes = 1, watch = false, secret = false, document: wanted = DOCUMENT_ID, ...options }) => {
  if (wanted !== DOCUMENT_ID) {
    fail('element_stale', 'the page moved to another document after the field before it was filled');
  }
  countRefs(options);
  forgetAim();
  filling = null;
  const text = String(value);
  return new Waiting(options).until((found) => {
    const el = fieldOf(found);
    return fillNow(el, kindOf(el), text, { ...options, clear, keys, strokes, watch, secret });
  });
};

/** Whether the field is there. What it is to get is only for its document, so the daemon looks first whose that is. */
const place = (options) => {
  countRefs(options);
  return new Waiting(options).until(() => ({ there: true }));
};

/** The same as `fill`; the daemon never repeats it in another document. */
const fillSecret = (options) => fill({ ...options, secret: true });

/** After the daemon has typed. */
const filled = async () => (filling === null ? {} : { ...await readBack(), ...await afterAct() });
