// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'component library (Svelte)',
  packages: ['svelte', 'svelte-select'],
  body: '<label for="one">Colour</label><div id="a"></div><label for="many">Colours</label><div id="b"></div>',
  entry: `import { mount } from 'svelte';
    import Select from 'svelte-select';
    const items = ['Red', 'Green', 'Blue'].map((label) => ({ label, value: label.toLowerCase() }));
    window.state = {};
    mount(Select, { target: document.getElementById('a'), props: { items, id: 'one' },
      events: { select: (e) => { state.one = e.detail.value; }, clear: () => { state.one = ''; } } });
    mount(Select, { target: document.getElementById('b'), props: { items, id: 'many', multiple: true },
      events: { input: (e) => { state.many = (e.detail ?? []).map((each) => each.value).join(); } } });`,
  ready: () => document.querySelectorAll('.svelte-select').length === 2,
  async job(user) {
    await user.click('textbox', 'Colour');
    await user.see(() => document.querySelectorAll('.svelte-select-list .list-item').length === 3);
    await user.click('css', '.svelte-select-list .list-item:nth-child(2)');
    await user.see(() => state.one === 'green');
    await user.fill('textbox', 'Colours', 'bl');
    await user.see(() => document.querySelectorAll('.svelte-select-list .list-item').length === 1);
    await user.press('Enter');
    await user.see(() => state.many === 'blue' && !document.querySelector('.svelte-select-list')); // which closes a task later
    await user.click('textbox', 'Colours');
    await user.see(() => document.querySelector('.svelte-select-list'));
    await user.click('css', '.svelte-select-list .list-item');
    await user.see(() => state.many?.split(',').length === 2);
    await user.click('css', '#a .clear-select');
    await user.see(() => state.one === '');
  },
};
