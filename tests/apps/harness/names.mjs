// SPDX-License-Identifier: Apache-2.0
// How many of the named widgets that Chromium's accessibility tree has are in tabard's outline, with role and name.
//
// Counted: what one can act on or go to by its name, in the main frame and in frames, unless it is ignored there. Not counted:
// options of a folded select (the outline gives some and says how many), cells that cannot have the focus, rows and cells that are
// named by things in them, which count themselves, while a modal dialog is open, what is not in it, and what is declared
// aria-hidden (Chromium keeps it once something in it has had the focus). A cell or header is found when a line shows its text, since
// an outline gives a row of plain cells as one line. Names are compared without regard to white space, to case (Chromium applies
// text-transform), and as far as an outline gives long ones.
import { lines, plain } from './outline.mjs';

const WIDGETS = new Set(['button', 'link', 'textbox', 'searchbox', 'combobox', 'listbox', 'option', 'checkbox', 'radio', 'switch', 'slider',
  'spinbutton', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'tab', 'treeitem', 'dialog', 'alertdialog']);
const SHOWN_AS_TEXT = new Set(['gridcell', 'cell', 'columnheader', 'rowheader']);
/** What Chromium calls otherwise than ARIA does. */
const ALIASES = { PopUpButton: 'combobox', ToggleButton: 'button', DisclosureTriangle: 'button', MenuListOption: 'option', TextField: 'textbox' };
const NAME_CHARS = 180;

const cut = (name) => plain(name?.replace(/[\u200b-\u200d\ufeff]/g, '')).toLowerCase().slice(0, NAME_CHARS);
const key = (role, name) => `${role} ${name.replaceAll(' ', '')}`;

function property(node, name) {
  return node.properties?.find((each) => each.name === name)?.value?.value;
}

/** Tells of a node whether it or one above it fits. */
function below(byId, isIt) {
  const inside = new Map();
  const look = (node) => {
    if (!node) return false;
    if (!inside.has(node.nodeId)) {
      inside.set(node.nodeId, false);
      inside.set(node.nodeId, isIt(node) || look(byId.get(node.parentId)));
    }
    return inside.get(node.nodeId);
  };
  return look;
}

/** Whether its name is that of several things in it, one after the other, or, of a row, that of its cells. */
function isSum(node, name, byId) {
  const parts = [];
  const visit = (id) => {
    const child = byId.get(id);
    if (!child || child.role?.value === 'InlineTextBox') return;
    if (!child.ignored && child.name?.value && child.role?.value !== 'generic') parts.push(cut(child.name.value));
    else child.childIds?.forEach(visit);
  };
  node.childIds?.forEach(visit);
  return parts.length > (node.role.value === 'row' ? 0 : 1) && parts.every((part) => name.includes(part));
}

/** { role, name, node } of all that count in one frame's tree. */
function widgets(nodes) {
  const isModal = (node) => !node.ignored && ['dialog', 'alertdialog'].includes(node.role?.value) && property(node, 'modal') === true;
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const inModal = nodes.some(isModal) ? below(byId, isModal) : () => true;
  const inFolded = below(byId, (node) => node.role?.value === 'MenuListPopup');
  const list = [];
  for (const node of nodes) {
    const role = ALIASES[node.role?.value] ?? node.role?.value;
    const name = cut(node.name?.value);
    if (node.ignored || !name || !inModal(node) || (role === 'option' && inFolded(node))) continue;
    const isCell = SHOWN_AS_TEXT.has(role) && (role !== 'cell' || property(node, 'focusable'));
    if (WIDGETS.has(role) || ((isCell || role === 'row') && !isSum(node, name, byId))) list.push({ role, name, node: node.backendDOMNodeId });
  }
  return list;
}

/**
 * For the page: true once nothing in it has changed and no animation has run for a while, so that the tree and the outline, which are
 * asked for one after the other, are those of one state.
 */
const isAtRest = async () => {
  const QUIET_MS = 300;
  let changed = false;
  const observer = new MutationObserver(() => { changed = true; });
  observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  await new Promise((resolve) => { setTimeout(resolve, QUIET_MS); });
  observer.disconnect();
  const isPassing = (animation) => animation.playState === 'running' && Number.isFinite(animation.effect?.getComputedTiming().endTime);
  return !changed && !document.getAnimations().some(isPassing);
};

/** Commands to the page at an address, by a connection of our own beside tabard's. */
async function connect(devtools, url) {
  const targets = await (await fetch(`${devtools}/json/list`)).json();
  const socket = new WebSocket(targets.find((each) => each.type === 'page' && each.url.startsWith(url)).webSocketDebuggerUrl);
  const replies = new Map();
  socket.onmessage = ({ data }) => {
    const { id, result = {} } = JSON.parse(data);
    replies.get(id)?.(result);
  };
  await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }));
  let last = 0;
  const send = (method, params = {}) => new Promise((resolve) => {
    replies.set(last += 1, resolve);
    socket.send(JSON.stringify({ id: last, method, params }));
  });
  return { send, close: () => socket.close() };
}

/** All named widgets of a page, by Chromium's own tree. */
async function known(page) {
  const { frameTree } = await page.send('Page.getFrameTree');
  const list = [];
  const visit = async ({ frame, childFrames = [] }) => {
    const { nodes = [] } = await page.send('Accessibility.getFullAXTree', { frameId: frame.id });
    list.push(...widgets(nodes));
    for (const child of childFrames) await visit(child);
  };
  await visit(frameTree);
  return list;
}

async function isDeclaredHidden(page, { node }) {
  const { object } = await page.send('DOM.resolveNode', { backendNodeId: node });
  const { result } = await page.send('Runtime.callFunctionOn', {
    objectId: object?.objectId, functionDeclaration: 'function () { return this.closest?.("[aria-hidden=true]") != null; }',
  });
  return result?.value === true;
}

/** Of these, those that the outline does not have. A line stands for one widget. */
function missing(wanted, outline) {
  const left = new Map();
  const texts = new Set();
  for (const { role, name, text } of lines(outline)) {
    const line = key(role, cut(name));
    left.set(line, (left.get(line) ?? 0) + 1);
    texts.add(cut(name)).add(cut(text));
    if (role === 'row') for (const cell of [...text.split(' | '), text.replaceAll(' | ', ' ')]) texts.add(cut(cell));
  }
  return wanted.filter(({ role, name }) => {
    const line = key(role, name);
    if (left.get(line)) {
      left.set(line, left.get(line) - 1);
      return false;
    }
    return !(SHOWN_AS_TEXT.has(role) && texts.has(name));
  });
}

/** What the page of a user of tabard has, and what of it the user is not shown: { total, missing }. */
export async function look(user, devtools, url) {
  await user.see(isAtRest); // a page that never rests is looked at as it is
  const page = await connect(devtools, url);
  const wanted = await known(page);
  const lost = missing(wanted, await user.snapshot());
  const hidden = new Set();
  for (const each of lost) if (await isDeclaredHidden(page, each)) hidden.add(each);
  page.close();
  return { total: wanted.length - hidden.size, missing: lost.filter((each) => !hidden.has(each)) };
}
