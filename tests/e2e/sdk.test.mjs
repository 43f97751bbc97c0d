// SPDX-License-Identifier: Apache-2.0
// The same workflow through the official SDKs, of both eras, over stdio and HTTP.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Agent, kinds } from '../support/agent.mjs';
import { Daemon } from '../support/daemon.mjs';
import { Site } from '../support/site.mjs';

for (const kind of kinds) {
  test(`${kind.sdk} ${kind.era} over ${kind.transport}: log in, list, click, read`, async (t) => {
    const daemon = await Daemon.start(t);
    const site = await Site.start(t);
    const agent = await Agent.connect(t, daemon, kind);

    const { tools } = await agent.client.listTools();
    assert.ok(tools.some((tool) => tool.name === 'browser_navigate'));
    assert.ok(JSON.stringify(tools).length <= 14_000, `${JSON.stringify(tools).length} bytes`);

    await agent.call('start_session', { sessionId: 'shop', url: `${site.url}/login` });
    const outline = await agent.call('browser_snapshot', { sessionId: 'shop' });
    const ref = (pattern) => pattern.exec(outline)?.[1] ?? assert.fail(`${pattern} not in ${outline}`);
    await agent.call('browser_fill', { sessionId: 'shop', target: ref(/textbox "User" \[ref=(\w+)\]/), value: 'alice' });
    await agent.call('browser_fill', { sessionId: 'shop', target: ref(/textbox "Password"[^\n]*\[ref=(\w+)\]/), value: 'secret' });
    const clicked = await agent.call('browser_click', { sessionId: 'shop', target: ref(/button "Log in" \[ref=(\w+)\]/) });
    assert.match(clicked, /\/account/);
    assert.match(await agent.call('browser_extract', { sessionId: 'shop', target: 'h1' }), /Hello alice/);

    await agent.call('browser_navigate', { sessionId: 'shop', url: `${site.url}/list` });
    await agent.call('browser_click', { sessionId: 'shop', target: 'text=Item 7' });
    assert.match(await agent.call('browser_evaluate', { sessionId: 'shop', script: 'document.title' }), /"Item 7"/);
    const shot = await agent.raw('browser_screenshot', { sessionId: 'shop' });
    const image = shot.content.find((item) => item.type === 'image');
    assert.equal(image.mimeType, 'image/jpeg');
    assert.equal(Buffer.from(image.data, 'base64').readUInt16BE(0), 0xffd8);
    assert.match(await agent.call('close_session', { sessionId: 'shop' }), /shop/);
  });
}
