/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/daemon_call.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "support/temp_dir.h"

static void an_error_is_told_in_the_words_of_the_daemon(void **state)
{
    struct tb_err err = {0};
    (void)state;
    int rc = tb_daemon_call_refused(
        404,
        TB_STR("{\"error\":{\"code\":\"not_found\",\"message\":\"there is no key \\\"x\\\"\","
               "\"hint\":\"List them.\"}}"),
        &err);
    assert_int_equal(rc, TB_E_NOT_FOUND);
    assert_string_equal(err.text, "there is no key \"x\". List them.");
    tb_daemon_call_refused(403, TB_STR("{\"error\":{\"message\":\"no\"}}"), &err);
    assert_string_equal(err.text, "no");
}

static void an_answer_of_another_server_is_told_by_its_status(void **state)
{
    static const char *const bodies[] = {"", "<html>", "[]", "{\"error\":\"no\"}",
                                         "{\"error\":{\"message\":5}}"};
    (void)state;
    for (size_t i = 0; i < TB_COUNT(bodies); i++) {
        struct tb_err err = {0};
        assert_int_equal(tb_daemon_call_refused(502, tb_str_of(bodies[i]), &err), TB_E_PROTOCOL);
        assert_non_null(strstr(err.text, "502"));
    }
}

static void without_a_daemon_it_says_how_to_start_one(void **state)
{
    const struct tb_config config = {.runtime_dir = *state};
    const struct tb_daemon_way way = {0};
    const struct tb_daemon_call call = {.method = "GET", .path = "/api/keys"};
    TB_AUTO(tb_buf_fini) struct tb_buf body = TB_BUF(100);
    struct tb_err err = {0};
    assert_true(tb_daemon_call(&config, &way, &call, &body, &err) < 0);
    assert_non_null(strstr(err.text, "no daemon is running at "));
    assert_non_null(strstr(err.text, "'tabard serve'"));
    assert_int_equal(body.len, 0);
}

static void its_options_are_taken_with_their_values(void **state)
{
    char url[] = "--url";
    char value[] = "http://h:1";
    char token[] = "--token=t";
    char other[] = "--json";
    char *argv[] = {url, value, token, other, url};
    struct tb_daemon_way way = {0};
    int at = 0;
    (void)state;
    assert_true(tb_daemon_way_option(&way, 5, argv, &at));
    assert_int_equal(at, 1);
    at = 2;
    assert_true(tb_daemon_way_option(&way, 5, argv, &at));
    at = 3;
    assert_false(tb_daemon_way_option(&way, 5, argv, &at));
    at = 4;
    assert_false(tb_daemon_way_option(&way, 5, argv, &at));
    assert_string_equal(way.url, "http://h:1");
    assert_string_equal(way.token, "t");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_is_told_in_the_words_of_the_daemon),
        cmocka_unit_test(an_answer_of_another_server_is_told_by_its_status),
        TEMP_DIR_TEST(without_a_daemon_it_says_how_to_start_one),
        cmocka_unit_test(its_options_are_taken_with_their_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
