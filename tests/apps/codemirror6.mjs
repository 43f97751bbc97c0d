// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'code editor',
  packages: ['codemirror', '@codemirror/lang-javascript'],
  body: '<div id="editor"></div>',
  entry: `import { EditorView, basicSetup } from 'codemirror';
    import { javascript } from '@codemirror/lang-javascript';
    window.view = new EditorView({ doc: 'let first = 1;\\nlet second = 2;\\n', extensions: [basicSetup, javascript()],
      parent: document.getElementById('editor') });`,
  ready: () => document.querySelector('.cm-line'),
  async job(user) {
    await user.click('css', '.cm-content');
    await user.see(() => view.hasFocus);
    await user.press('Control+End');
    await user.see(() => view.state.selection.main.head === view.state.doc.length);
    await user.type('fir');
    await user.see(() => document.querySelector('.cm-tooltip-autocomplete'));
    await user.press('Escape');
    await user.see(() => !document.querySelector('.cm-tooltip-autocomplete'));
    await user.press('Control+f');
    await user.see(() => document.querySelector('.cm-search'));
    await user.fill('textbox', 'Find', 'second');
    await user.see(() => document.querySelector('.cm-search [name=search]').value === 'second');
    await user.click('button', 'next');
    await user.see(() => view.state.sliceDoc(view.state.selection.main.from, view.state.selection.main.to) === 'second');
    await user.fill('textbox', 'Replace', 'other');
    await user.see(() => document.querySelector('.cm-search [name=replace]').value === 'other');
    await user.click('button', 'replace all');
    await user.see(() => view.state.doc.toString().includes('let other = 2;'));
  },
};
