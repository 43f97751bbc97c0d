// SPDX-License-Identifier: Apache-2.0
import { page } from './harness/page.mjs';

export default {
  kind: 'component library (Vue)',
  packages: ['element-plus', 'vue'],
  page: page('Element Plus', {
    css: ['element-plus/dist/index.css'],
    body: `<div id="app"><el-form label-width="100px"><el-form-item label="Name"><el-input v-model="name"></el-input></el-form-item>
      <el-form-item label="Zone"><el-select v-model="zone" placeholder="Select">
        <el-option v-for="z in ['North', 'South']" :key="z" :label="z" :value="z"></el-option></el-select></el-form-item>
      <el-form-item label="Count"><el-input-number v-model="count" :min="1"></el-input-number></el-form-item>
      <el-form-item label="Instant"><el-switch v-model="on"></el-switch></el-form-item></el-form>
      <el-tree ref="tree" :data="tree" show-checkbox node-key="id"></el-tree>
      <el-button @click="open = true">Submit</el-button>
      <el-dialog v-model="open" title="Sure?"><el-button @click="open = false; did = true">Confirm</el-button></el-dialog></div>`,
    js: ['vue/dist/vue.global.prod.js', 'element-plus/dist/index.full.min.js'],
    script: `window.app = Vue.createApp({ data: () => ({ name: '', zone: '', count: 1, on: false, open: false, did: false,
      tree: [{ id: 1, label: 'Level one', children: [{ id: 2, label: 'Level two' }] }] }) }).use(ElementPlus).mount('#app');`,
  }),
  ready: () => document.querySelector('.el-tree-node'),
  async job(user) {
    await user.fill('textbox', 'Name', 'Ada');
    await user.see(() => app.name === 'Ada');
    await user.click('css', '.el-select__wrapper');
    await user.see(() => document.querySelector('.el-select-dropdown__item')?.checkVisibility());
    await user.click('option', 'South');
    await user.see(() => app.zone === 'South');
    await user.click('button', 'increase number');
    await user.see(() => app.count === 2);
    await user.click('css', '.el-switch');
    await user.see(() => app.on);
    await user.click('css', '.el-tree-node__expand-icon');
    await user.see(() => document.querySelectorAll('.el-tree-node').length === 2);
    await user.click('css', '.el-tree-node__children .el-checkbox');
    await user.see(() => app.$refs.tree.getCheckedKeys().includes(2));
    await user.click('button', 'Submit');
    await user.see(() => document.querySelector('.el-dialog')?.checkVisibility());
    await user.click('button', 'Confirm');
    await user.see(() => app.did && !app.open);
  },
};
