/* SPDX-License-Identifier: Apache-2.0 */
/* data: {waited_ms, element} and the page keys. */
#include <inttypes.h>

#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const states[] = {"visible", "hidden", "attached", "detached", NULL};

static const char *const gone_aliases[] = {"textGone", NULL};

static const char *const time_habits[] = {"time", "time_ms, in milliseconds,", NULL};

static const struct tb_param params[] = {
    TB_PARAM_ROW_TARGET(false),
    {.name = "state",
     .type = TB_PARAM_CHOICE,
     .help = "Of target",
     .choices = states,
     .fallback = "visible"},
    {.name = "text", .type = TB_PARAM_TEXT, .help = "Must appear"},
    {.name = "text_gone", .type = TB_PARAM_TEXT, .help = "", .aliases = gone_aliases},
    {.name = "url", .type = TB_PARAM_TEXT, .help = "Part or * pattern"},
    {.name = "time_ms",
     .type = TB_PARAM_INT,
     .help = "",
     .habits = time_habits,
     .min = 0,
     .max = TB_CALL_TIMEOUT_MAX_MS},
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    tb_buf_printf(out, "Waited %" PRId64 " ms", tb_data_int(result->data, "waited_ms"));
    tb_print_did(tb_json_get(result->data, "element") ? "; found" : "", result->data, out);
    tb_print_changes(result, out);
}

const struct tb_tool tb_tool_browser_wait = {
    .name = "browser_wait",
    .title = "Wait",
    .description = "Wait until all given conditions hold.",
    .flags = TB_TOOL_READ_ONLY | TB_TOOL_IDEMPOTENT | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_WAIT,
    .print = print,
};
