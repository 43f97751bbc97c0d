// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'rich text editor',
  packages: ['tinymce'],
  page: page('TinyMCE', {
    body: '<textarea id="text"></textarea>',
    js: ['tinymce/tinymce.min.js'],
    script: `tinymce.init({ selector: '#text', license_key: 'gpl', plugins: 'lists table', toolbar: 'bold italic bullist table', promotion: false,
      setup: (editor) => editor.on('init', () => { window.editor = editor; }) });`,
  }),
  ready: () => window.editor && document.querySelector('iframe').contentDocument.body.isContentEditable,
  async job(user) {
    await user.frame('iframe').click('css', 'body#tinymce');
    await user.see(() => editor.hasFocus());
    await user.type('Dear reader');
    await user.see(() => editor.getContent({ format: 'text' }) === 'Dear reader');
    await user.press('Control+a');
    await user.see(() => editor.selection.getContent({ format: 'text' }) === 'Dear reader');
    await user.click('button', 'Bold');
    await user.see(() => editor.getContent().includes('<strong>Dear reader</strong>'));
    await user.click('button', 'Bullet list');
    await user.see(() => editor.getContent().includes('<ul>'));
    await user.click('menuitem', 'Format');
    await user.see(() => document.querySelector('.tox-menu'));
    await user.click('menuitem', /^Clear formatting/);
    await user.see(() => !editor.getContent().includes('<strong>'));
  },
};
