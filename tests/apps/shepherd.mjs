// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'tour',
  packages: ['shepherd.js'],
  body: '<h1 id="title">Mail</h1><button id="write">Write</button><button id="start">Take the tour</button>',
  entry: `import Shepherd from 'shepherd.js';
    import 'shepherd.js/dist/css/shepherd.css';
    const tour = window.tour = new Shepherd.Tour({ useModalOverlay: true, defaultStepOptions: { cancelIcon: { enabled: true } } });
    const next = { text: 'Next', action: tour.next }, back = { text: 'Back', action: tour.back };
    tour.addStep({ id: 'one', title: 'Welcome', text: 'This is the title', attachTo: { element: '#title', on: 'bottom' }, buttons: [next] });
    tour.addStep({ id: 'two', title: 'Write', text: 'Here you write', attachTo: { element: '#write', on: 'bottom' }, buttons: [back, next] });
    tour.addStep({ id: 'three', title: 'Done', text: 'That is all', buttons: [{ text: 'Finish', action: tour.complete }] });
    tour.on('complete', () => { window.ended = 'complete'; });
    tour.on('cancel', () => { window.ended = 'cancel'; });
    document.getElementById('start').onclick = () => tour.start();`,
  ready: () => window.tour,
  async job(user) {
    await user.click('button', 'Take the tour');
    await user.see(() => tour.getCurrentStep()?.id === 'one' && document.querySelector('.shepherd-enabled'));
    await user.click('button', 'Next');
    await user.see(() => tour.getCurrentStep()?.id === 'two');
    await user.click('css', '[data-shepherd-step-id="two"] .shepherd-button:first-child');
    await user.see(() => tour.getCurrentStep()?.id === 'one');
    await user.click('css', '[data-shepherd-step-id="one"] .shepherd-button');
    await user.see(() => tour.getCurrentStep()?.id === 'two');
    await user.click('css', '[data-shepherd-step-id="two"] .shepherd-button:last-child');
    await user.see(() => tour.getCurrentStep()?.id === 'three');
    await user.click('button', 'Finish');
    await user.see(() => window.ended === 'complete');
  },
};
