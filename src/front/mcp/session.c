/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/session.h"

#include <stdio.h>

#include "base/map.h"
#include "core/limits.h"
#include "core/sessions.h"
#include "front/mcp/server.h"

struct tb_mcp_sessions {
    struct tb_mcp *mcp;
    struct tb_map by_id;
    struct tb_list by_use;
    struct tb_timer timer;
};

static struct tb_mcp_session *oldest(const struct tb_mcp_sessions *sessions)
{
    return TB_CONTAINER(sessions->by_use.next, struct tb_mcp_session, link);
}

static int64_t now(const struct tb_mcp_sessions *sessions)
{
    return tb_loop_now_ms(sessions->mcp->core->loop);
}

static void touch(struct tb_mcp_session *session)
{
    tb_list_remove(&session->link);
    tb_list_append(&session->table->by_use, &session->link);
    session->used_ms = now(session->table);
}

static void hear(struct tb_mcp_session *session)
{
    touch(session);
    session->heard_ms = session->used_ms;
}

/* A client that waits for an answer or for news is not silent. */
static bool is_busy(const struct tb_mcp_session *session)
{
    return session->peer.request_count > 0 || (session->standalone && session->standalone->front);
}

/* It would end with the MCP session, also while it sleeps: a login must not be lost over a pause.
 */
static bool has_browser(const struct tb_mcp_session *session)
{
    const struct tb_caller caller = tb_mcp_peer_caller(&session->peer);
    return tb_sessions_has(session->table->mcp->core->sessions, &caller);
}

static void mind_timer(struct tb_mcp_sessions *sessions)
{
    if (tb_list_empty(&sessions->by_use)) {
        tb_timer_stop(&sessions->timer);
    } else if (!tb_timer_armed(&sessions->timer)) {
        int64_t due_ms =
            oldest(sessions)->used_ms + sessions->mcp->core->config->mcp_session_idle_ms;
        int64_t wait_ms = due_ms - now(sessions);
        tb_timer_start(&sessions->timer, wait_ms > 0 ? wait_ms : 0);
    }
}

static struct tb_mcp_sse *first_over(const struct tb_mcp_session *session)
{
    return TB_CONTAINER(session->over.next, struct tb_mcp_sse, link);
}

static void drop_over(struct tb_mcp_session *session, struct tb_mcp_sse *sse)
{
    session->over_count--;
    tb_mcp_sse_free(sse);
}

/* What a stream that has ended said is kept for some time only. */
static void drop_old_streams(struct tb_mcp_session *session)
{
    int64_t now_ms = now(session->table);
    while (session->over_count && now_ms - first_over(session)->over_ms > TB_MCP_REPLAY_MS) {
        drop_over(session, first_over(session));
    }
}

/* There are more than answers can be due, so there is one whose client has all or is too late. */
static void drop_settled_stream(struct tb_mcp_session *session)
{
    LIST_FOREACH(link, &session->over) {
        struct tb_mcp_sse *sse = TB_CONTAINER(link, struct tb_mcp_sse, link);
        if (!tb_mcp_replay_owes(&sse->kept)) {
            drop_over(session, sse);
            return;
        }
    }
}

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_mcp_sessions *sessions = user;
    int64_t idle_ms = sessions->mcp->core->config->mcp_session_idle_ms;
    (void)timer;
    while (!tb_list_empty(&sessions->by_use) &&
           now(sessions) - oldest(sessions)->used_ms >= idle_ms) {
        struct tb_mcp_session *session = oldest(sessions);
        if (is_busy(session)) {
            hear(session);
        } else if (has_browser(session)) {
            touch(session);
            drop_old_streams(session);
        } else {
            tb_mcp_session_end(session);
        }
    }
    mind_timer(sessions);
}

struct tb_mcp_sessions *tb_mcp_sessions_new(struct tb_mcp *mcp)
{
    struct tb_mcp_sessions *sessions = TB_NEW(struct tb_mcp_sessions);
    sessions->mcp = mcp;
    tb_map_init(&sessions->by_id);
    tb_list_init(&sessions->by_use);
    tb_timer_init(&sessions->timer, mcp->core->loop, on_timer, sessions);
    return sessions;
}

size_t tb_mcp_sessions_count(const struct tb_mcp_sessions *sessions)
{
    return sessions->by_id.count;
}

static void session_free(struct tb_mcp_session *session)
{
    tb_map_remove(&session->table->by_id, tb_str_of(session->id));
    tb_list_remove(&session->link);
    tb_mcp_peer_fini(&session->peer);
    tb_list_splice(&session->streams, &session->over);
    LIST_FOREACH_SAFE(link, &session->streams) {
        tb_mcp_sse_free(TB_CONTAINER(link, struct tb_mcp_sse, link));
    }
    tb_mcp_replay_fini(&session->replay);
    tb_free(session);
}

void tb_mcp_sessions_free(struct tb_mcp_sessions *sessions)
{
    if (!sessions) {
        return;
    }
    while (!tb_list_empty(&sessions->by_use)) {
        session_free(oldest(sessions));
    }
    tb_timer_fini(&sessions->timer);
    tb_map_fini(&sessions->by_id);
    tb_free(sessions);
}

/* Kept until the client, which may have no stream open at the moment, comes for it. */
static void notify(struct tb_mcp_peer *peer, struct tb_str message)
{
    struct tb_mcp_session *session = TB_CONTAINER(peer, struct tb_mcp_session, peer);
    if (session->standalone) {
        tb_mcp_sse_send(session->standalone, message);
    }
}

/* Its client loses nothing but the id if it ends, or has not been heard of for a day: clients that
 * never say goodbye must not lock newcomers out for as long as their browsers sleep. */
static bool is_spare(const struct tb_mcp_session *session)
{
    int64_t silent_ms = now(session->table) - session->heard_ms;
    return !is_busy(session) && silent_ms >= TB_MCP_SPARE_MS &&
           (silent_ms >= TB_MCP_FORGOTTEN_MS || !has_browser(session));
}

/* A place for a new one, which must not cost anybody else a browser that is missed. The limit is
 * per credential. */
static bool make_room(struct tb_mcp_sessions *sessions, const struct tb_principal *who)
{
    struct tb_mcp_session *spare = NULL;
    size_t count = 0;
    LIST_FOREACH(link, &sessions->by_use) {
        struct tb_mcp_session *session = TB_CONTAINER(link, struct tb_mcp_session, link);
        bool ours = session->peer.who == who;
        count += ours;
        spare = !spare && ours && is_spare(session) ? session : spare;
    }
    if (count < TB_MCP_SESSIONS) {
        return true;
    }
    if (spare) {
        tb_mcp_session_end(spare);
    }
    return spare != NULL;
}

static void on_revoked(struct tb_live *live)
{
    tb_mcp_session_end(TB_CONTAINER(live, struct tb_mcp_session, peer.live));
}

struct tb_mcp_session *tb_mcp_session_new(struct tb_mcp_sessions *sessions,
                                          struct tb_principal *who, struct tb_view *view)
{
    if (!make_room(sessions, who)) {
        return NULL;
    }
    struct tb_mcp_session *session = TB_NEW(struct tb_mcp_session);
    session->table = sessions;
    tb_token_make(session->id);
    tb_list_init(&session->link);
    tb_list_init(&session->streams);
    tb_list_init(&session->over);
    tb_mcp_replay_init(&session->replay);
    tb_mcp_peer_init(&session->peer, sessions->mcp, who, view, on_revoked);
    snprintf(session->peer.conversation, sizeof(session->peer.conversation), "%s", session->id);
    session->peer.passing = true;
    tb_mcp_peer_listens(&session->peer, notify);
    tb_map_add(&sessions->by_id, tb_str_of(session->id), session);
    hear(session);
    mind_timer(sessions);
    return session;
}

struct tb_mcp_session *tb_mcp_session_find(struct tb_mcp_sessions *sessions,
                                           const struct tb_principal *who, struct tb_str id)
{
    struct tb_mcp_session *session = tb_map_get(&sessions->by_id, id);
    if (!session || session->peer.who != who) {
        return NULL;
    }
    hear(session);
    drop_old_streams(session);
    return session;
}

void tb_mcp_session_end(struct tb_mcp_session *session)
{
    struct tb_mcp_sessions *sessions = session->table;
    if (session->ending) {
        return; /* an answer of below has come back here */
    }
    session->ending = true;
    while (!tb_list_empty(&session->peer.requests)) {
        tb_mcp_req_abort(TB_CONTAINER(session->peer.requests.next, struct tb_mcp_req, link),
                         tb_err_info(TB_E_SESSION_ENDED)->rpc_code,
                         "the MCP session ended before the reply; start a new one with initialize");
    }
    tb_mcp_peer_left(&session->peer);
    session_free(session);
    mind_timer(sessions);
}

void tb_mcp_sessions_drain(struct tb_mcp_sessions *sessions)
{
    LIST_FOREACH(link, &sessions->by_use) {
        struct tb_mcp_session *session = TB_CONTAINER(link, struct tb_mcp_session, link);
        if (session->standalone) {
            tb_mcp_sse_end(session->standalone);
        }
    }
}

/* Streams. */

static struct tb_mcp_sse *add_stream(struct tb_mcp_session *session, uint64_t number)
{
    struct tb_mcp_sse *sse =
        tb_mcp_sse_new(session->table->mcp->core->loop, &session->replay, number);
    tb_list_append(&session->streams, &sse->link);
    return sse;
}

struct tb_mcp_sse *tb_mcp_session_stream(struct tb_mcp_session *session)
{
    return add_stream(session, ++session->stream_count);
}

void tb_mcp_session_stream_over(struct tb_mcp_session *session, struct tb_mcp_sse *sse)
{
    tb_list_remove(&sse->link);
    tb_list_append(&session->over, &sse->link);
    if (++session->over_count > TB_MCP_REPLAY_EVENTS + TB_MCP_DUE_EVENTS) {
        drop_settled_stream(session);
    }
}

static struct tb_mcp_sse *find_in(const struct tb_list *streams, uint64_t stream)
{
    LIST_FOREACH(link, streams) {
        struct tb_mcp_sse *sse = TB_CONTAINER(link, struct tb_mcp_sse, link);
        if (sse->stream == stream) {
            return sse;
        }
    }
    return NULL;
}

struct tb_mcp_sse *tb_mcp_session_find_stream(struct tb_mcp_session *session, uint64_t stream)
{
    struct tb_mcp_sse *sse = find_in(&session->streams, stream);
    return sse ? sse : find_in(&session->over, stream);
}

struct tb_mcp_sse *tb_mcp_session_standalone(struct tb_mcp_session *session)
{
    if (!session->standalone) {
        session->standalone = add_stream(session, 0);
    }
    session->standalone->over = false;
    return session->standalone;
}
