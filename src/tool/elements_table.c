/* SPDX-License-Identifier: Apache-2.0 */
#include "tool/elements_table.h"

#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "base/quote.h"
#include "tool/print.h"

static const char *const columns[] = {
    "tagName", "name", "type", "value", "href", "selector",
};
static const char *const box_columns[] = {"x", "y", "width", "height"};

static bool reads_as_other(struct tb_str text)
{
    return tb_str_eq_cstr(text, "true") || tb_str_eq_cstr(text, "false") ||
           tb_str_eq_cstr(text, "null");
}

static bool needs_quotes(struct tb_str text)
{
    if (!text.len) {
        return false;
    }
    if (text.ptr[0] == ' ' || text.ptr[text.len - 1] == ' ' || reads_as_other(text)) {
        return true;
    }
    for (size_t i = 0; i < text.len; i++) {
        if (strchr(",:\"\\[]{}", text.ptr[i])) {
            return true;
        }
    }
    return false;
}

static void put_value(struct tb_str text, struct tb_buf *out)
{
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(out->max);
    tb_quote_bare(text, SIZE_MAX, &shown);
    bool quotes = needs_quotes(text) || !tb_str_eq(tb_buf_str(&shown), text);
    tb_buf_append_cstr(out, quotes ? "\"" : "");
    tb_buf_append_str(out, tb_buf_str(&shown));
    tb_buf_append_cstr(out, quotes ? "\"" : "");
}

/* Boxes have fractions of a pixel. */
static void put_number(const struct cJSON *value, struct tb_buf *out)
{
    double number = 0;
    struct tb_json_writer json;
    tb_json_num(value, &number);
    tb_buf_append_char(out, ',');
    tb_json_writer_init(&json, out);
    tb_json_put_num(&json, number);
}

static void put_row(const struct cJSON *element, struct tb_buf *out)
{
    const struct cJSON *bounds = tb_json_get(element, "boundingBox");
    tb_buf_append_cstr(out, "\n  ");
    for (size_t i = 0; i < TB_COUNT(columns); i++) {
        put_value(tb_data_text(element, columns[i]), out);
        tb_buf_append_char(out, ',');
    }
    tb_buf_append_cstr(out, tb_data_flag(element, "isInViewport") ? "true" : "false");
    for (size_t i = 0; i < TB_COUNT(box_columns) && bounds; i++) {
        put_number(tb_json_get(bounds, box_columns[i]), out);
    }
}

void tb_elements_table(const struct cJSON *data, struct tb_buf *out)
{
    const struct cJSON *elements = tb_json_get(data, "elements");
    bool bounds = tb_json_get(tb_json_first(elements), "boundingBox") != NULL;
    int64_t showing = tb_data_int(data, "showing");
    tb_buf_printf(out,
                  "total: %" PRId64 "\nshowing: %" PRId64 "\nhasMore: %s\nelements[%" PRId64 "]{",
                  tb_data_int(data, "total"), showing,
                  tb_data_flag(data, "hasMore") ? "true" : "false", showing);
    for (size_t i = 0; i < TB_COUNT(columns); i++) {
        tb_buf_printf(out, "%s,", columns[i]);
    }
    tb_buf_append_cstr(out, bounds ? "isInViewport,x,y,width,height}:" : "isInViewport}:");
    JSON_ARRAY_FOREACH(element, elements) {
        put_row(element, out);
    }
}
