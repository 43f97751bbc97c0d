/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/ws.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "core/limits.h"
#include "core/members.h"
#include "core/resolve.h"
#include "front/mcp/address.h"
#include "front/mcp/peer.h"
#include "front/mcp/server.h"
#include "front/reply.h"
#include "io/timer.h"
#include "io/ws_conn.h"

enum {
    PING_MS = 15 * 1000,
    PONG_MS = 15 * 1000,
    CLOSE_MS = 5 * 1000,
    LOOK_UP_MS = 10 * 1000,
    LAST_MS = 2 * 1000, /* for what is under way when the session ends */
    FRAGMENTS_MAX = 1024,
    CONTROL_FRAMES = 20, /* a second */
    GOING_AWAY = 1001,
    NO_BINARY = 1003,
    POLICY = 1008,
    TOO_SLOW = 1013,
    /* Of BTCP, whose agents come this way. */
    NOT_NAMED = 4000,
    NO_SESSION = 4001,
    PAGE_GONE = 4002,
};

/* A request whose session is not known yet. */
struct opening {
    struct tb_front_req *front;
    struct tb_mcp_address address;
    struct tb_caller caller;
    struct tb_resolve_ask ask;
    struct tb_timer timer;
    char conversation[TB_CONVERSATION_SIZE];
};

struct conn {
    struct tb_list link; /* of mcp->sockets */
    struct tb_mcp_peer peer;
    struct tb_mcp_out out;
    struct tb_ws_conn *ws;
    char page[TB_ID_SIZE]; /* the session that it came for, if that is a page's or the like */
    int end_code;          /* it ends when nothing is due any more; 0: it does not */
    struct tb_deferred settle;
    struct tb_timer last;
};

static void conn_free(struct conn *conn)
{
    tb_list_remove(&conn->link);
    tb_mcp_peer_fini(&conn->peer);
    tb_deferred_cancel(&conn->settle);
    tb_timer_fini(&conn->last);
    tb_ws_conn_free(conn->ws);
    tb_free(conn);
}

/* Its conversation may have gone on in another session. */
static bool has_lost_page(const struct conn *conn)
{
    const struct tb_caller caller = tb_mcp_peer_caller(&conn->peer);
    return !tb_resolve_meant(conn->peer.mcp->core->sessions, &caller);
}

static void close_now(struct conn *conn)
{
    tb_ws_conn_close(conn->ws, conn->end_code,
                     conn->end_code == PAGE_GONE ? TB_STR("Client disconnected")
                                                 : TB_STR("the daemon stops"));
}

static void on_settle(struct tb_deferred *job)
{
    struct conn *conn = TB_CONTAINER(job, struct conn, settle);
    if (conn->end_code == PAGE_GONE && !has_lost_page(conn)) {
        conn->end_code = 0;
        tb_timer_stop(&conn->last);
        return;
    }
    tb_mcp_peer_end_listens(&conn->peer);
    if (conn->peer.request_count == 0) {
        close_now(conn);
    }
}

static void on_last(struct tb_timer *timer, void *user)
{
    (void)timer;
    close_now(user);
}

static void settle_later(struct conn *conn)
{
    if (conn->end_code) {
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
    } else if (!conn->end_code) {
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
    tb_view_unref(opening->address.view, "opening");
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
static struct conn *accept_peer(struct opening *opening, const struct tb_session *session)
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
    tb_timer_init(&conn->last, mcp->core->loop, on_last, conn);
    tb_mcp_peer_init(&conn->peer, mcp, front->who, opening->address.view, on_revoked);
    conn->peer.passing = true;
    snprintf(conn->peer.conversation, sizeof(conn->peer.conversation), "%s", opening->conversation);
    snprintf(conn->peer.session, sizeof(conn->peer.session), "%s", opening->address.session);
    if (session && tb_session_kind_is_guest(tb_session_info(session).kind)) {
        snprintf(conn->page, sizeof(conn->page), "%s", tb_session_info(session).id);
    }
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

/* A handshake that fails has no words for programs; a close code has. */
static void open_without(struct opening *opening, int code, struct tb_str why)
{
    struct conn *conn = accept_peer(opening, NULL);
    if (conn) {
        conn->end_code = code; /* and nothing is taken meanwhile */
        tb_ws_conn_close(conn->ws, code, why);
    }
}

static void refuse(struct opening *opening, int code, const char *text)
{
    struct tb_front_req *front = opening->front;
    opening_free(opening);
    tb_reply_error(front, code, text);
}

static void join(struct opening *opening, struct tb_session *session)
{
    struct tb_err err;
    int rc = session ? tb_member_choose(session, &opening->caller, &err) : TB_E_SESSION_NOT_FOUND;
    if (rc == TB_E_LIMIT) {
        refuse(opening, rc, err.text);
    } else if (rc < 0) {
        open_without(opening, NO_SESSION, TB_STR("Session not found"));
    } else {
        accept_peer(opening, session);
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
        join(opening, err ? NULL : place->session);
    }
}

static void look_up(struct opening *opening)
{
    struct tb_sessions *sessions = opening->front->core->sessions;
    struct tb_place place = {NULL};
    struct tb_err err;
    opening->ask = (struct tb_resolve_ask){.caller = &opening->caller,
                                           .named = tb_caller_session(&opening->caller),
                                           .fn = on_resolved};
    tb_timer_start(&opening->timer, LOOK_UP_MS);
    int rc = tb_resolve(sessions, &opening->ask, &place, &err);
    if (rc != TB_LATER) {
        on_resolved(&opening->ask, &place, rc < 0 ? &err : NULL);
    }
}

static struct opening *opening_new(struct tb_front_req *front)
{
    char secret[TB_TOKEN_SIZE];
    struct opening *opening = TB_NEW(struct opening);
    opening->front = front;
    tb_timer_init(&opening->timer, front->core->loop, on_late, opening);
    tb_token_make(secret);
    snprintf(opening->conversation, sizeof(opening->conversation), "ws-%s", secret);
    opening->caller = (struct tb_caller){.who = front->who,
                                         .conversation = opening->conversation,
                                         .session = opening->address.session,
                                         .passing = true};
    front->user = opening;
    return opening;
}

void tb_mcp_ws_open(struct tb_front_req *front)
{
    static const char *const known[] = {"session", "sessionId", "groups", "token", NULL};
    struct tb_err err;
    struct opening *opening = opening_new(front);
    int rc = tb_mcp_address_read(front, front->args[0], known, &opening->address, &err);
    if (rc == TB_E_SESSION_NOT_FOUND) {
        open_without(opening, NOT_NAMED, tb_str_of(err.text));
    } else if (rc < 0) {
        refuse(opening, rc, err.text);
    } else if (tb_mcp_peers_count(front->state, front->who, notify) >= TB_MCP_SESSIONS) {
        refuse(opening, TB_E_LIMIT,
               "too many MCP connections are open with this credential; close one first");
    } else if (opening->address.session[0]) {
        look_up(opening);
    } else {
        accept_peer(opening, NULL);
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
        conn->end_code = GOING_AWAY;
        settle_later(conn);
    }
}

void tb_mcp_ws_session_ended(struct tb_mcp *mcp, const char *session_id)
{
    LIST_FOREACH(link, &mcp->sockets) {
        struct conn *conn = TB_CONTAINER(link, struct conn, link);
        if (!conn->end_code && strcmp(conn->page, session_id) == 0) {
            conn->end_code = PAGE_GONE;
            tb_timer_start(&conn->last, LAST_MS);
            settle_later(conn);
        }
    }
}

void tb_mcp_ws_stop(struct tb_mcp *mcp)
{
    while (!tb_list_empty(&mcp->sockets)) {
        conn_free(TB_CONTAINER(mcp->sockets.next, struct conn, link));
    }
}
