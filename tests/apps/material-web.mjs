// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'web components (shadow DOM)',
  packages: ['@material/web'],
  missing: 'The tabs declare their role by ElementInternals, which only the page itself can read.',
  body: `<md-filled-text-field label="Name"></md-filled-text-field><label><md-checkbox id="agree"></md-checkbox> Agree</label>
    <md-switch aria-label="Updates"></md-switch>
    <md-outlined-select label="Size"><md-select-option value="s"><div slot="headline">Small</div></md-select-option><md-select-option value="l">
      <div slot="headline">Large</div></md-select-option></md-outlined-select>
    <md-tabs><md-primary-tab>First</md-primary-tab><md-primary-tab>Second</md-primary-tab></md-tabs>
    <md-slider aria-label="Volume" min="0" max="10" value="5"></md-slider><md-filled-button id="open">Open</md-filled-button>
    <md-dialog><div slot="headline">Hello</div><div slot="actions"><md-text-button id="done">Done</md-text-button></div></md-dialog>`,
  entry: `import '@material/web/all.js';
    const $ = window.q = (css) => document.querySelector(css);
    $('#open').onclick = () => $('md-dialog').show();
    $('#done').onclick = () => $('md-dialog').close();`,
  ready: () => q('md-filled-text-field').shadowRoot?.querySelector('input'),
  async job(user) {
    await user.fill('textbox', 'Name', 'Ada');
    await user.see(() => q('md-filled-text-field').value === 'Ada');
    await user.click('css', '#agree');
    await user.see(() => q('#agree').checked);
    await user.click('switch', 'Updates');
    await user.see(() => q('md-switch').selected);
    await user.click('combobox', 'Size');
    await user.see(() => q('md-outlined-select').open);
    await user.click('option', 'Large');
    await user.see(() => q('md-outlined-select').value === 'l');
    await user.click('css', 'md-primary-tab:nth-child(2)');
    await user.see(() => q('md-tabs').activeTabIndex === 1);
    await user.click('button', 'Open');
    await user.see(() => q('md-dialog').open);
    await user.click('button', 'Done');
    await user.see(() => !q('md-dialog').open);
  },
};
