// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'select',
  packages: ['select2', 'jquery'],
  page: page('Select2', {
    css: ['select2/dist/css/select2.min.css'],
    body: `<label for="country">Country</label>
      <select id="country" style="width:240px"><option>Austria</option><option>Brazil</option><option>Chile</option></select>
      <label for="tags">Tags</label>
      <select id="tags" multiple style="width:240px"><option>red</option><option>green</option><option>blue</option></select>`,
    js: ['jquery/dist/jquery.min.js', 'select2/dist/js/select2.min.js'],
    script: "$('select').select2()",
  }),
  ready: () => document.querySelectorAll('.select2-container').length === 2,
  async job(user) {
    await user.click('css', '#country + .select2-container .select2-selection');
    await user.see(() => document.querySelector('.select2-search__field[role=searchbox]'));
    await user.fill('css', '.select2-search--dropdown input', 'bra');
    await user.see(() => document.querySelectorAll('.select2-results__option').length === 1);
    await user.click('option', 'Brazil');
    await user.see(() => document.querySelector('#country').value === 'Brazil');
    await user.click('css', '#tags + .select2-container .select2-selection');
    await user.see(() => document.querySelector('.select2-container--open'));
    await user.click('option', 'green');
    await user.see(() => $('#tags').val().join() === 'green');
    await user.click('css', '.select2-selection__choice__remove');
    await user.see(() => $('#tags').val().length === 0);
  },
};
