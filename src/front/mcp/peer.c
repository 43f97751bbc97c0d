/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/peer.h"

#include <assert.h>
#include <string.h>

#include "base/quote.h"
#include "core/limits.h"
#include "core/members.h"
#include "core/resolve.h"
#include "core/sessions.h"
#include "front/mcp/batch.h"
#include "front/mcp/methods.h"
#include "front/mcp/server.h"
#include "front/mcp/subscriptions.h"
#include "proto/json_string.h"

enum {
    TOKEN_MAX = TB_KIB, /* of a progressToken, as written */
};

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
    tb_list_init(&peer->interests);
}

void tb_mcp_peer_fini(struct tb_mcp_peer *peer)
{
    while (!tb_list_empty(&peer->requests)) {
        tb_mcp_req_cancel(TB_CONTAINER(peer->requests.next, struct tb_mcp_req, link));
    }
    tb_mcp_interests_clear(peer);
    if (!tb_list_empty(&peer->link)) {
        tb_list_remove(&peer->link);
        tb_mcp_peers_changed(peer->mcp);
    }
    tb_list_remove(&peer->live.link);
    tb_principal_unref(peer->who, "peer");
    tb_view_unref(peer->view, "peer");
}

void tb_mcp_peer_listens(struct tb_mcp_peer *peer,
                         void (*notify)(struct tb_mcp_peer *peer, struct tb_str message))
{
    peer->notify = notify;
    tb_list_append(&peer->mcp->peers, &peer->link);
    tb_mcp_peers_changed(peer->mcp);
}

size_t tb_mcp_peers_count(const struct tb_mcp *mcp, const struct tb_principal *who,
                          void (*notify)(struct tb_mcp_peer *peer, struct tb_str message))
{
    size_t count = 0;
    LIST_FOREACH(link, &mcp->peers) {
        const struct tb_mcp_peer *peer = TB_CONTAINER(link, struct tb_mcp_peer, link);
        count += peer->who == who && peer->notify == notify;
    }
    return count;
}

struct tb_caller tb_mcp_peer_caller(const struct tb_mcp_peer *peer)
{
    return (struct tb_caller){.who = peer->who,
                              .conversation = peer->conversation,
                              .view = peer->view,
                              .session = peer->session,
                              .chooses = true};
}

int tb_mcp_peer_join(const struct tb_mcp_peer *peer, struct tb_err *err)
{
    struct tb_caller caller = tb_mcp_peer_caller(peer);
    struct tb_resolve_ask ask = {.caller = &caller, .named = tb_str_of(peer->session)};
    struct tb_place place;
    if (!ask.named.len) {
        return 0;
    }
    int rc = tb_resolve(peer->mcp->core->sessions, &ask, &place, err);
    assert(rc != TB_LATER);
    caller.passing = true; /* we tell when it leaves */
    caller.agent = peer->introduced ? peer->agent : NULL;
    return rc < 0 ? rc : tb_member_choose(place.session, &caller, err);
}

void tb_mcp_peer_end_listens(struct tb_mcp_peer *peer)
{
    LIST_FOREACH_SAFE(link, &peer->requests) {
        struct tb_mcp_req *req = TB_CONTAINER(link, struct tb_mcp_req, link);
        if (req->method && req->method->run == tb_mcp_listen) {
            tb_mcp_req_cancel(req);
        }
    }
}

void tb_mcp_peer_left(struct tb_mcp_peer *peer)
{
    const struct tb_caller caller = tb_mcp_peer_caller(peer);
    tb_sessions_leave_conversation(peer->mcp->core->sessions, &caller);
}

/* Requests. */

static struct tb_str copy(char **room, struct tb_str text)
{
    char *to = *room;
    if (text.len) {
        memcpy(to, text.ptr, text.len);
    }
    *room += text.len;
    return (struct tb_str){to, text.len};
}

/* The request and its texts are one block of memory. */
static struct tb_mcp_req *req_new(struct tb_mcp_peer *peer, const struct tb_mcp_message *message,
                                  struct tb_mcp_out *out)
{
    struct tb_str id = message->rpc.id.text;
    struct tb_str token = message->envelope.progress_token.text;
    struct tb_mcp_req *req = tb_zalloc(sizeof(*req) + id.len + token.len);
    char *room = (char *)(req + 1);
    req->mcp = peer->mcp;
    req->peer = peer;
    req->out = out;
    req->message = message;
    req->version = message->version;
    req->id = copy(&room, id);
    req->progress_token = copy(&room, token);
    req->progress = -1;
    req->log_level = -1;
    tb_list_append(&peer->requests, &req->link);
    peer->request_count++;
    return req;
}

/* Who is meant, in this order: the message, the transport's header, the peer itself. */
static int take_conversation(struct tb_mcp_req *req)
{
    TB_AUTO(tb_buf_fini) struct tb_buf said = TB_BUF(TB_CONVERSATION_SIZE - 1);
    struct tb_json_value meta = req->message->envelope.conversation;
    struct tb_str name = req->message->conversation;
    if (meta.type != TB_JSON_ABSENT) {
        if (meta.type != TB_JSON_STRING || tb_json_string_decode(meta.text, &said) < 0) {
            return -1;
        }
        name = tb_buf_str(&said);
    }
    if (name.len >= TB_CONVERSATION_SIZE) {
        return -1;
    }
    req->passing = !name.len && req->peer->passing;
    req->chooses = !name.len && req->peer->conversation[0];
    name = name.len ? name : tb_str_of(req->peer->conversation);
    memcpy(req->conversation, name.ptr, name.len); /* the rest is zero */
    return 0;
}

/* Which session is meant by what names none: as the message came, or as its peer did. */
static void take_session(struct tb_mcp_req *req)
{
    struct tb_str came_for = tb_str_of(req->peer->session);
    struct tb_str given = req->message->session;
    if (given.len && !tb_str_eq(given, came_for)) {
        req->chooses = false; /* that was for another one */
    }
    given = given.len ? given : came_for;
    memcpy(req->session, given.ptr, given.len); /* the transport saw to its length */
}

/* A modern peer does not begin by initialize, which would tell it that there is no such session. A
 * call says so itself, in a form that models read; what we speak does not depend on it. While the
 * stored sessions are being read nobody knows. */
static int check_session(struct tb_mcp_req *req, struct tb_err *err)
{
    const struct tb_caller caller = tb_mcp_req_caller(req);
    struct tb_resolve_ask ask = {.caller = &caller};
    struct tb_place place;
    bool tells = req->method->run == tb_mcp_tools_call || req->method->run == tb_mcp_discover;
    if (!req->session[0] || !tb_mcp_req_is_modern(req) || tells) {
        return 0;
    }
    int rc = tb_resolve(req->mcp->core->sessions, &ask, &place, err);
    tb_resolve_cancel(&ask);
    return rc < 0 ? rc : 0;
}

static int take_log_level(struct tb_mcp_req *req)
{
    TB_AUTO(tb_buf_fini) struct tb_buf name = TB_BUF(32);
    struct tb_json_value wanted = req->message->envelope.log_level;
    if (!tb_mcp_req_is_modern(req)) {
        req->log_level = req->peer->log_level;
        return 0;
    }
    if (wanted.type == TB_JSON_ABSENT) {
        return 0;
    }
    if (wanted.type == TB_JSON_STRING && tb_json_string_decode(wanted.text, &name) == 0) {
        req->log_level = tb_mcp_log_level(tb_buf_str(&name));
    }
    return req->log_level;
}

static bool token_ok(const struct tb_mcp_req *req)
{
    enum tb_json_type type = req->message->envelope.progress_token.type;
    bool known = type == TB_JSON_ABSENT || type == TB_JSON_STRING || type == TB_JSON_NUMBER;
    return known && req->progress_token.len <= TOKEN_MAX;
}

static void refuse_method(struct tb_mcp_req *req, struct tb_str raw)
{
    TB_AUTO(tb_buf_fini) struct tb_buf method = TB_BUF(TB_JSONRPC_METHOD_MAX);
    struct tb_quoted shown;
    tb_json_string_decode(raw, &method);
    tb_mcp_req_fail(req, -32601, "unknown method %s in this protocol version",
                    tb_quoted(&shown, tb_buf_str(&method), 0));
}

static void start(struct tb_mcp_peer *peer, const struct tb_mcp_message *message,
                  struct tb_mcp_out *out)
{
    struct tb_mcp_req *req = req_new(peer, message, out);
    struct tb_err err;
    req->method = tb_mcp_method_find(&message->rpc);
    take_session(req);
    if (!req->method || !(req->method->eras & tb_mcp_version_era(req->version))) {
        refuse_method(req, message->rpc.method.text);
    } else if (peer->request_count > TB_MCP_REQUESTS) {
        tb_mcp_req_fail(req, tb_err_info(TB_E_BUSY)->rpc_code,
                        "too many requests are in progress; wait for one to finish");
    } else if (take_conversation(req) < 0) {
        tb_mcp_req_fail(req, -32602, "the conversation name must be a string of at most %d bytes",
                        TB_CONVERSATION_SIZE - 1);
    } else if (take_log_level(req) < 0) {
        tb_mcp_req_fail(
            req, -32602,
            "unknown log level; use one of debug, info, notice, warning, error, critical, alert, emergency");
    } else if (!token_ok(req)) {
        tb_mcp_req_fail(req, -32602,
                        "progressToken must be a string or a number of at most %d bytes",
                        TOKEN_MAX);
    } else if (check_session(req, &err) < 0) {
        tb_mcp_req_fail(req, tb_err_info(err.code)->rpc_code, "%s", err.text);
    } else {
        req->method->run(req);
    }
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
        start(peer, message, out);
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

/* Text. */

static void refuse(struct tb_mcp_out *out, struct tb_str id, int code, const char *text)
{
    struct tb_mcp_fault fault;
    tb_mcp_fail(&fault, 0, code, "%s", text);
    tb_mcp_out_fault(out, id, &fault);
}

static void take_batch(struct tb_mcp_peer *peer, struct tb_str text,
                       const struct tb_mcp_message *whole, struct tb_mcp_out *out)
{
    bool allowed = peer->introduced && peer->version == TB_MCP_2025_03_26;
    if (!allowed || tb_mcp_batch_claims(text)) {
        refuse(out, TB_STR(""), -32600,
               "this protocol version has no batches; send one message per request");
        return;
    }
    tb_mcp_batch_run(peer, text, whole, out);
}

static void take_message(struct tb_mcp_peer *peer, struct tb_mcp_message *message,
                         struct tb_mcp_out *out)
{
    struct tb_mcp_fault fault;
    enum tb_jsonrpc_kind kind = message->rpc.kind;
    if (kind == TB_JSONRPC_REQUEST || kind == TB_JSONRPC_NOTIFICATION) {
        if (tb_mcp_envelope_read(&message->rpc, &message->envelope, &fault) < 0 ||
            tb_mcp_version_choose(&message->rpc, &message->envelope, NULL, peer->version,
                                  &message->version, &fault) < 0) {
            if (kind == TB_JSONRPC_REQUEST) {
                tb_mcp_out_fault(out, message->rpc.id.text, &fault);
            }
            return;
        }
    }
    tb_mcp_peer_receive(peer, message, out);
}

void tb_mcp_peer_receive_whole(struct tb_mcp_peer *peer, struct tb_str text,
                               struct tb_mcp_message *message, struct tb_mcp_out *out)
{
    if (message->rpc.kind == TB_JSONRPC_BATCH) {
        take_batch(peer, text, message, out);
    } else {
        message->version = peer->version;
        take_message(peer, message, out);
    }
}

void tb_mcp_peer_receive_text(struct tb_mcp_peer *peer, struct tb_str text, struct tb_mcp_out *out)
{
    struct tb_mcp_message message = {.version = peer->version};
    struct tb_err err;
    int rc = tb_mcp_message_parse(text, &message, &err);
    enum tb_jsonrpc_kind kind = message.rpc.kind;
    if (rc == 0) {
        tb_mcp_peer_receive_whole(peer, text, &message, out);
    } else if (kind == TB_JSONRPC_NONE || kind == TB_JSONRPC_REQUEST) {
        refuse(out, message.rpc.id.text, tb_err_info(rc)->rpc_code, err.text);
    }
}
