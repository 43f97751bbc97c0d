// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'rich text editor',
  packages: ['lexical', '@lexical/rich-text', '@lexical/history'],
  body: `<button id="bold">Bold</button><button id="undo">Undo</button>
    <div id="editor" contenteditable="true" role="textbox" aria-label="Note" style="min-height:80px"></div>`,
  entry: `import { createEditor, FORMAT_TEXT_COMMAND, UNDO_COMMAND, $getRoot } from 'lexical';
    import { registerRichText, HeadingNode, QuoteNode } from '@lexical/rich-text';
    import { registerHistory, createEmptyHistoryState } from '@lexical/history';
    const editor = window.editor = createEditor({ nodes: [HeadingNode, QuoteNode], onError: console.error });
    editor.setRootElement(document.getElementById('editor'));
    registerRichText(editor);
    registerHistory(editor, createEmptyHistoryState(), 0);
    window.text = () => editor.getEditorState().read(() => $getRoot().getTextContent());
    document.getElementById('bold').onclick = () => editor.dispatchCommand(FORMAT_TEXT_COMMAND, 'bold');
    document.getElementById('undo').onclick = () => editor.dispatchCommand(UNDO_COMMAND);`,
  ready: () => window.text,
  async job(user) {
    await user.click('textbox', 'Note');
    await user.see(() => document.activeElement.id === 'editor');
    await user.type('Dear reader');
    await user.see(() => text() === 'Dear reader');
    await user.press('Control+a');
    await user.see(() => getSelection().toString() === 'Dear reader');
    await user.click('button', 'Bold');
    await user.see(() => document.querySelector('#editor strong')?.textContent === 'Dear reader');
    await user.click('button', 'Undo');
    await user.see(() => !document.querySelector('#editor strong'));
    await user.fill('textbox', 'Note', 'Fresh start');
    await user.see(() => text() === 'Fresh start');
  },
};
