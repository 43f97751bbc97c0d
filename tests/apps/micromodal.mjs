// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'dialog',
  packages: ['micromodal'],
  page: page('Micromodal', {
    body: `<style>.modal { display: none } .modal.is-open { display: block } .overlay { position: fixed; inset: 0; background: #0008;
      display: flex; align-items: center; justify-content: center } .box { background: #fff; padding: 30px }</style>
      <button data-micromodal-trigger="one">Settings</button><p>Behind</p>
      <div class="modal" id="one" aria-hidden="true"><div class="overlay" tabindex="-1" data-micromodal-close>
        <div class="box" role="dialog" aria-modal="true" aria-labelledby="title">
        <h2 id="title">Settings</h2><label>Nickname <input id="nick"></label><label><input type="checkbox" id="public"> Public</label>
        <button id="save">Save</button><button aria-label="Close" data-micromodal-close>x</button></div></div></div>`,
    js: ['micromodal/dist/micromodal.min.js'],
    script: `MicroModal.init({ onShow: () => { window.open_ = true; }, onClose: () => { window.open_ = false; } });
      document.getElementById('save').onclick = () => { window.saved = true; MicroModal.close('one'); };`,
  }),
  ready: () => window.MicroModal,
  async job(user) {
    await user.click('button', 'Settings');
    await user.see(() => window.open_);
    await user.fill('textbox', 'Nickname', 'Ada');
    await user.see(() => document.querySelector('#nick').value === 'Ada');
    await user.click('checkbox', 'Public');
    await user.see(() => document.querySelector('#public').checked);
    await user.click('button', 'Save');
    await user.see(() => window.saved && !window.open_);
    await user.click('button', 'Settings');
    await user.see(() => window.open_);
    await user.press('Escape');
    await user.see(() => !window.open_);
  },
};
