// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'calendar',
  packages: ['fullcalendar'],
  page: page('FullCalendar', {
    body: '<div id="calendar"></div>',
    js: ['fullcalendar/index.global.min.js'],
    script: `window.calendar = new FullCalendar.Calendar(document.getElementById('calendar'), { initialDate: '2024-03-10', height: 600,
      editable: true, selectable: true,
      headerToolbar: { left: 'prev,next', center: 'title', right: 'dayGridMonth,timeGridWeek,listMonth' },
      events: [{ id: 'a', title: 'Review', start: '2024-03-12' }, { id: 'b', title: 'Launch', start: '2024-03-20' }],
      eventClick: ({ event }) => { window.clicked = event.id; },
      dateClick: ({ dateStr }) => calendar.addEvent({ id: 'new', title: 'New event', start: dateStr }) });
      calendar.render();`,
  }),
  ready: () => document.querySelector('.fc-event'),
  async job(user) {
    await user.click('css', '.fc-event');
    await user.see(() => window.clicked === 'a');
    await user.drag(['css', '.fc-event'], ['css', 'td[data-date="2024-03-14"] .fc-daygrid-day-frame']);
    await user.see(() => calendar.getEventById('a').startStr === '2024-03-14');
    await user.click('css', 'td[data-date="2024-03-05"]');
    await user.see(() => calendar.getEventById('new')?.startStr === '2024-03-05');
    await user.click('button', 'Next month');
    await user.see(() => calendar.getDate().getMonth() === 3);
    await user.click('button', 'Previous month');
    await user.see(() => calendar.getDate().getMonth() === 2);
    await user.click('button', 'list');
    await user.see(() => document.querySelectorAll('.fc-list-event').length === 3);
  },
};
