// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'select',
  packages: ['choices.js'],
  page: page('Choices', {
    css: ['choices.js/public/assets/styles/choices.min.css'],
    body: `<label for="city">City</label><select id="city"><option value="b">Berlin</option><option value="o">Oslo</option>
      <option value="r">Rome</option></select>
      <label for="tags">Tags</label><input id="tags" value="old">`,
    js: ['choices.js/public/assets/scripts/choices.min.js'],
    script: "window.city = new Choices('#city', { shouldSort: false }); window.tags = new Choices('#tags', { removeItemButton: true });",
  }),
  ready: () => window.tags,
  async job(user) {
    await user.click('css', '.choices[data-type="select-one"]');
    await user.see(() => city.dropdown.isActive);
    await user.type('oslo');
    await user.see(() => document.querySelectorAll('.choices[data-type="select-one"] .choices__item--choice').length === 1);
    await user.click('css', '.choices__item--choice[data-value="o"]');
    await user.see(() => document.querySelector('#city').value === 'o');
    await user.click('css', '.choices[data-type="text"] input.choices__input--cloned');
    await user.see(() => document.activeElement.matches('.choices__input--cloned'));
    await user.type('new');
    await user.see(() => document.activeElement.value === 'new');
    await user.press('Enter');
    await user.see(() => tags.getValue(true).join() === 'old,new');
    await user.click('button', /Remove item.*old/);
    await user.see(() => tags.getValue(true).join() === 'new');
  },
};
