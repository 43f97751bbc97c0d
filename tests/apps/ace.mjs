// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'code editor',
  packages: ['ace-builds'],
  page: page('Ace', {
    body: '<div id="editor" style="height:300px">let a = 1;\nlet b = 2;\n</div>',
    js: ['ace-builds/src-min-noconflict/ace.js', 'ace-builds/src-min-noconflict/ext-searchbox.js'],
    script: "ace.config.set('basePath', '/npm/ace-builds/src-min-noconflict'); window.editor = ace.edit('editor', { mode: 'ace/mode/javascript' });",
  }),
  ready: () => document.querySelector('.ace_line'),
  async job(user) {
    await user.click('css', '.ace_content');
    await user.see(() => editor.isFocused());
    await user.press('Control+End');
    await user.see(() => editor.getCursorPosition().row === 2);
    await user.type('let c = 3;');
    await user.see(() => editor.getValue().endsWith('let c = 3;'));
    await user.press('Control+f');
    await user.see(() => document.querySelector('.ace_search_field')?.checkVisibility());
    await user.fill('css', '.ace_search_field', 'let b');
    await user.see(() => editor.getSelectedText() === 'let b');
    await user.press('Escape');
    await user.see(() => editor.isFocused());
    await user.press('Delete');
    await user.see(() => !editor.getValue().includes('let b'));
  },
};
