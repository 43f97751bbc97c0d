// SPDX-License-Identifier: Apache-2.0
// What the module gives.

export { BTCPError } from './base.js';
export { BTCPClient } from './client.js';
export { checkManifest } from './manifest.js';
export { checkSchema } from './schema.js';
