/* SPDX-License-Identifier: Apache-2.0 */
/* data: {filled, elements} and the page keys. */
#include <inttypes.h>

#include "base/quote.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const field_remarks[] = {"element", "name", "type", NULL};

static const char *const value_aliases[] = {"text", NULL};

static const struct tb_param field[] = {
    {.name = "target",
     .type = TB_PARAM_TEXT,
     .required = true,
     .help = "",
     .aliases = tb_target_aliases,
     .remarks = field_remarks},
    {.name = "value",
     .type = TB_PARAM_TEXT,
     .required = true,
     .empty = true,
     .help = "",
     .aliases = value_aliases},
    TB_PARAM_ROW_END,
};

static const struct tb_param params[] = {
    {.name = "fields", .type = TB_PARAM_OBJECTS, .required = true, .help = "", .fields = field},
    TB_PARAM_ROW_CHANGES(""),
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    int64_t filled = tb_data_int(result->data, "filled");
    tb_buf_printf(out, "Filled %" PRId64 " field%s", filled, filled == 1 ? "" : "s");
    const char *before = ": ";
    JSON_ARRAY_FOREACH(item, tb_json_get(result->data, "elements")) {
        struct tb_str element = {"", 0};
        tb_json_str(item, &element);
        tb_buf_append_cstr(out, before);
        tb_quote_line(element, out);
        before = ", ";
    }
    tb_buf_append_char(out, '.');
    tb_print_changes(result, out);
}

const struct tb_tool tb_tool_browser_fill_form = {
    .name = "browser_fill_form",
    .title = "Fill form",
    .description = "Fill several fields, as browser_fill does. Stops at the first that fails.",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_FILL_FORM,
    .print = print,
};
