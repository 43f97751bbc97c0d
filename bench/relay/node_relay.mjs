// SPDX-License-Identifier: Apache-2.0
// The same routing on the package ws, as a node server would do it: pages make sessions and register tools, agents join and call; a call gets an
// id of the server's own, its answer goes to the agent that asked. No limits, no records, no checks. Prints "port N".
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';

const modules = process.env.NODE_WS_DIR ?? new URL('../../tests/', import.meta.url).pathname;
const { WebSocketServer } = createRequire(`${modules}/`)('ws');

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, backlog: 4096, perMessageDeflate: false, clientTracking: false });
const sessions = new Map();
let calls = 0;

const say = (socket, message) => socket.send(JSON.stringify({ jsonrpc: '2.0', ...message }));

function onPage(socket, session, { id, method, params, result, error }) {
  if (method === 'session/create') {
    sessions.set(session.id, session);
    say(socket, { id, result: { sessionId: session.id, expiresAt: Date.now() + 3600_000 } });
  } else if (method === 'tools/register') {
    session.tools = params.tools;
    say(socket, { id, result: { registered: session.tools.length } });
  } else if (session.pending.has(id)) {
    const call = session.pending.get(id);
    session.pending.delete(id);
    say(call.agent, error ? { id: call.id, error } : { id: call.id, result });
  }
}

function onAgent(socket, session, { id, method, params }) {
  if (method === 'initialize') {
    say(socket, { id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'relay', version: '1' } } });
  } else if (method === 'tools/list') {
    say(socket, { id, result: { tools: session.tools } });
  } else if (method === 'tools/call') {
    const own = `call-${++calls}`;
    session.pending.set(own, { agent: socket, id });
    say(session.page, { id: own, method, params });
  }
}

server.on('connection', (socket, req) => {
  const { pathname, searchParams } = new URL(req.url, 'http://relay');
  const isPage = pathname === '/btcp';
  const session = isPage ? { id: randomUUID(), page: socket, tools: [], pending: new Map() } : sessions.get(searchParams.get('session'));
  if (!session) {
    socket.close(4001, 'Session not found');
    return;
  }
  const take = isPage ? onPage : onAgent;
  socket.on('message', (data) => take(socket, session, JSON.parse(data)));
  socket.on('error', () => socket.terminate());
});
server.on('listening', () => console.log(`port ${server.address().port}`));
