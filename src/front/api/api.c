/* SPDX-License-Identifier: Apache-2.0 */
#include "front/api/api.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/quote.h"
#include "core/config.h"
#include "core/core.h"
#include "core/gate.h"
#include "core/limits.h"
#include "core/resolve.h"
#include "core/sessions.h"
#include "front/guard.h"
#include "front/reply.h"
#include "front/target.h"
#include "io/timer.h"
#include "proto/json_iter.h"
#include "proto/json_scan.h"

enum {
    LIST_MAX = 64 * TB_MIB,
};

/* The state of the front. */
struct api {
    struct tb_list clearings; /* of the audit log, under way */
};

/* A request that changes something, until it is answered. */
struct act {
    struct tb_resolve_ask ask;  /* for the session of {id}, or for all of them */
    struct tb_session *session; /* while `run` runs; NULL: it is for none */
    void (*run)(struct act *act);
    struct tb_gate gate;
    struct tb_front_req *req;
    char target[TB_CONVERSATION_SIZE];       /* {id} of the path */
    char conversation[TB_CONVERSATION_SIZE]; /* of the caller */
    struct tb_caller caller;                 /* points into this */
    struct tb_buf body;
    struct tb_json_writer json;
    bool done;             /* only the gate is waited for */
    struct tb_timer timer; /* until when it is, or the sessions are */
};

static void answer(struct act *act)
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
        tb_reply_json(act->req, 200, tb_buf_str(&act->body));
    }
}

static void on_open(struct tb_gate *gate)
{
    answer(TB_CONTAINER(gate, struct act, gate));
}

/* The disk does not answer, and the caller has waited as long as for a call. */
static void on_deadline(struct tb_timer *timer, void *user)
{
    struct act *act = user;
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

static void begin_to_wait(struct act *act)
{
    const struct tb_config *config = act->req->core->config;
    tb_timer_start(&act->timer, config->browser_timeout_ms + TB_CALL_GRACE_MS);
}

static void finish(struct act *act)
{
    act->done = true;
    begin_to_wait(act);
    answer(act);
}

static void gone(struct tb_front_req *req)
{
    struct act *act = req->user;
    if (act) {
        tb_resolve_cancel(&act->ask);
        tb_timer_fini(&act->timer);
        tb_gate_fini(&act->gate);
        tb_buf_fini(&act->body);
        tb_free(act);
    }
}

static struct act *act_new(struct tb_front_req *req)
{
    struct act *act = TB_NEW(struct act);
    tb_gate_init(&act->gate, on_open);
    tb_buf_init(&act->body, LIST_MAX);
    tb_json_writer_init(&act->json, &act->body);
    tb_timer_init(&act->timer, req->core->loop, on_deadline, act);
    act->req = req;
    act->caller = (struct tb_caller){
        .who = req->who,
        .conversation = act->conversation,
    };
    req->user = act;
    return act;
}

static int read_target(struct act *act, struct tb_err *err)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(sizeof(act->target) - 1);
    if (tb_target_segment(act->req->args[0], &text) < 0) {
        return tb_fail(err, TB_E_NOT_FOUND, "the id in the address is malformed");
    }
    snprintf(act->target, sizeof(act->target), "%.*s", TB_STR_ARG(tb_buf_str(&text)));
    return 0;
}

/* There is no such session, or it could not be looked for. */
static void refuse(struct act *act, const struct tb_err *err)
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
    struct act *act = TB_CONTAINER(ask, struct act, ask);
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

static int read_request(struct act *act, struct tb_err *err)
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

/* Says what the request is about and runs it, when its session (or with TB_RESOLVE_NONE all of
 * them) is found. */
static void begin(struct tb_front_req *req, unsigned flags, void (*run)(struct act *act))
{
    struct act *act = act_new(req);
    struct tb_place place;
    struct tb_err err;
    if (read_request(act, &err) < 0) {
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

static void list_sessions(struct act *act)
{
    tb_sessions_list(act->req->core->sessions, &act->caller, &act->json);
    finish(act);
}

/* {"key":"text"} */
static void put_only(struct act *act, const char *key, const char *text)
{
    tb_json_object_open(&act->json);
    tb_json_member_cstr(&act->json, key, text);
    tb_json_object_close(&act->json);
}

static void close_session(struct act *act)
{
    put_only(act, "closed", tb_session_info(act->session).name);
    tb_session_close(act->session, &act->caller, &act->gate);
    finish(act);
}

/* A misspelt member would be passed over, and the caller believe that it counts. */
static int check_members(struct tb_str body, const char *only, struct tb_err *err)
{
    struct tb_json_iter iter = tb_json_iter_of(body);
    struct tb_json_item item;
    while (tb_json_iter_next(&iter, &item)) {
        struct tb_str key = tb_str_sub(item.key, 1, item.key.len - 1);
        if (!tb_str_eq_cstr(key, only)) {
            struct tb_quoted name;
            return tb_fail(err, TB_E_PARAMS, "unknown member %s; the body takes only %s",
                           tb_quoted(&name, key, 0), only);
        }
    }
    return 0;
}

/* {"ttl_ms":n}; 0, or no body: the usual time. */
static int read_ttl(struct tb_str body, int64_t *ret_ttl_ms, struct tb_err *err)
{
    static const struct tb_json_limits limits = {.depth_max = 8};
    struct tb_json_want ttl = {.key = "ttl_ms"};
    uint64_t value = 0;
    if (body.len) {
        int type = tb_json_scan(body, &limits, &ttl, 1, err);
        if (type < 0) {
            return type;
        }
        if (type != TB_JSON_OBJECT ||
            (ttl.value.type != TB_JSON_ABSENT &&
             (!tb_str_to_u64(ttl.value.text, &value) || value > UINT32_MAX))) {
            return tb_fail(err, TB_E_PARAMS,
                           "ttl_ms must be a whole number of milliseconds, at most %" PRIu32,
                           UINT32_MAX);
        }
        int rc = check_members(body, "ttl_ms", err);
        if (rc < 0) {
            return rc;
        }
    }
    *ret_ttl_ms = (int64_t)value;
    return 0;
}

static void renew_session(struct act *act)
{
    struct tb_session *session = act->session;
    struct tb_err err;
    int64_t ttl_ms = 0;
    if (read_ttl(tb_http_req_body(act->req->http), &ttl_ms, &err) < 0 ||
        tb_session_renew(session, ttl_ms, &act->caller, &act->gate, &err) < 0) {
        tb_reply_error(act->req, err.code, err.text);
        return;
    }
    tb_session_describe(session, &act->caller, &act->json);
    finish(act);
}

static void close_conversation(struct act *act)
{
    struct tb_caller caller = act->caller;
    caller.conversation = act->target;
    if (!tb_sessions_end_conversation(act->req->core->sessions, &caller, TB_END_CONVERSATION_ENDED,
                                      &act->gate)) {
        tb_reply_error(act->req, TB_E_NOT_FOUND, "no conversation of this name has a session");
        return;
    }
    put_only(act, "closed", act->target);
    finish(act);
}

/* It ends private sessions, too, which an agent never does to another. */
static void stop_all(struct act *act)
{
    if (!act->caller.everyone) {
        tb_reply_error(act->req, TB_E_FORBIDDEN,
                       "only the operator stops everything: call it without X-Conversation-Id; "
                       "close_all_sessions is for agents");
        return;
    }
    size_t count =
        tb_sessions_stop_all(act->req->core->sessions, act->caller.who->tenant, &act->gate);
    tb_json_object_open(&act->json);
    tb_json_member_int(&act->json, "stopped", (int64_t)count);
    tb_json_object_close(&act->json);
    finish(act);
}

/* The audit log is being cleared: what was there goes, that it went stays on record, also when the
 * caller has left meanwhile. */
struct clearing {
    struct tb_list link; /* of struct api */
    struct tb_core *core;
    char tenant[TB_TENANT_SIZE];
    struct tb_gate gate; /* of the cut */
    struct tb_hold hold; /* of the reply */
};

static void clearing_free(struct clearing *clearing)
{
    tb_list_remove(&clearing->link);
    tb_gate_fini(&clearing->gate);
    tb_free(clearing);
}

static void on_cut(struct tb_gate *gate)
{
    struct clearing *clearing = TB_CONTAINER(gate, struct clearing, gate);
    bool failed = gate->err.code < 0;
    if (!failed) {
        tb_bus_publish(&clearing->core->bus, &(struct tb_event){.type = TB_EVENT_AUDIT_CLEARED,
                                                                .tenant = clearing->tenant,
                                                                .session_id = "",
                                                                .gate = clearing->hold.gate});
    }
    tb_hold_release(&clearing->hold, failed ? &gate->err : NULL);
    clearing_free(clearing);
}

static void begin_clearing(struct act *act)
{
    struct api *api = act->req->state;
    struct clearing *clearing = TB_NEW(struct clearing);
    clearing->core = act->req->core;
    snprintf(clearing->tenant, sizeof(clearing->tenant), "%s", act->caller.who->tenant);
    tb_gate_init(&clearing->gate, on_cut);
    tb_gate_hold(&act->gate, &clearing->hold);
    tb_list_append(&api->clearings, &clearing->link);
    put_only(act, "cleared", "audit");
    finish(act);
    /* Not by the clock: it may have been ahead, and entries of a time to come are there. */
    tb_store_cut(&clearing->core->store, INT64_MAX, 0, &clearing->gate);
    if (!tb_gate_shut(&clearing->gate)) {
        on_cut(&clearing->gate);
    }
}

static void clear_audit(struct act *act)
{
    static const struct tb_json_limits limits = {.depth_max = 8};
    struct tb_json_want confirm = {.key = "confirm"};
    struct tb_err err;
    int type = tb_json_scan(tb_http_req_body(act->req->http), &limits, &confirm, 1, &err);
    if (type < 0 || !tb_str_eq_cstr(confirm.value.text, "true")) {
        tb_reply_error(
            act->req, TB_E_PARAMS,
            "this would delete the whole audit log; send {\"confirm\":true} to clear it");
        return;
    }
    begin_clearing(act);
}

static void on_list(struct tb_front_req *req)
{
    begin(req, TB_RESOLVE_NONE, list_sessions);
}

static void on_close(struct tb_front_req *req)
{
    begin(req, 0, close_session);
}

static void on_renew(struct tb_front_req *req)
{
    begin(req, 0, renew_session);
}

static void on_conversation_close(struct tb_front_req *req)
{
    begin(req, TB_RESOLVE_NONE, close_conversation);
}

static void on_stop_all(struct tb_front_req *req)
{
    begin(req, TB_RESOLVE_NONE, stop_all);
}

static void on_audit_clear(struct tb_front_req *req)
{
    begin(req, TB_RESOLVE_NONE, clear_audit);
}

static const struct tb_route routes[] = {
    {"GET", "/api/sessions", TB_SCOPE_OBSERVE, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = on_list, .gone = gone},
    {"POST", "/api/sessions/{id}/close", TB_SCOPE_ACT, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = on_close, .gone = gone},
    {"POST", "/api/sessions/{id}/renew", TB_SCOPE_ACT, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = on_renew, .gone = gone},
    {"POST", "/api/conversations/{id}/close", TB_SCOPE_ACT, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = on_conversation_close, .gone = gone},
    {"POST", "/api/stop-all", TB_SCOPE_ADMIN, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = on_stop_all, .gone = gone},
    /* One chain for all tenants: what is cut is everybody's. */
    {"POST", "/api/audit/clear", TB_SCOPE_OPERATE, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = on_audit_clear, .gone = gone},
};

static int start(struct tb_core *core, void **ret_state, struct tb_err *err)
{
    struct api *api = TB_NEW(struct api);
    (void)core;
    (void)err;
    tb_list_init(&api->clearings);
    *ret_state = api;
    return 0;
}

static void stop(void *state)
{
    struct api *api = state;
    LIST_FOREACH_SAFE(link, &api->clearings) {
        clearing_free(TB_CONTAINER(link, struct clearing, link));
    }
    tb_free(api);
}

const struct tb_front tb_front_api = {
    .name = "api",
    .routes = routes,
    .route_count = TB_COUNT(routes),
    .cors = &tb_guard_cors,
    .start = start,
    .stop = stop,
};
