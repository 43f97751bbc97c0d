// SPDX-License-Identifier: Apache-2.0
// Choosing in a select.

const OPTIONS_SEARCHED = 100_000;
const OPTIONS_TOLD = 20;

const searchedOptions = (el) => [...el.options].slice(0, OPTIONS_SEARCHED);

/** Of options that are called alike the one that is meant. What stands in several groups may be anything, unless it has the same value everywhere. */
const oneOf = (alike, want) => {
  const first = alike.find((option) => option.value === want) ?? alike[0];
  const groups = new Set(alike.map((option) => closest(option, 'optgroup')));
  if (first.value !== want && groups.size > 1 && alike.some((option) => option.value !== first.value)) {
    const places = alike.slice(0, OPTIONS_TOLD).map((option) => {
      const group = closest(option, 'optgroup');
      return `${group === null ? 'in no group' : `in ${quote(cut(squeezeSome(group.label, LINE_TEXT), 60))}`} (value ${quote(cut(option.value, 60))})`;
    });
    fail('wrong_value', `${sketch(closest(first, 'select'))} has several options ${quote(cut(optionLabel(first), 60))}: ${places.join(', ')}; give the value of the one you mean`);
  }
  return first;
};

/** The option that a person means: by label or text, which is what is shown of it, then by value; at last without regard to case. */
const optionFor = (options, want) => {
  const text = squeeze(want);
  const tests = [
    (option) => optionLabel(option) === text || squeezeSome(option.text, LINE_TEXT) === text,
    (option) => option.value === want,
    (option) => optionLabel(option).toLowerCase() === text.toLowerCase(),
  ];
  for (const test of tests) {
    const alike = options.filter(test);
    if (alike.length > 0) {
      return oneOf(alike, want);
    }
  }
  return null;
};

/** Whether an option is the one that was chosen. One that the page has made since may be it with another label or another value, of one that was there both count. */
const isChosen = (option, { options, chosen }) => {
  const label = optionLabel(option);
  const alike = chosen.filter((each) => each.label === label || each.value === option.value);
  return alike.some((each) => each.label === label && each.value === option.value) || (alike.length > 0 && !options.includes(option));
};

/** Whether these are what was chosen, no more and no less. */
const areChosen = (now, choice) => {
  const given = new Set(choice.chosen.map((each) => each.option));
  const others = now.filter((option) => !given.has(option));
  return now.length === given.size && others.every((option) => isChosen(option, choice));
};

/** What is chosen in it when the page's own reactions are over, or in the select that it was replaced by. */
const chosenIn = async (el, choice, options) => {
  await reactions();
  const there = fieldNow(el, options);
  if (there === null || tagOf(there) !== 'select') {
    return failReplaced(el, options.target, there);
  }
  const now = [...there.selectedOptions];
  const secret = isSecret(el) || isSecret(there);
  const selected = now.slice(0, MAX_MATCHES).map((option) => (secret ? HIDDEN_VALUE : optionLabel(option)));
  if (!areChosen(now, choice)) {
    const told = selected.slice(0, OPTIONS_TOLD).map((label) => quote(cut(label, 60))).join(', ');
    const more = now.length > OPTIONS_TOLD ? ` and ${now.length - OPTIONS_TOLD} more` : '';
    fail('wrong_value', `${sketch(there)} did not accept the choice${secret ? '' : `; it now has ${told || 'nothing'}${more} selected`}`);
  }
  return { selected, ...introduce(there) };
};

/** Chooses exactly these and gives the choice, as it was before the page heard of it; null if one is not there. `onChosen` is called before that. */
const pickOptions = (el, values, onChosen = () => {}) => {
  const options = searchedOptions(el);
  const chosen = values.map((value) => optionFor(options, value));
  if (chosen.includes(null)) {
    return null;
  }
  const disabled = chosen.find((option) => matches(option, ':disabled'));
  if (disabled !== undefined) {
    return fail('wrong_value', `option ${quote(optionLabel(disabled))} is disabled`);
  }
  if (chosen.length > 1 && !el.multiple) {
    return fail('invalid_params', `${sketch(el)} takes one value, not ${chosen.length}`);
  }
  if (chosen.length === 0 && !el.multiple && el.size <= 1) {
    return fail('invalid_params', `${sketch(el)} always has one option selected, so values must name one`);
  }
  if (el.multiple || chosen.length === 0) {
    for (const option of options) {
      option.selected = chosen.includes(option);
    }
  } else {
    chosen[0].selected = true;
  }
  const choice = { options, chosen: chosen.map((option) => ({ option, label: optionLabel(option), value: option.value })) };
  onChosen();
  tell(el, 'input', 'change');
  return choice;
};

/** Whether there is anything to choose yet: many pages load the options, and say so in the first. */
const isStocked = (el) => el.options.length > 1 || (el.options.length === 1 && el.options[0].value !== '' && !el.options[0].disabled);

const noOption = (el, values, waited = '') => {
  const options = searchedOptions(el);
  const missing = values.filter((value) => optionFor(options, value) === null);
  const there = options.slice(0, OPTIONS_TOLD).map((option) => quote(cut(optionLabel(option), 60))).join(', ');
  const more = el.options.length > OPTIONS_TOLD ? ` and ${el.options.length - OPTIONS_TOLD} more` : '';
  const among = el.options.length > options.length ? ` among its first ${options.length}` : '';
  const wanted = missing.map((value) => quote(cut(value, 60))).join(', ');
  return fail('wrong_value', `${sketch(el)} has no option ${wanted}${among}; it has ${there || 'none'}${more}${waited}`);
};

/** {why}, for the caller's next attempt. */
const lacksOption = (el, values) => ({
  why: 'has no such option', surely: isStocked(el), giveUp: (waited) => noOption(el, values, waited),
});

const select = ({ values, watch: watches = false, ...options }) => {
  countRefs(options);
  const wanted = (Array.isArray(values) ? values : [values]).map(String);
  return new Waiting(options).until((found) => {
    const el = fieldOf(found);
    if (/^(text|value|contenteditable)$/.test(kindOf(el))) {
      return fail('takes_text', `${sketch(el)} takes text; it is not a select`);
    }
    if (tagOf(el) !== 'select') {
      return fail('not_possible', `${sketch(el)} is not a select; click it, then click the option`);
    }
    const why = isVisible(el) ? whyDisabled(el) : whyHidden(el);
    if (why !== null) {
      return { why };
    }
    if (watches) {
      watchChanges(el);
    }
    seek(false);
    const choice = pickOptions(el, wanted, tellDone);
    return choice === null ? lacksOption(el, wanted) : chosenIn(el, choice, options);
  });
};
