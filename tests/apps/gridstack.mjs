// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'dashboard',
  packages: ['gridstack'],
  page: page('Gridstack', {
    css: ['gridstack/dist/gridstack.min.css'],
    body: '<button id="add">Add widget</button><div class="grid-stack" style="background:#eee;width:1200px"></div>',
    js: ['gridstack/dist/gridstack-all.js'],
    script: `window.grid = GridStack.init({ cellHeight: 80, margin: 5, animate: false });
      GridStack.renderCB = (el, widget) => { el.innerHTML = '<h3>' + widget.title + '</h3><button>Remove ' + widget.title + '</button>';
        el.querySelector('button').onclick = () => grid.removeWidget(el.closest('.grid-stack-item')); };
      grid.load([{ id: 'a', x: 0, y: 0, w: 3, h: 2, title: 'Sales' }, { id: 'b', x: 3, y: 0, w: 3, h: 2, title: 'Visits' }]);
      document.getElementById('add').onclick = () => grid.addWidget({ id: 'c' + grid.engine.nodes.length, x: 6, y: 0, w: 3, h: 2, title: 'Errors' });
      window.at = (id) => { const node = grid.engine.nodes.find((each) => each.id === id); return node && [node.x, node.y].join(); };`,
  }),
  ready: () => document.querySelectorAll('.grid-stack-item').length === 2,
  async job(user) {
    await user.click('button', 'Add widget');
    await user.see(() => grid.engine.nodes.length === 3);
    await user.drag(['css', '[gs-id="a"] h3'], ['css', '[gs-id="c2"] h3']);
    await user.see(() => at('a') !== '0,0');
    await user.click('button', 'Remove Errors');
    await user.see(() => grid.engine.nodes.length === 2);
    await user.drag(['css', '[gs-id="b"] h3'], ['css', '[gs-id="a"] h3']);
    await user.see(() => at('b') !== '3,0');
    await user.click('button', 'Remove Sales');
    await user.see(() => grid.engine.nodes.length === 1);
  },
};
