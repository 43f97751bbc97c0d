// SPDX-License-Identifier: Apache-2.0
// What a click at a point would hit.

/** The innermost element at a point of a document's viewport, inside shadow roots as well; null: nothing. */
const elementAt = (doc, { x, y }) => {
  let hit = inDocument.atPoint(doc, x, y);
  for (let steps = 0; hit !== null && steps < 100; steps += 1) {
    const shadow = shadowOf(hit);
    const inner = shadow === null ? null : inShadow.atPoint(shadow, x, y);
    if (inner === null || inner === hit) {
      break;
    }
    hit = inner;
  }
  return hit;
};

const OTHER_DOCUMENTS = words('embed fencedframe frame iframe object');

/**
 * Whether what is clicked at `hit` is another document that lies in or over `el`, and is not what `el` itself shows. What is there only to hold a
 * frame is clicked for the frame.
 */
const isForeign = (hit, el) => hit !== el && (ownerOf(hit) !== ownerOf(el) || OTHER_DOCUMENTS.has(tagOf(hit))) && !OTHER_DOCUMENTS.has(tagOf(el))
  && (!holds(el, hit) || matches(el, CLICKABLE) || ACTIVE_ROLES.has(roleOf(el)));

// What keeps its clicks for itself inside a label.
const NOT_FOR_LABEL = 'a[href],button,input,select,summary,textarea,[role=button],[role=link]';

/** Whether a click on `hit` inside a label is one on what the label is for. */
const actsByLabel = (hit, label) => {
  const inner = label.control === null ? null : closest(hit, NOT_FOR_LABEL);
  return inner === null || inner === label.control || !holds(label, inner);
};

/** Whether a click on `hit` does what a click on `el` would. */
const standsFor = (hit, el) => {
  if (isForeign(hit, el)) {
    return false;
  }
  if (holds(el, hit)) {
    return tagOf(el) !== 'label' || actsByLabel(hit, el);
  }
  const label = closest(hit, 'label');
  if (label !== null && label.control === el) {
    return actsByLabel(hit, label);
  }
  const around = closest(el, CLICKABLE);
  if (around === null || around !== closest(hit, CLICKABLE)) {
    return false;
  }
  // Another part of the same button: as good, unless the target is something to act on in its own right.
  return el !== around && matches(around, ONE_THING) && !ACTIVE_ROLES.has(roleOf(el));
};

/** The outermost element around `hit` that does not hold `el`: the banner rather than a word in it. */
const coverOf = (hit, el) => {
  let cover = hit;
  for (let steps = 0; steps < 100; steps += 1) {
    const up = parentElementOf(cover);
    if (up === null) {
      return hit; // `el` has left the page
    }
    if (holds(up, el)) {
      break;
    }
    cover = up;
  }
  return cover;
};

/** An element in a message, without its content: `<div id="banner" class="top">`. */
const sketchTag = (el) => {
  const parts = ['id', 'class', 'type', 'role'].map((name) => [name, attr(el, name)]).filter(([, value]) => value)
    .map(([name, value]) => ` ${name}=${quote(cut(squeezeSome(value, 40), 40))}`).join('');
  return `<${tagWord(localNameOf(el))}${parts}>`;
};

/** The same with it: `<div id="banner" class="top"> "Cookies"`. */
const sketch = (el) => {
  const words60 = /^(?:html|body)$/.test(localNameOf(el)) ? '' : cut(nameOf(el) || contentText(el), 60);
  return words60 === '' ? sketchTag(el) : `${sketchTag(el)} ${quote(words60)}`;
};

/** What is in the way of a click at a point of the element's own viewport, where `hit` is innermost; null: nothing. */
const obstacleAt = (el, point, hit = elementAt(ownerOf(el), point)) => {
  if (hit === null || !standsFor(hit, el)) {
    return { hit };
  }
  // Each frame around it must itself be what lies at that point.
  let at = point;
  for (const frame of framesAround(el)) {
    at = outOf(frame, at);
    const outer = elementAt(ownerOf(frame), at);
    if (outer !== frame) {
      return { hit: outer };
    }
  }
  return null;
};
