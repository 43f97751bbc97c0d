/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/calls.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/json.h"
#include "core/limits.h"
#include "core/resolve.h"
#include "core/toolbox.h"
#include "core/view.h"
#include "front/errand.h"
#include "front/reply.h"
#include "front/rest/act.h"
#include "front/rest/query.h"
#include "front/target.h"
#include "io/http_reply.h"

enum {
    QUERY_MAX = 2 * TB_HTTP_HEAD_MAX,
};

/* Answers. */

static void put_image(const struct tb_answer *answer, struct tb_json_writer *json)
{
    tb_json_key(json, "image");
    tb_json_object_open(json);
    tb_json_member_cstr(json, "mimeType", answer->image_type);
    tb_json_member_raw(json, "data", TB_STR("\""));
    json->need_comma = false;
    tb_json_put_raw(json, answer->image); /* large, with nothing to escape */
    json->need_comma = false;
    tb_json_put_raw(json, TB_STR("\""));
    tb_json_object_close(json);
}

static void put_notes(const struct tb_answer *answer, struct tb_json_writer *json)
{
    const struct tb_str notes[] = {answer->note, answer->aside};
    if (!answer->note.len && !answer->aside.len) {
        return;
    }
    tb_json_key(json, "notes");
    tb_json_array_open(json);
    for (size_t i = 0; i < TB_COUNT(notes); i++) {
        if (notes[i].len) {
            tb_json_put_str(json, notes[i]);
        }
    }
    tb_json_array_close(json);
}

static void put_data(const struct tb_answer *answer, const struct tb_result *result,
                     struct tb_json_writer *json)
{
    if (answer->raw.len) {
        tb_json_member_raw(json, "data", answer->raw);
    } else {
        tb_json_key(json, "data");
        tb_json_put_tree(json, result->data);
    }
}

static void put_answer(const struct tb_answer *answer, const struct tb_result *result,
                       struct tb_errand_reply *reply)
{
    struct tb_json_writer json;
    tb_json_writer_init(&json, &reply->body);
    tb_json_object_open(&json);
    reply->type = "application/json";
    if (answer->code < 0) {
        TB_AUTO(tb_buf_fini) struct tb_buf hint = TB_BUF(TB_KIB);
        const struct tb_err_info *info = tb_err_info(answer->code);
        tb_view_hint(NULL, info->advice, &hint);
        tb_buf_append_char(&hint, '\0');
        tb_http_reply_put_problem(&json, 0, answer->code, answer->message, (const char *)hint.data);
        reply->type = TB_HTTP_PROBLEM_TYPE;
        reply->status = info->http_status;
    }
    tb_json_member_bool(&json, "ok", !answer->is_error);
    tb_json_member_str(&json, "text", answer->text.len ? answer->text : answer->raw);
    put_data(answer, result, &json);
    if (answer->image.len) {
        put_image(answer, &json);
    }
    if (answer->session) {
        tb_json_member_cstr(&json, "session", answer->session);
    }
    put_notes(answer, &json);
    tb_json_object_close(&json);
}

/* The picture alone, if there is one. */
static void put_picture(const struct tb_answer *answer, const struct tb_result *result,
                        struct tb_errand_reply *reply)
{
    if (answer->code < 0 || !answer->image.len ||
        tb_base64_decode(answer->image, &reply->body) < 0) {
        tb_buf_clear(&reply->body);
        put_answer(answer, result, reply);
        return;
    }
    reply->type = answer->image_type;
}

/* Calls. */

static void begin(struct tb_front_req *req, const struct tb_errand_wish *what)
{
    char conversation[TB_CONVERSATION_SIZE];
    struct tb_errand_wish wish = *what;
    struct tb_err err;
    wish.conversation = conversation;
    if (tb_errand_conversation(req, conversation, &err) < 0 ||
        tb_errand_begin(req, &wish, &err) < 0) {
        tb_reply_error(req, err.code, err.text);
    }
}

/* A part of the address; false: it is answered. */
static bool read_part(struct tb_front_req *req, struct tb_str part, struct tb_buf *out)
{
    if (tb_target_segment(part, out) == 0) {
        return true;
    }
    tb_reply_error(req, TB_E_NOT_FOUND, "the address is malformed or has a name that is too long");
    return false;
}

void tb_rest_tool_call(struct tb_front_req *req)
{
    TB_AUTO(tb_buf_fini) struct tb_buf tool = TB_BUF(TB_BROUGHT_NAME_MAX);
    if (read_part(req, req->args[0], &tool)) {
        struct tb_errand_wish wish = {
            .name = tb_buf_str(&tool), .args = tb_http_req_body(req->http), .answer = put_answer};
        begin(req, &wish);
    }
}

/* It would act on no session, or on another than the address names. */
static bool refuse_sessionless(struct tb_front_req *req, struct tb_str name)
{
    const struct tb_tool *tool = tb_tool_find(req->core->views.kit, name);
    if (!tool || !(tool->flags & TB_TOOL_NO_SESSION) || (tool->flags & TB_TOOL_BESIDE)) {
        return false;
    }
    char text[TB_BROUGHT_NAME_MAX + 80];
    snprintf(text, sizeof(text), "the tool %s is not about one session; call it at /api/tools/%s",
             tool->name, tool->name);
    tb_reply_error(req, TB_E_PARAMS, text);
    return true;
}

void tb_rest_session_tool_call(struct tb_front_req *req)
{
    TB_AUTO(tb_buf_fini) struct tb_buf session = TB_BUF(TB_NAME_SIZE - 1);
    TB_AUTO(tb_buf_fini) struct tb_buf tool = TB_BUF(TB_BROUGHT_NAME_MAX);
    if (read_part(req, req->args[0], &session) && read_part(req, req->args[1], &tool) &&
        !refuse_sessionless(req, tb_buf_str(&tool))) {
        const struct tb_errand_wish wish = {.name = tb_buf_str(&tool),
                                            .session = tb_buf_str(&session),
                                            .args = tb_http_req_body(req->http),
                                            .answer = put_answer};
        begin(req, &wish);
    }
}

void tb_rest_session_start(struct tb_front_req *req)
{
    const struct tb_errand_wish wish = {.tool = req->core->views.kit->starter,
                                        .args = tb_http_req_body(req->http),
                                        .answer = put_answer};
    begin(req, &wish);
}

/* A GET of what is not there leaves no trace, as a call would. While the stored sessions are being
 * read the call itself finds out. */
static bool lacks_session(struct tb_front_req *req, struct tb_str session)
{
    char conversation[TB_CONVERSATION_SIZE];
    const struct tb_caller caller = {.who = req->who, .conversation = conversation};
    struct tb_resolve_ask ask = {.caller = &caller, .named = session};
    struct tb_place place;
    struct tb_err err;
    int rc = tb_errand_conversation(req, conversation, &err);
    rc = rc < 0 ? rc : tb_resolve(req->core->sessions, &ask, &place, &err);
    tb_resolve_cancel(&ask);
    if (rc < 0) {
        tb_reply_error_hint(req, err.code, err.text,
                            "GET /api/sessions lists the sessions that there are.");
    }
    return rc < 0;
}

/* The arguments stand in the query: numbers and flags come as text, which tools take. */
void tb_rest_screenshot(struct tb_front_req *req)
{
    TB_AUTO(tb_buf_fini) struct tb_buf session = TB_BUF(TB_NAME_SIZE - 1);
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(QUERY_MAX);
    struct tb_err err;
    if (!read_part(req, req->args[0], &session) || lacks_session(req, tb_buf_str(&session))) {
        return;
    }
    if (tb_rest_query_json(tb_http_req_head(req->http)->query, &args, &err) < 0) {
        tb_reply_error(req, err.code, err.text);
        return;
    }
    const struct tb_errand_wish wish = {.tool =
                                            tb_tool_by_op(req->core->views.kit, TB_OP_SCREENSHOT),
                                        .session = tb_buf_str(&session),
                                        .args = tb_buf_str(&args),
                                        .answer = put_picture};
    begin(req, &wish);
}

/* Lists. */

static void put_entry(const struct tb_entry *entry, void *user)
{
    tb_toolbox_put_entry(entry, user);
}

static void list(struct tb_act *act)
{
    struct tb_str named = tb_args_text(act->query, "session", "");
    struct tb_sessions *sessions = act->req->core->sessions;
    const struct tb_session *session =
        named.len ? tb_sessions_reach(sessions, &act->caller, named) : NULL;
    if (named.len && !session) {
        tb_reply_error_hint(act->req, TB_E_SESSION_NOT_FOUND, "there is no such session",
                            "GET /api/sessions lists the sessions that there are.");
        return;
    }
    tb_json_object_open(&act->json);
    tb_json_key(&act->json, "tools");
    tb_json_array_open(&act->json);
    tb_toolbox_each(act->req->core, &act->caller, session, put_entry, &act->json);
    tb_json_array_close(&act->json);
    tb_json_object_close(&act->json);
    tb_act_finish(act);
}

void tb_rest_tools_list(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, list);
}
