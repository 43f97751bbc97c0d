// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'spreadsheet',
  packages: ['jspreadsheet-ce', 'jsuites'],
  page: page('Jspreadsheet', {
    css: ['jspreadsheet-ce/dist/jspreadsheet.css', 'jsuites/dist/jsuites.css'],
    body: '<div id="sheet"></div>',
    js: ['jsuites/dist/jsuites.js', 'jspreadsheet-ce/dist/index.js'],
    script: `window.sheet = jspreadsheet(document.getElementById('sheet'), { data: [['Jazz', 5, false], ['Rock', 7, true]],
      columns: [{ title: 'Music', width: 120 }, { title: 'Stars', type: 'numeric', width: 90 }, { title: 'Live', type: 'checkbox', width: 60 }] });`,
  }),
  ready: () => document.querySelector('.jexcel tbody td'),
  async job(user) {
    await user.click('css', 'td[data-x="0"][data-y="1"]');
    await user.see(() => sheet.selectedCell?.join() === '0,1,0,1');
    await user.type('Folk');
    await user.see(() => document.querySelector('td.editor'));
    await user.press('Enter');
    await user.see(() => sheet.getValue('A2') === 'Folk');
    await user.click('css', 'td[data-x="1"][data-y="0"]', { count: 2 });
    await user.see(() => document.querySelector('td.editor[data-x="1"]'));
    await user.fill('css', 'td.editor input', '=2*4');
    await user.see(() => document.querySelector('td.editor input').value === '=2*4');
    await user.press('Enter');
    await user.see(() => document.querySelector('td[data-x="1"][data-y="0"]').textContent === '8');
    await user.click('css', 'td[data-x="2"][data-y="0"] input');
    await user.see(() => sheet.getValue('C1') === true || sheet.getValue('C1') === 'true');
  },
};
