// SPDX-License-Identifier: Apache-2.0
// Which labels belong to a control, and where the text of a label is told.

const labelsInDocument = method(Document, 'getElementsByTagName');

// The labels of every control of a root. To ask a control for its labels makes the browser go through the whole document, so the
// labels are asked for their controls instead, once for all that is done without letting the page run.
let labelIndex = null;

const indexLabels = (root) => {
  const index = new Map();
  const labels = nodeTypeOf(root) === DOCUMENT ? labelsInDocument(root, 'label') : queryAll(root, 'label');
  for (let i = 0; i < labels.length && i < MAX_NODES; i += 1) {
    const control = labels[i].control ?? null;
    if (control !== null) {
      const known = index.get(control);
      if (known === undefined) {
        index.set(control, [labels[i]]);
      } else {
        known.push(labels[i]);
      }
    }
  }
  return index;
};

const NO_LABELS = Object.freeze([]);

/** The labels of a control, also of a custom element, in the order of the document. */
const labelsOf = (el) => {
  if (labelIndex === null) {
    labelIndex = new Map();
    queueMicrotask(() => {
      labelIndex = null;
      lastLabelled = null;
    });
  }
  const root = rootOf(el);
  let index = labelIndex.get(root);
  if (index === undefined) {
    index = indexLabels(root);
    labelIndex.set(root, index);
  }
  return index.size === 0 ? NO_LABELS : index.get(el) ?? NO_LABELS;
};

/** Whether a name says the text inside an element that has just got its name: its own, or (`said`) one further out. */
const isContentSaid = (el, role, name, said) => el !== lastLabelled && (said || (name !== '' && NAMED_BY_CONTENT.has(role)));

/** Whether the name around an element leaves it out: a label what it is for, an item of a tree the items below it. */
const isOutsideName = (el, role) => labelsOf(el).length > 0 || (role === 'group' && closest(el, '[role=treeitem]') !== null);

/** Whether the line of a control says what its label says. Where it does not, the label is shown as text. */
const isLabelSaid = (label, control) => {
  const tag = tagOf(control);
  const marked = isMarked(control);
  const role = roleOf(control, tag, marked);
  if (!isShown(control) || closest(control, '[aria-hidden=true],[inert]') !== null || (role === '' && !isActive(control, role, marked, false))) {
    return false;
  }
  return !marked || !matches(control, '[aria-label],[aria-labelledby]')
    || lineName(control, tag, role, marked).includes(squeeze(alternativeOf(label, { ...newGathering(control), skip: control })));
};
