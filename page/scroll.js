// SPDX-License-Identifier: Apache-2.0
// Scrolling the page or a part of it.

const scrollingElementOf = getter(Document, 'scrollingElement');
const scrollBy = method(Element, 'scrollBy');
const scrollTo = method(Element, 'scrollTo');
const scrollLeftOf = getter(Element, 'scrollLeft');
const scrollTopOf = getter(Element, 'scrollTop');
const scrollWidthOf = getter(Element, 'scrollWidth');
const scrollHeightOf = getter(Element, 'scrollHeight');
const clientWidthOf = getter(Element, 'clientWidth');
const clientHeightOf = getter(Element, 'clientHeight');

const DEFAULT_PIXELS = 500;
const DIRECTIONS = { up: [0, -1], down: [0, 1], left: [-1, 0], right: [1, 0] };
Object.setPrototypeOf(DIRECTIONS, null);

/** Whether there is more of it than fits, and its style lets it scroll. */
const canScroll = (el) => {
  if (scrollHeightOf(el) <= clientHeightOf(el) && scrollWidthOf(el) <= clientWidthOf(el)) {
    return false;
  }
  const { overflowX, overflowY } = styleOf(el);
  return /auto|scroll/.test(overflowX + overflowY);
};

const pageScroller = (doc) => scrollingElementOf(doc) ?? rootElementOf(doc);

/** What scrolls when one turns the wheel over `el`. */
const scrollerOf = (el) => {
  for (let up = el, steps = 0; up !== null && steps < 1000; up = parentElementOf(up), steps += 1) {
    if (canScroll(up)) {
      return up;
    }
  }
  return pageScroller(ownerOf(el));
};

/** What scrolls when one turns the wheel over the page: many applications keep the page still and scroll a part of it. */
const mainScroller = () => {
  const page = pageScroller(document);
  if (scrollHeightOf(page) > clientHeightOf(page) || scrollWidthOf(page) > clientWidthOf(page)) {
    return page;
  }
  const { width, height } = viewportOf(document);
  const middle = elementAt(document, { x: width / 2, y: height / 2 });
  return middle === null ? page : scrollerOf(middle);
};

const scrollEnd = (el, to) => {
  if (to !== 'top' && to !== 'bottom') {
    fail('invalid_params', 'to must be top or bottom');
  }
  scrollTo(el, { top: to === 'top' ? 0 : scrollHeightOf(el), behavior: 'instant' });
};

const scrollSome = (el, direction, pixels) => {
  const way = DIRECTIONS[direction] ?? fail('invalid_params', 'direction must be up, down, left or right');
  const far = Number(pixels ?? DEFAULT_PIXELS) || 0;
  scrollBy(el, { left: way[0] * far, top: way[1] * far, behavior: 'instant' });
};

const scroll = ({ target, direction, pixels, to } = {}) => {
  const el = isGiven(target) ? findOne(target) : null;
  const scroller = el === null ? mainScroller() : scrollerOf(el);
  if (isGiven(to)) {
    scrollEnd(scroller, to);
  } else if (el !== null && !isGiven(direction) && !isGiven(pixels)) {
    scrollIntoView(el, { block: 'center', inline: 'nearest', behavior: 'instant' });
  } else {
    scrollSome(scroller, direction ?? 'down', pixels);
  }
  const y = scrollTopOf(scroller);
  return {
    x: rounded(scrollLeftOf(scroller)),
    y: rounded(y),
    atTop: y <= 0,
    atBottom: y + clientHeightOf(scroller) >= scrollHeightOf(scroller) - 1,
    ...(el === null ? {} : introduce(el)),
  };
};
