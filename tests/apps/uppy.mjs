// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'upload',
  packages: ['uppy'],
  page: page('Uppy', {
    css: ['uppy/dist/uppy.min.css'],
    body: '<div id="files"></div>',
    script: `import { Dashboard, Uppy } from '/npm/uppy/dist/uppy.min.mjs';
      window.uppy = new Uppy({ restrictions: { maxNumberOfFiles: 3 } }).use(Dashboard, { inline: true, target: '#files', showProgressDetails: true,
        width: 700, height: 450,
        metaFields: [{ id: 'caption', name: 'Caption', placeholder: 'What it shows' }] });`,
    module: true,
  }),
  ready: () => document.querySelector('.uppy-Dashboard-input'),
  async job(user) {
    await user.upload('css', '.uppy-Dashboard-input', { name: 'one.txt', text: 'one' });
    await user.see(() => uppy.getFiles().length === 1);
    await user.click('button', /^Edit file/);
    await user.see(() => document.querySelector('.uppy-Dashboard-FileCard input'));
    await user.fill('css', '.uppy-Dashboard-FileCard input[type="text"]:last-of-type', 'A note');
    await user.see(() => document.querySelector('.uppy-Dashboard-FileCard input').value);
    await user.click('button', 'Save changes');
    await user.see(() => !document.querySelector('.uppy-Dashboard-FileCard')?.checkVisibility());
    await user.click('button', 'Add more files');
    await user.see(() => document.querySelector('.uppy-Dashboard-AddFilesPanel .uppy-Dashboard-input, .uppy-Dashboard-input'));
    await user.upload('css', '.uppy-Dashboard-input', { name: 'two.txt', text: 'two' });
    await user.see(() => uppy.getFiles().length === 2);
    await user.click('button', /^Remove file/);
    await user.see(() => uppy.getFiles().length === 1);
  },
};
