// SPDX-License-Identifier: Apache-2.0
// Agents that come for the session of a page: every transport of MCP, with three kinds of official clients.
import { Client as ClientV2, SSEClientTransport as SseV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { WebSocketClientTransport } from '@modelcontextprotocol/sdk/client/websocket.js';
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import path from 'node:path';
import { binary, undo } from './daemon.mjs';

export const clients = [
  { sdk: 'v1', era: 'legacy' },
  { sdk: 'v2', era: 'legacy' },
  { sdk: 'v2', era: 'modern' },
];

export const entrances = ['http', 'http-header', 'sse', 'ws', 'stdio', 'stdio-variable'];

function stdio(daemon, { sdk }, session, variable) {
  const args = ['mcp', '--no-start', '--state-dir', daemon.stateDir, '--runtime-dir', path.join(daemon.dir, 'run')];
  if (session && !variable) args.push('--session', session);
  const env = { ...process.env, ...(session && variable ? { BTCP_SESSION_ID: session } : {}) };
  return new (sdk === 'v1' ? StdioV1 : StdioV2)({ command: binary, args, stderr: 'inherit', env });
}

function transport(daemon, kind, entrance, { session, toolset, token = daemon.token }) {
  const v1 = kind.sdk === 'v1';
  const url = new URL(`/mcp${toolset ? `/${toolset}` : ''}${entrance === 'sse' ? '/sse' : ''}`, daemon.url);
  const headers = { authorization: `Bearer ${token}` };
  if (entrance.startsWith('stdio')) return stdio(daemon, kind, session, entrance !== 'stdio');
  if (session && entrance === 'http-header') headers['x-session-id'] = session;
  else if (session) url.searchParams.set('session', session);
  if (entrance === 'ws') {
    url.protocol = 'ws:';
    url.searchParams.set('token', token);
    return new WebSocketClientTransport(url);
  }
  const [Http, Sse] = v1 ? [HttpV1, SseV1] : [HttpV2, SseV2];
  return entrance === 'sse' ? new Sse(url, { requestInit: { headers } }) : new Http(url, { requestInit: { headers } });
}

/** A client, which counts how often it is told of other tools. */
export async function enter(t, daemon, kind, entrance, options = {}) {
  const info = { name: options.name ?? 'agent', version: '1' };
  const modern = kind.era === 'modern';
  const client = kind.sdk === 'v1' ? new ClientV1(info)
    : new ClientV2(info, { versionNegotiation: { mode: modern ? { pin: '2026-07-28' } : 'legacy' } });
  const agent = { client, changes: 0, closed: false };
  const count = () => { agent.changes++; };
  client.setNotificationHandler(kind.sdk === 'v1' ? ToolListChangedNotificationSchema : 'notifications/tools/list_changed', count);
  client.onclose = () => { agent.closed = true; };
  undo(t, () => client.close().catch(() => {}));
  await client.connect(transport(daemon, kind, entrance, options));
  if (modern) agent.subscription = await client.listen({ toolsListChanged: true });
  agent.tools = async () => (await client.listTools(undefined, { cacheMode: 'bypass' })).tools;
  agent.call = (name, args = {}) => client.callTool({ name, arguments: args });
  agent.text = async (name, args) => (await agent.call(name, args)).content.map((item) => item.text).join('\n');
  return agent;
}
