/* SPDX-License-Identifier: Apache-2.0 */
/* Listening sockets, TCP and Unix. Each connection becomes a stream that the callback owns.
 *
 * When descriptors run out, accepting pauses and a spare descriptor lets the waiting peer be closed
 * at once instead of spinning (EMFILE). */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "io/loop.h"
#include "io/stream.h"

struct tb_listener;
typedef void tb_listener_fn(struct tb_stream *stream, void *user);

/* `address` is an IP literal; port 0 lets the system choose. `tls` (borrowed, may be NULL) wraps
 * every connection. NULL with words in *err: the port is taken (says so), no permission, no such
 * address. */
struct tb_listener *tb_listener_new_tcp(struct tb_loop *loop, const char *address, uint16_t port,
                                        struct tb_tls *tls, tb_listener_fn *fn, void *user,
                                        struct tb_err *err);
/* The socket file gets mode 0600; a stale file (nobody listens) is replaced. Removed with the
 * listener. */
struct tb_listener *tb_listener_new_unix(struct tb_loop *loop, const char *path, tb_listener_fn *fn,
                                         void *user, struct tb_err *err);
void tb_listener_free(struct tb_listener *listener);
TB_DEFINE_AUTO(struct tb_listener *, tb_listener_free)
/* The port in use; 0 for a Unix socket. */
uint16_t tb_listener_port(const struct tb_listener *listener);
