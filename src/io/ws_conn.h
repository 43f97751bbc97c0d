/* SPDX-License-Identifier: Apache-2.0 */
/* A WebSocket connection: proto/ws on a stream, as server (after an HTTP upgrade) or as client.
 * Pings keep the line alive; a peer that does not answer is dropped. The owner frees it, also
 * inside its callbacks; what is still queued is sent only if on_close came before. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "io/http_server.h"
#include "io/stream.h"
#include "proto/ws.h"

struct tb_ws_conn;

struct tb_ws_conn_opts {
    struct tb_ws_limits limits;
    size_t send_max;
    int64_t ping_ms;  /* silence before a ping; 0: never */
    int64_t pong_ms;  /* for the answer */
    int64_t close_ms; /* for the closing handshake */
};

struct tb_ws_conn_ops {
    void (*on_open)(struct tb_ws_conn *conn,
                    void *user); /* clients only; may be NULL for servers */
    void (*on_message)(struct tb_ws_conn *conn, bool text, struct tb_str data, void *user);
    /* The send queue is empty again after a refused send. May be NULL. */
    void (*on_drain)(struct tb_ws_conn *conn, void *user);
    /* Once, as the last callback: close code (1006 when the line broke), reason. The owner frees
     * it. */
    void (*on_close)(struct tb_ws_conn *conn, int code, struct tb_str reason, void *user);
};

/* Server: answers the upgrade request of `req` (which is gone then). NULL when the handshake is
 * wrong (the error was answered) or the peer has left. No callback comes before the end of the
 * turn. */
struct tb_ws_conn *tb_ws_conn_accept(struct tb_http_req *req, struct tb_str protocol,
                                     const struct tb_ws_conn_opts *opts,
                                     const struct tb_ws_conn_ops *ops, void *user);
/* Client: `stream` is connected. on_open or on_close follows, within 5 s. */
struct tb_ws_conn *tb_ws_conn_client_take(struct tb_stream *stream, struct tb_str host,
                                          struct tb_str target, struct tb_str extra_headers,
                                          const struct tb_ws_conn_opts *opts,
                                          const struct tb_ws_conn_ops *ops, void *user);
void tb_ws_conn_free(struct tb_ws_conn *conn);
TB_DEFINE_AUTO(struct tb_ws_conn *, tb_ws_conn_free)

/* TB_E_TOO_LARGE when the peer does not read (nothing queued), TB_E_CLOSED when it is over. */
int tb_ws_conn_send(struct tb_ws_conn *conn, bool text, struct tb_str data);
/* Closing handshake, then on_close; at the latest after close_ms. */
void tb_ws_conn_close(struct tb_ws_conn *conn, int code, struct tb_str reason);
