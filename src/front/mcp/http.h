/* SPDX-License-Identifier: Apache-2.0 */
/* Streamable HTTP, both eras on one address. A POST carries one message (or a batch); its answer is
 * JSON, or a stream of events when something has to be said before it or when it takes long. GET
 * and DELETE belong to legacy sessions. */
#pragma once

#include "core/front.h"
#include "front/mcp/envelope.h"
#include "front/mcp/session.h"

void tb_mcp_http_post(struct tb_front_req *front);
void tb_mcp_http_get(struct tb_front_req *front);
void tb_mcp_http_delete(struct tb_front_req *front);
void tb_mcp_http_gone(struct tb_front_req *front);

/* post.c: the answer to one POST. It lives until its answer. */

/* For a legacy session. `fresh`: it was made by this request, and the reply tells its id. */
struct tb_mcp_out *tb_mcp_post_legacy(struct tb_front_req *front, struct tb_mcp_session *session,
                                      enum tb_mcp_version version, bool fresh);
/* For a modern request, which is a peer of its own; *ret_peer. When the client leaves, the request
 * is cancelled. */
struct tb_mcp_out *tb_mcp_post_modern(struct tb_front_req *front, struct tb_view *view,
                                      struct tb_mcp_peer **ret_peer);
/* No answer is due after all: 202, or the end of the stream that was begun. */
void tb_mcp_post_accept(struct tb_mcp_out *out);
/* An error with its status, right away. */
void tb_mcp_http_fault(struct tb_front_req *front, struct tb_str id,
                       const struct tb_mcp_fault *fault);
