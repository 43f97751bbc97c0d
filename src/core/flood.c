/* SPDX-License-Identifier: Apache-2.0 */
#include "core/flood.h"

#include "core/limits.h"

static void on_window_over(struct tb_timer *timer, void *user)
{
    (void)timer;
    tb_flood_close(user);
}

void tb_flood_init(struct tb_flood *flood, struct tb_loop *loop, tb_flood_rest_fn *rest)
{
    *flood = (struct tb_flood){.rest = rest};
    tb_timer_init(&flood->window, loop, on_window_over, flood);
}

void tb_flood_fini(struct tb_flood *flood)
{
    tb_flood_close(flood);
    tb_timer_fini(&flood->window);
}

bool tb_flood_tells(struct tb_flood *flood)
{
    if (!tb_timer_armed(&flood->window)) {
        tb_timer_start(&flood->window, TB_FLOOD_MS);
    }
    return ++flood->count <= TB_FLOOD_TOLD;
}

void tb_flood_close(struct tb_flood *flood)
{
    int64_t untold = flood->count - TB_FLOOD_TOLD;
    flood->count = 0;
    tb_timer_stop(&flood->window);
    if (untold > 0) {
        flood->rest(flood, untold);
    }
}
