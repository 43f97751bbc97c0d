/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the HTTP server: its structs and the life of a connection. Only http_server.c,
 * http_conn.c and http_req.c include it.
 *
 *   IDLE -> HEAD -> BODY -> PENDING -----------> FLUSH -> IDLE, or closed
 *                   | ^        `--> STREAM ------^   (the reply is queued whole)
 *                   | `- req->paused: its owner wants no more of the body; nothing is read
 *                   `-- answered early ----------^   (the rest of the body is thrown away)
 *
 * A connection that ends while its callbacks are on the stack is marked dead and freed when the
 * last `hold` is given back. Each function that calls the owner looks at `dead` before it touches
 * anything again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/list.h"
#include "io/http_reply.h"
#include "io/http_server.h"
#include "io/timer.h"

enum tb_http_conn_state {
    TB_HTTP_CONN_IDLE,
    TB_HTTP_CONN_HEAD,
    TB_HTTP_CONN_BODY, /* up to here input goes to the parser */
    TB_HTTP_CONN_PENDING,
    TB_HTTP_CONN_STREAM,
    TB_HTTP_CONN_FLUSH,
};

struct tb_http_server {
    struct tb_loop *loop;
    struct tb_http_server_limits limits;
    const struct tb_http_server_ops *ops;
    void *user;
    struct tb_list conns;
    size_t count;
    bool draining;
    void (*drained)(void *user);
    void *drained_user;
    struct tb_deferred drain_job;
    int64_t date_second;
    char date[TB_HTTP_DATE_SIZE];
};

struct tb_http_conn {
    struct tb_list link;
    struct tb_http_server *server;
    struct tb_stream *stream;
    struct tb_http1 *parser; /* NULL while idle */
    struct tb_http_req *req;
    struct tb_timer timer;
    int64_t deadline_ms; /* 0: none; the timer may be armed for an earlier time */
    int64_t since_ms;    /* when the body began; when the peer last took some of the reply */
    struct tb_deferred settle;
    struct tb_buf kept; /* input behind a request that is not answered yet, or of a paused body */
    size_t kept_used;
    struct tb_str input; /* what is being parsed */
    uint64_t sent;       /* how many bytes had left when last looked at */
    unsigned hold;
    enum tb_http_conn_state state;
    bool parsing;
    bool dead;
    bool eof;           /* the peer sends no more */
    bool paused;        /* we do not read: too much is kept, or the body is paused */
    bool discard;       /* input is thrown away: a request was answered before it was whole */
    bool broken;        /* the stream did not take a reply */
    bool close;         /* after the reply */
    bool want_continue; /* the peer waits for 100 Continue */
};

struct tb_http_req {
    struct tb_http_conn *conn;
    void *user;
    struct tb_buf body;
    void (*on_body)(struct tb_http_req *req, struct tb_str piece); /* NULL: the body is kept */
    struct tb_deferred resume;                                     /* ends a pause */
    uint64_t body_bytes;                  /* that came since conn->since_ms */
    const struct tb_http_header *headers; /* for every reply */
    size_t header_count;
    void (*on_drain)(struct tb_http_req *req); /* NULL: nobody asked */
    bool paused;                               /* its owner wants no more of the body for now */
    bool no_body;                              /* nothing follows the reply's head */
    bool chunked;
};

/* http_server.c */
const char *tb_http_server_date(struct tb_http_server *server);
/* One connection less; may end a drain (later). */
void tb_http_server_forget(struct tb_http_server *server);

/* http_conn.c */
void tb_http_conn_open_take(struct tb_http_server *server, struct tb_stream *stream);
/* At once; a request that is under way gets on_gone. */
void tb_http_conn_close(struct tb_http_conn *conn);
/* The server stops and no whole request has come: whoever has begun one is told. */
void tb_http_conn_turn_away(struct tb_http_conn *conn);
/* Ends the connection as HTTP and gives its stream away. The caller holds the connection. */
struct tb_stream *tb_http_conn_leave(struct tb_http_conn *conn, bool complete);
/* Queues bytes of a reply; takes memory from malloc, also when it fails. */
int tb_http_conn_write_take(struct tb_http_conn *conn, uint8_t *data, size_t len);
/* The request was paused and is answered: the peer may go on, though nobody listens. */
void tb_http_conn_unpause(struct tb_http_conn *conn);
/* The reply is queued whole: what follows comes when it is written. */
void tb_http_conn_finish_reply(struct tb_http_conn *conn);
/* Input that no request has used yet. */
struct tb_str tb_http_conn_rest(const struct tb_http_conn *conn);
void tb_http_conn_hold(struct tb_http_conn *conn);
void tb_http_conn_unhold(struct tb_http_conn *conn);
