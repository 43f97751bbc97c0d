// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'canvas',
  packages: ['konva'],
  page: page('Konva', {
    body: '<button id="add">Add star</button><div id="stage"></div>',
    js: ['konva/konva.min.js'],
    script: `window.stage = new Konva.Stage({ container: 'stage', width: 600, height: 400 });
      const layer = new Konva.Layer(); stage.add(layer);
      window.box = new Konva.Rect({ x: 50, y: 50, width: 100, height: 80, fill: 'green', draggable: true });
      window.ball = new Konva.Circle({ x: 300, y: 100, radius: 40, fill: 'red' });
      box.on('click', () => { window.picked = 'box'; }); ball.on('click', () => { window.picked = 'ball'; });
        ball.on('dblclick', () => ball.radius(60));
      layer.add(box, ball); layer.draw();
      document.getElementById('add').onclick = () => layer.add(new Konva.Star({ x: 450, y: 250, numPoints: 5, innerRadius: 30, outerRadius: 60,
        fill: 'gold' }).on('click', () => { window.picked = 'star'; }));`,
  }),
  ready: () => window.ball,
  async job(user) {
    await user.clickAt('#stage', 100, 90);
    await user.see(() => window.picked === 'box');
    await user.clickAt('#stage', 300, 100);
    await user.see(() => window.picked === 'ball');
    await user.click('button', 'Add star');
    await user.see(() => stage.getIntersection({ x: 450, y: 250 }));
    await user.clickAt('#stage', 450, 250);
    await user.see(() => window.picked === 'star');
    await user.clickAt('#stage', 60, 60);
    await user.see(() => window.picked === 'box');
  },
};
