/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/ws.h"

#include <stdio.h>

#include "base/id.h"
#include "core/limits.h"
#include "core/resolve.h"
#include "front/mcp/http.h"
#include "front/mcp/peer.h"
#include "front/mcp/server.h"
#include "front/reply.h"
#include "front/target.h"
#include "io/timer.h"
#include "io/ws_conn.h"

enum {
    PING_MS = 15 * 1000,
    PONG_MS = 15 * 1000,
    CLOSE_MS = 5 * 1000,
    LOOK_UP_MS = 10 * 1000,
    FRAGMENTS_MAX = 1024,
    CONTROL_FRAMES = 20, /* a second */
    NAME_MAX = 2 * TB_ID_SIZE,
    GOING_AWAY = 1001,
    NO_BINARY = 1003,
    POLICY = 1008,
    TOO_SLOW = 1013,
    NO_SESSION = 4001, /* of BTCP, whose agents come this way */
};

/* A request whose session is not known yet. */
struct opening {
    struct tb_front_req *front;
    struct tb_view *view;
    struct tb_caller caller;
    struct tb_resolve_ask ask;
    struct tb_timer timer;
    struct tb_buf named;
    char conversation[TB_CONVERSATION_SIZE];
};

struct conn {
    struct tb_list link; /* of mcp->sockets */
    struct tb_mcp_peer peer;
    struct tb_mcp_out out;
    struct tb_ws_conn *ws;
    bool ends; /* when nothing is due any more */
    struct tb_deferred settle;
};

static void conn_free(struct conn *conn)
{
    tb_list_remove(&conn->link);
    tb_mcp_peer_fini(&conn->peer);
    tb_deferred_cancel(&conn->settle);
    tb_ws_conn_free(conn->ws);
    tb_free(conn);
}

static void on_settle(struct tb_deferred *job)
{
    struct conn *conn = TB_CONTAINER(job, struct conn, settle);
    if (conn->ends && conn->peer.request_count == 0) {
        tb_ws_conn_close(conn->ws, GOING_AWAY, TB_STR("the daemon stops"));
    }
}

static void settle_later(struct conn *conn)
{
    if (conn->ends) {
        tb_loop_defer(conn->peer.mcp->core->loop, &conn->settle);
    }
}

/* Output. What cannot be sent must not be missing in silence: the connection ends. */

static void send(struct conn *conn, struct tb_str message)
{
    if (tb_ws_conn_send(conn->ws, true, message) == TB_E_TOO_LARGE) {
        tb_ws_conn_close(conn->ws, TOO_SLOW, TB_STR("too much waits to be read"));
    }
}

static void out_send(struct tb_mcp_out *out, struct tb_str message)
{
    send(TB_CONTAINER(out, struct conn, out), message);
}

static void out_answer(struct tb_mcp_out *out, int status, struct tb_buf *message)
{
    struct conn *conn = TB_CONTAINER(out, struct conn, out);
    (void)status;
    send(conn, tb_buf_str(message));
    settle_later(conn);
}

static void out_drop(struct tb_mcp_out *out)
{
    settle_later(TB_CONTAINER(out, struct conn, out));
}

static const struct tb_mcp_out_ops out_ops = {out_send, out_answer, out_drop, NULL};

static void notify(struct tb_mcp_peer *peer, struct tb_str message)
{
    send(TB_CONTAINER(peer, struct conn, peer), message);
}

/* Input. */

static void on_message(struct tb_ws_conn *ws, bool text, struct tb_str data, void *user)
{
    struct conn *conn = user;
    if (!text) {
        tb_ws_conn_close(ws, NO_BINARY, TB_STR("send text frames"));
    } else if (!conn->ends) {
        tb_mcp_peer_receive_text(&conn->peer, data, &conn->out);
    }
}

static void on_close(struct tb_ws_conn *ws, int code, struct tb_str reason, void *user)
{
    struct conn *conn = user;
    (void)ws;
    (void)code;
    (void)reason;
    tb_mcp_peer_left(&conn->peer);
    conn_free(conn);
}

static void on_revoked(struct tb_live *live)
{
    struct conn *conn = TB_CONTAINER(live, struct conn, peer.live);
    tb_ws_conn_close(conn->ws, POLICY, TB_STR("the credential is no longer valid"));
}

/* Opening. */

static void opening_free(struct opening *opening)
{
    opening->front->user = NULL;
    tb_resolve_cancel(&opening->ask);
    tb_timer_fini(&opening->timer);
    tb_view_unref(opening->view, "opening");
    tb_buf_fini(&opening->named);
    tb_free(opening);
}

/* A client that offers protocols goes on only if one of them is taken. */
static struct tb_str protocol_of(const struct tb_front_req *front)
{
    struct tb_str offered =
        tb_http1_header(tb_http_req_head(front->http), "Sec-WebSocket-Protocol");
    return tb_str_list_has(offered, TB_STR("mcp")) ? TB_STR("mcp") : TB_STR("");
}

/* The request is gone after this; NULL: it was answered. */
static struct conn *accept_peer(struct opening *opening)
{
    static const struct tb_ws_conn_opts opts = {
        .limits = {.message_max = TB_STDIO_LINE_MAX,
                   .fragments_max = FRAGMENTS_MAX,
                   .control_frames_per_sec = CONTROL_FRAMES},
        .send_max = TB_STDIO_SEND_MAX,
        .ping_ms = PING_MS,
        .pong_ms = PONG_MS,
        .close_ms = CLOSE_MS,
    };
    static const struct tb_ws_conn_ops ops = {.on_message = on_message, .on_close = on_close};
    struct tb_front_req *front = opening->front;
    struct tb_mcp *mcp = front->state;
    struct conn *conn = TB_NEW(struct conn);
    conn->out.ops = &out_ops;
    conn->settle.run = on_settle;
    tb_list_init(&conn->link);
    tb_list_init(&conn->settle.link);
    tb_mcp_peer_init(&conn->peer, mcp, front->who, opening->view, on_revoked);
    conn->peer.passing = true;
    snprintf(conn->peer.conversation, sizeof(conn->peer.conversation), "%s", opening->conversation);
    struct tb_str protocol = protocol_of(front);
    front->status = 101;
    opening_free(opening);
    conn->ws = tb_ws_conn_accept(front->http, protocol, &opts, &ops, conn);
    if (!conn->ws) {
        tb_mcp_peer_left(&conn->peer);
        conn_free(conn);
        return NULL;
    }
    tb_mcp_peer_listens(&conn->peer, notify);
    tb_list_append(&mcp->sockets, &conn->link);
    return conn;
}

static void open_without(struct opening *opening)
{
    struct conn *conn = accept_peer(opening);
    if (conn) {
        tb_ws_conn_close(conn->ws, NO_SESSION, TB_STR("Session not found"));
    }
}

static void refuse(struct opening *opening, int code, const char *text)
{
    struct tb_front_req *front = opening->front;
    opening_free(opening);
    tb_reply_error(front, code, text);
}

/* Its calls go there from now on. */
static void choose(struct opening *opening, const struct tb_session *session)
{
    struct tb_sessions *sessions = opening->front->core->sessions;
    struct tb_err err;
    int rc = session ? tb_sessions_set_current(sessions, &opening->caller,
                                               tb_buf_str(&opening->named), NULL, &err)
                     : TB_E_SESSION_NOT_FOUND;
    if (rc == TB_E_LIMIT) {
        refuse(opening, rc, err.text);
    } else if (rc < 0) {
        open_without(opening);
    } else {
        accept_peer(opening);
    }
}

static void on_late(struct tb_timer *timer, void *user)
{
    (void)timer;
    refuse(user, TB_E_STORE, "the stored sessions cannot be read yet");
}

static void on_resolved(struct tb_resolve_ask *ask, const struct tb_place *place,
                        const struct tb_err *err)
{
    struct opening *opening = TB_CONTAINER(ask, struct opening, ask);
    if (err && !tb_resolve_denies(err)) {
        refuse(opening, err->code, err->text);
    } else if (opening->front->who->revoked) {
        refuse(opening, TB_E_UNAUTHORIZED, "the credential of this request was revoked");
    } else {
        choose(opening, err ? NULL : place->session);
    }
}

static void look_up(struct opening *opening)
{
    struct tb_sessions *sessions = opening->front->core->sessions;
    struct tb_place place = {NULL};
    struct tb_err err;
    opening->ask = (struct tb_resolve_ask){
        .caller = &opening->caller, .named = tb_buf_str(&opening->named), .fn = on_resolved};
    tb_timer_start(&opening->timer, LOOK_UP_MS);
    int rc = tb_resolve(sessions, &opening->ask, &place, &err);
    if (rc != TB_LATER) {
        on_resolved(&opening->ask, &place, rc < 0 ? &err : NULL);
    }
}

static int read_query(struct opening *opening, struct tb_err *err)
{
    static const char *const known[] = {"session", "sessionId", "groups", "token", NULL};
    struct tb_str query = tb_http_req_head(opening->front->http)->query;
    struct tb_str header = tb_http1_header(tb_http_req_head(opening->front->http), "X-Session-ID");
    int rc = tb_target_check_query(query, known, err);
    if (rc < 0) {
        return rc;
    }
    if (tb_target_query(query, "session", &opening->named) < 0 ||
        (!opening->named.len && tb_target_query(query, "sessionId", &opening->named) < 0) ||
        (!opening->named.len && tb_buf_append_str(&opening->named, tb_str_trim(header)) < 0)) {
        return tb_fail(err, TB_E_INVALID, "the session in the query is malformed or too long");
    }
    return 0;
}

void tb_mcp_ws_open(struct tb_front_req *front)
{
    char secret[TB_TOKEN_SIZE];
    struct tb_err err;
    struct opening *opening = TB_NEW(struct opening);
    opening->front = front;
    tb_buf_init(&opening->named, NAME_MAX);
    tb_timer_init(&opening->timer, front->core->loop, on_late, opening);
    tb_token_make(secret);
    snprintf(opening->conversation, sizeof(opening->conversation), "ws-%s", secret);
    front->user = opening;
    if (read_query(opening, &err) < 0) {
        refuse(opening, err.code, err.text);
        return;
    }
    opening->view = tb_mcp_http_view(front, front->args[0]);
    if (!opening->view) {
        opening_free(opening); /* it is answered */
        return;
    }
    opening->caller = (struct tb_caller){.who = front->who,
                                         .conversation = opening->conversation,
                                         .view = opening->view,
                                         .passing = true};
    if (opening->named.len) {
        look_up(opening);
    } else {
        accept_peer(opening);
    }
}

void tb_mcp_ws_gone(struct tb_front_req *front)
{
    if (front->user) {
        opening_free(front->user);
    }
}

void tb_mcp_ws_drain(struct tb_mcp *mcp)
{
    LIST_FOREACH(link, &mcp->sockets) {
        struct conn *conn = TB_CONTAINER(link, struct conn, link);
        conn->ends = true;
        settle_later(conn);
    }
}

void tb_mcp_ws_stop(struct tb_mcp *mcp)
{
    while (!tb_list_empty(&mcp->sockets)) {
        conn_free(TB_CONTAINER(mcp->sockets.next, struct conn, link));
    }
}
