/* SPDX-License-Identifier: Apache-2.0 */
#include "store/query.h"

#include "base/mem.h"

static bool is(struct tb_str wanted, struct tb_str text)
{
    return wanted.len == 0 || tb_str_eq(wanted, text);
}

static bool has(struct tb_str text, struct tb_str part)
{
    for (size_t at = 0; at + part.len <= text.len; at++) {
        if (tb_str_eq_nocase(tb_str_sub(text, at, at + part.len), part)) {
            return true;
        }
    }
    return false;
}

static bool mentions(const struct tb_audit_entry *entry, struct tb_str part)
{
    return has(entry->type, part) || has(entry->tenant, part) || has(entry->session, part) ||
           has(entry->agent, part) || has(entry->tool, part) || has(entry->outcome, part) ||
           has(entry->details, part);
}

bool tb_query_fits(const struct tb_audit_query *query, const struct tb_audit_entry *entry)
{
    return entry->wall_ms >= query->since_wall_ms &&
           (query->until_wall_ms == 0 || entry->wall_ms <= query->until_wall_ms) &&
           is(query->tenant, entry->tenant) && is(query->session, entry->session) &&
           is(query->type, entry->type) && is(query->tool, entry->tool) &&
           mentions(entry, query->text);
}

void tb_query_copy_init(struct tb_query_copy *copy, const struct tb_audit_query *query)
{
    copy->query = *query;
    tb_buf_init(&copy->texts, SIZE_MAX);
    struct tb_str *texts[] = {&copy->query.tenant, &copy->query.session, &copy->query.type,
                              &copy->query.tool, &copy->query.text};
    for (size_t i = 0; i < TB_COUNT(texts); i++) {
        tb_buf_append_str(&copy->texts, *texts[i]);
    }
    const char *at = (const char *)copy->texts.data;
    for (size_t i = 0; i < TB_COUNT(texts); i++) {
        texts[i]->ptr = at;
        at = at ? at + texts[i]->len : NULL;
    }
}

void tb_query_copy_fini(struct tb_query_copy *copy)
{
    tb_buf_fini(&copy->texts);
}

struct tb_str tb_range_start(const struct tb_range *range)
{
    return tb_str_compare(range->prefix, range->after) < 0 ? range->after : range->prefix;
}

int tb_range_has(const struct tb_range *range, struct tb_str key)
{
    if (!tb_str_starts(key, range->prefix)) {
        return -1;
    }
    return range->after.len == 0 || tb_str_compare(key, range->after) > 0;
}

void tb_range_copy_init(struct tb_range_copy *copy, const struct tb_range *range)
{
    copy->range = *range;
    tb_buf_init(&copy->prefix, SIZE_MAX);
    tb_buf_init(&copy->after, SIZE_MAX);
    tb_buf_append_str(&copy->prefix, range->prefix);
    tb_buf_append_str(&copy->after, range->after);
    copy->range.prefix = tb_buf_str(&copy->prefix);
    copy->range.after = tb_buf_str(&copy->after);
}

void tb_range_copy_fini(struct tb_range_copy *copy)
{
    tb_buf_fini(&copy->prefix);
    tb_buf_fini(&copy->after);
}

bool tb_range_move_on(struct tb_range_copy *copy, struct tb_str key)
{
    tb_buf_clear(&copy->after);
    tb_buf_append_str(&copy->after, key);
    copy->range.after = tb_buf_str(&copy->after);
    return copy->range.limit == 0 || --copy->range.limit > 0;
}
