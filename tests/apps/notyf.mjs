// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'toast',
  packages: ['notyf'],
  page: page('Notyf', {
    css: ['notyf/notyf.min.css'],
    body: '<button id="good">Save</button><button id="bad">Break</button>',
    js: ['notyf/notyf.min.js'],
    script: `window.notyf = new Notyf({ duration: 0, dismissible: true, ripple: false });
      document.getElementById('good').onclick = () => notyf.success('Saved').on('click', () => { window.clicked = 'saved'; });
      document.getElementById('bad').onclick = () => notyf.error('It broke');
      window.toasts = () => [...document.querySelectorAll('.notyf__toast:not(.notyf__toast--disappear)')]
        .map((each) => each.textContent.trim()).join();`,
  }),
  ready: () => window.toasts,
  async job(user) {
    await user.click('button', 'Save');
    await user.see(() => toasts() === 'Saved');
    await user.click('css', '.notyf__message');
    await user.see(() => window.clicked === 'saved');
    await user.click('button', 'Break');
    await user.see(() => toasts().includes('It broke'));
    await user.click('css', '.notyf__dismiss-btn');
    await user.see(() => document.querySelectorAll('.notyf__toast').length < 2 || document.querySelector('.notyf__toast--disappear'));
    await user.click('button', 'Save');
    await user.see(() => toasts().split(',').filter((text) => text === 'Saved').length >= 1
      && document.querySelectorAll('.notyf__toast').length === 2);
  },
};
