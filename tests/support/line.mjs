// SPDX-License-Identifier: Apache-2.0
// A client that asks much and quickly: REST and modern MCP on one connection, by TCP or by the Unix socket.
import assert from 'node:assert/strict';
import http from 'node:http';
import { MODERN, modernMeta, parseEvents } from './mcp.mjs';

/** One client's way to the daemon of the moment; a request fails when that is killed. */
export class Line {
  constructor(daemon, unix) {
    this.daemon = daemon;
    this.how = { method: 'POST', auth: !unix, unix, agent: new http.Agent({ keepAlive: true }) };
  }

  close() {
    this.how.agent.destroy();
  }

  async post(target, body, headers = {}) {
    const reply = await this.daemon.request(target, {
      ...this.how, body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    });
    assert.equal(reply.status, 200, `${target}: ${reply.text}`);
    // What takes long is answered in a stream, which shows that the daemon lives.
    return reply.headers['content-type'].includes('event-stream') ? parseEvents(reply.text).at(-1).message : JSON.parse(reply.text);
  }

  /** A tool call, by an agent whose name is found in the log again. */
  async call(op, name, args, conversation) {
    const meta = modernMeta({}, { 'io.modelcontextprotocol/clientInfo': { name: 'op', version: `${op}` } });
    const reply = await this.post('/mcp',
      { jsonrpc: '2.0', id: op, method: 'tools/call', params: { name, arguments: args, _meta: meta } },
      {
        'mcp-protocol-version': MODERN, 'mcp-method': 'tools/call', 'mcp-name': name,
        ...(conversation ? { 'x-conversation-id': conversation } : {}),
      });
    assert.ok(!reply.result.isError, `${name}: ${reply.result.content?.[0].text}`);
    return reply.result;
  }
}
