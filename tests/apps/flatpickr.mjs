// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'date picker',
  packages: ['flatpickr'],
  page: page('flatpickr', {
    css: ['flatpickr/dist/flatpickr.min.css'],
    body: '<label for="day">Day</label> <input id="day"> <label for="time">Time</label> <input id="time">',
    js: ['flatpickr/dist/flatpickr.min.js'],
    script: `flatpickr('#day', { defaultDate: '2024-03-10' });
      flatpickr('#time', { enableTime: true, noCalendar: true, dateFormat: 'H:i', time_24hr: true, defaultDate: '12:00' });`,
  }),
  ready: () => document.querySelectorAll('.flatpickr-calendar').length === 2,
  async job(user) {
    await user.click('textbox', 'Day');
    await user.see(() => document.querySelector('.flatpickr-calendar.open'));
    await user.click('css', '.flatpickr-calendar.open .flatpickr-next-month');
    await user.see(() => document.querySelector('#day')._flatpickr.currentMonth === 3);
    await user.click('css', '.open .flatpickr-day[aria-label="April 17, 2024"]');
    await user.see(() => document.querySelector('#day').value === '2024-04-17');
    await user.click('textbox', 'Time');
    await user.see(() => document.querySelector('.flatpickr-calendar.noCalendar.open'));
    await user.fill('spinbutton', 'Hour', '15');
    await user.see(() => document.querySelector('.noCalendar .flatpickr-hour').value === '15');
    await user.press('Enter');
    await user.see(() => document.querySelector('#time').value === '15:00');
  },
};
