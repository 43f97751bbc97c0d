/* SPDX-License-Identifier: Apache-2.0 */
#include "base/utf8.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

/* The encoding written out by its definition (RFC 3629, section 3). */
static size_t encode(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | (code >> 6));
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | (code >> 12));
        out[1] = (char)(0x80 | ((code >> 6) & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | (code >> 18));
    out[1] = (char)(0x80 | ((code >> 12) & 0x3f));
    out[2] = (char)(0x80 | ((code >> 6) & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

static void every_character_is_valid_but_the_surrogates(void **state)
{
    (void)state;
    for (uint32_t code = 0; code <= 0x1fffff; code++) {
        char bytes[4];
        size_t len = encode(code, bytes);
        bool good = code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
        if (tb_utf8_valid((struct tb_str){bytes, len}) != good) {
            fail_msg("U+%04X", code);
        }
    }
}

static void exactly_the_encodings_of_two_bytes_are_valid(void **state)
{
    (void)state;
    for (unsigned first = 0; first < 256; first++) {
        for (unsigned second = 0; second < 256; second++) {
            const char bytes[] = {(char)first, (char)second};
            bool ascii = first < 0x80 && second < 0x80;
            bool pair = first >= 0xc2 && first <= 0xdf && (second & 0xc0) == 0x80;
            assert_int_equal(tb_utf8_valid((struct tb_str){bytes, 2}), ascii || pair);
        }
    }
}

static void the_prefix_ends_before_the_first_bad_byte(void **state)
{
    (void)state;
    static const struct {
        struct tb_str text;
        size_t want;
    } rows[] = {
        {{NULL, 0}, 0},
        {TB_STR("abc"), 3},
        {TB_STR("a\0b"), 3},
        {TB_STR("ab\xff"), 2},
        {TB_STR("\x80"), 0},
        {TB_STR("a\xc3"), 1},
        {TB_STR("a\xe2\x82"), 1},
        {TB_STR("a\xf0\x9f\x98"), 1},
        {TB_STR("\xe2\x82\xac\xe2\x82"), 3},
        {TB_STR("\xc0\x80"), 0},
        {TB_STR("\xc1\xbf"), 0},
        {TB_STR("\xe0\x9f\xbf"), 0},
        {TB_STR("\xf0\x8f\xbf\xbf"), 0},
        {TB_STR("\xf4\x90\x80\x80"), 0},
        {TB_STR("\xf5\x80\x80\x80"), 0},
        {TB_STR("\xed\x9f\xbf\xed\xa0\x80"), 3},
        {TB_STR("\xe2\x28\xa1"), 0},
        {TB_STR("\xe2\x82\x28"), 0},
        {TB_STR("\xf0\x9f\x98\x28"), 0},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        assert_int_equal(tb_utf8_prefix(rows[i].text), rows[i].want);
    }
}

/* Plain text goes eight bytes a step; a bad byte has to be found wherever it lies in a step. */
static void a_bad_byte_is_found_at_every_place(void **state)
{
    (void)state;
    for (size_t len = 1; len <= 40; len++) {
        for (size_t at = 0; at < len; at++) {
            char *text = tb_zalloc(len);
            memset(text, 'a', len);
            text[at] = (char)0xc3;
            assert_int_equal(tb_utf8_prefix((struct tb_str){text, len}), at);
            if (at + 1 < len) {
                text[at + 1] = (char)0xa4;
                assert_int_equal(tb_utf8_prefix((struct tb_str){text, len}), len);
            }
            tb_free(text);
        }
    }
}

static void characters_are_counted_and_kept_whole(void **state)
{
    (void)state;
    struct tb_str text = TB_STR("a\xc3\xa9\xe2\x82\xac"
                                "b");
    static const size_t ends[] = {0, 1, 3, 6, 7, 7};
    for (size_t i = 0; i < TB_COUNT(ends); i++) {
        size_t chars = 0;
        assert_int_equal(tb_utf8_end(text, i, &chars), ends[i]);
        assert_int_equal(chars, 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_character_is_valid_but_the_surrogates),
        cmocka_unit_test(exactly_the_encodings_of_two_bytes_are_valid),
        cmocka_unit_test(the_prefix_ends_before_the_first_bad_byte),
        cmocka_unit_test(a_bad_byte_is_found_at_every_place),
        cmocka_unit_test(characters_are_counted_and_kept_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
