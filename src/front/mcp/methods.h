/* SPDX-License-Identifier: Apache-2.0 */
/* The methods, one file a topic; the table is in methods.c. Each answers its request, now or later,
 * exactly once. */
#pragma once

#include "front/mcp/request.h"

/* lifecycle.c */
void tb_mcp_initialize(struct tb_mcp_req *req);
void tb_mcp_discover(struct tb_mcp_req *req);
void tb_mcp_ping(struct tb_mcp_req *req);
/* logging.c */
void tb_mcp_set_level(struct tb_mcp_req *req);
/* tools.c */
void tb_mcp_tools_list(struct tb_mcp_req *req);
void tb_mcp_tools_call(struct tb_mcp_req *req);
/* For a call of this request; NULL: its client wants no progress. */
tb_call_progress_fn *tb_mcp_tools_progress(const struct tb_mcp_req *req);
/* Starts a call for the request; of `what` it takes the tool and the arguments. `done`
 * runs if somebody still waits for it. */
void tb_mcp_tools_start(struct tb_mcp_req *req, const struct tb_call_request *what,
                        void (*done)(struct tb_mcp_req *req, struct tb_call *call));
/* resources.c */
void tb_mcp_resources_list(struct tb_mcp_req *req);
void tb_mcp_templates_list(struct tb_mcp_req *req);
void tb_mcp_resources_read(struct tb_mcp_req *req);
/* prompts.c */
void tb_mcp_prompts_list(struct tb_mcp_req *req);
void tb_mcp_prompts_get(struct tb_mcp_req *req);
/* completion.c */
void tb_mcp_complete(struct tb_mcp_req *req);
/* subscriptions.c */
void tb_mcp_listen(struct tb_mcp_req *req);
void tb_mcp_subscribe(struct tb_mcp_req *req);
void tb_mcp_unsubscribe(struct tb_mcp_req *req);

/* For lists, which are always sent whole: no cursor of ours exists, so a given one is refused. True
 * if the request is still there. */
bool tb_mcp_req_without_cursor(struct tb_mcp_req *req);
