// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'carousel',
  packages: ['swiper'],
  page: page('Swiper', {
    css: ['swiper/swiper-bundle.min.css'],
    body: `<div class="swiper" style="width:600px;height:300px"><div class="swiper-wrapper">${['One', 'Two', 'Three', 'Four']
      .map((name) => `<div class="swiper-slide"><h2>${name}</h2><button onclick="window.bought = '${name}'">Buy ${name}</button>
        </div>`).join('')}</div>
      <div class="swiper-button-prev"></div><div class="swiper-button-next"></div><div class="swiper-pagination"></div></div>`,
    js: ['swiper/swiper-bundle.min.js'],
    script: `window.swiper = new Swiper('.swiper', { navigation: { prevEl: '.swiper-button-prev', nextEl: '.swiper-button-next' },
      pagination: { el: '.swiper-pagination', clickable: true }, keyboard: true })`,
  }),
  ready: () => window.swiper?.initialized,
  async job(user) {
    await user.click('button', 'Next slide');
    await user.see(() => swiper.activeIndex === 1 && !swiper.animating);
    await user.click('button', 'Buy Two');
    await user.see(() => window.bought === 'Two');
    await user.click('button', 'Go to slide 4');
    await user.see(() => swiper.activeIndex === 3 && !swiper.animating);
    await user.click('button', 'Buy Four');
    await user.see(() => window.bought === 'Four');
    await user.click('button', 'Previous slide');
    await user.see(() => swiper.activeIndex === 2 && !swiper.animating);
    await user.press('ArrowLeft');
    await user.see(() => swiper.activeIndex === 1);
  },
};
