// SPDX-License-Identifier: Apache-2.0
// Serves bench/pages on loopback, in a process of its own. Prints its address when it is ready and
// ends when its input does.
import { readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';

const here = new URL('../pages/', import.meta.url);
const pages = new Map(readdirSync(here).filter((name) => name.endsWith('.html'))
  .map((name) => [`/${name}`, readFileSync(new URL(name, here))]));

function logIn(request, response) {
  let body = '';
  request.on('data', (data) => { body += data; });
  request.on('end', () => {
    const form = new URLSearchParams(body);
    const right = form.get('user') === 'ada' && form.get('password') === 'engine';
    response.writeHead(303, { location: right ? '/list.html' : '/login.html', 'content-length': 0 });
    response.end();
  });
}

const server = http.createServer((request, response) => {
  if (request.method === 'POST') return logIn(request, response);
  const html = pages.get(request.url.split('?')[0]);
  response.writeHead(html ? 200 : 404, {
    'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', 'content-length': html?.length ?? 0,
  });
  return response.end(html);
});
server.keepAliveTimeout = 600_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));
process.stdin.on('end', () => process.exit(0)).resume();
