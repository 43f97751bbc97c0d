// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'component library (Vue)',
  packages: ['primevue', '@primeuix/themes', 'vue'],
  entry: `import { createApp, h } from 'vue/dist/vue.esm-bundler.js';
    import PrimeVue from 'primevue/config';
    import Aura from '@primeuix/themes/aura';
    import Button from 'primevue/button'; import Checkbox from 'primevue/checkbox'; import InputText from 'primevue/inputtext';
      import Select from 'primevue/select';
    import Rating from 'primevue/rating'; import Dialog from 'primevue/dialog'; import ToggleSwitch from 'primevue/toggleswitch';
      import DataTable from 'primevue/datatable'; import Column from 'primevue/column';
    window.app = createApp({ components: { PButton: Button, PCheckbox: Checkbox, InputText, PSelect: Select, Rating, PDialog: Dialog, ToggleSwitch,
      DataTable, Column },
      data: () => ({ name: '', city: null, agree: false, on: false, stars: 0, open: false, sort: null, rows: [{ a: 'x', b: 2 }, { a: 'y', b: 1 }] }),
      template: \`<label for="name">Name</label><InputText id="name" v-model="name" />
        <p-select v-model="city" aria-label="City" :options="['Oslo', 'Rome']" placeholder="City" />
        <p-checkbox v-model="agree" binary inputId="agree" /><label for="agree">Agree</label><toggle-switch v-model="on" inputId="on" />
          <label for="on">Updates</label>
        <rating v-model="stars" /><p-button label="Show" @click="open = true" /><p-dialog v-model:visible="open" modal header="Hello">
          <p-button label="Done" @click="open = false" /></p-dialog>
        <data-table :value="rows" v-model:sortField="sort"><column field="a" header="Letter" sortable />
          <column field="b" header="Number" sortable /></data-table>\` })
      .use(PrimeVue, { theme: { preset: Aura } }).mount('#root');`,
  define: { __VUE_OPTIONS_API__: 'true', __VUE_PROD_DEVTOOLS__: 'false', __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false' },
  ready: () => document.querySelector('.p-datatable'),
  async job(user) {
    await user.fill('textbox', 'Name', 'Ada');
    await user.see(() => app.name === 'Ada');
    await user.click('combobox', 'City');
    await user.see(() => document.querySelector('[role=option]'));
    await user.click('option', 'Rome');
    await user.see(() => app.city === 'Rome');
    await user.click('checkbox', 'Agree');
    await user.see(() => app.agree);
    await user.click('switch', 'Updates');
    await user.see(() => app.on);
    await user.click('css', '.p-rating-option:nth-child(4)');
    await user.see(() => app.stars === 4);
    await user.click('columnheader', 'Number');
    await user.see(() => app.sort === 'b');
    await user.click('button', 'Show');
    await user.see(() => document.querySelector('[role=dialog]'));
    await user.click('button', 'Done');
    await user.see(() => !app.open);
  },
};
