/* SPDX-License-Identifier: Apache-2.0 */
#include "front/octopus/octopus.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "core/core.h"
#include "core/limits.h"
#include "core/toolbox.h"
#include "core/view.h"
#include "front/errand.h"
#include "front/guard.h"
#include "front/reply.h"
#include "front/target.h"

enum {
    BODY_MAX = 16 * TB_KIB,
    NAME_MAX = 64,
    USUAL_RETRY_S = 1,
};

/* Errors. */

static const struct row {
    int code;
    int status;
    const char *error;
} rows[] = {
    {TB_E_PARAMS, 422, "validation_error"},
    {TB_E_PARSE, 422, "validation_error"},
    {TB_E_INVALID, 422, "validation_error"},
    {TB_E_CONTENT_TYPE, 415, "validation_error"},
    {TB_E_TOO_LARGE, 413, "validation_error"},
    {TB_E_UNAUTHORIZED, 401, "unauthorized"},
    {TB_E_SCOPE, 403, "forbidden"},
    {TB_E_FORBIDDEN, 403, "forbidden"},
    {TB_E_DENIED, 403, "forbidden"},
    {TB_E_NOT_FOUND, 404, "not_found"},
    {TB_E_UNKNOWN_TOOL, 404, "not_found"},
    {TB_E_METHOD_NOT_ALLOWED, 405, "method_not_allowed"},
    {TB_E_RATE, 429, "rate_limited"},
    {TB_E_LIMIT, 429, "limit_reached"},
    {TB_E_BUSY, 503, "upstream_unavailable"},
    {TB_E_SHUTDOWN, 503, "upstream_unavailable"},
    {TB_E_STORE, 503, "upstream_unavailable"},
    {TB_E_BROWSER_START, 503, "upstream_unavailable"},
    {TB_E_INTERNAL, 500, "internal_error"},
};

/* NULL: it is the outcome of a call, and says so itself. */
static const struct row *find(int code)
{
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        if (rows[i].code == code) {
            return &rows[i];
        }
    }
    return NULL;
}

/* "argument 'url' is missing" */
static struct tb_str field_of(const char *message)
{
    static const char before[] = "argument '";
    const char *at = strstr(message, before);
    if (!at) {
        return TB_STR("");
    }
    at += strlen(before);
    return (struct tb_str){at, strcspn(at, "'")};
}

static void put_error(const struct row *row, const char *message, int64_t retry_s,
                      struct tb_buf *out)
{
    struct tb_json_writer json;
    struct tb_str field = row->status == 422 ? field_of(message) : TB_STR("");
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    tb_json_member_cstr(&json, "error", row->error);
    tb_json_member_cstr(&json, "message", message);
    if (field.len) {
        tb_json_member_str(&json, "field", field);
    }
    if (tb_err_info(row->code)->retry == TB_RETRY_LATER) {
        tb_json_member_int(&json, "retry_after", retry_s ? retry_s : USUAL_RETRY_S);
    }
    tb_json_object_close(&json);
}

/* Of the router and the guard. */
static void fail(struct tb_front_req *req, int code, const char *text)
{
    static const struct row other = {TB_E_INTERNAL, 500, "internal_error"};
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(BODY_MAX);
    const struct row *row = find(code);
    row = row ? row : &other;
    put_error(row, text, req->retry_s, &body);
    tb_reply_json(req, row->status, tb_buf_str(&body));
}

/* Calls. */

static void put_answer(const struct tb_answer *answer, const struct tb_result *result,
                       struct tb_errand_reply *reply)
{
    const struct row *row = find(answer->code);
    (void)result;
    reply->type = "application/json";
    if (row) {
        reply->status = row->status;
        put_error(row, answer->message, 0, &reply->body);
    } else {
        tb_buf_append_str(&reply->body, answer->text);
    }
}

/* The episode of a tenant of Octopus; which tenant of ours that is the credential says. */
static int read_conversation(const struct tb_front_req *req, char ret_name[TB_CONVERSATION_SIZE],
                             struct tb_err *err)
{
    const struct tb_http1_head *head = tb_http_req_head(req->http);
    struct tb_str tenant = tb_str_trim(tb_http1_header(head, "X-Octopus-Tenant-Id"));
    struct tb_str episode = tb_str_trim(tb_http1_header(head, "X-Octopus-Correlation-Id"));
    if (!episode.len && !tenant.len) {
        return tb_errand_conversation(req, ret_name, err);
    }
    int len = snprintf(ret_name, TB_CONVERSATION_SIZE, "octopus/%.*s/%.*s", TB_STR_ARG(tenant),
                       TB_STR_ARG(episode));
    return len < TB_CONVERSATION_SIZE
               ? 0
               : tb_fail(err, TB_E_PARAMS,
                         "X-Octopus-Tenant-Id and X-Octopus-Correlation-Id are too long");
}

static int make_view(const struct tb_front_req *req, struct tb_view **ret_view, struct tb_err *err)
{
    static const struct tb_config_list none = {NULL, 0};
    return tb_view_make(&req->core->views, TB_STR("octopus"), TB_STR(""), &none, ret_view, err);
}

static int begin(struct tb_front_req *req, struct tb_view *view, struct tb_err *err)
{
    char conversation[TB_CONVERSATION_SIZE];
    TB_AUTO(tb_buf_fini) struct tb_buf name = TB_BUF(NAME_MAX);
    if (tb_target_segment(req->args[0], &name) < 0) {
        return tb_fail(err, TB_E_NOT_FOUND, "no tool has a name like this one");
    }
    int rc = read_conversation(req, conversation, err);
    const struct tb_errand_wish wish = {.name = tb_buf_str(&name),
                                        .view = view,
                                        .args = tb_http_req_body(req->http),
                                        .conversation = conversation,
                                        .whole = true,
                                        .answer = put_answer};
    return rc < 0 ? rc : tb_errand_begin(req, &wish, err);
}

static void on_call(struct tb_front_req *req)
{
    struct tb_view *view = NULL;
    struct tb_err err;
    int rc = make_view(req, &view, &err);
    rc = rc < 0 ? rc : begin(req, view, &err);
    tb_view_unref(view, "called");
    if (rc < 0) {
        fail(req, rc, err.text);
    }
}

/* The list. */

static void put_entry(const struct tb_entry *entry, void *user)
{
    tb_toolbox_put_entry(entry, user);
}

static void on_list(struct tb_front_req *req)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_MIB);
    struct tb_view *view = NULL;
    struct tb_json_writer json;
    struct tb_err err;
    if (make_view(req, &view, &err) < 0) {
        fail(req, err.code, err.text);
        return;
    }
    const struct tb_caller caller = {.who = req->who, .conversation = "", .view = view};
    tb_json_writer_init(&json, &text);
    tb_json_array_open(&json);
    tb_toolbox_each(req->core, &caller, NULL, put_entry, &json);
    tb_json_array_close(&json);
    tb_view_unref(view, "listed");
    tb_reply_json(req, 200, tb_buf_str(&text));
}

static const struct tb_route routes[] = {
    {"GET", "/tools", TB_SCOPE_OBSERVE, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL, .handle = on_list},
    {"POST", "/tool/{name}/call", TB_SCOPE_OBSERVE, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = on_call, .gone = tb_errand_gone},
};

const struct tb_front tb_front_octopus = {
    .name = "octopus",
    .routes = routes,
    .route_count = TB_COUNT(routes),
    .prefix = "/tool",
    .cors = &tb_guard_cors,
    .fail = fail,
};
