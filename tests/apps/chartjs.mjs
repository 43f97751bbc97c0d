// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'chart',
  packages: ['chart.js'],
  page: page('Chart.js', {
    body: `<button id="more">Add month</button><label>Kind <select id="kind"><option>bar</option><option>line</option></select></label>
      <div style="width:800px"><canvas id="chart" aria-label="Sales"></canvas></div>`,
    js: ['chart.js/dist/chart.umd.js'],
    script: `window.chart = new Chart(document.getElementById('chart'), { type: 'bar', options: { animation: false, onClick: (_,
      [hit]) => { window.picked = hit?.index; } },
        data: { labels: ['Jan', 'Feb', 'Mar', 'Apr'], datasets: [{ label: 'Tea', data: [9, 9, 9, 9] }, { label: 'Coffee', data: [9, 9, 9, 9] }] } });
      document.getElementById('more').onclick = () => { chart.data.labels.push('May'); chart.data.datasets.forEach((set) => set.data.push(9));
        chart.update(); };
      document.getElementById('kind').onchange = (e) => { chart.config.type = e.target.value; chart.update(); };`,
  }),
  ready: () => window.chart,
  async job(user) {
    await user.clickAt('#chart', 130, 300);
    await user.see(() => window.picked === 0);
    await user.clickAt('#chart', 480, 300);
    await user.see(() => window.picked === 2);
    await user.clickAt('#chart', 350, 16);
    await user.see(() => !chart.isDatasetVisible(0));
    await user.click('button', 'Add month');
    await user.see(() => chart.data.labels.length === 5);
    await user.select('combobox', 'Kind', ['line']);
    await user.see(() => chart.config.type === 'line');
  },
};
