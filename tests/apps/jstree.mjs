// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'tree',
  packages: ['jstree', 'jquery'],
  page: page('jsTree', {
    css: ['jstree/dist/themes/default/style.min.css'],
    body: '<div id="tree"></div>',
    js: ['jquery/dist/jquery.min.js', 'jstree/dist/jstree.min.js'],
    script: `window.tree = $('#tree').jstree({ plugins: ['checkbox', 'contextmenu'], checkbox: { tie_selection: false, whole_node: false },
      core: { check_callback: true, animation: 0, data: [
        { id: 'fruit', text: 'Fruit', children: [{ id: 'apple', text: 'Apple' }, { id: 'pear', text: 'Pear' }] },
        { id: 'nuts', text: 'Nuts', children: [{ id: 'hazel', text: 'Hazelnut' }] }] } }).jstree(true);`,
  }),
  ready: () => document.querySelector('#nuts_anchor'),
  async job(user) {
    await user.click('css', '#fruit > .jstree-ocl');
    await user.see(() => tree.is_open('fruit'));
    await user.click('treeitem', 'Pear');
    await user.see(() => tree.get_selected().join() === 'pear');
    await user.click('css', '#apple_anchor .jstree-checkbox');
    await user.see(() => tree.get_checked().join() === 'apple');
    await user.click('treeitem', 'Nuts', { count: 2 });
    await user.see(() => tree.is_open('nuts'));
    await user.click('treeitem', 'Hazelnut', { button: 'right' });
    await user.see(() => document.querySelector('.vakata-context')?.offsetHeight);
    await user.click('link', 'Delete');
    await user.see(() => !tree.get_node('hazel'));
  },
};
