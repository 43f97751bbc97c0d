// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'masked input',
  packages: ['imask'],
  page: page('IMask', {
    body: `<label>Phone <input id="phone"></label><label>Amount <input id="amount"></label><label>Date <input id="date"></label>
      <label>Code <input id="code"></label>`,
    js: ['imask/dist/imask.min.js'],
    script: `IMask(document.getElementById('phone'), { mask: '+{1} (000) 000-0000' }); IMask(document.getElementById('amount'), { mask: Number,
      thousandsSeparator: ',', min: 0, max: 100000 });
      IMask(document.getElementById('date'), { mask: Date }); IMask(document.getElementById('code'), { mask: 'aa-00',
        prepare: (text) => text.toUpperCase() });`,
  }),
  ready: () => window.IMask,
  async job(user) {
    await user.fill('textbox', 'Phone', '2025550123');
    await user.see(() => document.querySelector('#phone').value === '+1 (202) 555-0123');
    await user.fill('textbox', 'Amount', '12345');
    await user.see(() => document.querySelector('#amount').value === '12,345');
    await user.fill('textbox', 'Date', '24.12.2024');
    await user.see(() => document.querySelector('#date').value === '24.12.2024');
    await user.fill('textbox', 'Code', 'ab12');
    await user.see(() => document.querySelector('#code').value === 'AB-12');
    await user.press('Backspace');
    await user.see(() => document.querySelector('#code').value === 'AB-1');
    await user.type('9');
    await user.see(() => document.querySelector('#code').value === 'AB-19');
  },
};
