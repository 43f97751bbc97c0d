// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'date picker',
  packages: ['air-datepicker'],
  page: page('Air Datepicker', {
    css: ['air-datepicker/air-datepicker.css'],
    body: '<label for="day">Day</label> <input id="day">',
    js: ['air-datepicker/air-datepicker.js'],
    script: `window.picker = new AirDatepicker('#day', { startDate: new Date(2024, 2, 10), dateFormat: 'yyyy-MM-dd', buttons: ['clear'],
      locale: { days: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
        daysShort: ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'], daysMin: ['Su', 'Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa'],
        months: ['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November', 'December'],
        monthsShort: ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'],
        today: 'Today', clear: 'Clear', dateFormat: 'yyyy-MM-dd', timeFormat: 'HH:mm', firstDay: 1 } });`,
  }),
  ready: () => window.picker,
  async job(user) {
    await user.click('textbox', 'Day');
    await user.see(() => picker.visible);
    await user.click('css', '.air-datepicker-nav--action[data-action="next"]');
    await user.see(() => picker.viewDate.getMonth() === 3);
    await user.click('css', '.air-datepicker-nav--title');
    await user.see(() => picker.currentView === 'months');
    await user.click('css', '.air-datepicker-cell.-month-[data-month="6"]');
    await user.see(() => picker.currentView === 'days' && picker.viewDate.getMonth() === 6);
    await user.click('css', '.air-datepicker-cell.-day-[data-date="15"][data-month="6"]');
    await user.see(() => document.querySelector('#day').value === '2024-07-15');
    await user.click('button', 'Clear');
    await user.see(() => document.querySelector('#day').value === '');
  },
};
