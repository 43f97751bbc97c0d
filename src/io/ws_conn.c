/* SPDX-License-Identifier: Apache-2.0 */
#include "io/ws_conn.h"

#include "base/buf.h"
#include "base/err.h"
#include "io/http_reply.h"
#include "io/timer.h"
#include "proto/http1.h"
#include "proto/ws_handshake.h"

enum {
    HANDSHAKE_MS = 5000,
    CONTROL_ROOM = 4096, /* above send_max: pongs and the close frame pass when messages do not */
    RESPONSE_LINE_MAX = 1024,
    RESPONSE_HEAD_MAX = 16 * 1024,
    RESPONSE_HEADERS = 64,
};

/*  client: OPENING -- 101 --> OPEN -- tb_ws_conn_close --> CLOSING -- answer --> OVER
 *  server:                    OPEN -- close of the peer, breach, silence, broken line --> OVER
 *
 * OVER means that on_close was called. Whatever calls the owner holds the connection, and looks
 * whether it was freed meanwhile. */
enum state {
    OPENING,
    OPEN,
    CLOSING,
    OVER,
};

/* What only the handshake needs. */
struct opening {
    struct tb_http1 *parser;
    char key[TB_WS_KEY_SIZE];
};

struct tb_ws_conn {
    struct tb_stream *stream;
    struct tb_ws *ws; /* NULL before the connection is open */
    struct opening *opening;
    const struct tb_ws_conn_ops *ops;
    void *user;
    struct tb_ws_conn_opts opts;
    struct tb_timer timer;
    int64_t heard_ms;
    int64_t pinged_ms;
    struct tb_deferred job; /* what must not happen inside a call of the owner */
    char *rest;             /* server: input that came with the request */
    size_t rest_len;
    enum state state;
    unsigned hold;
    bool pinged;
    bool refused; /* a send found the queue full */
    bool
        linger; /* the peer is there and may still read what is queued, our close frame above all */
    bool freed;
};

static void opening_free(struct tb_ws_conn *conn)
{
    if (conn->opening) {
        tb_http1_free(conn->opening->parser);
        tb_free(conn->opening);
        conn->opening = NULL;
    }
}

static void hold(struct tb_ws_conn *conn)
{
    conn->hold++;
}

static void unhold(struct tb_ws_conn *conn)
{
    conn->hold--;
    if (conn->freed && !conn->hold) {
        tb_free(conn);
    }
}

static int64_t patience_ms(const struct tb_ws_conn *conn)
{
    return conn->opts.close_ms > 0 ? conn->opts.close_ms : HANDSHAKE_MS;
}

static void let_stream_go(struct tb_ws_conn *conn)
{
    if (conn->linger) {
        tb_stream_finish_and_free(conn->stream, patience_ms(conn));
    } else {
        tb_stream_free(conn->stream);
    }
    conn->stream = NULL;
}

void tb_ws_conn_free(struct tb_ws_conn *conn)
{
    if (!conn) {
        return;
    }
    hold(conn);
    conn->freed = true;
    conn->state = OVER;
    let_stream_go(conn);
    tb_timer_fini(&conn->timer);
    tb_deferred_cancel(&conn->job);
    tb_ws_free(conn->ws);
    conn->ws = NULL;
    opening_free(conn);
    tb_free(conn->rest);
    conn->rest = NULL;
    unhold(conn);
}

/* The last callback. */
static void over(struct tb_ws_conn *conn, int code, struct tb_str reason)
{
    if (conn->state == OVER) {
        return;
    }
    hold(conn);
    conn->state = OVER;
    conn->linger = conn->linger || code != TB_WS_ABNORMAL;
    tb_timer_stop(&conn->timer);
    tb_deferred_cancel(&conn->job);
    conn->ops->on_close(conn, code, reason, conn->user);
    let_stream_go(conn);
    unhold(conn);
}

static int64_t now_ms(const struct tb_ws_conn *conn)
{
    return tb_loop_now_ms(tb_stream_loop(conn->stream));
}

/* Life signs. The timer runs to the next moment that could matter; input only notes its time. */

static void watch_silence(struct tb_ws_conn *conn)
{
    if (conn->opts.ping_ms > 0) {
        tb_timer_start(&conn->timer, conn->heard_ms + conn->opts.ping_ms - now_ms(conn));
    }
}

static void check_silence(struct tb_ws_conn *conn)
{
    int64_t now = now_ms(conn);
    if (conn->pinged && conn->heard_ms < conn->pinged_ms) {
        /* One that only forgot its pongs reads why; for us the line is broken in any case. */
        tb_ws_close(conn->ws, TB_WS_POLICY, TB_STR("no answer to a ping"));
        conn->linger = true;
        over(conn, TB_WS_ABNORMAL, TB_STR("the peer did not answer a ping"));
        return;
    }
    conn->pinged = false;
    if (now - conn->heard_ms < conn->opts.ping_ms) {
        watch_silence(conn);
        return;
    }
    conn->pinged = true;
    conn->pinged_ms = now;
    tb_ws_ping(conn->ws,
               (struct tb_str){"", 0}); /* in vain on a full queue, which is silence too */
    tb_timer_start(&conn->timer, conn->opts.pong_ms);
}

static void on_timer(struct tb_timer *timer, void *user)
{
    (void)timer;
    struct tb_ws_conn *conn = user;
    switch (conn->state) {
    case OPENING:
        over(conn, TB_WS_ABNORMAL, TB_STR("no answer to the WebSocket handshake"));
        break;
    case OPEN:
        check_silence(conn);
        break;
    case CLOSING:
        over(conn, TB_WS_ABNORMAL,
             conn->ws ? TB_STR("the peer did not answer the close")
                      : TB_STR("closed before the handshake was done"));
        break;
    case OVER:
        break;
    }
}

/* From proto/ws. */

static int on_frame(struct tb_str bytes, void *user)
{
    struct tb_ws_conn *conn = user;
    return conn->stream ? tb_stream_write(conn->stream, bytes) : TB_E_CLOSED;
}

static void on_message(struct tb_ws *ws, bool text, struct tb_str data, void *user)
{
    (void)ws;
    struct tb_ws_conn *conn = user;
    conn->ops->on_message(conn, text, data, conn->user);
}

static void on_ws_close(struct tb_ws *ws, int code, struct tb_str reason, void *user)
{
    (void)ws;
    over(user, code, reason);
}

static const struct tb_ws_ops ws_ops = {
    .write = on_frame,
    .on_message = on_message,
    .on_close = on_ws_close,
};

static void become_open(struct tb_ws_conn *conn, enum tb_ws_role role)
{
    opening_free(conn);
    conn->ws = tb_ws_new(role, &conn->opts.limits, &ws_ops, conn);
    conn->state = OPEN;
    conn->heard_ms = now_ms(conn);
    tb_timer_stop(&conn->timer);
    watch_silence(conn);
}

/* Takes the server's answer from the front of the input. */
static void take_answer(struct tb_ws_conn *conn, struct tb_str *input)
{
    struct tb_str body;
    struct tb_err err;
    const struct opening *opening = conn->opening;
    int rc = tb_http1_next(opening->parser, input, &body, &err);
    if (rc == TB_HTTP1_HEAD) {
        rc = tb_ws_check_response(tb_http1_head(opening->parser), opening->key, &err);
        if (rc == 0) {
            become_open(conn, TB_WS_CLIENT);
            conn->ops->on_open(conn, conn->user);
            return;
        }
    }
    if (rc < 0) {
        over(conn, TB_WS_ABNORMAL, tb_str_of(err.text));
    }
}

static void feed(struct tb_ws_conn *conn, struct tb_str bytes)
{
    if (conn->ws && conn->state != OVER) {
        tb_ws_feed(conn->ws, bytes, conn->heard_ms);
    }
}

static void feed_rest(struct tb_ws_conn *conn)
{
    TB_AUTO(tb_free) char *rest = conn->rest;
    conn->rest = NULL;
    if (rest) {
        feed(conn, (struct tb_str){rest, conn->rest_len});
    }
}

static void tell_drained(struct tb_ws_conn *conn)
{
    if (conn->refused && conn->state == OPEN && !tb_stream_queued(conn->stream)) {
        conn->refused = false;
        if (conn->ops->on_drain) {
            conn->ops->on_drain(conn, conn->user);
        }
    }
}

static void on_job(struct tb_deferred *job)
{
    struct tb_ws_conn *conn = TB_CONTAINER(job, struct tb_ws_conn, job);
    hold(conn);
    feed_rest(conn);
    tell_drained(conn);
    unhold(conn);
}

/* From the stream. */

static void on_read(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    (void)stream;
    struct tb_ws_conn *conn = user;
    hold(conn);
    conn->heard_ms = now_ms(conn);
    if (conn->state == OPENING) {
        take_answer(conn, &bytes);
    }
    feed_rest(conn);
    feed(conn, bytes);
    unhold(conn);
}

static void on_drain(struct tb_stream *stream, void *user)
{
    (void)stream;
    tell_drained(user);
}

static void on_end(struct tb_stream *stream, int status, void *user)
{
    (void)stream;
    struct tb_ws_conn *conn = user;
    hold(conn);
    feed_rest(conn);
    over(conn, TB_WS_ABNORMAL,
         status < 0 ? tb_str_of(tb_err_name(status)) : TB_STR("the peer left without a close"));
    unhold(conn);
}

static const struct tb_stream_ops stream_ops = {
    .on_read = on_read,
    .on_drain = on_drain,
    .on_end = on_end,
};

static struct tb_ws_conn *conn_new_take(struct tb_stream *stream,
                                        const struct tb_ws_conn_opts *opts,
                                        const struct tb_ws_conn_ops *ops, void *user)
{
    struct tb_ws_conn *conn = TB_NEW(struct tb_ws_conn);
    conn->stream = stream;
    conn->opts = *opts;
    conn->ops = ops;
    conn->user = user;
    conn->job.run = on_job;
    tb_timer_init(&conn->timer, tb_stream_loop(stream), on_timer, conn);
    tb_stream_set_send_max(stream, opts->send_max + CONTROL_ROOM);
    tb_stream_start(stream, &stream_ops, conn);
    return conn;
}

static void refuse(struct tb_http_req *req, int code, const char *text)
{
    static const struct tb_http_header version[] = {
        {"Connection", {"Upgrade", 7}},
        {"Upgrade", {"websocket", 9}},
        {"Sec-WebSocket-Version", {"13", 2}},
        {"Content-Type", {TB_HTTP_PROBLEM_TYPE, sizeof(TB_HTTP_PROBLEM_TYPE) - 1}},
    };
    if (code != TB_E_UNSUPPORTED) {
        tb_http_reply_error(req, code, text, NULL, 0);
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(SIZE_MAX);
    tb_http_reply_put_error(&body, 426, code, text, NULL);
    tb_http_reply(req, 426, version, TB_COUNT(version), tb_buf_str(&body));
}

struct tb_ws_conn *tb_ws_conn_accept(struct tb_http_req *req, struct tb_str protocol,
                                     const struct tb_ws_conn_opts *opts,
                                     const struct tb_ws_conn_ops *ops, void *user)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(SIZE_MAX);
    struct tb_err err;
    int rc = tb_ws_accept(tb_http_req_head(req), protocol, &out, &err);
    if (rc < 0) {
        refuse(req, rc, err.text);
        return NULL;
    }
    char *rest;
    size_t rest_len;
    struct tb_stream *stream = tb_http_upgrade_take(req, tb_buf_str(&out), &rest, &rest_len);
    if (!stream) {
        return NULL;
    }
    struct tb_ws_conn *conn = conn_new_take(stream, opts, ops, user);
    become_open(conn, TB_WS_SERVER);
    if (rest) {
        conn->rest = rest;
        conn->rest_len = rest_len;
        tb_loop_defer(tb_stream_loop(stream), &conn->job);
    }
    return conn;
}

struct tb_ws_conn *tb_ws_conn_client_take(struct tb_stream *stream, struct tb_str host,
                                          struct tb_str target, struct tb_str extra_headers,
                                          const struct tb_ws_conn_opts *opts,
                                          const struct tb_ws_conn_ops *ops, void *user)
{
    static const struct tb_http1_limits limits = {
        .line_max = RESPONSE_LINE_MAX,
        .head_max = RESPONSE_HEAD_MAX,
        .header_count = RESPONSE_HEADERS,
    };
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(SIZE_MAX);
    struct tb_ws_conn *conn = conn_new_take(stream, opts, ops, user);
    conn->opening = TB_NEW(struct opening);
    conn->opening->parser = tb_http1_new(TB_HTTP1_RESPONSE, &limits);
    tb_ws_request(host, target, extra_headers, &out, conn->opening->key);
    /* If the stream does not take it, it is broken and tells so by itself. */
    tb_stream_write(stream, tb_buf_str(&out));
    tb_timer_start(&conn->timer, HANDSHAKE_MS);
    return conn;
}

int tb_ws_conn_send(struct tb_ws_conn *conn, bool text, struct tb_str data)
{
    if (conn->state != OPEN) {
        return TB_E_CLOSED;
    }
    size_t queued = tb_stream_queued(conn->stream);
    size_t max = conn->opts.send_max;
    int rc = TB_E_TOO_LARGE;
    if (!queued || (queued < max && data.len <= max - queued)) {
        rc = tb_ws_send(conn->ws, text, data);
    }
    if (rc == TB_E_TOO_LARGE) {
        conn->refused = true;
        /* The stream tells when it had to wait; the job finds a queue that empties at the end of
         * this turn. */
        tb_loop_defer_output(tb_stream_loop(conn->stream), &conn->job);
    }
    return rc;
}

void tb_ws_conn_close(struct tb_ws_conn *conn, int code, struct tb_str reason)
{
    if (conn->state >= CLOSING) {
        return;
    }
    conn->state = CLOSING;
    if (!conn->ws) {
        tb_timer_start(&conn->timer, 0);
        return;
    }
    /* A close frame that cannot be queued is one that the peer does not answer. */
    tb_ws_close(conn->ws, code, reason);
    tb_timer_start(&conn->timer, patience_ms(conn));
}
