/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/json.h"
#include "base/utf8.h"

static void assert_written(struct tb_buf *out, const char *want)
{
    if (!tb_str_eq_cstr(tb_buf_str(out), want)) {
        fail_msg("got  %.*s\nwant %s", TB_STR_ARG(tb_buf_str(out)), want);
    }
}

static void write_everything(struct tb_json_writer *writer)
{
    tb_json_object_open(writer);
    tb_json_key(writer, "list");
    tb_json_array_open(writer);
    tb_json_put_int(writer, 1);
    tb_json_put_cstr(writer, "two");
    tb_json_array_open(writer);
    tb_json_array_close(writer);
    tb_json_object_open(writer);
    tb_json_object_close(writer);
    tb_json_array_close(writer);
    tb_json_key(writer, "yes");
    tb_json_put_bool(writer, true);
    tb_json_key(writer, "no");
    tb_json_put_bool(writer, false);
    tb_json_key(writer, "null");
    tb_json_put_null(writer);
    tb_json_key(writer, "raw");
    tb_json_put_raw(writer, TB_STR("{\"n\":1e400}"));
    tb_json_key(writer, "absent");
    tb_json_put_cstr(writer, NULL);
    tb_json_object_close(writer);
}

static const char everything[] = "{\"list\":[1,\"two\",[],{}],\"yes\":true,\"no\":false,"
                                 "\"null\":null,\"raw\":{\"n\":1e400},\"absent\":null}";

static void commas_stand_where_they_belong(void **state)
{
    (void)state;
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1000);
    struct tb_json_writer writer;
    tb_json_writer_init(&writer, &out);
    write_everything(&writer);
    assert_int_equal(writer.rc, 0);
    assert_written(&out, everything);
}

static void the_largest_whole_numbers_are_written_in_full(void **state)
{
    (void)state;
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1000);
    struct tb_json_writer writer;
    tb_json_writer_init(&writer, &out);
    tb_json_array_open(&writer);
    tb_json_put_int(&writer, INT64_MIN);
    tb_json_put_int(&writer, INT64_MAX);
    tb_json_array_close(&writer);
    assert_written(&out, "[-9223372036854775808,9223372036854775807]");
}

static void assert_text_written(struct tb_str text, const char *want)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1000);
    struct tb_json_writer writer;
    tb_json_writer_init(&writer, &out);
    tb_json_put_str(&writer, text);
    assert_int_equal(writer.rc, 0);
    assert_written(&out, want);
}

static void text_is_escaped_as_json_wants_it(void **state)
{
    (void)state;
    assert_text_written(TB_STR(""), "\"\"");
    assert_text_written((struct tb_str){NULL, 0}, "\"\"");
    assert_text_written(TB_STR("plain/ \x7f"), "\"plain/ \x7f\"");
    assert_text_written(TB_STR("\"\\"), "\"\\\"\\\\\"");
    assert_text_written(TB_STR("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\"");
    assert_text_written(TB_STR("a\0b\x01\x1f"), "\"a\\u0000b\\u0001\\u001f\"");
    assert_text_written(TB_STR("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
                        "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
}

#define BAD "\xef\xbf\xbd"

static void bytes_that_are_no_utf8_become_replacement_characters(void **state)
{
    (void)state;
    assert_text_written(TB_STR("\xff"), "\"" BAD "\"");
    assert_text_written(TB_STR("a\x80z"), "\"a" BAD "z\"");
    assert_text_written(TB_STR("cut \xe2\x82"), "\"cut " BAD BAD "\"");
    assert_text_written(TB_STR("\xed\xa0\x80"), "\"" BAD BAD BAD "\"");
    assert_text_written(TB_STR("\xc0\xaf\""), "\"" BAD BAD "\\\"\"");
    assert_text_written(TB_STR("\xf0\x9f\x98\n"), "\"" BAD BAD BAD "\\n\"");
}

static void keys_are_escaped_too(void **state)
{
    (void)state;
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1000);
    struct tb_json_writer writer;
    tb_json_writer_init(&writer, &out);
    tb_json_object_open(&writer);
    tb_json_key(&writer, "a\"\xff");
    tb_json_put_int(&writer, 1);
    tb_json_object_close(&writer);
    assert_written(&out, "{\"a\\\"" BAD "\":1}");
}

static void a_member_is_its_key_and_its_value(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(400);
    TB_AUTO(tb_json_free) struct cJSON *tree = tb_json_parse(TB_STR("[1,{}]"));
    struct tb_json_writer writer;
    (void)state;
    tb_json_writer_init(&writer, &out);
    tb_json_object_open(&writer);
    tb_json_member_str(&writer, "str", TB_STR("a\"b"));
    tb_json_member_cstr(&writer, "none", NULL);
    tb_json_member_int(&writer, "int", -7);
    tb_json_member_num(&writer, "num", 0.5);
    tb_json_member_bool(&writer, "bool", true);
    tb_json_member_raw(&writer, "raw", TB_STR("1e400"));
    tb_json_member_tree(&writer, "tree", tree);
    tb_json_member_time(&writer, "at", 1767323045006);
    tb_json_member_time(&writer, "never", 0);
    tb_json_object_close(&writer);
    assert_int_equal(writer.rc, 0);
    assert_written(
        &out,
        "{\"str\":\"a\\\"b\",\"none\":null,\"int\":-7,\"num\":0.5,\"bool\":true,\"raw\":1e400,"
        "\"tree\":[1,{}],\"at\":\"2026-01-02T03:04:05.006Z\",\"never\":null}");
}

/* Whatever the bytes and wherever they stand, the reader gets back text that is valid, and the same
 * if it was valid. */
static void what_is_written_can_be_read(void **state)
{
    enum {
        BESIDE = 9, /* plain bytes on either side: eight are looked at together */
    };
    char bytes[2 * BESIDE + 2];
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(1000);
    (void)state;
    memset(bytes, 'a', sizeof(bytes));
    for (unsigned i = 1; i < 256 * 256; i++) {
        for (size_t before = 0; before <= BESIDE; before++) {
            struct tb_str text = {bytes + BESIDE - before, sizeof(bytes) - BESIDE + before};
            struct tb_json_writer writer;
            struct tb_str back;
            bytes[BESIDE] = (char)(i / 256 ? i / 256 : 1);
            bytes[BESIDE + 1] = (char)(i % 256 ? i % 256 : 1);
            tb_buf_clear(&out);
            tb_json_writer_init(&writer, &out);
            tb_json_put_str(&writer, text);
            TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(tb_buf_str(&out));
            assert_true(tb_json_str(json, &back));
            assert_true(tb_utf8_valid(back));
            assert_int_equal(tb_str_eq(back, text), tb_utf8_valid(text));
        }
    }
}

static void the_ceiling_sticks_and_the_exact_size_fits(void **state)
{
    (void)state;
    for (size_t max = 0; max <= sizeof(everything); max++) {
        TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(max);
        struct tb_json_writer writer;
        tb_json_writer_init(&writer, &out);
        write_everything(&writer);
        bool fits = max >= sizeof(everything) - 1;
        assert_int_equal(writer.rc, fits ? 0 : TB_E_TOO_LARGE);
        /* What was written before the failure is a beginning: nothing follows the gap. */
        assert_true(tb_str_starts(TB_STR(everything), tb_buf_str(&out)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commas_stand_where_they_belong),
        cmocka_unit_test(the_largest_whole_numbers_are_written_in_full),
        cmocka_unit_test(text_is_escaped_as_json_wants_it),
        cmocka_unit_test(bytes_that_are_no_utf8_become_replacement_characters),
        cmocka_unit_test(keys_are_escaped_too),
        cmocka_unit_test(a_member_is_its_key_and_its_value),
        cmocka_unit_test(what_is_written_can_be_read),
        cmocka_unit_test(the_ceiling_sticks_and_the_exact_size_fits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
