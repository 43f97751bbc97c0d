/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the loop, for the other files of this folder only.
 *
 * Every io object that wraps a libuv handle sets the handle's `data` to itself, counts itself in
 * `live` while it has an owner, and ends with tb_handle_close, which frees it once libuv has let go
 * of the handle. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "io/loop.h"
#include "io/timer.h"

enum {
    TB_LOOP_READ_BYTES = 64 * 1024,
};

struct tb_loop {
    uv_loop_t uv;
    const struct tb_clock *clock;
    int64_t now_ms;
    bool now_known; /* now_ms was read in this turn, after the wait */
    bool turning;
    bool stopped;

    struct tb_list jobs;
    struct tb_list outputs; /* jobs that run behind the others */
    /* Jobs that close what lives on without an owner; run when the loop is freed. */
    struct tb_list leftovers;

    /* A heap, the first to fire in front. */
    struct tb_timer **timers;
    size_t timer_count;
    size_t timer_cap;
    uint64_t timer_order;
    uv_timer_t alarm; /* wakes the loop for the first timer */
    bool alarm_set;
    int64_t alarm_ms;

    size_t live;    /* io objects that have an owner */
    size_t closing; /* io objects that only wait for libuv */

    /* libuv asks for room right before each read, so one buffer serves all streams. */
    char read_room[TB_LOOP_READ_BYTES];
};

/* True if the job waits for the end of a turn. */
static inline bool tb_deferred_waits(const struct tb_deferred *job)
{
    return job->link.next && !tb_list_empty(&job->link);
}

/* Closes the handle; the object in its `data` is freed when libuv is done with it. */
void tb_handle_close(uv_handle_t *handle);

/* The first timer to fire, or NULL. */
const struct tb_timer *tb_timers_first(const struct tb_loop *loop);
/* Fires what is due; timers armed meanwhile wait for the next turn. */
void tb_timers_fire(struct tb_loop *loop);
