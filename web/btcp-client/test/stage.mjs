// SPDX-License-Identifier: Apache-2.0
// A client and a server behind WebSockets that are none, and what the client tells meanwhile.
import { BTCPClient } from '../src/index.js';
import { SocketServer, tool } from './fakes.mjs';

const EVENTS = ['connected', 'disconnected', 'error', 'session:created', 'session:terminated', 'session:replaced', 'session:expiring',
  'session:agent_joined', 'tool:executed', 'tool:error'];

export function pair(t, options = {}, server = new SocketServer()) {
  const client = new BTCPClient({ WebSocket: server.WebSocket, transport: 'websocket', ...options });
  const events = [];
  for (const event of EVENTS) client.on(event, (detail) => events.push([event, detail]));
  t.after(() => client.disconnect());
  return { server, client, events };
}

export async function connected(t, options) {
  const all = pair(t, options);
  await all.client.connect();
  return all;
}

export const call = (server, name, args, more = {}) => server.ask('tools/call', { name, arguments: args, ...more });

export const manifest = (tools, more = {}) => ({
  btcp: '1.0', name: 'm', version: '1.0.0', capabilities: [], tools: tools.map((name) => tool(name, { capabilities: [] })), ...more,
});
