/* SPDX-License-Identifier: Apache-2.0 */
/* What one message, and one request that waits, may cost. */
#include "front/mcp/limits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"
#include "front/mcp/batch.h"

#include "support/mcp_expect.h"
#include "support/mcp_rig.h"

/* A request with an array of so many numbers in its parameters. */
static const char *say_numbers(struct mcp_rig *rig, const char *method, size_t count)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_HTTP_BODY_MAX);
    tb_buf_printf(&text, "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"%s\",\"params\":{\"x\":[1",
                  method);
    for (size_t i = 1; i < count; i++) {
        tb_buf_append_cstr(&text, ",1");
    }
    tb_buf_append_cstr(&text, "]}}");
    tb_buf_append_char(&text, '\0');
    return mcp_rig_say(rig, (const char *)text.data);
}

static void a_message_of_very_many_values_is_refused_under_its_id(void **state)
{
    mcp_expect(say_numbers(*state, "ping", 90000), "\"id\":8,\"result\"");
    const char *said = say_numbers(*state, "initialize", 4000000);
    mcp_expect(said, "\"id\":8,\"error\":{\"code\":-32700");
    mcp_expect(said, "too many keys and values, the limit is 100000");
    assert_false(((struct mcp_rig *)*state)->peer.introduced);
}

static void a_large_file_is_one_value(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_HTTP_BODY_MAX);
    tb_buf_append_cstr(&text,
                       "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"ping\",\"params\":{\"x\":\"");
    for (size_t i = 0; i < (size_t)7 * TB_MIB; i++) {
        tb_buf_append_char(&text, 'A');
    }
    tb_buf_append_cstr(&text, "\"}}");
    tb_buf_append_char(&text, '\0');
    mcp_expect(mcp_rig_say(*state, (const char *)text.data), "\"id\":8,\"result\"");
}

static void a_request_that_waits_holds_no_tree_of_its_parameters(void **state)
{
    static const char *const waiting[] = {
        REQUEST(1, "subscriptions/listen", MODERN_META ",\"notifications\":{},\"x\":[1,2,3]"),
        REQUEST(2, "tools/call",
                "\"name\":\"browser_navigate\",\"x\":[1,2,3],"
                "\"arguments\":{\"url\":\"http://x/\"}"),
        REQUEST(3, "resources/read",
                "\"uri\":\"tabard://session/browser-1/snapshot\",\"x\":[1,2,3]"),
    };
    struct mcp_rig *rig = *state;
    mcp_rig_say(rig, REQUEST(9, "tools/call", "\"name\":\"start_session\""));
    rig->fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_HELD;
    rig->fake->ops[TB_OP_SNAPSHOT].when = TB_FAKE_HELD;
    for (size_t i = 0; i < TB_COUNT(waiting); i++) {
        mcp_rig_say(rig, waiting[i]);
    }
    assert_int_equal(rig->peer.request_count, TB_COUNT(waiting));
    LIST_FOREACH(link, &rig->peer.requests) {
        assert_null(TB_CONTAINER(link, struct tb_mcp_req, link)->params);
    }
}

static void what_a_client_can_is_known_and_not_what_else_it_declared(void **state)
{
    struct mcp_rig *rig = *state;
    struct tb_mcp_req req = {.peer = &rig->peer, .version = TB_MCP_2025_11_25};
    mcp_rig_say(rig, REQUEST(1, "initialize",
                             "\"protocolVersion\":\"2025-11-25\",\"capabilities\":"
                             "{\"sampling\":{},\"experimental\":{\"x\":[1,2,3]}}"));
    assert_true(tb_mcp_req_client_can(&req, "sampling"));
    assert_false(tb_mcp_req_client_can(&req, "elicitation"));
    assert_false(tb_mcp_req_client_can(&req, "experimental"));
}

static const char *say_token(struct mcp_rig *rig, size_t len)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_MIB);
    tb_buf_append_cstr(&text,
                       "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":"
                       "{\"name\":\"browser_navigate\",\"arguments\":{\"url\":\"http://x/\"},"
                       "\"_meta\":{\"progressToken\":\"");
    for (size_t i = 2; i < len; i++) {
        tb_buf_append_char(&text, 't');
    }
    tb_buf_append_cstr(&text, "\"}}}");
    tb_buf_append_char(&text, '\0');
    return mcp_rig_say(rig, (const char *)text.data);
}

static void a_progress_token_may_be_long_but_not_endless(void **state)
{
    struct mcp_rig *rig = *state;
    rig->fake->ops[TB_OP_NAVIGATE].progress = 1;
    const char *said = say_token(rig, 1024);
    mcp_expect(said, "\"notifications/progress\"");
    mcp_expect(said, "\"id\":8,\"result\"");
    mcp_expect(say_token(rig, 1025), "\"id\":8,\"error\":{\"code\":-32602");
    mcp_expect(say_token(rig, 17000), "of at most 1024 bytes");
}

static void a_note_that_is_too_long_is_lost_as_a_whole(void **state)
{
    struct mcp_rig *rig = *state;
    struct tb_mcp_req req = {.peer = &rig->peer, .mcp = rig->mcp, .out = &rig->out};
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_MIB);
    for (int i = 0; i < 20000; i++) {
        tb_buf_append_char(&text, 'x');
    }
    tb_mcp_req_log(&req, 0, tb_str_sub(tb_buf_str(&text), 0, 16000));
    mcp_expect(mcp_rig_heard(rig), "\"level\":\"debug\"");
    tb_mcp_req_log(&req, 0, tb_buf_str(&text));
    assert_string_equal(mcp_rig_heard(rig), "");
}

static void listen_to_many(struct mcp_rig *rig)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_MIB);
    tb_buf_append_cstr(&text, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"subscriptions/listen\","
                              "\"params\":{" MODERN_META ",\"notifications\":{"
                              "\"resourceSubscriptions\":[\"tabard://sessions\"");
    for (int i = 1; i < TB_MCP_INTERESTS; i++) {
        tb_buf_printf(&text, ",\"tabard://session/browser-%d/snapshot\"", i);
    }
    tb_buf_append_cstr(&text, "]}}}");
    tb_buf_append_char(&text, '\0');
    mcp_expect(mcp_rig_say_only(rig, (const char *)text.data), "acknowledged");
}

/* Each call publishes several events, and who watches must not slow down who calls. */
static void events_that_change_no_resource_cost_nothing_however_many_watch(void **state)
{
    enum {
        EVENTS = 20000, /* half a minute, if each were held against each watch */
    };
    struct mcp_rig *rig = *state;
    for (int i = 0; i < TB_MCP_REQUESTS; i++) {
        listen_to_many(rig);
    }
    clock_t begun = clock();
    for (int i = 0; i < EVENTS; i++) {
        tb_bus_publish(
            &rig->core.bus,
            &(struct tb_event){.type = TB_EVENT_CALL_DONE, .tenant = "default", .session_id = "x"});
    }
    assert_true(clock() - begun < 3 * CLOCKS_PER_SEC); /* of processor time */
}

static void the_messages_of_a_batch_that_are_not_read_claim_nothing(void **state)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TB_MIB);
    (void)state;
    tb_buf_append_char(&text, '[');
    for (size_t i = 0; i < TB_MCP_BATCH; i++) {
        tb_buf_append_cstr(&text, "7,");
    }
    tb_buf_append_cstr(&text, REQUEST(1, "tools/list", MODERN_META) "]");
    assert_false(tb_mcp_batch_claims(tb_buf_str(&text)));
    assert_true(tb_mcp_batch_claims(TB_STR("[" REQUEST(1, "tools/list", MODERN_META) "]")));
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, mcp_rig_start, mcp_rig_stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(a_message_of_very_many_values_is_refused_under_its_id),
        WITH(a_large_file_is_one_value),
        WITH(a_request_that_waits_holds_no_tree_of_its_parameters),
        WITH(what_a_client_can_is_known_and_not_what_else_it_declared),
        WITH(a_progress_token_may_be_long_but_not_endless),
        WITH(a_note_that_is_too_long_is_lost_as_a_whole),
        WITH(events_that_change_no_resource_cost_nothing_however_many_watch),
        cmocka_unit_test(the_messages_of_a_batch_that_are_not_read_claim_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
