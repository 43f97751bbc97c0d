/* SPDX-License-Identifier: Apache-2.0 */
#include "io/timer.h"

#include "base/mem.h"
#include "io/loop_internal.h"

enum {
    FIRST_CAP = 64,
};

static bool before(const struct tb_timer *a, const struct tb_timer *b)
{
    return a->due_ms != b->due_ms ? a->due_ms < b->due_ms : a->order < b->order;
}

/* Places count from 1, so the children of n are 2n and 2n + 1. */
static struct tb_timer *at(const struct tb_loop *loop, size_t place)
{
    return loop->timers[place - 1];
}

static void put(struct tb_loop *loop, size_t place, struct tb_timer *timer)
{
    loop->timers[place - 1] = timer;
    timer->place = place;
}

static void move_up(struct tb_loop *loop, struct tb_timer *timer)
{
    size_t place = timer->place;
    while (place > 1 && before(timer, at(loop, place / 2))) {
        put(loop, place, at(loop, place / 2));
        place /= 2;
    }
    put(loop, place, timer);
}

static void move_down(struct tb_loop *loop, struct tb_timer *timer)
{
    size_t place = timer->place;
    for (;;) {
        size_t child = place * 2;
        if (child > loop->timer_count) {
            break;
        }
        if (child < loop->timer_count && before(at(loop, child + 1), at(loop, child))) {
            child++;
        }
        if (!before(at(loop, child), timer)) {
            break;
        }
        put(loop, place, at(loop, child));
        place = child;
    }
    put(loop, place, timer);
}

static void append(struct tb_loop *loop, struct tb_timer *timer)
{
    if (loop->timer_count == loop->timer_cap) {
        loop->timer_cap = loop->timer_cap ? loop->timer_cap * 2 : FIRST_CAP;
        loop->timers = tb_realloc(loop->timers, loop->timer_cap * sizeof(*loop->timers));
    }
    put(loop, ++loop->timer_count, timer);
}

void tb_timer_init(struct tb_timer *timer, struct tb_loop *loop, tb_timer_fn *fn, void *user)
{
    *timer = (struct tb_timer){.loop = loop, .fn = fn, .user = user};
}

void tb_timer_fini(struct tb_timer *timer)
{
    tb_timer_stop(timer);
}

void tb_timer_start(struct tb_timer *timer, int64_t delay_ms)
{
    struct tb_loop *loop = timer->loop;
    int64_t now_ms = tb_loop_now_ms(loop);
    if (__builtin_add_overflow(now_ms, delay_ms > 0 ? delay_ms : 0, &timer->due_ms)) {
        timer->due_ms = INT64_MAX;
    }
    timer->order = loop->timer_order++;
    if (!timer->place) {
        append(loop, timer);
    }
    move_up(loop, timer);
    move_down(loop, timer);
}

void tb_timer_stop(struct tb_timer *timer)
{
    if (!timer->place) {
        return;
    }
    struct tb_loop *loop = timer->loop;
    struct tb_timer *last = at(loop, loop->timer_count--);
    if (last != timer) {
        put(loop, timer->place, last);
        move_up(loop, last);
        move_down(loop, last);
    }
    timer->place = 0;
}

bool tb_timer_armed(const struct tb_timer *timer)
{
    return timer->place > 0;
}

const struct tb_timer *tb_timers_first(const struct tb_loop *loop)
{
    return loop->timer_count ? at(loop, 1) : NULL;
}

void tb_timers_fire(struct tb_loop *loop)
{
    if (!loop->timer_count) {
        return;
    }
    int64_t now_ms = tb_loop_now_ms(loop);
    uint64_t armed_meanwhile = loop->timer_order;
    while (loop->timer_count) {
        struct tb_timer *timer = at(loop, 1);
        /* Nothing armed by a callback is due before what was armed earlier, so the first such timer
         * ends the round. */
        if (timer->due_ms > now_ms || timer->order >= armed_meanwhile) {
            return;
        }
        tb_timer_stop(timer);
        timer->fn(timer, timer->user);
    }
}
