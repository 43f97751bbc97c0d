/* SPDX-License-Identifier: Apache-2.0 */
/* data, and the same as text: {sessions: [{sessionId, type, capabilities, …}], currentSession}. */
#include "core/call.h"
#include "core/core.h"
#include "tool/tools.h"

static void run(struct tb_call *call)
{
    struct tb_result *out = tb_call_out(call);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &out->text);
    tb_sessions_list(tb_call_core(call)->sessions, tb_call_caller(call), &json);
    if (json.rc < 0) {
        tb_result_fail(out, json.rc, "the list of sessions is too long");
    } else {
        tb_json_free(out->data);
        out->data = tb_json_parse(tb_buf_str(&out->text));
    }
    tb_call_finish(call);
}

const struct tb_tool tb_tool_list_sessions = {
    .name = "list_sessions",
    .title = "List sessions",
    .description = "List all active browser and app sessions",
    .flags = TB_TOOL_NO_SESSION | TB_TOOL_READ_ONLY | TB_TOOL_IDEMPOTENT,
    .op = TB_OP_NONE,
    .run = run,
};
