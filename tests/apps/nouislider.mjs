// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'slider',
  packages: ['nouislider'],
  page: page('noUiSlider', {
    css: ['nouislider/dist/nouislider.min.css'],
    body: '<div id="range" style="width:400px;margin:60px 40px"></div><div id="steps" style="width:400px;margin:60px 40px 90px"></div>',
    js: ['nouislider/dist/nouislider.min.js'],
    script: `window.range = noUiSlider.create(document.getElementById('range'), { start: [20, 80], step: 10, connect: true,
        range: { min: 0, max: 100 }, handleAttributes: [{ 'aria-label': 'Lowest price' }, { 'aria-label': 'Highest price' }] });
      window.steps = noUiSlider.create(document.getElementById('steps'), { start: 0, range: { min: 0, max: 4 }, step: 1, behaviour: 'tap',
        pips: { mode: 'steps', density: 25 }, handleAttributes: [{ 'aria-label': 'Rating' }] });`,
  }),
  ready: () => window.steps,
  async job(user) {
    await user.click('slider', 'Lowest price');
    await user.see(() => document.activeElement.getAttribute('aria-label') === 'Lowest price');
    await user.press('ArrowRight');
    await user.see(() => Number(range.get()[0]) === 30);
    await user.click('slider', 'Highest price');
    await user.see(() => document.activeElement.getAttribute('aria-label') === 'Highest price');
    await user.press('ArrowLeft');
    await user.see(() => Number(range.get()[1]) === 70);
    await user.clickAt('#steps .noUi-base', 300, 8);
    await user.see(() => Number(steps.get()) === 3);
    await user.drag(['slider', 'Lowest price'], ['css', '#range .noUi-handle-upper']);
    await user.see(() => Number(range.get()[0]) > 50);
  },
};
