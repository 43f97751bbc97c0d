/* SPDX-License-Identifier: Apache-2.0 */
#include "base/err.h"

#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/str.h"

static const struct tb_err_info *row(int index)
{
    return tb_err_info(-10000 - index);
}

static void every_row_has_a_wire_name_of_lower_case_words(void **state)
{
    (void)state;
    for (int i = 0; i < TB_ERR_COUNT; i++) {
        const char *wire = row(i)->wire;
        assert_true(wire[0] != '\0');
        assert_int_equal(strspn(wire, "abcdefghijklmnopqrstuvwxyz_"), strlen(wire));
        assert_string_equal(tb_err_name(-10000 - i), wire);
    }
}

static void wire_names_are_unique(void **state)
{
    (void)state;
    for (int i = 0; i < TB_ERR_COUNT; i++) {
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(row(i)->wire, row(j)->wire);
        }
    }
}

static void every_row_is_a_failure_on_every_wire(void **state)
{
    (void)state;
    for (int i = 0; i < TB_ERR_COUNT; i++) {
        assert_in_range(row(i)->http_status, 400, 599);
        assert_true(row(i)->rpc_code < 0);
        assert_in_range(row(i)->retry, TB_RETRY_NO, TB_RETRY_LATER);
    }
}

static void every_form_of_an_advice_is_a_sentence(void **state)
{
    (void)state;
    for (int i = 0; i < TB_ERR_COUNT; i++) {
        struct tb_str rest = tb_str_of(row(i)->advice);
        do {
            struct tb_str form = tb_str_cut(&rest, '|');
            assert_true(form.len > 10);
            assert_in_range(form.ptr[0], 'A', 'Z');
            assert_int_equal(form.ptr[form.len - 1], '.');
        } while (rest.ptr);
    }
}

static void a_code_leads_to_its_own_row(void **state)
{
    (void)state;
    assert_string_equal(tb_err_info(TB_E_PARSE)->wire, "parse_error");
    assert_string_equal(tb_err_info(TB_E_TOO_LARGE)->wire, "too_large");
    assert_int_equal(tb_err_info(TB_E_UNAUTHORIZED)->http_status, 401);
    assert_int_equal(tb_err_info(TB_E_METHOD)->rpc_code, -32601);
    assert_int_equal(tb_err_info(TB_E_BUSY)->retry, TB_RETRY_LATER);
}

static void any_other_code_counts_as_internal(void **state)
{
    (void)state;
    static const int codes[] = {0,     -1, -EPIPE,  -9999,       -10000 - TB_ERR_COUNT,
                                -4095, 1,  INT_MIN, INT_MIN + 1, INT_MAX};
    for (size_t i = 0; i < TB_COUNT(codes); i++) {
        assert_string_equal(tb_err_info(codes[i])->wire, "internal_error");
        assert_non_null(tb_err_name(codes[i]));
    }
}

static void codes_of_the_system_have_the_systems_words(void **state)
{
    (void)state;
    assert_string_equal(tb_err_name(-EPIPE), "Broken pipe");
    assert_string_equal(tb_err_name(EPIPE), "Broken pipe");
    assert_string_equal(tb_err_name(-4095), "unknown error");
    assert_string_equal(tb_err_name(INT_MAX), "unknown error");
}

static void failing_fills_code_and_words_and_returns_the_code(void **state)
{
    (void)state;
    struct tb_err err = {0};
    assert_int_equal(tb_fail(&err, TB_E_PARAMS, "argument %s is %d", "x", 7), TB_E_PARAMS);
    assert_int_equal(err.code, TB_E_PARAMS);
    assert_string_equal(err.text, "argument x is 7");
}

static void failing_without_a_place_for_words_is_fine(void **state)
{
    (void)state;
    assert_int_equal(tb_fail(NULL, TB_E_BUSY, "nobody %s", "listens"), TB_E_BUSY);
    tb_err_prefix(NULL, "reading %s: ", "x");
}

static void a_prefix_stands_before_the_old_words(void **state)
{
    (void)state;
    struct tb_err err;
    tb_fail(&err, -ENOENT, "no such file");
    tb_err_prefix(&err, "reading %s: ", "a.yaml");
    tb_err_prefix(&err, "start: ");
    assert_string_equal(err.text, "start: reading a.yaml: no such file");
    assert_int_equal(err.code, -ENOENT);
}

static void words_that_are_too_long_are_cut(void **state)
{
    (void)state;
    struct tb_err err;
    char words[2 * sizeof(err.text)];
    memset(words, 'w', sizeof(words));
    words[sizeof(words) - 1] = '\0';

    tb_fail(&err, TB_E_INVALID, "%s", words);
    assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
    tb_err_prefix(&err, "ab: ");
    assert_memory_equal(err.text, "ab: www", 7);
    assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
    tb_err_prefix(&err, "%s", words);
    assert_int_equal(strlen(err.text), sizeof(err.text) - 1);
    assert_memory_equal(err.text, words, sizeof(err.text) - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_has_a_wire_name_of_lower_case_words),
        cmocka_unit_test(wire_names_are_unique),
        cmocka_unit_test(every_row_is_a_failure_on_every_wire),
        cmocka_unit_test(every_form_of_an_advice_is_a_sentence),
        cmocka_unit_test(a_code_leads_to_its_own_row),
        cmocka_unit_test(any_other_code_counts_as_internal),
        cmocka_unit_test(codes_of_the_system_have_the_systems_words),
        cmocka_unit_test(failing_fills_code_and_words_and_returns_the_code),
        cmocka_unit_test(failing_without_a_place_for_words_is_fine),
        cmocka_unit_test(a_prefix_stands_before_the_old_words),
        cmocka_unit_test(words_that_are_too_long_are_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
