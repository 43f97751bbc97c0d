// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'infinite list',
  packages: ['react-window', 'react', 'react-dom'],
  entry: `import React, { useState } from 'react';
    import { createRoot } from 'react-dom/client';
    import { FixedSizeList } from 'react-window';
    function App() {
      const [count, setCount] = useState(30);
      const [done, setDone] = useState({});
      window.count = count; window.done = Object.keys(done).filter((each) => done[each]).join();
      return <FixedSizeList height={300} width={300} itemSize={30} itemCount={count} className="list"
        onItemsRendered={({ visibleStopIndex }) => { if (visibleStopIndex >= count - 2) setTimeout(() => setCount((old) => Math.min(old + 30,
          300)), 50); }}>
        {({ index, style }) => <label style={{ ...style, display: 'block' }}><input type="checkbox" checked={Boolean(done[index])}
          onChange={(e) => setDone((old) => ({ ...old, [index]: e.target.checked }))} />Task {index}</label>}</FixedSizeList>;
    }
    createRoot(document.getElementById('root')).render(<App />);`,
  ready: () => document.querySelector('.list input'),
  async job(user) {
    await user.click('checkbox', 'Task 2');
    await user.see(() => window.done === '2');
    await user.scroll('css', '.list', 700);
    await user.see(() => window.count === 60);
    await user.click('checkbox', 'Task 28');
    await user.see(() => window.done === '2,28');
    await user.scroll('css', '.list', 900);
    await user.see(() => window.count === 90);
    await user.click('checkbox', 'Task 57');
    await user.see(() => window.done === '2,28,57');
    await user.click('checkbox', 'Task 57');
    await user.see(() => window.done === '2,28');
  },
};
