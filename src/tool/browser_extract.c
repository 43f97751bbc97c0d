/* SPDX-License-Identifier: Apache-2.0 */
/* data: {count, total, format, truncated, max_chars} and the page keys; text: the JSON array of
 * results. */
#include <inttypes.h>

#include "base/quote.h"
#include "base/utf8.h"
#include "core/limits.h"
#include "tool/params.h"
#include "tool/print.h"
#include "tool/tools.h"

enum {
    PRINTED_MAX = 2 * TB_RESULT_TEXT_MAX,
};

static const char *const formats[] = {"text", "html", "json", "markdown", NULL};

static const struct tb_param params[] = {
    {.name = "target",
     .type = TB_PARAM_TEXT,
     .help = "Default: the page",
     .aliases = tb_target_aliases,
     .remarks = tb_target_remarks},
    {.name = "format", .type = TB_PARAM_CHOICE, .help = "", .choices = formats, .fallback = "text"},
    {.name = "limit", .type = TB_PARAM_INT, .help = "", .fallback = "10", .min = 1, .max = 10000},
    {.name = "max_chars",
     .type = TB_PARAM_INT,
     .help = "",
     .fallback = "20000",
     .min = 200,
     .max = 500000},
    {.name = "wait", .type = TB_PARAM_FLAG, .help = "Until visible"},
    TB_PARAM_ROW_END,
};

/* Several results are numbered, one stands alone. */
static void print_results(const struct cJSON *results, struct tb_buf *out)
{
    const struct cJSON *first = tb_json_first(results);
    bool numbered = first && tb_json_next(first);
    size_t number = 0;
    JSON_ARRAY_FOREACH(item, results) {
        struct tb_str text = {"", 0};
        tb_json_str(item, &text);
        number++;
        if (numbered) {
            tb_buf_printf(out, "%s[%zu]\n", number > 1 ? "\n" : "", number);
        }
        tb_quote_block(text, out);
    }
}

static void put_head(const struct tb_result *result, struct tb_page_text *page, struct tb_buf *out)
{
    int64_t count = tb_data_int(result->data, "count");
    int64_t total = tb_data_int(result->data, "total");
    if (total > count) {
        tb_buf_printf(out, "%" PRId64 " of %" PRId64 " elements%s. ", count, total,
                      tb_data_flag(result->data, "truncated") ? "" : "; raise limit for more");
    }
    tb_print_frame(result->data, page, out);
}

static void put_content(const struct tb_result *result, struct tb_buf *out)
{
    if (tb_str_eq_cstr(tb_data_text(result->data, "format"), "json")) {
        tb_quote_json(tb_buf_str(&result->text), out);
    } else {
        TB_AUTO(tb_json_free) struct cJSON *results = tb_json_parse(tb_buf_str(&result->text));
        print_results(results, out);
    }
}

static size_t characters(const struct tb_buf *text)
{
    size_t count;
    tb_utf8_end(tb_buf_str(text), 0, &count);
    return count;
}

/* The page has cut its content already, but knows neither what we put around it nor what we have to
 * escape. The reply is what must not be longer than was asked for. */
static void print(const struct tb_result *result, struct tb_buf *out)
{
    static const char cut[] = "\n[... cut at max_chars; raise it or ask for a narrower target]";
    TB_AUTO(tb_buf_fini) struct tb_buf content = TB_BUF(PRINTED_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf after = TB_BUF(PRINTED_MAX);
    struct tb_page_text page;
    put_head(result, &page, out);
    put_content(result, &content);
    tb_print_page_close(&page, &after);
    tb_print_events(result, &after);
    int64_t max = tb_data_int(result->data, "max_chars");
    size_t room = max > 0 ? (size_t)max : PRINTED_MAX;
    size_t used = characters(out) + characters(&after);
    bool over = tb_data_flag(result->data, "truncated") || characters(&content) + used > room;
    used += over ? sizeof(cut) - 1 : 0;
    size_t end = tb_utf8_end(tb_buf_str(&content), room > used ? room - used : 0, &used);
    tb_buf_append_str(out, tb_str_sub(tb_buf_str(&content), 0, end));
    tb_buf_append_cstr(out, over ? cut : "");
    tb_buf_append_str(out, tb_buf_str(&after));
}

const struct tb_tool tb_tool_browser_extract = {
    .name = "browser_extract",
    .title = "Extract",
    .description = "Content of the page or of all matching elements.",
    .flags = TB_TOOL_READ_ONLY | TB_TOOL_IDEMPOTENT | TB_TOOL_OPEN_WORLD,
    .params = params,
    .op = TB_OP_EXTRACT,
    .print = print,
};
