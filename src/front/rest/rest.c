/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/rest.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/quote.h"
#include "core/core.h"
#include "core/egress.h"
#include "core/gate.h"
#include "core/sessions.h"
#include "front/guard.h"
#include "front/reply.h"
#include "front/rest/act.h"
#include "front/rest/approvals.h"
#include "front/rest/keys.h"
#include "front/rest/policy.h"
#include "front/rest/secrets.h"
#include "proto/json_iter.h"
#include "proto/json_scan.h"

/* The state of the front. */
struct rest {
    struct tb_list clearings; /* of the audit log, under way */
};

static void list_sessions(struct tb_act *act)
{
    tb_sessions_list(act->req->core->sessions, &act->caller, &act->json);
    tb_act_finish(act);
}

static void close_session(struct tb_act *act)
{
    tb_act_put_only(act, "closed", tb_session_info(act->session).name);
    tb_session_close(act->session, &act->caller, &act->gate);
    tb_act_finish(act);
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

static void renew_session(struct tb_act *act)
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
    tb_act_finish(act);
}

static void close_conversation(struct tb_act *act)
{
    struct tb_caller caller = act->caller;
    caller.conversation = act->target;
    if (!tb_sessions_end_conversation(act->req->core->sessions, &caller, TB_END_CONVERSATION_ENDED,
                                      &act->gate)) {
        tb_reply_error(act->req, TB_E_NOT_FOUND, "no conversation of this name has a session");
        return;
    }
    tb_act_put_only(act, "closed", act->target);
    tb_act_finish(act);
}

/* It ends private sessions, too, which an agent never does to another. */
static void stop_all(struct tb_act *act)
{
    if (!act->caller.everyone) {
        tb_reply_error(
            act->req, TB_E_FORBIDDEN,
            "only the operator can stop everything: call this without X-Conversation-Id; agents "
            "use close_all_sessions");
        return;
    }
    size_t count =
        tb_sessions_stop_all(act->req->core->sessions, act->caller.who->tenant, &act->gate);
    tb_json_object_open(&act->json);
    tb_json_member_int(&act->json, "stopped", (int64_t)count);
    tb_json_object_close(&act->json);
    tb_act_finish(act);
}

/* The audit log is being cleared: what was there goes, that it went stays on record, also when the
 * caller has left meanwhile. */
struct clearing {
    struct tb_list link; /* of struct rest */
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

static void begin_clearing(struct tb_act *act)
{
    struct rest *rest = act->req->state;
    struct clearing *clearing = TB_NEW(struct clearing);
    clearing->core = act->req->core;
    snprintf(clearing->tenant, sizeof(clearing->tenant), "%s", act->caller.who->tenant);
    tb_gate_init(&clearing->gate, on_cut);
    tb_gate_hold(&act->gate, &clearing->hold);
    tb_list_append(&rest->clearings, &clearing->link);
    tb_act_put_only(act, "cleared", "audit");
    tb_act_finish(act);
    /* Not by the clock: it may have been ahead, and entries of a time to come are there. */
    tb_store_cut(&clearing->core->store, INT64_MAX, 0, &clearing->gate);
    if (!tb_gate_shut(&clearing->gate)) {
        on_cut(&clearing->gate);
    }
}

static void clear_audit(struct tb_act *act)
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
    tb_act_begin(req, TB_RESOLVE_NONE, list_sessions);
}

static void list_hosts(struct tb_act *act)
{
    tb_egress_print(act->session, &act->json);
    tb_act_finish(act);
}

static void show_session(struct tb_act *act)
{
    tb_session_dump(act->session, &act->caller, tb_str_of(act->target), &act->json);
    tb_act_finish(act);
}

static void on_show(struct tb_front_req *req)
{
    tb_act_begin(req, 0, show_session);
}

static void on_hosts(struct tb_front_req *req)
{
    tb_act_begin(req, 0, list_hosts);
}

static void on_close(struct tb_front_req *req)
{
    tb_act_begin(req, 0, close_session);
}

static void on_renew(struct tb_front_req *req)
{
    tb_act_begin(req, 0, renew_session);
}

static void on_conversation_close(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, close_conversation);
}

static void on_stop_all(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, stop_all);
}

static void on_audit_clear(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, clear_audit);
}

static const struct tb_route routes[] = {
    {"GET", "/api/sessions", TB_SCOPE_OBSERVE, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = on_list, .gone = tb_act_gone},
    {"GET", "/api/sessions/{id}", TB_SCOPE_OBSERVE, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = on_show, .gone = tb_act_gone},
    {"GET", "/api/sessions/{id}/hosts", TB_SCOPE_OBSERVE, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = on_hosts, .gone = tb_act_gone},
    {"POST", "/api/sessions/{id}/close", TB_SCOPE_ACT, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = on_close, .gone = tb_act_gone},
    {"POST", "/api/sessions/{id}/renew", TB_SCOPE_ACT, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = on_renew, .gone = tb_act_gone},
    {"POST", "/api/conversations/{id}/close", TB_SCOPE_ACT, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = on_conversation_close, .gone = tb_act_gone},
    {"POST", "/api/stop-all", TB_SCOPE_ADMIN, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = on_stop_all, .gone = tb_act_gone},
    {"GET", "/api/keys", TB_SCOPE_ADMIN, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = tb_rest_keys_list, .gone = tb_act_gone},
    {"POST", "/api/keys", TB_SCOPE_ADMIN, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = tb_rest_keys_create, .gone = tb_act_gone},
    {"DELETE", "/api/keys/{id}", TB_SCOPE_ADMIN, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = tb_rest_keys_revoke, .gone = tb_act_gone},
    {"GET", "/api/policy/{tenant}", TB_SCOPE_ADMIN, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = tb_rest_policy_get, .gone = tb_act_gone},
    {"PUT", "/api/policy/{tenant}", TB_SCOPE_ADMIN, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = tb_rest_policy_put, .gone = tb_act_gone},
    {"DELETE", "/api/policy/{tenant}", TB_SCOPE_ADMIN, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = tb_rest_policy_remove, .gone = tb_act_gone},
    {"POST", "/api/policy/{tenant}/check", TB_SCOPE_ADMIN, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = tb_rest_policy_check, .gone = tb_act_gone},
    {"GET", "/api/approvals", TB_SCOPE_ADMIN, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = tb_rest_approvals_list, .gone = tb_act_gone},
    {"POST", "/api/approvals/{id}", TB_SCOPE_ADMIN, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = tb_rest_approvals_decide, .gone = tb_act_gone},
    {"GET", "/api/secrets", TB_SCOPE_ADMIN, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = tb_rest_secrets_list, .gone = tb_act_gone},
    {"PUT", "/api/secrets/{id}", TB_SCOPE_ADMIN, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = tb_rest_secrets_set, .gone = tb_act_gone},
    {"DELETE", "/api/secrets/{id}", TB_SCOPE_ADMIN, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = tb_rest_secrets_remove, .gone = tb_act_gone},
    /* One chain for all tenants: what is cut is everybody's. */
    {"POST", "/api/audit/clear", TB_SCOPE_OPERATE, TB_CREDENTIALS_USUAL, TB_DOORS_USUAL,
     .handle = on_audit_clear, .gone = tb_act_gone},
};

static int start(struct tb_core *core, void **ret_state, struct tb_err *err)
{
    struct rest *rest = TB_NEW(struct rest);
    (void)core;
    (void)err;
    tb_list_init(&rest->clearings);
    *ret_state = rest;
    return 0;
}

static void stop(void *state)
{
    struct rest *rest = state;
    LIST_FOREACH_SAFE(link, &rest->clearings) {
        clearing_free(TB_CONTAINER(link, struct clearing, link));
    }
    tb_free(rest);
}

const struct tb_front tb_front_rest = {
    .name = "rest",
    .routes = routes,
    .route_count = TB_COUNT(routes),
    .cors = &tb_guard_cors,
    .start = start,
    .stop = stop,
};
