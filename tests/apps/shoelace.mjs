// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'web components (shadow DOM)',
  packages: ['@shoelace-style/shoelace'],
  body: `<sl-input id="name" label="Name"></sl-input><sl-select id="size" label="Size"><sl-option value="s">Small</sl-option>
    <sl-option value="l">Large</sl-option></sl-select>
    <sl-checkbox id="agree">Agree</sl-checkbox><sl-switch id="on">Updates</sl-switch>
    <sl-tab-group><sl-tab slot="nav" panel="a">First</sl-tab><sl-tab slot="nav" panel="b">Second</sl-tab><sl-tab-panel name="a">1</sl-tab-panel>
      <sl-tab-panel name="b">2</sl-tab-panel></sl-tab-group>
    <sl-dropdown><sl-button slot="trigger" caret>Edit</sl-button><sl-menu><sl-menu-item value="cut">Cut</sl-menu-item>
      <sl-menu-item value="paste">Paste</sl-menu-item></sl-menu></sl-dropdown>
    <sl-button id="open">Open</sl-button><sl-dialog label="Greeting"><sl-button id="close" slot="footer">Done</sl-button></sl-dialog>`,
  entry: `import '@shoelace-style/shoelace/dist/themes/light.css';
    import '@shoelace-style/shoelace/dist/shoelace.js';
    const $ = window.q = (css) => document.querySelector(css);
    $('sl-menu').addEventListener('sl-select', (e) => { window.picked = e.detail.item.value; });
    $('#open').onclick = () => $('sl-dialog').show();
    $('#close').onclick = () => $('sl-dialog').hide();
    customElements.whenDefined('sl-dialog').then(() => { window.defined = true; });`,
  ready: () => window.defined && q('sl-input').shadowRoot.querySelector('input'),
  async job(user) {
    await user.fill('textbox', 'Name', 'Ada');
    await user.see(() => q('#name').value === 'Ada');
    await user.click('combobox', 'Size');
    await user.see(() => q('#size').open);
    await user.click('option', 'Large');
    await user.see(() => q('#size').value === 'l');
    await user.click('css', '#agree');
    await user.see(() => q('#agree').checked);
    await user.click('css', '#on');
    await user.see(() => q('#on').checked);
    await user.click('tab', 'Second');
    await user.see(() => q('sl-tab[panel=b]').active);
    await user.click('button', 'Edit');
    await user.see(() => q('sl-dropdown').open);
    await user.click('menuitem', 'Paste');
    await user.see(() => window.picked === 'paste');
    await user.click('button', 'Open');
    await user.see(() => q('sl-dialog').open);
    await user.click('button', 'Done');
    await user.see(() => !q('sl-dialog').open);
  },
};
