// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'rich text editor',
  packages: ['quill'],
  page: page('Quill', {
    css: ['quill/dist/quill.snow.css'],
    body: '<div id="editor"></div>',
    js: ['quill/dist/quill.js'],
    script: "window.quill = new Quill('#editor', { theme: 'snow' })",
  }),
  ready: () => document.querySelector('.ql-toolbar'),
  async job(user) {
    await user.fill('css', '.ql-editor', 'Dear reader');
    await user.see(() => quill.getText() === 'Dear reader\n');
    await user.press('Control+a');
    await user.see(() => quill.getSelection().length === 11);
    await user.click('button', 'bold');
    await user.see(() => quill.getContents(0, 4).ops[0].attributes?.bold);
    await user.click('button', 'italic');
    await user.see(() => quill.getContents(0, 4).ops[0].attributes?.italic);
    await user.click('css', '.ql-header .ql-picker-label');
    await user.see(() => document.querySelector('.ql-header.ql-expanded'));
    await user.click('css', '.ql-header .ql-picker-item[data-value="1"]');
    await user.see(() => document.querySelector('.ql-editor h1')?.textContent === 'Dear reader');
    await user.click('button', 'list: bullet');
    await user.see(() => document.querySelector('.ql-editor li')?.dataset.list === 'bullet');
  },
};
