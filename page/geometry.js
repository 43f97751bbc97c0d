// SPDX-License-Identifier: Apache-2.0
// Where things are. Positions are given in the viewport of our own document; an element of a same-origin frame is
// moved by where the frame is, its borders and its transforms.


// No listener of the page can know this name.
const PROBE = `tabard-${crypto.randomUUID?.() ?? Math.random()}`;

/** A point of an element's viewport, counted from its padding edge: the browser works it out for events, through all transforms. */
const localPoint = (el, { x, y }) => {
  const probe = new PointerEvent(PROBE, { clientX: x, clientY: y, view: viewOf(ownerOf(el)) });
  dispatch(el, probe);
  return { x: probe.offsetX, y: probe.offsetY };
};

const STEP = 100;

/** How far to go from `at` so that the local point becomes `want`; null where the element has no area. */
const stepTo = (el, at, want) => {
  const here0 = localPoint(el, at);
  const right = localPoint(el, { x: at.x + STEP, y: at.y });
  const down = localPoint(el, { x: at.x, y: at.y + STEP });
  const [a, b, c, d] = [right.x - here0.x, down.x - here0.x, right.y - here0.y, down.y - here0.y].map((each) => each / STEP);
  const area = a * d - b * c;
  const x = want.x - here0.x;
  const y = want.y - here0.y;
  return Math.abs(area) < 1e-9 ? null : { x: (d * x - b * y) / area, y: (a * y - c * x) / area };
};

/** {left, top, zoom}: where the document inside a frame begins, and how much larger CSS zoom draws it; it knows nothing of that itself. */
const insetOf = (frame) => {
  const style = styleOf(frame);
  return { left: Number.parseFloat(style.paddingLeft), top: Number.parseFloat(style.paddingTop), zoom: frame.currentCSSZoom ?? 1 };
};

/** A point of the viewport that a frame is in, in the document inside. */
const intoFrame = (frame, at) => {
  const { x, y } = localPoint(frame, at);
  const { left, top, zoom } = insetOf(frame);
  return { x: x / zoom - left, y: y / zoom - top };
};

/** The reverse. One step does it, but for perspective. */
const outOf = (frame, { x, y }) => {
  const { left, top, zoom } = insetOf(frame);
  const want = { x: (x + left) * zoom, y: (y + top) * zoom };
  const box = boxOf(frame);
  const at = { x: box.left + box.width / 2, y: box.top + box.height / 2 };
  for (let tries = 0; tries < 5; tries += 1) {
    const step = stepTo(frame, at, want);
    if (step === null) {
      break;
    }
    at.x += step.x;
    at.y += step.y;
    if (Math.abs(step.x) + Math.abs(step.y) < 0.1) {
      break;
    }
  }
  return at;
};

/** The frames around an element, inner ones first, up to our own document. */
const framesAround = (el) => {
  const frames = [];
  for (let frame = frameElementOf(ownerOf(el)); frame !== null && frames.length < 100; frame = frameElementOf(ownerOf(frame))) {
    frames.push(frame);
  }
  return frames;
};

/** A point of an element's own viewport in ours. */
const toOurs = (el, point) => framesAround(el).reduce((at, frame) => outOf(frame, at), point);

const rounded = (number) => Math.round(number * 100) / 100;

/**
 * The first box of an element that has an area, in its own viewport; null if it has none. A link that breaks over two lines
 * has two boxes, and the middle of both together can lie outside them.
 */
const mainBox = (el) => firstWithArea(boxesOf(el)) ?? innerBoxOf(el);

/** For comparing with where it is at another time. */
const placeOf = (el) => {
  const { x, y, width, height } = boxOf(el);
  return `${x} ${y} ${width} ${height}`;
};

const viewportOf = (doc) => {
  const view = viewOf(doc);
  return { width: view.innerWidth, height: view.innerHeight };
};

const isInViewport = (doc, { x, y }) => {
  const { width, height } = viewportOf(doc);
  return x >= 0 && y >= 0 && x < width && y < height;
};
