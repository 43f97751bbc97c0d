// SPDX-License-Identifier: Apache-2.0
// Runs every job by both sides: APPS=select2,quill chooses, N=3 is how often, OUT=file is where the table goes.
import { load } from './apps.mjs';
import { PlaywrightSide } from './playwright.mjs';
import { AppServer } from './server.mjs';
import { TabardSide } from './tabard.mjs';
import { attempt } from './trial.mjs';

const times = Number(process.env.N ?? 3);
const ends = [];
const t = { after: (work) => ends.unshift(work) };
const apps = await load(process.env.APPS?.split(','));
const server = await AppServer.start(apps);
t.after(() => server.stop());
const sides = [await TabardSide.start(t), await PlaywrightSide.start(t)];

async function row(app) {
  if (app.entry) await server.bundle(app.name);
  for (const side of sides) {
    for (let i = 0; i < times; i += 1) {
      const result = await attempt(side, `${server.url}/${app.name}`, app);
      await result.user?.close();
      console.log(`${app.name} ${side.name} ${result.ok ? 'ok' : 'FAILED'} ${result.steps} ${result.seconds.toFixed(2)} ${result.failure ?? ''}`);
    }
  }
}

try {
  for (const app of apps.values()) await row(app);
} finally {
  for (const end of ends) await end();
}
