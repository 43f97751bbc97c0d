// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'kanban board',
  packages: ['jkanban'],
  page: page('jKanban', {
    css: ['jkanban/dist/jkanban.min.css'],
    body: '<div id="board"></div>',
    js: ['jkanban/dist/jkanban.min.js'],
    script: `window.board = new jKanban({ element: '#board', gutter: '10px', widthBoard: '250px', dragBoards: false,
      itemAddOptions: { enabled: true, content: 'Add card', class: 'add' },
      click: (el) => { window.clicked = el.dataset.eid; }, buttonClick: (_, id) => { board.addElement(id, { id: 'new', title: 'New card' }); },
      boards: [{ id: 'todo', title: 'To do', item: [{ id: 'a', title: 'Wash' }, { id: 'b', title: 'Dry' }] }, { id: 'doing', title: 'Doing',
        item: [{ id: 'c', title: 'Iron' }] }, { id: 'done', title: 'Done', item: [{ id: 'd', title: 'Fold' }] }] });
      window.cards = (id) => [...document.querySelectorAll('[data-id="' + id + '"] .kanban-item')].map((each) => each.dataset.eid).join();`,
  }),
  ready: () => document.querySelector('.kanban-item'),
  async job(user) {
    await user.click('css', '[data-eid="a"]');
    await user.see(() => window.clicked === 'a');
    await user.drag(['css', '[data-eid="a"]'], ['css', '[data-eid="c"]']);
    await user.see(() => cards('doing').includes('a') && cards('todo') === 'b');
    await user.drag(['css', '[data-eid="c"]'], ['css', '[data-eid="d"]']);
    await user.see(() => cards('done').includes('c'));
    await user.click('css', '[data-id="todo"] .add');
    await user.see(() => cards('todo').includes('new'));
    await user.drag(['css', '[data-eid="new"]'], ['css', '[data-eid="a"]']);
    await user.see(() => cards('doing').includes('new'));
  },
};
