// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'presentation',
  packages: ['reveal.js'],
  page: page('reveal.js', {
    css: ['reveal.js/dist/reveal.css', 'reveal.js/dist/theme/white.css'],
    body: `<div class="reveal"><div class="slides"><section><h2>One</h2></section><section><section><h2>Two</h2><p class="fragment">Later</p>
      </section>
      <section><h2>Below</h2></section></section><section><h2>Three</h2><a href="#/0">Again</a></section></div></div>`,
    js: ['reveal.js/dist/reveal.js'],
    script: 'Reveal.initialize({ transition: "none", hash: true });',
  }),
  ready: () => window.Reveal?.isReady(),
  async job(user) {
    await user.click('button', 'next slide');
    await user.see(() => Reveal.getIndices().h === 1);
    await user.press('Space');
    await user.see(() => Reveal.getIndices().f === 0);
    await user.click('button', 'below slide');
    await user.see(() => Reveal.getIndices().v === 1);
    await user.press('ArrowRight');
    await user.see(() => Reveal.getIndices().h === 2);
    await user.click('link', 'Again');
    await user.see(() => Reveal.getIndices().h === 0);
    await user.press('Escape');
    await user.see(() => Reveal.isOverview());
  },
};
