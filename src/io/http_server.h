/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP/1.1 server on streams: keep-alive, pipelining answered in order, time limits, ceilings,
 * drain.
 *
 * A request belongs to its connection. on_head comes when the head is in: the owner may answer at
 * once (then the body is not read), set a body ceiling, or ask for the body in pieces. on_request
 * comes when the whole body is in; the owner answers then or later, exactly once. on_gone ends
 * every request that on_head announced: after it (answered and written, or the peer left first) the
 * pointer is dead. Input is read while a request is pending, so a peer that leaves is noticed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "base/str.h"
#include "io/loop.h"
#include "io/stream.h"
#include "proto/http1.h"

struct tb_http_server;
struct tb_http_req;

/* A time or rate of 0 is no limit. */
struct tb_http_server_limits {
    struct tb_http1_limits parser;
    size_t connections_max;
    int64_t header_ms;     /* from the first byte of a request to the end of its head */
    int64_t body_grace_ms; /* after that the body must come at body_rate bytes a second */
    uint64_t body_rate;
    int64_t idle_ms;  /* between requests */
    int64_t write_ms; /* a reply that makes no progress for so long is given up */
    int64_t peer_ms;  /* a peer that acknowledges nothing for so long is gone; 0: never */
    size_t send_max;  /* send queue of a connection */
};

struct tb_http_server_ops {
    void (*on_head)(struct tb_http_req *req, void *user);
    void (*on_request)(struct tb_http_req *req, void *user);
    /* `complete`: the reply was handed to the system whole, or waits for that with others. */
    void (*on_gone)(struct tb_http_req *req, bool complete, void *user);
};

struct tb_http_server *tb_http_server_new(struct tb_loop *loop,
                                          const struct tb_http_server_limits *limits,
                                          const struct tb_http_server_ops *ops, void *user);
/* Closes all connections at once; pending requests get on_gone. */
void tb_http_server_free(struct tb_http_server *server);
TB_DEFINE_AUTO(struct tb_http_server *, tb_http_server_free)
/* Takes a fresh connection from a listener. Over the ceiling it answers 503 and closes. */
void tb_http_server_add_take(struct tb_http_server *server, struct tb_stream *stream);
/* No new requests: idle connections close now, others after their reply (Connection: close). `fn`
 * is called once, later, when none is left. Upgraded streams are not counted. */
void tb_http_server_drain(struct tb_http_server *server, void (*fn)(void *user), void *user);
size_t tb_http_server_connections(const struct tb_http_server *server);

/* The request. */
const struct tb_http1_head *tb_http_req_head(const struct tb_http_req *req);
struct tb_str tb_http_req_body(const struct tb_http_req *req);
const struct tb_peer *tb_http_req_peer(const struct tb_http_req *req);
/* A place for the owner's own state, NULL at first. */
void tb_http_req_set_user(struct tb_http_req *req, void *user);
void *tb_http_req_user(const struct tb_http_req *req);
/* In on_head only: the ceiling for this request's body. */
void tb_http_req_set_body_max(struct tb_http_req *req, uint64_t bytes);
/* In on_head only: the body goes to `fn` as it comes, in pieces that are borrowed for the call, and
 * is not kept. on_request follows the last one. An answer before that ends it: no piece follows. */
void tb_http_req_stream(struct tb_http_req *req,
                        void (*fn)(struct tb_http_req *req, struct tb_str piece));
/* Back-pressure, before on_request: nothing is read until tb_http_req_resume (not even that the
 * peer has left), so the peer has to wait. Pieces, and what follows them, come later, from the
 * loop. */
void tb_http_req_pause(struct tb_http_req *req);
void tb_http_req_resume(struct tb_http_req *req);

struct tb_http_header {
    const char *name;
    struct tb_str value;
};
/* Headers for whatever reply comes, besides its own; borrowed until on_gone. */
void tb_http_req_set_headers(struct tb_http_req *req, const struct tb_http_header *headers,
                             size_t count);

/* The reply: either all at once ... */
/* Content-Length, Date and Connection are added. Values with CR, LF or NUL are a bug of ours:
 * asserted, so an owner never puts a peer's bytes there unchecked (the parser lets none of the
 * three into a header value or target). Replies to HEAD carry no body. */
void tb_http_reply(struct tb_http_req *req, int status, const struct tb_http_header *headers,
                   size_t header_count, struct tb_str body);
/* An error with the status of its row in err.def and {"error":{"code","message","hint"}} as the
 * body. Up to 8 more headers. */
void tb_http_reply_error(struct tb_http_req *req, int code, const char *text,
                         const struct tb_http_header *headers, size_t header_count);
/* ... or in pieces (chunked, or to the end of the connection for HTTP/1.0). False: nothing of a
 * body is wanted (the request is HEAD), and what is written all the same goes nowhere and fills no
 * queue. The owner ends the reply then, which nothing else does. */
bool tb_http_reply_start(struct tb_http_req *req, int status, const struct tb_http_header *headers,
                         size_t header_count);
/* TB_E_TOO_LARGE when the peer does not read: nothing was queued. TB_E_CLOSED: it is gone, on_gone
 * follows. */
int tb_http_reply_write(struct tb_http_req *req, struct tb_str bytes);
void tb_http_reply_end(struct tb_http_req *req);
/* The same with a last piece. It passes whatever waits, as a reply in one piece does. */
void tb_http_reply_finish(struct tb_http_req *req, struct tb_str last);
/* How much the peer has not taken yet. */
size_t tb_http_reply_queued(const struct tb_http_req *req);
/* Calls `fn` once, from the loop, when it has taken all; for a writer with a smaller ceiling of its
 * own. Asked for while something is queued. */
void tb_http_reply_on_drain(struct tb_http_req *req, void (*fn)(struct tb_http_req *req));
/* ... or by leaving HTTP: writes `response` as it is and hands over the stream together with the
 * bytes that came behind the head (the caller frees *ret_rest). on_gone comes at once, inside the
 * call. NULL when the peer has left meanwhile. The caller calls tb_stream_start in the same turn.
 */
struct tb_stream *tb_http_upgrade_take(struct tb_http_req *req, struct tb_str response,
                                       char **ret_rest, size_t *ret_rest_len);
