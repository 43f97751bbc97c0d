/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of a peer with a line of its own (stdio, WebSocket): each comes as text, of either era,
 * and names no version and no session besides. */
#pragma once

#include "base/str.h"
#include "front/mcp/peer.h"

/* One message, or a batch where the peer's version has them. What is wrong with it is answered. */
void tb_mcp_text_receive(struct tb_mcp_peer *peer, struct tb_str text, struct tb_mcp_out *out);
