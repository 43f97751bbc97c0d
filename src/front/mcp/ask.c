/* SPDX-License-Identifier: Apache-2.0 */
#include <inttypes.h>
#include <stdio.h>

#include "core/limits.h"
#include "front/mcp/peer.h"
#include "front/mcp/server.h"
#include "io/timer.h"

struct ask {
    struct tb_list link; /* of the peer */
    struct tb_mcp_req *req;
    tb_mcp_ask_fn *fn;
    struct tb_timer deadline;
    char id[32]; /* JSON */
};

static void ask_free(struct ask *ask)
{
    tb_timer_fini(&ask->deadline);
    tb_list_remove(&ask->link);
    tb_free(ask);
}

static void on_deadline(struct tb_timer *timer, void *user)
{
    struct ask *ask = user;
    (void)timer;
    char text[128];
    snprintf(text, sizeof(text),
             "the client did not answer the server's question within %d minutes",
             TB_MCP_ASK_MS / 60000);
    tb_mcp_req_abort(ask->req, tb_err_info(TB_E_TIMEOUT)->rpc_code, text);
}

void tb_mcp_ask(struct tb_mcp_req *req, const char *method, struct tb_str params, tb_mcp_ask_fn *fn)
{
    if (req->out->answer_only) {
        tb_mcp_req_fail(req, -32600,
                        "this tool asks the client with %s, but the Accept header does not allow "
                        "text/event-stream; send Accept: application/json, text/event-stream",
                        method);
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf message = TB_BUF(TB_MCP_RESULT_MAX);
    struct ask *ask = TB_NEW(struct ask);
    ask->req = req;
    ask->fn = fn;
    snprintf(ask->id, sizeof(ask->id), "\"tabard-%" PRIu64 "\"", ++req->peer->ask_count);
    tb_list_append(&req->peer->asks, &ask->link);
    tb_timer_init(&ask->deadline, req->mcp->core->loop, on_deadline, ask);
    tb_timer_start(&ask->deadline, TB_MCP_ASK_MS);
    tb_jsonrpc_write_request(tb_str_of(ask->id), tb_str_of(method), params, &message);
    tb_mcp_req_wait(req, NULL, NULL);
    req->out->ops->send(req->out, tb_buf_str(&message));
}

void tb_mcp_ask_answered(struct tb_mcp_peer *peer, const struct tb_jsonrpc *rpc)
{
    LIST_FOREACH(link, &peer->asks) {
        struct ask *ask = TB_CONTAINER(link, struct ask, link);
        if (!tb_str_eq_cstr(rpc->id.text, ask->id)) {
            continue;
        }
        TB_AUTO(tb_json_free)
        struct cJSON *result =
            rpc->kind == TB_JSONRPC_RESULT ? tb_json_parse(rpc->result.text) : NULL;
        struct tb_mcp_req *req = ask->req;
        tb_mcp_ask_fn *fn = ask->fn;
        ask_free(ask);
        fn(req, result);
        return;
    }
}

void tb_mcp_ask_withdraw(struct tb_mcp_req *req)
{
    LIST_FOREACH_SAFE(link, &req->peer->asks) {
        struct ask *ask = TB_CONTAINER(link, struct ask, link);
        if (ask->req == req) {
            char params[64];
            snprintf(params, sizeof(params), "{\"requestId\":%s}", ask->id);
            ask_free(ask);
            tb_mcp_req_notify(req, "notifications/cancelled", tb_str_of(params));
        }
    }
}

void tb_mcp_ask_forget(struct tb_mcp_req *req)
{
    LIST_FOREACH_SAFE(link, &req->peer->asks) {
        struct ask *ask = TB_CONTAINER(link, struct ask, link);
        if (ask->req == req) {
            ask_free(ask);
        }
    }
}
