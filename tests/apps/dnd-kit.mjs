// SPDX-License-Identifier: Apache-2.0
export default {
  kind: 'drag and drop',
  packages: ['@dnd-kit/core', '@dnd-kit/sortable', 'react', 'react-dom'],
  entry: `import React, { useState } from 'react';
    import { createRoot } from 'react-dom/client';
    import { DndContext, KeyboardSensor, PointerSensor, closestCenter, useSensor, useSensors } from '@dnd-kit/core';
    import { SortableContext, arrayMove, sortableKeyboardCoordinates, useSortable, verticalListSortingStrategy } from '@dnd-kit/sortable';
    function Item({ id }) {
      const { attributes, listeners, setNodeRef, transform } = useSortable({ id });
      return <div ref={setNodeRef} id={id} style={{ width: 200, padding: 12, border: '1px solid', transform: transform
        && 'translate3d(0,' + transform.y + 'px,0)' }} {...attributes} {...listeners}>{id}</div>;
    }
    function App() {
      const [items, setItems] = useState(['Ant', 'Bee', 'Cow', 'Dog']);
      window.items = items.join();
      const sensors = useSensors(useSensor(PointerSensor), useSensor(KeyboardSensor, { coordinateGetter: sortableKeyboardCoordinates }));
      return <DndContext sensors={sensors} collisionDetection={closestCenter} onDragStart={() => { window.dragging = true;
        }} onDragEnd={({ active, over }) => { window.dragging = false;
        if (over) setItems((old) => arrayMove(old, old.indexOf(active.id), old.indexOf(over.id))); }}>
        <SortableContext items={items} strategy={verticalListSortingStrategy}>{items.map((id) => <Item key={id} id={id} />)}</SortableContext>
          </DndContext>;
    }
    createRoot(document.getElementById('root')).render(<App />);`,
  ready: () => document.querySelector('#Dog'),
  async job(user) {
    await user.drag(['button', 'Ant'], ['button', 'Bee']);
    await user.see(() => items === 'Bee,Ant,Cow,Dog');
    await user.drag(['button', 'Dog'], ['button', 'Bee']);
    await user.see(() => items === 'Dog,Bee,Ant,Cow');
    await user.drag(['button', 'Bee'], ['button', 'Cow']);
    await user.see(() => items === 'Dog,Ant,Cow,Bee');
    await user.drag(['button', 'Cow'], ['button', 'Dog']);
    await user.see(() => items === 'Cow,Dog,Ant,Bee');
    await user.drag(['button', 'Ant'], ['button', 'Bee']);
    await user.see(() => items === 'Cow,Dog,Bee,Ant');
  },
};
