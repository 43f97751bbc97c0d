// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'wizard',
  packages: ['survey-core', 'survey-js-ui'],
  page: page('SurveyJS', {
    css: ['survey-core/survey-core.min.css'],
    body: '<div id="survey"></div>',
    js: ['survey-core/survey.core.min.js', 'survey-js-ui/survey-js-ui.min.js'],
    script: `window.survey = new Survey.Model({ pages: [
        { elements: [{ type: 'text', name: 'name', title: 'Your name', isRequired: true }, { type: 'radiogroup', name: 'plan', title: 'Plan',
          choices: ['Free', 'Paid'] }] },
        { elements: [{ type: 'checkbox', name: 'days', title: 'Days', choices: ['Mon', 'Tue', 'Wed'] }, { type: 'rating', name: 'rate',
          title: 'Rate us' }, { type: 'comment', name: 'note', title: 'Note' }] }] });
      survey.onComplete.add((sender) => { window.result = sender.data; });
      survey.render(document.getElementById('survey'));`,
  }),
  ready: () => document.querySelector('.sd-question'),
  async job(user) {
    await user.click('button', 'Next');
    await user.see(() => document.querySelector('.sd-question__erbox'));
    await user.fill('textbox', /Your name/, 'Ada');
    await user.see(() => document.querySelector('.sd-input').value === 'Ada');
    await user.press('Tab');
    await user.see(() => survey.data.name === 'Ada' && !document.querySelector('.sd-question__erbox')?.checkVisibility());
    await user.click('css', 'label:has(input[value="Paid"])');
    await user.see(() => survey.data.plan === 'Paid');
    await user.click('button', 'Next');
    await user.see(() => survey.currentPageNo === 1);
    await user.click('css', 'label:has(input[value="Tue"])');
    await user.see(() => survey.data.days?.join() === 'Tue');
    await user.click('css', '.sd-rating__item:nth-of-type(4)');
    await user.see(() => survey.data.rate === 4);
    await user.fill('textbox', 'Note', 'Fine');
    await user.see(() => document.querySelector('textarea').value === 'Fine');
    await user.click('button', 'Complete');
    await user.see(() => window.result?.note === 'Fine');
  },
};
