// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'select',
  packages: ['tom-select'],
  page: page('Tom Select', {
    css: ['tom-select/dist/css/tom-select.css'],
    body: `<label for="colours">Colours</label><select id="colours" multiple><option>red</option><option>green</option><option>blue</option></select>
      <label for="size">Size</label><select id="size"><option value="s">Small</option><option value="m">Medium</option>
        <option value="l">Large</option></select>`,
    js: ['tom-select/dist/js/tom-select.complete.min.js'],
    script: `window.colours = new TomSelect('#colours', { plugins: ['remove_button'], create: true }); window.size = new TomSelect('#size');`,
  }),
  ready: () => window.size?.isSetup,
  async job(user) {
    await user.click('combobox', 'Colours');
    await user.see(() => colours.isOpen);
    await user.click('css', '.ts-dropdown [data-value="green"]');
    await user.see(() => colours.getValue().join() === 'green');
    await user.type('pink');
    await user.see(() => document.querySelector('.ts-dropdown .create'));
    await user.press('Enter');
    await user.see(() => colours.getValue().join() === 'green,pink');
    await user.click('css', '.ts-wrapper.multi .item[data-value="green"] .remove');
    await user.see(() => colours.getValue().join() === 'pink');
    await user.press('Escape');
    await user.see(() => !colours.isOpen);
    await user.click('css', '.ts-wrapper.single .ts-control');
    await user.see(() => size.isOpen);
    await user.click('css', '.ts-dropdown [data-value="l"]');
    await user.see(() => document.querySelector('#size').value === 'l');
  },
};
