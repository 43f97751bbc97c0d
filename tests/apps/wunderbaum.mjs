// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'tree',
  packages: ['wunderbaum'],
  page: page('Wunderbaum', {
    css: ['wunderbaum/dist/wunderbaum.css'],
    body: '<div id="tree" style="height:300px;width:500px"></div>',
    script: `import { Wunderbaum } from '/npm/wunderbaum/dist/wunderbaum.esm.min.js';
      const tree = new Wunderbaum({ element: document.getElementById('tree'), checkbox: true, source: [
        { title: 'Fruit', key: 'fruit', children: [{ title: 'Apple', key: 'apple' }, { title: 'Pear', key: 'pear' }] }, { title: 'Nuts',
          key: 'nuts' }],
        init: () => { window.tree = tree; } });`,
    module: true,
  }),
  ready: () => window.tree && document.querySelector('.wb-row'),
  async job(user) {
    await user.click('css', '.wb-row .wb-expander');
    await user.see(() => tree.findKey('fruit').isExpanded());
    await user.click('css', '.wb-row:nth-child(2) .wb-title');
    await user.see(() => tree.getActiveNode()?.key === 'apple');
    await user.press('ArrowDown');
    await user.see(() => tree.getActiveNode()?.key === 'pear');
    await user.press('Space');
    await user.see(() => tree.findKey('pear').isSelected());
    await user.click('css', '.wb-row:nth-child(2) .wb-checkbox');
    await user.see(() => tree.findKey('apple').isSelected());
    await user.click('css', '.wb-row .wb-expander');
    await user.see(() => !tree.findKey('fruit').isExpanded());
  },
};
