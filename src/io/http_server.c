/* SPDX-License-Identifier: Apache-2.0 */
#include "io/http_server.h"

#include <assert.h>

#include "base/clock.h"
#include "base/err.h"
#include "io/http_conn.h"

enum {
    REFUSED_LINGER_MS = 1000,
};

static void on_drained(struct tb_deferred *job)
{
    struct tb_http_server *server = TB_CONTAINER(job, struct tb_http_server, drain_job);
    void (*fn)(void *user) = server->drained;
    server->drained = NULL;
    if (fn) {
        fn(server->drained_user);
    }
}

struct tb_http_server *tb_http_server_new(struct tb_loop *loop,
                                          const struct tb_http_server_limits *limits,
                                          const struct tb_http_server_ops *ops, void *user)
{
    struct tb_http_server *server = TB_NEW(struct tb_http_server);
    server->loop = loop;
    server->limits = *limits;
    server->ops = ops;
    server->user = user;
    server->drain_job.run = on_drained;
    server->date_second = INT64_MIN;
    tb_list_init(&server->conns);
    return server;
}

void tb_http_server_free(struct tb_http_server *server)
{
    if (!server) {
        return;
    }
    /* Not a plain walk: on_gone may close others. */
    while (!tb_list_empty(&server->conns)) {
        tb_http_conn_close(TB_CONTAINER(server->conns.next, struct tb_http_conn, link));
    }
    tb_deferred_cancel(&server->drain_job);
    tb_free(server);
}

const char *tb_http_server_date(struct tb_http_server *server)
{
    int64_t wall_ms = tb_clock_wall_ms(tb_loop_clock(server->loop));
    if (wall_ms / 1000 != server->date_second) {
        server->date_second = wall_ms / 1000;
        tb_http_date(wall_ms, server->date);
    }
    return server->date;
}

/* A peer that is not let in is told so without being read. */
static void turn_away_take(struct tb_http_server *server, struct tb_stream *stream, int code,
                           const char *text)
{
    struct tb_buf out;
    tb_buf_init(&out, SIZE_MAX);
    tb_http_reply_put_refusal(&out, code, text, tb_http_server_date(server));
    size_t len;
    uint8_t *data = tb_buf_take(&out, &len);
    tb_stream_write_take(stream, data, len);
    tb_stream_finish_and_free(stream, REFUSED_LINGER_MS);
}

void tb_http_server_add_take(struct tb_http_server *server, struct tb_stream *stream)
{
    if (server->draining) {
        turn_away_take(server, stream, TB_E_SHUTDOWN, "the server accepts no more connections");
    } else if (server->count >= server->limits.connections_max) {
        turn_away_take(server, stream, TB_E_BUSY, "too many connections are open");
    } else {
        server->count++;
        tb_http_conn_open_take(server, stream);
    }
}

void tb_http_server_forget(struct tb_http_server *server)
{
    assert(server->count > 0);
    server->count--;
    if (server->draining && server->count == 0) {
        tb_loop_defer(server->loop, &server->drain_job);
    }
}

/* A connection of which no whole request is there: what it will send is not known, nor when, and
 * its peer may be anybody. NULL when there is none. Not a plain walk: on_gone may close others. */
static struct tb_http_conn *without_request(struct tb_http_server *server)
{
    LIST_FOREACH(link, &server->conns) {
        struct tb_http_conn *conn = TB_CONTAINER(link, struct tb_http_conn, link);
        if (conn->state <= TB_HTTP_CONN_BODY) {
            return conn;
        }
    }
    return NULL;
}

void tb_http_server_drain(struct tb_http_server *server, void (*fn)(void *user), void *user)
{
    server->draining = true;
    server->drained = fn;
    server->drained_user = user;
    struct tb_http_conn *conn;
    while ((conn = without_request(server))) {
        tb_http_conn_turn_away(conn);
    }
    if (server->count == 0) {
        tb_loop_defer(server->loop, &server->drain_job);
    }
}

size_t tb_http_server_connections(const struct tb_http_server *server)
{
    return server->count;
}
