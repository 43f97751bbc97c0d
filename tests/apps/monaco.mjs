// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'code editor',
  packages: ['monaco-editor'],
  page: page('Monaco', {
    body: '<div id="editor" style="height:400px"></div>',
    js: ['monaco-editor/min/vs/loader.js'],
    script: `require.config({ paths: { vs: '/npm/monaco-editor/min/vs' } });
      require(['vs/editor/editor.main'], () => {
        window.editor = monaco.editor.create(document.getElementById('editor'), { value: 'let a = 1;\\nlet b = 2;\\n', language: 'plaintext' });
      });`,
  }),
  ready: () => document.querySelector('.view-line span'),
  async job(user) {
    await user.click('css', '.view-lines');
    await user.see(() => editor.hasTextFocus());
    await user.press('Control+End');
    await user.see(() => editor.getPosition().lineNumber === 3);
    await user.type('let c = 3;');
    await user.see(() => editor.getValue().endsWith('let c = 3;'));
    await user.press('Control+f');
    await user.see(() => document.querySelector('.find-widget.visible'));
    await user.fill('textbox', 'Find', 'let b');
    await user.see(() => document.querySelector('.find-widget .matchesCount').textContent.includes('1 of 1'));
    await user.click('button', /^Close/);
    await user.see(() => !document.querySelector('.find-widget.visible'));
    await user.press('F1');
    await user.see(() => document.querySelector('.quick-input-widget')?.checkVisibility());
  },
};
