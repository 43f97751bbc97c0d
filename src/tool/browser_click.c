/* SPDX-License-Identifier: Apache-2.0 */
/* data: {element, unclicked: {removed, instead}, stopped: {presses, cover}} and the page keys. */
#include <inttypes.h>

#include "base/quote.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const count_habits[] = {"doubleClick", "count: 2", "dblClick", "count: 2", NULL};

static const struct tb_param params[] = {
    TB_PARAM_ROW_TARGET(true),
    {.name = "button",
     .type = TB_PARAM_CHOICE,
     .help = "",
     .choices = tb_button_choices,
     .fallback = "left"},
    {.name = "count",
     .type = TB_PARAM_INT,
     .help = "2: double click",
     .habits = count_habits,
     .min = 1,
     .max = 3},
    {.name = "modifiers",
     .type = TB_PARAM_TEXTS,
     .help = "Alt, Control, Meta, Shift, ControlOrMeta"},
    {.name = "wait_for_navigation", .type = TB_PARAM_FLAG, .help = ""},
    TB_PARAM_ROW_CHANGES("false: omit what changed"),
    TB_PARAM_ROW_END,
};

/* The mouse went down on it and up again, and yet the page received no click on it. */
static void print_pressed(const struct cJSON *data, struct tb_buf *out)
{
    const struct cJSON *unclicked = tb_json_get(data, "unclicked");
    struct tb_str instead = tb_data_text(unclicked, "instead");
    tb_print_did("Pressed", data, out);
    tb_buf_append_cstr(out, tb_data_flag(unclicked, "removed")
                                ? " The page removed it before the mouse button was released, so "
                                : " But ");
    if (instead.len) {
        tb_buf_append_cstr(out, "the click went to ");
        tb_quote_line(instead, out);
        tb_buf_append_char(out, '.');
    } else {
        tb_buf_append_cstr(out, "no click followed.");
    }
}

/* The page put something else in its place after one of several clicks. */
static void print_stopped(const struct cJSON *stopped, struct tb_buf *out)
{
    int64_t presses = tb_data_int(stopped, "presses");
    tb_buf_printf(out, " Only %" PRId64 " press%s reached it: ", presses, presses == 1 ? "" : "es");
    tb_quote_line(tb_data_text(stopped, "cover"), out);
    tb_buf_append_cstr(out, " then took its place and was not pressed.");
}

static void print(const struct tb_result *result, struct tb_buf *out)
{
    if (tb_json_get(result->data, "unclicked")) {
        print_pressed(result->data, out);
    } else {
        tb_print_did("Clicked", result->data, out);
    }
    if (tb_json_get(result->data, "stopped")) {
        print_stopped(tb_json_get(result->data, "stopped"), out);
    }
    tb_print_changes(result, out);
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
