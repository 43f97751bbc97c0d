/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/act.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/quote.h"
#include "core/config.h"
#include "core/core.h"
#include "core/limits.h"
#include "front/reply.h"
#include "front/target.h"

enum {
    ANSWER_MAX = 64 * TB_MIB,
};

static void answer(struct tb_act *act)
{
    if (!act->done || tb_gate_shut(&act->gate)) {
        return;
    }
    act->done = false; /* once */
    tb_timer_stop(&act->timer);
    if (act->gate.err.code < 0) {
        tb_reply_error(act->req, act->gate.err.code, act->gate.err.text);
    } else if (act->json.rc < 0) {
        tb_reply_error(act->req, act->json.rc, "the answer is too large");
    } else {
        tb_reply_json(act->req, act->status, tb_buf_str(&act->body));
    }
}

static void on_open(struct tb_gate *gate)
{
    answer(TB_CONTAINER(gate, struct tb_act, gate));
}

/* The disk does not answer, and the caller has waited as long as for a call. */
static void on_deadline(struct tb_timer *timer, void *user)
{
    struct tb_act *act = user;
    struct tb_err err;
    (void)timer;
    tb_resolve_cancel(&act->ask);
    tb_fail(&err, TB_E_STORE, "the store does not answer%s",
            act->done ? "; the change may still be made later" : "");
    tb_gate_fail(&act->gate, &err);
    tb_gate_fini(&act->gate);
    act->done = true;
    answer(act);
}

static void begin_to_wait(struct tb_act *act)
{
    const struct tb_config *config = act->req->core->config;
    tb_timer_start(&act->timer, config->browser_timeout_ms + TB_CALL_GRACE_MS);
}

void tb_act_finish(struct tb_act *act)
{
    act->done = true;
    begin_to_wait(act);
    answer(act);
}

void tb_act_gone(struct tb_front_req *req)
{
    struct tb_act *act = req->user;
    if (act) {
        tb_resolve_cancel(&act->ask);
        tb_timer_fini(&act->timer);
        tb_gate_fini(&act->gate);
        tb_buf_fini(&act->body);
        tb_free(act);
    }
}

static struct tb_act *act_new(struct tb_front_req *req)
{
    struct tb_act *act = TB_NEW(struct tb_act);
    tb_gate_init(&act->gate, on_open);
    tb_buf_init(&act->body, ANSWER_MAX);
    tb_json_writer_init(&act->json, &act->body);
    tb_timer_init(&act->timer, req->core->loop, on_deadline, act);
    act->req = req;
    act->status = 200;
    act->caller = (struct tb_caller){
        .who = req->who,
        .conversation = act->conversation,
    };
    req->user = act;
    return act;
}

static int read_target(struct tb_act *act, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(sizeof(act->target) - 1);
    if (tb_target_segment(act->req->args[0], &text) < 0) {
        return tb_fail(err, TB_E_NOT_FOUND, "the id in the address is malformed");
    }
    snprintf(act->target, sizeof(act->target), "%.*s", TB_STR_ARG(tb_buf_str(&text)));
    return 0;
}

/* There is no such session, or it could not be looked for. */
static void refuse(struct tb_act *act, const struct tb_err *err)
{
    struct tb_quoted name;
    if (!tb_resolve_denies(err)) {
        tb_reply_error(act->req, err->code, err->text);
        return;
    }
    struct tb_err words = *err;
    if (err->code == TB_E_SESSION_NOT_FOUND) {
        tb_fail(&words, err->code, "there is no session %s",
                tb_quoted(&name, tb_str_of(act->target), 0));
    }
    tb_reply_error_hint(act->req, words.code, words.text,
                        "GET /api/sessions lists the sessions that there are.");
}

static void on_resolved(struct tb_resolve_ask *ask, const struct tb_place *place,
                        const struct tb_err *err)
{
    struct tb_act *act = TB_CONTAINER(ask, struct tb_act, ask);
    tb_timer_stop(&act->timer);
    if (err) {
        refuse(act, err);
    } else if (act->caller.who->revoked) {
        tb_reply_error(act->req, TB_E_UNAUTHORIZED, "the credential of this request was revoked");
    } else {
        act->session = place->session;
        act->run(act);
    }
}

static int read_request(struct tb_act *act, struct tb_err *err)
{
    static const char *const no_parameters[] = {NULL};
    const struct tb_http1_head *head = tb_http_req_head(act->req->http);
    struct tb_str conversation = tb_http1_header(head, "X-Conversation-Id");
    if (tb_target_check_query(head->query, no_parameters, err) < 0) {
        return err->code;
    }
    if (conversation.len >= sizeof(act->conversation)) {
        return tb_fail(err, TB_E_PARAMS, "X-Conversation-Id is too long");
    }
    snprintf(act->conversation, sizeof(act->conversation), "%.*s", TB_STR_ARG(conversation));
    /* An operator, not an agent. */
    act->caller.everyone = !conversation.len && tb_principal_may(act->caller.who, TB_SCOPE_ADMIN);
    act->caller.agent = act->caller.everyone ? TB_OPERATOR : NULL;
    return act->req->args[0].len ? read_target(act, err) : 0;
}

void tb_act_begin(struct tb_front_req *req, unsigned flags, void (*run)(struct tb_act *act))
{
    struct tb_act *act = act_new(req);
    struct tb_place place;
    struct tb_err err;
    if (read_request(act, &err) < 0) {
        tb_reply_error(req, err.code, err.text);
        return;
    }
    if (tb_rates_take(req->core, req->who, &req->retry_s, &err) < 0) {
        tb_reply_error(req, err.code, err.text);
        return;
    }
    act->run = run;
    act->ask = (struct tb_resolve_ask){.caller = &act->caller,
                                       .named = tb_str_of(act->target),
                                       .kind = tb_offer_usual.kind,
                                       .flags = flags,
                                       .gate = &act->gate,
                                       .fn = on_resolved};
    begin_to_wait(act);
    int rc = tb_resolve(req->core->sessions, &act->ask, &place, &err);
    if (rc != TB_LATER) {
        on_resolved(&act->ask, rc < 0 ? NULL : &place, rc < 0 ? &err : NULL);
    }
}

void tb_act_put_only(struct tb_act *act, const char *key, const char *text)
{
    tb_json_object_open(&act->json);
    tb_json_member_cstr(&act->json, key, text);
    tb_json_object_close(&act->json);
}
