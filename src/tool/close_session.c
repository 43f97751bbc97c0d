/* SPDX-License-Identifier: Apache-2.0 */
/* data: {sessionId, detached, ended, private, currentSession}; private: detached, but it ends with
 * its conversation; currentSession: the current one was closed and there is another. */
#include "core/call.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const struct tb_param params[] = {
    TB_PARAM_ROW_SESSION,
    {.name = "detach", .type = TB_PARAM_FLAG, .help = "Leave it running"},
    TB_PARAM_ROW_END,
};

static void run(struct tb_call *call)
{
    struct tb_session *session = tb_call_beside(call);
    struct tb_result *out = tb_call_out(call);
    bool detach = tb_args_flag(tb_call_args(call), "detach", false);
    tb_call_about(call, session);
    tb_json_set_cstr(out->data, "sessionId", tb_session_info(session).name);
    tb_json_set_bool(out->data, "detached", detach);
    const struct tb_session *current =
        tb_session_give_up(session, tb_call_caller(call), detach, tb_call_gate(call));
    if (current) {
        tb_json_set_cstr(out->data, "currentSession", tb_session_info(current).name);
    }
    const struct tb_session_info info = tb_session_info(session);
    bool ended = info.state >= TB_SHOWN_EXPIRED;
    tb_json_set_bool(out->data, "ended", ended);
    if (info.hidden && !ended) {
        tb_json_set_bool(out->data, "private", true);
    }
    tb_call_finish(call);
}

static void print(const struct tb_result *result, struct tb_buf *out)
{
    tb_buf_append_cstr(out, "Session ");
    tb_print_quoted(tb_data_text(result->data, "sessionId"), out);
    if (!tb_data_flag(result->data, "detached")) {
        tb_buf_append_cstr(out, " is closed.");
    } else if (tb_data_flag(result->data, "ended")) {
        tb_buf_append_cstr(out, " is detached; its pages stay in the browser.");
    } else if (tb_data_flag(result->data, "private")) {
        tb_buf_append_cstr(out,
                           " is detached; it is private, so it still ends with its conversation.");
    } else {
        tb_buf_append_cstr(out,
                           " is detached; it stays open until you close it, and sleeps when idle.");
    }
    if (tb_json_get(result->data, "currentSession")) {
        tb_buf_append_cstr(out, " The current session is now ");
        tb_print_quoted(tb_data_text(result->data, "currentSession"), out);
        tb_buf_append_char(out, '.');
    }
}

const struct tb_tool tb_tool_close_session = {
    .name = "close_session",
    .title = "Close session",
    .description = "Close a session and its browser",
    .flags = TB_TOOL_NO_SESSION | TB_TOOL_BESIDE | TB_TOOL_DESTRUCTIVE | TB_TOOL_IDEMPOTENT,
    .params = params,
    .op = TB_OP_NONE,
    .run = run,
    .print = print,
};
