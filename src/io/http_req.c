/* SPDX-License-Identifier: Apache-2.0 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "io/http_conn.h"

const struct tb_http1_head *tb_http_req_head(const struct tb_http_req *req)
{
    return tb_http1_head(req->conn->parser);
}

struct tb_str tb_http_req_body(const struct tb_http_req *req)
{
    return tb_buf_str(&req->body);
}

const struct tb_peer *tb_http_req_peer(const struct tb_http_req *req)
{
    return tb_stream_peer(req->conn->stream);
}

void tb_http_req_set_user(struct tb_http_req *req, void *user)
{
    req->user = user;
}

void *tb_http_req_user(const struct tb_http_req *req)
{
    return req->user;
}

void tb_http_req_set_body_max(struct tb_http_req *req, uint64_t bytes)
{
    tb_http1_set_body_max(req->conn->parser, bytes);
}

void tb_http_req_stream(struct tb_http_req *req,
                        void (*fn)(struct tb_http_req *req, struct tb_str piece))
{
    req->on_body = fn;
}

void tb_http_req_set_headers(struct tb_http_req *req, const struct tb_http_header *headers,
                             size_t count)
{
    req->headers = headers;
    req->header_count = count;
}

/* What the reply's head says about the connection. Before the body is in, a reply ends the
 * connection: the rest of it would have to be read to find the next request. */
static enum tb_http_persistence decide_close(struct tb_http_req *req, bool to_the_end)
{
    struct tb_http_conn *conn = req->conn;
    const struct tb_http1_head *head = tb_http_req_head(req);
    if (req->paused) {
        tb_http_conn_unpause(conn);
    }
    conn->discard = conn->state == TB_HTTP_CONN_BODY && tb_http1_has_body(head);
    conn->close = conn->discard || to_the_end || !head->keep_alive || conn->server->draining;
    conn->want_continue = false;
    conn->deadline_ms = 0;
    if (conn->close) {
        return TB_HTTP_CLOSE;
    }
    return head->minor == 0 ? TB_HTTP_KEEP_1_0 : TB_HTTP_KEEP;
}

static bool is_head_request(const struct tb_http_req *req)
{
    return tb_str_eq_cstr(tb_http_req_head(req)->method, "HEAD");
}

/* Joins a head and a body in memory of exactly their size, so that a large body is copied once. */
static int put(struct tb_http_req *req, struct tb_str head, struct tb_str body, struct tb_str tail)
{
    size_t len = head.len + body.len + tail.len;
    uint8_t *data = tb_realloc(NULL, len);
    memcpy(data, head.ptr, head.len);
    if (body.len) {
        memcpy(data + head.len, body.ptr, body.len);
    }
    if (tail.len) {
        memcpy(data + head.len + body.len, tail.ptr, tail.len);
    }
    return tb_http_conn_write_take(req->conn, data, len);
}

/* Whatever comes of it, on_gone says it: a stream that takes no reply is broken. */
static void put_or_break(struct tb_http_req *req, struct tb_str head, struct tb_str body)
{
    if (put(req, head, body, (struct tb_str){0}) < 0) {
        req->conn->broken = true;
    }
}

void tb_http_reply(struct tb_http_req *req, int status, const struct tb_http_header *headers,
                   size_t header_count, struct tb_str body)
{
    struct tb_http_conn *conn = req->conn;
    assert(conn->state == TB_HTTP_CONN_BODY || conn->state == TB_HTTP_CONN_PENDING);
    bool has_body = tb_http_status_has_body(status);
    struct tb_http_reply_head head = {
        .status = status,
        .headers = headers,
        .header_count = header_count,
        .more = req->headers,
        .more_count = req->header_count,
        .framing = has_body ? TB_HTTP_LENGTH : TB_HTTP_NO_BODY,
        .length = body.len,
        .persistence = decide_close(req, false),
        .date = tb_http_server_date(conn->server),
    };
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(SIZE_MAX);
    tb_http_reply_put_head(&out, &head);
    has_body = has_body && !is_head_request(req);
    put_or_break(req, tb_buf_str(&out), has_body ? body : (struct tb_str){0});
    tb_http_conn_finish_reply(conn);
}

void tb_http_reply_error(struct tb_http_req *req, int code, const char *text,
                         const struct tb_http_header *headers, size_t header_count)
{
    enum {
        HEADERS_MAX = 8,
    };
    struct tb_http_header all[HEADERS_MAX + 1] = {{"Content-Type", TB_STR(TB_HTTP_PROBLEM_TYPE)}};
    assert(header_count <= HEADERS_MAX);
    for (size_t i = 0; i < header_count && i < HEADERS_MAX; i++) {
        all[i + 1] = headers[i];
    }
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(SIZE_MAX);
    tb_http_reply_put_error(&body, 0, code, text, NULL);
    tb_http_reply(req, tb_err_info(code)->http_status, all, header_count + 1, tb_buf_str(&body));
}

bool tb_http_reply_start(struct tb_http_req *req, int status, const struct tb_http_header *headers,
                         size_t header_count)
{
    struct tb_http_conn *conn = req->conn;
    assert(conn->state == TB_HTTP_CONN_BODY || conn->state == TB_HTTP_CONN_PENDING);
    bool has_body = tb_http_status_has_body(status);
    bool to_the_end = has_body && tb_http_req_head(req)->minor == 0;
    struct tb_http_reply_head head = {
        .status = status,
        .headers = headers,
        .header_count = header_count,
        .more = req->headers,
        .more_count = req->header_count,
        .framing = !has_body    ? TB_HTTP_NO_BODY
                   : to_the_end ? TB_HTTP_TO_THE_END
                                : TB_HTTP_CHUNKED,
        .persistence = decide_close(req, to_the_end),
        .date = tb_http_server_date(conn->server),
    };
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(SIZE_MAX);
    tb_http_reply_put_head(&out, &head);
    req->no_body = !has_body || is_head_request(req);
    req->chunked = head.framing == TB_HTTP_CHUNKED && !req->no_body;
    conn->state = TB_HTTP_CONN_STREAM;
    put_or_break(req, tb_buf_str(&out), (struct tb_str){0});
    return !req->no_body;
}

/* A piece of the body in the form that the reply has, and what follows it. */
static int put_piece(struct tb_http_req *req, struct tb_str bytes, struct tb_str behind)
{
    char before[24] = "";
    char after[16];
    bool framed = req->chunked && bytes.len; /* an empty chunk would end the reply */
    if (framed) {
        snprintf(before, sizeof(before), "%zx\r\n", bytes.len);
    }
    snprintf(after, sizeof(after), "%s%.*s", framed ? "\r\n" : "", TB_STR_ARG(behind));
    return put(req, tb_str_of(before), bytes, tb_str_of(after));
}

int tb_http_reply_write(struct tb_http_req *req, struct tb_str bytes)
{
    struct tb_http_conn *conn = req->conn;
    assert(conn->state == TB_HTTP_CONN_STREAM);
    if (conn->broken) {
        return TB_E_CLOSED;
    }
    if (!bytes.len || req->no_body) {
        return 0;
    }
    size_t queued = tb_stream_queued(conn->stream);
    size_t max = conn->server->limits.send_max;
    if (queued && (queued >= max || bytes.len > max - queued)) {
        return TB_E_TOO_LARGE;
    }
    return put_piece(req, bytes, (struct tb_str){0});
}

void tb_http_reply_finish(struct tb_http_req *req, struct tb_str last)
{
    struct tb_http_conn *conn = req->conn;
    assert(conn->state == TB_HTTP_CONN_STREAM);
    last = req->no_body ? (struct tb_str){0} : last;
    if (!conn->broken && (req->chunked || last.len) &&
        put_piece(req, last, req->chunked ? TB_STR("0\r\n\r\n") : (struct tb_str){0}) < 0) {
        conn->broken = true;
    }
    tb_http_conn_finish_reply(conn);
}

void tb_http_reply_end(struct tb_http_req *req)
{
    tb_http_reply_finish(req, (struct tb_str){0});
}

size_t tb_http_reply_queued(const struct tb_http_req *req)
{
    return tb_stream_queued(req->conn->stream);
}

void tb_http_reply_on_drain(struct tb_http_req *req, void (*fn)(struct tb_http_req *req))
{
    req->on_drain = fn;
    tb_stream_want_drain(req->conn->stream);
}

struct tb_stream *tb_http_upgrade_take(struct tb_http_req *req, struct tb_str response,
                                       char **ret_rest, size_t *ret_rest_len)
{
    struct tb_http_conn *conn = req->conn;
    assert(conn->state == TB_HTTP_CONN_BODY || conn->state == TB_HTTP_CONN_PENDING);
    tb_http_conn_hold(conn);
    struct tb_stream *stream = NULL;
    *ret_rest = NULL;
    *ret_rest_len = 0;
    if (conn->eof || tb_stream_write(conn->stream, response) < 0) {
        tb_http_conn_close(conn);
    } else {
        struct tb_str rest = tb_http_conn_rest(conn);
        *ret_rest = rest.len ? tb_memdup(rest.ptr, rest.len) : NULL;
        *ret_rest_len = rest.len;
        if (conn->paused) {
            tb_stream_resume(conn->stream);
        }
        stream = tb_http_conn_leave(conn, true);
    }
    tb_http_conn_unhold(conn);
    return stream;
}
