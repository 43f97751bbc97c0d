/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/json_string.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/mem.h"

static const struct {
    const char *raw;
    struct tb_str plain;
} pairs[] = {
    {"\"\"", TB_STR("")},
    {"\"abc\"", TB_STR("abc")},
    {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", TB_STR("\"\\/\b\f\n\r\t")},
    {"\"a\\u0041b\"", TB_STR("aAb")},
    {"\"\\u007f\\u0080\"", TB_STR("\x7f\xc2\x80")},
    {"\"\\u07ff\\u0800\"", TB_STR("\xdf\xbf\xe0\xa0\x80")},
    {"\"\\uFFFF\\ud800\\udc00\"", TB_STR("\xef\xbf\xbf\xf0\x90\x80\x80")},
    {"\"\\udbff\\udfff\"", TB_STR("\xf4\x8f\xbf\xbf")},
    {"\"x\\ud83d\\uDE00y\"", TB_STR("x\xf0\x9f\x98\x80y")},
    {"\"\xc3\xa9\\u00e9\"", TB_STR("\xc3\xa9\xc3\xa9")},
    {"\"a\\u0000b\"", TB_STR("a\0b")},
    {"\"\\ud800x\\udc00\"", TB_STR("\xef\xbf\xbdx\xef\xbf\xbd")},
    {"\"\\ud800\\ud83d\\ude00\"", TB_STR("\xef\xbf\xbd\xf0\x9f\x98\x80")},
};

static void strings_decode_to_utf8(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(pairs); i++) {
        TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(100);
        assert_int_equal(tb_buf_append_cstr(&out, "before "), 0);
        assert_int_equal(tb_json_string_decode(tb_str_of(pairs[i].raw), &out), 0);
        assert_true(tb_str_eq(tb_str_sub(tb_buf_str(&out), 7, out.len), pairs[i].plain));
    }
}

static void comparing_is_decoding(void **state)
{
    (void)state;
    for (size_t i = 0; i < TB_COUNT(pairs); i++) {
        struct tb_str raw = tb_str_of(pairs[i].raw);
        for (size_t j = 0; j < TB_COUNT(pairs); j++) {
            assert_int_equal(tb_json_string_eq(raw, pairs[j].plain), i == j);
        }
        assert_false(tb_json_string_eq(raw, TB_STR("something else")));
    }
    assert_false(tb_json_string_eq(TB_STR("\"abc\""), TB_STR("abcd")));
    assert_false(tb_json_string_eq(TB_STR("\"abcd\""), TB_STR("abc")));
}

static void what_is_no_string_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "\"", "abc", "12", "\"abc", "abc\"", "\"\\\"", "\"\\q\"", "\"\\u12\"", "\"\\u12g4\"",
    };
    for (size_t i = 0; i < TB_COUNT(texts); i++) {
        TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(100);
        assert_int_equal(tb_buf_append_cstr(&out, "kept"), 0);
        assert_int_equal(tb_json_string_decode(tb_str_of(texts[i]), &out), TB_E_PARSE);
        assert_true(tb_str_eq_cstr(tb_buf_str(&out), "kept"));
        assert_false(tb_json_string_eq(tb_str_of(texts[i]), tb_str_of(texts[i])));
    }
    assert_false(tb_json_string_eq((struct tb_str){NULL, 0}, TB_STR("")));
}

static void a_full_buffer_stays_as_it_was(void **state)
{
    (void)state;
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(6);
    assert_int_equal(tb_buf_append_cstr(&out, "12"), 0);
    assert_int_equal(tb_json_string_decode(TB_STR("\"abc\\n\""), &out), 0);
    out.len = 2;
    assert_int_equal(tb_json_string_decode(TB_STR("\"abc\\n\\n\""), &out), TB_E_TOO_LARGE);
    assert_true(tb_str_eq_cstr(tb_buf_str(&out), "12"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings_decode_to_utf8),
        cmocka_unit_test(comparing_is_decoding),
        cmocka_unit_test(what_is_no_string_is_refused),
        cmocka_unit_test(a_full_buffer_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
