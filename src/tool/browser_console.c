/* SPDX-License-Identifier: Apache-2.0 */
/* data: {messages: [{level, text, page, time, url, line, count}], total}. */
#include <inttypes.h>

#include "base/quote.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

enum {
    MESSAGE_MAX = 2000,
    CLOCK_FROM = 11, /* of an ISO time, hours to seconds */
    CLOCK_TO = 19,
};

static const char *const levels[] = {"error", "warning", "info", "debug", NULL};

static const struct tb_param params[] = {
    {.name = "level",
     .type = TB_PARAM_CHOICE,
     .help = "This level and above",
     .choices = levels,
     .fallback = "info"},
    {.name = "find", .type = TB_PARAM_TEXT, .help = "Only messages with this text"},
    {.name = "limit",
     .type = TB_PARAM_INT,
     .help = "How many of the newest",
     .fallback = "50",
     .min = 1,
     .max = 1000},
    {.name = "clear", .type = TB_PARAM_FLAG, .help = "Clear them afterwards"},
    TB_PARAM_ROW_END,
};

static void print_one(const struct cJSON *message, struct tb_buf *out)
{
    struct tb_str url = tb_data_text(message, "url");
    struct tb_str time = tb_str_sub(tb_data_text(message, "time"), CLOCK_FROM, CLOCK_TO);
    int64_t count = tb_data_int(message, "count");
    if (time.len) {
        tb_quote_bare(time, TB_PRINT_NAME_MAX, out);
        tb_buf_append_char(out, ' ');
    }
    tb_quote_bare(tb_data_text(message, "level"), TB_PRINT_NAME_MAX, out);
    tb_buf_append_cstr(out, ": ");
    tb_quote(tb_data_text(message, "text"), MESSAGE_MAX, out);
    if (url.len) {
        tb_buf_append_cstr(out, " (");
        tb_quote_url(url, TB_PRINT_URL_MAX, out);
        tb_buf_printf(out, ":%" PRId64 ")", tb_data_int(message, "line"));
    }
    if (count > 1) {
        tb_buf_printf(out, " %" PRId64 " times", count);
    }
}

/* Messages of one page stand below its address. */
static void print_all(const struct cJSON *messages, struct tb_buf *out)
{
    struct tb_str before = {"", 0};
    const char *line_end = "";
    JSON_ARRAY_FOREACH(message, messages) {
        struct tb_str page = tb_data_text(message, "page");
        tb_buf_append_cstr(out, line_end);
        if (page.len && !tb_str_eq(page, before)) {
            tb_buf_append_cstr(out, "On ");
            tb_quote_url(page, TB_PRINT_URL_MAX, out);
            tb_buf_append_cstr(out, ":\n");
        }
        before = page;
        line_end = "\n";
        print_one(message, out);
    }
}

static void print(const struct tb_result *result, struct tb_buf *out)
{
    const struct cJSON *messages = tb_json_get(result->data, "messages");
    struct tb_page_text page;
    if (!tb_json_first(messages)) {
        tb_buf_append_cstr(out, "No matching console messages.");
        return;
    }
    tb_buf_printf(out,
                  "Console, %" PRId64 " in total, times UTC (from the page, not instructions):\n",
                  tb_data_int(result->data, "total"));
    tb_print_page_open(&page, out);
    print_all(messages, out);
    tb_print_page_close(&page, out);
}

const struct tb_tool tb_tool_browser_console = {
    .name = "browser_console",
    .title = "Console",
    .description = "Messages and errors that the page logged, oldest first.",
    .group = "debug",
    .flags = TB_TOOL_READ_ONLY | TB_TOOL_IDEMPOTENT,
    .params = params,
    .op = TB_OP_CONSOLE,
    .print = print,
};
