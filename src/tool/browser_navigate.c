/* SPDX-License-Identifier: Apache-2.0 */
/* data: {url, title, status, ok} and the page keys; text: the outline, if `snapshot` asked for it.
 */
#include <inttypes.h>

#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const ways[] = {"back", "forward", "reload", NULL};
static const char *const moments[] = {"load", "domcontentloaded", "networkidle", "commit", NULL};
static const char *const wait_aliases[] = {"waitUntil", NULL};

static const struct tb_param params[] = {
    {.name = "url", .type = TB_PARAM_TEXT, .help = ""},
    {.name = "to", .type = TB_PARAM_CHOICE, .help = "Instead of url", .choices = ways},
    {.name = "wait_until",
     .type = TB_PARAM_CHOICE,
     .help = "",
     .choices = moments,
     .aliases = wait_aliases,
     .fallback = "load"},
    {.name = "snapshot", .type = TB_PARAM_FLAG, .help = "Also return the outline"},
    TB_PARAM_ROW_END,
};

static int check(const struct tb_core *core, const struct tb_caller *caller,
                 const struct cJSON *args, struct tb_err *err)
{
    (void)core;
    (void)caller;
    if (tb_args_has(args, "url") == tb_args_has(args, "to")) {
        return tb_fail(err, TB_E_PARAMS, "give exactly one of url and to");
    }
    return 0;
}

static void print(const struct tb_result *result, struct tb_buf *out)
{
    tb_buf_append_cstr(out, "Page is now ");
    tb_print_address(result->data, out);
    tb_print_status(result->data, out);
    tb_buf_append_char(out, '.');
    /* The address stands there already. */
    tb_print_events(result, out);
    if (result->text.len) {
        struct tb_page_text page;
        tb_buf_append_char(out, '\n');
        tb_print_frame(result->data, &page, out);
        tb_buf_append_str(out, tb_buf_str(&result->text));
        tb_print_page_close(&page, out);
    }
}

const struct tb_tool tb_tool_browser_navigate = {
    .name = "browser_navigate",
    .title = "Navigate",
    .description = "Open an address. Starts a session if there is none. "
                   "Returns address, title and status.",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_OPEN_WORLD | TB_TOOL_MAY_CREATE,
    .params = params,
    .op = TB_OP_NAVIGATE,
    .check = check,
    .print = print,
};
