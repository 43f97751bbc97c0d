/* SPDX-License-Identifier: Apache-2.0 */
/* A call that a policy lets nobody make unasked (core/approvals.h), where the client can put the
 * question to its user (elicitation).
 *
 * A legacy client is asked on the stream of its call, which waits. A modern one gets the question
 * as the answer to its call (input_required) and makes the same call again with what its user said
 * and with the requestState that names the question; the call of core waits for it meanwhile:
 *
 *   waiting -> left with the question -> back, with the answer -> goes on
 *                        '-> nobody came back in time: refused
 *
 * Whoever administers the tenant can decide at the same time; the first one counts. */
#pragma once

#include "front/mcp/request.h"

struct tb_mcp_question;

/* How core is to ask the client of this request; NULL: it cannot be asked. Before tb_mcp_req_wait.
 */
tb_call_ask_fn *tb_mcp_question_way(struct tb_mcp_req *req);
/* True if the request comes back for a call that was left; that, or an error, is its answer. */
bool tb_mcp_question_resume(struct tb_mcp_req *req);
/* NULL is passed over. */
void tb_mcp_question_free(struct tb_mcp_question *question);
/* No call comes back any more. */
void tb_mcp_questions_end(struct tb_mcp *mcp);
