/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/mcp.h"

#include "front/guard.h"
#include "front/mcp/http_sse.h"
#include "front/mcp/question.h"
#include "front/mcp/routes.h"
#include "front/mcp/server.h"
#include "front/mcp/stdio.h"
#include "front/mcp/subscriptions.h"
#include "front/mcp/ws.h"

struct tb_mcp *tb_mcp_new(struct tb_core *core, const struct tb_mcp_provider *const *providers)
{
    struct tb_mcp *mcp = TB_NEW(struct tb_mcp);
    mcp->core = core;
    mcp->providers = providers;
    tb_list_init(&mcp->peers);
    tb_list_init(&mcp->stdio);
    tb_list_init(&mcp->sockets);
    tb_list_init(&mcp->streams);
    tb_map_init(&mcp->streams_by_id);
    tb_list_init(&mcp->listens);
    tb_list_init(&mcp->questions);
    tb_mcp_catalog_init(&mcp->catalog, mcp->providers);
    tb_mcp_states_init(&mcp->states);
    mcp->sessions = tb_mcp_sessions_new(mcp);
    for (size_t i = 0; i < TB_DRIVERS_MAX && core->drivers[i].driver; i++) {
        mcp->brings = mcp->brings || core->drivers[i].driver->ops[TB_OP_INVOKE];
    }
    return mcp;
}

static int start(struct tb_core *core, void **ret_state, struct tb_err *err)
{
    static const struct tb_mcp_provider *const product[] = {&tb_mcp_product, NULL};
    (void)err;
    *ret_state = tb_mcp_new(core, product);
    return 0;
}

void tb_mcp_drain(void *state)
{
    struct tb_mcp *mcp = state;
    tb_mcp_listens_end(mcp);
    tb_mcp_sessions_drain(mcp->sessions);
    tb_mcp_ws_drain(mcp);
    tb_mcp_http_sse_drain(mcp);
}

void tb_mcp_free(void *state)
{
    struct tb_mcp *mcp = state;
    tb_mcp_stdio_stop(mcp);
    tb_mcp_ws_stop(mcp);
    tb_mcp_http_sse_stop(mcp);
    tb_map_fini(&mcp->streams_by_id);
    tb_mcp_sessions_free(mcp->sessions);
    tb_mcp_questions_end(mcp);
    tb_bus_unsubscribe(&mcp->bus);
    tb_deferred_cancel(&mcp->meant);
    tb_mcp_states_fini(&mcp->states);
    tb_mcp_catalog_fini(&mcp->catalog);
    tb_free(mcp);
}

/* What a tool needs beyond that is for core/toolbox.c to say. */
static const struct tb_route routes[] = {TB_MCP_ROUTES(TB_SCOPE_OBSERVE)};

const struct tb_front tb_front_mcp = {
    .name = "mcp",
    .routes = routes,
    .route_count = TB_COUNT(routes),
    .cors = &tb_guard_cors,
    .start = start,
    .drain = tb_mcp_drain,
    .stop = tb_mcp_free,
};
