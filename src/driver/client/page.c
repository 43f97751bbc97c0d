/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"
#include "base/mem.h"
#include "core/limits.h"
#include "driver/client/session.h"

/* What a page may ask for; a number for the member `registered` of the result, or a failure. */
static const struct method {
    const char *name;
    const char *list; /* the member of params that it acts on */
    bool needs_list;
    int (*run)(struct tb_driver_session *session, struct tb_str list, struct tb_err *err);
} methods[] = {
    {"tools/register", "tools", true, tb_client_tools_register},
    {"tools/unregister", "names", false, tb_client_tools_unregister},
};

static void send_reply(struct tb_driver_session *session)
{
    struct tb_client_reply *reply = &session->reply;
    struct tb_str id = tb_buf_str(&reply->id);
    const struct tb_json_value body = {TB_JSON_OBJECT, tb_buf_str(&reply->body)};
    const struct tb_jsonrpc message = {
        .kind = reply->failed ? TB_JSONRPC_ERROR : TB_JSONRPC_RESULT,
        .id = {tb_json_type_of(id.ptr[0]), id},
        .result = reply->failed ? (struct tb_json_value){0} : body,
        .error = reply->failed ? body : (struct tb_json_value){0},
    };
    int rc = tb_channel_send(session->page, TB_CHANNEL_DRIVER, &message, TB_STR(""));
    reply->waits = rc == TB_E_BUSY; /* one that is closed is about to tell so */
}

/* The front has the codes and words of its dialect; this says what failed. */
static void write_error(const struct tb_err *err, struct tb_buf *out)
{
    const struct tb_err_info *info = tb_err_info(err->code);
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    tb_json_member_int(&json, "code", info->rpc_code);
    tb_json_member_cstr(&json, "message", err->text);
    tb_json_key(&json, "data");
    tb_json_object_open(&json);
    tb_json_member_cstr(&json, "code", info->wire);
    tb_json_object_close(&json);
    tb_json_object_close(&json);
}

static int run(struct tb_driver_session *session, const struct tb_jsonrpc *request,
               struct tb_err *err)
{
    static const struct tb_json_limits limits = {.depth_max = TB_BROUGHT_DEPTH + 2,
                                                 .any_escape = true};
    for (size_t i = 0; i < TB_COUNT(methods); i++) {
        const struct method *method = &methods[i];
        struct tb_json_want want = {.key = method->list};
        if (!tb_jsonrpc_is(request, method->name)) {
            continue;
        }
        if (request->params.type != TB_JSON_ABSENT &&
            tb_json_scan(request->params.text, &limits, &want, 1, err) != TB_JSON_OBJECT) {
            return tb_fail(err, TB_E_PARAMS, "params is not an object within the limits");
        }
        bool absent = want.value.type == TB_JSON_ABSENT;
        if (absent ? method->needs_list : want.value.type != TB_JSON_ARRAY) {
            return tb_fail(err, TB_E_PARAMS, "%s needs the array '%s'", method->name, method->list);
        }
        return method->run(session, want.value.text, err);
    }
    return tb_fail(err, TB_E_METHOD, "a page cannot ask its session for that");
}

static void answer(struct tb_driver_session *session, const struct tb_jsonrpc *request)
{
    struct tb_client_reply *reply = &session->reply;
    struct tb_err err;
    int rc = run(session, request, &err);
    tb_buf_clear(&reply->id);
    tb_buf_clear(&reply->body);
    reply->failed = rc < 0;
    tb_buf_append_str(&reply->id, request->id.text);
    if (rc < 0) {
        write_error(&err, &reply->body);
    } else {
        tb_buf_printf(&reply->body, "{\"registered\":%d}", rc);
    }
    send_reply(session);
}

/* A page that does not read its answers is not heard: there is room for one. */
static int on_message(void *user, const struct tb_jsonrpc *message, struct tb_str tail)
{
    struct tb_driver_session *session = user;
    (void)tail;
    if (session->reply.waits) {
        return TB_E_BUSY;
    }
    if (message->kind == TB_JSONRPC_REQUEST) {
        answer(session, message);
    } else if (message->kind == TB_JSONRPC_RESULT || message->kind == TB_JSONRPC_ERROR) {
        tb_client_take_answer(session, message);
    }
    return 0;
}

static void on_ready(void *user)
{
    struct tb_driver_session *session = user;
    if (session->reply.waits) {
        send_reply(session);
        if (session->reply.waits) {
            return;
        }
        tb_channel_ready(session->page, TB_CHANNEL_DRIVER);
    }
    tb_client_send_unsent(session);
}

static void on_closed(void *user)
{
    struct tb_driver_session *session = user;
    tb_client_page_drop(session);
    session->events->on_lost(session->owner, TB_END_CLIENT_DISCONNECTED, TB_LOSS_AWAY,
                             "the page has disconnected");
}

int tb_client_page_join(struct tb_driver_session *session, struct tb_channel *channel)
{
    static const struct tb_channel_events events = {on_message, on_ready, on_closed};
    int rc = tb_channel_join(channel, &events, session);
    if (rc < 0) {
        return rc;
    }
    tb_client_page_drop(session);
    session->page = channel;
    return 0;
}

void tb_client_page_drop(struct tb_driver_session *session)
{
    struct tb_channel *page = session->page;
    session->page = NULL;
    session->reply.waits = false;
    if (page) {
        tb_channel_close(page, TB_CHANNEL_DRIVER);
    }
}
