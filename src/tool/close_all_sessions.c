/* SPDX-License-Identifier: Apache-2.0 */
/* data: {count, detached, shared}; shared: others who name no conversation had them too. */
#include <inttypes.h>

#include "core/call.h"
#include "core/core.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const struct tb_param params[] = {
    {.name = "everyone", .type = TB_PARAM_FLAG, .help = "Others' too, as admin"},
    {.name = "detach", .type = TB_PARAM_FLAG, .help = "Detach instead of terminate"},
    TB_PARAM_ROW_END,
};

/* Who may stop all over HTTP may do so here. */
static int check(const struct tb_core *core, const struct tb_caller *caller,
                 const struct cJSON *args, struct tb_err *err)
{
    (void)core;
    if (!tb_args_flag(args, "everyone", false) || tb_principal_may(caller->who, TB_SCOPE_ADMIN)) {
        return 0;
    }
    return tb_fail(err, TB_E_SCOPE,
                   "closing other agents' sessions needs the scope '%s', which this key does not "
                   "have; leave out 'everyone' to close only your own",
                   tb_scope_name(TB_SCOPE_ADMIN));
}

static void run(struct tb_call *call)
{
    struct tb_sessions *sessions = tb_call_core(call)->sessions;
    const struct tb_caller *caller = tb_call_caller(call);
    struct tb_result *out = tb_call_out(call);
    bool detach = tb_args_flag(tb_call_args(call), "detach", false);
    bool everyone = tb_args_flag(tb_call_args(call), "everyone", false);
    size_t count = tb_sessions_close_all(sessions, caller, everyone, detach, tb_call_gate(call));
    tb_json_set_int(out->data, "count", (int64_t)count);
    tb_json_set_bool(out->data, "detached", detach);
    if (!everyone && !caller->conversation[0]) {
        tb_json_set_bool(out->data, "shared", true);
    }
    tb_call_finish(call);
}

static void print(const struct tb_result *result, struct tb_buf *out)
{
    int64_t count = tb_data_int(result->data, "count");
    bool detached = tb_data_flag(result->data, "detached");
    tb_buf_printf(out, "%s %" PRId64 " session%s.", detached ? "Detached from" : "Closed", count,
                  count == 1 ? "" : "s");
    if (tb_data_flag(result->data, "shared")) {
        tb_buf_append_cstr(out, " This call names no conversation: all such callers share their "
                                "sessions and their current session.");
    }
}

const struct tb_tool tb_tool_close_all_sessions = {
    .name = "close_all_sessions",
    .title = "Close all sessions",
    .description = "Close all active sessions that belong to you",
    .flags = TB_TOOL_NO_SESSION | TB_TOOL_DESTRUCTIVE | TB_TOOL_IDEMPOTENT,
    .params = params,
    .op = TB_OP_NONE,
    .check = check,
    .run = run,
    .print = print,
};
