/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/act.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/quote.h"
#include "core/args.h"
#include "core/config.h"
#include "core/core.h"
#include "core/limits.h"
#include "front/once.h"
#include "front/reply.h"
#include "front/rest/query.h"
#include "front/target.h"
#include "proto/json_scan.h"

enum {
    ANSWER_MAX = 64 * TB_MIB,
    PARAMS_MAX = 16, /* of a query */
    QUERY_MAX = 2 * TB_HTTP_HEAD_MAX,
};

static void answer(struct tb_act *act)
{
    if (!act->done || tb_gate_shut(&act->gate)) {
        return;
    }
    if (act->gate.err.code == 0 && act->json.rc == 0) {
        /* Whoever asks again is told this answer, which is stored before it is given. */
        tb_once_answer(tb_once_take(act->req), 0, act->status, "application/json",
                       tb_buf_str(&act->body), &act->gate);
        if (tb_gate_shut(&act->gate)) {
            return; /* and the gate comes back here */
        }
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
        tb_act_stop_awaiting(act);
        if (act->read) {
            act->req->core->store.kind->cancel(act->read);
        }
        tb_json_free(act->query);
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
    tb_list_init(&act->awaits.look.link);
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
        if (act->session) {
            snprintf(act->session_id, sizeof(act->session_id), "%s",
                     tb_session_info(act->session).id);
        }
        act->run(act);
    }
}

/* Those that the address does not take are named as such; the rest is for the table. */
static int read_query(struct tb_act *act, struct tb_err *err)
{
    static const struct tb_param none[] = {{.name = NULL}};
    const struct tb_route_doc *doc = act->req->route->doc;
    const struct tb_param *table = doc && doc->query ? doc->query : none;
    struct tb_str query = tb_http_req_head(act->req->http)->query;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(QUERY_MAX);
    const char *known[PARAMS_MAX + 1] = {NULL};
    for (size_t i = 0; i < PARAMS_MAX && table[i].name; i++) {
        known[i] = table[i].name;
    }
    int rc = tb_target_check_query(query, known, err);
    rc = rc < 0 ? rc : tb_rest_query_json(query, &text, err);
    if (rc < 0) {
        return rc;
    }
    TB_AUTO(tb_json_free) struct cJSON *given = tb_json_parse(tb_buf_str(&text));
    return tb_args_check(table, given, &act->query, err);
}

static int read_request(struct tb_act *act, struct tb_err *err)
{
    const struct tb_http1_head *head = tb_http_req_head(act->req->http);
    struct tb_str conversation = tb_http1_header(head, "X-Conversation-Id");
    if (read_query(act, err) < 0) {
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

int tb_act_body(const struct tb_act *act, struct cJSON **ret_body, struct tb_err *err)
{
    static const struct tb_json_limits limits = {.depth_max = TB_ARGS_TEXT_DEPTH,
                                                 .number_max = TB_JSON_NUMBER_TREE,
                                                 .token_max = TB_ARGS_TEXT_TOKENS};
    struct tb_str text = tb_http_req_body(act->req->http);
    int type = text.len ? tb_json_scan(text, &limits, NULL, 0, err) : TB_JSON_OBJECT;
    if (type < 0) {
        return type;
    }
    if (type != TB_JSON_OBJECT) {
        return tb_fail(err, TB_E_PARAMS, "the body must be an object");
    }
    TB_AUTO(tb_json_free) struct cJSON *given = text.len ? tb_json_parse(text) : NULL;
    return tb_args_check(act->req->route->doc->body, given, ret_body, err);
}

void tb_act_put_only(struct tb_act *act, const char *key, const char *text)
{
    tb_json_object_open(&act->json);
    tb_json_member_cstr(&act->json, key, text);
    tb_json_object_close(&act->json);
}
