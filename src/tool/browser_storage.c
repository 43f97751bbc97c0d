/* SPDX-License-Identifier: Apache-2.0 */
/* data: {origin, area, items} or {origin, area, changed}. */
#include <inttypes.h>

#include "base/quote.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const actions[] = {"get", "set", "remove", "clear", NULL};
static const char *const areas[] = {"local", "session", NULL};

static const struct tb_param params[] = {
    {.name = "action", .type = TB_PARAM_CHOICE, .help = "", .choices = actions, .fallback = "get"},
    {.name = "area", .type = TB_PARAM_CHOICE, .help = "", .choices = areas, .fallback = "local"},
    {.name = "key", .type = TB_PARAM_TEXT, .help = "get: only this one"},
    {.name = "value", .type = TB_PARAM_TEXT, .empty = true, .help = ""},
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *data = result->data;
    const struct cJSON *items = tb_json_get(data, "items");
    if (items) {
        TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(out->max);
        tb_json_print(items, &text);
        tb_print_json(tb_buf_str(&text), TB_PRINT_PAGE_MAX, "ask for one key", out);
        return;
    }
    int64_t changed = tb_data_int(data, "changed");
    tb_buf_printf(out, "%" PRId64 " item%s changed in the ", changed, changed == 1 ? "" : "s");
    tb_quote_bare(tb_data_text(data, "area"), TB_PRINT_NAME_MAX, out);
    tb_buf_append_cstr(out, " storage of ");
    tb_quote_url(tb_data_text(data, "origin"), TB_PRINT_URL_MAX, out);
    tb_buf_append_char(out, '.');
}

const struct tb_tool tb_tool_browser_storage = {
    .name = "browser_storage",
    .title = "Web storage",
    .description =
        "Read or change the local or session storage of the current page. get returns JSON.",
    .group = "state",
    .flags = TB_TOOL_DESTRUCTIVE,
    .params = params,
    .op = TB_OP_STORAGE,
    .print = print,
};
