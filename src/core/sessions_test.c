/* SPDX-License-Identifier: Apache-2.0 */
#include "core/sessions.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/session_internal.h"

#include "support/core_rig.h"
#include "support/principals.h"

struct made {
    struct tb_session *session;
    const char *warning;
    struct tb_err err;
};

static int make(struct rig *rig, const char *name, enum tb_session_kind kind, struct made *made)
{
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = ""};
    const struct tb_session_spec spec = {.kind = kind,
                                         .name = tb_str_of(name),
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake};
    *made = (struct made){0};
    return tb_sessions_create(rig->core.sessions, &caller, &spec, &made->session, &made->warning,
                              &made->err);
}

/* S1-25, S1-26, S1-35 */
static void names_count_up_by_kind_and_pass_over_those_in_use(void **state)
{
    struct rig *rig = *state;
    static const struct {
        const char *given;
        enum tb_session_kind kind;
        const char *name;
    } rows[] = {
        {"", TB_KIND_BROWSER, "browser-1"},
        {"", TB_KIND_IOS, "ios-1"},
        {"", TB_KIND_ANDROID, "android-1"},
        {"browser-2", TB_KIND_BROWSER, "browser-2"},
        {"my.Own_name-1", TB_KIND_BROWSER, "my.Own_name-1"},
        {"", TB_KIND_BROWSER, "browser-3"},
        {"", TB_KIND_IOS, "ios-2"},
    };
    struct made made;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        assert_int_equal(make(rig, rows[i].given, rows[i].kind, &made), 0);
        assert_string_equal(made.session->name, rows[i].name);
    }
    tb_sessions_end_all(rig->core.sessions, "t", TB_END_CLOSED, NULL);
    assert_int_equal(make(rig, "", TB_KIND_BROWSER, &made), 0);
    assert_string_equal(made.session->name, "browser-4");
}

/* S1-44 */
static void a_name_in_use_is_refused(void **state)
{
    struct rig *rig = *state;
    struct made made;
    assert_int_equal(make(rig, "test", TB_KIND_BROWSER, &made), 0);
    tb_session_end(made.session, TB_END_CLOSED);
    assert_int_equal(make(rig, "test", TB_KIND_BROWSER, &made), 0);
    assert_int_equal(make(rig, "test", TB_KIND_IOS, &made), TB_E_SESSION_EXISTS);
    assert_string_equal(made.err.text, "Session 'test' already exists");
    assert_int_equal(tb_sessions_count(rig->core.sessions), 1);
}

static void bad_names_are_refused(void **state)
{
    struct rig *rig = *state;
    static const char *const bad[] = {
        ".",
        "..",
        "a b",
        "a/b",
        "\xc3\xa4",
        "a\n",
        "'",
        "..%00",
        "\"",
        "a:b",
        "0123456789012345678901234567890123456789012345678901234567890123x"};
    struct made made;
    for (size_t i = 0; i < TB_COUNT(bad); i++) {
        assert_int_equal(make(rig, bad[i], TB_KIND_BROWSER, &made), TB_E_PARAMS);
    }
    assert_int_equal(make(rig, "0123456789012345678901234567890123456789012345678901234567890123",
                          TB_KIND_BROWSER, &made),
                     0);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 1);
}

/* S1-42 */
static void more_than_five_named_sessions_only_bring_a_warning(void **state)
{
    struct rig *rig = *state;
    struct made made;
    for (int i = 0; i < 5; i++) {
        assert_int_equal(make(rig, "", TB_KIND_BROWSER, &made), 0);
        assert_null(made.warning);
    }
    assert_int_equal(make(rig, "", TB_KIND_BROWSER, &made), 0);
    assert_non_null(strstr(made.warning,
                           "6 sessions with a browser or device are open, more than the usual 5"));
    assert_int_equal(tb_sessions_count(rig->core.sessions), 6);
}

static void open_conversations(struct rig *rig, int count)
{
    for (int i = 1; i <= count; i++) {
        char name[32];
        snprintf(name, sizeof(name), "talk-%d", i);
        assert_int_equal(rig_run(rig, &rig_navigate, name, NULL), 0);
        rig_advance(rig, 10);
    }
}

static void at_the_tenants_cap_the_oldest_idle_conversation_session_is_evicted(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "named"); /* the oldest of all, but not a conversation's */
    open_conversations(rig, 5);
    assert_int_equal(rig_run(rig, &rig_click, "talk-1", NULL), 0); /* 2 is the oldest now */
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct rig_call *busy = rig_start(rig, &rig_click, "talk-2", NULL); /* 3 is, now */
    assert_int_equal(rig_run(rig, &rig_navigate, "talk-6", NULL), 0);
    assert_null(rig_find(rig, "browser-3"));
    assert_non_null(rig_find(rig, "named"));
    assert_int_equal(rig_events(rig, "session_ended {\"name\":\"browser-3\",\"type\":\"browser\","
                                     "\"reason\":\"evicted\""),
                     1);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 6);
    tb_fake_release(rig->fake, rig_find(rig, "browser-2")->id);
    rig_turn(rig);
    rig_expect(busy, 0);
}

static void at_the_tenants_cap_with_all_busy_the_limit_is_reached(void **state)
{
    struct rig *rig = *state;
    struct rig_call *busy[5];
    open_conversations(rig, 5);
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    for (int i = 1; i <= 5; i++) {
        char name[32];
        snprintf(name, sizeof(name), "talk-%d", i);
        busy[i - 1] = rig_start(rig, &rig_click, name, NULL);
    }
    struct rig_call *call = rig_start(rig, &rig_navigate, "talk-6", NULL);
    rig_turn(rig);
    assert_non_null(strstr(call->message, "all 5 conversation sessions of this tenant are busy"));
    rig_expect(call, TB_E_LIMIT);
    /* Another tenant is not concerned. */
    call = rig_start_as(rig, &rig_navigate, "other", "talk-6", NULL);
    rig_turn(rig);
    rig_expect(call, 0);
    for (int i = 0; i < 5; i++) {
        tb_call_cancel(busy[i]->call);
        rig_turn(rig);
        rig_expect(busy[i], TB_E_CANCELLED);
    }
}

static void at_the_total_cap_the_error_says_when_to_try_again(void **state)
{
    struct rig *rig = *state;
    struct made made;
    rig->config.sessions_total = 3;
    open_conversations(rig, 1); /* took 10 ms */
    assert_int_equal(make(rig, "", TB_KIND_BROWSER, &made), 0);
    assert_int_equal(make(rig, "", TB_KIND_BROWSER, &made), 0);
    rig_advance(rig, 60000);
    assert_int_equal(make(rig, "", TB_KIND_BROWSER, &made), TB_E_LIMIT);
    assert_non_null(strstr(made.err.text, "all 3 sessions are in use; try again in 60 s"));
    struct rig_call *call = rig_start(rig, &rig_navigate, "talk-2", NULL);
    rig_turn(rig);
    rig_expect(call, TB_E_LIMIT);
    rig_advance(rig, 60000);
    assert_int_equal(make(rig, "", TB_KIND_BROWSER, &made), 0);
    rig->config.sessions_named_idle_ms = 0;
    tb_sessions_end_all(rig->core.sessions, "t", TB_END_CLOSED, NULL);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(make(rig, "", TB_KIND_BROWSER, &made), 0);
    }
    rig_turn(rig);
    assert_int_equal(make(rig, "", TB_KIND_BROWSER, &made), TB_E_LIMIT);
    assert_non_null(strstr(made.err.text, "none of yours will end by itself soon; close one, or "));
}

/* When theirs end is none of its business, and it has none to close. */
static void at_the_total_cap_who_has_no_session_is_only_told_to_try_again(void **state)
{
    struct rig *rig = *state;
    struct made made;
    rig->config.sessions_total = 2;
    rig_create_as(rig, "u", "", "one");
    rig_create_as(rig, "u", "", "two");
    rig_turn(rig);
    assert_int_equal(make(rig, "", TB_KIND_BROWSER, &made), TB_E_LIMIT);
    assert_string_equal(made.err.text, "all 2 sessions are in use, and none of yours will end by "
                                       "itself soon; try again later");
}

/* S1-18, S1-19, S1-23 */
static void the_list_shows_the_tenants_sessions_and_the_current_one(void **state)
{
    struct rig *rig = *state;
    struct tb_json_writer json;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(4096);
    rig_create_as(rig, "t", "c", "one");
    rig_create_as(rig, "t", "", "two");
    rig_create_as(rig, "u", "c", "theirs");
    rig_turn(rig);
    tb_json_writer_init(&json, &text);
    tb_json_array_open(&json);
    const struct tb_caller callers[] = {
        {.who = principal_of("t"), .conversation = "c"},
        {.who = principal_of("t"), .conversation = ""},
        {.who = principal_of("u"), .conversation = "c"},
        {.who = principal_of("v"), .conversation = ""},
    };
    for (size_t i = 0; i < TB_COUNT(callers); i++) {
        tb_sessions_list(rig->core.sessions, &callers[i], &json);
    }
    tb_json_array_close(&json);
    TB_AUTO(tb_json_free) struct cJSON *lists = tb_json_parse(tb_buf_str(&text));
    static const struct {
        const char *names;
        const char *current;
    } expected[] = {{"one two ", "one"}, {"two one ", "two"}, {"theirs ", "theirs"}, {"", ""}};
    size_t at = 0;
    JSON_ARRAY_FOREACH(list, lists) {
        char names[64] = "";
        struct tb_str part = TB_STR("");
        size_t len = 0;
        JSON_ARRAY_FOREACH(item, tb_json_get(list, "sessions")) {
            assert_true(tb_json_str(tb_json_get(item, "sessionId"), &part));
            len += (size_t)snprintf(names + len, sizeof(names) - len, "%s ", part.ptr);
        }
        assert_string_equal(names, expected[at].names);
        part = TB_STR("");
        assert_int_equal(tb_json_str(tb_json_get(list, "currentSession"), &part),
                         expected[at].current[0] != '\0');
        assert_true(tb_str_eq_cstr(part, expected[at].current));
        at++;
    }
    assert_int_equal(at, TB_COUNT(expected));
}

/* S0-19, S0-26 */
static void tenants_see_nothing_of_each_other(void **state)
{
    struct rig *rig = *state;
    struct tb_session *ours = rig_create_as(rig, "t", "", "same");
    struct tb_session *theirs = rig_create_as(rig, "u", "", "same");
    struct tb_sessions *sessions = rig->core.sessions;
    assert_ptr_equal(tb_sessions_find(sessions, "t", TB_STR("same")), ours);
    assert_ptr_equal(tb_sessions_find(sessions, "u", TB_STR("same")), theirs);
    assert_ptr_equal(tb_sessions_find(sessions, "t", tb_str_of(ours->id)), ours);
    assert_null(tb_sessions_find(sessions, "t", tb_str_of(theirs->id)));
    assert_null(tb_sessions_find(sessions, "v", TB_STR("same")));
    /* A name that is somebody else's id is a name like any other. */
    struct tb_session *odd = rig_create_as(rig, "t", "", theirs->id);
    assert_ptr_equal(tb_sessions_find(sessions, "t", tb_str_of(theirs->id)), odd);
    assert_int_equal(tb_sessions_end_all(sessions, "t", TB_END_CLOSED, NULL), 2);
    assert_int_equal(tb_sessions_end_all(sessions, "v", TB_END_CLOSED, NULL), 0);
    assert_ptr_equal(tb_sessions_find(sessions, "u", TB_STR("same")), theirs);
}

/* S0-10 */
static void a_conversation_takes_its_sessions_with_it(void **state)
{
    struct rig *rig = *state;
    struct tb_sessions *sessions = rig->core.sessions;
    rig->config.sessions_reuse_within_conversation = false;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    assert_int_equal(rig_run(rig, &rig_navigate, "other", NULL), 0);
    rig_create_as(rig, "t", "talk", "named");
    tb_sessions_end_conversation(sessions,
                                 &(struct tb_caller){.who = principal_of("t"), .conversation = ""},
                                 TB_END_CLOSED, NULL);
    tb_sessions_end_conversation(
        sessions, &(struct tb_caller){.who = principal_of("u"), .conversation = "talk"},
        TB_END_CLOSED, NULL);
    assert_int_equal(tb_sessions_count(sessions), 4);
    tb_sessions_end_conversation(
        sessions, &(struct tb_caller){.who = principal_of("t"), .conversation = "talk"},
        TB_END_CONVERSATION_ENDED, NULL);
    assert_int_equal(tb_sessions_count(sessions), 2);
    assert_non_null(rig_find(rig, "named"));
    assert_int_equal(rig_events(rig, "\"reason\":\"conversation_ended\""), 2);
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), TB_E_SESSION_ENDED);
}

static void note(void *user)
{
    (*(int *)user)++;
}

static void draining_ends_everything_and_tells_when_the_browsers_are_gone(void **state)
{
    struct rig *rig = *state;
    struct made made;
    int drained = 0;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    rig->fake->close = (struct tb_fake_plan){.when = TB_FAKE_LATER, .delay_ms = 50};
    rig_create(rig, "a");
    rig_create(rig, "b");
    rig_turn(rig);
    struct rig_call *running = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    struct rig_call *waiting = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    rig_turn(rig);
    tb_sessions_drain(rig->core.sessions, note, &drained);
    assert_int_equal(rig_run(rig, &rig_navigate, "", NULL), TB_E_SHUTDOWN);
    assert_int_equal(make(rig, "c", TB_KIND_BROWSER, &made), TB_E_SHUTDOWN);
    rig_turn(rig);
    rig_expect(waiting, TB_E_SHUTDOWN);
    assert_int_equal(running->dones, 0);
    tb_sessions_hurry(rig->core.sessions);
    rig_turn(rig);
    assert_string_equal(running->message, "Session 'a' ended when the daemon stopped");
    rig_expect(running, TB_E_SHUTDOWN);
    assert_int_equal(drained, 0);
    assert_int_equal(rig_events(rig, "\"reason\":\"shutdown\""), 2);
    rig_advance(rig, 50);
    assert_int_equal(drained, 1);
}

static void a_call_that_runs_finishes_before_the_daemon_stops(void **state)
{
    struct rig *rig = *state;
    int drained = 0;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    struct rig_call *running = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    rig_turn(rig);
    tb_sessions_drain(rig->core.sessions, note, &drained);
    rig_advance(rig, 5000);
    assert_int_equal(drained, 0);
    assert_true(tb_fake_release(rig->fake, session->id));
    rig_turn(rig);
    rig_expect(running, 0);
    rig_turn(rig);
    assert_int_equal(drained, 1);
}

static void draining_without_sessions_is_over_soon_but_not_at_once(void **state)
{
    struct rig *rig = *state;
    int drained = 0;
    tb_sessions_drain(rig->core.sessions, note, &drained);
    assert_int_equal(drained, 0);
    rig_turn(rig);
    assert_int_equal(drained, 1);
}

static void end_by_stop(struct rig_call *call)
{
    struct rig_call **another = call->user;
    *another = rig_start(call->rig, &rig_navigate, "", NULL);
}

/* Freed in every state of a call, without a turn of the loop in between. */
static void freeing_ends_every_call_that_is_under_way(void **state)
{
    struct rig *rig = *state;
    struct rig_call *another = NULL;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    rig->fake->ops[TB_OP_WAIT] = (struct tb_fake_plan){TB_FAKE_HELD, 0, 0, TB_FAKE_CANCEL_NONE, 0};
    rig_create(rig, "a");
    rig_create(rig, "b");
    rig_create(rig, "c");
    rig_turn(rig);
    struct rig_call *calls[] = {
        rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}"),
        rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}"),
        rig_start(rig, &rig_wait, "", "{\"sessionId\":\"b\",\"timeout_ms\":1}"),
        rig_start(rig, &rig_click, "", "{\"sessionId\":\"nobody\"}"),
        rig_start(rig, &rig_click, "", "{\"sessionId\":\"c\"}"),
    };
    rig_advance(rig, 1); /* the third is in its grace */
    rig->fake->open.when = TB_FAKE_HELD;
    struct rig_call *opening = rig_start(rig, &rig_navigate, "talk", NULL);
    struct rig_call *done = rig_start(rig, &rig_navigate, "", "{\"sessionId\":\"c\"}");
    tb_fake_release(rig->fake, rig_find(rig, "c")->id);
    calls[0]->on_done = end_by_stop;
    calls[0]->user = &another;
    rig_stop(rig);
    rig_expect(calls[0], TB_E_SHUTDOWN);
    rig_expect(calls[1], TB_E_SHUTDOWN);
    rig_expect(calls[2], TB_E_TIMEOUT);
    rig_expect(calls[3], TB_E_SESSION_NOT_FOUND);
    rig_expect(calls[4], TB_E_SHUTDOWN);
    rig_expect(opening, TB_E_SHUTDOWN);
    rig_expect(done, TB_E_SHUTDOWN);
    rig_expect(another, TB_E_SHUTDOWN);
}

/* The order at the end of the daemon: calls end, then the fronts go, then the table. */
static void after_a_stop_the_table_is_empty_but_can_still_be_asked(void **state)
{
    struct rig *rig = *state;
    struct tb_sessions *sessions = rig->core.sessions;
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = "talk"};
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    struct rig_call *call = rig_start(rig, &rig_click, "talk", NULL);
    tb_sessions_stop(sessions);
    rig_expect(call, TB_E_SHUTDOWN);
    tb_sessions_end_conversation(sessions, &caller, TB_END_CONVERSATION_ENDED, NULL);
    assert_int_equal(tb_sessions_count(sessions), 0);
    call = rig_start(rig, &rig_navigate, "talk", NULL);
    rig_stop(rig);
    rig_expect(call, TB_E_SHUTDOWN);
    tb_sessions_stop(NULL);
    tb_sessions_free(NULL);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(names_count_up_by_kind_and_pass_over_those_in_use),
        RIG_TEST(a_name_in_use_is_refused),
        RIG_TEST(bad_names_are_refused),
        RIG_TEST(more_than_five_named_sessions_only_bring_a_warning),
        RIG_TEST(at_the_tenants_cap_the_oldest_idle_conversation_session_is_evicted),
        RIG_TEST(at_the_tenants_cap_with_all_busy_the_limit_is_reached),
        RIG_TEST(at_the_total_cap_the_error_says_when_to_try_again),
        RIG_TEST(at_the_total_cap_who_has_no_session_is_only_told_to_try_again),
        RIG_TEST(the_list_shows_the_tenants_sessions_and_the_current_one),
        RIG_TEST(tenants_see_nothing_of_each_other),
        RIG_TEST(a_conversation_takes_its_sessions_with_it),
        RIG_TEST(draining_ends_everything_and_tells_when_the_browsers_are_gone),
        RIG_TEST(a_call_that_runs_finishes_before_the_daemon_stops),
        RIG_TEST(draining_without_sessions_is_over_soon_but_not_at_once),
        RIG_TEST(freeing_ends_every_call_that_is_under_way),
        RIG_TEST(after_a_stop_the_table_is_empty_but_can_still_be_asked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
