/* SPDX-License-Identifier: Apache-2.0 */
#include "io/http_conn.h"

#include <string.h>

#include "base/err.h"

enum {
    KEEP_BYTES = 64 * 1024,     /* kept input above this stops reading ... */
    KEEP_MAX = KEEP_BYTES * 16, /* ... and there is room for what the stream still delivers */
    LINGER_MS = 2000,
    REPLIES_BYTES = 64 * 1024, /* of replies that wait: no further request is begun */
};

static void end_req(struct tb_http_conn *conn, bool complete)
{
    struct tb_http_req *req = conn->req;
    if (!req) {
        return;
    }
    conn->req = NULL;
    tb_deferred_cancel(&req->resume);
    conn->server->ops->on_gone(req, complete, conn->server->user);
    tb_buf_fini(&req->body);
    tb_free(req);
}

void tb_http_conn_hold(struct tb_http_conn *conn)
{
    conn->hold++;
}

void tb_http_conn_unhold(struct tb_http_conn *conn)
{
    conn->hold--;
    if (conn->dead && !conn->hold) {
        tb_http1_free(conn->parser);
        tb_buf_fini(&conn->kept);
        tb_free(conn);
    }
}

struct tb_stream *tb_http_conn_leave(struct tb_http_conn *conn, bool complete)
{
    conn->dead = true;
    tb_list_remove(&conn->link);
    tb_timer_fini(&conn->timer);
    tb_deferred_cancel(&conn->settle);
    tb_http_server_forget(conn->server);
    end_req(conn, complete); /* the server may be gone from here on */
    struct tb_stream *stream = conn->stream;
    conn->stream = NULL;
    return stream;
}

void tb_http_conn_close(struct tb_http_conn *conn)
{
    if (conn->dead) {
        return;
    }
    tb_http_conn_hold(conn);
    tb_stream_free(tb_http_conn_leave(conn, false));
    tb_http_conn_unhold(conn);
}

/* Closes so that the peer can still read our last words. */
static void linger(struct tb_http_conn *conn)
{
    tb_stream_finish_and_free(tb_http_conn_leave(conn, false), LINGER_MS);
}

/* Timer: deadlines move all the time, so it stays armed for the earliest and looks again when it
 * fires. */

static void deadline_at(struct tb_http_conn *conn, int64_t at_ms)
{
    conn->deadline_ms = at_ms;
    if (!tb_timer_armed(&conn->timer) || conn->timer.due_ms > at_ms) {
        tb_timer_start(&conn->timer, at_ms - tb_loop_now_ms(conn->server->loop));
    }
}

static void deadline_in(struct tb_http_conn *conn, int64_t delay_ms)
{
    if (delay_ms > 0) {
        deadline_at(conn, tb_loop_now_ms(conn->server->loop) + delay_ms);
    } else {
        conn->deadline_ms = 0;
    }
}

/* Reply bytes wait for the peer: looks a few times per write_ms whether it takes any. */
static void watch_writes(struct tb_http_conn *conn)
{
    int64_t write_ms = conn->server->limits.write_ms;
    deadline_in(conn, write_ms > 3 ? write_ms / 4 : write_ms);
}

int tb_http_conn_write_take(struct tb_http_conn *conn, uint8_t *data, size_t len)
{
    int rc = tb_stream_write_take(conn->stream, data, len);
    if (rc < 0) {
        return rc;
    }
    if (!conn->deadline_ms) {
        conn->sent = tb_stream_sent(conn->stream);
        conn->since_ms = tb_loop_now_ms(conn->server->loop);
        watch_writes(conn);
    }
    return 0;
}

static void refuse(struct tb_http_conn *conn, int code, const char *text)
{
    end_req(conn, false);
    if (conn->dead) {
        return;
    }
    struct tb_buf out;
    tb_buf_init(&out, SIZE_MAX);
    tb_http_reply_put_refusal(&out, code, text, tb_http_server_date(conn->server));
    size_t len;
    uint8_t *data = tb_buf_take(&out, &len);
    tb_stream_write_take(conn->stream, data, len);
    linger(conn);
}

void tb_http_conn_turn_away(struct tb_http_conn *conn)
{
    tb_http_conn_hold(conn);
    if (conn->state == TB_HTTP_CONN_IDLE) {
        tb_http_conn_close(conn);
    } else {
        refuse(conn, TB_E_SHUTDOWN,
               "the server is stopping and does not read the rest of the request");
    }
    tb_http_conn_unhold(conn);
}

/* Input. */

/* From here on the body has to come at its rate. */
static void await_body(struct tb_http_conn *conn)
{
    conn->req->body_bytes = 0;
    conn->since_ms = tb_loop_now_ms(conn->server->loop);
    deadline_in(conn, conn->server->limits.body_grace_ms);
}

static void on_resume(struct tb_deferred *job);

static void begin_req(struct tb_http_conn *conn)
{
    struct tb_http_server *server = conn->server;
    const struct tb_http1_head *head = tb_http1_head(conn->parser);
    struct tb_http_req *req = TB_NEW(struct tb_http_req);
    req->conn = conn;
    req->resume.run = on_resume;
    tb_buf_init(&req->body, SIZE_MAX); /* the parser holds the ceiling */
    conn->req = req;
    conn->state = TB_HTTP_CONN_BODY;
    conn->deadline_ms = 0;
    if (tb_http1_has_body(head)) {
        await_body(conn);
        conn->want_continue = head->expect_continue && head->minor > 0;
    }
    server->ops->on_head(req, server->user);
}

static void take_body(struct tb_http_conn *conn, struct tb_str piece)
{
    struct tb_http_req *req = conn->req;
    conn->want_continue = false;
    req->body_bytes += piece.len;
    if (req->on_body) {
        req->on_body(req, piece);
    } else {
        tb_buf_append_str(&req->body, piece);
    }
}

static void end_of_message(struct tb_http_conn *conn)
{
    if (!conn->req) {
        return; /* answered in on_head, and the answer has left already */
    }
    conn->want_continue = false;
    conn->state = TB_HTTP_CONN_PENDING;
    conn->deadline_ms = 0;
    conn->server->ops->on_request(conn->req, conn->server->user);
}

/* All input is used up. */
static void wait_for_more(struct tb_http_conn *conn)
{
    if (conn->state == TB_HTTP_CONN_IDLE && !tb_http1_idle(conn->parser)) {
        conn->state = TB_HTTP_CONN_HEAD;
        deadline_in(conn, conn->server->limits.header_ms);
    }
    if (conn->want_continue) {
        conn->want_continue = false;
        tb_stream_write(conn->stream, TB_STR("HTTP/1.1 100 Continue\r\n\r\n"));
    }
}

/* A request that was answered at once makes way for the next one that is there already: their
 * replies go out together. */
static bool go_on(struct tb_http_conn *conn)
{
    if (conn->state != TB_HTTP_CONN_FLUSH || !conn->input.len || conn->close || conn->broken ||
        conn->server->draining || tb_stream_queued(conn->stream) > REPLIES_BYTES) {
        return false;
    }
    tb_deferred_cancel(&conn->settle);
    end_req(conn, true);
    if (!conn->dead) {
        conn->state = TB_HTTP_CONN_IDLE;
        deadline_in(conn, conn->server->limits.idle_ms);
    }
    return !conn->dead;
}

static bool body_waits(const struct tb_http_conn *conn)
{
    return conn->state == TB_HTTP_CONN_BODY && conn->req->paused;
}

static void parse(struct tb_http_conn *conn)
{
    if (!conn->parser) {
        conn->parser = tb_http1_new(TB_HTTP1_REQUEST, &conn->server->limits.parser);
    }
    conn->parsing = true;
    while (!conn->dead && !body_waits(conn) && (conn->state <= TB_HTTP_CONN_BODY || go_on(conn))) {
        struct tb_str body;
        struct tb_err err;
        int event = tb_http1_next(conn->parser, &conn->input, &body, &err);
        if (event < 0) {
            refuse(conn, event, err.text);
        } else if (event == TB_HTTP1_HEAD) {
            begin_req(conn);
        } else if (event == TB_HTTP1_BODY) {
            take_body(conn, body);
        } else if (event == TB_HTTP1_END) {
            end_of_message(conn);
        } else {
            wait_for_more(conn);
            break;
        }
    }
    conn->parsing = false;
}

static void stop_reading(struct tb_http_conn *conn)
{
    if (!conn->paused) {
        conn->paused = true;
        tb_stream_pause(conn->stream);
    }
}

static void read_on(struct tb_http_conn *conn)
{
    if (conn->paused) {
        conn->paused = false;
        tb_stream_resume(conn->stream);
    }
}

/* Bytes behind a request that is being answered, or of a body that waits. A peer that sends too
 * many is read no further. */
static void keep(struct tb_http_conn *conn, struct tb_str bytes)
{
    if (conn->kept_used > KEEP_BYTES) {
        tb_buf_consume(&conn->kept, conn->kept_used);
        conn->kept_used = 0;
    }
    if (tb_buf_append_str(&conn->kept, bytes) < 0) {
        tb_http_conn_close(conn);
    } else if (conn->kept.len - conn->kept_used > KEEP_BYTES) {
        stop_reading(conn);
    }
}

static void drop_kept(struct tb_http_conn *conn)
{
    tb_buf_fini(&conn->kept);
    conn->kept_used = 0;
}

struct tb_str tb_http_conn_rest(const struct tb_http_conn *conn)
{
    return conn->parsing ? conn->input
                         : tb_str_sub(tb_buf_str(&conn->kept), conn->kept_used, conn->kept.len);
}

static void parse_kept(struct tb_http_conn *conn)
{
    conn->input = tb_http_conn_rest(conn);
    parse(conn);
    if (!conn->dead) {
        conn->kept_used = conn->kept.len - conn->input.len;
        conn->input = (struct tb_str){0};
    }
}

/* Gives back what was used of the kept input, and reads on when that has made room. */
static void tidy_kept(struct tb_http_conn *conn)
{
    if (conn->kept_used == conn->kept.len || conn->discard) {
        drop_kept(conn);
    }
    if (!body_waits(conn) && conn->kept.len - conn->kept_used <= KEEP_BYTES) {
        read_on(conn);
    }
}

void tb_http_req_pause(struct tb_http_req *req)
{
    struct tb_http_conn *conn = req->conn;
    tb_deferred_cancel(&req->resume);
    if (conn->state == TB_HTTP_CONN_BODY) {
        req->paused = true;
        conn->deadline_ms = 0; /* the peer is not to blame for the time that follows */
        stop_reading(conn);
    }
}

void tb_http_req_resume(struct tb_http_req *req)
{
    if (req->paused) {
        tb_loop_defer(req->conn->server->loop, &req->resume);
    }
}

void tb_http_conn_unpause(struct tb_http_conn *conn)
{
    conn->req->paused = false;
    tb_deferred_cancel(&conn->req->resume);
    read_on(conn);
}

static void on_resume(struct tb_deferred *job)
{
    struct tb_http_req *req = TB_CONTAINER(job, struct tb_http_req, resume);
    struct tb_http_conn *conn = req->conn;
    req->paused = false;
    if (tb_http1_has_body(tb_http_req_head(req))) {
        await_body(conn);
    }
    tb_http_conn_hold(conn);
    parse_kept(conn);
    if (!conn->dead) {
        tidy_kept(conn);
    }
    tb_http_conn_unhold(conn);
}

/* Nothing of a next request is there: an idle connection holds no buffers. */
static void park(struct tb_http_conn *conn)
{
    tb_http1_free(conn->parser);
    conn->parser = NULL;
    if (conn->eof) {
        linger(conn);
    } else {
        deadline_in(conn, conn->server->limits.idle_ms);
    }
}

static void on_read(struct tb_stream *stream, struct tb_str bytes, void *user)
{
    (void)stream;
    struct tb_http_conn *conn = user;
    tb_http_conn_hold(conn);
    if (conn->state <= TB_HTTP_CONN_BODY && !body_waits(conn)) {
        conn->input = bytes;
        parse(conn);
        bytes = conn->input;
        conn->input = (struct tb_str){0};
    }
    if (!conn->dead && bytes.len && !conn->discard) {
        keep(conn, bytes);
    }
    tb_http_conn_unhold(conn);
}

/* The reply is out: on to what the peer has sent behind the request. */
static void next_request(struct tb_http_conn *conn)
{
    conn->state = TB_HTTP_CONN_IDLE;
    conn->deadline_ms = 0;
    if (conn->kept_used < conn->kept.len) {
        parse_kept(conn);
        if (conn->dead) {
            return;
        }
    }
    tidy_kept(conn);
    if (conn->state == TB_HTTP_CONN_IDLE) {
        park(conn);
    } else if (conn->eof && conn->state < TB_HTTP_CONN_FLUSH) {
        tb_http_conn_close(conn);
    }
}

/* Replies. */

static void settle(struct tb_http_conn *conn)
{
    if (conn->state != TB_HTTP_CONN_FLUSH || tb_stream_queued(conn->stream)) {
        return;
    }
    /* The queue of a stream that broke is empty too; an empty write tells the difference. */
    if (conn->broken || tb_stream_write(conn->stream, (struct tb_str){"", 0}) < 0) {
        tb_http_conn_close(conn);
        return;
    }
    /* One that waits now would come too early for the next reply. */
    tb_deferred_cancel(&conn->settle);
    tb_http_conn_hold(conn);
    end_req(conn, true);
    if (!conn->dead && (conn->close || conn->server->draining)) {
        linger(conn);
    } else if (!conn->dead) {
        next_request(conn);
    }
    tb_http_conn_unhold(conn);
}

static void on_settle(struct tb_deferred *job)
{
    settle(TB_CONTAINER(job, struct tb_http_conn, settle));
}

static void on_drain(struct tb_stream *stream, void *user)
{
    (void)stream;
    struct tb_http_conn *conn = user;
    if (conn->state == TB_HTTP_CONN_STREAM && conn->req->on_drain) {
        void (*fn)(struct tb_http_req * req) = conn->req->on_drain;
        conn->req->on_drain = NULL;
        fn(conn->req);
    } else {
        settle(conn);
    }
}

void tb_http_conn_finish_reply(struct tb_http_conn *conn)
{
    conn->state = TB_HTTP_CONN_FLUSH;
    /* Behind the stream's own job, which writes what was queued in this turn. */
    tb_loop_defer_output(conn->server->loop, &conn->settle);
}

static void on_end(struct tb_stream *stream, int status, void *user)
{
    (void)stream;
    struct tb_http_conn *conn = user;
    conn->eof = true;
    if (status < 0 || conn->state < TB_HTTP_CONN_FLUSH) {
        tb_http_conn_close(conn);
    }
}

/* Deadlines that have passed. */

static void check_body(struct tb_http_conn *conn, int64_t now_ms)
{
    const struct tb_http_server_limits *limits = &conn->server->limits;
    if (!limits->body_rate) {
        conn->deadline_ms = 0;
        return;
    }
    uint64_t earned_ms = conn->req->body_bytes * 1000 / limits->body_rate;
    int64_t due_ms = conn->since_ms + limits->body_grace_ms + (int64_t)earned_ms;
    if (now_ms >= due_ms) {
        refuse(conn, TB_E_TIMEOUT, "the request body arrives too slowly");
    } else if (conn->req->on_body && due_ms > now_ms + limits->body_grace_ms) {
        await_body(conn); /* nothing bounds what it can earn: a fast start buys no long silence */
    } else {
        deadline_at(conn, due_ms);
    }
}

static void check_writes(struct tb_http_conn *conn, int64_t now_ms)
{
    uint64_t sent = tb_stream_sent(conn->stream);
    conn->deadline_ms = 0;
    if (!tb_stream_queued(conn->stream)) {
        settle(conn);
        return;
    }
    if (sent != conn->sent) {
        conn->sent = sent;
        conn->since_ms = now_ms;
    }
    if (now_ms - conn->since_ms >= conn->server->limits.write_ms) {
        tb_http_conn_close(conn);
    } else {
        watch_writes(conn);
    }
}

static void expire(struct tb_http_conn *conn, int64_t now_ms)
{
    switch (conn->state) {
    case TB_HTTP_CONN_IDLE:
        tb_http_conn_close(conn);
        break;
    case TB_HTTP_CONN_HEAD:
        refuse(conn, TB_E_TIMEOUT, "the request head did not arrive in time");
        break;
    case TB_HTTP_CONN_BODY:
        check_body(conn, now_ms);
        break;
    case TB_HTTP_CONN_PENDING:
        break;
    case TB_HTTP_CONN_STREAM:
    case TB_HTTP_CONN_FLUSH:
        check_writes(conn, now_ms);
        break;
    }
}

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_http_conn *conn = user;
    int64_t now_ms = tb_loop_now_ms(conn->server->loop);
    if (!conn->deadline_ms) {
        return;
    }
    if (now_ms < conn->deadline_ms) {
        tb_timer_start(timer, conn->deadline_ms - now_ms);
        return;
    }
    tb_http_conn_hold(conn);
    expire(conn, now_ms);
    tb_http_conn_unhold(conn);
}

static const struct tb_stream_ops stream_ops = {
    .on_read = on_read,
    .on_drain = on_drain,
    .on_end = on_end,
};

void tb_http_conn_open_take(struct tb_http_server *server, struct tb_stream *stream)
{
    struct tb_http_conn *conn = TB_NEW(struct tb_http_conn);
    conn->server = server;
    conn->stream = stream;
    conn->settle.run = on_settle;
    tb_buf_init(&conn->kept, KEEP_MAX);
    tb_timer_init(&conn->timer, server->loop, on_timer, conn);
    tb_list_append(&server->conns, &conn->link);
    deadline_in(conn, server->limits.idle_ms);
    /* The ceiling is for the pieces of a stream, not for a reply and not for the end of one. */
    tb_stream_set_send_max(stream, SIZE_MAX);
    if (server->limits.peer_ms > 0) {
        tb_stream_set_peer_timeout(stream, server->limits.peer_ms);
    }
    tb_stream_start(stream, &stream_ops, conn);
}
