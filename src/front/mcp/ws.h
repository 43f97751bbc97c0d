/* SPDX-License-Identifier: Apache-2.0 */
/* MCP over a WebSocket: each message is one text frame, and both eras may be spoken. A connection
 * is one peer and one conversation, which ends with it. `?session=` names the session that its
 * calls mean; if that is a page's, the connection ends with it.
 *
 *   asked -> (the session is looked up) -> open -> closed
 *     '--the client leaves; a bad query--> answered by HTTP */
#pragma once

#include "core/front.h"

struct tb_mcp;

void tb_mcp_ws_open(struct tb_front_req *front);
void tb_mcp_ws_gone(struct tb_front_req *front);
/* Those who came for this page's session close once their requests are answered, unless they have
 * chosen another one. */
void tb_mcp_ws_session_ended(struct tb_mcp *mcp, const char *session_id);
/* The daemon stops: each closes once its requests are answered. */
void tb_mcp_ws_drain(struct tb_mcp *mcp);
/* Closes all at once. */
void tb_mcp_ws_stop(struct tb_mcp *mcp);
