/* SPDX-License-Identifier: Apache-2.0 */
/* Tools by REST: which there are, and calls of them. An answer is
 *   {"ok":true,"text":"...","data":{...},"image":{"mimeType","data"},"session":"browser-1","notes":["..."]}
 * where `text` is what an agent would read, `data` what a program may rely on (of a page's tool:
 * what the page gave, as it wrote it), and what there is not is left out. A failure is a problem
 * (front/reply.h) with the same members and "ok": false. */
#pragma once

#include "core/front.h"

/* POST /api/tools/{tool}, /api/sessions/{id}/tools/{tool} */
void tb_rest_tool_call(struct tb_front_req *req);
void tb_rest_session_tool_call(struct tb_front_req *req);
/* POST /api/sessions: the tool of the kit that starts one. */
void tb_rest_session_start(struct tb_front_req *req);
/* GET /api/sessions/{id}/screenshot: the picture itself. */
void tb_rest_screenshot(struct tb_front_req *req);
/* GET /api/tools */
void tb_rest_tools_list(struct tb_front_req *req);
