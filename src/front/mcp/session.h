/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of legacy clients over HTTP (Mcp-Session-Id). A session begins with `initialize` and
 * ends with DELETE; if it has no browser, also after a time of silence (many clients never say
 * goodbye) or when a newer one needs its place; if it has one, for a newer one only, after a day of
 * silence. It is bound to the tenant that made it. Its id names its conversation, so browser
 * sessions end with it as configured. */
#pragma once

#include <stddef.h>

#include "base/id.h"
#include "front/mcp/peer.h"
#include "front/mcp/replay.h"
#include "front/mcp/sse_out.h"

struct tb_mcp_sessions;

struct tb_mcp_session {
    struct tb_list link; /* the one that was silent longest comes first */
    struct tb_mcp_sessions *table;
    struct tb_mcp_peer peer;
    bool ending;
    char id[TB_TOKEN_SIZE];
    int64_t used_ms;  /* when it was last used or looked at: its place in the list */
    int64_t heard_ms; /* when its client was last heard of */
    struct tb_mcp_replay replay;
    struct tb_list streams;
    struct tb_list over; /* streams that have ended, in the order of their ends */
    size_t over_count;
    uint64_t stream_count;
    struct tb_mcp_sse *standalone; /* for what is sent unasked; NULL until the client opens it */
};

struct tb_mcp_sessions *tb_mcp_sessions_new(struct tb_mcp *mcp);
void tb_mcp_sessions_free(struct tb_mcp_sessions *sessions);
/* NULL when the credential has as many as it may, and none of them can go without loss. */
struct tb_mcp_session *tb_mcp_session_new(struct tb_mcp_sessions *sessions,
                                          struct tb_principal *who, struct tb_view *view);
/* NULL for an unknown id and for that of another credential. A found one counts as used. */
struct tb_mcp_session *tb_mcp_session_find(struct tb_mcp_sessions *sessions,
                                           const struct tb_principal *who, struct tb_str id);
/* Ends it: requests are answered with an error, streams close, its conversation is over. */
void tb_mcp_session_end(struct tb_mcp_session *session);
size_t tb_mcp_sessions_count(const struct tb_mcp_sessions *sessions);
/* Closes the streams on which nothing but unasked news would come. */
void tb_mcp_sessions_drain(struct tb_mcp_sessions *sessions);

/* A new stream of the session, for one request; the session's. */
struct tb_mcp_sse *tb_mcp_session_stream(struct tb_mcp_session *session);
/* The stream has ended. What it said is kept for a while. */
void tb_mcp_session_stream_over(struct tb_mcp_session *session, struct tb_mcp_sse *sse);
/* The stream of that number; NULL when it is not kept (any more). */
struct tb_mcp_sse *tb_mcp_session_find_stream(struct tb_mcp_session *session, uint64_t stream);
/* The stream for what is sent unasked, made when it is first asked for. */
struct tb_mcp_sse *tb_mcp_session_standalone(struct tb_mcp_session *session);
