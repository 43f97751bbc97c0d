/* SPDX-License-Identifier: Apache-2.0 */
/* For tests: WebSocket connections, both ends in the loop of the test. The server accepts every
 * request; each end writes down what it hears and does inside its callbacks what it was told to. */
#pragma once

#include "io/http_rig.h"
#include "io/ws_conn.h"

struct ws_end {
    struct tb_ws_conn *conn;
    struct tb_buf heard; /* "t:hello b:..." */
    size_t bytes;        /* of all messages */
    int messages;
    int opens;
    int drains;
    int closes;
    int code;
    char reason[128];
    bool echo;
    bool quiet; /* counts messages, does not write them down */
    bool free_in_open;
    bool free_in_message;
    bool free_in_close;
};

struct ws_rig {
    struct rig rig;
    struct tb_ws_conn_opts opts;
    struct ws_end server;
    struct ws_end client;
    struct rig_client raw;
    struct tb_stream *connecting;
};

static inline void ws_end_free(struct ws_end *end)
{
    tb_ws_conn_free(end->conn);
    end->conn = NULL;
}

static inline void ws_end_open(struct tb_ws_conn *conn, void *user)
{
    struct ws_end *end = user;
    assert_ptr_equal(conn, end->conn);
    end->opens++;
    if (end->free_in_open) {
        ws_end_free(end);
    }
}

static inline void ws_end_message(struct tb_ws_conn *conn, bool text, struct tb_str data,
                                  void *user)
{
    struct ws_end *end = user;
    assert_ptr_equal(conn, end->conn);
    assert_int_equal(end->closes, 0);
    end->messages++;
    end->bytes += data.len;
    if (!end->quiet) {
        tb_buf_printf(&end->heard, "%c:%.*s ", text ? 't' : 'b', TB_STR_ARG(data));
    }
    if (end->free_in_message) {
        ws_end_free(end);
    } else if (end->echo) {
        assert_int_equal(tb_ws_conn_send(conn, text, data), 0);
    }
}

static inline void ws_end_drain(struct tb_ws_conn *conn, void *user)
{
    (void)conn;
    struct ws_end *end = user;
    end->drains++;
}

static inline void ws_end_close(struct tb_ws_conn *conn, int code, struct tb_str reason, void *user)
{
    struct ws_end *end = user;
    assert_ptr_equal(conn, end->conn);
    end->closes++;
    end->code = code;
    snprintf(end->reason, sizeof(end->reason), "%.*s", TB_STR_ARG(reason));
    assert_int_equal(tb_ws_conn_send(conn, true, TB_STR("late")), TB_E_CLOSED);
    if (end->free_in_close) {
        ws_end_free(end);
    }
}

static const struct tb_ws_conn_ops ws_end_ops = {
    .on_open = ws_end_open,
    .on_message = ws_end_message,
    .on_drain = ws_end_drain,
    .on_close = ws_end_close,
};

static inline void ws_rig_accept(struct tb_http_req *req, void *user)
{
    struct ws_rig *set = TB_CONTAINER(user, struct ws_rig, rig);
    set->server.conn =
        tb_ws_conn_accept(req, (struct tb_str){NULL, 0}, &set->opts, &ws_end_ops, &set->server);
}

static inline void ws_rig_init(struct ws_rig *set)
{
    memset(set, 0, sizeof(*set));
    rig_init(&set->rig, &rig_limits);
    set->rig.on_request = ws_rig_accept;
    set->opts = (struct tb_ws_conn_opts){
        .limits = {.message_max = 8 << 20, .fragments_max = 100},
        .send_max = 65536,
        .ping_ms = 10000,
        .pong_ms = 3000,
        .close_ms = 2000,
    };
    tb_buf_init(&set->server.heard, 1 << 20);
    tb_buf_init(&set->client.heard, 1 << 20);
}

static inline void ws_rig_fini(struct ws_rig *set)
{
    ws_end_free(&set->server);
    ws_end_free(&set->client);
    if (set->raw.stream) {
        rig_client_close(&set->raw);
    }
    rig_fini(&set->rig);
    tb_buf_fini(&set->server.heard);
    tb_buf_fini(&set->client.heard);
}

static inline void ws_rig_connected(struct tb_stream *stream, int status, void *user)
{
    struct ws_rig *set = user;
    assert_int_equal(status, 0);
    set->connecting = NULL;
    set->client.conn = tb_ws_conn_client_take(stream, TB_STR("a"), TB_STR("/ws"), TB_STR(""),
                                              &set->opts, &ws_end_ops, &set->client);
}

/* A client that has sent its handshake. */
static inline void ws_rig_dial(struct ws_rig *set)
{
    set->connecting = tb_stream_connect_tcp(
        set->rig.loop, "127.0.0.1", tb_listener_port(set->rig.listener), ws_rig_connected, set);
    RIG_UNTIL(set->rig.loop, !set->connecting);
}

static inline void ws_rig_open(struct ws_rig *set)
{
    ws_rig_dial(set);
    RIG_UNTIL(set->rig.loop, set->client.opens == 1);
    assert_non_null(set->server.conn);
}

#define WS_REQUEST                                                                 \
    "GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" \
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

/* A peer that does nothing by itself. Its connection is open, and `got` empty. */
static inline void ws_rig_open_raw(struct ws_rig *set)
{
    rig_client_open(&set->rig, &set->raw);
    rig_send(&set->raw, WS_REQUEST);
    RIG_UNTIL(set->rig.loop, rig_got(&set->raw, "\r\n\r\n"));
    tb_buf_clear(&set->raw.got);
}

static inline void ws_end_expect(struct ws_end *end, const char *heard)
{
    tb_buf_append_char(&end->heard, '\0');
    assert_string_equal((const char *)end->heard.data, heard);
    tb_buf_clear(&end->heard);
}
