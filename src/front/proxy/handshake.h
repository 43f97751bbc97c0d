/* SPDX-License-Identifier: Apache-2.0 */
/* Asks a proxy of somebody else's for a connection to a host: HTTP CONNECT (RFC 9110 9.3.6), or
 * SOCKS5 (RFC 1928) with user name and password (RFC 1929). What it says is hostile input. */
#pragma once

#include "base/buf.h"
#include "core/egress.h"
#include "core/upstream.h"
#include "io/stream.h"

struct tb_handshake;

/* 0, and the stream goes on with the bytes of the host, paused; or a negative code with words.
 * Once, later; the stream stays its owner's. */
typedef void tb_handshake_fn(int code, const struct tb_err *err, void *user);

struct tb_handshake *tb_handshake_start(struct tb_stream *stream,
                                        const struct tb_upstream *upstream,
                                        const struct tb_egress_goal *goal, tb_handshake_fn *fn,
                                        void *user);
/* Before the stream goes. NULL is passed over. */
void tb_handshake_free(struct tb_handshake *handshake);
