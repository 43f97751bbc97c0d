/* SPDX-License-Identifier: Apache-2.0 */
/* data: {element} and the page keys. */
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const struct tb_param params[] = {
    TB_PARAM_ROW_TARGET(true),
    TB_PARAM_ROW_CHANGES(""),
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    tb_print_did("The mouse is over", result->data, out);
    tb_print_changes(result, out);
}

const struct tb_tool tb_tool_browser_hover = {
    .name = "browser_hover",
    .title = "Hover",
    .description = "Move the mouse over an element.",
    .flags = TB_TOOL_IDEMPOTENT | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_HOVER,
    .print = print,
};
