/* SPDX-License-Identifier: Apache-2.0 */
#include "front/events/events.h"

#include "base/mem.h"
#include "front/events/feed.h"
#include "front/events/readers.h"
#include "front/guard.h"

static int start(struct tb_core *core, void **ret_state, struct tb_err *err)
{
    (void)err;
    *ret_state = tb_feed_new(core);
    return 0;
}

static void drain(void *state)
{
    tb_readers_end(state);
}

static void stop(void *state)
{
    tb_feed_free(state);
}

/* One row for both forms, SSE and WebSocket: they take the same query and refuse the same, and
 * readers.c tells them apart where it has read that. */
static const struct tb_route routes[] = {
    {"GET", "/api/events", TB_SCOPE_OBSERVE, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = tb_readers_open, .gone = tb_readers_gone},
};

const struct tb_front tb_front_events = {
    .name = "events",
    .routes = routes,
    .route_count = TB_COUNT(routes),
    .cors = &tb_guard_cors,
    .start = start,
    .drain = drain,
    .stop = stop,
};
