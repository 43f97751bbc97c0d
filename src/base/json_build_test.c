/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/mem.h"

static void expect_print(const struct cJSON *json, const char *expected)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(SIZE_MAX);
    assert_int_equal(tb_json_print(json, &out), 0);
    assert_int_equal(tb_buf_append_char(&out, '\0'), 0);
    assert_string_equal((const char *)out.data, expected);
}

static void a_tree_is_built_and_printed_without_white_space(void **state)
{
    (void)state;
    TB_AUTO(tb_json_free) struct cJSON *object = tb_json_new_object();
    tb_json_set_str(object, "text", tb_str_sub(TB_STR("a \"b\"\ncut"), 0, 6));
    tb_json_set_cstr(object, "words", "x");
    tb_json_set_cstr(object, "none", NULL);
    tb_json_set_int(object, "int", -9007199254740991);
    tb_json_set_num(object, "num", 0.1);
    tb_json_set_bool(object, "yes", true);
    tb_json_set_bool(object, "no", false);
    tb_json_set_null(object, "null");
    struct cJSON *array = tb_json_new_array();
    tb_json_append_take(array, tb_json_new_str(TB_STR("")));
    tb_json_append_take(array, tb_json_new_num(3));
    tb_json_append_take(array, tb_json_new_bool(true));
    tb_json_append_take(array, tb_json_new_object());
    tb_json_set_take(object, "list", array);
    expect_print(object, "{\"text\":\"a \\\"b\\\"\\n\",\"words\":\"x\",\"none\":null,"
                         "\"int\":-9007199254740991,\"num\":0.1,\"yes\":true,\"no\":false,"
                         "\"null\":null,\"list\":[\"\",3,true,{}]}");
}

static void setting_a_key_again_replaces_its_value(void **state)
{
    (void)state;
    TB_AUTO(tb_json_free) struct cJSON *object = tb_json_new_object();
    tb_json_set_int(object, "a", 1);
    tb_json_set_int(object, "A", 2);
    tb_json_set_cstr(object, "a", "new");
    expect_print(object, "{\"a\":\"new\",\"A\":2}");
    tb_json_remove(object, "a");
    tb_json_remove(object, "not there");
    expect_print(object, "{\"A\":2}");
}

static void what_is_missing_is_left_out(void **state)
{
    (void)state;
    TB_AUTO(tb_json_free) struct cJSON *object = tb_json_new_object();
    tb_json_set_int(object, "a", 1);
    tb_json_set_take(object, "a", tb_json_dup(tb_json_get(object, "not there")));
    tb_json_set_take(object, "b", NULL);
    struct cJSON *array = tb_json_new_array();
    tb_json_append_take(array, NULL);
    tb_json_set_take(object, "list", array);
    expect_print(object, "{\"a\":1,\"list\":[]}");
}

static void numbers_come_back_the_same(void **state)
{
    (void)state;
    static const struct {
        double value;
        const char *text;
    } rows[] = {
        {0, "0"},
        {-0.0, "0"},
        {1.5, "1.5"},
        {1.0 / 3, "0.33333333333333331"},
        {1e300, "1e+300"},
        {-2e-9, "-2e-09"},
        {NAN, "null"},
        {INFINITY, "null"},
        {1e15, "1000000000000000"},
        {9007199254740992.0, "9007199254740992"},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        TB_AUTO(tb_json_free) struct cJSON *number = tb_json_new_num(rows[i].value);
        expect_print(number, rows[i].text);
    }
}

static void a_copy_is_independent_of_its_source(void **state)
{
    (void)state;
    struct cJSON *source = tb_json_parse(TB_STR("{\"a\":[1,{\"b\":\"c\"}],\"d\":null}"));
    TB_AUTO(tb_json_free) struct cJSON *copy = tb_json_dup(source);
    tb_json_free(source);
    expect_print(copy, "{\"a\":[1,{\"b\":\"c\"}],\"d\":null}");
    assert_null(tb_json_dup(NULL));
}

static void a_print_over_the_ceiling_leaves_the_buffer_as_it_was(void **state)
{
    (void)state;
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(TB_STR("[\"long enough\",2]"));
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(12);
    assert_int_equal(tb_buf_append_cstr(&out, "kept"), 0);
    assert_true(tb_json_print(json, &out) < 0);
    assert_true(tb_str_eq_cstr(tb_buf_str(&out), "kept"));
}

static void text_that_is_no_utf8_is_printed_with_the_replacement_character(void **state)
{
    (void)state;
    TB_AUTO(tb_json_free) struct cJSON *text = tb_json_new_str(TB_STR("a\xff z"));
    expect_print(text, "\"a\xef\xbf\xbd z\"");
    expect_print(NULL, "null");
}

static void equal_are_the_same_values_in_any_order_of_members(void **state)
{
    (void)state;
    TB_AUTO(tb_json_free) struct cJSON *one = tb_json_parse(TB_STR("{\"a\":[1,2],\"b\":true}"));
    TB_AUTO(tb_json_free) struct cJSON *same = tb_json_parse(TB_STR("{\"b\":true,\"a\":[1,2]}"));
    TB_AUTO(tb_json_free) struct cJSON *more = tb_json_parse(TB_STR("{\"b\":true,\"a\":[2,1]}"));
    assert_true(tb_json_eq(one, same));
    assert_false(tb_json_eq(one, more));
    assert_false(tb_json_eq(one, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_are_the_same_values_in_any_order_of_members),
        cmocka_unit_test(a_tree_is_built_and_printed_without_white_space),
        cmocka_unit_test(setting_a_key_again_replaces_its_value),
        cmocka_unit_test(what_is_missing_is_left_out),
        cmocka_unit_test(numbers_come_back_the_same),
        cmocka_unit_test(a_copy_is_independent_of_its_source),
        cmocka_unit_test(a_print_over_the_ceiling_leaves_the_buffer_as_it_was),
        cmocka_unit_test(text_that_is_no_utf8_is_printed_with_the_replacement_character),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
