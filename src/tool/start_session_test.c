/* SPDX-License-Identifier: Apache-2.0 */
/* The tools that start, list, choose and end sessions. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "tool/print.h"
#include "tool/tools.h"

#include "support/core_rig.h"
#include "support/principals.h"

static void expect_text(const struct cJSON *data, const char *key, const char *text)
{
    struct tb_str value = tb_data_text(data, key);
    if (!tb_str_eq_cstr(value, text)) {
        fail_msg("%s is '%.*s', not '%s'", key, TB_STR_ARG(value), text);
    }
}

/* Runs a call that must fail; its words must have `part` in them. */
static void expect_failure(struct rig *rig, const struct tb_tool *tool, const char *args, int code,
                           const char *part)
{
    struct rig_call *call = rig_start(rig, tool, "", args);
    rig_turn(rig);
    if (!strstr(call->message, part)) {
        fail_msg("'%s' has no '%s'", call->message, part);
    }
    rig_expect(call, code);
}

/* S1-25, S1-26, S1-35 */
static void a_session_gets_a_name_and_is_described(void **state)
{
    struct rig *rig = *state;
    struct rig_call *call = rig_start(rig, &tb_tool_start_session, "", "{}");
    rig_turn(rig);
    expect_text(call->data, "sessionId", "browser-1");
    expect_text(call->data, "type", "browser");
    expect_text(tb_json_get(call->data, "capabilities"), "browserName", "fake");
    assert_int_equal(tb_data_int(call->data, "idle_ms"), 1800000);
    assert_int_equal(tb_data_int(call->data, "width"), 1280);
    assert_true(tb_data_flag(call->data, "headless"));
    rig_expect(call, 0);
    assert_int_equal(rig_run(rig, &tb_tool_start_session, "", "{\"sessionId\":\"mine\"}"), 0);
    assert_non_null(rig_find(rig, "mine"));
}

static void the_url_is_opened_in_the_new_session(void **state)
{
    struct rig *rig = *state;
    struct rig_call *call =
        rig_start(rig, &tb_tool_start_session, "",
                  "{\"sessionId\":\"web\",\"url\":\"https://a.test/\",\"viewport\":{\"width\":800,"
                  "\"height\":600},\"headless\":false}");
    rig_turn(rig);
    expect_text(call->data, "sessionId", "web");
    expect_text(call->data, "url", "https://a.test/");
    assert_int_equal(tb_data_int(call->data, "width"), 800);
    assert_false(tb_data_flag(call->data, "headless"));
    rig_expect(call, 0);
    assert_int_equal(rig->fake->counts.begun, 1);
}

static void a_page_that_does_not_open_leaves_the_session_and_says_so(void **state)
{
    struct rig *rig = *state;
    rig->fake->ops[TB_OP_NAVIGATE].code = TB_E_NAVIGATION;
    expect_failure(rig, &tb_tool_start_session,
                   "{\"sessionId\":\"web\",\"url\":\"https://no.test/\"}", TB_E_NAVIGATION,
                   "session \"web\" is open, but its page is not");
    assert_non_null(rig_find(rig, "web"));
}

/* Starts a session whose page does not load yet. */
static struct rig_call *start_slow(struct rig *rig)
{
    rig->fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_HELD;
    struct rig_call *call =
        rig_start(rig, &tb_tool_start_session, "talk",
                  "{\"sessionId\":\"web\",\"url\":\"https://slow.test/\",\"timeout_ms\":6000}");
    rig_turn(rig);
    assert_int_equal(call->dones, 0);
    return call;
}

static void a_session_that_is_ended_while_its_page_loads_is_not_said_to_be_open(void **state)
{
    struct rig *rig = *state;
    const struct tb_caller other = {.who = principal_of("t"), .conversation = "other"};
    struct rig_call *call = start_slow(rig);
    tb_session_close(rig_find(rig, "web"), &other, NULL);
    rig_turn(rig);
    assert_string_equal(call->message, "Session 'web' was closed");
    rig_expect(call, TB_E_SESSION_ENDED);
    call = start_slow(rig);
    assert_int_equal(tb_sessions_stop_all(rig->core.sessions, "t", NULL), 1);
    rig_turn(rig);
    assert_string_equal(call->message,
                        "Session 'web' was stopped by the operator, with all other sessions");
    rig_expect(call, TB_E_SESSION_STOPPED);
}

/* Its page has failed, but that is not the news. */
static void a_session_that_is_ended_as_its_page_fails_is_not_said_to_be_open(void **state)
{
    struct rig *rig = *state;
    const struct tb_caller other = {.who = principal_of("t"), .conversation = "other"};
    rig->fake->ops[TB_OP_NAVIGATE].code = TB_E_NAVIGATION;
    struct rig_call *call = start_slow(rig);
    tb_fake_release(rig->fake, tb_session_info(rig_find(rig, "web")).id);
    tb_session_close(rig_find(rig, "web"), &other, NULL);
    rig_turn(rig);
    assert_string_equal(call->message, "Session 'web' was closed");
    rig_expect(call, TB_E_SESSION_ENDED);
}

static void a_session_that_grows_too_old_while_its_page_loads_has_ended(void **state)
{
    struct rig *rig = *state;
    static const char words[] = "Session 'web' reached its maximum age of 2 seconds";
    rig->config.sessions_named_max_age_ms = 2000;
    struct rig_call *late = start_slow(rig);
    rig_advance(rig, 2000);
    assert_int_equal(late->dones, 0);
    rig_advance(rig, 4001);
    rig_advance(rig, 10000);
    assert_string_equal(late->message, words);
    rig_expect(late, TB_E_SESSION_ENDED);
    assert_null(rig_find(rig, "web"));
    struct rig_call *loaded = start_slow(rig);
    rig_advance(rig, 3000);
    tb_fake_release(rig->fake, tb_session_info(rig_find(rig, "web")).id);
    rig_turn(rig);
    assert_string_equal(loaded->message, words);
    rig_expect(loaded, TB_E_SESSION_ENDED);
    assert_null(rig_find(rig, "web"));
}

static void a_browser_that_does_not_start_is_the_error_of_the_call(void **state)
{
    struct rig *rig = *state;
    rig->fake->open.code = TB_E_BROWSER_START;
    expect_failure(rig, &tb_tool_start_session, "{\"sessionId\":\"web\"}", TB_E_BROWSER_START,
                   "did not start");
    assert_null(rig_find(rig, "web"));
}

static void a_start_that_is_cancelled_or_late_ends(void **state)
{
    struct rig *rig = *state;
    rig->fake->open.when = TB_FAKE_HELD;
    struct rig_call *call =
        rig_start(rig, &tb_tool_start_session, "", "{\"url\":\"https://a.test/\"}");
    rig_turn(rig);
    tb_call_cancel(call->call);
    rig_turn(rig);
    rig_expect(call, TB_E_CANCELLED);
    call = rig_start(rig, &tb_tool_start_session, "", "{\"timeout_ms\":500}");
    rig_advance(rig, 501);
    rig_expect(call, TB_E_TIMEOUT);
    rig->fake->open.when = TB_FAKE_NOW;
    rig->fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_HELD;
    call = rig_start(rig, &tb_tool_start_session, "", "{\"url\":\"https://a.test/\"}");
    rig_turn(rig);
    tb_call_cancel(call->call);
    rig_turn(rig);
    rig_expect(call, TB_E_CANCELLED);
}

/* S1-44 */
static void a_name_is_not_given_twice(void **state)
{
    struct rig *rig = *state;
    assert_int_equal(rig_run(rig, &tb_tool_start_session, "", "{\"sessionId\":\"test\"}"), 0);
    expect_failure(rig, &tb_tool_start_session, "{\"sessionId\":\"test\"}", TB_E_SESSION_EXISTS,
                   "Session 'test' already exists");
}

/* S1-42 */
static void more_than_five_sessions_bring_a_warning(void **state)
{
    struct rig *rig = *state;
    for (int i = 0; i < 5; i++) {
        struct rig_call *call = rig_start(rig, &tb_tool_start_session, "", "{}");
        rig_turn(rig);
        assert_null(tb_json_get(call->data, "warning"));
        rig_expect(call, 0);
    }
    struct rig_call *sixth = rig_start(rig, &tb_tool_start_session, "", "{}");
    rig_turn(rig);
    assert_true(tb_str_starts(tb_data_text(sixth->data, "warning"), TB_STR("Warning: ")));
    rig_expect(sixth, 0);
}

static void what_cannot_be_started_is_refused_in_words(void **state)
{
    static const struct {
        const char *args;
        int code;
        const char *part;
    } rows[] = {
        {"{\"kind\":\"ios\"}", TB_E_UNSUPPORTED, "app sessions need Appium"},
        {"{\"provider\":\"cdp\"}", TB_E_PARAMS, "provider cdp needs the argument 'endpoint'"},
        {"{\"endpoint\":\"ws://x\"}", TB_E_PARAMS, "the argument 'endpoint' needs provider cdp"},
        {"{\"provider\":\"moon\"}", TB_E_PARAMS, "must be one of local, cdp"},
        {"{\"viewport\":{\"width\":5}}", TB_E_PARAMS, "height"},
        {"{\"sessionId\":\"a b\"}", TB_E_PARAMS, "name"},
        {"{\"colour\":\"red\"}", TB_E_PARAMS, "unknown argument 'colour'"},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        expect_failure(*state, &tb_tool_start_session, rows[i].args, rows[i].code, rows[i].part);
    }
    assert_int_equal(tb_sessions_count(((struct rig *)*state)->core.sessions), 0);
}

static void what_no_driver_offers_is_refused_with_what_there_is(void **state)
{
    static const struct tb_offer phones[] = {
        {TB_KIND_ANDROID, TB_PROVIDER_LOCAL, TB_ENGINE_AUTO},
        TB_OFFER_END,
    };
    struct rig *rig = *state;
    struct tb_driver driver = tb_driver_fake;
    driver.offers = phones;
    rig->core.drivers[0].driver = &driver;
    expect_failure(rig, &tb_tool_start_session, "{}", TB_E_NOT_POSSIBLE,
                   "no driver for browsers; kind can only be android");
    expect_failure(rig, &tb_tool_start_session,
                   "{\"kind\":\"android\",\"provider\":\"cdp\",\"endpoint\":\"ws://x\"}",
                   TB_E_NOT_POSSIBLE, "provider can only be local");
    assert_int_equal(rig_run(rig, &tb_tool_start_session, "", "{\"kind\":\"android\"}"), 0);
    assert_non_null(rig_find(rig, "android-1"));
    rig_stop(rig); /* while its driver is there */
}

/* S1-19 */
static void the_list_has_sessions_and_the_current_one(void **state)
{
    struct rig *rig = *state;
    rig_run(rig, &tb_tool_start_session, "", "{\"sessionId\":\"alice\"}");
    rig_run(rig, &tb_tool_start_session, "", "{\"sessionId\":\"bob\"}");
    struct rig_call *call = rig_start(rig, &tb_tool_list_sessions, "", NULL);
    rig_turn(rig);
    const struct cJSON *first = tb_json_first(tb_json_get(call->data, "sessions"));
    expect_text(first, "sessionId", "alice");
    expect_text(first, "type", "browser");
    expect_text(tb_json_get(first, "capabilities"), "browserName", "fake");
    expect_text(tb_json_next(first), "sessionId", "bob");
    expect_text(call->data, "currentSession", "bob");
    rig_expect(call, 0);
}

/* S1-08, S1-21 */
static void the_chosen_session_gets_the_calls_that_name_none(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "alice");
    rig_create(rig, "bob");
    assert_int_equal(rig_run(rig, &tb_tool_set_current_session, "", "{\"sessionId\":\"alice\"}"),
                     0);
    assert_int_equal(rig_run(rig, &tb_tool_browser_click, "", "{\"target\":\"#x\"}"), 0);
    assert_int_equal(tb_session_info(rig_find(rig, "alice")).stats.calls, 1);
    assert_int_equal(tb_session_info(rig_find(rig, "bob")).stats.calls, 0);
    expect_failure(rig, &tb_tool_set_current_session, "{\"sessionId\":\"eve\"}",
                   TB_E_SESSION_NOT_FOUND, "No session: eve");
}

static void an_id_serves_as_well_as_a_name(void **state)
{
    struct rig *rig = *state;
    char args[80];
    struct tb_session *session = rig_create(rig, "alice");
    snprintf(args, sizeof(args), "{\"sessionId\":\"%s\"}", tb_session_info(session).id);
    struct rig_call *call = rig_start(rig, &tb_tool_set_current_session, "", args);
    rig_turn(rig);
    expect_text(call->data, "currentSession", "alice");
    rig_expect(call, 0);
}

/* S1-16 */
static void closing_takes_the_named_or_the_current_session(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "alice");
    rig_create(rig, "bob");
    rig_turn(rig);
    assert_int_equal(rig_run(rig, &tb_tool_close_session, "", "{\"sessionId\":\"alice\"}"), 0);
    assert_null(rig_find(rig, "alice"));
    struct rig_call *call = rig_start(rig, &tb_tool_close_session, "", NULL);
    rig_turn(rig);
    expect_text(call->data, "sessionId", "bob");
    rig_expect(call, 0);
    assert_int_equal(rig->fake->counts.closed, 2);
    expect_failure(rig, &tb_tool_close_session, NULL, TB_E_SESSION_NOT_FOUND,
                   "No session: none active");
}

static void closing_does_not_wait_for_a_call_that_hangs(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "alice");
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct rig_call *hangs = rig_start(rig, &tb_tool_browser_click, "", "{\"target\":\"#x\"}");
    rig_turn(rig);
    assert_int_equal(rig_run(rig, &tb_tool_close_session, "", NULL), 0);
    rig_turn(rig);
    assert_int_equal(hangs->dones, 1);
    assert_true(hangs->code < 0);
    rig_forget(hangs);
}

static void detaching_leaves_the_session_running(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "alice");
    struct rig_call *call = rig_start(rig, &tb_tool_close_session, "", "{\"detach\":true}");
    rig_turn(rig);
    assert_true(tb_data_flag(call->data, "detached"));
    rig_expect(call, 0);
    assert_non_null(rig_find(rig, "alice"));
    expect_failure(rig, &tb_tool_browser_click, "{\"target\":\"#x\"}", TB_E_SESSION_NOT_FOUND,
                   "There are: alice");
}

static void a_private_session_that_is_detached_ends_with_its_conversation_and_says_so(void **state)
{
    struct rig *rig = *state;
    static const char mine[] = "{\"sessionId\":\"mine\",\"private\":true}";
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = "a"};
    assert_int_equal(rig_run(rig, &tb_tool_start_session, "a", mine), 0);
    struct rig_call *call = rig_start(rig, &tb_tool_close_session, "a", "{\"detach\":true}");
    rig_turn(rig);
    assert_true(tb_data_flag(call->data, "detached"));
    assert_true(tb_data_flag(call->data, "private"));
    rig_expect(call, 0);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 1);
    tb_sessions_end_conversation(rig->core.sessions, &caller, TB_END_CONVERSATION_ENDED, NULL);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 0);
}

static void detaching_from_a_browser_that_is_not_ours_ends_the_session(void **state)
{
    struct rig *rig = *state;
    rig->fake->detachable = true;
    rig_create(rig, "alice");
    rig_turn(rig);
    struct rig_call *call = rig_start(rig, &tb_tool_close_session, "", "{\"detach\":true}");
    rig_turn(rig);
    assert_true(tb_data_flag(call->data, "detached"));
    assert_true(tb_data_flag(call->data, "ended"));
    rig_expect(call, 0);
    assert_null(rig_find(rig, "alice"));
    assert_int_equal(rig->fake->counts.detached, 1);
}

/* S1-17, S1-50 */
static void all_sessions_of_the_tenant_are_closed_or_detached(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "alice");
    rig_create(rig, "bob");
    rig_create_as(rig, "other", "", "carol");
    rig_turn(rig);
    struct rig_call *call = rig_start(rig, &tb_tool_close_all_sessions, "", "{\"detach\":true}");
    rig_turn(rig);
    assert_int_equal(tb_data_int(call->data, "count"), 2);
    rig_expect(call, 0);
    assert_non_null(rig_find(rig, "bob"));
    call = rig_start(rig, &tb_tool_close_all_sessions, "", NULL);
    rig_turn(rig);
    assert_int_equal(tb_data_int(call->data, "count"), 2);
    rig_expect(call, 0);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 1);
}

static void expect_closed(struct rig *rig, const char *conversation, const char *args, int count)
{
    struct rig_call *call = rig_start(rig, &tb_tool_close_all_sessions, conversation, args);
    rig_turn(rig);
    assert_int_equal(tb_data_int(call->data, "count"), count);
    assert_int_equal(tb_data_flag(call->data, "shared"), !conversation[0]);
    rig_expect(call, 0);
}

static void closing_all_takes_those_of_others_only_when_asked_to(void **state)
{
    struct rig *rig = *state;
    assert_int_equal(rig_run(rig, &tb_tool_start_session, "a", "{\"sessionId\":\"one\"}"), 0);
    assert_int_equal(rig_run(rig, &tb_tool_start_session, "b", "{\"sessionId\":\"two\"}"), 0);
    expect_closed(rig, "", NULL, 0);
    expect_closed(rig, "a", "{\"everyone\":false}", 1);
    assert_true(!rig_find(rig, "one") && rig_find(rig, "two"));
    expect_closed(rig, "a", "{\"everyone\":true}", 1);
    assert_null(rig_find(rig, "two"));
}

static int check_all(unsigned scopes, const char *args, struct tb_err *err)
{
    const struct tb_caller caller = {.who = principal_with(scopes), .conversation = "a"};
    TB_AUTO(tb_json_free) struct cJSON *given = tb_json_parse(tb_str_of(args));
    return tb_tool_close_all_sessions.check(NULL, &caller, given, err);
}

static void closing_those_of_others_needs_the_scope_of_whoever_stops_all(void **state)
{
    static const char everyone[] = "{\"everyone\":true}";
    const unsigned acts = TB_SCOPE_OBSERVE | TB_SCOPE_ACT;
    struct tb_err err;
    (void)state;
    assert_int_equal(check_all(acts, everyone, &err), TB_E_SCOPE);
    assert_string_equal(err.text, "closing other agents' sessions needs the scope 'admin', which "
                                  "this key does not have; leave out 'everyone' to close only your "
                                  "own");
    assert_int_equal(check_all(acts, "{\"everyone\":false}", &err), 0);
    assert_int_equal(check_all(acts, "{}", &err), 0);
    assert_int_equal(check_all(acts | TB_SCOPE_ADMIN, everyone, &err), 0);
}

static void a_private_session_is_out_of_reach_of_the_tools_of_others(void **state)
{
    struct rig *rig = *state;
    static const char mine[] = "{\"sessionId\":\"mine\",\"private\":true}";
    static const char it[] = "{\"sessionId\":\"mine\"}";
    assert_int_equal(rig_run(rig, &tb_tool_start_session, "a", mine), 0);
    assert_int_equal(rig_run(rig, &tb_tool_browser_snapshot, "b", it), TB_E_SESSION_NOT_FOUND);
    assert_int_equal(rig_run(rig, &tb_tool_set_current_session, "b", it), TB_E_SESSION_NOT_FOUND);
    assert_int_equal(rig_run(rig, &tb_tool_close_session, "b", it), TB_E_SESSION_NOT_FOUND);
    struct rig_call *call = rig_start(rig, &tb_tool_list_sessions, "b", NULL);
    rig_turn(rig);
    assert_null(tb_json_first(tb_json_get(call->data, "sessions")));
    rig_expect(call, 0);
    expect_closed(rig, "b", "{\"everyone\":true}", 0);
    expect_closed(rig, "a", NULL, 1);
    expect_failure(rig, &tb_tool_start_session, mine, TB_E_PARAMS, "X-Conversation-Id");
}

#define RIG_TEST(fn) cmocka_unit_test_setup_teardown(fn, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(a_session_gets_a_name_and_is_described),
        RIG_TEST(the_url_is_opened_in_the_new_session),
        RIG_TEST(a_page_that_does_not_open_leaves_the_session_and_says_so),
        RIG_TEST(a_session_that_is_ended_while_its_page_loads_is_not_said_to_be_open),
        RIG_TEST(a_session_that_is_ended_as_its_page_fails_is_not_said_to_be_open),
        RIG_TEST(a_session_that_grows_too_old_while_its_page_loads_has_ended),
        RIG_TEST(a_browser_that_does_not_start_is_the_error_of_the_call),
        RIG_TEST(a_start_that_is_cancelled_or_late_ends),
        RIG_TEST(a_name_is_not_given_twice),
        RIG_TEST(more_than_five_sessions_bring_a_warning),
        RIG_TEST(what_cannot_be_started_is_refused_in_words),
        RIG_TEST(what_no_driver_offers_is_refused_with_what_there_is),
        RIG_TEST(the_list_has_sessions_and_the_current_one),
        RIG_TEST(the_chosen_session_gets_the_calls_that_name_none),
        RIG_TEST(an_id_serves_as_well_as_a_name),
        RIG_TEST(closing_takes_the_named_or_the_current_session),
        RIG_TEST(closing_does_not_wait_for_a_call_that_hangs),
        RIG_TEST(detaching_leaves_the_session_running),
        RIG_TEST(a_private_session_that_is_detached_ends_with_its_conversation_and_says_so),
        RIG_TEST(detaching_from_a_browser_that_is_not_ours_ends_the_session),
        RIG_TEST(all_sessions_of_the_tenant_are_closed_or_detached),
        RIG_TEST(closing_all_takes_those_of_others_only_when_asked_to),
        cmocka_unit_test(closing_those_of_others_needs_the_scope_of_whoever_stops_all),
        RIG_TEST(a_private_session_is_out_of_reach_of_the_tools_of_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
