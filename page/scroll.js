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

const pageScroller = (doc) => scrollingElementOf(doc) ?? rootElementOf(doc);

/** A page scrolls unless its root, or where that says nothing its body, holds it still. */
const overflowOf = (el, property) => {
  const doc = ownerOf(el);
  if (el !== pageScroller(doc)) {
    return styleOf(el)[property];
  }
  const said = [rootElementOf(doc), bodyOf(doc) ?? el].map((each) => styleOf(each)[property]);
  return said.find((overflow) => overflow !== 'visible') ?? 'auto';
};

const AXES = {
  x: { whole: scrollWidthOf, part: clientWidthOf, property: 'overflowX' },
  y: { whole: scrollHeightOf, part: clientHeightOf, property: 'overflowY' },
};

/** Whether there is more of it along an axis than fits, and its style lets it scroll. */
const canScroll = (el, axis) => {
  const { whole, part, property } = AXES[axis];
  return whole(el) > part(el) && /auto|scroll/.test(overflowOf(el, property));
};

/** What scrolls when one turns the wheel over `el`. */
const scrollerOf = (el, axis) => {
  for (let up = el, steps = 0; up !== null && steps < 1000; up = parentElementOf(up), steps += 1) {
    if (canScroll(up, axis)) {
      return up;
    }
  }
  return pageScroller(ownerOf(el));
};

/** What scrolls when one turns the wheel over the page: many applications keep the page still and scroll a part of it. */
const mainScroller = (axis) => {
  const page = pageScroller(document);
  if (canScroll(page, axis)) {
    return page;
  }
  const { width, height } = viewportOf(document);
  const middle = elementAt(document, { x: width / 2, y: height / 2 });
  return middle === null ? page : scrollerOf(middle, axis);
};

const scrollEnd = (el, to) => {
  if (to !== 'top' && to !== 'bottom') {
    fail('invalid_params', 'to must be top or bottom');
  }
  scrollTo(el, { top: to === 'top' ? -scrollHeightOf(el) : scrollHeightOf(el), behavior: 'instant' });
};

const scrollSome = (el, direction, pixels) => {
  const way = DIRECTIONS[direction] ?? fail('invalid_params', 'direction must be up, down, left or right');
  const far = Number(pixels ?? DEFAULT_PIXELS) || 0;
  scrollBy(el, { left: way[0] * far, top: way[1] * far, behavior: 'instant' });
};

/** What a person would say was scrolled: a part of the page, or a frame; null: the page. */
const whatScrolls = (scroller) => {
  const doc = ownerOf(scroller);
  return scroller === pageScroller(doc) ? frameElementOf(doc) : scroller;
};

/** Whether it grows upwards from its end, as conversations do: then its end is at 0, and all that is above it below 0. */
const growsUp = (scroller, y) => y < 0 || (y === 0 && styleOf(scroller).flexDirection === 'column-reverse' && /flex/.test(styleOf(scroller).display));

const positionOf = (scroller) => {
  const y = scrollTopOf(scroller);
  const range = scrollHeightOf(scroller) - clientHeightOf(scroller);
  const above = growsUp(scroller, y) ? range + y : y;
  return { x: rounded(scrollLeftOf(scroller)), y: rounded(y), atTop: above < 1, atBottom: above >= range - 1 };
};

const scrollNow = (el, scroller, { direction, pixels, to }) => {
  if (isGiven(to)) {
    scrollEnd(scroller, to);
  } else if (el !== null && !isGiven(direction) && !isGiven(pixels)) {
    scrollIntoView(el, { block: 'center', inline: 'nearest', behavior: 'instant' });
    return { ...positionOf(scroller), intoView: true, ...introduce(el) };
  } else {
    scrollSome(scroller, direction ?? 'down', pixels);
  }
  const scrolled = whatScrolls(scroller);
  return { ...positionOf(scroller), ...(scrolled === null ? {} : introduce(scrolled)) };
};

const noteBottom = (scroller, { atBottom }) => {
  watch.scrolled = atBottom ? { el: scroller, height: scrollHeightOf(scroller) } : null;
};

/**
 * Behind the next frame and what the page's observers are told of it, which may come late: one of our own is told together with them.
 * True when a frame was drawn.
 */
const afterIntersections = async () => {
  const root = rootElementOf(document);
  if (root === null) {
    return afterFrame();
  }
  let observer = null;
  const seen = new Promise((resolve) => { observer = new IntersectionObserver(() => resolve(true)); });
  observer.observe(root);
  const wasDrawn = await Promise.race([seen, pause(100).then(() => false)]);
  observer.disconnect();
  await pause(0); // the others may be told behind it
  return wasDrawn;
};

/** Whether more comes of what is at its end already, for as long as the page may be busy with what was done last. */
const hasMore = async (watched) => {
  const deadline = performance.now() + AFTER_ACT_MS;
  const changes = new Changes();
  while (!watched.hasGrown() && mayStillChange() && performance.now() < deadline) {
    await changes.next(deadline);
  }
  changes.stop();
  const more = watched.hasGrown();
  if (more) {
    await afterIntersections(); // as below
  }
  return more;
};

const UNDRAWN_LATE = 10; // waits for a frame of a tab that is shown: a busy machine draws it late

/** When so many frames are drawn, or it is enough. */
const afterFrames = async (count, isEnough = () => false) => {
  const patience = visibilityOf(document) === 'visible' ? UNDRAWN_LATE : UNDRAWN_ENOUGH;
  for (let drawn = 0, undrawn = 0; drawn < count && undrawn < patience && !isEnough();) {
    const wasDrawn = await afterIntersections();
    drawn += wasDrawn ? 1 : 0;
    undrawn = wasDrawn ? 0 : undrawn + 1;
  }
};

const END_FRAMES = 2;

/** Pages hear of a scroll with the next frame, and of what has come into view behind it. At an end they have more to do: they ask for more. */
const afterScroll = async ({ atTop, atBottom }, watched) => {
  lastActAt = performance.now();
  await afterFrames(atTop || atBottom ? END_FRAMES : 1, () => watched.hasGrown());
  if (watched.hasGrown()) {
    await afterIntersections(); // before the page has seen it grow, it would take the next scroll for none
  }
};

/** Where it is in the end: pages scroll back, or further. At an end that has moved on meanwhile, `grown` says the rest. */
const positionAfter = (scroller, { x, y, atTop, atBottom }) => {
  const now = isAttached(scroller) ? positionOf(scroller) : { x, y, atTop, atBottom };
  return now.x === x && now.y === y ? { x, y, atTop, atBottom } : now;
};

/** The same with what `here` tells, when the page has had the time to react to it. Meanwhile it may be given up, or another act begin. */
const scrollWatched = async (el, scroller, options, ours) => {
  const place = () => `${scrollLeftOf(scroller)} ${scrollTopOf(scroller)} ${el === null ? '' : placeOf(el)}`;
  const before = place();
  const watched = watch;
  const isOver = () => ours !== turn || watched !== watch;
  let reply = scrollNow(el, scroller, options);
  tellDone();
  noteBottom(scroller, reply);
  const wantsMore = options.to === 'bottom' || (!isGiven(options.to) && !reply.intoView && (options.direction ?? 'down') === 'down');
  if (place() === before && wantsMore && reply.atBottom && await hasMore(watched) && !isOver() && isAttached(scroller)) {
    reply = scrollNow(el, scroller, options);
    noteBottom(scroller, reply);
  }
  if (place() !== before && !isOver()) {
    await afterScroll(reply, watched);
  }
  return isOver() ? { ...reply, ...here() } : { ...reply, ...positionAfter(scroller, reply), ...outcome() };
};

/**
 * What a person scrolls was drawn before: a page that has not seen its list grow takes the scroll to its new end for none. A page that shows a dialog
 * meanwhile may go on when nobody waits any more.
 */
const untilDrawn = async (ours, watches) => {
  const began = performance.now();
  const late = cameLate();
  if (watches && mayStillChange()) {
    await afterFrames(1);
  }
  if ((late || hasStalled(began)) && !await isWaitedFor(performance.now() + DEFAULT_WAIT_MS)) {
    forNobody();
  }
  if (ours !== turn) {
    forNobody();
  }
  seek(false);
};

const scroll = async ({ target, watch: watches = false, direction, pixels, to, ...counting } = {}) => {
  countRefs(counting);
  forgetAim();
  const ours = beginTurn();
  if (watches) {
    watchChanges(); // what changes until it is drawn is told as well: no other reply would tell it
  }
  await untilDrawn(ours, watches);
  // Not before: the page may have put another element in its place.
  const el = isGiven(target) ? findOne(target) : null;
  const axis = direction === 'left' || direction === 'right' ? 'x' : 'y';
  const scroller = el === null ? mainScroller(axis) : scrollerOf(el, axis);
  const options = { direction, pixels, to };
  if (watches) {
    watch.lookout.observe(watch.mind(el));
    return scrollWatched(el, scroller, options, ours);
  }
  const reply = scrollNow(el, scroller, options);
  tellDone();
  return reply;
};
