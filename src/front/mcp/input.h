/* SPDX-License-Identifier: Apache-2.0 */
/* Asking a modern client for something in the middle of a call. The answer to the call says what is
 * needed (resultType input_required); the client makes the call again with what it has found out,
 * and with a state that only we can read. Nothing is kept here between the two. Allowed on
 * tools/call, prompts/get and resources/read. */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "front/mcp/request.h"

/* One thing to ask for; a table ends with a NULL key. */
struct tb_mcp_input {
    const char *key;
    const char *method; /* "elicitation/create", "sampling/createMessage", "roots/list" */
    const char *params; /* JSON */
};

/* Answers the request with these questions, without those that the client has not declared to
 * understand. `state` may be empty. When nothing can be asked it is an error. The request is gone
 * afterwards. */
void tb_mcp_input_ask(struct tb_mcp_req *req, const struct tb_mcp_input *inputs,
                      struct tb_str state);
/* What the client says to a question: an object; NULL when it says nothing that can be used. */
const struct cJSON *tb_mcp_input_response(struct tb_mcp_req *req, const char *key);
/* Appends the state that came back. 0, also when there was none; TB_E_INVALID when it is not ours,
 * was changed, belongs to another call, or was used before. */
int tb_mcp_input_state(struct tb_mcp_req *req, struct tb_buf *out);
