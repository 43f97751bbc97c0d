/* SPDX-License-Identifier: Apache-2.0 */
/* data: {element} with a target, {unfocused}, and the page keys. */
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const struct tb_param params[] = {
    {.name = "key", .type = TB_PARAM_TEXT, .help = "Enter, ArrowDown, Control+A …"},
    {.name = "text", .type = TB_PARAM_TEXT, .help = "Typed instead of key"},
    {.name = "target",
     .type = TB_PARAM_TEXT,
     .help = "To focus first",
     .aliases = tb_target_aliases,
     .remarks = tb_target_remarks},
    TB_PARAM_ROW_CHANGES(""),
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    tb_print_did(tb_json_get(result->data, "element") ? "Pressed in" : "Pressed", result->data,
                 out);
    if (tb_data_flag(result->data, "unfocused")) {
        tb_buf_append_cstr(out, " Nothing had the focus, so the input went to the page itself.");
    }
    tb_print_changes(result, out);
}

const struct tb_tool tb_tool_browser_press_key = {
    .name = "browser_press_key",
    .title = "Press key",
    .description = "Press a key or type where the focus is. For fields use browser_fill.",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_PRESS_KEY,
    .print = print,
};
