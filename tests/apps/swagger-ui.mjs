// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'rich application',
  packages: ['swagger-ui-dist'],
  page: page('Swagger UI', {
    css: ['swagger-ui-dist/swagger-ui.css'],
    body: '<div id="ui"></div>',
    js: ['swagger-ui-dist/swagger-ui-bundle.js'],
    script: `SwaggerUIBundle({ dom_id: '#ui', spec: { openapi: '3.0.0', info: { title: 'Pets', version: '1' }, servers: [{ url: '/' }], paths: {
      '/pets/{id}': { get: { tags: ['pets'], summary: 'One pet', parameters: [{ name: 'id', in: 'path', required: true,
        schema: { type: 'integer' } }], responses: { 200: { description: 'ok' } } } },
      '/pets': { post: { tags: ['pets'], summary: 'New pet', requestBody: { content: { 'application/json': { schema: { type: 'object',
        properties: { name: { type: 'string' } } } } } }, responses: { 201: { description: 'made' } } } } } } });`,
  }),
  ready: () => document.querySelector('.opblock'),
  async job(user) {
    await user.click('css', '.opblock-get .opblock-summary-control');
    await user.see(() => document.querySelector('.opblock-get.is-open .try-out__btn'));
    await user.click('button', 'Try it out');
    await user.see(() => document.querySelector('.opblock-get input[placeholder="id"]:not([disabled])'));
    await user.fill('css', '.opblock-get input[placeholder="id"]', '7');
    await user.see(() => document.querySelector('.opblock-get input[placeholder="id"]').value === '7');
    await user.click('button', 'Execute');
    await user.see(() => document.querySelector('.request-url')?.textContent.includes('/pets/7'));
    await user.click('button', 'Clear');
    await user.see(() => !document.querySelector('.request-url'));
    await user.click('css', '.opblock-tag');
    await user.see(() => !document.querySelector('.opblock'));
  },
};
