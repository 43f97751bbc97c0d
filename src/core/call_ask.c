/* SPDX-License-Identifier: Apache-2.0 */
/* A call that waits for a person's approval (core/approvals.h): as a whole before its session is
 * looked for, or, if it is the session's own policy that wants it or the call is a list of steps,
 * when its turn has come. */
#include "core/approvals.h"
#include "core/call_internal.h"
#include "core/core.h"
#include "core/policies.h"
#include "core/session_policy.h"
#include "core/sessions_internal.h"

static const char *name_of(const struct tb_entry *entry)
{
    if (entry->brought) {
        return entry->brought->shown;
    }
    return entry->face ? entry->face->name : entry->tool->name;
}

bool tb_call_must_ask(const struct tb_call *call, const struct tb_entry *entry)
{
    const struct tb_policy_set set =
        tb_caller_policies(call->core, call->caller.who, call->session);
    return call->core->approvals && tb_policy_asks(&set, entry->tool->name, name_of(entry));
}

static void on_decided(const struct tb_err *refusal, void *user)
{
    struct tb_call *call = user;
    void (*go_on)(struct tb_call *, const struct tb_err *) = call->asked.go_on;
    call->asked.approval = NULL;
    go_on(call, refusal);
}

void tb_call_ask(struct tb_call *call, const struct tb_entry *entry, const struct cJSON *args,
                 void (*go_on)(struct tb_call *call, const struct tb_err *refusal))
{
    const struct tb_approval_wish wish = {.tenant = call->caller.who->tenant,
                                          .session = call->session ? call->session->name : "",
                                          .agent = call->agent,
                                          .tool = name_of(entry),
                                          .args = args};
    call->asked.go_on = go_on;
    call->place.ask.awaits = "a person's approval";
    call->asked.approval = tb_approval_new(call->core->approvals, &wish, on_decided, call);
}

void tb_call_ask_end(struct tb_call *call)
{
    tb_approval_free(call->asked.approval);
    call->asked.approval = NULL;
    tb_json_free(call->asked.args);
    call->asked.args = NULL;
}
