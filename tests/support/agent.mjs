// SPDX-License-Identifier: Apache-2.0
// Agents for the tests: the official MCP client SDKs, of both eras, over stdio and over HTTP.
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import path from 'node:path';
import { plantCall } from './canaries.mjs';
import { binary, undo } from './daemon.mjs';

export const kinds = [
  { sdk: 'v1', era: 'legacy', transport: 'stdio' },
  { sdk: 'v1', era: 'legacy', transport: 'http' },
  { sdk: 'v2', era: 'modern', transport: 'stdio' },
  { sdk: 'v2', era: 'modern', transport: 'http' },
];

const CALL_MS = 150_000;

function makeTransport(daemon, { sdk, transport }, { toolset, groups, headers }) {
  if (transport === 'stdio') {
    const args = ['mcp', '--no-start', '--state-dir', daemon.stateDir, '--runtime-dir', path.join(daemon.dir, 'run')];
    if (toolset) args.push('--toolset', toolset);
    if (groups) args.push('--groups', groups);
    const Stdio = sdk === 'v1' ? StdioV1 : StdioV2;
    return new Stdio({ command: binary, args, stderr: 'inherit', env: { ...process.env } });
  }
  const Http = sdk === 'v1' ? HttpV1 : HttpV2;
  const url = new URL(`/mcp${toolset ? `/${toolset}` : ''}${groups ? `?groups=${groups}` : ''}`, daemon.url);
  return new Http(url, { requestInit: { headers: { authorization: `Bearer ${daemon.token}`, ...headers } } });
}

/** `options.user` answers what a server asks the client's user; without it the client cannot ask. */
export class Agent {
  static async connect(t, daemon, kind = kinds[0], options = {}) {
    const agent = new Agent();
    agent.sdk = kind.sdk;
    const info = { name: 'tabard-test', version: '1' };
    agent.transport = makeTransport(daemon, kind, options);
    const more = options.user ? { capabilities: { elicitation: {} } } : {};
    agent.client = kind.sdk === 'v1' ? new ClientV1(info, more)
      : new ClientV2(info, { ...more, versionNegotiation: { mode: kind.era === 'modern' ? { pin: '2026-07-28' } : 'legacy' } });
    if (options.user) agent.client.setRequestHandler(kind.sdk === 'v1' ? ElicitRequestSchema : 'elicitation/create', options.user);
    await agent.client.connect(agent.transport);
    undo(t, () => agent.close());
    return agent;
  }

  /** The whole result of a tool call. */
  raw(name, args = {}, options = {}) {
    plantCall(name, args);
    const params = { name, arguments: args };
    const how = { timeout: CALL_MS, ...options };
    return this.sdk === 'v1' ? this.client.callTool(params, undefined, how) : this.client.callTool(params, how);
  }

  /** The text of a good result; a failure throws. */
  async call(name, args = {}) {
    const result = await this.raw(name, args);
    const text = result.content.filter((item) => item.type === 'text').map((item) => item.text).join('\n');
    if (result.isError) throw Object.assign(new Error(`${name}: ${text}`), { result, text });
    return text;
  }

  /** The text of a failure; a good result throws. */
  async failure(name, args = {}) {
    const result = await this.raw(name, args);
    const text = result.content.map((item) => item.text).join('\n');
    if (!result.isError) throw new Error(`${name} did not fail: ${text}`);
    return text;
  }

  async close() {
    if (!this.closed) {
      this.closed = true;
      await this.client.close().catch(() => {});
    }
  }
}
