/* SPDX-License-Identifier: Apache-2.0 */
/* A plain HTTP request and its answer. Bodies go through piece by piece: who sends faster than the
 * other side takes is not read until that has drained. */
#include <stdio.h>

#include "core/core.h"
#include "core/limits.h"
#include "front/proxy/conn.h"
#include "front/proxy/heads.h"

enum {
    SWITCHING = 101,
    OK = 200,
    PROXY_AUTH = 407,
    CHUNK_LINE_SIZE = 32,
};

static void fail(struct tb_proxy_conn *conn, const char *words)
{
    struct tb_err err;
    /* A connection that was kept may have been closed by the server just now; without an answer
     * the browser tries again by itself. Half an answer cannot be taken back either. */
    if (conn->now.answered || (conn->now.reused && !conn->now.counts_in)) {
        tb_proxy_conn_end(conn);
        return;
    }
    tb_fail(&err, TB_E_NAVIGATION, "%s %s", conn->use.goal.host.name, words);
    tb_proxy_conn_fail(conn, &err);
}

static void to_client(struct tb_proxy_conn *conn, struct tb_str bytes)
{
    if (tb_stream_write(conn->client, bytes) < 0) {
        tb_proxy_conn_end(conn);
    } else if (tb_stream_queued(conn->client) > TB_PROXY_QUEUE_MAX) {
        tb_stream_pause(conn->server);
        tb_stream_want_drain(conn->client);
    }
}

static void to_server(struct tb_proxy_conn *conn, struct tb_str bytes)
{
    if (tb_stream_write(conn->server, bytes) < 0) {
        fail(conn, "closed the connection");
    } else if (tb_stream_queued(conn->server) > TB_PROXY_QUEUE_MAX) {
        tb_stream_pause(conn->client);
        tb_stream_want_drain(conn->server);
    }
}

/* A proxy that gets the request itself; NULL: it goes to the server. */
static const struct tb_upstream *upstream_of(const struct tb_proxy_conn *conn)
{
    const struct tb_egress *egress = tb_pass_egress(conn->use.pass);
    return egress ? tb_egress_passes_on(egress, &conn->use.goal) : NULL;
}

typedef void write_fn(struct tb_proxy_conn *conn, struct tb_str bytes);

/* A piece of a body, of any size; a chunk if the message has chunks. The other side may be gone
 * after each write. */
static void pass_on(struct tb_proxy_conn *conn, write_fn *write, const struct tb_http1_head *head,
                    struct tb_str piece)
{
    char line[CHUNK_LINE_SIZE];
    if (!head->chunked) {
        write(conn, piece);
        return;
    }
    snprintf(line, sizeof(line), "%zx\r\n", piece.len);
    const struct tb_str parts[] = {tb_str_of(line), piece, TB_STR("\r\n")};
    for (size_t i = 0; i < TB_COUNT(parts) && conn->state == TB_PROXY_EXCHANGE; i++) {
        write(conn, parts[i]);
    }
}

/* The request. */

void tb_proxy_exchange_body(struct tb_proxy_conn *conn, struct tb_str piece)
{
    pass_on(conn, to_server, tb_http1_head(conn->requests), piece);
}

void tb_proxy_exchange_body_over(struct tb_proxy_conn *conn)
{
    conn->now.request_over = true;
    to_server(conn, tb_heads_body_end(tb_http1_head(conn->requests)));
}

/* The response. */

static bool has_body(const struct tb_proxy_conn *conn, const struct tb_http1_head *head)
{
    bool is_empty = head->status < OK || head->status == 204 || head->status == 304;
    return !conn->now.is_head && !is_empty;
}

/* Both sides go on only where the end of the answer is certain and the request is all out. */
static void decide_keep(struct tb_proxy_conn *conn, const struct tb_http1_head *head)
{
    bool is_framed = head->chunked || head->has_length || !has_body(conn, head);
    conn->now.keep = conn->now.keep && is_framed && head->keep_alive && conn->now.request_over;
}

static void take_head(struct tb_proxy_conn *conn)
{
    const struct tb_http1_head *head = tb_http1_head(conn->responses);
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(TB_HEADS_MAX);
    if (head->status == PROXY_AUTH) { /* the browser would doubt those that it has for us */
        fail(conn, upstream_of(conn) ? "was not reached: the upstream proxy wants other credentials"
                                     : "answered with a status that only a proxy may send");
        return;
    }
    if (head->status == SWITCHING && !(conn->now.upgrade && conn->now.request_over)) {
        fail(conn, "changed the protocol without being asked to");
        return;
    }
    if (!tb_heads_can_pass(head)) {
        fail(conn, "sent a response head that cannot be passed on");
        return;
    }
    if (conn->now.is_head) {
        tb_http1_set_no_body(conn->responses);
    }
    if (head->status >= OK) {
        decide_keep(conn, head);
        conn->now.answered = true;
    }
    tb_heads_put_response(head, conn->now.keep, has_body(conn, head), &out);
    to_client(conn, tb_buf_str(&out));
}

/* The answer is all there. */
static void finish(struct tb_proxy_conn *conn)
{
    if (conn->now.keep) {
        conn->state = TB_PROXY_HEAD;
        tb_timer_start(&conn->timer, conn->proxy->core->config->http_idle_ms);
        tb_http1_release(conn->responses);
        return;
    }
    struct tb_stream *client = conn->client;
    conn->client = NULL;
    tb_stream_finish_and_free(client, TB_HTTP_WRITE_MS);
    tb_proxy_conn_end(conn);
}

static void take_end(struct tb_proxy_conn *conn)
{
    const struct tb_http1_head *head = tb_http1_head(conn->responses);
    if (head->status < OK) {
        return; /* the answer is still to come */
    }
    if (has_body(conn, head)) {
        to_client(conn, tb_heads_body_end(head));
    }
    if (conn->state != TB_PROXY_DEAD) {
        finish(conn);
    }
}

static void take_event(struct tb_proxy_conn *conn, int event, struct tb_str body)
{
    if (event < 0) {
        fail(conn, "does not speak HTTP");
    } else if (event == TB_HTTP1_HEAD) {
        take_head(conn);
    } else if (event == TB_HTTP1_BODY) {
        pass_on(conn, to_client, tb_http1_head(conn->responses), body);
    } else {
        take_end(conn);
    }
}

static bool is_switching(const struct tb_proxy_conn *conn, int event)
{
    return event == TB_HTTP1_END && tb_http1_head(conn->responses)->status == SWITCHING;
}

static void on_read(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    struct tb_proxy_conn *conn = user;
    if (conn->state != TB_PROXY_EXCHANGE) { /* nobody asked it anything */
        conn->server = NULL;
        tb_stream_free(stream);
        return;
    }
    conn->moved_ms = tb_loop_now_ms(tb_stream_loop(stream));
    conn->now.counts_in = true;
    tb_egress_count_bytes(&conn->use, bytes.len, 0);
    while (conn->state == TB_PROXY_EXCHANGE) {
        struct tb_str body = {NULL, 0};
        struct tb_err err;
        int event = tb_http1_next(conn->responses, &bytes, &body, &err);
        if (event == TB_HTTP1_MORE) {
            return;
        }
        if (is_switching(conn, event)) {
            tb_proxy_conn_tunnel(conn, bytes);
            return;
        }
        take_event(conn, event, body);
    }
    if (conn->state == TB_PROXY_HEAD) {
        if (bytes.len) { /* more than was asked for is an answer to nothing */
            conn->server = NULL;
            tb_stream_free(stream);
        }
        tb_proxy_conn_go_on(conn);
    }
}

static void on_end(struct tb_stream *stream, int status, void *user)
{
    struct tb_proxy_conn *conn = user;
    enum tb_http1_event event = TB_HTTP1_MORE;
    struct tb_err err;
    if (conn->state != TB_PROXY_EXCHANGE) {
        conn->server = NULL;
        tb_stream_free(stream);
        return;
    }
    if (status == 0 && tb_http1_eof(conn->responses, &event, &err) == 0 && event == TB_HTTP1_END) {
        take_end(conn);
    } else {
        fail(conn, status < 0 ? "has broken the connection" : "closed the connection");
    }
}

static void on_drain(struct tb_stream *stream, void *user)
{
    struct tb_proxy_conn *conn = user;
    (void)stream;
    conn->moved_ms = tb_loop_now_ms(tb_stream_loop(stream));
    if (conn->client && conn->kept.len < TB_PROXY_QUEUE_MAX) {
        tb_stream_resume(conn->client);
    }
}

void tb_proxy_exchange_drained(struct tb_proxy_conn *conn)
{
    conn->moved_ms = tb_loop_now_ms(conn->proxy->core->loop);
    if (conn->server) {
        tb_stream_resume(conn->server);
    }
}

static void start_server(struct tb_proxy_conn *conn)
{
    static const struct tb_http1_limits limits = {.line_max = TB_PROXY_LINE_MAX,
                                                  .head_max = TB_PROXY_HEAD_MAX,
                                                  .header_count = TB_PROXY_HEADER_COUNT,
                                                  .body_max = UINT64_MAX,
                                                  .chunk_ext_max = TB_HTTP_CHUNK_EXT_MAX};
    static const struct tb_stream_ops ops = {on_read, on_drain, on_end};
    if (!conn->responses) {
        conn->responses = tb_http1_new(TB_HTTP1_RESPONSE, &limits);
        tb_stream_start(conn->server, &ops, conn);
    }
}

void tb_proxy_exchange_begin(struct tb_proxy_conn *conn)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(TB_HEADS_MAX);
    conn->state = TB_PROXY_EXCHANGE;
    conn->moved_ms = tb_loop_now_ms(conn->proxy->core->loop);
    tb_timer_start(&conn->timer, TB_PROXY_IDLE_MS);
    start_server(conn);
    tb_heads_put_request(tb_http1_head(conn->requests), &conn->use.goal, upstream_of(conn),
                         conn->now.upgrade, &out);
    tb_egress_count_bytes(&conn->use, 0, out.len);
    to_server(conn, tb_buf_str(&out));
}
