// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'canvas',
  packages: ['fabric'],
  body: '<button id="text">Add text</button><button id="remove">Remove selected</button><canvas id="canvas" width="600" height="400"></canvas>',
  entry: `import { Canvas, Circle, IText, Rect } from 'fabric';
    const canvas = window.canvas = new Canvas('canvas');
    window.rect = new Rect({ left: 50, top: 50, width: 100, height: 80, fill: 'green', originX: 'left', originY: 'top' });
    window.circle = new Circle({ left: 300, top: 50, radius: 40, fill: 'red', originX: 'left', originY: 'top' });
    canvas.add(rect, circle);
    document.getElementById('text').onclick = () => { window.text = new IText('Hello', { left: 300, top: 250, originX: 'left', originY: 'top' });
      canvas.add(text); };
    document.getElementById('remove').onclick = () => { canvas.remove(...canvas.getActiveObjects()); canvas.discardActiveObject(); };`,
  ready: () => window.circle,
  async job(user) {
    await user.clickAt('.upper-canvas', 100, 90);
    await user.see(() => canvas.getActiveObject() === rect);
    await user.clickAt('.upper-canvas', 340, 90);
    await user.see(() => canvas.getActiveObject() === circle);
    await user.click('button', 'Remove selected');
    await user.see(() => canvas.getObjects().length === 1);
    await user.click('button', 'Add text');
    await user.see(() => canvas.getObjects().length === 2);
    await user.clickAt('.upper-canvas', 330, 265);
    await user.see(() => canvas.getActiveObject() === text);
    await user.clickAt('.upper-canvas', 330, 265);
    await user.see(() => text.isEditing);
    await user.type('!');
    await user.see(() => text.text.includes('!'));
  },
};
