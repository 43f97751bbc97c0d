// SPDX-License-Identifier: Apache-2.0
// Jobs on real widget libraries, done as an agent does them. `make apps` has many more, and an oracle beside them.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from '../apps/harness/apps.mjs';
import { AppServer } from '../apps/harness/server.mjs';
import { TabardSide } from '../apps/harness/tabard.mjs';
import { attempt } from '../apps/harness/trial.mjs';

// Of ten kinds; their packages are in tests/package.json and need no bundler.
const names = ['codemirror5', 'datatables', 'dropzone', 'flatpickr', 'jstree', 'leaflet', 'nouislider', 'quill', 'select2', 'sweetalert2'];

test('jobs on real applications', async (t) => {
  const apps = await load(names);
  const server = await AppServer.start(apps);
  t.after(() => server.stop());
  const tabard = await TabardSide.start(t);
  for (const app of apps.values()) {
    await t.test(`${app.kind}: ${app.name}`, async () => {
      const { ok, steps, failure, user } = await attempt(tabard, `${server.url}/${app.name}`, app);
      await user?.close();
      assert.ok(ok, failure);
      assert.ok(steps >= 5, `${steps} steps`);
    });
  }
});
