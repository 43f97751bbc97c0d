// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'rich text editor',
  packages: ['@tiptap/core', '@tiptap/pm', '@tiptap/starter-kit'],
  body: '<button id="bold">Bold</button><button id="list">List</button><button id="undo">Undo</button><div id="editor"></div>',
  entry: `import { Editor } from '@tiptap/core';
    import StarterKit from '@tiptap/starter-kit';
    const editor = window.editor = new Editor({ element: document.getElementById('editor'), extensions: [StarterKit], content: '<p></p>' });
    const on = (id, act) => { document.getElementById(id).onclick = act; };
    on('bold', () => editor.chain().focus().toggleBold().run());
    on('list', () => editor.chain().focus().toggleBulletList().run());
    on('undo', () => editor.chain().focus().undo().run());`,
  ready: () => document.querySelector('.ProseMirror'),
  async job(user) {
    await user.fill('css', '.ProseMirror', 'Dear reader');
    await user.see(() => editor.getHTML() === '<p>Dear reader</p>');
    await user.press('Control+a');
    await user.see(() => !editor.state.selection.empty);
    await user.click('button', 'Bold');
    await user.see(() => editor.getHTML() === '<p><strong>Dear reader</strong></p>');
    await user.click('button', 'List');
    await user.see(() => editor.getHTML().startsWith('<ul>'));
    await user.click('button', 'Undo');
    await user.see(() => !editor.getHTML().includes('<ul>') && editor.view.hasFocus()); // which comes a frame later
    await user.press('Control+End');
    await user.see(() => editor.state.selection.empty);
    await user.press('Enter');
    await user.see(() => editor.state.doc.childCount === 2);
    await user.type('# Title');
    await user.see(() => editor.getHTML().includes('Title'));
  },
};
