// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'upload',
  packages: ['filepond'],
  page: page('FilePond', {
    css: ['filepond/dist/filepond.min.css'],
    body: '<label for="files">Files</label><input type="file" id="files" multiple>',
    js: ['filepond/dist/filepond.min.js'],
    script: "window.pond = FilePond.create(document.getElementById('files'), { server: '/uploads', instantUpload: false, maxFiles: 3 })",
  }),
  ready: () => document.querySelector('.filepond--browser'),
  async job(user) {
    await user.upload('css', '.filepond--browser', { name: 'one.txt', text: 'one' });
    await user.see(() => pond.getFiles().length === 1 && pond.getFile().status === 2);
    await user.upload('css', '.filepond--browser', { name: 'two.txt', text: 'two' });
    await user.see(() => pond.getFiles().length === 2);
    await user.click('button', 'Upload');
    await user.see(() => pond.getFiles().some((file) => file.status === 5));
    await user.click('button', 'Remove');
    await user.see(() => pond.getFiles().length === 1);
    await user.upload('css', '.filepond--browser', { name: 'three.txt', text: 'three' });
    await user.see(() => pond.getFiles().length === 2);
  },
};
