// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'rich text editor',
  packages: ['ckeditor5'],
  body: '<div id="editor"></div>',
  entry: `import { BlockQuote, Bold, ClassicEditor, Essentials, Heading, Italic, List, Paragraph, Table, TableToolbar } from 'ckeditor5';
    import 'ckeditor5/ckeditor5.css';
    window.editor = await ClassicEditor.create(document.getElementById('editor'), { licenseKey: 'GPL',
      plugins: [Essentials, Paragraph, Bold, Italic, Heading, List, BlockQuote, Table, TableToolbar],
      toolbar: ['heading', 'bold', 'italic', 'bulletedList', 'blockQuote', 'insertTable', 'undo'] });`,
  ready: () => window.editor?.state === 'ready',
  async job(user) {
    await user.fill('textbox', /Rich Text Editor|Editor editing area/, 'Dear reader');
    await user.see(() => editor.getData() === '<p>Dear reader</p>');
    await user.press('Control+a');
    await user.see(() => !editor.model.document.selection.isCollapsed);
    await user.click('button', 'Bold');
    await user.see(() => editor.getData() === '<p><strong>Dear reader</strong></p>');
    await user.click('button', /Heading$/);
    await user.see(() => document.querySelector('.ck-heading-dropdown .ck-dropdown__panel-visible'));
    await user.click('menuitemradio', 'Heading 1');
    await user.see(() => editor.getData().startsWith('<h2>'));
    await user.click('button', 'Block quote');
    await user.see(() => editor.getData().startsWith('<blockquote>'));
    await user.click('button', 'Undo');
    await user.see(() => !editor.getData().includes('<blockquote>'));
  },
};
