/* SPDX-License-Identifier: Apache-2.0 */
/* A request that is answered when its session has come somewhere. */
#include <string.h>

#include "core/config.h"
#include "core/core.h"
#include "front/reply.h"
#include "front/rest/act.h"

static const struct tb_session *find(const struct tb_act *act)
{
    return tb_sessions_reach(act->req->core->sessions, &act->caller, tb_str_of(act->session_id));
}

void tb_act_stop_awaiting(struct tb_act *act)
{
    tb_bus_unsubscribe(&act->awaits.bus);
    tb_deferred_cancel(&act->awaits.look);
    tb_timer_fini(&act->awaits.patience);
}

static void answer(struct tb_act *act, int status)
{
    const struct tb_session *session = find(act);
    tb_act_stop_awaiting(act);
    if (!session) {
        tb_reply_error(act->req, TB_E_SESSION_ENDED, "the session has ended");
        return;
    }
    act->status = status;
    tb_session_describe(session, &act->caller, &act->json);
    tb_act_finish(act);
}

static void on_look(struct tb_deferred *job)
{
    struct tb_act *act = TB_CONTAINER(job, struct tb_act, awaits.look);
    const struct tb_session *session = find(act);
    struct tb_err err;
    int rc = 1;
    if (session) {
        const struct tb_session_info info = tb_session_info(session);
        rc = act->awaits.is_there(&info, &err);
    }
    if (rc < 0) {
        tb_act_stop_awaiting(act);
        tb_reply_error(act->req, err.code, err.text);
    } else if (rc > 0) {
        answer(act, 200);
    }
}

/* What is told of a session may be told in the midst of what is done to it. */
static void on_event(const struct tb_event *event, void *user)
{
    struct tb_act *act = user;
    if (strcmp(event->session_id, act->session_id) == 0) {
        tb_loop_defer(act->req->core->loop, &act->awaits.look);
    }
}

static void on_late(struct tb_timer *timer, void *user)
{
    (void)timer;
    answer(user, 202);
}

void tb_act_await(struct tb_act *act, tb_act_arrived_fn *is_there)
{
    struct tb_core *core = act->req->core;
    struct tb_act_awaits *awaits = &act->awaits;
    awaits->is_there = is_there;
    awaits->look.run = on_look;
    awaits->bus = (struct tb_subscriber){.fn = on_event, .user = act};
    tb_bus_subscribe(&core->bus, &awaits->bus);
    tb_timer_init(&awaits->patience, core->loop, on_late, act);
    tb_timer_start(&awaits->patience, core->config->browser_timeout_ms);
    tb_loop_defer(core->loop, &awaits->look);
}
