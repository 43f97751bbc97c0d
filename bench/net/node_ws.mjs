// SPDX-License-Identifier: Apache-2.0
// WebSocket echo on the package ws, as most node servers run it. Prints "port N".
import { createRequire } from 'node:module';

const modules = process.env.NODE_WS_DIR ?? new URL('../../tests/', import.meta.url).pathname;
const { WebSocketServer } = createRequire(`${modules}/`)('ws');

const server = new WebSocketServer({
  host: '127.0.0.1',
  port: 0,
  backlog: 4096,
  perMessageDeflate: false,
  clientTracking: false,
});
server.on('connection', (socket) => {
  socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }));
  socket.on('error', () => socket.terminate());
});
server.on('listening', () => console.log(`port ${server.address().port}`));
