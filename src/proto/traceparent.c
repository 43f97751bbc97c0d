/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/traceparent.h"

/* The next part, which is so many lower case hexadecimal digits; false if it is not, or if all of
 * them are the one that may not be. */
static bool take(struct tb_str *rest, size_t digits, char never)
{
    struct tb_str part = tb_str_cut(rest, '-');
    bool other = !never;
    for (size_t i = 0; i < part.len; i++) {
        char c = part.ptr[i];
        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'))) {
            return false;
        }
        other = other || c != never;
    }
    return part.len == digits && other;
}

bool tb_traceparent_valid(struct tb_str text)
{
    struct tb_str rest = text;
    return text.len == TB_TRACEPARENT_LEN && take(&rest, 2, 'f') && take(&rest, 32, '0') &&
           take(&rest, 16, '0') && take(&rest, 2, '\0');
}
