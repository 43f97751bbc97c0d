// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'rich text editor',
  packages: ['trix'],
  page: page('Trix', {
    css: ['trix/dist/trix.css'],
    body: '<form><input id="x" type="hidden"><trix-editor input="x" aria-label="Story"></trix-editor></form>',
    js: ['trix/dist/trix.umd.min.js'],
    script: "window.html = () => document.getElementById('x').value;",
  }),
  ready: () => document.querySelector('trix-editor')?.editor && document.querySelector('trix-toolbar button'),
  async job(user) {
    await user.click('textbox', 'Story');
    await user.see(() => document.activeElement.localName === 'trix-editor');
    await user.type('Dear reader');
    await user.see(() => html() === '<div>Dear reader</div>');
    await user.press('Control+a');
    await user.see(() => getSelection().toString().includes('Dear reader'));
    await user.click('button', 'Bold');
    await user.see(() => html() === '<div><strong>Dear reader</strong></div>');
    await user.click('button', 'Heading');
    await user.see(() => html().startsWith('<h1>'));
    await user.click('button', 'Link');
    await user.see(() => document.querySelector('.trix-dialog.trix-active'));
    await user.fill('textbox', 'URL', 'http://127.0.0.1/');
    await user.see(() => document.querySelector('.trix-dialog input').value === 'http://127.0.0.1/');
    await user.press('Enter');
    await user.see(() => html().includes('<a href='));
  },
};
