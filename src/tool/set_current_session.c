/* SPDX-License-Identifier: Apache-2.0 */
/* data: {currentSession}. */
#include "core/call.h"
#include "core/core.h"
#include "core/resolve.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const struct tb_param params[] = {
    {.name = "sessionId",
     .type = TB_PARAM_TEXT,
     .required = true,
     .help = "Session ID to set as current"},
    TB_PARAM_ROW_END,
};

static void run(struct tb_call *call)
{
    struct tb_sessions *sessions = tb_call_core(call)->sessions;
    const struct tb_caller *caller = tb_call_caller(call);
    struct tb_str name = tb_args_text(tb_call_args(call), "sessionId", "");
    struct tb_result *out = tb_call_out(call);
    struct tb_err err;
    if (tb_sessions_set_current(sessions, caller, name, tb_call_gate(call), &err) < 0) {
        tb_result_fail_err(out, &err);
    } else {
        /* It may have been named by its id. */
        const struct tb_session *session = tb_sessions_reach(sessions, caller, name);
        tb_json_set_cstr(out->data, "currentSession", tb_session_info(session).name);
        tb_call_about(call, session);
    }
    tb_call_finish(call);
}

static void print(const struct tb_result *result, struct tb_buf *out)
{
    tb_buf_append_cstr(out, "The current session is now ");
    tb_print_quoted(tb_data_text(result->data, "currentSession"), out);
    tb_buf_append_char(out, '.');
}

const struct tb_tool tb_tool_set_current_session = {
    .name = "set_current_session",
    .title = "Choose session",
    .description = "Set the default session for tools that omit sessionId",
    .flags = TB_TOOL_NO_SESSION | TB_TOOL_IDEMPOTENT,
    .params = params,
    .op = TB_OP_NONE,
    .run = run,
    .print = print,
};
