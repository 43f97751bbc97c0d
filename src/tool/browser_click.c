/* SPDX-License-Identifier: Apache-2.0 */
/* data: {element} and the page keys. */
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const struct tb_param params[] = {
    TB_PARAM_ROW_TARGET(true),
    {.name = "button",
     .type = TB_PARAM_CHOICE,
     .help = "",
     .choices = tb_button_choices,
     .fallback = "left"},
    {.name = "count", .type = TB_PARAM_INT, .help = "2: double click", .min = 1, .max = 3},
    {.name = "modifiers",
     .type = TB_PARAM_TEXTS,
     .help = "Alt, Control, Meta, Shift, ControlOrMeta"},
    {.name = "wait_for_navigation", .type = TB_PARAM_FLAG, .help = ""},
    TB_PARAM_ROW_CHANGES("false: omit what changed"),
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    tb_print_did("Clicked", result->data, out);
    tb_print_changes(result->data, out);
}

const struct tb_tool tb_tool_browser_click = {
    .name = "browser_click",
    .title = "Click",
    .description =
        "Click an element; waits for it, and for a navigation that follows. Returns what changed.",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_CLICK,
    .print = print,
};
