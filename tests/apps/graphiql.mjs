// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'rich application',
  packages: ['graphiql', 'graphql', 'react', 'react-dom'],
  page: page('GraphiQL', {
    css: ['graphiql/graphiql.min.css'],
    body: '<div id="root" style="height:95vh"></div>',
    js: ['react/umd/react.production.min.js', 'react-dom/umd/react-dom.production.min.js', 'graphiql/graphiql.min.js'],
    script: `window.asked = [];
      const fetcher = async (params) => { if (params.operationName === 'IntrospectionQuery') return { data: {} }; asked.push(params);
        return { data: { hello: 'world' } }; };
      ReactDOM.createRoot(document.getElementById('root')).render(React.createElement(GraphiQL, { fetcher, defaultQuery: '{ hello }' }));`,
  }),
  ready: () => document.querySelector('.graphiql-query-editor .CodeMirror-line'),
  async job(user) {
    await user.click('button', /^Execute query/);
    await user.see(() => window.asked.length === 1 && document.querySelector('.result-window').textContent.includes('world'));
    await user.click('button', 'Variables');
    await user.see(() => document.querySelector('[aria-label="Variables"].CodeMirror, section[aria-label="Variables"]')?.checkVisibility());
    await user.click('button', 'Show History');
    await user.see(() => document.querySelector('.graphiql-history, section[aria-label="History"]'));
    await user.click('button', /^Add tab|New tab/);
    await user.see(() => document.querySelectorAll('.graphiql-tab').length === 2);
    await user.click('button', 'Open settings dialog');
    await user.see(() => document.querySelector('[role=dialog]'));
    await user.click('button', 'Dark');
    await user.see(() => document.body.classList.contains('graphiql-dark'));
  },
};
