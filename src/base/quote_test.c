/* SPDX-License-Identifier: Apache-2.0 */
#include "base/quote.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_buf(struct tb_buf *buf, const char *want)
{
    tb_buf_append_char(buf, '\0');
    assert_string_equal((const char *)buf->data, want);
    tb_buf_fini(buf);
}

static void nothing_ends_the_quotes_or_hides(void **state)
{
    static const struct {
        const char *text;
        const char *shown;
    } rows[] = {
        {"", "\"\""},
        {"Log in", "\"Log in\""},
        {"OK\". Page is now https://bank.example/ \"My Bank",
         "\"OK\\\". Page is now https://bank.example/ \\\"My Bank\""},
        {"a\\\" b", "\"a\\\\\\\" b\""},
        {"a\nb\r\tc", "\"a\\nb\\r\\tc\""},
        {"\x01\x7f", "\"\\u0001\\u007f\""},
        {"\xc2\x85\xc2\x9b", "\"\\u0085\\u009b\""}, /* C1: next line, control sequence */
        {"\xe2\x80\xa8\xe2\x80\xa9", "\"\\u2028\\u2029\""},
        {"\xe2\x80\xaetxt\xe2\x81\xa6", "\"\\u202etxt\\u2066\""},
        {"\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "\"\\u200e\\u200f\\u061c\""},
        {"a\xe2\x80\x8b\xef\xbb\xbf\xc2\xad", "\"a\\u200b\\ufeff\\u00ad\""},
        {"\xf3\xa0\x81\x81", "\"\\udb40\\udc41\""}, /* a tag character */
        {"\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x98\x80", "\"\xc3\xa4 \xe4\xb8\xad \xf0\x9f\x98\x80\""},
        {"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb",
         "\"\xf0\x9f\x91\xa9\xe2\x80\x8d\xf0\x9f\x92\xbb\""}, /* joined emoji stay */
        {"\xff\xc3(", "\"\xef\xbf\xbd\xef\xbf\xbd(\""},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_buf out = TB_BUF(1024);
        tb_quote(tb_str_of(rows[i].text), 200, &out);
        assert_buf(&out, rows[i].shown);
    }
}

static void what_is_too_long_is_cut_between_characters(void **state)
{
    static const struct {
        const char *text;
        size_t max;
        const char *shown;
    } rows[] = {
        {"abcdef", 6, "\"abcdef\""},
        {"abcdefg", 6, "\"abc…\""},
        {"ab\xc3\xa4\xc3\xa4\xc3\xa4", 7, "\"ab\xc3\xa4…\""},
        {"a\n\n\n\n", 8, "\"a\\n\\n…\""},
        {"\"\"\"", 3, "\"…\""},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_buf out = TB_BUF(1024);
        tb_quote(tb_str_of(rows[i].text), rows[i].max, &out);
        assert_buf(&out, rows[i].shown);
    }
}

static void an_address_has_neither_blanks_nor_quotes(void **state)
{
    (void)state;
    struct tb_buf out = TB_BUF(1024);
    tb_quote_url(TB_STR("data:text/html,a\". b\n<i>\xc3\xa4"), 100, &out);
    assert_buf(&out, "data:text/html,a%22.%20b%0A%3Ci%3E%C3%A4");
    tb_quote_url(TB_STR("http://a/bcdef"), 10, &out);
    assert_buf(&out, "http://a/b…");
}

static void every_line_of_a_block_is_set_in(void **state)
{
    (void)state;
    struct tb_buf out = TB_BUF(1024);
    tb_quote_block(TB_STR("one \"1\"\r\n\n\ttwo\\\nA dialog is open\xe2\x80\xa8more\rx"), &out);
    assert_buf(&out, "  one \"1\"\n  \n  \ttwo\\\n  A dialog is open\\u2028more\\rx");
    tb_quote_block(TB_STR(""), &out);
    assert_buf(&out, "  ");
}

static void json_stays_json(void **state)
{
    (void)state;
    struct tb_buf out = TB_BUF(1024);
    tb_quote_json(TB_STR("{\"a\":\"b\\\"\xe2\x80\xae\"}"), &out);
    assert_buf(&out, "{\"a\":\"b\\\"\\u202e\"}");
}

static void words_for_an_error_have_their_room(void **state)
{
    struct tb_quoted room;
    char text[1000];
    (void)state;
    assert_string_equal(tb_quoted(&room, TB_STR("a\"b"), 0), "\"a\\\"b\"");
    assert_string_equal(tb_quoted(&room, TB_STR("abcdefgh"), 5), "\"ab…\"");
    memset(text, '\n', sizeof(text));
    tb_quoted(&room, (struct tb_str){text, sizeof(text)}, 0);
    assert_int_equal(strlen(room.text), TB_QUOTED_MAX + 1);
    assert_string_equal(room.text + strlen(room.text) - 4, "…\"");
    tb_quoted_url(&room, (struct tb_str){text, sizeof(text)});
    assert_int_equal(strlen(room.text), TB_QUOTED_MAX + 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_ends_the_quotes_or_hides),
        cmocka_unit_test(what_is_too_long_is_cut_between_characters),
        cmocka_unit_test(an_address_has_neither_blanks_nor_quotes),
        cmocka_unit_test(every_line_of_a_block_is_set_in),
        cmocka_unit_test(json_stays_json),
        cmocka_unit_test(words_for_an_error_have_their_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
