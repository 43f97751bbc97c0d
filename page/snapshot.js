// SPDX-License-Identifier: Apache-2.0
// The snapshot as the daemon asks for it.

const DEFAULT_CHARS = 40_000;
const LEAST_CHARS = 200;

const isGiven = (value) => value !== undefined && value !== null && value !== '';

const snapshot = ({ target, depth, interactive = false, find, max_chars: maxChars, ...counting } = {}) => {
  countRefs(counting);
  const root = isGiven(target) ? findOne(target) : null;
  const walk = new Walk({ interactive, unfolded: root });
  if (root !== null) {
    walk.collect(root);
  } else {
    walk.collectDocument();
  }
  lastHosts = walk.hosts.found;
  rootsSeen = walk.roots.slice(0, ROOTS_SEEN);
  let { lines } = walk;
  const result = { url: location.href, title: cut(squeezeSome(titleOf(document), LINE_TEXT)), hosts: lastHosts.length };
  if (lines.length === 0 && !walk.cutShort) {
    allTold ||= root === null && !interactive;
    return { ...result, text: whyEmpty(root, interactive), frames: [], truncated: false, last: lastRef, ...(isGiven(find) ? { matches: 0 } : {}) };
  }
  if (isGiven(find)) {
    const { keep, count } = keepMatches(lines, String(find));
    result.matches = count;
    if (count === 0) {
      const text = `… none of ${lines.length} lines contains ${cut(squeeze(String(find)), 80)}`;
      return { ...result, text, frames: [], truncated: walk.cutShort, last: lastRef };
    }
    lines = lines.filter((_, at) => keep[at] === 1);
  }
  tellLinksApart(lines);
  if (depth > 0) {
    lines = foldDeep(lines, depth);
  }
  const part = isGiven(target) || isGiven(find) || interactive || depth > 0;
  const room = Math.max(LEAST_CHARS, Math.trunc(Number(maxChars)) || DEFAULT_CHARS);
  const printed = printLines(lines, room, walk.cutShort);
  allTold ||= !part && !printed.truncated;
  return { ...result, ...printed, last: lastRef };
};

const PARSE_MS = 1000;

/** Over, or given enough time: a page that has just been reached is often empty still, and complete within a moment. */
const parsed = () => new Promise((resolve) => {
  addListener(document, 'DOMContentLoaded', resolve, { once: true });
  pause(PARSE_MS).then(resolve);
});

const snapshotParsed = (options) => (readyStateOf(document) === 'loading' ? parsed().then(() => snapshot(options)) : snapshot(options));
