/* SPDX-License-Identifier: Apache-2.0 */
/* data: {element} with a target, {unfinished} when the page was left before there was a value, and
 * the page keys; text: the value as JSON. */
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const script_aliases[] = {"function", "expression", "code", NULL};

static const struct tb_param params[] = {
    {.name = "script",
     .type = TB_PARAM_TEXT,
     .required = true,
     .help = "Expression, function (el => el.value) or body with return",
     .aliases = script_aliases},
    {.name = "target",
     .type = TB_PARAM_TEXT,
     .help = "Passed to the function",
     .aliases = tb_target_aliases,
     .remarks = tb_target_remarks},
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    tb_print_json(tb_buf_str(&result->text), TB_PRINT_VALUE_MAX, "let the script return less", out);
}

static void print_aside(const struct tb_result *result, struct tb_buf *out)
{
    if (tb_data_flag(result->data, "unfinished")) {
        tb_buf_append_cstr(out, "The page was left before the script returned a value; the rest "
                                "of the script did not run.");
    }
    tb_print_changes(result, out);
}

const struct tb_tool tb_tool_browser_evaluate = {
    .name = "browser_evaluate",
    .title = "Run JavaScript",
    .description = "Run JavaScript in the page. Returns the value as JSON.",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_EVALUATE,
    .print = print,
    .print_aside = print_aside,
};
