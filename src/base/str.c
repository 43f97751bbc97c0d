/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <string.h>

#include "base/mem.h"

struct tb_str tb_str_of(const char *text)
{
    return (struct tb_str){text, text ? strlen(text) : 0};
}

struct tb_str tb_str_sub(struct tb_str str, size_t from, size_t to)
{
    to = to > str.len ? str.len : to;
    from = from > to ? to : from;
    /* Without the test an offset of 0 would be added to the NULL of an empty slice. */
    return (struct tb_str){from ? str.ptr + from : str.ptr, to - from};
}

bool tb_str_eq(struct tb_str a, struct tb_str b)
{
    return a.len == b.len && (a.len == 0 || memcmp(a.ptr, b.ptr, a.len) == 0);
}

int tb_str_compare(struct tb_str a, struct tb_str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len ? memcmp(a.ptr, b.ptr, len) : 0;
    return order ? order : (a.len > b.len) - (a.len < b.len);
}

bool tb_str_eq_cstr(struct tb_str a, const char *b)
{
    return tb_str_eq(a, tb_str_of(b));
}

static char lower(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return (char)(c + ('a' - 'A'));
    }
    return c;
}

bool tb_str_eq_nocase(struct tb_str a, struct tb_str b)
{
    if (a.len != b.len) {
        return false;
    }
    for (size_t i = 0; i < a.len; i++) {
        if (lower(a.ptr[i]) != lower(b.ptr[i])) {
            return false;
        }
    }
    return true;
}

bool tb_str_starts(struct tb_str str, struct tb_str prefix)
{
    return str.len >= prefix.len && tb_str_eq(tb_str_sub(str, 0, prefix.len), prefix);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

struct tb_str tb_str_trim(struct tb_str str)
{
    while (str.len && is_space(str.ptr[0])) {
        str.ptr++;
        str.len--;
    }
    while (str.len && is_space(str.ptr[str.len - 1])) {
        str.len--;
    }
    return str;
}

struct tb_str tb_str_cut(struct tb_str *rest, char sep)
{
    struct tb_str all = *rest;
    const char *at = all.len ? memchr(all.ptr, sep, all.len) : NULL;
    if (!at) {
        *rest = (struct tb_str){NULL, 0};
        return all;
    }
    size_t before = (size_t)(at - all.ptr);
    *rest = (struct tb_str){at + 1, all.len - before - 1};
    return (struct tb_str){all.ptr, before};
}

bool tb_str_list_has(struct tb_str list, struct tb_str item)
{
    while (list.ptr) {
        if (tb_str_eq_nocase(tb_str_trim(tb_str_cut(&list, ',')), item)) {
            return true;
        }
    }
    return false;
}

bool tb_str_to_u64(struct tb_str str, uint64_t *ret_value)
{
    uint64_t value = 0;
    if (str.len == 0) {
        return false;
    }
    for (size_t i = 0; i < str.len; i++) {
        if (str.ptr[i] < '0' || str.ptr[i] > '9') {
            return false;
        }
        unsigned digit = (unsigned)(str.ptr[i] - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    *ret_value = value;
    return true;
}

char *tb_str_dup(struct tb_str str)
{
    return tb_memdup(str.ptr, str.len);
}
