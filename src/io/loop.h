/* SPDX-License-Identifier: Apache-2.0 */
/* The event loop: libuv, wrapped. One loop a daemon, made in main; everything below hangs from it.
 *
 * What may end while callbacks are on the stack is deferred: tb_loop_defer puts a job on a list
 * that the loop empties once a turn, after all input of the turn was handled. Freeing the loop
 * closes what io objects have left to close and fails loudly in tests if an owner forgot one. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/list.h"
#include "base/mem.h"

struct tb_loop;

/* A job for the end of the turn; embedded in its owner. */
struct tb_deferred {
    struct tb_list link;
    void (*run)(struct tb_deferred *job);
};

/* The clock must outlive the loop. From here on the process ignores SIGPIPE. */
struct tb_loop *tb_loop_new(const struct tb_clock *clock);
/* All io objects of the loop must be freed before. */
void tb_loop_free(struct tb_loop *loop);
TB_DEFINE_AUTO(struct tb_loop *, tb_loop_free)

/* Runs until tb_loop_stop or until nothing is left to wait for. */
void tb_loop_run(struct tb_loop *loop);
/* One turn. With `wait` it blocks until something happens; true while there is more to do. */
bool tb_loop_turn(struct tb_loop *loop, bool wait);
void tb_loop_stop(struct tb_loop *loop);

/* Monotonic time. It stands still for the rest of a turn once it was asked for. */
int64_t tb_loop_now_ms(struct tb_loop *loop);
const struct tb_clock *tb_loop_clock(const struct tb_loop *loop);

/* Runs the job once at the end of this turn; a job that waits already stays where it is. */
void tb_loop_defer(struct tb_loop *loop, struct tb_deferred *job);
/* The same behind all jobs of the turn: for what writes, so that what a job has to say leaves in
 * the same turn. */
void tb_loop_defer_output(struct tb_loop *loop, struct tb_deferred *job);
void tb_deferred_cancel(struct tb_deferred *job);

/* Signals: the callback comes from the loop. One watcher a signal number. */
struct tb_signal;
typedef void tb_signal_fn(int signum, void *user);
/* NULL when the signal cannot be watched. */
struct tb_signal *tb_signal_new(struct tb_loop *loop, int signum, tb_signal_fn *fn, void *user);
void tb_signal_free(struct tb_signal *watch);
