/* SPDX-License-Identifier: Apache-2.0 */
/* HTTP+SSE, the transport of MCP 2024-11-05, which many clients still have: a GET opens a stream of
 * events, whose first one (`endpoint`) says where the client posts its messages; all that is for
 * the client comes on the stream. A stream is one peer and one conversation, which ends with it.
 *
 *   GET /mcp/sse          open -> the client leaves, or all is answered and the daemon stops
 *   POST /mcp/sse/{id}    a message for the peer of that stream: 202, or what is wrong with it */
#pragma once

#include "core/front.h"

struct tb_mcp;

void tb_mcp_http_sse_open(struct tb_front_req *front);
void tb_mcp_http_sse_post(struct tb_front_req *front);
/* The daemon stops: each ends once its requests are answered. */
void tb_mcp_http_sse_drain(struct tb_mcp *mcp);
/* Ends all at once. */
void tb_mcp_http_sse_stop(struct tb_mcp *mcp);
