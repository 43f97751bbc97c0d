/* SPDX-License-Identifier: Apache-2.0 */
#include "front/target.h"

#include "base/err.h"

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

int tb_target_segment(struct tb_str segment, struct tb_buf *out)
{
    return decode(segment, false, out);
}
