/* SPDX-License-Identifier: Apache-2.0 */
/* One stream of events to a client. A legacy stream belongs to its session, gives its events ids
 * and outlives the HTTP reply that carries it: a client may come back for what it missed. A modern
 * one ends with its reply.
 *
 *   open -> send ... -> answer, or end   the reply ends, the stream is over
 *    ^  '-> gone, or pause               nobody reads; events are kept, if they are kept at all
 *    '----- resume
 *
 * A client that reads slowly gets its kept events as it takes them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/list.h"
#include "core/front.h"
#include "front/mcp/replay.h"
#include "io/timer.h"

/* Who minds when an HTTP request ends without our doing: the `user` of its struct tb_front_req. */
struct tb_mcp_reader {
    void (*gone)(struct tb_mcp_reader *reader);
};

struct tb_mcp_sse {
    struct tb_mcp_reader reader;
    struct tb_list link;          /* of its session */
    struct tb_mcp_replay *replay; /* NULL: nothing is kept, events have no id */
    struct tb_list kept;          /* its events in `replay` */
    struct tb_front_req *front;   /* NULL: nobody reads */
    struct tb_timer keepalive;
    uint64_t stream;
    uint64_t last_number; /* of the last event */
    uint64_t sent;        /* of the last one that the reader was sent */
    int64_t over_ms;      /* when it was over */
    bool over;
    /* The client has left; for a stream that does not outlive its reply. May be NULL. */
    void (*on_gone)(void *owner);
    void *owner;
};

struct tb_mcp_sse *tb_mcp_sse_new(struct tb_loop *loop, struct tb_mcp_replay *replay,
                                  uint64_t stream);
/* Ends the reply, if there is one. */
void tb_mcp_sse_free(struct tb_mcp_sse *sse);
/* Starts the reply. With `prime` the client learns an id before anything happens, so that it can
 * come back. */
void tb_mcp_sse_open(struct tb_mcp_sse *sse, struct tb_front_req *front, bool prime);
/* True if what came behind the event can still be sent: all that a client has missed is gone when
 * too much has come since. */
bool tb_mcp_sse_can_resume(const struct tb_mcp_sse *sse, uint64_t after);
/* The same as open for a client that comes back: sends what it has missed. A stream that is over
 * ends at once. */
void tb_mcp_sse_resume(struct tb_mcp_sse *sse, struct tb_front_req *front, uint64_t after);
/* A message. A client that does not read gets it later if it is kept, else never. */
void tb_mcp_sse_send(struct tb_mcp_sse *sse, struct tb_str message);
/* The last message, and the end: it goes to whoever reads, however much waits before it. */
void tb_mcp_sse_answer(struct tb_mcp_sse *sse, struct tb_str message);
/* Ends the reply, not the stream: the client shall come back after `retry_ms`. */
void tb_mcp_sse_pause(struct tb_mcp_sse *sse, int64_t retry_ms);
void tb_mcp_sse_end(struct tb_mcp_sse *sse);
