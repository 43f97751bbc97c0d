// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'data grid',
  packages: ['tabulator-tables'],
  page: page('Tabulator', {
    css: ['tabulator-tables/dist/css/tabulator.min.css'],
    body: '<div id="grid"></div>',
    js: ['tabulator-tables/dist/js/tabulator.min.js'],
    script: `const data = Array.from({ length: 40 }, (_, i) => ({ id: i, name: 'Person ' + String(i).padStart(2, '0'), age: (i * 7) % 50 }));
      window.grid = new Tabulator('#grid', { data, layout: 'fitColumns', pagination: true, paginationSize: 10, selectableRows: true, columns: [
        { formatter: 'rowSelection', titleFormatter: 'rowSelection', width: 40, headerSort: false },
        { title: 'Name', field: 'name', headerFilter: 'input', editor: 'input' }, { title: 'Age', field: 'age', sorter: 'number' }] });
      grid.on('tableBuilt', () => { window.built = true; });`,
  }),
  ready: () => window.built,
  async job(user) {
    await user.click('css', '.tabulator-col[tabulator-field="age"] .tabulator-col-title');
    await user.see(() => grid.getSorters()[0]?.field === 'age');
    await user.click('button', 'Next Page');
    await user.see(() => grid.getPage() === 2);
    await user.click('css', '.tabulator-header-filter input');
    await user.see(() => document.activeElement.matches('.tabulator-header-filter input'));
    await user.type('Person 07');
    await user.see(() => grid.getDataCount('active') === 1);
    await user.click('gridcell', 'Person 07');
    await user.see(() => document.querySelector('.tabulator-cell.tabulator-editing input') && grid.getSelectedData().length === 1);
    await user.fill('css', '.tabulator-cell.tabulator-editing input', 'Person 07, Esq.');
    await user.see(() => document.querySelector('.tabulator-cell.tabulator-editing input').value === 'Person 07, Esq.');
    await user.press('Enter');
    await user.see(() => grid.getData().find((row) => row.id === 7).name === 'Person 07, Esq.');
    await user.click('css', '.tabulator-row input[type="checkbox"]');
    await user.see(() => grid.getSelectedData().length === 0);
  },
};
