// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'drag and drop',
  packages: ['dragula'],
  page: page('Dragula', {
    css: ['dragula/dist/dragula.min.css'],
    body: `<style>.box { width: 300px; padding: 20px; background: #eee } .box div { padding: 12px; background: #fff } body { display: flex;
      gap: 40px }</style>
      <div class="box" id="left"><div id="a">Ant</div><div id="b">Bee</div><div id="c">Cow</div></div><div class="box" id="right">
        <div id="d">Dog</div><div id="e">Elk</div></div>`,
    js: ['dragula/dist/dragula.min.js'],
    script: `dragula([document.getElementById('left'), document.getElementById('right')]);
      window.order = (id) => [...document.getElementById(id).children].map((each) => each.id).join('');`,
  }),
  ready: () => window.order,
  async job(user) {
    await user.drag(['css', '#a'], ['css', '#d']);
    await user.see(() => order('left') === 'bc' && order('right').includes('a'));
    await user.drag(['css', '#b'], ['css', '#e']);
    await user.see(() => order('left') === 'c' && order('right').length === 4);
    await user.drag(['css', '#d'], ['css', '#c']);
    await user.see(() => order('left').length === 2);
    await user.drag(['css', '#e'], ['css', '#c']);
    await user.see(() => order('left').length === 3);
    await user.drag(['css', '#c'], ['css', '#a']);
    await user.see(() => order('right').includes('c'));
  },
};
