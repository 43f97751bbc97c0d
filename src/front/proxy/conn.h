/* SPDX-License-Identifier: Apache-2.0 */
/* One connection of a browser to the proxy.
 *
 *   HEAD --request--> REACHING --server--> EXCHANGE --both ways over--> HEAD
 *    |                   |                    `--101--> TUNNEL
 *    |                   `--CONNECT---------------------> TUNNEL --> over
 *    `--no pass, refused, not understood: an answer of our own --> over
 *
 * Every request shows its pass and is judged. A server's connection is kept beside the browser's
 * for the next request to the same host, and for no other browser connection. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/list.h"
#include "core/egress.h"
#include "front/proxy/reach.h"
#include "front/proxy/tunnel.h"
#include "front/refused.h"
#include "io/loop.h"
#include "io/stream.h"
#include "io/timer.h"
#include "proto/http1.h"

struct tb_core;

/* The state of the front. */
struct tb_proxy {
    struct tb_core *core;
    struct tb_dns *dns;
    struct tb_list conns;
    struct tb_list dead; /* freed at the end of the turn */
    size_t count;
    struct tb_refused refused; /* that showed no pass, or one that is nobody's */
};

enum tb_proxy_state {
    TB_PROXY_HEAD,
    TB_PROXY_REACHING,
    TB_PROXY_EXCHANGE,
    TB_PROXY_TUNNEL,
    TB_PROXY_DEAD,
};

/* Of the request under way. */
struct tb_proxy_exchange {
    bool request_over;
    bool answered;  /* the server's final head was passed on */
    bool keep;      /* the browser's connection outlives it */
    bool reused;    /* the server's connection had served before */
    bool is_head;   /* its answer has no body */
    bool upgrade;   /* it asks to leave HTTP, for a WebSocket */
    bool counts_in; /* something of the answer has come */
};

struct tb_proxy_conn {
    struct tb_list link;
    struct tb_proxy *proxy;
    enum tb_proxy_state state;
    struct tb_stream *client;
    struct tb_stream *server;  /* NULL: none */
    struct tb_http1 *requests; /* the parsers of both directions */
    struct tb_http1 *responses;
    struct tb_buf kept; /* input of the browser that is not to be looked at yet */
    struct tb_egress_use use;
    struct tb_reach *reach;
    struct tb_proxy_exchange now;
    struct tb_tunnel tunnel;
    struct tb_timer timer;
    int64_t moved_ms;
    struct tb_deferred free;
};

/* Takes a fresh connection. */
void tb_proxy_conn_new_take(struct tb_proxy *proxy, struct tb_stream *stream);
/* Ends it at once, both ways; its record goes at the end of the turn. */
void tb_proxy_conn_end(struct tb_proxy_conn *conn);
/* Frees the record of one that has ended. */
void tb_proxy_conn_free(struct tb_proxy_conn *conn);

/* For the files of this folder. */

/* Answers by itself and ends it: a status line ("403 Forbidden"), further headers with their line
 * ends, and words for a person. */
void tb_proxy_conn_answer(struct tb_proxy_conn *conn, const char *status, const char *headers,
                          const char *words);
/* Answers what a failure calls for: 403 if it is a refusal, else 502 or 504. */
void tb_proxy_conn_fail(struct tb_proxy_conn *conn, const struct tb_err *err);
/* Looks at the input that waits. */
void tb_proxy_conn_go_on(struct tb_proxy_conn *conn);
/* The request is passed on to the server that is there. */
void tb_proxy_exchange_begin(struct tb_proxy_conn *conn);
/* A piece of the request's body, or its end. */
void tb_proxy_exchange_body(struct tb_proxy_conn *conn, struct tb_str piece);
void tb_proxy_exchange_body_over(struct tb_proxy_conn *conn);
/* The browser has taken what was sent to it. */
void tb_proxy_exchange_drained(struct tb_proxy_conn *conn);
/* The connection becomes a tunnel; first go these bytes to the browser. */
void tb_proxy_conn_tunnel(struct tb_proxy_conn *conn, struct tb_str first);
