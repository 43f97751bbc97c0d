/* SPDX-License-Identifier: Apache-2.0 */
/* A request of this front until it is answered: what it is about is found, `run` does it, and the
 * answer waits at the gate until all that it acknowledges is stored, though not for ever.
 *
 * A handler calls tb_act_begin; its `run` either writes the answer with act->json and ends by
 * tb_act_finish, or replies with an error itself. The route's `gone` is tb_act_gone. */
#pragma once

#include "base/buf.h"
#include "base/json.h"
#include "core/front.h"
#include "core/gate.h"
#include "core/resolve.h"
#include "core/sessions.h"
#include "io/timer.h"

struct tb_act {
    struct tb_resolve_ask ask;  /* for the session of {id}, or for all of them */
    struct tb_session *session; /* while `run` runs; NULL: it is for none */
    void (*run)(struct tb_act *act);
    struct tb_gate gate;
    struct tb_front_req *req;
    char target[TB_CONVERSATION_SIZE];       /* {id} of the path */
    char conversation[TB_CONVERSATION_SIZE]; /* of the caller */
    struct tb_caller caller;                 /* points into this */
    struct tb_buf body;
    struct tb_json_writer json;
    int status;            /* of the answer, if all goes well; 200 unless `run` says otherwise */
    bool done;             /* only the gate is waited for */
    struct tb_timer timer; /* until when it is, or the sessions are */
};

/* Says what the request is about and runs it, when its session (or with TB_RESOLVE_NONE all of
 * them) is found. */
void tb_act_begin(struct tb_front_req *req, unsigned flags, void (*run)(struct tb_act *act));
/* The answer is written; it goes out when the gate is open. */
void tb_act_finish(struct tb_act *act);
/* The answer is {"key":"text"}. */
void tb_act_put_only(struct tb_act *act, const char *key, const char *text);
/* Of the route. */
void tb_act_gone(struct tb_front_req *req);
