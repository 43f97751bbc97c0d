/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/json_iter.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

enum {
    ITEMS_MAX = 8,
};

struct expected {
    const char *key;
    enum tb_json_type type;
    const char *text;
};

static const struct {
    const char *text;
    struct expected items[ITEMS_MAX];
} rows[] = {
    {"[]", {{0}}},
    {" [ ] ", {{0}}},
    {"{}", {{0}}},
    {"{ \n}", {{0}}},
    {"1", {{0}}},
    {"\"[1]\"", {{0}}},
    {"null", {{0}}},
    {"[1]", {{NULL, TB_JSON_NUMBER, "1"}}},
    {"\r\n[ 1 ,\t-2.5e3 ] ", {{NULL, TB_JSON_NUMBER, "1"}, {NULL, TB_JSON_NUMBER, "-2.5e3"}}},
    {"[true,false,null]",
     {{NULL, TB_JSON_BOOL, "true"}, {NULL, TB_JSON_BOOL, "false"}, {NULL, TB_JSON_NULL, "null"}}},
    {"[[],[[1,2],3],{}]",
     {{NULL, TB_JSON_ARRAY, "[]"},
      {NULL, TB_JSON_ARRAY, "[[1,2],3]"},
      {NULL, TB_JSON_OBJECT, "{}"}}},
    {"[\"a,]\\\"\\\\\",\"b\"]",
     {{NULL, TB_JSON_STRING, "\"a,]\\\"\\\\\""}, {NULL, TB_JSON_STRING, "\"b\""}}},
    {"[{\"a\":\"}]\",\"b\":[1]} , {\"c\":{}}]",
     {{NULL, TB_JSON_OBJECT, "{\"a\":\"}]\",\"b\":[1]}"}, {NULL, TB_JSON_OBJECT, "{\"c\":{}}"}}},
    {"{\"a\":1,\"b\" : [1,{\"x\":2}] ,\"\":\"s\",\"k\\\"\":null}",
     {{"\"a\"", TB_JSON_NUMBER, "1"},
      {"\"b\"", TB_JSON_ARRAY, "[1,{\"x\":2}]"},
      {"\"\"", TB_JSON_STRING, "\"s\""},
      {"\"k\\\"\"", TB_JSON_NULL, "null"}}},
};

static void items_come_in_order_with_their_exact_bytes(void **state)
{
    (void)state;
    const struct tb_json_limits limits = {.depth_max = 8};
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_str text = tb_str_of(rows[i].text);
        assert_true(tb_json_scan(text, &limits, NULL, 0, NULL) > 0);
        struct tb_json_iter iter = tb_json_iter_of(text);
        struct tb_json_item item;
        for (const struct expected *want = rows[i].items; want->text; want++) {
            assert_true(tb_json_iter_next(&iter, &item));
            assert_int_equal(item.value.type, want->type);
            assert_true(tb_str_eq_cstr(item.value.text, want->text));
            assert_true(tb_str_eq_cstr(item.key, want->key));
            assert_int_equal(item.key.ptr == NULL, want->key == NULL);
        }
        assert_false(tb_json_iter_next(&iter, &item));
        assert_false(tb_json_iter_next(&iter, &item));
    }
}

/* The contract asks for scanned text; a caller's mistake must still not read outside. */
static void a_walk_over_anything_stays_inside_and_ends(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",     " ",     "[",      "{",  "[1", "[\"", "{\"a", "{\"a\"", "{\"a\":",
        "[[",   "[{\"",  "[}",     "{]", "[:", "[\\", "{,",   "[1 2",   "{\"a\":1 \"b\"",
        "[[[]", "[\xff", "{1:2:3",
    };
    for (size_t i = 0; i < TB_COUNT(texts); i++) {
        size_t len = strlen(texts[i]);
        TB_AUTO(tb_free) char *copy = tb_zalloc(len ? len : 1);
        memcpy(copy, texts[i], len);
        struct tb_json_iter iter = tb_json_iter_of((struct tb_str){copy, len});
        struct tb_json_item item;
        size_t count = 0;
        while (tb_json_iter_next(&iter, &item)) {
            assert_true(item.value.text.ptr >= copy);
            assert_true(item.value.text.ptr + item.value.text.len <= copy + len);
            assert_true(++count <= len);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_in_order_with_their_exact_bytes),
        cmocka_unit_test(a_walk_over_anything_stays_inside_and_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
