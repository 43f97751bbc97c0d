/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/json_plain.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/err.h"

static void only_what_needs_an_escape_keeps_it(void **state)
{
    static const struct {
        const char *json;
        const char *plain;
    } rows[] = {
        {"", ""},
        {"[1,\"a\",null]", "[1,\"a\",null]"},
        {"\"\\u00e4\"", "\"\xc3\xa4\""},
        {"\"\\u0434\\u0430\"", "\"\xd0\xb4\xd0\xb0\""},
        {"\"\\u65e5x\"", "\"\xe6\x97\xa5x\""},
        {"\"\\ud83d\\ude00!\"", "\"\xf0\x9f\x98\x80!\""},
        {"\"\\ud83d\"", "\"\\ud83d\""},
        {"\"\\ude00\\u00e4\"", "\"\\ude00\xc3\xa4\""},
        {"\"\\u0000\\u001f\\\"\\\\\\n\"", "\"\\u0000\\u001f\\\"\\\\\\n\""},
        {"\"\\\\u00e4\"", "\"\\\\u00e4\""},
        {"\"\\u0041\"", "\"\\u0041\""},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct tb_buf out;
        tb_buf_init(&out, 1024);
        assert_int_equal(tb_json_plain(tb_str_of(rows[i].json), &out), 0);
        tb_buf_append_char(&out, '\0');
        assert_string_equal((const char *)out.data, rows[i].plain);
        tb_buf_fini(&out);
    }
}

static void at_the_ceiling_the_buffer_stays_as_it_was(void **state)
{
    struct tb_buf out;
    (void)state;
    tb_buf_init(&out, 4);
    tb_buf_append_char(&out, 'x');
    assert_int_equal(tb_json_plain(TB_STR("\"a\\u00e4\""), &out), TB_E_TOO_LARGE);
    assert_int_equal(out.len, 1);
    tb_buf_fini(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_needs_an_escape_keeps_it),
        cmocka_unit_test(at_the_ceiling_the_buffer_stays_as_it_was),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
