// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'component library',
  packages: ['jquery-ui', 'jquery'],
  page: page('jQuery UI', {
    css: ['jquery-ui/dist/themes/base/jquery-ui.min.css'],
    body: `<div id="tabs"><ul><li><a href="#t1">Search</a></li><li><a href="#t2">Range</a></li></ul><div id="t1">
      <label for="lang">Language</label> <input id="lang"></div><div id="t2"><div id="slider"></div></div></div>
      <label for="count">Count</label> <input id="count" value="1"><div id="accordion"><h3>First</h3><div>Alpha</div><h3>Second</h3><div>Beta</div>
        </div>
      <ul id="sort"><li id="x">Xylo</li><li id="y">Yak</li><li id="z">Zoo</li></ul><button id="ask">Ask</button>
        <div id="dialog" title="Question">Go on?</div>`,
    js: ['jquery/dist/jquery.min.js', 'jquery-ui/dist/jquery-ui.min.js'],
    script: `$.fx.off = true; $('#tabs').tabs(); $('#lang').autocomplete({ source: ['Ada', 'Basic', 'C', 'Perl'], delay: 0 });
      $('#count').spinner(); $('#slider').slider(); $('#accordion').accordion(); $('#sort').sortable();
      $('#dialog').dialog({ autoOpen: false, modal: true, buttons: { Yes() { window.said = 'yes'; $(this).dialog('close'); } } });
        $('#ask').on('click', () => $('#dialog').dialog('open'));`,
  }),
  ready: () => window.$?.fn.sortable && document.querySelector('.ui-accordion'),
  async job(user) {
    await user.click('css', '#lang');
    await user.see(() => document.activeElement.id === 'lang');
    await user.type('a');
    await user.see(() => document.querySelectorAll('.ui-menu-item').length === 2);
    await user.click('css', '.ui-menu-item:first-child .ui-menu-item-wrapper');
    await user.see(() => document.querySelector('#lang').value === 'Ada');
    await user.click('css', '.ui-spinner-up');
    await user.see(() => document.querySelector('#count').value === '2');
    await user.click('tab', 'Second');
    await user.see(() => document.querySelector('#accordion div:last-child').checkVisibility());
    await user.click('tab', 'Range');
    await user.see(() => document.querySelector('#slider').checkVisibility());
    await user.drag(['css', '#x'], ['css', '#z']);
    await user.see(() => $('#sort').sortable('toArray').join('') !== 'xyz');
    await user.click('button', 'Ask');
    await user.see(() => $('#dialog').dialog('isOpen'));
    await user.click('button', 'Yes');
    await user.see(() => window.said === 'yes');
  },
};
