/* SPDX-License-Identifier: Apache-2.0 */
/* Reaches a browser that somebody else runs, at ws:// or wss://host[:port]/path: finds the
 * address on a worker thread and connects, with TLS for wss. */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/loop.h"
#include "io/stream.h"

struct tb_endpoint;

/* Connected: the stream is the callback's, `host` and `target` are for the handshake; or words in
 * *err and no stream. Once, later. It may free the endpoint. */
typedef void tb_endpoint_fn(struct tb_stream *stream, struct tb_str host, struct tb_str target,
                            const struct tb_err *err, void *user);

/* What may be told of an endpoint: scheme, host and port. Its path, its query and what stands
 * before the host are keys to it. */
void tb_endpoint_shown(const char *address, struct tb_buf *out);

/* `ca_path` is a PEM file of authorities to trust besides the system's; empty: none. */
struct tb_endpoint *tb_endpoint_new(struct tb_loop *loop, const char *address, const char *ca_path,
                                    int64_t deadline_ms, tb_endpoint_fn *fn, void *user);
void tb_endpoint_free(struct tb_endpoint *endpoint);
TB_DEFINE_AUTO(struct tb_endpoint *, tb_endpoint_free)
