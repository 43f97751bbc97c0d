/* SPDX-License-Identifier: Apache-2.0 */
#include "front/target.h"

#include "base/err.h"
#include "base/quote.h"
#include "core/limits.h"

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

static int decode(struct tb_str text, bool plus_is_space, struct tb_buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '%') {
            int high = i + 2 < text.len ? hex_value(text.ptr[i + 1]) : -1;
            int low = high >= 0 ? hex_value(text.ptr[i + 2]) : -1;
            if (low < 0 || (high | low) == 0) {
                return TB_E_INVALID;
            }
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+' && plus_is_space) {
            c = ' ';
        }
        int rc = tb_buf_append_char(out, c);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

int tb_target_query(struct tb_str query, const char *name, struct tb_buf *out)
{
    while (query.len) {
        struct tb_str value = tb_str_cut(&query, '&');
        if (tb_str_eq_cstr(tb_str_cut(&value, '='), name)) {
            return decode(value, true, out);
        }
    }
    return 0;
}

bool tb_target_query_has(struct tb_str query, const char *name)
{
    while (query.len) {
        struct tb_str value = tb_str_cut(&query, '&');
        if (tb_str_eq_cstr(tb_str_cut(&value, '='), name)) {
            return true;
        }
    }
    return false;
}

int tb_target_segment(struct tb_str segment, struct tb_buf *out)
{
    return decode(segment, false, out);
}

static bool is_known(struct tb_str name, const char *const known[])
{
    while (*known && !tb_str_eq_cstr(name, *known)) {
        known++;
    }
    return *known;
}

int tb_target_check_query(struct tb_str query, const char *const known[], struct tb_err *err)
{
    while (query.len) {
        struct tb_str value = tb_str_cut(&query, '&');
        struct tb_str name = tb_str_cut(&value, '=');
        if (!name.len || is_known(name, known)) {
            continue;
        }
        TB_AUTO(tb_buf_fini) struct tb_buf list = TB_BUF(TB_KIB);
        for (size_t i = 0; known[i]; i++) {
            tb_buf_printf(&list, "%s%s", i ? ", " : "; this address takes ", known[i]);
        }
        struct tb_quoted room;
        return tb_fail(
            err, TB_E_PARAMS, "unknown query parameter %s%.*s", tb_quoted(&room, name, 80),
            TB_STR_ARG(list.len ? tb_buf_str(&list) : TB_STR("; this address takes none")));
    }
    return 0;
}
