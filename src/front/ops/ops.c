/* SPDX-License-Identifier: Apache-2.0 */
#include "front/ops/ops.h"

#include "base/buf.h"
#include "base/mem.h"
#include "core/limits.h"
#include "core/metrics.h"
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
    if (req->core->measure) {
        req->core->measure(req->core, req->core->measure_user);
    }
    if (tb_metrics_print(&req->core->metrics, &text) < 0) {
        tb_reply_error(req, TB_E_INTERNAL, "the metrics do not fit into one reply");
        return;
    }
    tb_reply_text(req, 200, "text/plain; version=0.0.4; charset=utf-8", tb_buf_str(&text));
}

static const struct tb_route routes[] = {
    {"GET", "/health", TB_ACCESS_OPEN, TB_DOORS_ALL, health, NULL},
    {"GET", "/metrics", TB_ACCESS_TOKEN, TB_DOORS_USUAL, metrics, NULL},
};

const struct tb_front tb_front_ops = {
    .name = "ops",
    .routes = routes,
    .route_count = TB_COUNT(routes),
};
