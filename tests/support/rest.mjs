// SPDX-License-Identifier: Apache-2.0
// REST: one request, its answer as JSON, and the OpenAPI document that says what both have to be.
import Ajv2020 from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import assert from 'node:assert/strict';

/** Gives status, headers, text and json; `who` may be a key. */
export async function rest(daemon, method, target, body, { key = daemon.token, headers = {}, unix = false } = {}) {
  const reply = await daemon.request(target, {
    method, unix, body: body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body),
    headers: { ...(unix ? {} : { authorization: `Bearer ${key}` }), ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
  });
  const type = reply.headers['content-type'] ?? '';
  return { ...reply, type, json: /json$/.test(type) && reply.text ? JSON.parse(reply.text) : undefined };
}

/** Checks replies against the document of a daemon. */
export class Description {
  static async of(daemon) {
    const description = new Description();
    description.document = (await rest(daemon, 'GET', '/api/openapi.json')).json;
    description.ajv = new Ajv2020({ strict: false, allErrors: true });
    addFormats(description.ajv);
    description.ajv.addSchema(description.document, 'doc');
    return description;
  }

  /** The operation of a request, and the path under which the document has it. */
  find(method, target) {
    const path = target.split('?')[0];
    const fits = Object.keys(this.document.paths).filter((each) => new RegExp(`^${each.replace(/\{[^}]+\}/g, '[^/]+')}$`).test(path));
    const best = fits.sort((a, b) => a.split('{').length - b.split('{').length)[0];
    return { path: best, operation: this.document.paths[best]?.[method.toLowerCase()] };
  }

  /** The reply is one that the document says. */
  check(method, target, reply) {
    const { path, operation } = this.find(method, target);
    assert.ok(operation, `${method} ${target} is not described`);
    const status = operation.responses[reply.status] ? `${reply.status}` : reply.status === 202 ? '200' : 'default';
    assert.ok(status !== 'default' || reply.status >= 400, `${method} ${target}: ${reply.status} is not described`);
    const [type] = Object.keys(operation.responses[status].content);
    if (type === 'image/*') {
      assert.match(reply.type, /^image\//);
      return;
    }
    assert.equal(reply.type, type, `${method} ${target}`);
    const pointer = ['paths', path, method.toLowerCase(), 'responses', status, 'content', type, 'schema'].map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1')).join('/');
    const validate = this.ajv.compile({ $ref: `doc#/${encodeURI(pointer).replaceAll('{', '%7B').replaceAll('}', '%7D')}` });
    assert.ok(validate(reply.json), `${method} ${target}: ${JSON.stringify(validate.errors)}: ${reply.text.slice(0, 500)}`);
  }
}
