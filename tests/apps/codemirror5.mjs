// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'code editor',
  packages: ['codemirror5'],
  page: page('CodeMirror 5', {
    css: ['codemirror5/lib/codemirror.css', 'codemirror5/addon/dialog/dialog.css'],
    body: '<textarea id="code">let a = 1;\nlet b = 2;\n</textarea>',
    js: ['lib/codemirror.js', 'mode/javascript/javascript.js', 'addon/dialog/dialog.js', 'addon/search/searchcursor.js', 'addon/search/search.js']
      .map((file) => `codemirror5/${file}`),
    script: `window.editor = CodeMirror.fromTextArea(document.getElementById('code'), { lineNumbers: true, mode: 'javascript' })`,
  }),
  ready: () => window.editor && document.querySelector('.CodeMirror-line'),
  async job(user) {
    await user.click('css', '.CodeMirror-lines');
    await user.see(() => editor.hasFocus());
    await user.press('Control+End');
    await user.see(() => editor.getCursor().line === 2);
    await user.type('let c = 3;');
    await user.see(() => editor.getValue().endsWith('let c = 3;'));
    await user.press('Control+f');
    await user.see(() => document.querySelector('.CodeMirror-search-field'));
    await user.type('let b');
    await user.see(() => document.querySelector('.CodeMirror-search-field').value === 'let b');
    await user.press('Enter');
    await user.see(() => editor.getSelection() === 'let b');
    await user.press('Escape');
    await user.see(() => !document.querySelector('.CodeMirror-search-field'));
    await user.press('Control+z');
    await user.see(() => !editor.getValue().includes('let c'));
  },
};
