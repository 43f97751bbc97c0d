/* SPDX-License-Identifier: Apache-2.0 */
#include "front/mcp/peer.h"

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

#include "support/mcp_expect.h"
#include "support/mcp_rig.h"

#define CALL(id, name, more) REQUEST(id, "tools/call", "\"name\":\"" name "\"" more)

#define UNKNOWN_NOTE "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\",\"params\":{" MODERN_META "}}"

static void expect_not(const char *text, const char *part)
{
    if (strstr(text, part)) {
        fail_msg("'%s' is in '%s'", part, text);
    }
}

static void a_known_version_is_agreed_on_and_else_our_newest(void **state)
{
    static const char *const rows[][2] = {
        {"2024-10-07", "2024-10-07"}, {"2024-11-05", "2024-11-05"}, {"2025-03-26", "2025-03-26"},
        {"2025-06-18", "2025-06-18"}, {"2025-11-25", "2025-11-25"}, {"2026-07-28", "2025-11-25"},
        {"1.0", "2025-11-25"},        {"", "2025-11-25"},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char message[256];
        char wanted[64];
        snprintf(message, sizeof(message), INITIALIZE("%s"), rows[i][0]);
        snprintf(wanted, sizeof(wanted), "\"protocolVersion\":\"%s\"", rows[i][1]);
        mcp_expect(mcp_rig_say(*state, message), wanted);
    }
    mcp_expect(mcp_rig_say(*state, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"}"),
               "2025-11-25");
}

static void a_legacy_ping_gets_nothing_but_an_empty_object(void **state)
{
    assert_string_equal(mcp_rig_say(*state, "{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"ping\"}"),
                        "{\"jsonrpc\":\"2.0\",\"id\":0,\"result\":{}}\n");
}

static void an_id_comes_back_as_it_was_written(void **state)
{
    static const char *const ids[] = {
        "0", "-7", "12345678901234567890", "\"a\"", "\"\\u0061\\n\"", "\"\""};
    for (size_t i = 0; i < TB_COUNT(ids); i++) {
        char message[128];
        char wanted[128];
        snprintf(message, sizeof(message), "{\"jsonrpc\":\"2.0\",\"id\":%s,\"method\":\"ping\"}",
                 ids[i]);
        snprintf(wanted, sizeof(wanted), "\"id\":%s,", ids[i]);
        mcp_expect(mcp_rig_say(*state, message), wanted);
    }
}

static void modern_results_say_their_type_and_who_answers(void **state)
{
    const char *said = mcp_rig_say(*state, REQUEST(1, "server/discover", MODERN_META));
    mcp_expect(said, "\"resultType\":\"complete\"");
    mcp_expect(said, "\"supportedVersions\":[\"2026-07-28\"]");
    mcp_expect(said, "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"tabard\"");
    mcp_expect(said, "\"ttlMs\":3600000,\"cacheScope\":\"public\"");
    said = mcp_rig_say(*state, REQUEST(2, "tools/list", ""));
    expect_not(said, "resultType");
    expect_not(said, "ttlMs");
    expect_not(said, "_meta");
}

static void methods_belong_to_their_era(void **state)
{
    static const char *const gone[] = {
        "initialize", "ping", "logging/setLevel", "resources/subscribe", "resources/unsubscribe",
        "no/such"};
    struct mcp_rig *rig = *state;
    for (size_t i = 0; i < TB_COUNT(gone); i++) {
        char message[256];
        snprintf(message, sizeof(message), REQUEST(1, "%s", MODERN_META), gone[i]);
        mcp_expect(mcp_rig_say(rig, message), "\"code\":-32601");
        assert_int_equal(rig->status, 404);
    }
    mcp_expect(mcp_rig_say(rig, REQUEST(1, "server/discover", "")), "\"code\":-32601");
    assert_int_equal(rig->status, 200);
    mcp_expect(mcp_rig_say(rig, REQUEST(1, "subscriptions/listen", "")), "\"code\":-32601");
}

static void a_notification_never_gets_an_answer(void **state)
{
    static const char *const notes[] = {
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"ping\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":5}}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"tabard-9\",\"result\":{}}",
    };
    struct mcp_rig *rig = *state;
    for (size_t i = 0; i < TB_COUNT(notes); i++) {
        assert_string_equal(mcp_rig_say(rig, notes[i]), "");
    }
    assert_string_equal(mcp_rig_say(rig, UNKNOWN_NOTE), "");
    assert_int_equal(rig->answers, 0);
}

static void lists_come_whole_and_know_no_cursor(void **state)
{
    static const char *const lists[] = {"tools/list", "resources/list", "resources/templates/list",
                                        "prompts/list"};
    for (size_t i = 0; i < TB_COUNT(lists); i++) {
        char message[256];
        snprintf(message, sizeof(message), REQUEST(1, "%s", "\"cursor\":\"x\""), lists[i]);
        mcp_expect(mcp_rig_say(*state, message), "\"code\":-32602");
        snprintf(message, sizeof(message), REQUEST(1, "%s", "\"cursor\":null"), lists[i]);
        mcp_expect(mcp_rig_say(*state, message), "\"result\"");
        expect_not(mcp_rig_say(*state, message), "nextCursor");
    }
}

static void an_unknown_tool_is_a_protocol_error_and_wrong_arguments_are_not(void **state)
{
    mcp_expect(mcp_rig_say(*state, CALL(1, "nope", "")), "\"code\":-32602");
    mcp_expect(mcp_rig_say(*state, CALL(1, "browser_clik", "")),
               "the tool 'browser_clik' is unknown (did you mean browser_click?)");
    /* Escaped once, as JSON wants it. */
    mcp_expect(mcp_rig_say(*state, CALL(1, "a\\\"b\\\\c\\u00e9", "")),
               "\"message\":\"the tool 'a\\\"b\\\\c\xc3\xa9' is unknown;");
    mcp_expect(mcp_rig_say(*state, CALL(1, "a\\nb", "")), "the tool 'a\\\\nb' is unknown;");
    mcp_expect(
        mcp_rig_say(*state, CALL(1, "browser_pdf", "")),
        "the tool 'browser_pdf' belongs to the group pdf, which is not turned on; connect with "
        "?groups=pdf");
    mcp_expect(mcp_rig_say(*state, REQUEST(1, "tools/call", "")), "\"code\":-32602");
    mcp_expect(mcp_rig_say(*state, CALL(1, "browser_navigate", ",\"arguments\":[]")),
               "\"code\":-32602");
    const char *said =
        mcp_rig_say(*state, CALL(1, "browser_navigate", ",\"arguments\":{\"nope\":1}"));
    mcp_expect(said, "\"isError\":true");
    mcp_expect(said, "nope");
    expect_not(said, "\"error\"");
    mcp_expect(mcp_rig_say(*state, CALL(1, "list_sessions", ",\"arguments\":null")), "\"result\"");
}

/* S1-37, S1-46, S1-47 */
static void a_session_that_the_caller_did_not_name_is_told(void **state)
{
    const char *said =
        mcp_rig_say(*state, CALL(1, "browser_navigate", ",\"arguments\":{\"url\":\"http://x/\"}"));
    mcp_expect(said, "\"sessionId\":\"browser-1\",\"sessionType\":\"browser\"");
    mcp_expect(
        said,
        "\"_meta\":{\"tabard/session\":{\"sessionId\":\"browser-1\",\"sessionType\":\"browser\"}}");
    mcp_expect(said, "{\"type\":\"text\",\"text\":\"Session: browser-1\"}");
    expect_not(said, "structuredContent");
    said = mcp_rig_say(*state,
                       CALL(2, "browser_navigate",
                            ",\"arguments\":{\"url\":\"http://x/\",\"sessionId\":\"browser-1\"}"));
    expect_not(said, "Session: ");
    expect_not(said, "sessionType");
}

static void a_picture_is_an_item_unless_the_toolset_has_its_own_form(void **state)
{
    struct mcp_rig *rig = *state;
    mcp_rig_say(rig, CALL(1, "browser_navigate", ",\"arguments\":{\"url\":\"http://x/\"}"));
    mcp_expect(mcp_rig_say(rig, CALL(2, "browser_screenshot", "")),
               "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"QUJD\"}");
    tb_view_unref(rig->peer.view, "peer");
    tb_view_make(&rig->core.views, TB_STR("octopus"), TB_STR(""), &rig->config.mcp_groups,
                 &rig->peer.view, NULL);
    const char *said = mcp_rig_say(rig, CALL(3, "browser_screenshot", ""));
    mcp_expect(said, "\\\"base64\\\":\\\"QUJD\\\"");
    expect_not(said, "\"type\":\"image\"");
}

static void a_failure_says_what_happened_and_what_to_do(void **state)
{
    struct mcp_rig *rig = *state;
    rig->fake->ops[TB_OP_NAVIGATE].code = TB_E_NAVIGATION;
    const char *said =
        mcp_rig_say(rig, CALL(1, "browser_navigate", ",\"arguments\":{\"url\":\"http://x/\"}"));
    mcp_expect(said, "\"isError\":true");
    mcp_expect(said, "\\nCheck the address, then try once more; the site may be down briefly.\"");
}

static void a_cancelled_call_gets_no_answer(void **state)
{
    struct mcp_rig *rig = *state;
    rig->fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_HELD;
    assert_string_equal(
        mcp_rig_say(rig, CALL("x", "browser_navigate", ",\"arguments\":{\"url\":\"http://x/\"}")),
        "");
    assert_int_equal(rig->peer.request_count, 1);
    assert_string_equal(
        mcp_rig_say(
            rig,
            "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":\"x\"}}"),
        "");
    assert_int_equal(rig->peer.request_count, 0);
    assert_int_equal(rig->fake->counts.cancelled, 1);
    assert_int_equal(rig->drops, 1);
    assert_int_equal(rig->answers, 0);
}

static void progress_comes_only_to_who_asked_and_only_grows(void **state)
{
    struct mcp_rig *rig = *state;
    rig->fake->ops[TB_OP_NAVIGATE].progress = 3;
    const char *said =
        mcp_rig_say(rig, CALL(1, "browser_navigate", ",\"arguments\":{\"url\":\"http://x/\"}"));
    expect_not(said, "notifications/progress");
    said = mcp_rig_say(
        rig, CALL(1, "browser_navigate",
                  ",\"_meta\":{\"progressToken\":\"p\"},\"arguments\":{\"url\":\"http://x/\"}"));
    mcp_expect(said, "\"method\":\"notifications/progress\",\"params\":{\"progressToken\":\"p\"");
    mcp_expect(mcp_rig_say(rig, CALL(1, "list_sessions", ",\"_meta\":{\"progressToken\":{}}")),
               "\"code\":-32602");
}

/* What core has to say of a session stands before the result. */
static void a_note_about_the_session_comes_first(void **state)
{
    struct mcp_rig *rig = *state;
    const char *call = CALL(1, "browser_navigate", ",\"arguments\":{\"url\":\"http://x/\"}");
    mcp_rig_store(rig);
    mcp_rig_say(rig, call);
    const struct tb_session *session =
        tb_sessions_find(rig->core.sessions, "default", TB_STR("browser-1"));
    assert_true(tb_fake_lose(rig->fake, tb_session_info(session).id));
    mcp_rig_turn(rig);
    mcp_expect(mcp_rig_say(rig, call), "\"content\":[{\"type\":\"text\",\"text\":\"Session "
                                       "'browser-1' has a new, blank browser: nothing was saved");
    expect_not(mcp_rig_say(rig, call), "blank browser");
}

static void note_agent(const struct tb_event *event, void *user)
{
    if (event->type == TB_EVENT_CALL_DONE) {
        snprintf(user, TB_AGENT_SIZE, "%s", event->agent ? event->agent : "");
    }
}

static void a_call_tells_which_agent_made_it(void **state)
{
    struct mcp_rig *rig = *state;
    char agent[TB_AGENT_SIZE] = "none";
    struct tb_subscriber subscriber = {.fn = note_agent, .user = agent};
    tb_bus_subscribe(&rig->core.bus, &subscriber);
    mcp_rig_say(rig, REQUEST(2, "tools/call",
                             "\"name\":\"list_sessions\",\"_meta\":{"
                             "\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                             "\"io.modelcontextprotocol/clientCapabilities\":{},"
                             "\"io.modelcontextprotocol/clientInfo\":"
                             "{\"name\":\"m\",\"version\":\"2.1\"}}"));
    assert_string_equal(agent, "m 2.1");
    mcp_rig_say(rig, INITIALIZE("2025-06-18"));
    mcp_rig_say(rig, REQUEST(3, "tools/call", "\"name\":\"list_sessions\""));
    assert_string_equal(agent, "c 1");
    mcp_rig_say(rig, REQUEST(4, "tools/call", "\"name\":\"list_sessions\"," MODERN_META));
    assert_string_equal(agent, "");
    tb_bus_unsubscribe(&subscriber);
}

static void a_long_name_of_an_agent_is_cut_between_characters(void **state)
{
    char text[TB_AGENT_SIZE + 32];
    char agent[TB_AGENT_SIZE];
    (void)state;
    snprintf(text, sizeof(text), "{\"name\":\"%0*d€\"}", TB_AGENT_SIZE - 3, 0);
    TB_AUTO(tb_json_free) struct cJSON *info = tb_json_parse(tb_str_of(text));
    tb_mcp_agent_name(info, agent);
    assert_int_equal(strlen(agent), TB_AGENT_SIZE - 3);
    assert_int_equal(agent[TB_AGENT_SIZE - 4], '0');
}

static void the_message_names_the_conversation_before_the_peer_does(void **state)
{
    struct mcp_rig *rig = *state;
    mcp_expect(
        mcp_rig_say(rig, CALL(1, "browser_navigate", ",\"arguments\":{\"url\":\"http://x/\"}")),
        "browser-1");
    mcp_expect(
        mcp_rig_say(
            rig,
            CALL(
                1, "browser_navigate",
                ",\"_meta\":{\"tabard/conversation\":\"other\"},\"arguments\":{\"url\":\"http://x/\"}")),
        "browser-2");
    assert_string_equal(
        tb_session_owner(tb_sessions_find(rig->core.sessions, "default", TB_STR("browser-1"))),
        "own");
    assert_string_equal(
        tb_session_owner(tb_sessions_find(rig->core.sessions, "default", TB_STR("browser-2"))),
        "other");
    mcp_expect(mcp_rig_say(rig, CALL(1, "list_sessions", ",\"_meta\":{\"tabard/conversation\":7}")),
               "\"code\":-32602");
    tb_mcp_peer_left(&rig->peer);
    mcp_rig_turn(rig);
    assert_null(tb_sessions_find(rig->core.sessions, "default", TB_STR("browser-1")));
    assert_non_null(tb_sessions_find(rig->core.sessions, "default", TB_STR("browser-2")));
}

/* Else it would act in the peer's own conversation. */
static void a_conversation_that_cannot_be_read_is_no_other(void **state)
{
    static const char *const metas[] = {
        "\"tabard/conversation\":\"other\",\"x\":\"\\ud800\"",
        "\"tabard/conversation\":\"own\\u0000\"",
        "\"tabard/conversation\":\"other\",\"tabard/conversation\":\"other\"",
    };
    struct mcp_rig *rig = *state;
    mcp_rig_say(rig, CALL(1, "browser_navigate", ",\"arguments\":{\"url\":\"http://x/\"}"));
    for (size_t i = 0; i < TB_COUNT(metas); i++) {
        char message[512];
        snprintf(message, sizeof(message), CALL(4, "close_session", ",\"_meta\":{%s}"), metas[i]);
        const char *said = mcp_rig_say(rig, message);
        mcp_expect(said, "\"id\":4,\"error\":{\"code\":-32700,\"message\":\"params._meta: ");
        assert_int_equal(rig->status, 400);
        snprintf(message, sizeof(message), "[" CALL(4, "close_session", ",\"_meta\":{%s}") "]",
                 metas[i]);
        mcp_expect(mcp_rig_say(rig, message), "\"error\":{\"code\":-32700");
    }
    /* Nor does what stands elsewhere make a difference to a call without arguments. */
    mcp_expect(mcp_rig_say(rig, CALL(4, "close_session", ",\"x\":\"\\ud800\"")),
               "\"error\":{\"code\":-32700");
    assert_non_null(tb_sessions_find(rig->core.sessions, "default", TB_STR("browser-1")));
}

static void sessions_stay_if_the_configuration_says_so(void **state)
{
    struct mcp_rig *rig = *state;
    tb_free(rig->config.mcp_on_disconnect);
    rig->config.mcp_on_disconnect = tb_strdup("keep");
    mcp_expect(
        mcp_rig_say(rig, CALL(1, "browser_navigate", ",\"arguments\":{\"url\":\"http://x/\"}")),
        "browser-1");
    tb_mcp_peer_left(&rig->peer);
    assert_non_null(tb_sessions_find(rig->core.sessions, "default", TB_STR("browser-1")));
}

static void too_many_requests_at_once_are_refused(void **state)
{
    struct mcp_rig *rig = *state;
    rig->config.sessions_queue = 1000;
    rig->fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_HELD;
    for (size_t i = 0; i < TB_MCP_REQUESTS; i++) {
        mcp_rig_say_only(rig,
                         CALL(1, "browser_navigate", ",\"arguments\":{\"url\":\"http://x/\"}"));
    }
    assert_int_equal(rig->answers, 0);
    mcp_expect(mcp_rig_say_only(rig, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"),
               "\"error\"");
}

static void levels_are_checked(void **state)
{
    struct mcp_rig *rig = *state;
    assert_string_equal(mcp_rig_say(rig, REQUEST(1, "logging/setLevel", "\"level\":\"error\"")),
                        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    assert_int_equal(rig->peer.log_level, 4);
    mcp_expect(mcp_rig_say(rig, REQUEST(1, "logging/setLevel", "\"level\":\"loud\"")),
               "\"code\":-32602");
    mcp_expect(
        mcp_rig_say(rig,
                    REQUEST(1, "tools/list",
                            "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
                            "\"io.modelcontextprotocol/clientCapabilities\":{},"
                            "\"io.modelcontextprotocol/logLevel\":\"loud\"}")),
        "\"code\":-32602");
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, mcp_rig_start, mcp_rig_stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(a_known_version_is_agreed_on_and_else_our_newest),
        WITH(a_legacy_ping_gets_nothing_but_an_empty_object),
        WITH(an_id_comes_back_as_it_was_written),
        WITH(modern_results_say_their_type_and_who_answers),
        WITH(methods_belong_to_their_era),
        WITH(a_notification_never_gets_an_answer),
        WITH(lists_come_whole_and_know_no_cursor),
        WITH(an_unknown_tool_is_a_protocol_error_and_wrong_arguments_are_not),
        WITH(a_session_that_the_caller_did_not_name_is_told),
        WITH(a_picture_is_an_item_unless_the_toolset_has_its_own_form),
        WITH(a_failure_says_what_happened_and_what_to_do),
        WITH(a_cancelled_call_gets_no_answer),
        WITH(progress_comes_only_to_who_asked_and_only_grows),
        WITH(a_note_about_the_session_comes_first),
        WITH(a_call_tells_which_agent_made_it),
        WITH(a_long_name_of_an_agent_is_cut_between_characters),
        WITH(the_message_names_the_conversation_before_the_peer_does),
        WITH(a_conversation_that_cannot_be_read_is_no_other),
        WITH(sessions_stay_if_the_configuration_says_so),
        WITH(too_many_requests_at_once_are_refused),
        WITH(levels_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
