// SPDX-License-Identifier: Apache-2.0
// What a manifest has to be before its tools are offered. It stays here: only its tools go to the server.

import { checkSchema } from './schema.js';

const TEXT = { type: 'string' };
const MILLISECONDS = { type: 'integer', minimum: 1000, maximum: 300_000 };
// With the names and wildcards that the protocol's own pattern leaves out.
const CAPABILITIES = {
  type: 'array', items: { ...TEXT, pattern: '^([a-z]+:[a-z]+(:[a-z-]+)?|[a-z]+(:[a-z]+)?:\\*|geolocation|notifications)$' },
};
const TOOL = {
  type: 'object',
  required: ['name', 'description', 'inputSchema'],
  properties: {
    name: { ...TEXT, pattern: '^[a-zA-Z][a-zA-Z0-9_]*$', maxLength: 64 },
    description: { ...TEXT, minLength: 10, maxLength: 1000 },
    inputSchema: { type: 'object', properties: { type: { const: 'object' } } },
    outputSchema: { type: 'object' },
    capabilities: CAPABILITIES,
    examples: { type: 'array', items: { type: 'object', required: ['input'], properties: { input: { type: 'object' } } } },
    deprecated: { type: 'boolean' },
    deprecationMessage: TEXT,
    tags: { type: 'array', items: TEXT },
    timeout: MILLISECONDS,
  },
};
const MANIFEST = {
  type: 'object',
  required: ['btcp', 'name', 'version', 'tools', 'capabilities'],
  properties: {
    btcp: { ...TEXT, pattern: '^[0-9]+\\.[0-9]+$' },
    name: { ...TEXT, pattern: '^[a-z][a-z0-9-]*$', maxLength: 64 },
    version: { ...TEXT, pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+' },
    description: { ...TEXT, maxLength: 500 },
    provider: {
      type: 'object', required: ['name'],
      properties: { name: { ...TEXT, maxLength: 100 }, url: TEXT, contact: { ...TEXT, pattern: '^[^@ ]+@[^@ ]+$' }, icon: TEXT },
    },
    tools: { type: 'array', minItems: 1, items: { allOf: [TOOL, { required: ['capabilities'] }] } },
    capabilities: CAPABILITIES,
    config: {
      type: 'object',
      properties: {
        timeout: MILLISECONDS, maxConcurrent: { type: 'integer', minimum: 1, maximum: 10 }, sandbox: { enum: ['worker', 'iframe', 'ses', 'wasm'] },
      },
    },
  },
};

/**
 * What is wrong with a tool, in words. One without a manifest may leave out its capabilities.
 * @param {any} tool
 * @returns {string[]}
 */
export const checkTool = (tool) => checkSchema(TOOL, tool, 'the tool');

const covers = (all, capability) => all.some((each) => each === capability || (each.endsWith(':*') && capability.startsWith(each.slice(0, -1))));

/**
 * What is wrong with a manifest, in words.
 * @param {any} manifest
 * @returns {string[]}
 */
export function checkManifest(manifest) {
  const faults = checkSchema(MANIFEST, manifest, 'the manifest');
  if (faults.length) return faults;
  const names = manifest.tools.map((tool) => tool.name);
  const twice = names.filter((name, i) => names.indexOf(name) < i).map((name) => `the tool ${name} is there twice`);
  const missing = manifest.tools.flatMap((tool) => tool.capabilities.filter((each) => !covers(manifest.capabilities, each))
    .map((each) => `the tool ${tool.name} needs ${each}, which is not among the manifest's capabilities`));
  return [...twice, ...missing];
}
