// SPDX-License-Identifier: Apache-2.0
// Fields that were given a secret which the daemon keeps: what they hold is never told, and pictures show dots there.

const entrusted = new Set();

/** Before the page hears of it. */
const giveSecret = (el) => {
  if (viewOf(ownerOf(el)).origin !== globalThis.origin) {
    fail('secret_not_for_this_site', 'the field is in a document of another origin than its frame');
  }
  passwords.set(el, passwords.get(el) ?? '');
  entrusted.add(el);
};

/** Those that do not show dots already; a page may have put another field in the place of one. */
const shownSecrets = () => [...new Set([...entrusted, ...document.querySelectorAll('input, textarea')])]
  .filter((el) => el.isConnected && el.type !== 'password' && (entrusted.has(el) || isSecret(el)));

const VEIL = '-webkit-text-security';
const veils = new Map(); // of those that are covered now: what stood there before

const liftVeil = () => {
  for (const [el, { value, priority, bare }] of veils) {
    el.style.setProperty(VEIL, value, priority);
    if (bare && attr(el, 'style') === '') {
      el.removeAttribute('style');
    }
  }
  veils.clear();
};

/** Covers them while a picture is taken, and uncovers them. */
const veil = ({ on }) => {
  liftVeil();
  for (const el of on ? shownSecrets() : []) {
    veils.set(el, { value: el.style.getPropertyValue(VEIL), priority: el.style.getPropertyPriority(VEIL), bare: !hasAttr(el, 'style') });
    el.style.setProperty(VEIL, 'disc', 'important');
  }
  return { veiled: veils.size };
};
