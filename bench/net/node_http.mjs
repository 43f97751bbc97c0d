// SPDX-License-Identifier: Apache-2.0
// HTTP POST echo on node:http. Prints "port N".
import http from 'node:http';

const server = http.createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => response.end(pieces.length === 1 ? pieces[0] : Buffer.concat(pieces)));
});
server.listen({ host: '127.0.0.1', port: 0, backlog: 4096 }, () => {
  console.log(`port ${server.address().port}`);
});
