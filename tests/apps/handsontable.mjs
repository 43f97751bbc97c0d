// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'spreadsheet',
  packages: ['handsontable'],
  page: page('Handsontable', {
    css: ['handsontable/dist/handsontable.full.min.css'],
    body: '<div id="sheet"></div>',
    js: ['handsontable/dist/handsontable.full.min.js'],
    script: `window.sheet = new Handsontable(document.getElementById('sheet'), { data: [['Apples', 3], ['Pears', 5], ['Plums', 7]],
      colHeaders: ['Fruit', 'Count'], rowHeaders: true, contextMenu: true, columnSorting: true, licenseKey: 'non-commercial-and-evaluation',
        height: 300 });`,
  }),
  ready: () => document.querySelector('.htCore td'),
  async job(user) {
    await user.click('gridcell', 'Pears');
    await user.see(() => sheet.getSelectedLast()?.slice(0, 2).join() === '1,0');
    await user.type('Quinces');
    await user.see(() => sheet.getActiveEditor().isOpened());
    await user.press('Enter');
    await user.see(() => sheet.getDataAtCell(1, 0) === 'Quinces');
    await user.click('gridcell', '7', { count: 2 });
    await user.see(() => sheet.getActiveEditor()?.isOpened() && sheet.getActiveEditor().getValue() === '7');
    await user.press('Escape');
    await user.see(() => !sheet.getActiveEditor().isOpened());
    await user.click('gridcell', 'Apples', { button: 'right' });
    await user.see(() => document.querySelector('.htContextMenu')?.checkVisibility());
    await user.click('menuitem', 'Insert row above');
    await user.see(() => sheet.countRows() === 4);
  },
};
