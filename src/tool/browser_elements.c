/* SPDX-License-Identifier: Apache-2.0 */
/* data: {total, showing, hasMore, elements: [{tagName, name, type, value, href, selector,
 * isInViewport, boundingBox}]} and the page keys. */
#include "tool/elements_table.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const struct tb_param params[] = {
    {.name = "in_viewport", .type = TB_PARAM_FLAG, .help = "Only those in view"},
    {.name = "bounds", .type = TB_PARAM_FLAG, .help = "Also where they are"},
    {.name = "limit",
     .type = TB_PARAM_INT,
     .help = "0: all",
     .fallback = "0",
     .min = 0,
     .max = 100000},
    {.name = "offset", .type = TB_PARAM_INT, .help = "", .fallback = "0", .min = 0, .max = 100000},
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    TB_AUTO(tb_buf_fini) struct tb_buf table = TB_BUF(out->max);
    tb_elements_table(result->data, &table);
    struct tb_page_text page;
    tb_print_frame(result->data, &page, out);
    tb_print_cut(tb_buf_str(&table), TB_PRINT_PAGE_MAX, "use limit and offset", out);
    tb_print_page_close(&page, out);
    tb_print_events(result, out);
}

const struct tb_tool tb_tool_browser_elements = {
    .name = "browser_elements",
    .title = "Table of elements",
    .description =
        "Table of actionable elements, each with a selector that you can keep in a test. To act "
        "right away, use browser_snapshot.",
    .group = "elements",
    .flags = TB_TOOL_READ_ONLY | TB_TOOL_IDEMPOTENT | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_ELEMENTS,
    .print = print,
};
