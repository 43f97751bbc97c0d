/* SPDX-License-Identifier: Apache-2.0 */
#include "front/reply.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "core/limits.h"
#include "front/once.h"
#include "io/http_reply.h"

enum {
    BODY_MAX = 16 * TB_KIB,
};

static void reply_text(struct tb_front_req *req, int status, const char *type, struct tb_str text,
                       bool again)
{
    const struct tb_http_header headers[] = {
        {"Content-Type", tb_str_of(type)},
        {"Cache-Control", TB_STR("no-store")},
        {"X-Content-Type-Options", TB_STR("nosniff")},
        {"Idempotency-Replayed", TB_STR("true")},
    };
    req->status = status;
    tb_http_reply(req->http, status, headers, TB_COUNT(headers) - !again, text);
}

void tb_reply_text(struct tb_front_req *req, int status, const char *type, struct tb_str text)
{
    tb_once_answer(tb_once_take(req), 0, status, type, text, NULL);
    reply_text(req, status, type, text, false);
}

void tb_reply_again(struct tb_front_req *req, int status, const char *type, struct tb_str text)
{
    reply_text(req, status, type, text, true);
}

void tb_reply_json(struct tb_front_req *req, int status, struct tb_str json)
{
    tb_reply_text(req, status, "application/json", json);
}

void tb_reply_events(struct tb_front_req *req)
{
    static const struct tb_http_header headers[] = {
        {"Content-Type", {"text/event-stream", 17}},
        {"Cache-Control", {"no-cache, no-transform", 22}},
        {"X-Accel-Buffering", {"no", 2}},
    };
    req->status = 200;
    tb_http_reply_start(req->http, 200, headers, TB_COUNT(headers));
}

/* Headers that some statuses want beside the body; three at most. */
static size_t status_headers(struct tb_front_req *req, int code, struct tb_str allow,
                             struct tb_http_header *headers)
{
    size_t count = 0;
    if (code == TB_E_UNAUTHORIZED) {
        headers[count++] = (struct tb_http_header){"WWW-Authenticate", TB_STR("Bearer")};
    }
    if (allow.len) {
        headers[count++] = (struct tb_http_header){"Allow", allow};
    }
    if (tb_err_info(code)->retry == TB_RETRY_LATER) {
        int64_t usual_s = code == TB_E_RATE ? 60 : 1;
        snprintf(req->retry_text, sizeof(req->retry_text), "%lld",
                 (long long)(req->retry_s ? req->retry_s : usual_s));
        headers[count++] = (struct tb_http_header){"Retry-After", tb_str_of(req->retry_text)};
    }
    return count;
}

static void reply_error(struct tb_front_req *req, int code, const char *message, const char *hint,
                        struct tb_str allow)
{
    const struct tb_err_info *info = tb_err_info(code);
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(BODY_MAX);
    tb_http_reply_put_error(&body, 0, code, message, hint);
    struct tb_http_header headers[5] = {
        {"Content-Type", TB_STR(TB_HTTP_PROBLEM_TYPE)},
        {"Cache-Control", TB_STR("no-store")},
    };
    size_t count = 2 + status_headers(req, code, allow, headers + 2);
    req->status = info->http_status;
    tb_once_answer(tb_once_take(req), code, info->http_status, TB_HTTP_PROBLEM_TYPE,
                   tb_buf_str(&body), NULL);
    tb_http_reply(req->http, info->http_status, headers, count, tb_buf_str(&body));
}

void tb_reply_error(struct tb_front_req *req, int code, const char *message)
{
    reply_error(req, code, message, NULL, TB_STR(""));
}

void tb_reply_error_hint(struct tb_front_req *req, int code, const char *message, const char *hint)
{
    reply_error(req, code, message, hint, TB_STR(""));
}

static void fail(struct tb_front_req *req, int code, const char *message, struct tb_str allow)
{
    if (!req->front || !req->front->fail) {
        reply_error(req, code, message, NULL, allow);
        return;
    }
    req->header_count += status_headers(req, code, allow, req->headers + req->header_count);
    tb_http_req_set_headers(req->http, req->headers, req->header_count);
    req->front->fail(req, code, message);
}

void tb_reply_fail(struct tb_front_req *req, int code, const char *message)
{
    fail(req, code, message, TB_STR(""));
}

void tb_reply_not_allowed(struct tb_front_req *req, struct tb_str allow)
{
    char message[128];
    snprintf(message, sizeof(message), "this address takes only %.*s", TB_STR_ARG(allow));
    fail(req, TB_E_METHOD_NOT_ALLOWED, message, allow);
}
