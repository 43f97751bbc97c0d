/* SPDX-License-Identifier: Apache-2.0 */
#include "front/btcp/page.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "core/limits.h"
#include "core/rates.h"
#include "front/btcp/page_internal.h"
#include "front/reply.h"
#include "front/target.h"

enum {
    PING_MS = 15 * 1000,
    PONG_MS = 15 * 1000,
    CLOSE_MS = 5 * 1000,
    FRAGMENTS_MAX = 256,
    CONTROL_FRAMES = 20, /* a second */
    REPLIES_MAX = 8,     /* to requests of one page, under way at once */
    NAME_MAX = 2 * TB_ID_SIZE,
    GOING_AWAY = 1001,
    NO_BINARY = 1003,
    POLICY = 1008,
};

/* Reading. */

static int check(struct tb_btcp_page *page, const struct tb_btcp_method *method, struct tb_err *err)
{
    int64_t retry_s;
    if ((!method || method->in_session) && !(page->open && tb_btcp_session_of(page))) {
        return tb_fail(err, TB_E_SESSION_NOT_FOUND,
                       "this connection has no session; begin with session/create");
    }
    if (method && page->reply_count >= REPLIES_MAX) {
        return tb_fail(err, TB_E_BUSY, "%d requests of this page wait for their answers",
                       REPLIES_MAX);
    }
    return method ? tb_rates_take(page->btcp->core, page->who, &retry_s, err) : 0;
}

/* The driver's business. It has room for one answer, which only a page that reads nothing fills. */
static void pass_on(struct tb_btcp_page *page, const struct tb_jsonrpc *message)
{
    if (page->channel &&
        tb_channel_send(page->channel, TB_CHANNEL_PEER, message, TB_STR("")) == TB_E_BUSY) {
        tb_ws_conn_close(page->ws, TB_BTCP_TOO_SLOW, TB_STR("too much waits to be read"));
    }
}

static void take_request(struct tb_btcp_page *page, const struct tb_jsonrpc *request)
{
    const struct tb_btcp_method *method = tb_btcp_method_of(request);
    struct tb_err err;
    if (check(page, method, &err) < 0) {
        tb_btcp_send_error(page, request->id.text, &err);
    } else if (method) {
        method->run(page, tb_btcp_reply_new(page, request->id.text), request);
    } else {
        pass_on(page, request);
    }
}

static void on_message(struct tb_ws_conn *ws, bool text, struct tb_str data, void *user)
{
    static const struct tb_json_limits limits = {.depth_max = TB_BROUGHT_DEPTH + 4,
                                                 .any_escape = true};
    struct tb_btcp_page *page = user;
    struct tb_jsonrpc message;
    struct tb_err err;
    if (!text) {
        tb_ws_conn_close(ws, NO_BINARY, TB_STR("send text frames"));
        return;
    }
    int rc = tb_jsonrpc_parse(data, &limits, TB_JSONRPC_RESULT_TOO, &message, &err);
    if (rc < 0 && (message.kind == TB_JSONRPC_NONE || message.kind == TB_JSONRPC_REQUEST)) {
        tb_btcp_send_error(page, message.id.text.len ? message.id.text : TB_STR("null"), &err);
    } else if (rc == 0 && message.kind == TB_JSONRPC_REQUEST) {
        take_request(page, &message);
    } else if (rc == 0 && page->open) {
        pass_on(page, &message);
    }
}

/* The end of a connection. */

static void page_free(struct tb_btcp_page *page)
{
    tb_list_remove(&page->link);
    while (!tb_list_empty(&page->replies)) {
        tb_btcp_reply_free(TB_CONTAINER(page->replies.next, struct tb_btcp_reply, link));
    }
    tb_btcp_session_let_go(page);
    tb_list_remove(&page->live.link);
    tb_principal_unref(page->who, "page");
    tb_buf_fini(&page->named);
    tb_buf_fini(&page->agent);
    tb_ws_conn_free(page->ws);
    tb_free(page);
}

static void on_close(struct tb_ws_conn *ws, int code, struct tb_str reason, void *user)
{
    (void)ws;
    (void)code;
    (void)reason;
    page_free(user);
}

static void on_drain(struct tb_ws_conn *ws, void *user)
{
    struct tb_btcp_page *page = user;
    (void)ws;
    if (page->channel) {
        tb_channel_ready(page->channel, TB_CHANNEL_PEER);
    }
}

static void on_revoked(struct tb_live *live)
{
    tb_ws_conn_close(TB_CONTAINER(live, struct tb_btcp_page, live)->ws, POLICY,
                     TB_STR("the credential is no longer valid"));
}

static struct tb_btcp_page *page_new(struct tb_front_req *req)
{
    char secret[TB_TOKEN_SIZE];
    struct tb_btcp *btcp = req->state;
    struct tb_btcp_page *page = TB_NEW(struct tb_btcp_page);
    page->btcp = btcp;
    page->who = tb_principal_ref(req->who, "page");
    page->live.revoked = on_revoked;
    tb_principal_add_live(page->who, &page->live);
    tb_token_make(secret);
    snprintf(page->conversation, sizeof(page->conversation), "page-%s", secret);
    page->caller =
        (struct tb_caller){.who = page->who, .conversation = page->conversation, .agent = "page"};
    tb_buf_init(&page->named, NAME_MAX);
    tb_buf_init(&page->agent, TB_USER_AGENT_MAX);
    struct tb_str agent = tb_http1_header(tb_http_req_head(req->http), "User-Agent");
    tb_buf_append_str(&page->agent, tb_str_sub(agent, 0, TB_USER_AGENT_MAX));
    tb_list_init(&page->replies);
    tb_list_append(&btcp->pages, &page->link);
    return page;
}

void tb_btcp_page_open(struct tb_front_req *req)
{
    static const struct tb_ws_conn_opts opts = {
        .limits = {.message_max = TB_BTCP_MESSAGE_MAX,
                   .fragments_max = FRAGMENTS_MAX,
                   .control_frames_per_sec = CONTROL_FRAMES},
        .send_max = TB_BTCP_SEND_MAX,
        .ping_ms = PING_MS,
        .pong_ms = PONG_MS,
        .close_ms = CLOSE_MS,
    };
    static const struct tb_ws_conn_ops ops = {
        .on_message = on_message, .on_drain = on_drain, .on_close = on_close};
    static const char *const known[] = {"token", "sessionId", NULL};
    struct tb_err err;
    if (tb_target_check_query(tb_http_req_head(req->http)->query, known, &err) < 0) {
        tb_reply_error(req, err.code, err.text);
        return;
    }
    struct tb_btcp_page *page = page_new(req);
    req->status = 101;
    /* The request is gone after this. */
    page->ws = tb_ws_conn_accept(req->http, TB_STR(""), &opts, &ops, page);
    if (!page->ws) {
        page_free(page);
    }
}

/* What a page is told of its session. */

static void tell(struct tb_btcp_page *page, const struct tb_event *event)
{
    char params[TB_KIB];
    if (event->type == TB_EVENT_SESSION_EXPIRING) {
        const struct tb_field *left = tb_event_field(event, "expires_in_ms");
        snprintf(params, sizeof(params), "{\"expiresIn\":%lld}",
                 left ? (long long)left->number : 0LL);
        tb_btcp_send_notice(page, "session:expiring", tb_str_of(params));
    } else if (event->type == TB_EVENT_SESSION_ENDED) {
        struct tb_err err;
        tb_fail(&err, TB_E_SESSION_ENDED, "the session ended before it was open");
        snprintf(params, sizeof(params), "{\"reason\":\"%s\"}", event->outcome);
        tb_btcp_session_let_go(page); /* the next request may be for another */
        tb_btcp_session_joined(page, &err);
        tb_btcp_send_notice(page, "session:terminated", tb_str_of(params));
    }
}

void tb_btcp_pages_hear(const struct tb_event *event, void *state)
{
    struct tb_btcp *btcp = state;
    if (event->type != TB_EVENT_SESSION_EXPIRING && event->type != TB_EVENT_SESSION_ENDED) {
        return;
    }
    LIST_FOREACH_SAFE(link, &btcp->pages) {
        struct tb_btcp_page *page = TB_CONTAINER(link, struct tb_btcp_page, link);
        if (page->session_id[0] && strcmp(page->session_id, event->session_id) == 0) {
            tell(page, event);
        }
    }
}

void tb_btcp_pages_drain(struct tb_btcp *btcp)
{
    LIST_FOREACH(link, &btcp->pages) {
        tb_ws_conn_close(TB_CONTAINER(link, struct tb_btcp_page, link)->ws, GOING_AWAY,
                         TB_STR("the daemon stops"));
    }
}

void tb_btcp_pages_free(struct tb_btcp *btcp)
{
    while (!tb_list_empty(&btcp->pages)) {
        page_free(TB_CONTAINER(btcp->pages.next, struct tb_btcp_page, link));
    }
}
