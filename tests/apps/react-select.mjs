// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'select',
  packages: ['react-select', 'react', 'react-dom'],
  entry: `import React, { useState } from 'react';
    import { createRoot } from 'react-dom/client';
    import Select from 'react-select';
    const options = ['Red', 'Green', 'Blue'].map((label) => ({ label, value: label.toLowerCase() }));
    function App() {
      const [one, setOne] = useState(null);
      const [many, setMany] = useState([]);
      window.state = { one: one?.value, many: many.map((each) => each.value).join() };
      return <><label htmlFor="one">Colour</label><Select inputId="one" options={options} value={one} onChange={setOne} isClearable />
        <label htmlFor="many">Colours</label><Select inputId="many" isMulti options={options} value={many} onChange={setMany} /></>;
    }
    createRoot(document.getElementById('root')).render(<App />);`,
  ready: () => window.state,
  async job(user) {
    await user.click('combobox', 'Colour');
    await user.see(() => document.querySelector('[role=option]'));
    await user.click('option', 'Green');
    await user.see(() => state.one === 'green');
    await user.fill('combobox', 'Colours', 'bl');
    await user.see(() => document.querySelectorAll('[role=option]').length === 1);
    await user.press('Enter');
    await user.see(() => state.many === 'blue');
    await user.click('combobox', 'Colours');
    await user.see(() => document.querySelectorAll('[role=option]').length === 2);
    await user.click('option', 'Red');
    await user.see(() => state.many === 'blue,red');
    await user.click('button', 'Remove Blue');
    await user.see(() => state.many === 'red');
  },
};
