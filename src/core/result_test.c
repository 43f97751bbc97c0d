/* SPDX-License-Identifier: Apache-2.0 */
#include "core/result.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "core/limits.h"

static void a_new_result_is_good_and_empty(void **state)
{
    (void)state;
    struct tb_result result;
    tb_result_init(&result);
    assert_int_equal(result.code, 0);
    assert_string_equal(result.message, "");
    assert_true(tb_json_is_object(result.data));
    assert_null(tb_json_first(result.data));
    assert_int_equal(result.text.len, 0);
    assert_int_equal(result.text.max, TB_RESULT_TEXT_MAX);
    assert_int_equal(result.image.max, TB_RESULT_IMAGE_MAX);
    assert_null(result.image_type);
    tb_result_fini(&result);
    tb_result_fini(&result);
}

static void the_first_failure_stays(void **state)
{
    (void)state;
    struct tb_result result;
    struct tb_err err;
    tb_result_init(&result);
    assert_int_equal(tb_result_fail(&result, TB_E_TIMEOUT, "after %d ms", 5), TB_E_TIMEOUT);
    tb_fail(&err, TB_E_CLOSED, "later");
    assert_int_equal(tb_result_fail_err(&result, &err), TB_E_TIMEOUT);
    assert_int_equal(result.code, TB_E_TIMEOUT);
    assert_string_equal(result.message, "after 5 ms");
    tb_result_fini(&result);
}

static void long_words_are_cut_at_the_end_of_a_character(void **state)
{
    (void)state;
    char words[2001];
    struct tb_result result;
    for (size_t i = 0; i < 2000; i += 2) {
        memcpy(words + i, "\xc3\xa4", 2);
    }
    words[2000] = '\0';
    tb_result_init(&result);
    tb_result_fail(&result, TB_E_SCRIPT, "x%s", words);
    assert_int_equal(strlen(result.message), sizeof(result.message) - 1);
    tb_result_fini(&result);
    tb_result_init(&result);
    tb_result_fail(&result, TB_E_SCRIPT, "%s", words);
    assert_int_equal(strlen(result.message), sizeof(result.message) - 2);
    assert_true(tb_utf8_valid(tb_str_of(result.message)));
    tb_result_fini(&result);
}

static void moving_hands_everything_over(void **state)
{
    (void)state;
    struct tb_result from;
    struct tb_result to;
    tb_result_init(&from);
    tb_result_init(&to);
    tb_json_set_int(from.data, "n", 1);
    tb_json_set_int(to.data, "old", 1);
    tb_buf_append_cstr(&from.text, "text");
    tb_buf_append_cstr(&to.text, "old");
    tb_buf_append_cstr(&from.image, "aGk=");
    from.image_type = "image/png";
    tb_result_move(&to, &from);
    assert_non_null(tb_json_get(to.data, "n"));
    assert_null(tb_json_get(to.data, "old"));
    assert_true(tb_str_eq_cstr(tb_buf_str(&to.text), "text"));
    assert_true(tb_str_eq_cstr(tb_buf_str(&to.image), "aGk="));
    assert_string_equal(to.image_type, "image/png");
    assert_null(from.data);
    assert_int_equal(from.text.len + from.image.len, 0);
    tb_result_fini(&from);
    tb_result_fini(&to);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_result_is_good_and_empty),
        cmocka_unit_test(the_first_failure_stays),
        cmocka_unit_test(long_words_are_cut_at_the_end_of_a_character),
        cmocka_unit_test(moving_hands_everything_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
