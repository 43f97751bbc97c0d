/* SPDX-License-Identifier: Apache-2.0 */
/* data: {element, selected} and the page keys. */
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const struct tb_param params[] = {
    TB_PARAM_ROW_TARGET(true),
    {.name = "values",
     .type = TB_PARAM_TEXTS,
     .required = true,
     .help = "Value or label; none: clear"},
    TB_PARAM_ROW_CHANGES(""),
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    const char *before = "Selected ";
    const struct cJSON *selected = tb_json_get(result->data, "selected");
    if (!selected) { /* a dialog opened, and the page cannot answer before it is closed */
        tb_buf_append_cstr(out, "The page has not yet said what is selected; look again later.");
        tb_print_changes(result, out);
        return;
    }
    JSON_ARRAY_FOREACH(item, selected) {
        struct tb_str label = {"", 0};
        tb_json_str(item, &label);
        tb_buf_append_cstr(out, before);
        tb_print_quoted(label, out);
        before = ", ";
    }
    tb_print_did(tb_json_first(selected) ? " in" : "Cleared the selection in", result->data, out);
    tb_print_changes(result, out);
}

const struct tb_tool tb_tool_browser_select = {
    .name = "browser_select",
    .title = "Select",
    .description = "Select options, replacing the current selection.",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_IDEMPOTENT | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_SELECT,
    .print = print,
};
