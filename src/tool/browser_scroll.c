/* SPDX-License-Identifier: Apache-2.0 */
/* data: {x, y, at_top, at_bottom, grown: there is more below by now, element: what was scrolled, or
 * with into_view what can be seen now; none: the page} and the page keys; only these if a dialog
 * opened before the page had told the rest. */
#include <inttypes.h>

#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const directions[] = {"up", "down", "left", "right", NULL};
static const char *const ends[] = {"top", "bottom", NULL};

static const struct tb_param params[] = {
    {.name = "target",
     .type = TB_PARAM_TEXT,
     .help = "Alone: scroll it into view; else scroll in it",
     .aliases = tb_target_aliases,
     .remarks = tb_target_remarks},
    {.name = "direction",
     .type = TB_PARAM_CHOICE,
     .help = "",
     .choices = directions,
     .fallback = "down"},
    {.name = "pixels",
     .type = TB_PARAM_INT,
     .help = "",
     .fallback = "500",
     .min = 1,
     .max = 1000000},
    {.name = "to", .type = TB_PARAM_CHOICE, .help = "Instead of direction", .choices = ends},
    TB_PARAM_ROW_END,
};

static void print_position(const struct cJSON *data, struct tb_buf *out)
{
    double x = 0;
    double y = 0;
    tb_json_num(tb_json_get(data, "x"), &x);
    tb_json_num(tb_json_get(data, "y"), &y);
    bool at_bottom = tb_data_flag(data, "at_bottom");
    tb_buf_printf(out, " Position is now %.0f, %.0f", x, y);
    tb_buf_append_cstr(out, tb_data_flag(data, "at_top") ? ", the top" : "");
    if (at_bottom && tb_data_flag(data, "grown")) {
        tb_buf_append_cstr(out, ", which was the bottom until more content loaded below");
    } else {
        tb_buf_append_cstr(out, at_bottom ? ", the bottom" : "");
    }
    tb_buf_append_char(out, '.');
}

static void print(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *data = result->data;
    bool known = tb_json_get(data, "y");
    bool whole = known && !tb_json_get(data, "element");
    tb_print_did(whole ? "Scrolled the page" : "Scrolled", data, out);
    if (tb_data_flag(data, "into_view")) {
        out->len--; /* the full stop */
        tb_buf_append_cstr(out, " into view.");
    }
    if (known) {
        print_position(data, out);
    }
    tb_print_changes(result, out);
}

const struct tb_tool tb_tool_browser_scroll = {
    .name = "browser_scroll",
    .title = "Scroll",
    .description = "Scroll the page or an element. Not needed before acting.",
    .flags = TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_SCROLL,
    .print = print,
};
