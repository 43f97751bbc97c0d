// SPDX-License-Identifier: Apache-2.0
// What can be told of something to click that shows no words: what its picture is called. Icons are drawn by classes of an icon
// font, by a part of a sprite, by an element of their own or by a file, and each of these names what it draws.

const ICON_NODES = 12; // elements that are looked at
const ICON_TEXT = 30;

// Of a class such as `fa-trash`, `bi-trash`, `el-icon-trash`: what comes behind the name of the font.
const ICON_CLASS = /(?:^|\s)(?:fa|bi|glyphicon|mdi|ti|pi|ri|bxs?|la|ph|uil|oi|ion-(?:ios|md)|ion|feather|lucide|octicon|codicon|anticon|dashicons|icofont|ms-icon-|i-[a-z]+|(?:\w+-)*icon(?:-tabler)?|ico)-([a-z]\w*(?:-\w+)*)/gi;
// What may stand there as well: sizes, weights, turns.
const ICON_STYLE = /^(?:solid|regular|light|thin|duotone|brands|sharp|fw|xs|sm|md|lg|xl|small|medium|large|spin|pulse|border|inverse|stack|beat|bounce|fade|dark|set|inactive|(?:pull|rotate|flip)-.*|button|btn|wrapper|container|inner|root|base|font|only|svg|tabler)$/i;
const ICON_FILE = /([a-z][\w-]*)\.(?:svg|png|gif|webp|jpe?g|ico)(?:[?#]|$)/i;

const classIcon = (el) => {
  for (const [, word] of (attr(el, 'class') ?? '').slice(0, 500).matchAll(ICON_CLASS)) {
    if (!ICON_STYLE.test(word)) {
      return word;
    }
  }
  return '';
};

/** Behind the # of a sprite, without words that only say that it is an icon. */
const spriteIcon = (href) => (/#(?:icons?|ico|svg|i)?-*([a-z]\w*(?:-\w+)*)$/i.exec(href)?.[1] ?? '');

// Elements that are icons have their own attributes for it.
const elementIcon = (el) => ['data-icon', 'icon', 'name', 'svgicon', 'fonticon', 'data-lucide', 'data-feather']
  .map((name) => attr(el, name) ?? '').find((text) => /^[\w:-]+$/.test(text))?.replace(/^.*:/, '') ?? '';

const iconOf = (el) => {
  const tag = tagOf(el);
  switch (tag) {
    case 'svg:use': return spriteIcon(attr(el, 'href') ?? attr(el, 'xlink:href') ?? '');
    case 'img': return ICON_FILE.exec((attr(el, 'src') ?? '').slice(-200))?.[1] ?? '';
    default: break;
  }
  const own = tag.includes('icon') || hasAttr(el, 'data-icon') ? elementIcon(el) : '';
  return own || classIcon(el) || (/^(\w+)Icon$/.exec(attr(el, 'data-testid') ?? '')?.[1] ?? '');
};

/** What markup calls an element that is part of a picture. */
const pictureName = (el) => {
  const text = localNameOf(el) === 'title' ? textContentOf(el)
    : ['aria-label', 'title', 'alt', 'aria-description'].map((name) => attr(el, name)).find(Boolean) ?? '';
  return squeezeSome(text, LINE_TEXT);
};

/** {name, icon}: what an element and the first few inside it say, each '' if they say nothing. */
const pictureOf = (root) => {
  const open = [root];
  let icon = '';
  for (let left = ICON_NODES; open.length > 0 && left > 0; left -= 1) {
    const el = open.pop();
    const name = pictureName(el);
    if (name !== '') {
      return { name, icon: '' };
    }
    icon ||= iconOf(el);
    const next = el === root ? null : nextElementOf(el);
    const shadow = shadowOf(el);
    const inner = shadow === null ? firstElementOf(el) : firstElementIn(shadow);
    open.push(...[next, inner].filter((each) => each !== null));
  }
  return { name: '', icon: cut(icon.toLowerCase(), ICON_TEXT) };
};

const pictureText = (el) => {
  const { name, icon } = pictureOf(el);
  return name || icon;
};
