/* SPDX-License-Identifier: Apache-2.0 */
#include "io/loop.h"

#include <assert.h>
#include <signal.h>
#include <stdlib.h>

#include "base/mem.h"
#include "io/loop_internal.h"

/* One turn: wait for input and handle it (uv_run), fire timers, run deferred jobs, then write. Time
 * stands still from the first look at the clock after the wait until the end of the turn. */

struct tb_loop *tb_loop_new(const struct tb_clock *clock)
{
    struct tb_loop *loop = TB_NEW(struct tb_loop);
    if (uv_loop_init(&loop->uv) < 0 || uv_timer_init(&loop->uv, &loop->alarm) < 0) {
        abort(); /* no descriptors for even one loop at start */
    }
    loop->uv.data = loop;
    loop->clock = clock;
    tb_list_init(&loop->jobs);
    tb_list_init(&loop->outputs);
    tb_list_init(&loop->leftovers);
    /* A peer that is gone must show up as a failed write, not end the process. */
    signal(SIGPIPE, SIG_IGN);
    return loop;
}

static bool has_jobs(const struct tb_loop *loop)
{
    return !tb_list_empty(&loop->jobs) || !tb_list_empty(&loop->outputs);
}

static void run_all(struct tb_list *jobs)
{
    struct tb_list *link;
    while ((link = tb_list_pop(jobs))) {
        struct tb_deferred *job = TB_CONTAINER(link, struct tb_deferred, link);
        job->run(job);
    }
}

void tb_loop_free(struct tb_loop *loop)
{
    if (!loop) {
        return;
    }
    run_all(&loop->leftovers);
    assert(loop->live == 0);
    assert(loop->timer_count == 0);
    assert(!has_jobs(loop));
    tb_handle_close((uv_handle_t *)&loop->alarm);
    while (loop->closing) {
        uv_run(&loop->uv, UV_RUN_ONCE);
    }
    tb_free(loop->timers);
    /* Busy only when an owner forgot an object, whose memory libuv would then still use. */
    if (uv_loop_close(&loop->uv) == 0) {
        tb_free(loop);
    }
}

static void closed(uv_handle_t *handle)
{
    struct tb_loop *loop = handle->loop->data;
    loop->closing--;
    tb_free(handle->data);
}

void tb_handle_close(uv_handle_t *handle)
{
    struct tb_loop *loop = handle->loop->data;
    loop->closing++;
    uv_close(handle, closed);
}

static void alarm_rang(uv_timer_t *alarm)
{
    struct tb_loop *loop = alarm->loop->data;
    loop->alarm_set = false;
}

static void alarm_stop(struct tb_loop *loop)
{
    uv_timer_stop(&loop->alarm);
    loop->alarm_set = false;
}

/* The alarm moves only to an earlier time. One that rings too early costs an empty turn; moving it
 * each time a connection puts off its idle timer would cost more.
 *
 * It may ring on the way into uv_run, which then goes on to wait as if there had been no alarm. So
 * it repeats, and rings in the wait again. */
static void alarm_update(struct tb_loop *loop, const struct tb_timer *first)
{
    if (loop->alarm_set && loop->alarm_ms <= first->due_ms) {
        return;
    }
    int64_t delay_ms = first->due_ms - tb_loop_now_ms(loop);
    uv_update_time(&loop->uv);
    uv_timer_start(&loop->alarm, alarm_rang, delay_ms > 0 ? (uint64_t)delay_ms : 0, 1);
    loop->alarm_set = true;
    loop->alarm_ms = first->due_ms;
}

/* What these jobs add to their own list waits for the next turn. */
static void run_jobs(struct tb_list *list)
{
    struct tb_list jobs;
    tb_list_init(&jobs);
    tb_list_splice(&jobs, list);
    run_all(&jobs);
}

bool tb_loop_turn(struct tb_loop *loop, bool wait)
{
    assert(!loop->turning);
    loop->turning = true;
    loop->now_known = false;
    const struct tb_timer *first = tb_timers_first(loop);
    bool ready = has_jobs(loop);
    if (first) {
        ready = ready || first->due_ms <= tb_loop_now_ms(loop);
        alarm_update(loop, first);
    } else {
        alarm_stop(loop); /* its timer was stopped between turns */
    }
    loop->now_known = false;
    uv_run(&loop->uv, wait && !ready ? UV_RUN_ONCE : UV_RUN_NOWAIT);
    tb_timers_fire(loop);
    run_jobs(&loop->jobs);
    run_jobs(&loop->outputs);
    loop->now_known = false;
    loop->turning = false;

    if (tb_timers_first(loop) || has_jobs(loop)) {
        return true;
    }
    alarm_stop(loop); /* or libuv would count it as something to wait for */
    return uv_loop_alive(&loop->uv) != 0;
}

void tb_loop_run(struct tb_loop *loop)
{
    while (!loop->stopped && tb_loop_turn(loop, true)) {
    }
    loop->stopped = false;
}

void tb_loop_stop(struct tb_loop *loop)
{
    loop->stopped = true;
}

int64_t tb_loop_now_ms(struct tb_loop *loop)
{
    if (!loop->now_known) {
        loop->now_ms = tb_clock_mono_ms(loop->clock);
        /* Between turns nobody would notice that the time grows old. */
        loop->now_known = loop->turning;
    }
    return loop->now_ms;
}

const struct tb_clock *tb_loop_clock(const struct tb_loop *loop)
{
    return loop->clock;
}

void tb_loop_defer(struct tb_loop *loop, struct tb_deferred *job)
{
    if (!tb_deferred_waits(job)) {
        tb_list_append(&loop->jobs, &job->link);
    }
}

void tb_loop_defer_output(struct tb_loop *loop, struct tb_deferred *job)
{
    if (!tb_deferred_waits(job)) {
        tb_list_append(&loop->outputs, &job->link);
    }
}

void tb_deferred_cancel(struct tb_deferred *job)
{
    tb_list_remove(&job->link);
}
