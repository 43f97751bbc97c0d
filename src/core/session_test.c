/* SPDX-License-Identifier: Apache-2.0 */
#include "core/session.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/session_internal.h"

#include "support/core_rig.h"
#include "support/principals.h"

static void hold(struct rig *rig)
{
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
}

/* S0-07, S0-28: 120 s for a conversation. S1-39, S1-43: 30 minutes for a name. */
static void an_idle_session_ends(void **state)
{
    struct rig *rig = *state;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    rig_create(rig, "named");
    rig_turn(rig);
    rig_advance(rig, 119999);
    assert_non_null(rig_find(rig, "browser-1"));
    rig_advance(rig, 1);
    assert_null(rig_find(rig, "browser-1"));
    assert_int_equal(rig->fake->counts.closed, 1);
    assert_int_equal(rig_events(rig, "session_ended {\"name\":\"browser-1\",\"type\":\"browser\","
                                     "\"reason\":\"idle_timeout\",\"duration_ms\":120000,"
                                     "\"calls\":1,\"errors\":0}"),
                     1);
    rig_advance(rig, 30 * 60 * 1000 - 120001);
    assert_non_null(rig_find(rig, "named"));
    rig_advance(rig, 1);
    assert_null(rig_find(rig, "named"));
    assert_int_equal(tb_sessions_count(rig->core.sessions), 0);
    assert_int_equal(rig->core.metrics.values[TB_METRIC_SESSIONS_TOTAL], 2);
}

/* S0-17, S0-21 */
static void a_call_renews_the_idle_time_and_its_end_counts(void **state)
{
    struct rig *rig = *state;
    hold(rig);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    struct tb_session *session = rig_find(rig, "browser-1");
    rig_advance(rig, 100000);
    struct rig_call *call = rig_start(rig, &rig_click, "talk", "{\"timeout_ms\":300000}");
    assert_int_equal(session->times.last_active_ms, rig->clock.mono_ms);
    assert_int_equal(session->times.last_active_wall_ms, rig->clock.wall_ms);
    rig_advance(rig, 200000); /* no idle time while a call runs */
    assert_int_equal(tb_session_info(session).state, TB_SHOWN_ACTIVE);
    tb_fake_release(rig->fake, session->id);
    rig_turn(rig);
    rig_expect(call, 0);
    assert_int_equal(tb_session_info(session).state, TB_SHOWN_IDLE);
    assert_int_equal(session->times.last_active_ms, rig->clock.mono_ms);
    rig_advance(rig, 119999);
    assert_ptr_equal(rig_find(rig, "browser-1"), session);
    rig_advance(rig, 1);
    assert_null(rig_find(rig, "browser-1"));
}

/* S0-08, S0-09, S0-22, S0-29: 600 s, however busy. */
static void a_conversations_session_ends_at_its_age_and_the_next_call_makes_a_new_one(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    for (int i = 0; i < 10; i++) {
        assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
        assert_non_null(rig_find(rig, "browser-1"));
        rig_advance(rig, 60000);
    }
    assert_null(rig_find(rig, "browser-1"));
    assert_int_equal(rig_events(rig, "\"reason\":\"max_age\",\"duration_ms\":600000"), 1);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    assert_non_null(rig_find(rig, "browser-2"));
}

/* S0-22: a call that comes at that very moment, before the timer, gets the new one too. */
static void a_call_never_gets_a_session_past_its_age(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    rig->config.sessions_octopus_idle_ms = 0;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    tb_clock_manual_advance(&rig->clock, 600000);
    struct rig_call *call = rig_start(rig, &rig_navigate, "talk", NULL);
    rig_turn(rig);
    assert_string_equal(call->chosen, "browser-2");
    rig_expect(call, 0);
}

static void a_running_call_may_finish_at_the_maximum_age(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    hold(rig);
    rig->config.sessions_octopus_max_age_ms = 1000;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    struct tb_session *session = rig_find(rig, "browser-1");
    struct rig_call *running = rig_start(rig, &rig_click, "talk", NULL);
    struct rig_call *waiting = rig_start(rig, &rig_click, "talk", NULL);
    rig_advance(rig, 1000);
    assert_int_equal(running->dones, 0);
    struct rig_call *next = rig_start(rig, &rig_navigate, "talk", NULL);
    rig_turn(rig);
    assert_string_equal(next->chosen, "browser-2");
    rig_expect(next, 0);
    tb_fake_release(rig->fake, session->id);
    rig_turn(rig);
    rig_expect(running, 0);
    assert_string_equal(waiting->message,
                        "Session 'browser-1' reached its maximum age of 1 second");
    rig_expect(waiting, TB_E_SESSION_ENDED);
    assert_null(rig_find(rig, "browser-1"));
    assert_int_equal(rig_events(rig, "\"reason\":\"max_age\""), 1);
}

static void a_session_that_outlived_its_age_is_told_by_the_setting(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    hold(rig);
    rig->config.sessions_octopus_max_age_ms = 3000;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    struct tb_session *session = rig_find(rig, "browser-1");
    struct rig_call *running = rig_start(rig, &rig_click, "talk", NULL);
    struct rig_call *waiting = rig_start(rig, &rig_click, "talk", NULL);
    rig_advance(rig, 5000);
    tb_fake_release(rig->fake, session->id);
    rig_turn(rig);
    rig_expect(running, 0);
    assert_string_equal(waiting->message,
                        "Session 'browser-1' reached its maximum age of 3 seconds");
    rig_expect(waiting, TB_E_SESSION_ENDED);
}

static void zero_means_never(void **state)
{
    struct rig *rig = *state;
    rig->config.sessions_conversation_idle_ms = 0;
    rig->config.sessions_conversation_max_age_ms = 0;
    rig->config.sessions_named_idle_ms = 0;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    rig_create(rig, "named");
    rig_advance(rig, (int64_t)1000 * 24 * 3600 * 1000);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 2);
}

/* S0-10, S0-18 */
static void ending_fails_the_calls_closes_the_driver_and_tells_once(void **state)
{
    struct rig *rig = *state;
    struct rig_call *calls[4];
    hold(rig);
    rig->fake->close.when = TB_FAKE_HELD;
    struct tb_session *session = rig_create(rig, "a");
    char id[TB_ID_SIZE];
    memcpy(id, session->id, sizeof(id));
    rig_turn(rig);
    for (size_t i = 0; i < TB_COUNT(calls); i++) {
        calls[i] = rig_start(rig, &rig_click, "", NULL);
    }
    rig_turn(rig);
    tb_session_end(session, TB_END_USER_STOPPED);
    tb_session_end(session, TB_END_CLOSED);
    assert_null(rig_find(rig, "a"));
    assert_null(rig_find(rig, id));
    rig_turn(rig);
    for (size_t i = 0; i < TB_COUNT(calls); i++) {
        assert_string_equal(calls[i]->message, "Session 'a' was stopped by the user");
        rig_expect(calls[i], TB_E_SESSION_STOPPED);
    }
    assert_int_equal(rig->fake->counts.ended, 1);
    assert_int_equal(rig->fake->counts.closed, 0);
    assert_int_equal(rig_events(rig, "session_ended {"), 1);
    assert_int_equal(rig_events(rig, "\"calls\":4,\"errors\":4"), 1);
    assert_true(tb_fake_release(rig->fake, id));
    rig_turn(rig);
    assert_int_equal(rig->fake->counts.closed, 1);
}

static void a_name_is_free_again_while_the_old_browser_still_closes(void **state)
{
    struct rig *rig = *state;
    rig->fake->close.when = TB_FAKE_HELD;
    struct tb_session *old = rig_create(rig, "a");
    rig_turn(rig);
    tb_session_end(old, TB_END_CLOSED);
    struct tb_session *fresh = rig_create(rig, "a");
    assert_ptr_not_equal(old, fresh);
    assert_string_not_equal(old->id, fresh->id);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
    assert_true(tb_fake_release(rig->fake, old->id));
    rig_turn(rig);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
}

static void a_session_may_end_while_it_opens(void **state)
{
    struct rig *rig = *state;
    static const int codes[] = {0, TB_E_BROWSER_START};
    rig->fake->open.when = TB_FAKE_HELD;
    for (size_t i = 0; i < TB_COUNT(codes); i++) {
        struct tb_session *session = rig_create(rig, "a");
        struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
        rig_turn(rig);
        tb_session_end(session, TB_END_CLOSED);
        rig_turn(rig);
        rig_expect(call, TB_E_SESSION_ENDED);
        assert_true(tb_fake_release_with(rig->fake, session->id, codes[i]));
        rig_turn(rig);
        assert_true(tb_list_empty(&rig->fake->sessions));
    }
    assert_int_equal(rig->fake->counts.closed, 1);
}

static void a_lost_browser_fails_running_and_waiting_calls_at_once(void **state)
{
    struct rig *rig = *state;
    hold(rig);
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    struct rig_call *running = rig_start(rig, &rig_click, "", NULL);
    struct rig_call *waiting = rig_start(rig, &rig_click, "", NULL);
    rig_turn(rig);
    assert_true(tb_fake_lose(rig->fake, session->id));
    assert_true(tb_fake_lose(rig->fake, session->id));
    rig_turn(rig);
    assert_string_equal(running->message, "Session 'a' lost its browser: killed by signal 9");
    rig_expect(running, TB_E_BROWSER_CRASHED);
    rig_expect(waiting, TB_E_BROWSER_CRASHED);
    assert_int_equal(rig_events(rig, "\"reason\":\"browser_crashed\""), 1);
    assert_null(rig_find(rig, "a"));
    assert_int_equal(rig->fake->counts.closed, 1);
}

/* An operation that has ended well in the turn in which its session ends is not lost. */
static void what_was_done_before_the_end_counts(void **state)
{
    struct rig *rig = *state;
    hold(rig);
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
    rig_turn(rig);
    tb_fake_release(rig->fake, session->id);
    tb_session_end(session, TB_END_CLOSED);
    rig_turn(rig);
    rig_expect(call, 0);
}

static void end_its_session(struct rig_call *call)
{
    tb_session_end(rig_find(call->rig, "a"), TB_END_CLOSED);
}

static void start_another(struct rig_call *call)
{
    struct rig_call **another = call->user;
    *another = rig_start(call->rig, &rig_click, "", NULL);
}

static void the_session_may_end_inside_done(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "a");
    struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
    struct rig_call *next = rig_start(rig, &rig_click, "", NULL);
    call->on_done = end_its_session;
    rig_turn(rig);
    rig_expect(call, 0);
    rig_expect(next, TB_E_SESSION_ENDED);
}

static void a_new_call_may_start_inside_done(void **state)
{
    struct rig *rig = *state;
    struct rig_call *another = NULL;
    rig_create(rig, "a");
    struct rig_call *call = rig_start(rig, &rig_click, "", NULL);
    struct rig_call *next = rig_start(rig, &rig_click, "", NULL);
    call->on_done = start_another;
    call->user = &another;
    rig_turn(rig);
    assert_true(another && next->place < another->place);
    rig_expect(call, 0);
    rig_expect(next, 0);
    rig_expect(another, 0);
}

/* Between the driver's last word and the job that takes it up, somebody may list the sessions. */
static void a_closed_driver_is_not_asked(void **state)
{
    struct rig *rig = *state;
    struct tb_json_writer json;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(4096);
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    tb_json_writer_init(&json, &text);
    session->side = TB_SIDE_CLOSED;
    tb_session_describe(session, &(struct tb_caller){.who = principal_of("t"), .conversation = ""},
                        &json);
    session->side = TB_SIDE_OPEN;
    assert_int_equal(tb_buf_append_char(&text, '\0'), 0);
    assert_non_null(strstr((const char *)text.data, "\"capabilities\":{}"));
}

/* S1-19, S1-24: what list_sessions shows. */
static void a_session_describes_itself(void **state)
{
    struct rig *rig = *state;
    struct tb_json_writer json;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(4096);
    rig->clock.wall_ms = 1769860800000;
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    tb_clock_manual_advance(&rig->clock, 1000);
    tb_json_writer_init(&json, &text);
    tb_session_describe(
        session, &(struct tb_caller){.who = principal_of("t"), .conversation = "talk"}, &json);
    assert_int_equal(json.rc, 0);
    assert_int_equal(tb_buf_append_char(&text, '\0'), 0);
    assert_string_equal(
        (const char *)text.data,
        "{\"sessionId\":\"a\",\"type\":\"browser\",\"state\":\"idle\",\"own\":false,"
        "\"createdAt\":\"2026-01-31T12:00:00.000Z\","
        "\"lastActiveAt\":\"2026-01-31T12:00:00.000Z\","
        "\"expiresAt\":\"2026-01-31T12:30:00.000Z\",\"calls\":0,\"errors\":0,"
        "\"capabilities\":{\"browserName\":\"fake\"}}");
}

static void names_are_those_of_the_tables(void **state)
{
    (void)state;
    assert_string_equal(tb_session_kind_name(TB_KIND_BROWSER), "browser");
    assert_string_equal(tb_session_kind_name(TB_KIND_CLIENT), "client");
    assert_string_equal(tb_shown_state_name(TB_SHOWN_CREATED), "created");
    assert_string_equal(tb_shown_state_name(TB_SHOWN_TERMINATED), "terminated");
    assert_string_equal(tb_end_reason_name(TB_END_CLOSED), "closed");
    assert_string_equal(tb_end_reason_name(TB_END_SHUTDOWN), "shutdown");
    assert_true(tb_end_reason_expired(TB_END_MAX_AGE));
    assert_false(tb_end_reason_expired(TB_END_EVICTED));
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(an_idle_session_ends),
        RIG_TEST(a_call_renews_the_idle_time_and_its_end_counts),
        RIG_TEST(a_conversations_session_ends_at_its_age_and_the_next_call_makes_a_new_one),
        RIG_TEST(a_call_never_gets_a_session_past_its_age),
        RIG_TEST(a_running_call_may_finish_at_the_maximum_age),
        RIG_TEST(a_session_that_outlived_its_age_is_told_by_the_setting),
        RIG_TEST(zero_means_never),
        RIG_TEST(ending_fails_the_calls_closes_the_driver_and_tells_once),
        RIG_TEST(a_name_is_free_again_while_the_old_browser_still_closes),
        RIG_TEST(a_session_may_end_while_it_opens),
        RIG_TEST(a_lost_browser_fails_running_and_waiting_calls_at_once),
        RIG_TEST(what_was_done_before_the_end_counts),
        RIG_TEST(the_session_may_end_inside_done),
        RIG_TEST(a_new_call_may_start_inside_done),
        RIG_TEST(a_session_describes_itself),
        RIG_TEST(a_closed_driver_is_not_asked),
        cmocka_unit_test(names_are_those_of_the_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
