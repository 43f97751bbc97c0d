// SPDX-License-Identifier: Apache-2.0
// Where things are. Positions are given in the viewport of our own document; an element of a same-origin frame is
// moved by where the frame is, its borders and its scale.

const clientLeftOf = getter(Element, 'clientLeft');
const clientTopOf = getter(Element, 'clientTop');
const offsetWidthOf = getter(HTMLElement, 'offsetWidth');
const offsetHeightOf = getter(HTMLElement, 'offsetHeight');

/** The content box of an iframe in the viewport of the document that it is in, and its scale. */
const contentBox = (frame) => {
  const box = boxOf(frame);
  const style = styleOf(frame);
  const scaleX = box.width / offsetWidthOf(frame) || 1;
  const scaleY = box.height / offsetHeightOf(frame) || 1;
  const left = clientLeftOf(frame) + Number.parseFloat(style.paddingLeft);
  const top = clientTopOf(frame) + Number.parseFloat(style.paddingTop);
  const right = Number.parseFloat(style.borderRightWidth) + Number.parseFloat(style.paddingRight);
  const bottom = Number.parseFloat(style.borderBottomWidth) + Number.parseFloat(style.paddingBottom);
  return {
    x: box.left + left * scaleX,
    y: box.top + top * scaleY,
    width: box.width - (left + right) * scaleX,
    height: box.height - (top + bottom) * scaleY,
    scaleX,
    scaleY,
  };
};

/** A point of a document's viewport, one frame further out. */
const outOf = (frame, { x, y }) => {
  const box = contentBox(frame);
  return { x: box.x + x * box.scaleX, y: box.y + y * box.scaleY };
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
const mainBox = (el) => {
  const boxes = boxesOf(el);
  for (let i = 0; i < boxes.length && i < 100; i += 1) {
    if (boxes[i].width > 0 && boxes[i].height > 0) {
      return boxes[i];
    }
  }
  for (let child = firstElementOf(el), n = 0; child !== null && n < 20; child = nextElementOf(child), n += 1) {
    const box = boxOf(child);
    if (box.width > 0 && box.height > 0) {
      return box;
    }
  }
  return null;
};

const viewportOf = (doc) => {
  const view = viewOf(doc);
  return { width: view.innerWidth, height: view.innerHeight };
};

const isInViewport = (doc, { x, y }) => {
  const { width, height } = viewportOf(doc);
  return x >= 0 && y >= 0 && x < width && y < height;
};

/** Where input for a frame that we cannot enter has to go. */
const frameRect = ({ target }) => {
  const frame = findOne(target);
  const box = contentBox(frame);
  const { x, y } = toOurs(frame, box);
  return { x: rounded(x), y: rounded(y), width: rounded(box.width), height: rounded(box.height) };
};
