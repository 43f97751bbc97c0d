/* SPDX-License-Identifier: Apache-2.0 */
/* Tools that a session brings along, as an agent sees them. */
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
#include "core/toolbox.h"
#include "front/mcp/content.h"

#include "support/mcp_expect.h"
#include "support/mcp_rig.h"
#include "support/principals.h"

#define CALL(name, args) REQUEST(7, "tools/call", "\"name\":\"" name "\",\"arguments\":" args)
#define NAVIGATE         CALL("browser_navigate", "{\"url\":\"http://x/\"}")
#define LIST             REQUEST(2, "tools/list", "")
#define ADD                                                                               \
    "{\"name\":\"add\", \"description\":\"Adds \\u0000 one\",\"inputSchema\":{\"type\": " \
    "\"object\",\"properties\":{\"n\":{\"maximum\":12345678901234567890123}}},\"x\":[1,2]}"
#define CLICK "{\"name\":\"click\"}"

static const char *id_of(const struct tb_session *session)
{
    return tb_session_info(session).id;
}

static const char *session_id(struct mcp_rig *rig)
{
    return id_of(tb_sessions_find(rig->core.sessions, "default", TB_STR("browser-1")));
}

static void bring(struct mcp_rig *rig)
{
    struct tb_brought **tools = tb_zalloc_array(2, sizeof(*tools));
    assert_int_equal(tb_brought_new("add", "http://x", "frame-1", TB_STR(ADD), &tools[0], NULL), 0);
    assert_int_equal(tb_brought_new("click", "http://x", "frame-1", TB_STR(CLICK), &tools[1], NULL),
                     0);
    assert_true(tb_fake_bring_take(rig->fake, session_id(rig), tools, 2));
}

/* The agent is introduced, and has a session whose page brings two tools. */
static void begin(struct mcp_rig *rig)
{
    mcp_rig_say(rig, INITIALIZE("2025-11-25"));
    mcp_rig_say(rig, NAVIGATE);
    bring(rig);
}

static void they_stand_behind_the_others_as_their_page_wrote_them(void **state)
{
    struct mcp_rig *rig = *state;
    mcp_rig_say(rig, INITIALIZE("2025-11-25"));
    TB_AUTO(tb_free) char *before = tb_strdup(mcp_rig_say(rig, LIST));
    mcp_rig_say(rig, NAVIGATE);
    assert_string_equal(mcp_rig_say(rig, LIST), before);
    bring(rig);
    const char *said = mcp_rig_say(rig, LIST);
    assert_memory_equal(said, before, strlen(before) - strlen("]}}\n"));
    assert_string_equal(
        said + strlen(before) - strlen("]}}\n"),
        ",{\"name\":\"add\",\"description\":\"Adds \\u0000 one\",\"inputSchema\":{\"type\": "
        "\"object\",\"properties\":{\"n\":{\"maximum\":12345678901234567890123}}}},"
        "{\"name\":\"page_click\",\"inputSchema\":{\"type\":\"object\"}}]}}\n");
}

/* Also before there is one: it may have others a moment later. */
static void a_list_is_for_its_caller_alone_where_pages_bring_tools(void **state)
{
    struct mcp_rig *rig = *state;
    static const char list[] = REQUEST(2, "tools/list", MODERN_META);
    mcp_expect(mcp_rig_say(rig, list), "\"ttlMs\":0,\"cacheScope\":\"private\"");
    mcp_rig_say(rig, NAVIGATE);
    bring(rig);
    mcp_expect(mcp_rig_say(rig, list), "\"ttlMs\":0,\"cacheScope\":\"private\"");
}

static void bring_these(struct mcp_rig *rig, const char *const *jsons, size_t count)
{
    struct tb_brought **tools = tb_zalloc_array(count, sizeof(*tools));
    for (size_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof(name), "tool-%zu", i);
        assert_int_equal(
            tb_brought_new(name, "http://x", "frame-1", tb_str_of(jsons[i]), &tools[i], NULL), 0);
    }
    assert_true(tb_fake_bring_take(rig->fake, session_id(rig), tools, count));
}

static void a_list_stays_below_what_clients_take(void **state)
{
    struct mcp_rig *rig = *state;
    const char *jsons[40];
    TB_AUTO(tb_free) char *large = tb_strdupf("{\"description\":\"%060000d\"}", 0);
    for (size_t i = 0; i < TB_COUNT(jsons); i++) {
        jsons[i] = large;
    }
    mcp_rig_say(rig, INITIALIZE("2025-11-25"));
    mcp_rig_say(rig, NAVIGATE);
    bring_these(rig, jsons, TB_COUNT(jsons));
    const char *said = mcp_rig_say(rig, LIST);
    assert_in_range(strlen(said), TB_BROUGHT_BYTES_MAX / 2, TB_MCP_RESULT_MAX);
    mcp_expect(said, "\"tool-0\"");
    assert_null(strstr(said, "\"tool-39\""));
}

static void what_is_told_of_the_session_stands_before_the_items_of_the_page(void **state)
{
    static const char *const rows[][2] = {
        {"{\"content\":[ {\"type\":\"text\",\"text\":\"a\"} ],\"isError\":true}",
         "{\"content\":[{\"type\":\"text\",\"text\":\"new\"},{\"type\":\"text\",\"text\":\"a\"}],"
         "\"isError\":true}"},
        {"{\"content\":[ ]}", "{\"content\":[{\"type\":\"text\",\"text\":\"new\"}]}"},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        TB_AUTO(tb_buf_fini) struct tb_buf out = TB_BUF(TB_KIB);
        struct tb_json_writer json;
        tb_json_writer_init(&json, &out);
        tb_json_object_open(&json);
        tb_mcp_put_answer(
            &json, &(const struct tb_answer){.raw = tb_str_of(rows[i][0]), .note = TB_STR("new")});
        tb_json_object_close(&json);
        assert_true(tb_str_eq_cstr(tb_buf_str(&out), rows[i][1]));
    }
}

static void bytes_pass_that_no_tree_could_hold(void **state)
{
    struct mcp_rig *rig = *state;
    begin(rig);
    mcp_expect(
        mcp_rig_say(rig, CALL("add", "{\"a\":\"\\u0000\\ud800\", \"n\":"
                                     "10000000000000000000000000000000000000000000000000000000"
                                     "00000000000000001}")),
        "\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\":\\\"\\\\u0000\\\\ud800\\\", "
        "\\\"n\\\":1000000000000000000000000000000000000000000000000000000000000000000000001}"
        "\"},{\"type\":\"text\",\"text\":\"Session: browser-1\"}],\"sessionId\":\"browser-1\"");
    assert_string_equal(rig->fake->invoked, "frame-1");
}

static void a_result_of_mcp_is_spliced(void **state)
{
    struct mcp_rig *rig = *state;
    begin(rig);
    mcp_expect(
        mcp_rig_say(rig, CALL("page_click", "{\"content\": [ {\"type\":\"text\",\"text\":"
                                            "\"\\ud83d\"} ],\"isError\":true}")),
        "\"result\":{\"content\":[ {\"type\":\"text\",\"text\":\"\\ud83d\"} ],\"isError\":true,"
        "\"sessionId\":");
    mcp_expect(mcp_rig_say(rig, CALL("page_click", "{\"content\":{}}")),
               "\"content\":[{\"type\":\"text\",\"text\":\"{\\\"content\\\":{}}\"}");
}

/* As ever: no tree can be made of such a message. */
static void other_tools_refuse_such_bytes(void **state)
{
    struct mcp_rig *rig = *state;
    static const char *const names[] = {CALL("browser_click", "{\"target\":\"\\u0000\"}"),
                                        CALL("nobody_has_it", "{\"target\":\"\\u0000\"}")};
    begin(rig);
    size_t begun = rig->fake->counts.begun;
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        const char *said = mcp_rig_say(rig, names[i]);
        mcp_expect(said, "\"id\":7,\"error\":{\"code\":-32700,");
        assert_int_equal(rig->status, 400);
    }
    assert_int_equal(rig->fake->counts.begun, begun);
}

static size_t changes(const char *text)
{
    size_t count = 0;
    while ((text = strstr(text, "notifications/tools/list_changed"))) {
        text++;
        count++;
    }
    return count;
}

static void whoever_sees_the_session_is_told_of_changes(void **state)
{
    struct mcp_rig *rig = *state;
    struct tb_session *theirs = NULL;
    const char *warning;
    const struct tb_caller other = {.who = principal_of("other"), .conversation = ""};
    const struct tb_session_spec spec = {.name = TB_STR("theirs"),
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake,
                                         .deadline_ms = INT64_MAX};
    mcp_expect(mcp_rig_say(rig, INITIALIZE("2025-11-25")), "\"tools\":{\"listChanged\":true}");
    mcp_rig_say(rig, NAVIGATE);
    rig->sent.len = 0;
    bring(rig);
    assert_int_equal(changes(mcp_rig_heard(rig)), 1);
    assert_int_equal(tb_sessions_create(rig->core.sessions, &other, &spec, &theirs, &warning, NULL),
                     0);
    mcp_rig_turn(rig);
    struct tb_brought **tools = tb_zalloc_array(1, sizeof(*tools));
    tb_brought_new("add", "", "", TB_STR("{}"), &tools[0], NULL);
    rig->sent.len = 0;
    assert_true(tb_fake_bring_take(rig->fake, id_of(theirs), tools, 1));
    assert_int_equal(changes(mcp_rig_heard(rig)), 0); /* of another tenant */
    tb_session_end(tb_sessions_find(rig->core.sessions, "default", TB_STR("browser-1")),
                   TB_END_CLOSED);
    assert_int_equal(changes(mcp_rig_heard(rig)), 1);
}

#define SESSION(tool, name) CALL(tool, "{\"sessionId\":\"" name "\"}")

/* The tools of browser-1 come and go with it, though it brings the same all the time. */
static void whoever_means_another_session_is_told_of_other_tools(void **state)
{
    struct mcp_rig *rig = *state;
    begin(rig);
    mcp_rig_say(rig, LIST);
    assert_int_equal(changes(mcp_rig_say(rig, SESSION("start_session", "two"))), 1);
    assert_int_equal(changes(mcp_rig_say(rig, SESSION("start_session", "three"))), 0);
    assert_int_equal(changes(mcp_rig_say(rig, SESSION("set_current_session", "two"))), 0);
    assert_int_equal(changes(mcp_rig_say(rig, SESSION("set_current_session", "browser-1"))), 1);
    assert_int_equal(changes(mcp_rig_say(rig, SESSION("set_current_session", "two"))), 1);
    assert_int_equal(changes(mcp_rig_say(rig, SESSION("close_session", "three"))), 0);
    mcp_rig_say(rig, SESSION("close_session", "two"));
    mcp_expect(mcp_rig_say(rig, LIST), "\"name\":\"add\"");
}

static void a_listener_is_told_of_it_too(void **state)
{
    struct mcp_rig *rig = *state;
    mcp_rig_say(rig, NAVIGATE);
    bring(rig);
    mcp_rig_say(rig, REQUEST(5, "subscriptions/listen",
                             MODERN_META ",\"notifications\":{\"toolsListChanged\":true}"));
    assert_int_equal(changes(mcp_rig_say(rig, SESSION("start_session", "two"))), 1);
    assert_int_equal(changes(mcp_rig_say(rig, SESSION("set_current_session", "browser-1"))), 1);
    tb_session_end(tb_sessions_find(rig->core.sessions, "default", TB_STR("two")), TB_END_CLOSED);
    mcp_rig_turn(rig);
    assert_int_equal(changes(mcp_rig_heard(rig)), 0);
}

/* What is hidden from a caller is hidden in a sequence, too. */
static void a_sequence_runs_nothing_that_the_caller_was_not_given(void **state)
{
    struct mcp_rig *rig = *state;
    begin(rig);
    size_t begun = rig->fake->counts.begun;
    mcp_expect(
        mcp_rig_say(rig, CALL("execute_sequence", "{\"actions\":[{\"action\":\"browser_pdf\"}]}")),
        "this tool belongs to the group pdf, which is not turned on");
    mcp_expect(mcp_rig_say(rig, CALL("execute_sequence", "{\"actions\":[{\"action\":\"add\"}]}")),
               "this tool is unknown");
    assert_int_equal(rig->fake->counts.begun, begun);
}

/* Of two peers with the same tools each sees, and hears of, what it may call. */
static void a_list_has_only_what_the_peer_has_the_scope_for(void **state)
{
    struct mcp_rig *rig = *state;
    unsigned *scopes = &rig->peer.who->scopes;
    static const char list[] = REQUEST(2, "tools/list", MODERN_META);
    begin(rig);
    TB_AUTO(tb_free) char *all = tb_strdup(mcp_rig_say(rig, list));
    *scopes = TB_SCOPE_OBSERVE;
    const char *said = mcp_rig_say(rig, list);
    mcp_expect(said, "\"browser_snapshot\"");
    assert_null(strstr(said, "\"browser_click\""));
    assert_null(strstr(said, "\"add\""));
    mcp_expect(said, "\"ttlMs\":0,\"cacheScope\":\"private\"");
    mcp_expect(mcp_rig_say(rig, CALL("browser_click", "{\"target\":\"e1\"}")),
               "the tool 'browser_click' needs the scope 'act', which this key does not have"
               "\\nUse only tools from tools/list");
    mcp_expect(mcp_rig_say(rig, CALL("add", "{}")), "the tool 'add' needs the scope 'act'");
    *scopes = TB_SCOPE_ACT;
    said = mcp_rig_say(rig, list);
    mcp_expect(said, "\"add\"");
    assert_null(strstr(said, "\"browser_snapshot\""));
    mcp_expect(
        mcp_rig_say(rig, REQUEST(3, "resources/read",
                                 "\"uri\":\"tabard://session/browser-1/snapshot\"," MODERN_META)),
        "needs the scope 'observe'");
    mcp_expect(mcp_rig_say(
                   rig, REQUEST(3, "resources/read", "\"uri\":\"tabard://sessions\"," MODERN_META)),
               "needs the scope 'observe'");
    *scopes = TB_SCOPES_ALL;
    assert_string_equal(mcp_rig_say(rig, list), all);
}

#define WITH(test) cmocka_unit_test_setup_teardown(test, mcp_rig_start, mcp_rig_stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH(they_stand_behind_the_others_as_their_page_wrote_them),
        WITH(a_list_is_for_its_caller_alone_where_pages_bring_tools),
        WITH(a_list_stays_below_what_clients_take),
        WITH(what_is_told_of_the_session_stands_before_the_items_of_the_page),
        WITH(bytes_pass_that_no_tree_could_hold),
        WITH(a_result_of_mcp_is_spliced),
        WITH(other_tools_refuse_such_bytes),
        WITH(whoever_sees_the_session_is_told_of_changes),
        WITH(whoever_means_another_session_is_told_of_other_tools),
        WITH(a_listener_is_told_of_it_too),
        WITH(a_sequence_runs_nothing_that_the_caller_was_not_given),
        WITH(a_list_has_only_what_the_peer_has_the_scope_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
