/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include "base/mem.h"
#include "core/core.h"
#include "core/limits.h"
#include "front/btcp/page_internal.h"
#include "proto/json_string.h"

/* A member of params; absent if there are none. */
static struct tb_json_value param(const struct tb_jsonrpc *request, const char *key)
{
    static const struct tb_json_limits limits = {.depth_max = TB_BROUGHT_DEPTH, .any_escape = true};
    struct tb_json_want want = {.key = key};
    if (request->params.type == TB_JSON_OBJECT) {
        tb_json_scan(request->params.text, &limits, &want, 1, NULL);
    }
    return want.value;
}

static void on_create(struct tb_btcp_page *page, struct tb_btcp_reply *reply,
                      const struct tb_jsonrpc *request)
{
    struct tb_json_value old = param(request, "sessionId");
    struct tb_err err;
    tb_buf_clear(&page->named);
    if (page->channel || page->asks) {
        tb_fail(&err, TB_E_EXISTS, "this connection has a session; open another for another one");
        tb_btcp_reply_finish(reply, &err);
    } else if (old.type == TB_JSON_ABSENT) {
        tb_btcp_session_create(page, reply);
    } else if (old.type != TB_JSON_STRING || tb_json_string_decode(old.text, &page->named) < 0) {
        tb_fail(&err, TB_E_PARAMS, "sessionId is not an id of a session");
        tb_btcp_reply_finish(reply, &err);
    } else {
        tb_btcp_session_recover(page, reply);
    }
}

static void on_renew(struct tb_btcp_page *page, struct tb_btcp_reply *reply,
                     const struct tb_jsonrpc *request)
{
    struct tb_json_value ttl = param(request, "ttl");
    struct tb_session *session = tb_btcp_session_of(page);
    uint64_t seconds = 0;
    struct tb_err err = {0};
    if (ttl.type != TB_JSON_ABSENT &&
        (!tb_str_to_u64(ttl.text, &seconds) || seconds > UINT32_MAX)) {
        tb_fail(&err, TB_E_PARAMS, "ttl must be a whole number of seconds");
    } else if (tb_session_renew(session, (int64_t)seconds * 1000, &page->caller, &reply->gate,
                                &err) == 0) {
        tb_btcp_session_put(page, session, false, &reply->body);
    }
    tb_btcp_reply_finish(reply, err.code < 0 ? &err : NULL);
}

static void on_terminate(struct tb_btcp_page *page, struct tb_btcp_reply *reply,
                         const struct tb_jsonrpc *request)
{
    (void)request;
    tb_buf_append_cstr(&reply->body, "{\"terminated\":true}");
    tb_session_close(tb_btcp_session_of(page), &page->caller, &reply->gate);
    tb_btcp_reply_finish(reply, NULL);
}

static void on_info(struct tb_btcp_page *page, struct tb_btcp_reply *reply,
                    const struct tb_jsonrpc *request)
{
    struct tb_json_writer json;
    struct tb_err err;
    (void)request;
    tb_json_writer_init(&json, &reply->body);
    tb_session_dump(tb_btcp_session_of(page), &page->caller, tb_str_of(page->session_id), &json);
    tb_btcp_reply_finish(
        reply, json.rc < 0 ? (tb_fail(&err, json.rc, "the answer is too large"), &err) : NULL);
}

static void on_ping(struct tb_btcp_page *page, struct tb_btcp_reply *reply,
                    const struct tb_jsonrpc *request)
{
    (void)request;
    tb_buf_printf(&reply->body, "{\"pong\":true,\"timestamp\":%lld}",
                  (long long)tb_clock_wall_ms(page->btcp->core->clock));
    tb_btcp_reply_finish(reply, NULL);
}

static const struct tb_btcp_method methods[] = {
    {"session/create", false, on_create},
    {"session/reconnect", false, on_create},
    {"session/renew", true, on_renew},
    {"session/terminate", true, on_terminate},
    {"session/info", true, on_info},
    {"session/ping", false, on_ping},
    {"ping", false, on_ping},
};

const struct tb_btcp_method *tb_btcp_method_of(const struct tb_jsonrpc *request)
{
    for (size_t i = 0; i < TB_COUNT(methods); i++) {
        if (tb_jsonrpc_is(request, methods[i].name)) {
            return &methods[i];
        }
    }
    return NULL;
}
