/* SPDX-License-Identifier: Apache-2.0 */
#include "core/session_hibernate.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/sessions.h"
#include "core/sessions_internal.h"

#include "support/fake_store.h"

enum {
    HALF_HOUR_MS = 30 * 60 * 1000,
    WEEK_MS = 7 * 24 * 3600 * 1000,
};

/* The browser of session "a" has this. */
static void expect_tag(struct rig *rig, const char *tag)
{
    const char *memory = tb_fake_memory(rig->fake, rig_find(rig, "a")->id);
    assert_non_null(memory);
    assert_string_equal(memory, tag);
}

/* S1-39, S1-43 */
static void an_idle_named_session_hibernates_and_its_next_call_brings_it_back(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create_tagged(rig);
    rig_advance(rig, HALF_HOUR_MS - 1);
    assert_int_not_equal(session->state, TB_STATE_ASLEEP);
    rig_advance(rig, 1);
    assert_int_equal(session->state, TB_STATE_ASLEEP);
    assert_int_equal(tb_session_info(session).state, TB_SHOWN_IDLE);
    assert_int_equal(rig->fake->counts.closed, 1);
    assert_int_equal(rig_events(rig, "session_hibernated {\"name\":\"a\",\"type\":\"browser\","
                                     "\"reason\":\"idle_timeout\"}"),
                     1);
    assert_int_equal(rig_events(rig, "session_ended"), 0);
    assert_int_equal(rig_events(rig, "session_expiring"), 0);
    char *note = rig_note(rig);
    assert_string_equal(note, "");
    tb_free(note);
    assert_ptr_equal(rig_find(rig, "a"), session);
    assert_int_not_equal(session->state, TB_STATE_ASLEEP);
    assert_int_equal(rig->fake->counts.opened, 2);
    assert_int_equal(rig_events(rig, "session_woken {\"name\":\"a\""), 1);
    expect_tag(rig, "login");
}

static void what_could_not_be_brought_back_is_said_once(void **state)
{
    struct rig *rig = *state;
    rig_create_tagged(rig);
    rig->fake->missing = "The form on tab 1 is empty again.";
    rig_advance(rig, HALF_HOUR_MS);
    char *note = rig_note(rig);
    assert_string_equal(note, "Session 'a' was restored from its last save. The form on "
                              "tab 1 is empty again.");
    tb_free(note);
    note = rig_note(rig);
    assert_string_equal(note, "");
    tb_free(note);
}

static void a_sleeping_session_ends_after_a_week_with_notice(void **state)
{
    struct rig *rig = *state;
    rig_create_tagged(rig);
    rig_advance(rig, HALF_HOUR_MS);
    rig_advance(rig, WEEK_MS - HALF_HOUR_MS - 60000);
    assert_int_equal(rig_events(rig, "session_expiring {\"name\":\"a\",\"type\":\"browser\","
                                     "\"reason\":\"idle_timeout\",\"expires_in_ms\":60000}"),
                     1);
    assert_non_null(rig_find(rig, "a"));
    rig_advance(rig, 60000);
    assert_null(rig_find(rig, "a"));
    assert_int_equal(rig_events(rig, "\"reason\":\"idle_timeout\",\"duration_ms\":604800000"), 1);
    assert_int_equal(fake_store_count(fake_store_of(rig), TB_SPACE_SESSION), 0);
    assert_int_equal(fake_store_count(fake_store_of(rig), TB_SPACE_STATE), 0);
}

/* S0-07: the next call of a conversation gets a new one. */
static void a_conversations_idle_session_ends_where_its_toolset_says_so(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", "{\"tag\":\"x\"}"), 0);
    rig_advance(rig, 120000);
    assert_null(rig_find(rig, "browser-1"));
    assert_int_equal(fake_store_count(fake_store_of(rig), TB_SPACE_STATE), 0);
}

/* A pause costs nobody a login. */
static void a_conversations_idle_session_hibernates_and_comes_back(void **state)
{
    struct rig *rig = *state;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", "{\"tag\":\"x\"}"), 0);
    rig_advance(rig, 120000);
    struct tb_session *session = rig_find(rig, "browser-1");
    assert_true(session && session->state == TB_STATE_ASLEEP);
    rig_advance(rig, (int64_t)6 * 24 * 3600 * 1000);
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), 0);
    assert_string_equal(tb_fake_memory(rig->fake, session->id), "x");
}

static void a_newcomer_sends_the_oldest_idle_one_to_sleep(void **state)
{
    struct rig *rig = *state;
    rig->config.sessions_per_tenant = 2;
    for (int i = 0; i < 4; i++) {
        char talk[16];
        snprintf(talk, sizeof(talk), "talk%d", i);
        assert_int_equal(rig_run(rig, &rig_navigate, talk, "{\"tag\":\"x\"}"), 0);
        rig_advance(rig, 10);
    }
    assert_int_equal(tb_sessions_count(rig->core.sessions), 4);
    assert_int_equal(rig_find(rig, "browser-1")->state, TB_STATE_ASLEEP);
    assert_int_equal(rig_find(rig, "browser-2")->state, TB_STATE_ASLEEP);
    assert_int_equal(rig_find(rig, "browser-3")->state, TB_STATE_OPEN);
    assert_int_equal(rig_find(rig, "browser-4")->state, TB_STATE_OPEN);
    assert_int_equal(rig_run(rig, &rig_click, "talk0", NULL), 0);
    assert_int_equal(rig_find(rig, "browser-3")->state, TB_STATE_ASLEEP);
}

static void changes_are_saved_at_rest_and_not_too_often(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    rig_create_tagged(rig);
    rig_advance(rig, 499);
    assert_int_equal(rig->fake->counts.saved, 0);
    rig_advance(rig, 1);
    assert_int_equal(rig->fake->counts.saved, 1);
    assert_int_equal(rig_events(rig, "session_saved {\"name\":\"a\",\"type\":\"browser\"}"), 1);
    rig_leave_tag(rig, "two");
    rig_advance(rig, 1999);
    assert_int_equal(rig->fake->counts.saved, 1);
    rig_leave_tag(rig, "three");
    rig_advance(rig, 1);
    assert_int_equal(rig->fake->counts.saved, 1); /* not at rest */
    rig_advance(rig, 499);
    assert_int_equal(rig->fake->counts.saved, 2);
    rig_advance(rig, 60000);
    assert_int_equal(rig->fake->counts.saved, 2); /* nothing has changed */
    assert_int_equal(store->puts[TB_SPACE_STATE], 2);
    /* Sealed: the tag is not to be read there. */
    struct tb_str sealed = fake_store_get(store, TB_SPACE_STATE, rig_find(rig, "a")->id);
    assert_true(sealed.len > 0);
    assert_null(memmem(sealed.ptr, sealed.len, "three", 5));
}

static void saved_is_told_when_it_is_durable(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    rig_create_tagged(rig);
    store->slow = true;
    rig_advance(rig, 500);
    assert_int_equal(rig->fake->counts.saved, 1);
    assert_int_equal(rig_events(rig, "session_saved"), 0);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
    fake_store_catch_up(store);
    rig_turn(rig);
    assert_int_equal(rig_events(rig, "session_saved"), 1);
}

static void a_call_that_comes_during_a_save_waits_for_its_end_only(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create_tagged(rig);
    rig->fake->save.when = TB_FAKE_HELD;
    rig_advance(rig, 500);
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    rig_turn(rig);
    assert_int_equal(call->dones, 0);
    assert_true(tb_fake_release(rig->fake, session->id));
    rig_turn(rig);
    rig_expect(call, 0);
}

static void a_call_keeps_a_session_awake_that_was_about_to_sleep(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create_tagged(rig);
    rig->fake->save.when = TB_FAKE_HELD;
    rig_advance(rig, HALF_HOUR_MS);
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    tb_fake_release(rig->fake, session->id);
    rig_turn(rig);
    rig_expect(call, 0);
    assert_int_not_equal(session->state, TB_STATE_ASLEEP);
    assert_int_equal(rig->fake->counts.closed, 0);
}

static void a_call_during_the_close_wakes_it_at_once(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create_tagged(rig);
    rig->fake->close.when = TB_FAKE_HELD;
    rig_advance(rig, HALF_HOUR_MS);
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    rig_turn(rig);
    assert_int_equal(call->dones, 0);
    assert_true(tb_fake_release(rig->fake, session->id));
    rig_turn(rig);
    rig_expect(call, 0);
    expect_tag(rig, "login");
}

static void a_page_that_never_rests_is_saved_once_more_and_sleeps(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create_tagged(rig);
    rig->fake->save.when = TB_FAKE_HELD;
    rig_advance(rig, HALF_HOUR_MS); /* a save was due as well */
    for (int i = 0; i < 2; i++) {
        assert_int_not_equal(session->state, TB_STATE_ASLEEP);
        tb_session_on_changed(session);
        assert_true(tb_fake_release(rig->fake, session->id));
        rig_turn(rig);
    }
    assert_int_equal(session->state, TB_STATE_ASLEEP);
    assert_int_equal(rig->fake->counts.saved, 2);
}

static void end_sleeper(const struct tb_event *event, void *user)
{
    struct rig *rig = user;
    if (event->type == TB_EVENT_SESSION_HIBERNATED) {
        tb_session_end(rig_find(rig, "a"), TB_END_CLOSED);
    }
}

static void who_hears_that_a_session_hibernates_may_end_it_for_good(void **state)
{
    struct rig *rig = *state;
    struct tb_subscriber subscriber = {.fn = end_sleeper, .user = rig};
    tb_bus_subscribe(&rig->core.bus, &subscriber);
    rig_create_tagged(rig);
    rig_advance(rig, HALF_HOUR_MS);
    tb_bus_unsubscribe(&subscriber);
    assert_null(rig_find(rig, "a"));
    assert_int_equal(fake_store_count(fake_store_of(rig), TB_SPACE_SESSION), 0);
}

static void a_session_that_cannot_be_saved_keeps_its_browser(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create_tagged(rig);
    rig->fake->save.code = TB_E_TIMEOUT;
    rig_advance(rig, HALF_HOUR_MS);
    assert_int_not_equal(session->state, TB_STATE_ASLEEP);
    rig_advance(rig, 59999);
    rig->fake->save.code = 0;
    assert_int_not_equal(session->state, TB_STATE_ASLEEP);
    rig_advance(rig, 1);
    assert_int_equal(session->state, TB_STATE_ASLEEP);
}

static void with_something_saved_earlier_it_sleeps_with_that(void **state)
{
    struct rig *rig = *state;
    struct tb_session *session = rig_create_tagged(rig);
    rig_advance(rig, 500);
    rig_leave_tag(rig, "later");
    rig->fake->save.code = TB_E_TIMEOUT;
    rig_advance(rig, HALF_HOUR_MS);
    assert_int_equal(session->state, TB_STATE_ASLEEP);
    rig->fake->save.code = 0;
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
    expect_tag(rig, "login");
}

/* What holds for a session when its browser dies. */
static void lose(struct rig *rig, const char *words)
{
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct tb_session *session = rig_find(rig, "a");
    struct rig_call *running = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    struct rig_call *waiting = rig_start(rig, &rig_navigate, "", "{\"sessionId\":\"a\"}");
    rig_turn(rig);
    assert_true(tb_fake_lose(rig->fake, session->id));
    rig_turn(rig);
    assert_string_equal(running->message, words);
    rig_expect(running, TB_E_BROWSER_CRASHED);
    rig_expect(waiting, 0);
    assert_ptr_equal(rig_find(rig, "a"), session);
    assert_int_equal(rig_events(rig, "\"reason\":\"browser_crashed\"}"), 1);
    assert_int_equal(rig_events(rig, "session_woken"), 1);
    assert_int_equal(rig_events(rig, "session_ended"), 0);
}

static void a_lost_browser_fails_its_call_and_the_next_brings_back_what_was_saved(void **state)
{
    struct rig *rig = *state;
    rig_create_tagged(rig);
    rig_advance(rig, 500);
    lose(rig,
         "Session 'a' lost its browser: killed by signal 9; the next call restores the session "
         "from its last save");
    expect_tag(rig, "login");
}

static void a_lost_browser_of_which_nothing_was_saved_is_blank_and_says_so(void **state)
{
    struct rig *rig = *state;
    rig_create_tagged(rig);
    lose(rig,
         "Session 'a' lost its browser: killed by signal 9; nothing was saved, so the next call "
         "gets a blank browser");
    expect_tag(rig, "");
    tb_fake_lose(rig->fake, rig_find(rig, "a")->id);
    rig_turn(rig);
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_NOW;
    char *note = rig_note(rig);
    assert_string_equal(
        note, "Session 'a' has a new, blank browser: nothing was saved from the earlier one.");
    tb_free(note);
}

static void a_browser_lost_between_two_calls_is_told_by_the_next_reply(void **state)
{
    struct rig *rig = *state;
    rig_create_tagged(rig);
    rig_advance(rig, 500);
    tb_fake_lose(rig->fake, rig_find(rig, "a")->id);
    rig_turn(rig);
    char *note = rig_note(rig);
    assert_string_equal(
        note,
        "Session 'a' lost its browser: killed by signal 9. It was restored from its last save; "
        "anything after that is lost.");
    tb_free(note);
    note = rig_note(rig);
    assert_string_equal(note, "");
    tb_free(note);
}

static void a_browser_that_does_not_start_again_fails_the_calls_and_is_tried_again(void **state)
{
    struct rig *rig = *state;
    rig_create_tagged(rig);
    rig_advance(rig, HALF_HOUR_MS);
    rig->fake->open.code = TB_E_BROWSER_START;
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), TB_E_BROWSER_START);
    assert_int_equal(rig_find(rig, "a")->state, TB_STATE_ASLEEP);
    rig->fake->open.code = 0;
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
    expect_tag(rig, "login");
}

static void a_state_that_cannot_be_read_is_an_error_or_a_blank_browser_with_a_note(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    rig_create_tagged(rig);
    rig_advance(rig, HALF_HOUR_MS);
    store->broken = true;
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), TB_E_STORE);
    store->broken = false;
    fake_store_set(store, TB_SPACE_STATE, rig_find(rig, "a")->id, TB_STR("AAAA"));
    char *note = rig_note(rig);
    assert_string_equal(
        note,
        "Session 'a' has a new, blank browser: the state saved from the earlier one cannot be "
        "read.");
    tb_free(note);
}

static void a_sleeping_session_counts_for_no_limit_but_waking_does(void **state)
{
    struct rig *rig = *state;
    rig->config.sessions_total = 1;
    rig_create_tagged(rig);
    rig_advance(rig, HALF_HOUR_MS);
    rig_create(rig, "b");
    rig_turn(rig);
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    rig_turn(rig);
    assert_non_null(strstr(call->message, "all 1 sessions are in use; try again in 1800 s"));
    rig_expect(call, TB_E_LIMIT);
    assert_int_equal(rig_find(rig, "a")->state, TB_STATE_ASLEEP);
    tb_session_end(rig_find(rig, "b"), TB_END_CLOSED);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
    assert_int_equal(tb_sessions_count(rig->core.sessions), 1);
}

static void over_the_ceiling_or_switched_off_sessions_end_instead(void **state)
{
    struct rig *rig = *state;
    for (int i = 0; i < 2; i++) {
        rig->config.sessions_hibernate = i == 0;
        rig->config.sessions_stored = 0;
        rig_create_tagged(rig);
        rig_advance(rig, HALF_HOUR_MS);
        assert_null(rig_find(rig, "a"));
    }
    rig_create_tagged(rig);
    tb_fake_lose(rig->fake, rig_find(rig, "a")->id);
    rig_turn(rig);
    assert_null(rig_find(rig, "a"));
}

/* S0-10 */
static void a_session_may_end_in_each_state_of_sleep(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    struct tb_fake_plan *const plans[] = {&rig->fake->save, &rig->fake->close, NULL,
                                          &rig->fake->open};
    for (size_t i = 0; i < TB_COUNT(plans); i++) {
        struct tb_session *session = rig_create_tagged(rig);
        char id[TB_ID_SIZE];
        memcpy(id, session->id, sizeof(id));
        if (plans[i]) {
            plans[i]->when = TB_FAKE_HELD;
        }
        store->reads_late = !plans[i];
        rig_advance(rig, HALF_HOUR_MS);
        struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
        rig_turn(rig);
        assert_int_equal(call->dones, 0);
        tb_session_end(session, TB_END_USER_STOPPED);
        rig_turn(rig);
        rig_expect(call, TB_E_SESSION_STOPPED);
        if (plans[i]) {
            tb_fake_release(rig->fake, id);
            plans[i]->when = TB_FAKE_NOW;
        }
        store->reads_late = false;
        rig_turn(rig);
        assert_true(tb_list_empty(&rig->fake->sessions));
        assert_int_equal(fake_store_count(store, TB_SPACE_SESSION), 0);
        assert_int_equal(fake_store_count(store, TB_SPACE_STATE), 0);
    }
    assert_int_equal(rig_events(rig, "session_ended {"), TB_COUNT(plans));
}

static void the_daemon_may_stop_in_each_state_of_sleep(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    for (int i = 0; i < 4; i++) {
        rig_create_tagged(rig);
        rig->fake->save.when = i == 0 ? TB_FAKE_HELD : TB_FAKE_NOW;
        rig->fake->close.when = i == 1 ? TB_FAKE_HELD : TB_FAKE_NOW;
        rig->fake->open.when = i == 3 ? TB_FAKE_HELD : TB_FAKE_NOW;
        store->reads_late = i == 2;
        rig_advance(rig, HALF_HOUR_MS);
        struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
        rig_turn(rig);
        tb_sessions_stop(rig->core.sessions);
        rig_expect(call, TB_E_SHUTDOWN);
        store->reads_late = false;
        rig_kill(rig, 0);
        assert_int_equal(rig_find(rig, "a")->state, TB_STATE_ASLEEP);
        tb_session_end(rig_find(rig, "a"), TB_END_CLOSED);
        rig_turn(rig);
    }
}

static void on_drained(void *user)
{
    *(bool *)user = true;
}

static void a_session_that_falls_asleep_does_not_wake_for_a_daemon_that_stops(void **state)
{
    struct rig *rig = *state;
    bool drained = false;
    struct tb_session *session = rig_create_tagged(rig);
    rig->fake->close.when = TB_FAKE_HELD;
    rig_advance(rig, HALF_HOUR_MS);
    struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
    rig_turn(rig);
    tb_sessions_drain(rig->core.sessions, on_drained, &drained);
    rig_turn(rig);
    rig_expect(call, TB_E_SHUTDOWN);
    assert_false(drained);
    assert_true(tb_fake_release(rig->fake, session->id));
    rig_turn(rig);
    assert_true(drained);
    assert_int_equal(rig->fake->counts.opened, 1);
}

/* The file was broken, so the store began a new one. */
static void a_store_that_starts_afresh_gets_live_sessions_again(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    rig_create_tagged(rig);
    rig_create(rig, "b");
    rig_advance(rig, HALF_HOUR_MS / 2);
    rig_leave_tag(rig, "login");
    rig_advance(rig, HALF_HOUR_MS / 2);
    assert_int_equal(rig_find(rig, "b")->state, TB_STATE_ASLEEP);
    fake_store_replace(store);
    assert_int_equal(fake_store_count(store, TB_SPACE_SESSION), 2);
    assert_int_equal(fake_store_count(store, TB_SPACE_STATE), 0);
    rig_advance(rig, 2500);
    assert_int_equal(fake_store_count(store, TB_SPACE_STATE), 1);
    rig_kill(rig, 0);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\"}"), 0);
    expect_tag(rig, "login");
    assert_non_null(rig_find(rig, "b"));
}

static void nobody_sleeps_on_a_save_that_the_store_has_lost(void **state)
{
    struct rig *rig = *state;
    rig_create_tagged(rig);
    rig_advance(rig, HALF_HOUR_MS - 1);
    assert_true(rig_find(rig, "a")->saved);
    fake_store_replace(fake_store_of(rig));
    rig_advance(rig, 1);
    assert_int_equal(rig_find(rig, "a")->state, TB_STATE_ASLEEP);
    char *note = rig_note(rig);
    assert_string_equal(note, "");
    tb_free(note);
    expect_tag(rig, "login");
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(an_idle_named_session_hibernates_and_its_next_call_brings_it_back),
        RIG_TEST(what_could_not_be_brought_back_is_said_once),
        RIG_TEST(a_sleeping_session_ends_after_a_week_with_notice),
        RIG_TEST(a_conversations_idle_session_ends_where_its_toolset_says_so),
        RIG_TEST(a_conversations_idle_session_hibernates_and_comes_back),
        RIG_TEST(a_newcomer_sends_the_oldest_idle_one_to_sleep),
        RIG_TEST(changes_are_saved_at_rest_and_not_too_often),
        RIG_TEST(saved_is_told_when_it_is_durable),
        RIG_TEST(a_call_that_comes_during_a_save_waits_for_its_end_only),
        RIG_TEST(a_call_keeps_a_session_awake_that_was_about_to_sleep),
        RIG_TEST(a_call_during_the_close_wakes_it_at_once),
        RIG_TEST(a_page_that_never_rests_is_saved_once_more_and_sleeps),
        RIG_TEST(who_hears_that_a_session_hibernates_may_end_it_for_good),
        RIG_TEST(a_session_that_cannot_be_saved_keeps_its_browser),
        RIG_TEST(with_something_saved_earlier_it_sleeps_with_that),
        RIG_TEST(a_lost_browser_fails_its_call_and_the_next_brings_back_what_was_saved),
        RIG_TEST(a_lost_browser_of_which_nothing_was_saved_is_blank_and_says_so),
        RIG_TEST(a_browser_lost_between_two_calls_is_told_by_the_next_reply),
        RIG_TEST(a_browser_that_does_not_start_again_fails_the_calls_and_is_tried_again),
        RIG_TEST(a_state_that_cannot_be_read_is_an_error_or_a_blank_browser_with_a_note),
        RIG_TEST(a_sleeping_session_counts_for_no_limit_but_waking_does),
        RIG_TEST(over_the_ceiling_or_switched_off_sessions_end_instead),
        RIG_TEST(a_session_may_end_in_each_state_of_sleep),
        RIG_TEST(the_daemon_may_stop_in_each_state_of_sleep),
        RIG_TEST(a_session_that_falls_asleep_does_not_wake_for_a_daemon_that_stops),
        RIG_TEST(a_store_that_starts_afresh_gets_live_sessions_again),
        RIG_TEST(nobody_sleeps_on_a_save_that_the_store_has_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
