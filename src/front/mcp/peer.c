/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/peer.h"

#include "core/limits.h"
#include "core/sessions.h"
#include "front/mcp/server.h"
#include "front/mcp/subscriptions.h"
#include "proto/json_string.h"

void tb_mcp_peer_init(struct tb_mcp_peer *peer, struct tb_mcp *mcp, struct tb_principal *who,
                      struct tb_view *view, void (*revoked)(struct tb_live *live))
{
    *peer = (struct tb_mcp_peer){
        .mcp = mcp,
        .who = tb_principal_ref(who, "peer"),
        .live = {.revoked = revoked},
        .view = tb_view_ref(view, "peer"),
        .version = TB_MCP_LEGACY_NEWEST,
        .log_level = tb_mcp_log_level(TB_STR("info")),
    };
    tb_principal_add_live(who, &peer->live);
    tb_list_init(&peer->link);
    tb_list_init(&peer->requests);
    tb_list_init(&peer->asks);
    tb_list_init(&peer->watches);
}

void tb_mcp_peer_fini(struct tb_mcp_peer *peer)
{
    while (!tb_list_empty(&peer->requests)) {
        tb_mcp_req_cancel(TB_CONTAINER(peer->requests.next, struct tb_mcp_req, link));
    }
    tb_mcp_watch_clear(peer);
    tb_list_remove(&peer->link);
    tb_list_remove(&peer->live.link);
    tb_principal_unref(peer->who, "peer");
    tb_view_unref(peer->view, "peer");
}

void tb_mcp_peer_listens(struct tb_mcp_peer *peer,
                         void (*notify)(struct tb_mcp_peer *peer, struct tb_str message))
{
    peer->notify = notify;
    tb_list_append(&peer->mcp->peers, &peer->link);
}

void tb_mcp_peer_left(struct tb_mcp_peer *peer)
{
    struct tb_core *core = peer->mcp->core;
    const struct tb_caller caller = {.who = peer->who, .conversation = peer->conversation};
    tb_sessions_leave_conversation(core->sessions, &caller);
}

/* The id is compared as it is written: a client repeats what it sent. */
static void cancel(struct tb_mcp_peer *peer, const struct tb_jsonrpc *rpc)
{
    struct tb_json_want id = {.key = "requestId"};
    const struct tb_json_limits limits = {0};
    if (rpc->params.type != TB_JSON_OBJECT ||
        tb_json_scan(rpc->params.text, &limits, &id, 1, NULL) < 0) {
        return;
    }
    LIST_FOREACH(link, &peer->requests) {
        struct tb_mcp_req *req = TB_CONTAINER(link, struct tb_mcp_req, link);
        if (tb_str_eq(req->id, id.value.text)) {
            tb_mcp_req_cancel(req);
            return;
        }
    }
}

void tb_mcp_peer_receive(struct tb_mcp_peer *peer, const struct tb_mcp_message *message,
                         struct tb_mcp_out *out)
{
    switch (message->rpc.kind) {
    case TB_JSONRPC_REQUEST:
        tb_mcp_req_start(peer, message, out);
        break;
    case TB_JSONRPC_NOTIFICATION:
        /* All others tell us nothing that we act on. */
        if (tb_jsonrpc_is(&message->rpc, "notifications/cancelled")) {
            cancel(peer, &message->rpc);
        }
        break;
    case TB_JSONRPC_RESULT:
    case TB_JSONRPC_ERROR:
        tb_mcp_ask_answered(peer, &message->rpc);
        break;
    default:
        break;
    }
}
