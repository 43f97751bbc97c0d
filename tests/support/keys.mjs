// SPDX-License-Identifier: Apache-2.0
// Keys of tenants, and requests that are made with them.
import assert from 'node:assert/strict';

/** Makes a key as the operator; gives {id, key, …}. */
export async function makeKey(daemon, spec) {
  const reply = await daemon.request('/api/keys', {
    method: 'POST', unix: true, headers: { 'content-type': 'application/json' }, body: JSON.stringify(spec),
  });
  assert.equal(reply.status, 201, reply.text);
  return JSON.parse(reply.text);
}

export async function revokeKey(daemon, id) {
  const reply = await daemon.request(`/api/keys/${id}`, { method: 'DELETE', unix: true });
  assert.equal(reply.status, 200, reply.text);
}

/** The daemon as the holder of a key sees it, for helpers that take a daemon. */
export const as = (daemon, key) => Object.create(daemon, { token: { value: key } });

/** One request with a key, or without one. */
export const ask = (daemon, key, target, { method = 'GET', body, headers = {}, unix, port } = {}) => daemon.request(target, {
  method, unix, port, body: body === undefined ? undefined : JSON.stringify(body),
  headers: {
    ...(key ? { authorization: `Bearer ${key}` } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers,
  },
});
