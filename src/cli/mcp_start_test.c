/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mcp_start.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/buf.h"

/* What the bridge makes of these bytes. */
static int result_of(const void *bytes, size_t len, struct tb_err *ret_err)
{
    char dir[] = "/state";
    const struct tb_config config = {.state_dir = dir};
    int fds[2];
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], bytes, len), (ssize_t)len);
    close(fds[1]);
    int rc = tb_mcp_start_result(&config, fds[0], ret_err);
    close(fds[0]);
    return rc;
}

static void a_daemon_that_is_ready_may_say_it_at_any_length(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(SIZE_MAX);
    struct tb_err err = {0};
    (void)state;
    tb_buf_append_cstr(&text, "tabard ready ");
    while (text.len < 2 * sizeof(err)) {
        tb_buf_append_char(&text, 'x');
    }
    assert_int_equal(result_of(text.data, 20, &err), 0);
    assert_int_equal(result_of(text.data, sizeof(err), &err), 0);
    assert_int_equal(result_of(text.data, text.len, &err), 0);
    assert_int_equal(err.code, 0);
}

static void a_daemon_that_fails_says_why(void **state)
{
    struct tb_err said = {.code = TB_E_CONFIG};
    struct tb_err err = {0};
    (void)state;
    snprintf(said.text, sizeof(said.text), "the port is taken");
    assert_int_equal(result_of(&said, sizeof(said), &err), TB_E_CONFIG);
    assert_string_equal(err.text, "the port is taken");
    memset(said.text, 'y', sizeof(said.text)); /* no end */
    assert_int_equal(result_of(&said, sizeof(said), &err), TB_E_CONFIG);
    assert_int_equal(strspn(err.text, "y"), sizeof(err.text) - 1);
    assert_int_equal(result_of("", 0, &err), TB_E_CLOSED);
    assert_non_null(strstr(err.text, "/state/daemon.log"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_daemon_that_is_ready_may_say_it_at_any_length),
        cmocka_unit_test(a_daemon_that_fails_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
