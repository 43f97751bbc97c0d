// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'date picker',
  packages: ['react-datepicker', 'react', 'react-dom'],
  entry: `import React, { useState } from 'react';
    import { createRoot } from 'react-dom/client';
    import DatePicker from 'react-datepicker';
    import 'react-datepicker/dist/react-datepicker.css';
    function App() {
      const [day, setDay] = useState(new Date(2024, 2, 10));
      window.day = day && [day.getFullYear(), day.getMonth() + 1, day.getDate()].join('-');
      return <><label htmlFor="day">Day</label><DatePicker id="day" selected={day} onChange={setDay} showMonthDropdown dropdownMode="select" /></>;
    }
    createRoot(document.getElementById('root')).render(<App />);`,
  ready: () => document.querySelector('input'),
  async job(user) {
    await user.click('textbox', 'Day');
    await user.see(() => document.querySelector('.react-datepicker'));
    await user.click('button', 'Next Month');
    await user.see(() => document.querySelector('.react-datepicker__current-month').textContent === 'April 2024');
    await user.select('css', '.react-datepicker__month-select', ['June']);
    await user.see(() => document.querySelector('.react-datepicker__current-month').textContent === 'June 2024');
    await user.click('css', '.react-datepicker__day--018');
    await user.see(() => window.day === '2024-6-18');
    await user.fill('textbox', 'Day', '12/24/2024');
    await user.see(() => window.day === '2024-12-24');
    await user.press('Escape');
    await user.see(() => !document.querySelector('.react-datepicker'));
  },
};
