// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'dialog',
  packages: ['sweetalert2'],
  page: page('SweetAlert2', {
    body: '<button id="ask">Rename</button> <button id="drop">Delete</button> <p id="said"></p>',
    js: ['sweetalert2/dist/sweetalert2.all.min.js'],
    script: `const say = (text) => { document.getElementById('said').textContent = text; };
      document.getElementById('ask').onclick = async () => {
        const { value } = await Swal.fire({ title: 'New name', input: 'text', inputLabel: 'Name', showCancelButton: true,
          inputValidator: (text) => !text && 'A name is needed' });
        say('named ' + value);
      };
      document.getElementById('drop').onclick = async () => {
        const { isConfirmed } = await Swal.fire({ title: 'Are you sure?', icon: 'warning', showCancelButton: true,
          confirmButtonText: 'Yes, delete it' });
        say(isConfirmed ? 'deleted' : 'kept');
      };`,
  }),
  ready: () => window.Swal,
  async job(user) {
    await user.click('button', 'Rename');
    await user.see(() => Swal.isVisible());
    await user.click('button', 'OK');
    await user.see(() => Swal.getValidationMessage()?.textContent === 'A name is needed');
    await user.fill('textbox', 'Name', 'Ada');
    await user.see(() => Swal.getInput().value === 'Ada');
    await user.click('button', 'OK');
    await user.see(() => document.querySelector('#said').textContent === 'named Ada' && !Swal.isVisible());
    await user.click('button', 'Delete');
    await user.see(() => Swal.isVisible());
    await user.click('button', 'Cancel');
    await user.see(() => document.querySelector('#said').textContent === 'kept' && !Swal.isVisible());
    await user.click('button', 'Delete');
    await user.see(() => Swal.isVisible());
    await user.click('button', 'Yes, delete it');
    await user.see(() => document.querySelector('#said').textContent === 'deleted');
  },
};
