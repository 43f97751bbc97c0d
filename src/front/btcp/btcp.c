/* SPDX-License-Identifier: Apache-2.0 */
#include "front/btcp/btcp.h"

#include "base/mem.h"
#include "front/btcp/page.h"
#include "front/guard.h"

static int start(struct tb_core *core, void **ret_state, struct tb_err *err)
{
    struct tb_btcp *btcp = TB_NEW(struct tb_btcp);
    (void)err;
    btcp->core = core;
    tb_list_init(&btcp->pages);
    btcp->bus = (struct tb_subscriber){.fn = tb_btcp_pages_hear, .user = btcp};
    tb_list_init(&btcp->bus.link);
    tb_bus_subscribe(&core->bus, &btcp->bus);
    *ret_state = btcp;
    return 0;
}

static void drain(void *state)
{
    tb_btcp_pages_drain(state);
}

static void stop(void *state)
{
    struct tb_btcp *btcp = state;
    tb_btcp_pages_free(btcp);
    tb_bus_unsubscribe(&btcp->bus);
    tb_free(btcp);
}

/* Pages cannot set a header for a WebSocket. */
#define PAGE(path)                                                                               \
    {                                                                                            \
        "GET", (path), TB_SCOPE_ACT, TB_CREDENTIALS_USUAL | TB_CREDENTIAL_QUERY, TB_DOORS_USUAL, \
            .handle = tb_btcp_page_open, .flags = TB_ROUTE_UPGRADE                               \
    }

/* Published pages and documents disagree on the path. */
static const struct tb_route routes[] = {PAGE("/"), PAGE("/btcp"), PAGE("/btcp/client"),
                                         PAGE("/ws")};

const struct tb_front tb_front_btcp = {
    .name = "btcp",
    .routes = routes,
    .route_count = TB_COUNT(routes),
    .prefix = "/btcp",
    .cors = &tb_guard_cors,
    .start = start,
    .drain = drain,
    .stop = stop,
};
