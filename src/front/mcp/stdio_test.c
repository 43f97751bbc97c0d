/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/stdio.h"

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

#define HELLO "Connection: Upgrade\r\nUpgrade: tabard-mcp\r\n"
#define PING  "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}\n"
#define PONG  "{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}\n"
#define NAVIGATE                                                                   \
    REQUEST(9, "tools/call",                                                       \
            "\"name\":\"browser_navigate\",\"arguments\":{\"url\":\"http://x/\"}") \
    "\n"

static int set_up(void **state)
{
    struct mcp_http *f = mcp_http_new(false);
    mcp_expect(mcp_http_ask(f, "GET /mcp/stdio?toolset=&groups=", HELLO, ""), "HTTP/1.1 101 ");
    *state = f;
    return 0;
}

static const char *say(struct mcp_http *f, const char *lines)
{
    f->client.got.len = 0;
    mcp_client_send(&f->client, tb_str_of(lines));
    mcp_rig_turn(&f->rig);
    return mcp_client_heard(&f->client);
}

static void lines_get_lines(void **state)
{
    assert_string_equal(say(*state, PING), PONG);
    assert_string_equal(say(*state, PING PING), PONG PONG);
    assert_string_equal(say(*state, "\n  \r\n\r\n"), "");
    assert_string_equal(say(*state, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}\r\n"),
                        PONG);
}

static void a_line_may_come_in_pieces(void **state)
{
    struct mcp_http *f = *state;
    for (const char *c = PING; *c; c++) {
        const char byte[] = {*c, '\0'};
        const char *said = say(f, byte);
        assert_string_equal(said, *c == '\n' ? PONG : "");
    }
    assert_string_equal(say(f, PING "{\"jsonrpc\":\"2.0\","), PONG);
    assert_string_equal(say(f, "\"id\":5,\"method\":\"ping\"}\n" PING), PONG PONG);
}

static void what_is_no_message_is_told_and_the_next_line_works(void **state)
{
    mcp_expect(say(*state, "garbage\n"), "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700");
    mcp_expect(say(*state, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":7}\n"),
               "\"id\":3,\"error\":{\"code\":-32600");
    mcp_expect(say(*state, "["
                           "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}"
                           "]\n"),
               "\"code\":-32600");
    assert_string_equal(say(*state, "{\"jsonrpc\":\"2.0\",\"id\":8,\"result\":{}}\n"), "");
    assert_string_equal(say(*state, PING), PONG);
}

static void a_conversation_that_cannot_be_read_is_refused(void **state)
{
    struct mcp_http *f = *state;
    mcp_expect(say(f, NAVIGATE), "Session: browser-1");
    mcp_expect(
        say(f,
            REQUEST(
                4, "tools/call",
                "\"name\":\"close_session\",\"_meta\":{\"tabard/conversation\":\"b\",\"tabard/conversation\":\"b\"}") "\n"),
        "\"id\":4,\"error\":{\"code\":-32700");
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 1);
}

static void a_line_that_is_too_long_is_skipped_and_the_next_one_works(void **state)
{
    struct mcp_http *f = *state;
    TB_AUTO(tb_free) char *much = tb_zalloc(TB_STDIO_LINE_MAX + 2);
    memset(much, 'x', TB_STDIO_LINE_MAX + 1);
    mcp_client_send(&f->client, tb_str_of(much));
    for (int i = 0; i < 200; i++) {
        mcp_rig_turn(&f->rig);
    }
    mcp_expect(mcp_client_heard(&f->client), "\"code\":-10413");
    assert_string_equal(say(f, "xxx\n" PING), PONG);
}

static void both_eras_are_spoken_side_by_side(void **state)
{
    mcp_expect(say(*state, REQUEST(1, "server/discover", MODERN_META) "\n"),
               "\"resultType\":\"complete\"");
    mcp_expect(say(*state, INITIALIZE("2025-03-26") "\n"), "\"protocolVersion\":\"2025-03-26\"");
    assert_string_equal(say(*state, "[{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\"}]\n"),
                        "[{\"jsonrpc\":\"2.0\",\"id\":5,\"result\":{}}]\n");
    mcp_expect(say(*state, REQUEST(1, "tools/list", MODERN_META) "\n"), "\"ttlMs\"");
    mcp_expect(
        say(*state,
            REQUEST(1, "tools/list",
                    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}") "\n"),
        "\"code\":-32602");
}

static void an_answer_that_is_due_comes_after_the_end_of_input(void **state)
{
    struct mcp_http *f = *state;
    f->rig.fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_LATER;
    f->rig.fake->ops[TB_OP_NAVIGATE].delay_ms = 3000;
    say(f, NAVIGATE);
    tb_stream_finish(f->client.stream);
    mcp_rig_advance(&f->rig, 2000);
    assert_false(f->client.ended);
    mcp_rig_advance(&f->rig, 1000);
    mcp_expect(mcp_client_heard(&f->client), "\"id\":9,\"result\"");
    assert_true(f->client.ended);
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 0);
}

static void a_subscription_does_not_keep_a_connection_open(void **state)
{
    struct mcp_http *f = *state;
    mcp_expect(say(f, REQUEST(7, "subscriptions/listen", MODERN_META ",\"notifications\":{}") "\n"),
               "acknowledged");
    tb_stream_finish(f->client.stream);
    mcp_rig_turn(&f->rig);
    assert_true(f->client.ended);
}

static void a_peer_that_dies_takes_its_calls_and_sessions_with_it(void **state)
{
    struct mcp_http *f = *state;
    f->rig.fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_HELD;
    say(f, NAVIGATE);
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 1);
    mcp_client_close(&f->client);
    mcp_rig_turn(&f->rig);
    assert_int_equal(f->rig.fake->counts.at_work, 0);
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 0);
}

static void a_peer_that_ends_its_input_and_then_dies_is_noticed(void **state)
{
    struct mcp_http *f = *state;
    f->rig.fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_HELD;
    say(f, NAVIGATE);
    tb_stream_finish(f->client.stream);
    mcp_rig_turn(&f->rig);
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 1);
    mcp_client_close(&f->client);
    mcp_rig_advance(&f->rig, 1000);
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 0);
}

static void two_connections_are_two_conversations(void **state)
{
    struct mcp_http *f = *state;
    struct mcp_client other;
    mcp_expect(say(f, NAVIGATE), "Session: browser-1");
    mcp_client_open(&f->rig, &other);
    mcp_client_ask(&f->rig, &other, "GET /mcp/stdio", HELLO, "");
    mcp_client_send(&other, TB_STR(NAVIGATE));
    mcp_rig_turn(&f->rig);
    mcp_expect(mcp_client_heard(&other), "Session: browser-2");
    mcp_client_close(&other);
    mcp_rig_turn(&f->rig);
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 1);
    mcp_expect(say(f, NAVIGATE), "Session: browser-1");
}

#define SECRET "X-Conversation-Id: 0123456789012345678901234567890123456789abc\r\n"
#define OTHER  "X-Conversation-Id: 0123456789012345678901234567890123456789abd\r\n"

/* A connection that presents a secret navigates; the text of its reply. */
static const char *navigate_with(struct mcp_http *f, struct mcp_client *client, const char *headers)
{
    mcp_client_open(&f->rig, client);
    mcp_expect(mcp_client_ask(&f->rig, client, "GET /mcp/stdio", headers, ""), "HTTP/1.1 101 ");
    mcp_client_send(client, TB_STR(NAVIGATE));
    mcp_rig_turn(&f->rig);
    return mcp_client_heard(client);
}

static void who_presents_the_same_secret_is_in_the_same_conversation(void **state)
{
    struct mcp_http *f = *state;
    struct mcp_client first;
    struct mcp_client again;
    struct mcp_client other;
    mcp_expect(navigate_with(f, &first, HELLO SECRET), "Session: browser-1");
    mcp_expect(navigate_with(f, &again, HELLO SECRET), "Session: browser-1");
    mcp_expect(navigate_with(f, &other, HELLO OTHER), "Session: browser-2");
    mcp_client_close(&first); /* the peer is there again, so nothing of it ends */
    mcp_rig_turn(&f->rig);
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 2);
    mcp_client_close(&again);
    mcp_rig_turn(&f->rig);
    assert_int_equal(tb_sessions_count(f->rig.core.sessions), 1);
    mcp_client_close(&other);
}

static void only_the_right_upgrade_gets_in(void **state)
{
    struct mcp_http *f = *state;
    struct mcp_client other;
    mcp_client_open(&f->rig, &other);
    mcp_expect(mcp_client_ask(&f->rig, &other, "GET /mcp/stdio", "", ""), "HTTP/1.1 400 ");
    mcp_expect(mcp_client_ask(&f->rig, &other, "GET /mcp/stdio?toolset=nope", HELLO, ""),
               "HTTP/1.1 404 ");
    mcp_expect(mcp_client_ask(&f->rig, &other, "GET /mcp/stdio?groups=nope", HELLO, ""),
               "HTTP/1.1 400 ");
    mcp_expect(mcp_client_ask(&f->rig, &other, "GET /mcp/stdio",
                              HELLO "X-Conversation-Id: guess-me\r\n", ""),
               "X-Conversation-Id must have 43 characters, not 8");
    mcp_client_close(&other);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, mcp_http_stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(lines_get_lines),
        WITH(a_line_may_come_in_pieces),
        WITH(what_is_no_message_is_told_and_the_next_line_works),
        WITH(a_conversation_that_cannot_be_read_is_refused),
        WITH(a_line_that_is_too_long_is_skipped_and_the_next_one_works),
        WITH(both_eras_are_spoken_side_by_side),
        WITH(an_answer_that_is_due_comes_after_the_end_of_input),
        WITH(a_subscription_does_not_keep_a_connection_open),
        WITH(a_peer_that_dies_takes_its_calls_and_sessions_with_it),
        WITH(a_peer_that_ends_its_input_and_then_dies_is_noticed),
        WITH(two_connections_are_two_conversations),
        WITH(who_presents_the_same_secret_is_in_the_same_conversation),
        WITH(only_the_right_upgrade_gets_in),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
