// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'web components (shadow DOM)',
  packages: ['@ionic/core'],
  page: page('Ionic', {
    css: ['@ionic/core/css/ionic.bundle.css'],
    body: `<ion-app><ion-header><ion-toolbar><ion-title>Inbox</ion-title></ion-toolbar></ion-header><ion-content><ion-list>
      <ion-item><ion-input label="Name" id="name"></ion-input></ion-item>
      <ion-item><ion-select label="Size" interface="popover" id="size"><ion-select-option value="s">Small</ion-select-option>
        <ion-select-option value="l">Large</ion-select-option></ion-select></ion-item>
      <ion-item><ion-toggle id="on">Updates</ion-toggle></ion-item><ion-item><ion-checkbox id="agree">Agree</ion-checkbox></ion-item>
      <ion-item><ion-range aria-label="Volume" id="volume"></ion-range></ion-item></ion-list><ion-button id="open">Open</ion-button>
      <ion-alert trigger="open" header="Really?"></ion-alert></ion-content></ion-app>`,
    script: `import '/npm/@ionic/core/dist/ionic/ionic.esm.js';
      window.q = (css) => document.querySelector(css);
      q('ion-alert').buttons = [{ text: 'No' }, { text: 'Yes', handler: () => { window.said = 'yes'; } }];`,
    module: true,
  }),
  ready: () => document.querySelector('ion-input.hydrated input') && document.querySelector('ion-button.hydrated')
    && document.querySelector('ion-range.hydrated'),
  async job(user) {
    await user.fill('textbox', 'Name', 'Ada');
    await user.see(() => q('#name').value === 'Ada');
    await user.click('css', 'ion-select');
    await user.see(() => q('ion-popover ion-radio'));
    await user.click('radio', 'Large');
    await user.see(() => q('#size').value === 'l' && !q('ion-popover'));
    await user.click('switch', 'Updates');
    await user.see(() => q('#on').checked);
    await user.click('checkbox', 'Agree');
    await user.see(() => q('#agree').checked);
    await user.click('css', '#open');
    await user.see(() => q('ion-alert .alert-wrapper')?.checkVisibility());
    await user.click('button', 'Yes');
    await user.see(() => window.said === 'yes');
  },
};
