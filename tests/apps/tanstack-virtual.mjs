// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'virtual list',
  packages: ['@tanstack/react-virtual', 'react', 'react-dom'],
  entry: `import React, { useRef, useState } from 'react';
    import { createRoot } from 'react-dom/client';
    import { useVirtualizer } from '@tanstack/react-virtual';
    function App() {
      const box = useRef(null);
      const [picked, pick] = useState([]);
      window.picked = picked.join();
      const rows = useVirtualizer({ count: 10000, getScrollElement: () => box.current, estimateSize: () => 35 });
      return <><div ref={box} id="list" style={{ height: 400, width: 300, overflow: 'auto' }}>
        <div style={{ height: rows.getTotalSize(), position: 'relative' }}>
        {rows.getVirtualItems().map(({ key, index, start }) => <div key={key} style={{ position: 'absolute', top: start, height: 35 }}>
          <button onClick={() => pick((old) => [...old, index])}>Row {index}</button></div>)}</div></div>
        <button onClick={() => rows.scrollToIndex(5000)}>Middle</button></>;
    }
    createRoot(document.getElementById('root')).render(<App />);`,
  ready: () => document.querySelector('#list button'),
  async job(user) {
    await user.click('button', 'Row 3');
    await user.see(() => window.picked === '3');
    await user.scroll('css', '#list', 7000);
    await user.see(() => document.querySelector('#list').scrollTop === 7000);
    await user.click('button', 'Row 205');
    await user.see(() => window.picked === '3,205');
    await user.click('button', 'Middle');
    await user.see(() => [...document.querySelectorAll('#list button')].some((each) => each.textContent === 'Row 5000'));
    await user.click('button', 'Row 5000');
    await user.see(() => window.picked === '3,205,5000');
    await user.scroll('css', '#list', 350);
    await user.see(() => [...document.querySelectorAll('#list button')].some((each) => each.textContent === 'Row 5008'));
    await user.click('button', 'Row 5008');
    await user.see(() => window.picked === '3,205,5000,5008');
  },
};
