// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'upload',
  packages: ['dropzone'],
  page: page('Dropzone', {
    css: ['dropzone/dist/dropzone.css'],
    body: '<form id="zone" class="dropzone" action="/uploads"></form><button id="send">Send</button><button id="clear">Clear</button>',
    js: ['dropzone/dist/dropzone-min.js'],
    script: `Dropzone.autoDiscover = false;
      window.zone = new Dropzone('#zone', { autoProcessQueue: false, addRemoveLinks: true, acceptedFiles: '.txt,.csv', url: '/uploads' });
      document.getElementById('send').onclick = () => zone.processQueue();
      document.getElementById('clear').onclick = () => zone.removeAllFiles(true);`,
  }),
  ready: () => document.querySelector('.dz-hidden-input'),
  async job(user) {
    await user.upload('css', '.dz-hidden-input', { name: 'one.txt', text: 'one' });
    await user.see(() => zone.files.length === 1 && zone.files[0].name === 'one.txt');
    await user.upload('css', '.dz-hidden-input', { name: 'two.csv', text: '1,2' });
    await user.see(() => zone.files.length === 2);
    await user.click('link', 'Remove file');
    await user.see(() => zone.files.length === 1 && zone.files[0].name === 'two.csv');
    await user.upload('css', '.dz-hidden-input', { name: 'bad.exe', text: 'x' });
    await user.see(() => zone.getRejectedFiles().length === 1);
    await user.click('button', 'Send');
    await user.see(() => zone.files.some((file) => file.name === 'two.csv' && file.upload.bytesSent > 0));
    await user.click('button', 'Clear');
    await user.see(() => zone.files.length === 0);
  },
};
