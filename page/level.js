// SPDX-License-Identifier: Apache-2.0
// One level of the walk of a snapshot.

// Shadow roots that the last snapshot entered.
const ROOTS_SEEN = 100;
let rootsSeen = [];

/** What the walk knows at one level: where it is among the children, and what they inherit. */
class Level {
  constructor(el, tag, up) {
    this.el = el;
    this.tag = tag;
    this.next = null;
    this.list = null;
    this.index = 0;
    this.at = -1; // index of its line; -1: it has none
    this.depth = up === null ? 0 : up.depth; // of lines inside
    this.mute = up !== null && up.mute; // the text inside is said already
    this.active = up !== null && up.active; // inside something that is clicked as a whole
    this.owner = up === null ? -1 : up.owner; // index of the line of what can be clicked around it; -1: nothing
    this.grid = up !== null && up.grid; // the table around it takes the focus to its cells
    this.layout = up !== null && up.layout; // inside a table that only arranges
    this.hidden = false; // own text is not drawn
  }

  take() {
    if (this.list !== null) {
      return this.index < this.list.length ? this.list[this.index++] : null;
    }
    const node = this.next;
    if (node !== null) {
      this.next = nextSiblingOf(node);
    }
    return node;
  }
}
