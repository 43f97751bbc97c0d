// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'map',
  packages: ['leaflet'],
  page: page('Leaflet', {
    css: ['leaflet/dist/leaflet.css'],
    body: '<div id="map" style="width:800px;height:500px"></div>',
    js: ['leaflet/dist/leaflet.js'],
    script: `window.map = L.map('map', { zoomAnimation: false, fadeAnimation: false }).setView([0, 0], 3);
      const one = L.layerGroup([L.marker([0, 0], { title: 'Null Island',
        alt: 'Null Island' }).bindPopup('Zero, zero <button id="buoy">Buoy</button>')]).addTo(map);
      const two = L.layerGroup([L.circleMarker([10, 10], { radius: 20 })]);
      L.control.layers({}, { Places: one, Circles: two }, { collapsed: false }).addTo(map);
      map.on('click', (e) => { window.clicked = e.latlng; });
      window.two = two;`,
  }),
  ready: () => document.querySelector('.leaflet-marker-icon'),
  async job(user) {
    await user.click('button', 'Zoom in');
    await user.see(() => map.getZoom() === 4);
    await user.click('button', 'Null Island');
    await user.see(() => document.querySelector('.leaflet-popup-content')?.textContent.startsWith('Zero, zero'));
    await user.click('button', 'Close popup');
    await user.see(() => !document.querySelector('.leaflet-popup')?.checkVisibility());
    await user.click('checkbox', 'Circles');
    await user.see(() => map.hasLayer(two));
    await user.clickAt('#map', 200, 400);
    await user.see(() => window.clicked);
    await user.click('button', 'Zoom out');
    await user.see(() => map.getZoom() === 3);
  },
};
