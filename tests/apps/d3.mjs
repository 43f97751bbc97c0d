// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'chart',
  packages: ['d3'],
  page: page('D3', {
    body: `<button id="sort">Sort</button><button id="add">Add</button><svg id="plot" width="600" height="300" role="img" aria-label="Heights">
      </svg><p id="tip"></p>`,
    js: ['d3/dist/d3.min.js'],
    script: `window.data = [40, 10, 90, 60];
      function draw() {
        d3.select('#plot').selectAll('rect').data(data).join('rect').attr('x', (_, i) => i * 60 + 20).attr('width', 50).attr('y',
          (d) => 300 - d * 2).attr('height', (d) => d * 2)
          .attr('class', 'bar').style('cursor', 'pointer').on('click', (_, d) => { window.picked = d;
            }).on('mouseenter', (_, d) => { document.getElementById('tip').textContent = 'Height ' + d; });
      }
      draw();
      document.getElementById('sort').onclick = () => { data.sort((a, b) => a - b); draw(); };
      document.getElementById('add').onclick = () => { data.push(75); draw(); };
      const zoom = d3.zoom().on('zoom', (e) => { window.scale = e.transform.k; });
      d3.select('#plot').call(zoom).on('dblclick.zoom', () => { window.doubled = true; });`,
  }),
  ready: () => document.querySelector('.bar'),
  async job(user) {
    await user.click('css', '.bar:nth-of-type(3)');
    await user.see(() => window.picked === 90);
    await user.hover('css', '.bar:nth-of-type(4)');
    await user.see(() => document.querySelector('#tip').textContent === 'Height 60');
    await user.click('button', 'Sort');
    await user.see(() => data.join() === '10,40,60,90');
    await user.click('css', '.bar');
    await user.see(() => window.picked === 10);
    await user.click('button', 'Add');
    await user.see(() => document.querySelectorAll('.bar').length === 5);
    await user.click('css', '.bar:nth-of-type(2)', { count: 2 });
    await user.see(() => window.doubled);
  },
};
