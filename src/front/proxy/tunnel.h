/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes both ways between two streams, as fast as the slower one takes them: who sends more than
 * the other reads is not read any more until that has drained. An end of one side is passed on, and
 * the tunnel is over when both have ended, when one fails, or when nothing moves for long. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/stream.h"
#include "io/timer.h"

struct tb_tunnel;

struct tb_tunnel_side {
    struct tb_tunnel *tunnel;
    struct tb_stream *stream;
    bool ended; /* it sends no more */
};

/* A part of whoever has the connection; all zero before it begins. */
struct tb_tunnel {
    struct tb_tunnel_side client;
    struct tb_tunnel_side server;
    struct tb_timer idle;
    bool complete;    /* both sides have ended in order */
    bool begun;       /* the client has sent something */
    int64_t moved_ms; /* when a byte last went either way */
    /* May what the client begins with go through? False: the tunnel has ended. NULL: all may. */
    bool (*may_begin)(struct tb_tunnel *tunnel, struct tb_str first);
    /* So many bytes came from the server and from the client. */
    void (*count)(struct tb_tunnel *tunnel, size_t in, size_t out);
    /* It is over; the owner ends it. Once, from the loop. */
    void (*over)(struct tb_tunnel *tunnel);
};

/* Takes both streams; the functions are set. `early` came from the client already. */
void tb_tunnel_begin_take(struct tb_tunnel *tunnel, struct tb_stream *client,
                          struct tb_stream *server, struct tb_str early);
/* Frees the streams, at once unless only the last bytes are left to go. One that never began is
 * passed over. */
void tb_tunnel_end(struct tb_tunnel *tunnel);
