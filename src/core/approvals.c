/* SPDX-License-Identifier: Apache-2.0 */
#include "core/approvals.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/list.h"
#include "base/map.h"
#include "base/quote.h"
#include "core/core.h"
#include "core/event.h"
#include "core/limits.h"
#include "core/session.h"
#include "io/timer.h"

enum {
    ID_CHARS = 12,
};

struct tb_approvals {
    struct tb_core *core;
    struct tb_map by_id;
    struct tb_list waiting; /* oldest first */
};

struct tb_approval {
    struct tb_list link;
    struct tb_approvals *approvals;
    char id[ID_CHARS + 1];
    char tenant[TB_TENANT_SIZE];
    char session[TB_NAME_SIZE];
    char agent[TB_AGENT_SIZE];
    char tool[TB_BROUGHT_NAME_MAX + 1];
    struct cJSON *args;
    int64_t since_wall_ms;
    int64_t until_ms;
    bool decided;
    bool approved;
    bool held;             /* whoever waits for it is away */
    struct tb_timer timer; /* its end; once it is decided, the next turn */
    tb_approval_fn *fn;
    void *user;
};

struct tb_approvals *tb_approvals_new(struct tb_core *core)
{
    struct tb_approvals *approvals = TB_NEW(struct tb_approvals);
    approvals->core = core;
    tb_map_init(&approvals->by_id);
    tb_list_init(&approvals->waiting);
    return approvals;
}

void tb_approvals_free(struct tb_approvals *approvals)
{
    if (approvals) {
        tb_map_fini(&approvals->by_id);
        tb_free(approvals);
    }
}

void tb_approval_free(struct tb_approval *approval)
{
    if (!approval) {
        return;
    }
    tb_map_remove(&approval->approvals->by_id, tb_str_of(approval->id));
    tb_list_remove(&approval->link);
    tb_timer_fini(&approval->timer);
    tb_json_free(approval->args);
    tb_free(approval);
}

static void tell(const struct tb_approval *approval, enum tb_event_type type, const char *agent,
                 const char *outcome)
{
    tb_bus_publish(&approval->approvals->core->bus,
                   &(struct tb_event){.type = type,
                                      .tenant = approval->tenant,
                                      .session_id = "",
                                      .session = approval->session,
                                      .agent = agent,
                                      .tool = approval->tool,
                                      .outcome = outcome,
                                      .fields = {tb_field_cstr("approval", approval->id)}});
}

static void on_timer(struct tb_timer *timer, void *user)
{
    struct tb_approval *approval = user;
    tb_approval_fn *fn = approval->fn;
    void *owner = approval->user;
    struct tb_err err = {0};
    (void)timer;
    if (!approval->decided || approval->held) {
        tb_fail(&err, TB_E_DENIED, "%s needs a person's approval, and nobody gave it in time",
                approval->tool);
        tell(approval, TB_EVENT_APPROVAL_DECIDED, NULL, "expired");
    } else if (!approval->approved) {
        tb_fail(&err, TB_E_DENIED, "%s needs a person's approval, and it was refused",
                approval->tool);
    }
    tb_approval_free(approval);
    fn(err.code < 0 ? &err : NULL, owner);
}

struct tb_approval *tb_approval_new(struct tb_approvals *approvals,
                                    const struct tb_approval_wish *wish, tb_approval_fn *fn,
                                    void *user)
{
    struct tb_core *core = approvals->core;
    struct tb_approval *approval = TB_NEW(struct tb_approval);
    approval->approvals = approvals;
    tb_random_text(approval->id, ID_CHARS);
    snprintf(approval->tenant, sizeof(approval->tenant), "%s", wish->tenant);
    snprintf(approval->session, sizeof(approval->session), "%s", wish->session);
    snprintf(approval->agent, sizeof(approval->agent), "%s", wish->agent);
    snprintf(approval->tool, sizeof(approval->tool), "%s", wish->tool);
    approval->args = tb_json_dup(wish->args);
    approval->since_wall_ms = tb_clock_wall_ms(core->clock);
    approval->until_ms = tb_loop_now_ms(core->loop) + core->config->policy_ask_ms;
    approval->fn = fn;
    approval->user = user;
    tb_timer_init(&approval->timer, core->loop, on_timer, approval);
    tb_timer_start(&approval->timer, core->config->policy_ask_ms);
    tb_list_append(&approvals->waiting, &approval->link);
    tb_map_add(&approvals->by_id, tb_str_of(approval->id), approval);
    tell(approval, TB_EVENT_APPROVAL_WANTED, approval->agent, NULL);
    return approval;
}

static bool decides(const struct tb_principal *by, const struct tb_approval *approval)
{
    return !approval->decided &&
           (tb_principal_may(by, TB_SCOPE_OPERATE) || strcmp(by->tenant, approval->tenant) == 0);
}

int tb_approvals_find(const struct tb_approvals *approvals, const struct tb_principal *by,
                      struct tb_str id, struct tb_err *err)
{
    const struct tb_approval *approval = tb_map_get(&approvals->by_id, id);
    struct tb_quoted shown;
    return approval && decides(by, approval)
               ? 0
               : tb_fail(err, TB_E_NOT_FOUND, "no call waits for approval under the id %s",
                         tb_quoted(&shown, id, 0));
}

static void decide(struct tb_approval *approval, bool approve, const char *by)
{
    approval->decided = true;
    approval->approved = approve;
    tell(approval, TB_EVENT_APPROVAL_DECIDED, by, approve ? "approved" : "refused");
    if (!approval->held) {
        tb_timer_start(&approval->timer, 0);
    }
}

void tb_approval_answer(struct tb_approval *approval, bool approve)
{
    if (!approval->decided) {
        decide(approval, approve, "client");
    }
}

bool tb_approval_hold(struct tb_approval *approval, bool held)
{
    approval->held = held;
    if (approval->decided && !held) {
        tb_timer_start(&approval->timer, 0);
    }
    return approval->decided;
}

int tb_approvals_decide(struct tb_approvals *approvals, const struct tb_principal *by,
                        struct tb_str id, bool approve, struct tb_err *err)
{
    struct tb_approval *approval = tb_map_get(&approvals->by_id, id);
    int rc = tb_approvals_find(approvals, by, id, err);
    if (rc < 0) {
        return rc;
    }
    decide(approval, approve, tb_principal_name(by));
    return 0;
}

static void describe(const struct tb_approval *approval, struct tb_json_writer *json)
{
    int64_t left_ms = approval->until_ms - tb_loop_now_ms(approval->approvals->core->loop);
    tb_json_object_open(json);
    tb_json_member_cstr(json, "id", approval->id);
    tb_json_member_cstr(json, "tenant", approval->tenant);
    tb_json_member_cstr(json, "tool", approval->tool);
    tb_json_member_cstr(json, "session", approval->session[0] ? approval->session : NULL);
    tb_json_member_cstr(json, "agent", approval->agent[0] ? approval->agent : NULL);
    tb_json_member_tree(json, "arguments", approval->args);
    tb_json_member_int(json, "wantedAtMs", approval->since_wall_ms);
    tb_json_member_int(json, "expiresInMs", left_ms > 0 ? left_ms : 0);
    tb_json_object_close(json);
}

void tb_approvals_list(const struct tb_approvals *approvals, const struct tb_principal *by,
                       struct tb_json_writer *json)
{
    tb_json_object_open(json);
    tb_json_key(json, "approvals");
    tb_json_array_open(json);
    LIST_FOREACH(link, &approvals->waiting) {
        const struct tb_approval *approval = TB_CONTAINER(link, struct tb_approval, link);
        if (decides(by, approval)) {
            describe(approval, json);
        }
    }
    tb_json_array_close(json);
    tb_json_object_close(json);
}
