// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'data grid',
  packages: ['ag-grid-community'],
  page: page('AG Grid', {
    body: '<div id="grid" style="height:400px"></div>',
    js: ['ag-grid-community/dist/ag-grid-community.min.js'],
    script: `const rowData = Array.from({ length: 500 }, (_, i) => ({ make: ['Toyota', 'Ford', 'Porsche'][i % 3], model: 'Model ' + i,
      price: (i * 773) % 9000 }));
      window.api = agGrid.createGrid(document.getElementById('grid'), { rowData, rowSelection: { mode: 'multiRow' }, columnDefs: [
        { field: 'make', filter: true }, { field: 'model', editable: true }, { field: 'price' }] });`,
  }),
  ready: () => document.querySelector('.ag-row .ag-cell'),
  async job(user) {
    await user.click('columnheader', 'Price');
    await user.see(() => api.getColumnState().find((column) => column.colId === 'price').sort === 'asc');
    await user.click('gridcell', 'Model 0', { count: 2 });
    await user.see(() => api.getEditingCells().length === 1);
    await user.fill('textbox', 'Input Editor', 'Model zero');
    await user.see(() => document.querySelector('.ag-cell-inline-editing input').value === 'Model zero');
    await user.press('Enter');
    await user.see(() => api.getDisplayedRowAtIndex(0).data.model === 'Model zero');
    await user.click('css', '[row-index="1"] .ag-selection-checkbox input');
    await user.see(() => api.getSelectedRows().length === 1);
    await user.click('css', '.ag-header-cell[col-id="make"] .ag-header-cell-filter-button');
    await user.see(() => document.querySelector('.ag-filter'));
    await user.fill('textbox', 'Filter Value', 'Ford');
    await user.see(() => api.getDisplayedRowCount() === 167);
  },
};
