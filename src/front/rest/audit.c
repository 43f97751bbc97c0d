/* SPDX-License-Identifier: Apache-2.0 */
#include "front/rest/audit.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/time_arg.h"
#include "core/args.h"
#include "core/audit.h"
#include "core/core.h"
#include "front/reply.h"
#include "front/rest/act.h"
#include "front/rest/state.h"
#include "proto/json_scan.h"

enum {
    LISTED = 100, /* unless the caller says how many */
};

/* Looking. */

static void put_entry(const struct tb_audit_entry *entry, void *user)
{
    struct tb_act *act = user;
    tb_audit_entry_put(entry, &act->json);
}

static void finish_list(struct tb_act *act)
{
    tb_json_array_close(&act->json);
    tb_json_object_close(&act->json);
    tb_act_finish(act);
}

static void on_end(const struct tb_err *err, void *user)
{
    struct tb_act *act = user;
    act->read = NULL;
    if (err) {
        tb_reply_error(act->req, err->code, err->text);
    } else {
        finish_list(act);
    }
}

static int read_time(const struct tb_act *act, const char *name, int64_t *ret_ms,
                     struct tb_err *err)
{
    struct tb_str text = tb_args_text(act->query, name, "");
    TB_AUTO(tb_free) char *copy = tb_str_dup(text);
    return text.len ? tb_time_arg(copy, tb_clock_wall_ms(act->req->core->clock), ret_ms, err) : 0;
}

/* Of others than its own tenant only the operator hears. */
static int read_query(const struct tb_act *act, struct tb_audit_query *ret_query,
                      struct tb_err *err)
{
    const struct cJSON *args = act->query;
    const struct tb_principal *who = act->caller.who;
    struct tb_str tenant = tb_args_text(args, "tenant", "");
    bool operates = tb_principal_may(who, TB_SCOPE_OPERATE);
    if (tenant.len && !operates && !tb_str_eq_cstr(tenant, who->tenant)) {
        return tb_fail(err, TB_E_FORBIDDEN, "only the operator sees the entries of other tenants");
    }
    *ret_query = (struct tb_audit_query){
        .after_seq = tb_args_int(args, "after", 0),
        .before_seq = tb_args_int(args, "before", 0),
        .tenant = operates ? tenant : tb_str_of(who->tenant),
        .session = tb_args_text(args, "session", ""),
        .type = tb_args_text(args, "type", ""),
        .tool = tb_args_text(args, "tool", ""),
        .text = tb_args_text(args, "text", ""),
        .newest_first = !tb_args_has(args, "after"),
        .limit = tb_args_int(args, "limit", LISTED),
    };
    int rc = read_time(act, "since", &ret_query->since_wall_ms, err);
    rc = rc < 0 ? rc : read_time(act, "until", &ret_query->until_wall_ms, err);
    return rc < 0 || !ret_query->type.len ? rc : tb_audit_check_type(ret_query->type, err);
}

static void list(struct tb_act *act)
{
    const struct tb_store *store = &act->req->core->store;
    struct tb_audit_query query;
    struct tb_err err;
    if (read_query(act, &query, &err) < 0) {
        tb_reply_error(act->req, err.code, err.text);
        return;
    }
    tb_json_object_open(&act->json);
    tb_json_key(&act->json, "entries");
    tb_json_array_open(&act->json);
    if (store->kind) {
        act->read = store->kind->audit(store->state, &query, put_entry, on_end, act);
    } else {
        finish_list(act);
    }
}

void tb_rest_audit_list(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, list);
}

/* Clearing. */

/* The audit log is being cleared: what was there goes, that it went stays on record, also when the
 * caller has left meanwhile. */
struct clearing {
    struct tb_list link; /* of the front's state */
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
    struct tb_rest *rest = act->req->state;
    struct clearing *clearing = TB_NEW(struct clearing);
    clearing->core = act->req->core;
    snprintf(clearing->tenant, sizeof(clearing->tenant), "%s", act->caller.who->tenant);
    tb_gate_init(&clearing->gate, on_cut);
    tb_gate_hold(&act->gate, &clearing->hold);
    tb_list_append(&rest->clearings.list, &clearing->link);
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

void tb_rest_audit_clear(struct tb_front_req *req)
{
    tb_act_begin(req, TB_RESOLVE_NONE, clear_audit);
}

void tb_rest_clearings_free(struct tb_rest_clearings *clearings)
{
    LIST_FOREACH_SAFE(link, &clearings->list) {
        clearing_free(TB_CONTAINER(link, struct clearing, link));
    }
}
