/* SPDX-License-Identifier: Apache-2.0 */
/* A request of this front until it is answered: what it is about is found, `run` does it, and the
 * answer waits at the gate until all that it acknowledges is stored, though not for ever.
 *
 * A handler calls tb_act_begin; its `run` either writes the answer with act->json and ends by
 * tb_act_finish, or replies with an error itself. The route's `gone` is tb_act_gone. */
#pragma once

#include "base/buf.h"
#include "base/id.h"
#include "base/json.h"
#include "core/bus.h"
#include "core/front.h"
#include "core/gate.h"
#include "core/resolve.h"
#include "core/sessions.h"
#include "io/timer.h"

/* Whether the session has come where it is to be: 1, or 0; negative with words if it never will. */
typedef int tb_act_arrived_fn(const struct tb_session_info *info, struct tb_err *err);

/* Until a session has come somewhere: await.c. */
struct tb_act_awaits {
    tb_act_arrived_fn *is_there;
    struct tb_subscriber bus;
    struct tb_deferred look;
    struct tb_timer patience;
};

struct tb_act {
    struct tb_resolve_ask ask;  /* for the session of {id}, or for all of them */
    struct tb_session *session; /* while `run` runs; NULL: it is for none */
    void (*run)(struct tb_act *act);
    struct tb_gate gate;
    struct tb_front_req *req;
    char target[TB_CONVERSATION_SIZE];       /* {id} of the path */
    char conversation[TB_CONVERSATION_SIZE]; /* of the caller */
    struct tb_caller caller;                 /* points into this */
    struct cJSON *query;                     /* of the address, by the table of the route */
    struct tb_buf body;
    struct tb_json_writer json;
    int status;            /* of the answer, if all goes well; 200 unless `run` says otherwise */
    bool done;             /* only the gate is waited for */
    struct tb_timer timer; /* until when it is, or the sessions are */
    struct tb_act_awaits awaits;
    char session_id[TB_ID_SIZE]; /* of the session: `run` may end it */
    struct tb_store_read *read;  /* of the store, cancelled with the request; NULL: none */
};

/* Says what the request is about and runs it, when its session (or with TB_RESOLVE_NONE all of
 * them) is found. */
void tb_act_begin(struct tb_front_req *req, unsigned flags, void (*run)(struct tb_act *act));
/* The answer is written; it goes out when the gate is open. */
void tb_act_finish(struct tb_act *act);
/* The body of the request by the table of its route; the caller's. None is an empty one. */
int tb_act_body(const struct tb_act *act, struct cJSON **ret_body, struct tb_err *err);
/* The answer is the session, described when it has come to where `is_there` says so,
 * or when it does not in the time of a call: with 202 then. If it ends before, that is the answer.
 */
void tb_act_await(struct tb_act *act, tb_act_arrived_fn *is_there);
/* Also for one that awaits nothing. */
void tb_act_stop_awaiting(struct tb_act *act);
/* The answer is {"key":"text"}. */
void tb_act_put_only(struct tb_act *act, const char *key, const char *text);
/* Of the route. */
void tb_act_gone(struct tb_front_req *req);
