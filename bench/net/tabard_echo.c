/* SPDX-License-Identifier: Apache-2.0 */
/* Our own stack as an echo server, with the limits that the daemon has by default: listener, HTTP
 * server and WebSocket connections of src/io and nothing above them.
 *
 *   GET /ws (WebSocket)   every message comes back
 *   POST /echo            the body comes back
 *   GET /ping             "pong\n"
 *
 * Prints "port N" and runs until SIGTERM. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/list.h"
#include "io/http_server.h"
#include "io/listener.h"
#include "io/loop.h"
#include "io/ws_conn.h"
#include "proto/ws_handshake.h"

#include "cmdline.h"

static const struct tb_http_server_limits http_limits = {
    .parser =
        {
            .line_max = 8 * 1024,
            .head_max = 32 * 1024,
            .header_count = 100,
            .body_max = 8 * 1024 * 1024,
            .chunk_ext_max = 256,
        },
    .connections_max = 10000,
    .header_ms = 10 * 1000,
    .body_grace_ms = 10 * 1000,
    .body_rate = 1024,
    .idle_ms = 75 * 1000,
    .write_ms = 30 * 1000,
    .send_max = 1024 * 1024,
};

static const struct tb_ws_conn_opts ws_opts = {
    .limits =
        {
            .message_max = 1024 * 1024,
            .fragments_max = 64,
            .control_frames_per_sec = 100,
        },
    .send_max = 1024 * 1024,
    .ping_ms = 30 * 1000,
    .pong_ms = 10 * 1000,
    .close_ms = 5 * 1000,
};

struct echo {
    struct tb_loop *loop;
    struct tb_http_server *server;
    struct tb_list conns; /* struct echo_conn */
};

struct echo_conn {
    struct tb_list link;
    struct tb_ws_conn *ws;
};

static void conn_free(struct echo_conn *conn)
{
    tb_list_remove(&conn->link);
    tb_ws_conn_free(conn->ws);
    tb_free(conn);
}

static void on_message(struct tb_ws_conn *ws, bool text, struct tb_str data, void *user)
{
    (void)user;
    if (tb_ws_conn_send(ws, text, data) < 0) {
        tb_ws_conn_close(ws, TB_WS_TRY_LATER, TB_STR("read your echoes"));
    }
}

static void on_close(struct tb_ws_conn *ws, int code, struct tb_str reason, void *user)
{
    (void)ws;
    (void)code;
    (void)reason;
    conn_free(user);
}

static const struct tb_ws_conn_ops ws_ops = {
    .on_message = on_message,
    .on_close = on_close,
};

static void echo_accept(struct echo *echo, struct tb_http_req *req)
{
    struct echo_conn *conn = TB_NEW(struct echo_conn);
    tb_list_append(&echo->conns, &conn->link);
    conn->ws = tb_ws_conn_accept(req, TB_STR(""), &ws_opts, &ws_ops, conn);
    if (!conn->ws) {
        conn_free(conn);
    }
}

static void on_head(struct tb_http_req *req, void *user)
{
    (void)req;
    (void)user;
}

static void on_request(struct tb_http_req *req, void *user)
{
    const struct tb_http_header plain = {"Content-Type", TB_STR("text/plain")};
    const struct tb_http1_head *head = tb_http_req_head(req);
    if (tb_ws_is_upgrade(head)) {
        echo_accept(user, req);
    } else if (tb_str_eq(head->path, TB_STR("/echo"))) {
        tb_http_reply(req, 200, &plain, 1, tb_http_req_body(req));
    } else if (tb_str_eq(head->path, TB_STR("/ping"))) {
        tb_http_reply(req, 200, &plain, 1, TB_STR("pong\n"));
    } else {
        tb_http_reply(req, 404, &plain, 1, TB_STR("no such path\n"));
    }
}

static void on_gone(struct tb_http_req *req, bool complete, void *user)
{
    (void)req;
    (void)complete;
    (void)user;
}

static const struct tb_http_server_ops http_ops = {
    .on_head = on_head,
    .on_request = on_request,
    .on_gone = on_gone,
};

static void on_connection(struct tb_stream *stream, void *user)
{
    struct echo *echo = user;
    tb_http_server_add_take(echo->server, stream);
}

static void on_signal(int signum, void *user)
{
    (void)signum;
    struct echo *echo = user;
    tb_loop_stop(echo->loop);
}

static void echo_fini(struct echo *echo)
{
    while (!tb_list_empty(&echo->conns)) {
        conn_free(TB_CONTAINER(echo->conns.next, struct echo_conn, link));
    }
    tb_http_server_free(echo->server);
    tb_loop_free(echo->loop);
}

int main(void)
{
    struct echo echo = {.loop = tb_loop_new(tb_clock_system())};
    struct tb_err err;
    tb_list_init(&echo.conns);
    echo.server = tb_http_server_new(echo.loop, &http_limits, &http_ops, &echo);
    struct tb_listener *listener =
        tb_listener_new_tcp(echo.loop, "127.0.0.1", 0, NULL, on_connection, &echo, &err);
    if (!listener) {
        bench_die("%s", err.text);
    }
    struct tb_signal *watch = tb_signal_new(echo.loop, SIGTERM, on_signal, &echo);
    printf("port %u\n", (unsigned)tb_listener_port(listener));
    fflush(stdout);

    tb_loop_run(echo.loop);
    tb_signal_free(watch);
    tb_listener_free(listener);
    echo_fini(&echo);
    return 0;
}
