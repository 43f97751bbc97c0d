/* SPDX-License-Identifier: Apache-2.0 */
#include "front/ops/ops.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "core/limits.h"
#include "core/metrics.h"
#include "front/guard.h"
#include "front/reply.h"

static void health(struct tb_front_req *req)
{
    /* Anybody may ask: why is told in the log and to those who call. */
    if (tb_store_ready(&req->core->store, NULL)) {
        tb_reply_json(req, 200, TB_STR("{\"status\":\"ok\",\"version\":\"" TABARD_VERSION "\"}"));
    } else {
        tb_reply_json(
            req, 200,
            TB_STR("{\"status\":\"degraded\",\"reason\":\"store\",\"version\":\"" TABARD_VERSION
                   "\"}"));
    }
}

static void metrics(struct tb_front_req *req)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_MIB);
    /* They count what all tenants do. A collector needs no more than a key of the usual one. */
    if (!tb_principal_may(req->who, TB_SCOPE_OPERATE) &&
        strcmp(req->who->tenant, TB_TENANT_DEFAULT) != 0) {
        tb_reply_error(
            req, TB_E_FORBIDDEN,
            "the metrics are those of all tenants; only keys of the tenant '" TB_TENANT_DEFAULT
            "' read them");
        return;
    }
    if (req->core->measure) {
        req->core->measure(req->core, req->core->measure_user);
    }
    if (tb_metrics_print(&req->core->metrics, &text) < 0) {
        tb_reply_error(req, TB_E_INTERNAL, "the metrics are too large for one reply");
        return;
    }
    tb_reply_text(req, 200, "text/plain; version=0.0.4; charset=utf-8", tb_buf_str(&text));
}

/* For a person who opens the address in a browser. It tells nothing that the README does not. */
static const char greeting[] =
    "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>tabard</title>"
    "<meta name=\"viewport\" content=\"width=device-width\">"
    "<body style=\"font:16px/1.5 system-ui,sans-serif;max-width:40em;margin:3em auto;padding:0 1em\">"
    "<h1>tabard</h1>"
    "<p>This is a daemon between AI agents and browsers. It is running.</p>"
    "<p>To connect an agent, add this command to the agent's MCP servers:</p>"
    "<pre>tabard mcp</pre>"
    "<p>Over HTTP, MCP is at <code>/mcp</code>. Every address but this one and <code>/health</code> "
    "needs a token; the operator finds it in <code>admin.token</code> in the state directory.</p>"
    "<p>The README and <code>tabard help</code> explain the rest.</p></body></html>\n";

static void greet(struct tb_front_req *req)
{
    struct tb_str accept = tb_http1_header(tb_http_req_head(req->http), "Accept");
    if (accept.ptr && memmem(accept.ptr, accept.len, "text/html", 9)) {
        tb_reply_text(req, 200, "text/html; charset=utf-8", TB_STR(greeting));
    } else {
        tb_reply_text(req, 200, "text/plain",
                      TB_STR("tabard is running. MCP is at /mcp and needs a token.\n"));
    }
}

static const struct tb_route routes[] = {
    {"GET", "/", 0, TB_CREDENTIAL_NONE, TB_DOOR_MAIN, .handle = greet},
    {"GET", "/health", 0, TB_CREDENTIAL_NONE, TB_DOORS_ALL, .handle = health},
    {"GET", "/metrics", TB_SCOPE_OBSERVE, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL, .handle = metrics},
};

const struct tb_front tb_front_ops = {
    .name = "ops",
    .routes = routes,
    .route_count = TB_COUNT(routes),
    .cors = &tb_guard_cors,
};
