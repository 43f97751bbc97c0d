/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/mcp_pending.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "base/mem.h"

#define ASK(id)    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"ping\"}"
#define ANSWER(id) "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{}}"
#define CANCEL(id)                                                 \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"," \
    "\"params\":{\"requestId\":" id "}}"
#define INITIALIZE(version)                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\"," \
    "\"params\":{\"protocolVersion\":\"" version "\"}}"

static int set_up(void **state)
{
    struct tb_mcp_pending *pending = TB_NEW(struct tb_mcp_pending);
    tb_mcp_pending_init(pending);
    *state = pending;
    return 0;
}

static int tear_down(void **state)
{
    tb_mcp_pending_fini(*state);
    tb_free(*state);
    return 0;
}

static bool ask(struct tb_mcp_pending *pending, const char *line)
{
    return tb_mcp_pending_asked(pending, tb_str_of(line));
}

static void answer(struct tb_mcp_pending *pending, const char *line)
{
    tb_mcp_pending_answered(pending, tb_str_of(line));
}

static void expect_due(struct tb_mcp_pending *pending, size_t count)
{
    assert_int_equal(tb_mcp_pending_count(pending), count);
}

static void a_request_is_due_until_its_answer(void **state)
{
    assert_false(ask(*state, ASK("1")));
    ask(*state, ASK("\"1\""));
    expect_due(*state, 2);
    answer(*state, ANSWER("1"));
    answer(*state, ANSWER("7"));
    answer(*state, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}");
    answer(*state, ASK("\"1\"")); /* a request of the daemon has ids of its own */
    expect_due(*state, 1);
    answer(*state,
           "{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"error\":{\"code\":1,\"message\":\"\\ud800\"}}");
    expect_due(*state, 0);
}

static void what_gets_no_answer_by_its_id_is_not_due(void **state)
{
    ask(*state, "garbage");
    ask(*state, "");
    ask(*state, "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}");
    ask(*state, "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}");
    ask(*state, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    ask(*state, ANSWER("4"));
    expect_due(*state, 0);
    ask(*state, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":7}");
    expect_due(*state, 1);
}

static void a_cancelled_request_is_not_due(void **state)
{
    for (int i = 0; i < 10000; i++) {
        char line[200];
        snprintf(line, sizeof(line), ASK("%d"), i);
        ask(*state, line);
        snprintf(line, sizeof(line), CANCEL("%d"), i);
        ask(*state, line);
    }
    expect_due(*state, 0);
    ask(*state, CANCEL("3"));
    ask(*state, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\"}");
    expect_due(*state, 0);
}

static void an_id_that_is_used_twice_is_due_twice(void **state)
{
    ask(*state, ASK("1"));
    ask(*state, ASK("1"));
    answer(*state, ANSWER("1"));
    expect_due(*state, 1);
    answer(*state, ANSWER("1"));
    expect_due(*state, 0);
}

static void a_batch_counts_only_in_the_version_that_has_it(void **state)
{
    const char *batch = "[" ASK("1") "," ASK("2") "," CANCEL("2") "]";
    assert_true(ask(*state, INITIALIZE("2025-06-18")));
    ask(*state, batch);
    expect_due(*state, 1);
    assert_true(ask(*state, INITIALIZE("2025-03-26")));
    ask(*state, batch);
    expect_due(*state, 2);
    answer(*state, "[" ANSWER("1") "," ANSWER("0") "]");
    answer(*state, ANSWER("0"));
    expect_due(*state, 0);
}

static void what_is_due_fails_in_the_form_in_which_it_was_asked(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(4096);
    ask(*state, INITIALIZE("2025-03-26"));
    ask(*state, "[" ASK("1") "," ASK("2") "]");
    ask(*state, "[" ASK("3") "]");
    ask(*state, ASK("4"));
    tb_mcp_pending_fail(*state, TB_E_CLOSED, "gone", &out);
    tb_buf_append_char(&out, '\0');
    char error[100];
    snprintf(error, sizeof(error), "\"error\":{\"code\":%d,\"message\":\"gone\"}}",
             tb_err_info(TB_E_CLOSED)->rpc_code);
    char *text = tb_strdupf("{\"jsonrpc\":\"2.0\",\"id\":0,%s\n"
                            "[{\"jsonrpc\":\"2.0\",\"id\":1,%s,{\"jsonrpc\":\"2.0\",\"id\":2,%s]\n"
                            "[{\"jsonrpc\":\"2.0\",\"id\":3,%s]\n"
                            "{\"jsonrpc\":\"2.0\",\"id\":4,%s\n",
                            error, error, error, error, error);
    assert_string_equal((const char *)out.data, text);
    tb_free(text);
    expect_due(*state, 0);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(a_request_is_due_until_its_answer),
        WITH(what_gets_no_answer_by_its_id_is_not_due),
        WITH(a_cancelled_request_is_not_due),
        WITH(an_id_that_is_used_twice_is_due_twice),
        WITH(a_batch_counts_only_in_the_version_that_has_it),
        WITH(what_is_due_fails_in_the_form_in_which_it_was_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
