/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/json_iter.h"

#include <string.h>

#include "proto/json_token.h"

static bool is_one_of(char c, const char *set)
{
    return c && strchr(set, c);
}

static void skip(struct tb_str *rest, const char *set)
{
    while (rest->len && is_one_of(rest->ptr[0], set)) {
        *rest = tb_str_sub(*rest, 1, rest->len);
    }
}

/* Of a string that is none: up to its closing quote. */
static size_t bad_string_len(struct tb_str text)
{
    size_t at = 1;
    while (at < text.len && text.ptr[at] != '"') {
        at += text.ptr[at] == '\\' ? 2 : 1;
    }
    return at < text.len ? at + 1 : text.len;
}

static size_t string_len(struct tb_str text)
{
    struct tb_json_token token;
    return tb_json_token_string(text, true, &token) ? token.len : bad_string_len(text);
}

static size_t scalar_len(struct tb_str text)
{
    size_t at = 1;
    while (at < text.len && !is_one_of(text.ptr[at], ",]} \t\r\n")) {
        at++;
    }
    return at;
}

static size_t container_len(struct tb_str text)
{
    size_t depth = 0;
    size_t at = 0;
    do {
        char c = text.ptr[at];
        if (c == '"') {
            at += string_len(tb_str_sub(text, at, text.len));
            continue;
        }
        if (c == '{' || c == '[') {
            depth++;
        } else if (c == '}' || c == ']') {
            depth--;
        }
        at++;
    } while (depth && at < text.len);
    return at;
}

/* Cuts the value at the front of *rest. */
static struct tb_json_value take_value(struct tb_str *rest)
{
    enum tb_json_type type = tb_json_type_of(rest->ptr[0]);
    size_t len;
    if (type == TB_JSON_STRING) {
        len = string_len(*rest);
    } else if (type == TB_JSON_OBJECT || type == TB_JSON_ARRAY) {
        len = container_len(*rest);
    } else {
        len = scalar_len(*rest);
    }
    struct tb_json_value value = {type, tb_str_sub(*rest, 0, len)};
    *rest = tb_str_sub(*rest, len, rest->len);
    return value;
}

struct tb_json_iter tb_json_iter_of(struct tb_str text)
{
    skip(&text, " \t\r\n");
    enum tb_json_type type = text.len ? tb_json_type_of(text.ptr[0]) : TB_JSON_ABSENT;
    if (type != TB_JSON_OBJECT && type != TB_JSON_ARRAY) {
        return (struct tb_json_iter){{NULL, 0}, false};
    }
    return (struct tb_json_iter){tb_str_sub(text, 1, text.len), type == TB_JSON_OBJECT};
}

static bool at_end(const struct tb_json_iter *iter)
{
    return iter->rest.len == 0 || is_one_of(iter->rest.ptr[0], "]}");
}

bool tb_json_iter_next(struct tb_json_iter *iter, struct tb_json_item *ret_item)
{
    struct tb_json_item item = {.key = {NULL, 0}};
    skip(&iter->rest, ", \t\r\n");
    if (!at_end(iter) && iter->object) {
        item.key = take_value(&iter->rest).text;
        skip(&iter->rest, ": \t\r\n");
    }
    if (at_end(iter)) {
        iter->rest.len = 0;
        return false;
    }
    item.value = take_value(&iter->rest);
    *ret_item = item;
    return true;
}
