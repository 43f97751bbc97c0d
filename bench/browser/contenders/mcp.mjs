// SPDX-License-Identifier: Apache-2.0
// What the MCP servers have in common: a child that speaks on its stdio.
import { fileURLToPath } from 'node:url';
import { House } from '../lib/house.mjs';
import { StdioClient } from '../lib/mcp.mjs';

/** A file of one of the npm packages. */
export function packaged(name) {
  return fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url));
}

/** The length of the pictures as base64. */
export function pictureSize(content) {
  return content.reduce((sum, part) => sum + (part.data?.length ?? 0), 0);
}

export class McpContender {
  constructor(key, family, engine, label) {
    Object.assign(this, { key, family, engine, label });
  }

  /** Subclasses give `command()`: [file, args, environment]. */
  async start() {
    this.house = new House();
    const [file, args, env] = this.command();
    this.child = this.house.spawn(file, args, { env });
    this.client = new StdioClient(this.child);
    await this.client.initialize();
  }

  ping() {
    return this.client.ping();
  }

  async stop() {
    this.client.close();
    return this.house.empty();
  }
}
