/* SPDX-License-Identifier: Apache-2.0 */
/* data: {element, secret, differs, now} and the page keys. The value is not repeated: it may be a
 * password. */
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const value_aliases[] = {"text", NULL};
static const char *const delay_habits[] = {"slowly", "delay_ms: 50", NULL};

static const struct tb_param params[] = {
    TB_PARAM_ROW_TARGET(true),
    {.name = "value",
     .type = TB_PARAM_TEXT,
     .required = true,
     .empty = true,
     .help = "",
     .aliases = value_aliases},
    {.name = "clear_first", .type = TB_PARAM_FLAG, .help = "", .fallback = "true"},
    {.name = "delay_ms",
     .type = TB_PARAM_INT,
     .help = "",
     .habits = delay_habits,
     .min = 0,
     .max = 10000},
    {.name = "submit", .type = TB_PARAM_FLAG, .help = "Then press Enter"},
    TB_PARAM_ROW_CHANGES(""),
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    tb_print_did("Filled", result->data, out);
    tb_print_now(result->data, out);
    tb_print_changes(result, out);
}

const struct tb_tool tb_tool_browser_fill = {
    .name = "browser_fill",
    .title = "Fill",
    .description = "Fill a field. A checkbox takes true or false, a select one option.",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_FILL,
    .print = print,
};
