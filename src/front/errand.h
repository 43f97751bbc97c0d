/* SPDX-License-Identifier: Apache-2.0 */
/* An errand: one call of a tool for one HTTP request, for fronts that answer each call by one
 * reply. It makes the caller from the request, reads the arguments, and cancels the call when the
 * client leaves.
 *
 *   begun --the call is done--> answered
 *     '--the client leaves: the call is cancelled, nobody is told; unless the request has an
 *        Idempotency-Key, by which the client may come back for the answer */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"
#include "core/call.h"
#include "core/front.h"

struct tb_errand_reply {
    int status;
    const char *type; /* of the body; constant */
    struct tb_buf body;
};

/* Makes the reply, in the front's form. */
typedef void tb_errand_fn(const struct tb_answer *answer, const struct tb_result *result,
                          struct tb_errand_reply *ret_reply);

struct tb_errand_wish {
    struct tb_str name;         /* of the tool ... */
    const struct tb_tool *tool; /* ... or the tool itself; NULL */
    struct tb_view *view;       /* NULL: everything */
    struct tb_str session;      /* that the address names; empty: none */
    struct tb_str args;         /* JSON, as it came, or empty */
    const char *conversation;   /* empty: none */
    bool whole;                 /* as of struct tb_caller */
    tb_errand_fn *answer;
};

/* The conversation that the usual header names. TB_E_PARAMS: it is too long. */
int tb_errand_conversation(const struct tb_front_req *req,
                           char ret_conversation[TB_CONVERSATION_SIZE], struct tb_err *err);
/* Begins it, and the request is answered later; or a failure, and it is not answered yet. The route
 * ends by tb_errand_gone. */
int tb_errand_begin(struct tb_front_req *req, const struct tb_errand_wish *wish,
                    struct tb_err *err);
/* Of the route. */
void tb_errand_gone(struct tb_front_req *req);
