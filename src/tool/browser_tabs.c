/* SPDX-License-Identifier: Apache-2.0 */
/* data: {tabs: [{index, id, url, title, active}], opened} and the page keys. */
#include <inttypes.h>

#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const actions[] = {"list", "new", "select", "close", NULL};
static const char *const tab_aliases[] = {"index", NULL};

static const struct tb_param params[] = {
    {.name = "action", .type = TB_PARAM_CHOICE, .help = "", .choices = actions, .fallback = "list"},
    {.name = "tab",
     .type = TB_PARAM_INT,
     .help = "From the list",
     .aliases = tab_aliases,
     .min = 0,
     .max = 10000},
    {.name = "id", .type = TB_PARAM_TEXT, .help = ""},
    {.name = "url", .type = TB_PARAM_TEXT, .help = "For new"},
    TB_PARAM_ROW_END,
};

static int check(const struct tb_core *core, const struct tb_caller *caller,
                 const struct cJSON *args, struct tb_err *err)
{
    (void)core;
    (void)caller;
    if (tb_str_eq_cstr(tb_args_text(args, "action", ""), "select") && !tb_args_has(args, "tab") &&
        !tb_args_has(args, "id")) {
        return tb_fail(err, TB_E_PARAMS,
                       "say which tab to select: by 'tab', its number in the list, or by 'id'");
    }
    return 0;
}

static void print(const struct tb_result *result, struct tb_buf *out)
{
    if (tb_json_get(result->data, "opened")) {
        tb_buf_printf(out, "Opened tab %" PRId64 ", which is now the current one.",
                      tb_data_int(result->data, "opened"));
    }
    JSON_ARRAY_FOREACH(tab, tb_json_get(result->data, "tabs")) {
        tb_buf_printf(out, "%s%" PRId64 ": ", out->len ? "\n" : "", tb_data_int(tab, "index"));
        tb_print_address(tab, out);
        if (tb_data_flag(tab, "active")) {
            tb_buf_append_cstr(out, " (current)");
        }
    }
    tb_print_events(result, out);
}

const struct tb_tool tb_tool_browser_tabs = {
    .name = "browser_tabs",
    .title = "Tabs",
    .description =
        "List, open, select or close tabs. Returns the list. Tools act on the current tab.",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_TABS,
    .check = check,
    .print = print,
};
