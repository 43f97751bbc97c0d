// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'component library (Vue)',
  packages: ['vuetify', 'vue'],
  page: page('Vuetify', {
    css: ['vuetify/dist/vuetify.min.css'],
    body: `<div id="app"><v-app><v-main><v-text-field v-model="name" label="Name"></v-text-field>
      <v-select v-model="size" label="Size" :items="['Small', 'Medium', 'Large']"></v-select>
      <v-checkbox v-model="agree" label="Agree"></v-checkbox><v-switch v-model="on" label="Updates"></v-switch>
      <v-tabs v-model="tab"><v-tab value="a">First</v-tab><v-tab value="b">Second</v-tab></v-tabs>
      <v-btn @click="open = true">Remove</v-btn>
      <v-dialog v-model="open" width="300"><v-card title="Remove it?"><v-card-actions><v-btn @click="open = false; did = true">Confirm</v-btn>
        </v-card-actions></v-card></v-dialog>
      </v-main></v-app></div>`,
    js: ['vue/dist/vue.global.prod.js', 'vuetify/dist/vuetify.min.js'],
    script: `window.app = Vue.createApp({ data: () => ({ name: '', size: null, agree: false, on: false, tab: 'a', open: false, did: false }) })
      .use(Vuetify.createVuetify()).mount('#app');`,
  }),
  ready: () => document.querySelector('.v-text-field'),
  async job(user) {
    await user.fill('textbox', 'Name', 'Ada');
    await user.see(() => app.name === 'Ada');
    await user.click('css', '.v-select .v-field');
    await user.see(() => document.querySelector('.v-overlay .v-list-item'));
    await user.click('option', 'Medium');
    await user.see(() => app.size === 'Medium');
    await user.click('checkbox', 'Agree');
    await user.see(() => app.agree);
    await user.click('css', '.v-switch input');
    await user.see(() => app.on);
    await user.click('tab', 'Second');
    await user.see(() => app.tab === 'b');
    await user.click('button', 'Remove');
    await user.see(() => document.querySelector('.v-dialog .v-card')?.checkVisibility());
    await user.click('button', 'Confirm');
    await user.see(() => app.did);
  },
};
