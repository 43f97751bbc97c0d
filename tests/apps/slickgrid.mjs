// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'data grid',
  packages: ['slickgrid', 'sortablejs'],
  page: page('SlickGrid', {
    css: ['slickgrid/dist/styles/css/slick-alpine-theme.css'],
    body: '<div id="grid" style="width:600px;height:300px"></div>',
    js: ['sortablejs/Sortable.min.js', ...['core', 'interactions', 'editors', 'grid'].map((part) => `slickgrid/dist/browser/slick.${part}.js`)],
    script: `window.data = Array.from({ length: 1000 }, (_, i) => ({ task: 'Task ' + i, days: i % 9 }));
      window.grid = new Slick.Grid('#grid', data, [
        { id: 'task', name: 'Task', field: 'task', width: 200, editor: Slick.Editors.Text, sortable: true },
        { id: 'days', name: 'Days', field: 'days', width: 120, editor: Slick.Editors.Integer }], { editable: true, enableCellNavigation: true,
          autoEdit: false });
      grid.onSort.subscribe((_, args) => { data.sort((a, b) => (args.sortAsc ? 1 : -1) * (a.days - b.days)); window.sorted = true;
        grid.invalidate(); });`,
  }),
  ready: () => document.querySelector('.slick-row .slick-cell'),
  async job(user) {
    await user.click('css', '.slick-row:nth-child(2) .l0');
    await user.see(() => grid.getActiveCell()?.row === 1);
    await user.press('Enter');
    await user.see(() => grid.getCellEditor());
    await user.fill('css', '.slick-cell.editable input', 'First thing');
    await user.see(() => document.querySelector('.slick-cell.editable input').value === 'First thing');
    await user.press('Enter');
    await user.see(() => data[1].task === 'First thing');
    await user.click('columnheader', 'Task');
    await user.see(() => window.sorted);
    await user.scroll('css', '.slick-viewport-left', 6000);
    await user.see(() => grid.getViewport().top > 50);
    await user.click('css', '.slick-row:nth-child(12) .l1');
    await user.see(() => grid.getActiveCell()?.row > 40);
  },
};
