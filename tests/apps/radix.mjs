// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'component library (React)',
  packages: ['radix-ui', 'react', 'react-dom'],
  entry: `import React, { useState } from 'react';
    import { createRoot } from 'react-dom/client';
    import { Accordion, Checkbox, Dialog, DropdownMenu, Select, Slider, Switch, Tabs } from 'radix-ui';
    function App() {
      const [state, setState] = useState({ fly: false, terms: false, fruit: '', menu: '', tab: 'one', volume: 30 });
      const set = (more) => setState((old) => ({ ...old, ...more }));
      window.state = state;
      return <><label htmlFor="fly">Airplane mode</label>
        <Switch.Root id="fly" checked={state.fly} onCheckedChange={(fly) => set({ fly })} style={{ width: 40, height: 20 }}><Switch.Thumb />
        </Switch.Root>
        <label htmlFor="terms">Accept terms</label>
          <Checkbox.Root id="terms" checked={state.terms} onCheckedChange={(terms) => set({ terms })} style={{ width: 20, height: 20 }}>
          <Checkbox.Indicator>x</Checkbox.Indicator></Checkbox.Root>
        <label htmlFor="fruit">Fruit</label><Select.Root value={state.fruit} onValueChange={(fruit) => set({ fruit })}><Select.Trigger id="fruit">
          <Select.Value placeholder="Pick one" /></Select.Trigger>
          <Select.Portal><Select.Content position="popper"><Select.Viewport>{['Apple', 'Pear'].map((each) => <Select.Item key={each} value={each}>
            <Select.ItemText>{each}</Select.ItemText></Select.Item>)}</Select.Viewport></Select.Content></Select.Portal></Select.Root>
        <DropdownMenu.Root><DropdownMenu.Trigger>Edit</DropdownMenu.Trigger><DropdownMenu.Portal><DropdownMenu.Content>
          {['Copy', 'Paste'].map((each) => <DropdownMenu.Item key={each} onSelect={() => set({ menu: each })}>{each}</DropdownMenu.Item>)}
          </DropdownMenu.Content></DropdownMenu.Portal></DropdownMenu.Root>
        <Tabs.Root value={state.tab} onValueChange={(tab) => set({ tab })}><Tabs.List><Tabs.Trigger value="one">One</Tabs.Trigger>
          <Tabs.Trigger value="two">Two</Tabs.Trigger></Tabs.List></Tabs.Root>
        <Slider.Root value={[state.volume]} onValueChange={([volume]) => set({ volume })} style={{ width: 200, height: 20, display: 'flex',
          position: 'relative' }}>
          <Slider.Track style={{ flexGrow: 1 }}><Slider.Range /></Slider.Track><Slider.Thumb aria-label="Volume" style={{ width: 20, height: 20,
            display: 'block', background: 'grey' }} /></Slider.Root>
        <Accordion.Root type="single" collapsible><Accordion.Item value="a"><Accordion.Header><Accordion.Trigger>What is it?</Accordion.Trigger>
          </Accordion.Header><Accordion.Content>A library</Accordion.Content></Accordion.Item></Accordion.Root>
        <Dialog.Root><Dialog.Trigger>Open</Dialog.Trigger><Dialog.Portal><Dialog.Overlay style={{ position: 'fixed', inset: 0,
          background: '#0004' }} />
          <Dialog.Content aria-describedby={undefined} style={{ position: 'fixed', top: 100, left: 100, background: 'white' }}>
            <Dialog.Title>Hello</Dialog.Title><Dialog.Close>Close</Dialog.Close></Dialog.Content></Dialog.Portal></Dialog.Root></>;
    }
    createRoot(document.getElementById('root')).render(<App />);`,
  ready: () => window.state,
  async job(user) {
    await user.click('switch', 'Airplane mode');
    await user.see(() => state.fly);
    await user.click('checkbox', 'Accept terms');
    await user.see(() => state.terms);
    await user.click('combobox', 'Fruit');
    await user.see(() => document.querySelector('[role=listbox]'));
    await user.click('option', 'Pear');
    await user.see(() => state.fruit === 'Pear' && !document.querySelector('[role=listbox]'));
    await user.click('button', 'Edit');
    await user.see(() => document.querySelector('[role=menu]'));
    await user.click('menuitem', 'Paste');
    await user.see(() => state.menu === 'Paste' && !document.querySelector('[role=menu]'));
    await user.click('tab', 'Two');
    await user.see(() => state.tab === 'two');
    await user.click('button', 'What is it?');
    await user.see(() => document.body.textContent.includes('A library'));
    await user.click('button', 'Open');
    await user.see(() => document.querySelector('[role=dialog]'));
    await user.click('button', 'Close');
    await user.see(() => !document.querySelector('[role=dialog]'));
  },
};
