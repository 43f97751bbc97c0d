/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/mcp.h"

#include "base/log.h"
#include "front/mcp/fixtures/fixtures.h"
#include "front/mcp/http.h"
#include "front/mcp/server.h"
#include "front/mcp/stdio.h"
#include "front/mcp/subscriptions.h"
#include "proto/authority.h"

static const struct tb_mcp_provider *const product_only[] = {&tb_mcp_product, NULL};
static const struct tb_mcp_provider *const with_fixtures[] = {&tb_mcp_product, &tb_mcp_fixtures,
                                                              NULL};

static bool is_loopback(const char *listen)
{
    struct tb_authority where;
    return tb_authority_parse_listen(tb_str_of(listen), &where) &&
           (tb_str_starts(where.host, TB_STR("127.")) || tb_str_eq_cstr(where.host, "::1"));
}

static int check_config(const struct tb_core *core, struct tb_err *err)
{
    const struct tb_config *config = core->config;
    if (config->conformance_fixtures && !is_loopback(config->listen)) {
        return tb_fail(
            err, TB_E_CONFIG,
            "the conformance fixtures are served on loopback only, and listen is '%s'; they are for tests",
            config->listen);
    }
    return 0;
}

static int start(struct tb_core *core, void **ret_state, struct tb_err *err)
{
    int rc = check_config(core, err);
    if (rc < 0) {
        return rc;
    }
    bool fixtures = core->config->conformance_fixtures;
    struct tb_mcp *mcp = TB_NEW(struct tb_mcp);
    mcp->core = core;
    mcp->providers = fixtures ? with_fixtures : product_only;
    mcp->list_changes = fixtures; /* the product's lists are those of its build */
    tb_list_init(&mcp->peers);
    tb_list_init(&mcp->stdio);
    tb_list_init(&mcp->listens);
    tb_mcp_catalog_init(&mcp->catalog, mcp->providers);
    tb_mcp_states_init(&mcp->states);
    mcp->sessions = tb_mcp_sessions_new(mcp);
    if (fixtures) {
        tb_log_at(core->log, WARN, "mcp",
                  "CONFORMANCE FIXTURES ARE SERVED AND /mcp NEEDS NO TOKEN: for tests only");
    }
    *ret_state = mcp;
    return 0;
}

static void drain(void *state)
{
    struct tb_mcp *mcp = state;
    tb_mcp_listens_end(mcp);
    tb_mcp_sessions_drain(mcp->sessions);
}

static void stop(void *state)
{
    struct tb_mcp *mcp = state;
    tb_mcp_stdio_stop(mcp);
    tb_mcp_sessions_free(mcp->sessions);
    tb_bus_unsubscribe(&mcp->bus);
    tb_mcp_states_fini(&mcp->states);
    tb_mcp_catalog_fini(&mcp->catalog);
    tb_free(mcp);
}

static const struct tb_route routes[] = {
    {"GET", "/mcp/stdio", TB_ACCESS_SAME_USER, TB_DOOR_UNIX, tb_mcp_stdio_open, NULL},
    {"POST", "/mcp", TB_ACCESS_AGENT, TB_DOORS_USUAL, tb_mcp_http_post, tb_mcp_http_gone},
    {"GET", "/mcp", TB_ACCESS_AGENT, TB_DOORS_USUAL, tb_mcp_http_get, tb_mcp_http_gone},
    {"DELETE", "/mcp", TB_ACCESS_AGENT, TB_DOORS_USUAL, tb_mcp_http_delete, NULL},
    {"POST", "/mcp/{toolset}", TB_ACCESS_AGENT, TB_DOORS_USUAL, tb_mcp_http_post, tb_mcp_http_gone},
    {"GET", "/mcp/{toolset}", TB_ACCESS_AGENT, TB_DOORS_USUAL, tb_mcp_http_get, tb_mcp_http_gone},
    {"DELETE", "/mcp/{toolset}", TB_ACCESS_AGENT, TB_DOORS_USUAL, tb_mcp_http_delete, NULL},
};

const struct tb_front tb_front_mcp = {
    .name = "mcp",
    .routes = routes,
    .route_count = TB_COUNT(routes),
    .start = start,
    .drain = drain,
    .stop = stop,
};
