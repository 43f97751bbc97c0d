/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/audit_print.h"

#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/quote.h"
#include "core/audit.h"

enum {
    WHEN,
    EVENT,
    SESSION,
    WHERE,
    TOOL,
    OUTCOME,
    DETAIL,
    COLUMNS,
};

static const struct {
    const char *name;
    size_t width;
} columns[COLUMNS] = {
    [WHEN] = {"WHEN", 24},    [EVENT] = {"EVENT", 18}, [SESSION] = {"SESSION", 12},
    [WHERE] = {"WHERE", 15},  [TOOL] = {"TOOL", 19},   [OUTCOME] = {"OUTCOME", 19},
    [DETAIL] = {"DETAIL", 0},
};

static void pad(struct tb_buf *out, size_t from, size_t width)
{
    for (size_t len = out->len - from; len < width; len++) {
        tb_buf_append_char(out, ' ');
    }
    if (width) {
        tb_buf_append_char(out, ' ');
    }
}

/* Agents choose some of these texts, and a terminal shows them. */
static void put_cell(struct tb_buf *out, int column, struct tb_str text)
{
    size_t from = out->len;
    tb_quote_bare(text, SIZE_MAX, out);
    pad(out, from, columns[column].width);
}

/* The host of an address; about: and the like as they are. */
static struct tb_str host_of(const struct cJSON *details)
{
    struct tb_str url = tb_json_text(details, "domain");
    tb_json_str(tb_json_get(details, "url"), &url);
    for (size_t i = 0; i + 3 <= url.len; i++) {
        if (memcmp(url.ptr + i, "://", 3) == 0) {
            struct tb_str rest = tb_str_sub(url, i + 3, url.len);
            return tb_str_cut(&rest, '/');
        }
    }
    return url;
}

/* One that could not be taken for the end of its value, or for the next one. */
static bool is_word(struct tb_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] <= ' ' || text.ptr[i] > '~' || strchr("\"\\=", text.ptr[i])) {
            return false;
        }
    }
    return text.len > 0;
}

static void put_value(struct tb_buf *out, const char *key, struct tb_str text)
{
    tb_buf_printf(out, "%s=", key);
    if (is_word(text)) {
        tb_buf_append_str(out, text);
    } else {
        tb_quote(text, SIZE_MAX, out);
    }
}

/* key=value for what has no column of its own. */
static void put_details(struct tb_buf *out, const struct cJSON *details, struct tb_str agent)
{
    size_t from = out->len;
    JSON_ARRAY_FOREACH(item, details) {
        struct tb_str text;
        const char *name = tb_json_name(item);
        tb_buf_append_cstr(out, out->len > from ? " " : "");
        if (tb_json_str(item, &text)) {
            put_value(out, name ? name : "", text);
        } else {
            tb_buf_printf(out, "%s=", name ? name : "");
            tb_json_print(item, out);
        }
    }
    if (agent.len) {
        tb_buf_append_cstr(out, out->len > from ? " " : "");
        put_value(out, "agent", agent);
    }
}

static void print_row(const struct tb_audit_entry *entry, const struct cJSON *details,
                      struct tb_buf *out)
{
    char when[TB_CLOCK_ISO_SIZE];
    tb_clock_iso(entry->wall_ms, when);
    put_cell(out, WHEN, tb_str_of(when));
    put_cell(out, EVENT, entry->type);
    put_cell(out, SESSION, entry->session);
    put_cell(out, WHERE, host_of(details));
    put_cell(out, TOOL, entry->tool);
    put_cell(out, OUTCOME, entry->outcome);
    put_details(out, details, entry->agent);
}

static void print_json(const struct tb_audit_entry *entry, struct tb_buf *out)
{
    TB_AUTO(tb_buf_fini) struct tb_buf line = TB_BUF(SIZE_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &line);
    tb_audit_entry_put(entry, &json);
    tb_quote_json(tb_buf_str(&line), out);
}

void tb_audit_print_head(enum tb_audit_form form, struct tb_buf *out)
{
    for (int i = 0; i < COLUMNS && form == TB_AUDIT_TABLE; i++) {
        put_cell(out, i, tb_str_of(columns[i].name));
    }
    if (form == TB_AUDIT_TABLE) {
        tb_buf_append_char(out, '\n');
    }
}

void tb_audit_print(const struct tb_audit_entry *entry, enum tb_audit_form form, struct tb_buf *out)
{
    if (form == TB_AUDIT_JSON) {
        print_json(entry, out);
    } else {
        TB_AUTO(tb_json_free) struct cJSON *details = tb_json_parse(entry->details);
        print_row(entry, details, out);
    }
    tb_buf_append_char(out, '\n');
}
