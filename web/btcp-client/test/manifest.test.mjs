// SPDX-License-Identifier: Apache-2.0
// Manifests as the protocol wants them, and each way in which one is not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkManifest, checkTool } from '../src/manifest.js';
import { tool } from './fakes.mjs';

const manifest = (more = {}) => ({
  btcp: '1.0', name: 'shop-tools', version: '1.2.3', tools: [tool('list', { capabilities: ['dom:read'] })], capabilities: ['dom:read'], ...more,
});

test('a good manifest has no fault, with all that is optional as well', () => {
  assert.deepEqual(checkManifest(manifest()), []);
  assert.deepEqual(checkManifest(manifest({
    description: 'Tools of a shop', version: '2.0.0-rc.1', provider: { name: 'Shop', url: 'https://shop.example', contact: 'it@shop.example' },
    config: { timeout: 300_000, sandbox: 'worker', maxConcurrent: 10 }, madeUp: true,
    tools: [tool('all', { capabilities: ['dom:*', 'geolocation', 'notifications', 'storage:local:*', 'network:fetch:same-origin'], timeout: 1000, tags: ['x'],
      examples: [{ input: {}, output: 1 }], outputSchema: {}, deprecated: true, deprecationMessage: 'Use list.', inputSchema: {} })],
    capabilities: ['dom:*', 'geolocation', 'notifications', 'storage:local:*', 'network:fetch:same-origin'],
  })), []);
});

test('a wildcard of the manifest covers what its tools need', () => {
  assert.deepEqual(checkManifest(manifest({ capabilities: ['dom:*'] })), []);
  assert.match(checkManifest(manifest({ capabilities: ['storage:*'] })).join(), /the tool list needs dom:read/);
});

test('each fault is named', () => {
  const cases = [
    [null, /must be object/],
    [{}, /lacks btcp, name, version, tools, capabilities/],
    [manifest({ btcp: '1' }), /btcp must match/],
    [manifest({ name: 'Shop' }), /name must match/],
    [manifest({ name: 'a'.repeat(65) }), /name must have a length of at most 64/],
    [manifest({ version: '1.2' }), /version must match/],
    [manifest({ description: 'x'.repeat(501) }), /description must have a length of at most 500/],
    [manifest({ provider: {} }), /provider lacks name/],
    [manifest({ provider: { name: 'x', contact: 'nobody' } }), /contact must match/],
    [manifest({ tools: [] }), /tools must have a number of items of at least 1/],
    [manifest({ tools: [tool('list')] }), /tools\[0\] lacks capabilities/],
    [manifest({ tools: [tool('1st', { capabilities: [] })] }), /name must match/],
    [manifest({ tools: [tool('list', { capabilities: [], description: 'short' })] }), /description must have a length of at least 10/],
    [manifest({ tools: [tool('list', { capabilities: ['DOM'] })] }), /capabilities\[0\] must match/],
    [manifest({ tools: [tool('list', { capabilities: [], inputSchema: { type: 'string' } })] }), /inputSchema.type must be "object"/],
    [manifest({ tools: [tool('list', { capabilities: [], timeout: 999 })] }), /timeout must be at least 1000/],
    [manifest({ tools: [tool('list', { capabilities: [], examples: [{}] })] }), /examples\[0\] lacks input/],
    [manifest({ tools: [tool('a', { capabilities: [] }), tool('a', { capabilities: [] })] }), /the tool a is there twice/],
    [manifest({ capabilities: [] }), /the tool list needs dom:read, which is not among the manifest's capabilities/],
    [manifest({ config: { maxConcurrent: 11 } }), /maxConcurrent must be at most 10/],
    [manifest({ config: { sandbox: 'none' } }), /sandbox must be one of/],
  ];
  for (const [given, words] of cases) assert.match(checkManifest(given).join('; '), words);
});

test('a tool by itself needs no capabilities', () => {
  assert.deepEqual(checkTool(tool('list')), []);
  assert.match(checkTool({ name: 'list' }).join(), /lacks description, inputSchema/);
});
