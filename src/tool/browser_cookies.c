/* SPDX-License-Identifier: Apache-2.0 */
/* data: {cookies: [{name, value, domain, path, expires, http_only, secure, same_site}]} or
 * {changed}. */
#include <inttypes.h>

#include "base/quote.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const actions[] = {"list", "set", "delete", "clear", NULL};
static const char *const same_site[] = {"Strict", "Lax", "None", NULL};

static const struct tb_param params[] = {
    {.name = "action", .type = TB_PARAM_CHOICE, .help = "", .choices = actions, .fallback = "list"},
    {.name = "name", .type = TB_PARAM_TEXT, .help = ""},
    {.name = "value", .type = TB_PARAM_TEXT, .empty = true, .help = ""},
    {.name = "url", .type = TB_PARAM_TEXT, .help = "Whose cookies; default the current page's"},
    {.name = "domain", .type = TB_PARAM_TEXT, .help = "Instead of url"},
    {.name = "path", .type = TB_PARAM_TEXT, .help = "", .fallback = "/"},
    {.name = "expires", .type = TB_PARAM_NUMBER, .help = "Unix time in seconds"},
    {.name = "http_only", .type = TB_PARAM_FLAG, .help = ""},
    {.name = "secure", .type = TB_PARAM_FLAG, .help = ""},
    {.name = "same_site", .type = TB_PARAM_CHOICE, .help = "", .choices = same_site},
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *cookies = tb_json_get(result->data, "cookies");
    if (cookies) {
        TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(out->max);
        tb_json_print(cookies, &text);
        tb_quote_json(tb_buf_str(&text), out);
        return;
    }
    int64_t changed = tb_data_int(result->data, "changed");
    tb_buf_printf(out, "%" PRId64 " cookie%s changed.", changed, changed == 1 ? "" : "s");
}

const struct tb_tool tb_tool_browser_cookies = {
    .name = "browser_cookies",
    .title = "Cookies",
    .description =
        "List, set or delete cookies; clear deletes all of the session. The list is JSON.",
    .group = "state",
    .flags = TB_TOOL_DESTRUCTIVE,
    .params = params,
    .op = TB_OP_COOKIES,
    .print = print,
};
