/* SPDX-License-Identifier: Apache-2.0 */
/* data: {url, title, truncated, diff, unchanged, undiffed: first, most or part} and the page keys;
 * text: the outline. */
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const struct tb_param params[] = {
    {.name = "target",
     .type = TB_PARAM_TEXT,
     .help = "Only this part",
     .aliases = tb_target_aliases,
     .remarks = tb_target_remarks},
    {.name = "depth", .type = TB_PARAM_INT, .help = "", .min = 1, .max = 1000},
    {.name = "interactive", .type = TB_PARAM_FLAG, .help = "Only actionable elements"},
    {.name = "find", .type = TB_PARAM_TEXT, .help = "Lines around this text"},
    {.name = "diff", .type = TB_PARAM_FLAG, .help = "Only changes since the last one"},
    {.name = "max_chars",
     .type = TB_PARAM_INT,
     .help = "",
     .fallback = "20000",
     .min = 200,
     .max = 500000},
    TB_PARAM_ROW_END,
};

/* Changes were asked for, and this is no list of them. */
static void print_undiffed(struct tb_str why, struct tb_buf *out)
{
    if (tb_str_eq_cstr(why, "first")) {
        tb_buf_append_cstr(out,
                           "There is no earlier snapshot of the whole page to compare with, so "
                           "this is all of it. ");
    } else if (tb_str_eq_cstr(why, "most")) {
        tb_buf_append_cstr(
            out, "Most of the page has changed since the last snapshot, so this is all of it. ");
    } else if (why.len) {
        tb_buf_append_cstr(out, "Only snapshots of the whole page are compared. ");
    }
}

static void print(const struct tb_result *result, struct tb_buf *out)
{
    struct tb_page_text page;
    if (tb_data_flag(result->data, "unchanged")) {
        tb_buf_append_cstr(out, "No change since the last snapshot of ");
        tb_print_address(result->data, out);
        tb_buf_append_cstr(out, "; its refs are still valid.");
        tb_print_events(result, out);
        return;
    }
    if (tb_data_flag(result->data, "diff")) {
        tb_buf_append_cstr(out, "Changes since the last snapshot. ");
    }
    print_undiffed(tb_data_text(result->data, "undiffed"), out);
    tb_print_frame(result->data, &page, out);
    tb_buf_append_str(out, tb_buf_str(&result->text));
    tb_print_page_close(&page, out);
    tb_print_events(result, out);
}

const struct tb_tool tb_tool_browser_snapshot = {
    .name = "browser_snapshot",
    .title = "Snapshot",
    .description =
        "Outline of the page: roles, names, states, and a ref (e12) for what can be acted on. "
        "Refs stay valid until the page navigates.",
    .flags = TB_TOOL_READ_ONLY | TB_TOOL_IDEMPOTENT | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_SNAPSHOT,
    .print = print,
};
