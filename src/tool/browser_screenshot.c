/* SPDX-License-Identifier: Apache-2.0 */
/* data: {width, height, bytes, scale, format, element} and the page keys; image: the picture. */
#include <inttypes.h>

#include "base/quote.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const formats[] = {"jpeg", "png", "webp", NULL};

static const char *const full_page_aliases[] = {"fullPage", NULL};
static const char *const format_aliases[] = {"type", NULL};

static const double READABLE_SCALE = 0.5; /* of text in the usual sizes */

static const struct tb_param params[] = {
    {.name = "target",
     .type = TB_PARAM_TEXT,
     .help = "Only this element",
     .aliases = tb_target_aliases,
     .remarks = tb_target_remarks},
    {.name = "full_page", .type = TB_PARAM_FLAG, .help = "", .aliases = full_page_aliases},
    {.name = "format",
     .type = TB_PARAM_CHOICE,
     .help = "",
     .choices = formats,
     .aliases = format_aliases,
     .fallback = "jpeg"},
    {.name = "quality", .type = TB_PARAM_INT, .help = "", .fallback = "80", .min = 1, .max = 100},
    {.name = "max_px",
     .type = TB_PARAM_INT,
     .help = "Longer side; 0: full size",
     .fallback = "1568",
     .min = 0,
     .max = 16384},
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *data = result->data;
    double scale = 1;
    tb_json_num(tb_json_get(data, "scale"), &scale);
    struct tb_str element = tb_data_text(data, "element");
    tb_buf_append_cstr(out, "Screenshot of ");
    if (element.len) {
        tb_quote_line(element, out);
    } else {
        tb_print_address(data, out);
    }
    tb_buf_printf(out, ": %" PRId64 "x%" PRId64 ", %" PRId64 " bytes", tb_data_int(data, "width"),
                  tb_data_int(data, "height"), tb_data_int(data, "bytes"));
    if (scale != 1) {
        tb_buf_printf(out, ", scale %.2f", scale);
    }
    if (scale < READABLE_SCALE) {
        tb_buf_append_cstr(out, "; max_px: 0 gives it in full size");
    }
    tb_buf_append_char(out, '.');
    tb_print_events(result, out);
}

const struct tb_tool tb_tool_browser_screenshot = {
    .name = "browser_screenshot",
    .title = "Screenshot",
    .description = "Picture of the page or an element. To act, use browser_snapshot.",
    .flags = TB_TOOL_READ_ONLY | TB_TOOL_IDEMPOTENT | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_SCREENSHOT,
    .print = print,
};
