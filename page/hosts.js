// SPDX-License-Identifier: Apache-2.0
// Closed shadow roots. No script can see them, but the daemon can ask the browser about an element: snapshot() counts those
// that may have one, hosts() gives them, and adopt() takes what the browser said.

const HOST_LIMIT = 200;
const MAY_HOLD_SHADOW = words('article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span');

const askedHosts = new WeakSet();
let lastHosts = [];

class HostFinder {
  found = [];

  /** Called for elements without a root that we know. A custom element, or an empty one that takes up room, may have one. */
  consider(el, tag) {
    const custom = tag.includes('-');
    if (!custom && (!MAY_HOLD_SHADOW.has(tag) || firstChildOf(el) !== null)) {
      return;
    }
    if (this.found.length >= HOST_LIMIT || askedHosts.has(el) || (custom && !matches(el, ':defined'))) {
      return;
    }
    const box = custom ? null : boxOf(el);
    if (custom || (box.width > 0 && box.height > 0)) {
      this.found.push(el);
    }
  }
}

/** The elements that the last snapshot counted; they are not counted again. */
const hosts = () => {
  for (const el of lastHosts) {
    askedHosts.add(el);
  }
  return lastHosts;
};

const adopt = (host, root) => {
  if (nodeTypeOf(root) !== FRAGMENT || root.host !== host) {
    return false;
  }
  adopted.set(host, root);
  anyAdopted = true;
  return true;
};
