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

#include "support/mcp_rig.h"

struct fixture {
    struct mcp_rig rig;
    struct mcp_client client;
    char session[128]; /* the header line */
};

static int set_up(void **state)
{
    struct fixture *f = TB_NEW(struct fixture);
    mcp_rig_init(&f->rig);
    f->rig.fixtures = true;
    mcp_rig_serve(&f->rig);
    mcp_client_open(&f->rig, &f->client);
    const char *said =
        mcp_client_ask(&f->rig, &f->client, "POST /mcp", "", INITIALIZE("2025-03-26"));
    const char *line = strstr(said, "Mcp-Session-Id: ");
    assert_non_null(line);
    snprintf(f->session, sizeof(f->session), "%.*s", (int)(strstr(line, "\r\n") + 2 - line), line);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mcp_client_close(&f->client);
    mcp_rig_turn(&f->rig);
    mcp_rig_fini(&f->rig);
    tb_free(f);
    return 0;
}

static void expect(const char *text, const char *part)
{
    if (!strstr(text, part)) {
        fail_msg("'%s' is not in '%s'", part, text);
    }
}

static const char *ask(struct fixture *f, const char *body)
{
    return mcp_client_ask(&f->rig, &f->client, "POST /mcp", f->session, body);
}

#define CANCEL_1 \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}"

static void a_batch_that_has_begun_to_stream_and_is_cancelled_ends_its_stream(void **state)
{
    struct fixture *f = *state;
    const char *said = ask(
        f, "[" REQUEST(1, "tools/call", "\"name\":\"test_tool_with_logging\"") "," CANCEL_1 "]");
    expect(said, "Content-Type: text/event-stream");
    expect(said, "The tool has begun.");
    expect(said, "\r\n0\r\n\r\n");
    expect(ask(f, REQUEST(5, "ping", "")), "\"id\":5,\"result\"");
}

static void a_batch_without_requests_is_accepted(void **state)
{
    expect(ask(*state, "[" CANCEL_1 "]"), "HTTP/1.1 202 ");
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(a_batch_that_has_begun_to_stream_and_is_cancelled_ends_its_stream),
        WITH(a_batch_without_requests_is_accepted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
