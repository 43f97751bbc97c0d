/* SPDX-License-Identifier: Apache-2.0 */
/* Timers, on the loop's monotonic clock. A timer is embedded in its owner and costs a few words:
 * all timers of a loop share one libuv timer and a heap, so arming and stopping is O(log n) and
 * freeing needs no close callback. With a manual clock, tests advance the clock and run a turn of
 * the loop.
 *
 * A callback may free its owner, its timer, and arm or stop any timer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/loop.h"

struct tb_timer;
typedef void tb_timer_fn(struct tb_timer *timer, void *user);

struct tb_timer {
    struct tb_loop *loop;
    tb_timer_fn *fn;
    void *user;
    int64_t due_ms;
    uint64_t order; /* equal times run in the order of arming */
    size_t place;   /* in the heap, counted from 1; 0: not armed */
};

void tb_timer_init(struct tb_timer *timer, struct tb_loop *loop, tb_timer_fn *fn, void *user);
/* Stops it. Safe on a zeroed timer. */
void tb_timer_fini(struct tb_timer *timer);
/* Fires once, `delay_ms` from now; a timer that is armed is moved. */
void tb_timer_start(struct tb_timer *timer, int64_t delay_ms);
void tb_timer_stop(struct tb_timer *timer);
bool tb_timer_armed(const struct tb_timer *timer);
