/* SPDX-License-Identifier: Apache-2.0 */
/* Resources, prompts, completion, subscriptions, batches. */
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
#include "front/mcp/resources.h"
#include "front/mcp/subscriptions.h"

#include "support/mcp_expect.h"
#include "support/mcp_rig.h"
#include "support/principals.h"

#define NAVIGATE \
    REQUEST(90, "tools/call", "\"name\":\"browser_navigate\",\"arguments\":{\"url\":\"http://x/\"}")
#define LISTEN(filter) \
    REQUEST(7, "subscriptions/listen", MODERN_META ",\"notifications\":{" filter "}")
#define CANCEL(id)                                                                               \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":" #id \
    "}}"

static int set_up(void **state)
{
    static struct tb_driver plain; /* whose sessions bring no tools */
    struct mcp_rig *rig = TB_NEW(struct mcp_rig);
    mcp_rig_init(rig);
    plain = tb_driver_fake;
    plain.ops[TB_OP_INVOKE] = NULL;
    rig->core.drivers[0].driver = &plain;
    mcp_rig_memory(rig, "", "");
    *state = rig;
    return 0;
}

static void the_sessions_are_a_resource_and_what_they_show_are_templates(void **state)
{
    mcp_expect(mcp_rig_say(*state, REQUEST(1, "resources/list", "")),
               "\"uri\":\"tabard://sessions\"");
    const char *said = mcp_rig_say(*state, REQUEST(1, "resources/templates/list", ""));
    mcp_expect(said, "\"uriTemplate\":\"tabard://session/{id}/snapshot\"");
    mcp_expect(said, "\"uriTemplate\":\"tabard://session/{id}/screenshot\"");
    mcp_expect(said, "\"uriTemplate\":\"tabard://session/{id}/downloads\"");
    mcp_expect(
        mcp_rig_say(*state, REQUEST(1, "resources/read", "\"uri\":\"tabard://sessions\"")),
        "\"contents\":[{\"uri\":\"tabard://sessions\",\"mimeType\":\"application/json\",\"text\":\"{\\\"sessions\\\":[]");
}

static void a_list_is_for_everybody_where_no_page_brings_tools(void **state)
{
    mcp_expect(mcp_rig_say(*state, REQUEST(2, "tools/list", MODERN_META)),
               "\"ttlMs\":3600000,\"cacheScope\":\"public\"");
}

static void a_snapshot_is_read_through_its_operation(void **state)
{
    struct mcp_rig *rig = *state;
    mcp_rig_say(rig, NAVIGATE);
    size_t begun = rig->fake->counts.begun;
    mcp_expect(
        mcp_rig_say(
            rig, REQUEST(1, "resources/read", "\"uri\":\"tabard://session/browser-1/snapshot\"")),
        "\"contents\":[{\"uri\":\"tabard://session/browser-1/snapshot\",\"mimeType\":\"text/plain\",\"text\":");
    assert_int_equal(rig->fake->counts.begun, begun + 1);
    rig->fake->ops[TB_OP_SNAPSHOT].code = TB_E_PAGE_CRASHED;
    mcp_expect(mcp_rig_say(rig, REQUEST(1, "resources/read",
                                        "\"uri\":\"tabard://session/browser-1/snapshot\"")),
               "\"code\":-10460");
}

#define READ_SNAPSHOT \
    REQUEST(1, "resources/read", "\"uri\":\"tabard://session/browser-1/snapshot\"")

static void a_large_text_is_cut_with_a_mark(void **state)
{
    struct mcp_rig *rig = *state;
    mcp_rig_say(rig, NAVIGATE);
    rig->fake->text_bytes = (size_t)TB_RESULT_TEXT_MAX;
    const char *said = mcp_rig_say(rig, READ_SNAPSHOT);
    assert_in_range(strlen(said), TB_MCP_RESULT_MAX / 2, TB_MCP_RESULT_MAX);
    mcp_expect(said, " bytes omitted; ask for a part, or for less]");
}

/* A request that waits, to be answered by the test. */
static struct tb_mcp_req *wait_for_read(struct mcp_rig *rig)
{
    rig->fake->ops[TB_OP_SNAPSHOT].when = TB_FAKE_HELD;
    assert_string_equal(mcp_rig_say(rig, READ_SNAPSHOT), "");
    return TB_CONTAINER(rig->peer.requests.next, struct tb_mcp_req, link);
}

static void what_cannot_be_cut_is_refused_when_it_is_too_large(void **state)
{
    struct mcp_rig *rig = *state;
    TB_AUTO(tb_buf_fini) struct tb_buf large = TB_BUF(SIZE_MAX);
    const struct tb_str uri = TB_STR("tabard://x");
    for (int i = 0; i < TB_MCP_RESULT_MAX; i++) {
        tb_buf_append_char(&large, 'A');
    }
    struct tb_str some = tb_str_sub(tb_buf_str(&large), 0, TB_MCP_RESULT_MAX - 4096);
    mcp_rig_say(rig, NAVIGATE);
    tb_mcp_resource_send_blob(wait_for_read(rig), uri, "image/png", some);
    mcp_expect(mcp_rig_heard(rig), "\"blob\":\"AAA");
    tb_mcp_resource_send_blob(wait_for_read(rig), uri, "image/png", tb_buf_str(&large));
    mcp_expect(mcp_rig_heard(rig), "the picture is too large to send; ask for a smaller one");
    tb_mcp_resource_send_text(wait_for_read(rig), uri, "application/json", some);
    mcp_expect(mcp_rig_heard(rig), "\"text\":\"AAA");
    tb_mcp_resource_send_text(wait_for_read(rig), uri, "application/json", tb_buf_str(&large));
    mcp_expect(mcp_rig_heard(rig), "the resource is too large to send");
}

static void a_resource_that_is_not_there_has_the_code_of_its_era(void **state)
{
    static const char *const uris[] = {"tabard://nope",
                                       "tabard://session/nobody/snapshot",
                                       "tabard://session//snapshot",
                                       "tabard://session/a/b/snapshot",
                                       "tabard://session/a/snapshot/",
                                       ""};
    for (size_t i = 0; i < TB_COUNT(uris); i++) {
        char message[512];
        snprintf(message, sizeof(message), REQUEST(1, "resources/read", "\"uri\":\"%s\""), uris[i]);
        mcp_expect(mcp_rig_say(*state, message), "\"code\":-32002");
        snprintf(message, sizeof(message),
                 REQUEST(1, "resources/read", MODERN_META ",\"uri\":\"%s\""), uris[i]);
        const char *said = mcp_rig_say(*state, message);
        mcp_expect(said, "\"code\":-32602");
        mcp_expect(said, "\"data\":{\"uri\":\"");
    }
    mcp_expect(mcp_rig_say(*state, REQUEST(1, "resources/read", "")), "\"code\":-32602");
}

static void prompts_are_filled_in_and_their_arguments_checked(void **state)
{
    mcp_expect(mcp_rig_say(*state, REQUEST(1, "prompts/list", "")), "\"name\":\"two-user-chat\"");
    const char *said = mcp_rig_say(
        *state,
        REQUEST(
            1, "prompts/get",
            "\"name\":\"two-user-chat\",\"arguments\":{\"url\":\"http://chat/\",\"first\":\"ann\"}"));
    mcp_expect(said, "Test http://chat/ with two users");
    mcp_expect(said, "start_session with sessionId ann, and again with sessionId bob");
    mcp_expect(mcp_rig_say(*state, REQUEST(1, "prompts/get", "\"name\":\"two-user-chat\"")),
               "\"code\":-32602");
    mcp_expect(mcp_rig_say(*state, REQUEST(1, "prompts/get",
                                           "\"name\":\"two-user-chat\",\"arguments\":{\"url\":1}")),
               "\"code\":-32602");
    mcp_expect(mcp_rig_say(*state, REQUEST(1, "prompts/get", "\"name\":\"nope\"")),
               "\"code\":-32602");
}

static void names_of_sessions_are_completed(void **state)
{
    mcp_rig_say(*state, NAVIGATE);
    mcp_expect(
        mcp_rig_say(*state,
                    REQUEST(1, "completion/complete",
                            "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"child-owns-session\"},"
                            "\"argument\":{\"name\":\"session\",\"value\":\"bro\"}")),
        "\"completion\":{\"values\":[\"browser-1\"],\"total\":1,\"hasMore\":false}");
    mcp_expect(
        mcp_rig_say(
            *state,
            REQUEST(
                1, "completion/complete",
                "\"ref\":{\"type\":\"ref/resource\",\"uri\":\"tabard://session/{id}/snapshot\"},"
                "\"argument\":{\"name\":\"id\",\"value\":\"x\"}")),
        "\"completion\":{\"values\":[],\"total\":0,\"hasMore\":false}");
    mcp_expect(
        mcp_rig_say(*state,
                    REQUEST(1, "completion/complete",
                            "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"child-owns-session\"},"
                            "\"argument\":{\"name\":\"task\",\"value\":\"\"}")),
        "\"values\":[]");
    mcp_expect(mcp_rig_say(*state, REQUEST(1, "completion/complete",
                                           "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"nope\"},"
                                           "\"argument\":{\"name\":\"a\",\"value\":\"\"}")),
               "\"code\":-32602");
}

/* Sessions that are not there yet are not denied. */
static void what_lists_sessions_waits_until_they_are_loaded(void **state)
{
    static const char *const lists[] = {
        REQUEST(1, "resources/read", "\"uri\":\"tabard://sessions\""),
        REQUEST(1, "completion/complete",
                "\"ref\":{\"type\":\"ref/prompt\",\"name\":\"child-owns-session\"},"
                "\"argument\":{\"name\":\"session\",\"value\":\"\"}"),
    };
    struct mcp_rig *rig = *state;
    mcp_rig_store(rig);
    for (size_t i = 0; i < TB_COUNT(lists); i++) {
        tb_sessions_load(rig->core.sessions, NULL, NULL);
        assert_string_equal(mcp_rig_say_only(rig, lists[i]), "");
        mcp_rig_turn(rig);
        mcp_expect(mcp_rig_heard(rig), "\"id\":1,\"result\"");
        tb_sessions_load(rig->core.sessions, NULL, NULL);
        mcp_rig_say_only(rig, lists[i]);
        mcp_rig_say_only(rig, CANCEL(1));
        mcp_rig_turn(rig);
        assert_string_equal(mcp_rig_heard(rig), "");
    }
}

static void a_legacy_subscriber_hears_of_changes_until_it_leaves(void **state)
{
    struct mcp_rig *rig = *state;
    assert_false(tb_bus_heard(&rig->core.bus));
    assert_string_equal(
        mcp_rig_say(rig, REQUEST(1, "resources/subscribe", "\"uri\":\"tabard://sessions\"")),
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}\n");
    assert_true(tb_bus_heard(&rig->core.bus));
    mcp_expect(
        mcp_rig_say(rig, NAVIGATE),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/resources/updated\",\"params\":{\"uri\":\"tabard://sessions\"}}");
    mcp_rig_say(rig, REQUEST(1, "resources/unsubscribe", "\"uri\":\"tabard://sessions\""));
    assert_false(tb_bus_heard(&rig->core.bus));
    tb_sessions_end_all(rig->core.sessions, "default", TB_END_CLOSED, NULL);
    assert_string_equal(mcp_rig_heard(rig), "");
    mcp_expect(mcp_rig_say(rig, REQUEST(1, "resources/subscribe", "\"uri\":\"tabard://nope\"")),
               "\"code\":-32002");
}

static void a_page_is_watched_by_name_and_only_in_its_tenant(void **state)
{
    struct mcp_rig *rig = *state;
    mcp_rig_say(rig, NAVIGATE);
    mcp_rig_say(
        rig, REQUEST(1, "resources/subscribe", "\"uri\":\"tabard://session/browser-1/snapshot\""));
    const char *id =
        tb_session_info(tb_sessions_find(rig->core.sessions, "default", TB_STR("browser-1"))).id;
    tb_bus_publish(
        &rig->core.bus,
        &(struct tb_event){.type = TB_EVENT_NAVIGATED, .tenant = "other", .session_id = id});
    tb_bus_publish(&rig->core.bus, &(struct tb_event){.type = TB_EVENT_NAVIGATED,
                                                      .tenant = "default",
                                                      .session_id = "another"});
    tb_bus_publish(
        &rig->core.bus,
        &(struct tb_event){.type = TB_EVENT_DOWNLOAD_DONE, .tenant = "default", .session_id = id});
    assert_string_equal(mcp_rig_heard(rig), "");
    tb_bus_publish(
        &rig->core.bus,
        &(struct tb_event){.type = TB_EVENT_NAVIGATED, .tenant = "default", .session_id = id});
    mcp_expect(mcp_rig_heard(rig), "\"uri\":\"tabard://session/browser-1/snapshot\"");
}

static void navigated(struct mcp_rig *rig, const char *id)
{
    tb_bus_publish(
        &rig->core.bus,
        &(struct tb_event){.type = TB_EVENT_NAVIGATED, .tenant = "default", .session_id = id});
}

/* What a name means depends on who says it. */
static void ones_own_private_page_is_watched_and_not_its_namesake(void **state)
{
    static const char *const watches[] = {
        REQUEST(1, "resources/subscribe", "\"uri\":\"tabard://session/mail/snapshot\""),
        LISTEN("\"resourceSubscriptions\":[\"tabard://session/mail/snapshot\"]"),
    };
    struct mcp_rig *rig = *state;
    const struct tb_caller own = {.who = principal_of("default"), .conversation = "own"};
    const struct tb_caller other = {.who = principal_of("default"), .conversation = "other"};
    struct tb_session *shared;
    const char *warning;
    const struct tb_session_spec spec = {.name = TB_STR("mail"),
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake,
                                         .deadline_ms = INT64_MAX};
    mcp_rig_say(rig, REQUEST(1, "tools/call",
                             "\"name\":\"start_session\",\"arguments\":{"
                             "\"sessionId\":\"mail\",\"private\":true}"));
    assert_int_equal(tb_sessions_create(rig->core.sessions, &other, &spec, &shared, &warning, NULL),
                     0);
    mcp_rig_turn(rig);
    const char *id =
        tb_session_info(tb_sessions_reach(rig->core.sessions, &own, TB_STR("mail"))).id;
    for (size_t i = 0; i < TB_COUNT(watches); i++) {
        mcp_rig_say(rig, watches[i]);
        navigated(rig, tb_session_info(shared).id);
        assert_string_equal(mcp_rig_heard(rig), "");
        navigated(rig, id);
        mcp_expect(mcp_rig_heard(rig), "\"uri\":\"tabard://session/mail/snapshot\"");
        mcp_rig_say(
            rig, REQUEST(2, "resources/unsubscribe", "\"uri\":\"tabard://session/mail/snapshot\""));
    }
}

static void listening_begins_with_what_will_be_honoured(void **state)
{
    struct mcp_rig *rig = *state;
    assert_string_equal(
        mcp_rig_say(
            rig,
            LISTEN(
                "\"toolsListChanged\":true,\"resourceSubscriptions\":[\"tabard://sessions\",\"x://y\",7]")),
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{"
        "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":7},"
        "\"notifications\":{\"resourceSubscriptions\":[\"tabard://sessions\"]}}}\n");
    mcp_expect(
        mcp_rig_say(rig, NAVIGATE),
        "\"notifications/resources/updated\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":7},"
        "\"uri\":\"tabard://sessions\"}");
    mcp_rig_say(rig, CANCEL(7));
    assert_false(tb_bus_heard(&rig->core.bus));
    assert_int_equal(rig->mcp->listen_count, 0);
    mcp_expect(mcp_rig_say(rig, REQUEST(7, "subscriptions/listen", MODERN_META)),
               "\"code\":-32602");
}

static void listens_get_their_answer_when_the_daemon_stops(void **state)
{
    struct mcp_rig *rig = *state;
    mcp_rig_say(rig, LISTEN(""));
    tb_mcp_listens_end(rig->mcp);
    const char *said = mcp_rig_heard(rig);
    mcp_expect(said, "\"id\":7,\"result\":{\"resultType\":\"complete\"");
    mcp_expect(said, "\"io.modelcontextprotocol/subscriptionId\":7");
}

static void a_batch_is_answered_by_one_array_when_all_is_done(void **state)
{
    struct mcp_rig *rig = *state;
    mcp_rig_say(rig, INITIALIZE("2025-03-26"));
    rig->answers = 0;
    const char *said = mcp_rig_say(
        rig,
        "[" NAVIGATE ",{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"},"
        "{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"},7,"
        "{\"jsonrpc\":\"2.0\",\"id\":4},{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"initialize\"}]");
    assert_int_equal(rig->answers, 1);
    assert_true(said[0] == '[' && strstr(said, "]\n") == said + strlen(said) - 2);
    mcp_expect(said, "\"id\":\"p\",\"result\":{}");
    mcp_expect(said, "\"id\":90,\"result\"");
    mcp_expect(said, "\"id\":4,\"error\"");
    mcp_expect(said, "\"id\":5,\"error\"");
    TB_AUTO(tb_json_free) struct cJSON *tree = tb_json_parse(tb_str_of(said));
    assert_true(tb_json_is_array(tree));
    assert_string_equal(mcp_rig_say(rig, "[{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}]"),
                        "");
    assert_int_equal(rig->answers, 1);
}

static void a_batch_whose_last_request_is_cancelled_ends_all_the_same(void **state)
{
    struct mcp_rig *rig = *state;
    rig->fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_HELD;
    assert_string_equal(mcp_rig_say(rig, "[" NAVIGATE "]"), "");
    mcp_rig_say(rig, CANCEL(90));
    assert_int_equal(rig->drops, 1);
    assert_string_equal(
        mcp_rig_say(rig, "[" NAVIGATE ",{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}]"),
        "");
    mcp_expect(mcp_rig_say(rig, CANCEL(90)), "[{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"result\":{}}]");
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, set_up, mcp_rig_stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(the_sessions_are_a_resource_and_what_they_show_are_templates),
        WITH(a_list_is_for_everybody_where_no_page_brings_tools),
        WITH(a_snapshot_is_read_through_its_operation),
        WITH(a_large_text_is_cut_with_a_mark),
        WITH(what_cannot_be_cut_is_refused_when_it_is_too_large),
        WITH(a_resource_that_is_not_there_has_the_code_of_its_era),
        WITH(prompts_are_filled_in_and_their_arguments_checked),
        WITH(names_of_sessions_are_completed),
        WITH(what_lists_sessions_waits_until_they_are_loaded),
        WITH(a_legacy_subscriber_hears_of_changes_until_it_leaves),
        WITH(a_page_is_watched_by_name_and_only_in_its_tenant),
        WITH(ones_own_private_page_is_watched_and_not_its_namesake),
        WITH(listening_begins_with_what_will_be_honoured),
        WITH(listens_get_their_answer_when_the_daemon_stops),
        WITH(a_batch_is_answered_by_one_array_when_all_is_done),
        WITH(a_batch_whose_last_request_is_cancelled_ends_all_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
