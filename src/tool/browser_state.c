/* SPDX-License-Identifier: Apache-2.0 */
/* data: {action, name, cookies, origins}. */
#include <inttypes.h>

#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const actions[] = {"save", "load", NULL};

static const struct tb_param params[] = {
    {.name = "action", .type = TB_PARAM_CHOICE, .required = true, .help = "", .choices = actions},
    {.name = "name", .type = TB_PARAM_TEXT, .help = "", .fallback = "default"},
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *data = result->data;
    bool saved = tb_str_eq_cstr(tb_data_text(data, "action"), "save");
    tb_buf_append_cstr(out, saved ? "Saved " : "Loaded ");
    tb_print_quoted(tb_data_text(data, "name"), out);
    int64_t cookies = tb_data_int(data, "cookies");
    int64_t origins = tb_data_int(data, "origins");
    tb_buf_printf(out, ": %" PRId64 " cookie%s, storage of %" PRId64 " origin%s.", cookies,
                  cookies == 1 ? "" : "s", origins, origins == 1 ? "" : "s");
}

const struct tb_tool tb_tool_browser_state = {
    .name = "browser_state",
    .title = "Login state",
    .description =
        "Save cookies and local storage under a name, or load them, also into another session, "
        "so that you log in only once.",
    .group = "state",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_IDEMPOTENT,
    .params = params,
    .op = TB_OP_STATE,
    .print = print,
};
