// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'media player',
  packages: ['video.js'],
  page: page('Video.js', {
    css: ['video.js/dist/video-js.min.css'],
    body: '<video id="video" class="video-js" controls width="640" height="360"></video>',
    js: ['video.js/dist/video.min.js'],
    script: `window.player = videojs('video', { playbackRates: [1, 2], userActions: { hotkeys: true }, inactivityTimeout: 0 });
      player.addClass('vjs-has-started'); player.ready(() => { window.isReady = true; });`,
  }),
  ready: () => window.isReady && document.querySelector('.vjs-control-bar'),
  async job(user) {
    await user.click('button', 'Mute');
    await user.see(() => player.muted());
    await user.click('button', 'Unmute');
    await user.see(() => !player.muted());
    await user.press('Tab');
    await user.see(() => document.activeElement.getAttribute('aria-label') === 'Volume Level');
    await user.press('ArrowLeft');
    await user.see(() => player.volume() < 1);
    await user.click('button', 'Playback Rate');
    await user.see(() => document.querySelector('.vjs-playback-rate .vjs-menu').checkVisibility());
    await user.click('menuitemradio', /^2x/);
    await user.see(() => player.playbackRate() === 2);
  },
};
