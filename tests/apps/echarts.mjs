// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'chart',
  packages: ['echarts'],
  page: page('ECharts', {
    body: '<button id="more">More data</button><div id="chart" style="width:800px;height:400px"></div>',
    js: ['echarts/dist/echarts.min.js'],
    script: `window.chart = echarts.init(document.getElementById('chart'), null, { renderer: 'svg' });
      const option = { animation: false, aria: { enabled: true }, legend: { data: ['Rain', 'Snow'] }, toolbox: { feature: { restore: {},
        magicType: { type: ['line', 'bar'] } } },
        xAxis: { data: ['Mon', 'Tue', 'Wed', 'Thu'] }, yAxis: {}, series: [{ name: 'Rain', type: 'bar', data: [9, 9, 9, 9] }, { name: 'Snow',
          type: 'bar', data: [5, 5, 5, 5] }] };
      chart.setOption(option);
      chart.on('click', (e) => { window.picked = e.seriesName + ' ' + e.name; });
      chart.on('legendselectchanged', (e) => { window.shown = e.selected; });
      document.getElementById('more').onclick = () => { option.xAxis.data.push('Fri'); option.series.forEach((each) => each.data.push(3));
        chart.setOption(option); };`,
  }),
  ready: () => document.querySelector('#chart svg path'),
  async job(user) {
    await user.clickAt('#chart', 135, 300);
    await user.see(() => window.picked === 'Rain Mon');
    await user.clickAt('#chart', 210, 300);
    await user.see(() => window.picked === 'Snow Mon');
    await user.clickAt('#chart', 430, 12);
    await user.see(() => window.shown?.Snow === false);
    await user.clickAt('#chart', 430, 12);
    await user.see(() => window.shown?.Snow === true);
    await user.click('button', 'More data');
    await user.see(() => chart.getOption().xAxis[0].data.length === 5);
  },
};
