// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'component library (React)',
  packages: ['antd', 'react', 'react-dom'],
  entry: `import React, { useState } from 'react';
    import { createRoot } from 'react-dom/client';
    import { Button, DatePicker, Form, Input, InputNumber, Modal, Radio, Select, Switch, Table, TreeSelect } from 'antd';
    const data = Array.from({ length: 25 }, (_, key) => ({ key, name: 'Row ' + key, age: (key * 7 + 3) % 25 }));
    function App() {
      const [values, setValues] = useState({});
      const [open, setOpen] = useState(false);
      window.values = values; window.open_ = open;
      return <><Form layout="vertical" onValuesChange={(_, all) => setValues(all)}>
        <Form.Item name="name" label="Name" rules={[{ required: true }]}><Input /></Form.Item>
        <Form.Item name="role" label="Role"><Select showSearch options={['Author', 'Editor', 'Owner'].map((value) => ({ value }))} /></Form.Item>
        <Form.Item name="seats" label="Seats" initialValue={3}><InputNumber min={1} max={9} /></Form.Item>
        <Form.Item name="news" label="News" valuePropName="checked"><Switch /></Form.Item>
        <Form.Item name="plan" label="Plan"><Radio.Group options={['Free', 'Paid']} /></Form.Item></Form>
        <Button type="primary" onClick={() => setOpen(true)}>Preview</Button>
        <Modal title="Preview" open={open} onOk={() => setOpen(false)} onCancel={() => setOpen(false)}>{JSON.stringify(values)}</Modal>
        <Table size="small" pagination={{ pageSize: 5 }} dataSource={data} columns={[{ title: 'Name', dataIndex: 'name' },
          { title: 'Age', dataIndex: 'age', sorter: (a, b) => a.age - b.age }]} /></>;
    }
    createRoot(document.getElementById('root')).render(<App />);`,
  ready: () => document.querySelector('.ant-table-row'),
  async job(user) {
    await user.fill('textbox', /Name$/, 'Ada');
    await user.see(() => values.name === 'Ada');
    await user.fill('combobox', 'Role', 'edi');
    await user.see(() => document.querySelectorAll('.ant-select-item-option').length === 1);
    await user.click('css', '.ant-select-item-option');
    await user.see(() => values.role === 'Editor');
    await user.fill('spinbutton', 'Seats', '7');
    await user.see(() => values.seats === 7);
    await user.click('switch', 'News');
    await user.see(() => values.news === true);
    await user.click('radio', 'Paid');
    await user.see(() => values.plan === 'Paid');
    await user.click('button', 'Preview');
    await user.see(() => document.querySelector('.ant-modal')?.checkVisibility());
    await user.click('button', 'OK');
    await user.see(() => !open_ && !document.querySelector('.ant-modal')?.checkVisibility());
    await user.click('columnheader', 'Age');
    await user.see(() => document.querySelector('.ant-table-row td:nth-child(2)').textContent === '0');
    await user.click('css', '.ant-pagination-item-2');
    await user.see(() => document.querySelector('.ant-pagination-item-2.ant-pagination-item-active'));
  },
};
