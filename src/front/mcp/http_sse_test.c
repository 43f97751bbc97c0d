/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/http_sse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/sessions.h"

#include "support/mcp_http.h"

#define PING REQUEST(5, "ping", "")
#define NAVIGATE \
    REQUEST(9, "tools/call", "\"name\":\"browser_navigate\",\"arguments\":{\"url\":\"http://x/\"}")
#define LARGE_BYTES ((size_t)600 * TB_KIB)

struct news {
    struct mcp_client client;
    char line[128]; /* of a request to its endpoint */
};

static void open_stream(struct mcp_http *f, struct news *news)
{
    static const char before[] = "event: endpoint\ndata: ";
    mcp_client_open(&f->rig, &news->client);
    const char *said = mcp_client_ask(&f->rig, &news->client, "GET /mcp/sse", "", "");
    mcp_expect(said, "Content-Type: text/event-stream");
    const char *at = strstr(said, before);
    assert_non_null(at);
    at += strlen(before);
    snprintf(news->line, sizeof(news->line), "POST %.*s", (int)strcspn(at, "\n"), at);
}

static void post(struct mcp_http *f, const struct news *news, const char *message)
{
    mcp_expect(mcp_http_ask(f, news->line, "", message), "HTTP/1.1 202 ");
}

static void what_is_posted_is_answered_on_the_stream(void **state)
{
    struct mcp_http *f = *state;
    struct news news;
    open_stream(f, &news);
    post(f, &news, INITIALIZE("2024-11-05"));
    mcp_expect(mcp_client_heard(&news.client),
               "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":1,\"result\"");
    mcp_rig_advance(&f->rig, TB_MCP_KEEPALIVE_MS);
    mcp_expect(mcp_client_heard(&news.client), ": keepalive\n");
    post(f, &news, NAVIGATE);
    mcp_expect(mcp_client_heard(&news.client), "\"id\":9,\"result\"");
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 1);
    mcp_client_close(&news.client);
    mcp_rig_turn(&f->rig);
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 0); /* its conversation is over */
    mcp_expect(mcp_http_ask(f, news.line, "", PING), "HTTP/1.1 404 ");
}

static void a_reader_that_falls_behind_misses_nothing(void **state)
{
    struct mcp_http *f = *state;
    struct news news;
    open_stream(f, &news);
    f->rig.fake->text_bytes = LARGE_BYTES;
    tb_stream_pause(news.client.stream);
    for (int i = 0; i < 6; i++) {
        post(f, &news, NAVIGATE);
    }
    post(f, &news, PING);
    tb_stream_resume(news.client.stream);
    mcp_rig_turn(&f->rig);
    const char *said = mcp_client_heard(&news.client);
    assert_true(strlen(said) > 6 * LARGE_BYTES);
    mcp_expect(said + 6 * LARGE_BYTES, "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}");
    mcp_client_close(&news.client);
}

static void a_stream_that_nobody_reads_ends(void **state)
{
    struct mcp_http *f = *state;
    struct news news;
    size_t sent = 0;
    open_stream(f, &news);
    f->rig.fake->text_bytes = LARGE_BYTES;
    tb_stream_pause(news.client.stream);
    while (strstr(mcp_http_ask(f, news.line, "", NAVIGATE), "HTTP/1.1 202 ")) {
        assert_in_range(sent += LARGE_BYTES, 0, TB_STDIO_SEND_MAX + 4 * TB_MIB);
    }
    assert_true(sent > TB_STDIO_SEND_MAX - 4 * TB_MIB);
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 0);
    mcp_client_close(&news.client);
}

static void the_end_of_the_daemon_waits_for_answers(void **state)
{
    struct mcp_http *f = *state;
    struct news busy;
    struct news idle;
    f->rig.fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_LATER;
    f->rig.fake->ops[TB_OP_NAVIGATE].delay_ms = 100;
    open_stream(f, &busy);
    open_stream(f, &idle);
    post(f, &busy, NAVIGATE);
    tb_router_drain(f->rig.router);
    mcp_rig_turn(&f->rig);
    mcp_expect(mcp_client_heard(&idle.client), "0\r\n\r\n");
    mcp_expect(mcp_http_ask(f, busy.line, "", PING), "HTTP/1.1 503 ");
    mcp_rig_advance(&f->rig, 100);
    const char *said = mcp_client_heard(&busy.client);
    mcp_expect(said, "\"id\":9,\"result\"");
    mcp_expect(said, "0\r\n\r\n");
    mcp_client_close(&busy.client);
    mcp_client_close(&idle.client);
}

/* With a call under way, and one that nobody reads: the rig frees it all. */
static void streams_that_are_open_at_the_end_are_freed(void **state)
{
    struct mcp_http *f = *state;
    struct news news;
    f->rig.fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_LATER;
    f->rig.fake->ops[TB_OP_NAVIGATE].delay_ms = 100;
    open_stream(f, &news);
    post(f, &news, NAVIGATE);
    mcp_client_close(&news.client);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, mcp_http_start, mcp_http_stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(what_is_posted_is_answered_on_the_stream),
        WITH(a_reader_that_falls_behind_misses_nothing),
        WITH(a_stream_that_nobody_reads_ends),
        WITH(the_end_of_the_daemon_waits_for_answers),
        WITH(streams_that_are_open_at_the_end_are_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
