/* SPDX-License-Identifier: Apache-2.0 */
/* Telling clients of changes: legacy peers that subscribed to a resource, and modern ones with an
 * open subscriptions/listen. The bus is listened to only while somebody wants to know. */
#pragma once

#include "front/mcp/peer.h"

struct tb_mcp;

/* There is one more to be told something unasked, or one less. */
void tb_mcp_peers_changed(struct tb_mcp *mcp);
/* Forgets what the peer wants to hear of. */
void tb_mcp_interests_clear(struct tb_mcp_peer *peer);
/* The request's peer is about to get the list of its tools. */
void tb_mcp_tools_listed(struct tb_mcp_req *req);
/* A call has ended: another session may be the one that the caller means, with other tools. */
void tb_mcp_call_ended(const struct tb_mcp_req *req);
/* One of our lists ("tools", "prompts") is another one now. */
void tb_mcp_list_changed(struct tb_mcp *mcp, const char *list);
/* The daemon stops: every subscriptions/listen gets its answer. */
void tb_mcp_listens_end(struct tb_mcp *mcp);
