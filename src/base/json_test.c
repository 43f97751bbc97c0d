/* SPDX-License-Identifier: Apache-2.0 */
#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static struct cJSON *parse(const char *text)
{
    struct cJSON *json = tb_json_parse(tb_str_of(text));
    assert_non_null(json);
    return json;
}

static void text_that_is_no_json_gives_null(void **state)
{
    (void)state;
    static const char *const bad[] = {"",        " ",   "{",           "[1,",
                                      "{\"a\"}", "nul", "\"open",      "[1] x",
                                      "{}{}",    "1 2", "\"a\" \"b\"", "{\"a\":1},"};
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        struct cJSON *json = tb_json_parse(tb_str_of(bad[i]));
        if (json) {
            tb_json_free(json);
            fail_msg("taken for JSON: %s", bad[i]);
        }
    }
    assert_null(tb_json_parse((struct tb_str){NULL, 0}));
    assert_null(tb_json_parse(TB_STR("[1]\0")));
}

static void white_space_around_a_document_is_allowed(void **state)
{
    (void)state;
    static const char *const good[] = {"[1]", " [1]", "[1] ", "\r\n\t[1]\r\n\t ", "1 ", "\"a\"\n"};
    for (size_t i = 0; i < TB_COUNT(good); i++) {
        tb_json_free(parse(good[i]));
    }
    tb_json_free(NULL);
}

/* Parses a copy with no byte behind it, so that ASan sees a read past the end. */
static void parsing_stays_inside_the_slice(void **state)
{
    (void)state;
    static const char text[] = " {\"a\":[1,-2.5e3,\"\\u00e4\\n\",true,null]} ";
    for (size_t len = 0; len < sizeof(text); len++) {
        char *copy = tb_zalloc(len);
        memcpy(copy, text, len);
        struct cJSON *json = tb_json_parse((struct tb_str){copy, len});
        assert_int_equal(json != NULL, len >= sizeof(text) - 2 && len < sizeof(text));
        tb_json_free(json);
        tb_free(copy);
    }
}

static void members_are_found_by_exact_name(void **state)
{
    (void)state;
    TB_AUTO(tb_json_free) struct cJSON *json = parse("{\"Name\":1,\"name\":2,\"\":3}");
    int64_t value = 0;
    assert_true(tb_json_int(tb_json_get(json, "name"), &value));
    assert_int_equal(value, 2);
    assert_true(tb_json_int(tb_json_get(json, ""), &value));
    assert_int_equal(value, 3);
    assert_null(tb_json_get(json, "NAME"));
    assert_null(tb_json_get(NULL, "name"));
    assert_null(tb_json_get(tb_json_get(json, "name"), "name"));
    TB_AUTO(tb_json_free) struct cJSON *array = parse("[1]");
    assert_null(tb_json_get(array, "0"));
}

static void a_value_of_another_type_leaves_the_result_alone(void **state)
{
    (void)state;
    static const char *const names[] = {"str", "num", "yes", "nothing", "list", "map", "absent"};
    TB_AUTO(tb_json_free)
    struct cJSON *json = parse("{\"str\":\"1\",\"num\":1,\"yes\":true,\"nothing\":null,"
                               "\"list\":[1],\"map\":{}}");
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        const struct cJSON *item = tb_json_get(json, names[i]);
        struct tb_str text = TB_STR("old");
        int64_t whole = 77;
        double number = 77;
        bool flag = false;
        assert_int_equal(tb_json_str(item, &text), i == 0);
        assert_int_equal(tb_json_int(item, &whole), i == 1);
        assert_int_equal(tb_json_num(item, &number), i == 1);
        assert_int_equal(tb_json_bool(item, &flag), i == 2);
        assert_int_equal(tb_json_is_array(item), i == 4);
        assert_int_equal(tb_json_is_object(item), i == 5);
        assert_true(tb_str_eq_cstr(text, i == 0 ? "1" : "old"));
        assert_int_equal(whole, i == 1 ? 1 : 77);
        assert_true((int)number == (i == 1 ? 1 : 77));
        assert_int_equal(flag, i == 2);
    }
}

static void whole_numbers_are_exact_or_refused(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool good;
        int64_t want;
    } rows[] = {
        {"0", true, 0},
        {"-0", true, 0},
        {"1e3", true, 1000},
        {"1.0", true, 1},
        {"9007199254740991", true, 9007199254740991},
        {"-9007199254740991", true, -9007199254740991},
        /* 2^53 and 2^53 + 1 are the same double. */
        {"9007199254740992", false, 0},
        {"9007199254740993", false, 0},
        {"-9007199254740992", false, 0},
        {"1.5", false, 0},
        {"1e300", false, 0},
        {"1e999", false, 0},
        {"-1e999", false, 0},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        TB_AUTO(tb_json_free) struct cJSON *json = parse(rows[i].text);
        int64_t value = 77;
        assert_int_equal(tb_json_int(json, &value), rows[i].good);
        assert_int_equal(value, rows[i].good ? rows[i].want : 77);
    }
}

static void numbers_that_are_no_number_are_refused(void **state)
{
    (void)state;
    TB_AUTO(tb_json_free) struct cJSON *json = parse("[2.5, 1e999]");
    double value = 77;
    assert_true(tb_json_num(tb_json_first(json), &value));
    assert_true(value > 2.4 && value < 2.6);
    assert_false(tb_json_num(tb_json_next(tb_json_first(json)), &value));
    assert_true(value > 2.4 && value < 2.6);
}

static void walking_gives_every_element_and_member_in_order(void **state)
{
    (void)state;
    TB_AUTO(tb_json_free) struct cJSON *array = parse("[1,2,3]");
    int64_t want = 0;
    JSON_ARRAY_FOREACH(item, array) {
        int64_t value = 0;
        assert_true(tb_json_int(item, &value));
        assert_int_equal(value, ++want);
        assert_null(tb_json_name(item));
    }
    assert_int_equal(want, 3);

    TB_AUTO(tb_json_free) struct cJSON *object = parse("{\"a\":1,\"b\":2}");
    assert_string_equal(tb_json_name(tb_json_first(object)), "a");
    assert_string_equal(tb_json_name(tb_json_next(tb_json_first(object))), "b");

    TB_AUTO(tb_json_free) struct cJSON *empty = parse("[]");
    assert_null(tb_json_first(empty));
    assert_null(tb_json_first(NULL));
}

static void strings_are_unescaped(void **state)
{
    (void)state;
    TB_AUTO(tb_json_free)
    struct cJSON *json = parse("\"a\\n\\t\\\"\\\\\\/\\u00e4\\ud83d\\ude00\"");
    struct tb_str text;
    assert_true(tb_json_str(json, &text));
    assert_true(tb_str_eq_cstr(text, "a\n\t\"\\/\xc3\xa4\xf0\x9f\x98\x80"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_that_is_no_json_gives_null),
        cmocka_unit_test(white_space_around_a_document_is_allowed),
        cmocka_unit_test(parsing_stays_inside_the_slice),
        cmocka_unit_test(members_are_found_by_exact_name),
        cmocka_unit_test(a_value_of_another_type_leaves_the_result_alone),
        cmocka_unit_test(whole_numbers_are_exact_or_refused),
        cmocka_unit_test(numbers_that_are_no_number_are_refused),
        cmocka_unit_test(walking_gives_every_element_and_member_in_order),
        cmocka_unit_test(strings_are_unescaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
