/* SPDX-License-Identifier: Apache-2.0 */
/* data: {action, x, y} and the page keys. */
#include "base/quote.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const actions[] = {"click", "move", "down", "up", "wheel", NULL};

static const struct tb_param params[] = {
    {.name = "action",
     .type = TB_PARAM_CHOICE,
     .help = "",
     .choices = actions,
     .fallback = "click"},
    {.name = "x", .type = TB_PARAM_NUMBER, .required = true, .help = ""},
    {.name = "y", .type = TB_PARAM_NUMBER, .required = true, .help = ""},
    {.name = "button",
     .type = TB_PARAM_CHOICE,
     .help = "",
     .choices = tb_button_choices,
     .fallback = "left"},
    {.name = "count", .type = TB_PARAM_INT, .help = "", .fallback = "1", .min = 1, .max = 3},
    {.name = "delta_x", .type = TB_PARAM_NUMBER, .help = "For wheel"},
    {.name = "delta_y", .type = TB_PARAM_NUMBER, .help = "For wheel"},
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    double x = 0;
    double y = 0;
    tb_json_num(tb_json_get(result->data, "x"), &x);
    tb_json_num(tb_json_get(result->data, "y"), &y);
    tb_buf_append_cstr(out, "Mouse ");
    tb_quote_bare(tb_data_text(result->data, "action"), TB_PRINT_NAME_MAX, out);
    tb_buf_printf(out, " at %.0f, %.0f.", x, y);
    tb_print_changes(result, out);
}

const struct tb_tool tb_tool_browser_mouse = {
    .name = "browser_mouse",
    .title = "Mouse",
    .description =
        "Mouse by coordinates: CSS pixels from the top left corner of the view. For canvases and maps; "
        "elsewhere use browser_click.",
    .group = "pointer",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_MOUSE,
    .print = print,
};
