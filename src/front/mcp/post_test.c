/* SPDX-License-Identifier: Apache-2.0 */
/* Ends of a reply that others than the one request of the POST bring about. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

#include "support/mcp_http.h"

static int set_up(void **state)
{
    *state = mcp_http_new(true);
    mcp_http_begin(*state, "2025-03-26");
    return 0;
}

static const char *ask(struct mcp_http *f, const char *body)
{
    return mcp_http_ask(f, "POST /mcp", f->session, body);
}

#define CANCEL_1 \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}"

static void a_batch_that_has_begun_to_stream_and_is_cancelled_ends_its_stream(void **state)
{
    struct mcp_http *f = *state;
    const char *said = ask(
        f, "[" REQUEST(1, "tools/call", "\"name\":\"test_tool_with_logging\"") "," CANCEL_1 "]");
    mcp_expect(said, "Content-Type: text/event-stream");
    mcp_expect(said, "The tool has begun.");
    mcp_expect(said, "\r\n0\r\n\r\n");
    mcp_expect(ask(f, REQUEST(5, "ping", "")), "\"id\":5,\"result\"");
}

static void a_batch_without_requests_is_accepted(void **state)
{
    mcp_expect(ask(*state, "[" CANCEL_1 "]"), "HTTP/1.1 202 ");
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, mcp_http_stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(a_batch_that_has_begun_to_stream_and_is_cancelled_ends_its_stream),
        WITH(a_batch_without_requests_is_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
