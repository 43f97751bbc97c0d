// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'component library (React)',
  packages: ['@headlessui/react', 'react', 'react-dom'],
  entry: `import React, { useState } from 'react';
    import { createRoot } from 'react-dom/client';
    import { Combobox, ComboboxInput, ComboboxOption, ComboboxOptions, Dialog, DialogPanel, DialogTitle, Field, Label, Listbox, ListboxButton,
      ListboxOption,
      ListboxOptions, Menu, MenuButton, MenuItem, MenuItems, Radio, RadioGroup, Switch } from '@headlessui/react';
    const people = ['Ann', 'Bob', 'Cid'];
    function App() {
      const [state, setState] = useState({ on: false, who: 'Ann', boss: null, query: '', plan: 'free', open: false, did: '' });
      const set = (more) => setState((old) => ({ ...old, ...more }));
      window.state = state;
      return <><Field><Label>Alerts</Label><Switch checked={state.on} onChange={(on) => set({ on })} style={{ width: 40, height: 20 }} /></Field>
        <Field><Label>Assignee</Label><Listbox value={state.who} onChange={(who) => set({ who })}><ListboxButton>{state.who}</ListboxButton>
          <ListboxOptions anchor="bottom">{people.map((each) => <ListboxOption key={each} value={each}>{each}</ListboxOption>)}</ListboxOptions>
            </Listbox></Field>
        <Field><Label>Manager</Label><Combobox value={state.boss} onChange={(boss) => set({ boss })}>
          <ComboboxInput onChange={(e) => set({ query: e.target.value })} />
          <ComboboxOptions>{people.filter((each) => each.toLowerCase().includes(state.query)).map((each) =>
            <ComboboxOption key={each} value={each}>{each}</ComboboxOption>)}</ComboboxOptions></Combobox></Field>
        <RadioGroup value={state.plan} onChange={(plan) => set({ plan })} aria-label="Plan">{['free', 'paid'].map((each) => <Field key={each}>
          <Radio value={each}>o</Radio><Label>{each}</Label></Field>)}</RadioGroup>
        <Menu><MenuButton>Options</MenuButton><MenuItems anchor="bottom">{['Edit', 'Archive'].map((each) => <MenuItem key={each}>
          <button onClick={() => set({ did: each })}>{each}</button></MenuItem>)}</MenuItems></Menu>
        <button onClick={() => set({ open: true })}>Leave</button>
        <Dialog open={state.open} onClose={() => set({ open: false })}><DialogPanel><DialogTitle>Leave the team?</DialogTitle>
          <button onClick={() => set({ open: false, did: 'left' })}>Confirm</button></DialogPanel></Dialog></>;
    }
    createRoot(document.getElementById('root')).render(<App />);`,
  ready: () => window.state,
  async job(user) {
    await user.click('switch', 'Alerts');
    await user.see(() => state.on);
    await user.click('button', /Assignee/);
    await user.see(() => document.querySelector('[role=listbox]'));
    await user.click('option', 'Cid');
    await user.see(() => state.who === 'Cid');
    await user.fill('combobox', 'Manager', 'bo');
    await user.see(() => document.querySelectorAll('[role=option]').length === 1);
    await user.click('option', 'Bob');
    await user.see(() => state.boss === 'Bob');
    await user.click('radio', 'paid');
    await user.see(() => state.plan === 'paid');
    await user.click('button', 'Options');
    await user.see(() => document.querySelector('[role=menu]'));
    await user.click('menuitem', 'Archive');
    await user.see(() => state.did === 'Archive');
    await user.click('button', 'Leave');
    await user.see(() => document.querySelector('[role=dialog]'));
    await user.click('button', 'Confirm');
    await user.see(() => state.did === 'left');
  },
};
