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

struct tb_cdp_remote;

/* Connected: the stream is the callback's, `host` and `target` are for the handshake; or words in
 * *err and no stream. Once, later. It may free the remote. */
typedef void tb_cdp_remote_fn(struct tb_stream *stream, struct tb_str host, struct tb_str target,
                              const struct tb_err *err, void *user);

/* What may be told of an endpoint: scheme, host and port. Its path, its query and what stands
 * before the host are keys to it. */
void tb_cdp_remote_shown(const char *endpoint, struct tb_buf *out);

/* `ca_path` is a PEM file of authorities to trust besides the system's; empty: none. */
struct tb_cdp_remote *tb_cdp_remote_new(struct tb_loop *loop, const char *endpoint,
                                        const char *ca_path, int64_t deadline_ms,
                                        tb_cdp_remote_fn *fn, void *user);
void tb_cdp_remote_free(struct tb_cdp_remote *remote);
TB_DEFINE_AUTO(struct tb_cdp_remote *, tb_cdp_remote_free)
