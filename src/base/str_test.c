/* SPDX-License-Identifier: Apache-2.0 */
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

static void assert_str(struct tb_str got, const char *want)
{
    if (!tb_str_eq_cstr(got, want)) {
        fail_msg("got '%.*s', want '%s'", TB_STR_ARG(got), want);
    }
}

static void null_is_an_empty_slice(void **state)
{
    (void)state;
    struct tb_str none = tb_str_of(NULL);
    assert_int_equal(none.len, 0);
    assert_true(tb_str_eq(none, TB_STR("")));
    assert_true(tb_str_eq_nocase(none, TB_STR("")));
    assert_true(tb_str_starts(none, TB_STR("")));
    assert_int_equal(tb_str_trim(none).len, 0);
    assert_null(tb_str_sub(none, 0, 5).ptr);
    assert_int_equal(tb_str_sub(none, 3, 5).len, 0);
}

static void a_cut_out_piece_is_clipped_to_the_slice(void **state)
{
    (void)state;
    static const struct {
        size_t from, to;
        const char *want;
    } rows[] = {{0, 6, "abcdef"}, {2, 4, "cd"}, {4, 99, "ef"}, {0, 0, ""},
                {6, 6, ""},       {9, 12, ""},  {4, 2, ""},    {0, SIZE_MAX, "abcdef"},
                {SIZE_MAX, 1, ""}};
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        assert_str(tb_str_sub(TB_STR("abcdef"), rows[i].from, rows[i].to), rows[i].want);
    }
}

static void equality_looks_at_length_and_every_byte(void **state)
{
    (void)state;
    assert_true(tb_str_eq(TB_STR("a\0b"), TB_STR("a\0b")));
    assert_false(tb_str_eq(TB_STR("a\0b"), TB_STR("a\0c")));
    assert_false(tb_str_eq(TB_STR("abc"), TB_STR("ab")));
    assert_false(tb_str_eq(TB_STR("ab"), TB_STR("abc")));
    assert_false(tb_str_eq_cstr(TB_STR("a\0b"), "a"));
    assert_true(tb_str_eq_cstr(TB_STR("abc"), "abc"));
}

static void the_order_is_that_of_the_bytes(void **state)
{
    (void)state;
    static const struct tb_str sorted[] = {
        {NULL, 0}, {"\0", 1}, {"a", 1}, {"a\0b", 3}, {"aa", 2}, {"b", 1}, {"\x80", 1}, {"\xff", 1},
    };
    for (size_t i = 0; i < TB_COUNT(sorted); i++) {
        for (size_t j = 0; j < TB_COUNT(sorted); j++) {
            int order = tb_str_compare(sorted[i], sorted[j]);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
    }
}

static void case_is_ignored_for_ascii_letters_only(void **state)
{
    (void)state;
    assert_true(tb_str_eq_nocase(TB_STR("Upgrade-AZ"), TB_STR("uPGRADE-az")));
    assert_false(tb_str_eq_nocase(TB_STR("@[`{"), TB_STR("`{@[")));
    assert_false(tb_str_eq_nocase(TB_STR("\xc3\x84"), TB_STR("\xc3\xa4")));
    assert_false(tb_str_eq_nocase(TB_STR("abc"), TB_STR("ab")));
}

static void a_prefix_is_no_longer_than_the_text(void **state)
{
    (void)state;
    assert_true(tb_str_starts(TB_STR("/v1/x"), TB_STR("/v1/")));
    assert_true(tb_str_starts(TB_STR("abc"), TB_STR("abc")));
    assert_true(tb_str_starts(TB_STR("abc"), TB_STR("")));
    assert_false(tb_str_starts(TB_STR("ab"), TB_STR("abc")));
    assert_false(tb_str_starts(TB_STR("abd"), TB_STR("abc")));
}

static void trimming_takes_spaces_and_tabs_only(void **state)
{
    (void)state;
    assert_str(tb_str_trim(TB_STR(" \t a b\t ")), "a b");
    assert_str(tb_str_trim(TB_STR(" \t ")), "");
    assert_str(tb_str_trim(TB_STR("")), "");
    assert_str(tb_str_trim(TB_STR("\na\r")), "\na\r");
}

static void cutting_walks_through_every_part(void **state)
{
    (void)state;
    struct tb_str rest = TB_STR("a,,bc,");
    static const char *const want[] = {"a", "", "bc", ""};
    for (size_t i = 0; i < TB_COUNT(want); i++) {
        assert_non_null(rest.ptr);
        assert_str(tb_str_cut(&rest, ','), want[i]);
    }
    assert_null(rest.ptr);
    assert_int_equal(rest.len, 0);
    assert_int_equal(tb_str_cut(&rest, ',').len, 0);
}

static void a_list_has_an_item_only_as_a_whole(void **state)
{
    (void)state;
    static const struct {
        struct tb_str list;
        bool want;
    } rows[] = {
        {TB_STR("keep-alive, Upgrade"), true},
        {TB_STR("upgrade"), true},
        {TB_STR("\tUPGRADE ,x"), true},
        {TB_STR("x,,upgrade"), true},
        {TB_STR("upgrades"), false},
        {TB_STR("up grade"), false},
        {TB_STR(""), false},
        {TB_STR(","), false},
        {TB_STR("upgrade;q=1"), false},
        {{NULL, 0}, false},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        assert_int_equal(tb_str_list_has(rows[i].list, TB_STR("upgrade")), rows[i].want);
    }
}

static void numbers_are_digits_only(void **state)
{
    (void)state;
    static const struct {
        struct tb_str text;
        uint64_t want;
    } good[] = {
        {TB_STR("0"), 0},
        {TB_STR("007"), 7},
        {TB_STR("18446744073709551615"), UINT64_MAX},
        {TB_STR("18446744073709551614"), UINT64_MAX - 1},
        {TB_STR("00000000000000000000000000000000000012"), 12},
    };
    static const struct tb_str bad[] = {
        TB_STR(""),
        TB_STR("-1"),
        TB_STR("+1"),
        TB_STR(" 1"),
        TB_STR("1 "),
        TB_STR("0x1"),
        TB_STR("1a"),
        TB_STR("1.0"),
        TB_STR("1\0002"),
        {NULL, 0},
        TB_STR("18446744073709551616"),
        TB_STR("18446744073709551620"),
        TB_STR("99999999999999999999"),
        TB_STR("184467440737095516150"),
    };
    for (size_t i = 0; i < TB_COUNT(good); i++) {
        uint64_t value = 99;
        assert_true(tb_str_to_u64(good[i].text, &value));
        assert_true(value == good[i].want);
    }
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        uint64_t value = 99;
        assert_false(tb_str_to_u64(bad[i], &value));
        assert_true(value == 99);
    }
}

static void a_copy_ends_in_nul_and_keeps_every_byte(void **state)
{
    (void)state;
    TB_AUTO(tb_free) char *copy = tb_str_dup(tb_str_sub(TB_STR("a\0bcd"), 0, 4));
    assert_memory_equal(copy, "a\0bc", 5);
    TB_AUTO(tb_free) char *empty = tb_str_dup((struct tb_str){NULL, 0});
    assert_string_equal(empty, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(null_is_an_empty_slice),
        cmocka_unit_test(a_cut_out_piece_is_clipped_to_the_slice),
        cmocka_unit_test(equality_looks_at_length_and_every_byte),
        cmocka_unit_test(the_order_is_that_of_the_bytes),
        cmocka_unit_test(case_is_ignored_for_ascii_letters_only),
        cmocka_unit_test(a_prefix_is_no_longer_than_the_text),
        cmocka_unit_test(trimming_takes_spaces_and_tabs_only),
        cmocka_unit_test(cutting_walks_through_every_part),
        cmocka_unit_test(a_list_has_an_item_only_as_a_whole),
        cmocka_unit_test(numbers_are_digits_only),
        cmocka_unit_test(a_copy_ends_in_nul_and_keeps_every_byte),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
