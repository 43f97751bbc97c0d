// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'drag and drop',
  packages: ['interactjs'],
  page: page('interact.js', {
    body: `<style>.card { width: 120px; height: 60px; background: #8cf; touch-action: none; position: relative;
      z-index: 2 } .zone { position: absolute; top: 300px; width: 250px; height: 150px; background: #eee }</style>
      <div class="card" id="a">Card A</div><div class="card" id="b">Card B</div><div class="zone" id="left" style="left:20px">Left</div>
        <div class="zone" id="right" style="left:400px">Right</div><div class="zone" id="far" style="left:780px">Far</div>`,
    js: ['interactjs/dist/interact.min.js'],
    script: `window.home = {}; window.tapped = '';
      interact('.card').draggable({ listeners: { move: ({ target, dx, dy }) => { const x = (Number(target.dataset.x) || 0) + dx,
        y = (Number(target.dataset.y) || 0) + dy;
        target.style.transform = 'translate(' + x + 'px,' + y + 'px)'; target.dataset.x = x; target.dataset.y = y;
          } } }).on('tap', (e) => { window.tapped = e.currentTarget.id; });
      interact('.zone').dropzone({ overlap: 'pointer', ondrop: (e) => { home[e.relatedTarget.id] = e.target.id; } });`,
  }),
  ready: () => window.home,
  async job(user) {
    await user.click('css', '#a');
    await user.see(() => window.tapped === 'a');
    await user.drag(['css', '#a'], ['css', '#left']);
    await user.see(() => home.a === 'left');
    await user.drag(['css', '#b'], ['css', '#right']);
    await user.see(() => home.b === 'right');
    await user.drag(['css', '#a'], ['css', '#far']);
    await user.see(() => home.a === 'far');
    await user.click('css', '#a');
    await user.see(() => window.tapped === 'a');
  },
};
