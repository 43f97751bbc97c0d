/* SPDX-License-Identifier: Apache-2.0 */
/* data: {type, message, accepted} and the page keys. */
#include "base/quote.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

static const char *const text_aliases[] = {"promptText", NULL};
static const char *const accept_habits[] = {"action", "accept: true, or false to dismiss it,",
                                            NULL};

static const struct tb_param params[] = {
    {.name = "accept",
     .type = TB_PARAM_FLAG,
     .help = "false: dismiss it",
     .habits = accept_habits,
     .fallback = "true"},
    {.name = "text",
     .type = TB_PARAM_TEXT,
     .empty = true,
     .help = "Answer to a prompt",
     .aliases = text_aliases},
    TB_PARAM_ROW_END,
};

static void print(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *data = result->data;
    tb_buf_append_cstr(out, tb_data_flag(data, "accepted") ? "Accepted " : "Dismissed ");
    tb_quote_bare(tb_data_text(data, "type"), TB_PRINT_NAME_MAX, out);
    tb_buf_append_char(out, ' ');
    tb_print_quoted(tb_data_text(data, "message"), out);
    tb_buf_append_char(out, '.');
    tb_print_changes(result, out);
}

const struct tb_tool tb_tool_browser_dialog = {
    .name = "browser_dialog",
    .title = "Answer dialog",
    .description = "Answer the open alert, confirm or prompt; it blocks most other calls.",
    .flags = TB_TOOL_DESTRUCTIVE | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_DIALOG,
    .print = print,
};
