/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/json.h"
#include "base/mem.h"
#include "core/driver.h"
#include "core/toolbox.h"
#include "front/btcp/page_internal.h"

enum {
    OPEN_MS = 10 * 1000,
};

struct tb_session *tb_btcp_session_of(const struct tb_btcp_page *page)
{
    return page->session_id[0] ? tb_sessions_find(page->btcp->core->sessions, page->who->tenant,
                                                  tb_str_of(page->session_id))
                               : NULL;
}

void tb_btcp_session_joined(struct tb_btcp_page *page, const struct tb_err *err)
{
    page->open = !err;
    if (page->joining.gate) {
        tb_hold_release(&page->joining, err);
    }
}

void tb_btcp_session_let_go(struct tb_btcp_page *page)
{
    struct tb_channel *channel = page->channel;
    page->channel = NULL;
    page->session_id[0] = '\0';
    page->open = false;
    if (channel) {
        tb_channel_close(channel, TB_CHANNEL_PEER);
    }
}

static void put_message(const struct tb_jsonrpc *message, struct tb_str tail, struct tb_buf *out)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(SIZE_MAX);
    bool is_call = message->kind == TB_JSONRPC_REQUEST;
    if (is_call) {
        tb_buf_printf(&params, "{\"name\":%.*s,\"arguments\":", TB_STR_ARG(message->name.text));
        tb_buf_append_str(&params, message->arguments.text);
        tb_buf_printf(&params, "%s%.*s}", tail.len ? "," : "", TB_STR_ARG(tail));
    }
    struct tb_str method = message->method.text; /* as JSON */
    tb_jsonrpc_write_request(message->id.text,
                             tb_str_sub(method, 1, method.len ? method.len - 1 : 0),
                             is_call ? tb_buf_str(&params) : message->params.text, out);
}

static int on_driver_says(void *user, const struct tb_jsonrpc *message, struct tb_str tail)
{
    struct tb_btcp_page *page = user;
    TB_AUTO(tb_buf_fini) struct tb_buf frame = TB_BUF(SIZE_MAX);
    if (message->kind == TB_JSONRPC_RESULT) {
        tb_jsonrpc_write_result(message->id.text, message->result.text, &frame);
    } else if (message->kind == TB_JSONRPC_ERROR) {
        tb_buf_printf(&frame, "{\"jsonrpc\":\"2.0\",\"id\":%.*s,\"error\":%.*s}",
                      TB_STR_ARG(message->id.text), TB_STR_ARG(message->error.text));
    } else {
        put_message(message, tail, &frame);
    }
    return tb_ws_conn_send(page->ws, true, tb_buf_str(&frame)) == TB_E_TOO_LARGE ? TB_E_BUSY : 0;
}

static void on_driver_ready(void *user)
{
    tb_btcp_session_joined(user, NULL);
}

/* A newer page has the session now; of its end the bus tells earlier. */
static void on_driver_closed(void *user)
{
    struct tb_btcp_page *page = user;
    struct tb_err err;
    tb_fail(&err, TB_E_CLOSED, "another page has taken this session over");
    tb_btcp_session_let_go(page);
    tb_btcp_session_joined(page, &err);
    tb_btcp_send_notice(page, "session:replaced", TB_STR("{}"));
}

static const struct tb_channel_events channel_events = {on_driver_says, on_driver_ready,
                                                        on_driver_closed};

/* A message that says nothing is refused until the driver has joined, and then we are told. */
static void knock(struct tb_btcp_page *page)
{
    static const struct tb_jsonrpc nothing = {
        .kind = TB_JSONRPC_NOTIFICATION,
        .method = {TB_JSON_STRING, {"\"session/opened\"", 16}},
    };
    if (tb_channel_send(page->channel, TB_CHANNEL_PEER, &nothing, TB_STR("")) == 0) {
        tb_btcp_session_joined(page, NULL);
    }
}

void tb_btcp_session_put(struct tb_btcp_page *page, const struct tb_session *session,
                         bool recovered, struct tb_buf *out)
{
    struct tb_json_writer json;
    const struct tb_session_info info = tb_session_info(session);
    snprintf(page->session_id, sizeof(page->session_id), "%s", info.id);
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    tb_json_member_cstr(&json, "sessionId", info.id);
    if (info.expires_ms < INT64_MAX) {
        tb_json_member_int(&json, "expiresAt", info.expires_ms);
    }
    if (recovered) {
        tb_json_member_bool(&json, "recovered", true);
        tb_json_member_int(&json, "tools", (int64_t)tb_toolbox_brought(session));
    }
    tb_json_object_close(&json);
}

static void begin(struct tb_btcp_page *page, struct tb_btcp_reply *reply,
                  struct tb_session *session, bool recovered)
{
    tb_session_introduce(session, tb_buf_str(&page->agent));
    tb_btcp_session_put(page, session, recovered, &reply->body);
    tb_gate_hold(&reply->gate, &page->joining);
    tb_btcp_reply_finish(reply, NULL);
    knock(page);
}

static void make_channel(struct tb_btcp_page *page)
{
    page->channel = tb_channel_new(page->btcp->core->loop, &channel_events, page);
}

void tb_btcp_session_create(struct tb_btcp_page *page, struct tb_btcp_reply *reply)
{
    static const struct tb_offer wanted = {TB_KIND_CLIENT, TB_PROVIDER_LOCAL, TB_ENGINE_AUTO};
    struct tb_core *core = page->btcp->core;
    const struct tb_driver_slot *slot;
    struct tb_session *session = NULL;
    const char *warning;
    struct tb_err err;
    int rc = tb_driver_find(core, &wanted, &slot, &err);
    if (rc == 0) {
        make_channel(page);
        const struct tb_session_spec spec = {
            .kind = TB_KIND_CLIENT,
            .driver = slot->driver,
            .driver_state = slot->state,
            .channel = page->channel,
            .gate = &reply->gate,
            .deadline_ms = tb_loop_now_ms(core->loop) + OPEN_MS,
        };
        rc = tb_sessions_create(core->sessions, &page->caller, &spec, &session, &warning, &err);
    }
    if (rc < 0) {
        tb_btcp_session_let_go(page);
        tb_btcp_reply_finish(reply, &err);
        return;
    }
    begin(page, reply, session, false);
}

/* Whoever comes back has to know the id, which is a secret; a name is none. */
static int take_back(struct tb_btcp_page *page, struct tb_session *session, struct tb_err *err)
{
    const struct tb_session_info info = tb_session_info(session);
    if (info.kind != TB_KIND_CLIENT || !tb_str_eq_cstr(tb_buf_str(&page->named), info.id)) {
        return tb_fail(err, TB_E_SESSION_NOT_FOUND,
                       "unknown or ended session; create a new one with session/create");
    }
    make_channel(page);
    int rc = tb_session_attach(session, page->channel, err);
    if (rc < 0) {
        tb_btcp_session_let_go(page);
    }
    return rc;
}

static void on_found(struct tb_resolve_ask *ask, const struct tb_place *place,
                     const struct tb_err *err)
{
    struct tb_btcp_page *page = TB_CONTAINER(ask, struct tb_btcp_page, ask);
    struct tb_btcp_reply *reply = page->asks;
    struct tb_err why = err ? *err : (struct tb_err){0};
    page->asks = NULL;
    if (why.code == 0 && take_back(page, place->session, &why) == 0) {
        begin(page, reply, place->session, true);
    } else {
        tb_btcp_reply_finish(reply, &why);
    }
}

void tb_btcp_session_recover(struct tb_btcp_page *page, struct tb_btcp_reply *reply)
{
    struct tb_place place = {NULL};
    struct tb_err err;
    page->asks = reply;
    page->ask = (struct tb_resolve_ask){
        .caller = &page->caller, .named = tb_buf_str(&page->named), .fn = on_found};
    int rc = tb_resolve(page->btcp->core->sessions, &page->ask, &place, &err);
    if (rc != TB_LATER) {
        on_found(&page->ask, &place, rc < 0 ? &err : NULL);
    }
}
