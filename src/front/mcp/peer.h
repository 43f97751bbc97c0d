/* SPDX-License-Identifier: Apache-2.0 */
/* Somebody who speaks MCP with us: a legacy session over HTTP, a connection of `tabard mcp`, or a
 * single modern request over HTTP (which is a peer of its own, since nothing may follow from one
 * request to the next).
 *
 * A peer owns its requests under way, the questions that we asked it, and the resources that it
 * wants to hear of. The transport embeds it; _fini cancels everything. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "base/list.h"
#include "core/principal.h"
#include "core/session.h"
#include "front/mcp/catalog.h"
#include "front/mcp/envelope.h"
#include "front/mcp/request.h"

struct tb_mcp;
struct tb_mcp_peer;

struct tb_mcp_peer {
    struct tb_list link; /* of mcp->peers, if it can be told something unasked */
    struct tb_mcp *mcp;
    struct tb_principal *who; /* whose calls they are; a reference */
    struct tb_live live;
    char conversation[TB_CONVERSATION_SIZE]; /* its own, where none is named */
    char session[TB_NAME_SIZE]; /* that it came for, as its address has it; empty: none */
    bool passing;               /* nobody can come back to it after a restart */
    struct tb_view *view;       /* a reference */
    struct tb_list requests;
    size_t request_count;
    char brings[TB_ID_SIZE]; /* the session that brings it tools, as it was told; empty: none */
    /* Legacy, from `initialize` on. */
    bool introduced;
    enum tb_mcp_version version;
    unsigned capabilities; /* see tb_mcp_capabilities */
    char agent[TB_AGENT_SIZE];
    int log_level;
    struct tb_list asks;
    uint64_t ask_count;
    struct tb_list interests; /* resources, see subscriptions.c */
    size_t interest_count;
    /* Sends something unasked; NULL where that is not possible. */
    void (*notify)(struct tb_mcp_peer *peer, struct tb_str message);
};

/* `revoked` ends it, from the loop, when its credential is. */
void tb_mcp_peer_init(struct tb_mcp_peer *peer, struct tb_mcp *mcp, struct tb_principal *who,
                      struct tb_view *view, void (*revoked)(struct tb_live *live));
void tb_mcp_peer_fini(struct tb_mcp_peer *peer);
/* From now on it can be told something unasked. */
void tb_mcp_peer_listens(struct tb_mcp_peer *peer,
                         void (*notify)(struct tb_mcp_peer *peer, struct tb_str message));
/* A message whose version is known. `out` is used for a request only, and until its answer. */
void tb_mcp_peer_receive(struct tb_mcp_peer *peer, const struct tb_mcp_message *message,
                         struct tb_mcp_out *out);
/* One of a peer with a line of its own (stdio, WebSocket): of either era, or a batch where the
 * peer's version has them. What is wrong with it is answered. */
void tb_mcp_peer_receive_text(struct tb_mcp_peer *peer, struct tb_str text, struct tb_mcp_out *out);
/* The same of one that tb_mcp_message_parse has taken, with what its transport says of it. */
void tb_mcp_peer_receive_whole(struct tb_mcp_peer *peer, struct tb_str text,
                               struct tb_mcp_message *message, struct tb_mcp_out *out);
/* "claude-code 2.1", of clientInfo; empty when it says nothing. Self-reported: for the records, not
 * for decisions. lifecycle.c */
void tb_mcp_agent_name(const struct cJSON *client_info, char ret_agent[TB_AGENT_SIZE]);
/* How many of this credential come by the transport that has this `notify`. */
size_t tb_mcp_peers_count(const struct tb_mcp *mcp, const struct tb_principal *who,
                          void (*notify)(struct tb_mcp_peer *peer, struct tb_str message));
/* The peer in its own conversation. */
struct tb_caller tb_mcp_peer_caller(const struct tb_mcp_peer *peer);
/* Becomes a member of the session that it came for, if that has members. All sessions are known.
 * TB_E_SESSION_NOT_FOUND and the like, TB_E_LIMIT. */
int tb_mcp_peer_join(const struct tb_mcp_peer *peer, struct tb_err *err);
/* It ends when all is answered, and a subscription has no end of its own: all of them are
 * cancelled. */
void tb_mcp_peer_end_listens(struct tb_mcp_peer *peer);
/* Its conversation is over: the sessions of it end, if the configuration says so. */
void tb_mcp_peer_left(struct tb_mcp_peer *peer);

/* ask.c: requests of ours to a legacy client, on behalf of one of its own. `fn` gets the result, or
 * NULL when the client answered with an error; it does not come when the request ends before. */
typedef void tb_mcp_ask_fn(struct tb_mcp_req *req, const struct cJSON *result);
void tb_mcp_ask(struct tb_mcp_req *req, const char *method, struct tb_str params,
                tb_mcp_ask_fn *fn);
void tb_mcp_ask_answered(struct tb_mcp_peer *peer, const struct tb_jsonrpc *rpc);
/* Tells the client that nobody wants its answer any more. */
void tb_mcp_ask_withdraw(struct tb_mcp_req *req);
/* Forgets the questions asked for this request. */
void tb_mcp_ask_forget(struct tb_mcp_req *req);
