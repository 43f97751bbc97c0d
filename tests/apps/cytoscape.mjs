// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'graph',
  packages: ['cytoscape'],
  page: page('Cytoscape', {
    body: '<button id="add">Add node</button><div id="graph" style="width:600px;height:400px"></div>',
    js: ['cytoscape/dist/cytoscape.min.js'],
    script: `window.cy = cytoscape({ container: document.getElementById('graph'), zoomingEnabled: false, layout: { name: 'preset' }, elements: [
        { data: { id: 'a' }, position: { x: 100, y: 100 } }, { data: { id: 'b' }, position: { x: 300, y: 100 } }, { data: { id: 'ab', source: 'a',
          target: 'b' } }] });
      cy.on('tap', 'node', (e) => { window.tapped = e.target.id(); }); cy.on('tap', 'edge', (e) => { window.tapped = e.target.id(); });
      document.getElementById('add').onclick = () => cy.add({ data: { id: 'c' }, position: { x: 300, y: 300 } });`,
  }),
  ready: () => window.cy && document.querySelector('#graph canvas'),
  async job(user) {
    await user.clickAt('#graph', 100, 100);
    await user.see(() => window.tapped === 'a');
    await user.clickAt('#graph', 200, 100);
    await user.see(() => window.tapped === 'ab');
    await user.click('button', 'Add node');
    await user.see(() => cy.nodes().length === 3);
    await user.clickAt('#graph', 300, 300);
    await user.see(() => window.tapped === 'c');
    await user.clickAt('#graph', 300, 100);
    await user.see(() => cy.$(':selected').id() === 'b');
  },
};
