// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'data grid',
  packages: ['datatables.net', 'datatables.net-dt', 'jquery'],
  page: page('DataTables', {
    css: ['datatables.net-dt/css/dataTables.dataTables.min.css'],
    body: '<table id="table" class="display"></table>',
    js: ['jquery/dist/jquery.min.js', 'datatables.net/js/dataTables.min.js', 'datatables.net-dt/js/dataTables.dataTables.min.js'],
    script: `window.table = new DataTable('#table', { data: Array.from({ length: 60 }, (_, i) => ['Row ' + (i + 1), (i * 37 + 5) % 60]),
      columns: [{ title: 'Name' }, { title: 'Score' }] });`,
  }),
  ready: () => document.querySelector('#table tbody td'),
  async job(user) {
    await user.click('button', /^Score: /);
    await user.see(() => document.querySelector('#table tbody td:nth-child(2)').textContent === '0');
    await user.click('link', '2');
    await user.see(() => table.page() === 1);
    await user.fill('searchbox', 'Search:', 'Row 60');
    await user.see(() => table.page.info().recordsDisplay === 1);
    await user.fill('searchbox', 'Search:', '');
    await user.see(() => table.page.info().recordsDisplay === 60);
    await user.select('combobox', /entries per page/, ['25']);
    await user.see(() => table.page.len() === 25 && document.querySelectorAll('#table tbody tr').length === 25);
    await user.click('button', /^Name: /);
    await user.see(() => document.querySelector('#table tbody td').textContent === 'Row 1');
  },
};
