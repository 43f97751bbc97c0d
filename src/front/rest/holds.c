/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/holds.h"

#include <stdio.h>
#include <string.h>

#include "core/args.h"
#include "core/core.h"
#include "core/session_hold.h"
#include "front/reply.h"
#include "front/rest/act.h"
#include "front/rest/state.h"

enum {
    USUAL_MS = 10 * 60 * 1000,
};

struct hold {
    struct tb_list link; /* of the front's */
    struct tb_holder holder;
    struct tb_principal *who; /* a reference */
    struct tb_live live;
    struct tb_timer timer;
    char session_id[TB_ID_SIZE];
};

static void hold_free(struct hold *hold)
{
    tb_list_remove(&hold->link);
    tb_list_remove(&hold->live.link);
    tb_timer_fini(&hold->timer);
    tb_principal_unref(hold->who, "hold");
    tb_free(hold);
}

static void hand_back(struct hold *hold, const char *said)
{
    tb_session_release(&hold->holder, said);
    hold_free(hold);
}

static void on_late(struct tb_timer *timer, void *user)
{
    (void)timer;
    hand_back(user, NULL);
}

static void on_revoked(struct tb_live *live)
{
    hand_back(TB_CONTAINER(live, struct hold, live), NULL);
}

static void on_held(struct tb_holder *holder)
{
    (void)holder; /* whoever asked hears of it by the bus */
}

static void on_over(struct tb_holder *holder, const struct tb_err *why)
{
    (void)why;
    hold_free(TB_CONTAINER(holder, struct hold, holder));
}

static struct hold *find(const struct tb_act *act)
{
    const struct tb_rest *rest = act->req->state;
    LIST_FOREACH(link, &rest->holds.list) {
        struct hold *hold = TB_CONTAINER(link, struct hold, link);
        if (strcmp(hold->session_id, tb_session_info(act->session).id) == 0) {
            return hold;
        }
    }
    return NULL;
}

static struct hold *hold_new(const struct tb_act *act)
{
    struct tb_rest *rest = act->req->state;
    struct tb_principal *who = act->caller.who;
    struct hold *hold = TB_NEW(struct hold);
    hold->who = tb_principal_ref(who, "hold");
    hold->holder = (struct tb_holder){.who = who->label[0] ? who->label : tb_principal_name(who),
                                      .held = on_held,
                                      .over = on_over};
    hold->live.revoked = on_revoked;
    tb_principal_add_live(who, &hold->live);
    tb_timer_init(&hold->timer, act->req->core->loop, on_late, hold);
    snprintf(hold->session_id, sizeof(hold->session_id), "%s", tb_session_info(act->session).id);
    tb_list_append(&rest->holds.list, &hold->link);
    return hold;
}

static int is_held(const struct tb_session_info *info, struct tb_err *err)
{
    (void)err;
    return info->held;
}

static void take_over(struct tb_act *act)
{
    struct hold *hold = find(act);
    struct tb_err err = {0};
    TB_AUTO(tb_json_free) struct cJSON *body = NULL;
    if (tb_act_body(act, &body, &err) < 0) {
        tb_reply_error(act->req, err.code, err.text);
        return;
    }
    bool is_new = !hold || hold->who != act->caller.who;
    hold = is_new ? hold_new(act) : hold;
    if (is_new && tb_session_hold(act->session, &hold->holder, &err) < 0) {
        hold_free(hold);
        tb_reply_error(act->req, err.code, err.text);
        return;
    }
    tb_timer_start(&hold->timer, tb_args_int(body, "for_ms", USUAL_MS));
    tb_act_await(act, is_held);
}

static int is_free(const struct tb_session_info *info, struct tb_err *err)
{
    (void)err;
    return !info->held;
}

static void release(struct tb_act *act)
{
    struct hold *hold = find(act);
    struct tb_err err;
    TB_AUTO(tb_json_free) struct cJSON *body = NULL;
    if (tb_act_body(act, &body, &err) < 0) {
        tb_reply_error(act->req, err.code, err.text);
    } else if (!hold) {
        tb_reply_error_hint(act->req, TB_E_NOT_POSSIBLE, "nobody holds this session by REST",
                            "Whoever has taken it over hands it back where they did so.");
    } else if (hold->who != act->caller.who && !tb_principal_may(act->caller.who, TB_SCOPE_ADMIN)) {
        tb_reply_error(act->req, TB_E_FORBIDDEN, "somebody else has taken over this session");
    } else {
        TB_AUTO(tb_free) char *said = tb_str_dup(tb_args_text(body, "note", ""));
        tb_act_await(act, is_free);
        hand_back(hold, said);
    }
}

void tb_rest_session_hold(struct tb_front_req *req)
{
    tb_act_begin(req, 0, take_over);
}

void tb_rest_session_release(struct tb_front_req *req)
{
    tb_act_begin(req, 0, release);
}

void tb_rest_holds_init(struct tb_rest_holds *holds)
{
    tb_list_init(&holds->list);
}

void tb_rest_holds_free(struct tb_rest_holds *holds)
{
    while (!tb_list_empty(&holds->list)) {
        hand_back(TB_CONTAINER(holds->list.next, struct hold, link), NULL);
    }
}
