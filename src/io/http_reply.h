/* SPDX-License-Identifier: Apache-2.0 */
/* The text of HTTP replies: heads, dates and the JSON body that every error has, which is that of
 * RFC 9457 (application/problem+json). No I/O. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "io/http_server.h"

enum tb_http_framing {
    TB_HTTP_NO_BODY,   /* 204, 304 */
    TB_HTTP_LENGTH,    /* Content-Length */
    TB_HTTP_CHUNKED,   /* Transfer-Encoding: chunked */
    TB_HTTP_TO_THE_END /* up to the end of the connection (HTTP/1.0) */
};

enum tb_http_persistence {
    TB_HTTP_KEEP, /* HTTP/1.1: nothing to say */
    TB_HTTP_CLOSE,
    TB_HTTP_KEEP_1_0 /* HTTP/1.0 asked for it and wants it confirmed */
};

struct tb_http_reply_head {
    int status;
    const struct tb_http_header *headers;
    size_t header_count;
    const struct tb_http_header *more; /* further ones; may be NULL */
    size_t more_count;
    enum tb_http_framing framing;
    uint64_t length;
    enum tb_http_persistence persistence;
    const char *date;
};

enum {
    TB_HTTP_DATE_SIZE = 32,
};

#define TB_HTTP_PROBLEM_TYPE "application/problem+json"

/* Appends status line, headers and the empty line. */
void tb_http_reply_put_head(struct tb_buf *out, const struct tb_http_reply_head *head);
/* The members of a problem, for a code of err.def: error {code, message, hint}, and what the
 * standard has of the same: type, title, status, detail. `hint` NULL: the advice of the code;
 * `status` 0: its own. */
void tb_http_reply_put_problem(struct tb_json_writer *json, int status, int code, const char *text,
                               const char *hint);
/* Appends an object with them. */
void tb_http_reply_put_error(struct tb_buf *out, int status, int code, const char *text,
                             const char *hint);
/* Appends a whole reply that refuses and closes, with such a body. */
void tb_http_reply_put_refusal(struct tb_buf *out, int code, const char *text, const char *date);
/* Wall time as Sun, 06 Nov 1994 08:49:37 GMT. */
void tb_http_date(int64_t wall_ms, char ret_text[TB_HTTP_DATE_SIZE]);
/* Whether a reply of this status has a body at all. */
bool tb_http_status_has_body(int status);
/* The words of a status, "Unknown" when it is not one of ours. */
const char *tb_http_status_text(int status);
