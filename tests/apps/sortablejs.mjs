// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'drag and drop',
  packages: ['sortablejs'],
  page: page('SortableJS', {
    body: `<style>li { width: 200px; padding: 10px; border: 1px solid; list-style: none } ul { min-height: 60px; padding: 20px }</style>
      <div style="display: flex"><ul id="todo"><li id="a">Wash</li><li id="b">Dry</li><li id="c">Fold</li></ul>
      <ul id="done"><li id="d">Sort</li></ul></div>`,
    js: ['sortablejs/Sortable.min.js'],
    script: `for (const list of document.querySelectorAll('ul')) new Sortable(list, { group: 'chores' });
      window.order = (id) => [...document.getElementById(id).children].map((li) => li.id).join('');`,
  }),
  ready: () => window.order,
  async job(user) {
    await user.drag(['css', '#a'], ['css', '#b']);
    await user.see(() => order('todo') === 'bac');
    await user.drag(['css', '#c'], ['css', '#b']);
    await user.see(() => order('todo') !== 'bac');
    await user.drag(['css', '#b'], ['css', '#d']);
    await user.see(() => order('todo').length === 2 && order('done').includes('b'));
    await user.drag(['css', '#a'], ['css', '#d']);
    await user.see(() => order('todo') === 'c' && order('done').length === 3);
    await user.drag(['css', '#c'], ['css', '#d']);
    await user.see(() => order('todo') === '' && order('done').length === 4);
  },
};
