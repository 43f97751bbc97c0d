/* SPDX-License-Identifier: Apache-2.0 */
#include "core/ends.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/resolve.h"
#include "core/sessions_internal.h"

#include "support/fake_store.h"
#include "support/principals.h"

#define MINUTE_MS ((int64_t)60 * 1000)

/* What a call is told, and with which code. */
static void expect(struct rig *rig, const struct tb_tool *tool, const char *conversation,
                   const char *args, int code, const char *words)
{
    struct rig_call *call = rig_start(rig, tool, conversation, args);
    rig_turn(rig);
    assert_string_equal(call->message, words);
    rig_expect(call, code);
}

/* The note of a call that made a new session. */
static void expect_note(struct rig *rig, const char *conversation, const char *words)
{
    struct rig_call *call = rig_start(rig, &rig_navigate, conversation, NULL);
    struct tb_str note = TB_STR("");
    rig_turn(rig);
    tb_json_str(tb_json_get(call->data, "note"), &note);
    assert_string_equal(note.ptr, words);
    rig_expect(call, 0);
}

static void a_call_to_a_session_that_has_ended_says_which_when_why_and_what_is_gone(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    rig_advance(rig, 2 * MINUTE_MS);
    rig_advance(rig, 5 * MINUTE_MS);
    static const char words[] = "Session browser-1 ended after 2 minutes without a call; its "
                                "cookies are gone. That was 5 minutes ago.";
    expect(rig, &rig_click, "talk", NULL, TB_E_SESSION_ENDED, words);
    expect(rig, &rig_click, "other", "{\"sessionId\":\"browser-1\"}", TB_E_SESSION_ENDED, words);
    expect(rig, &rig_click, "other", NULL, TB_E_SESSION_NOT_FOUND, "No session: none active");
    expect_note(rig, "talk",
                "Session browser-1 ended after 2 minutes without a call; its cookies are gone. "
                "That was 5 minutes ago. Session browser-2 is new.");
    expect_note(rig, "talk", ""); /* once */
}

static void it_is_known_after_a_restart_too(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    rig_advance(rig, INT64_C(2) * MINUTE_MS);
    rig_kill(rig, 90000);
    expect(rig, &rig_click, "talk", NULL, TB_E_SESSION_ENDED,
           "Session browser-1 ended after 2 minutes without a call; its cookies are gone. That was "
           "90 seconds ago.");
    rig_kill(rig, TB_ENDS_MS);
    expect(rig, &rig_click, "talk", NULL, TB_E_SESSION_NOT_FOUND, "No session: none active");
    assert_int_equal(fake_store_count(fake_store_of(rig), TB_SPACE_END), 0);
}

static void who_was_told_is_not_told_again_after_a_restart(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    rig_advance(rig, 2 * MINUTE_MS);
    expect_note(rig, "talk",
                "Session browser-1 ended after 2 minutes without a call; its cookies are gone. "
                "That was just now. Session browser-2 is new.");
    const struct tb_caller talk = {.who = principal_of("t"), .conversation = "talk"};
    tb_session_close(rig_find(rig, "browser-2"), &talk, NULL);
    rig_kill(rig, 1000);
    expect_note(rig, "talk", "");
}

static void a_session_that_does_not_open_leaves_the_note_to_the_next(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    rig_advance(rig, 2 * MINUTE_MS);
    rig->fake->open.code = TB_E_BROWSER_START;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), TB_E_BROWSER_START);
    assert_int_equal(rig_events(rig, "\"reason\":\"not_started\""), 1);
    rig->fake->open.code = 0;
    expect_note(rig, "talk",
                "Session browser-1 ended after 2 minutes without a call; its cookies are gone. "
                "That was just now. Session browser-3 is new.");
    expect_note(rig, "talk", "");
}

static void a_session_that_never_opened_had_no_cookies_to_lose(void **state)
{
    struct rig *rig = *state;
    rig->fake->open.code = TB_E_BROWSER_START;
    rig_create(rig, "a");
    rig_turn(rig);
    static const char words[] = "Session a could not be started. That was just now.";
    expect(rig, &rig_click, "", "{\"sessionId\":\"a\"}", TB_E_SESSION_ENDED, words);
    rig_kill(rig, 0);
    expect(rig, &rig_click, "", "{\"sessionId\":\"a\"}", TB_E_SESSION_ENDED, words);
}

static void a_short_time_is_not_told_as_none(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    rig->config.sessions_octopus_idle_ms = 400;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    rig_advance(rig, 400);
    expect(rig, &rig_click, "talk", NULL, TB_E_SESSION_ENDED,
           "Session browser-1 ended after 400 milliseconds without a call; its cookies are gone. "
           "That was just now.");
}

static void what_could_not_be_kept_over_a_stop_is_told(void **state)
{
    struct rig *rig = *state;
    rig->config.sessions_hibernate = false;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    rig_kill(rig, 0);
    expect_note(rig, "talk",
                "Session browser-1 ended when the daemon stopped; its cookies are gone. That was "
                "just now. Session browser-2 is new.");
}

static void who_was_stopped_is_told_to_ask_before_it_starts_another(void **state)
{
    struct rig *rig = *state;
    static const char words[] = "Session a was stopped by the operator, with all other sessions; "
                                "its cookies are gone. That was just now.";
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    rig_create_as(rig, "t", "talk", "a");
    rig_create_as(rig, "t", "other", "b");
    rig_turn(rig);
    assert_int_equal(tb_sessions_stop_all(rig->core.sessions, "t", NULL), 3);
    rig_turn(rig);
    expect(rig, &rig_navigate, "talk", NULL, TB_E_SESSION_STOPPED, words);
    rig_kill(rig, 0); /* the daemon remembers what it said */
    struct rig_call *next = rig_start(rig, &rig_navigate, "talk", NULL);
    rig_turn(rig);
    rig_expect(next, 0);
    /* Who heard of it otherwise was told to ask, too. */
    assert_int_equal(rig_run(rig, &rig_click, "other", NULL), TB_E_SESSION_STOPPED);
    assert_int_equal(rig_run(rig, &rig_navigate, "other", NULL), 0);
    assert_int_equal(rig_run(rig, &rig_navigate, "third", NULL), 0);
}

/* Stops a session as the operator does. */
static void stop(struct rig *rig, const char *name)
{
    const struct tb_caller operator= {
        .who = principal_of("t"), .conversation = "ops", .everyone = true};
    tb_session_close(rig_find(rig, name), &operator, NULL);
    rig_turn(rig);
}

static void who_asks_for_another_session_has_not_heard_of_the_stop(void **state)
{
    struct rig *rig = *state;
    rig_create_as(rig, "t", "talk", "x");
    rig_create_as(rig, "t", "talk", "stopped-before");
    rig_create_as(rig, "t", "talk", "y");
    rig_turn(rig);
    tb_session_end(rig_find(rig, "x"), TB_END_CLOSED);
    stop(rig, "stopped-before");
    rig_advance(rig, 1000);
    stop(rig, "y");
    assert_int_equal(rig_run(rig, &rig_click, "talk", "{\"sessionId\":\"x\"}"), TB_E_SESSION_ENDED);
    assert_int_equal(rig_run(rig, &rig_click, "talk", "{\"sessionId\":\"stopped-before\"}"),
                     TB_E_SESSION_STOPPED);
    expect(rig, &rig_navigate, "talk", NULL, TB_E_SESSION_STOPPED,
           "Session y was stopped by the user; its cookies are gone. That was just now.");
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
}

static void a_stop_is_heard_of_although_another_session_has_ended_since(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    rig_create_as(rig, "t", "talk", "y");
    rig_turn(rig);
    stop(rig, "y");
    rig_advance(rig, 2 * MINUTE_MS);
    assert_null(rig_find(rig, "browser-1"));
    expect(rig, &rig_navigate, "talk", NULL, TB_E_SESSION_STOPPED,
           "Session y was stopped by the user; its cookies are gone. That was 2 minutes ago.");
    expect_note(rig, "talk",
                "Session browser-1 ended after 2 minutes without a call; its cookies are gone. "
                "That was just now. Session browser-2 is new.");
}

static void who_lets_go_of_another_session_has_not_heard_of_the_stop(void **state)
{
    struct rig *rig = *state;
    const struct tb_caller talk = {.who = principal_of("t"), .conversation = "talk"};
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    rig_create_as(rig, "t", "talk", "y");
    rig_turn(rig);
    stop(rig, "y");
    tb_session_close(rig_find(rig, "browser-1"), &talk, NULL);
    rig_turn(rig);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), TB_E_SESSION_STOPPED);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
}

static void who_hears_that_one_session_is_stopped_has_heard_of_no_later_stop(void **state)
{
    struct rig *rig = *state;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    rig_create_as(rig, "t", "talk", "x");
    rig_create_as(rig, "t", "talk", "y");
    rig_turn(rig);
    struct rig_call *call = rig_start(rig, &rig_click, "talk", "{\"sessionId\":\"x\"}");
    rig_turn(rig);
    stop(rig, "x");
    rig_expect(call, TB_E_SESSION_STOPPED);
    stop(rig, "y");
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), TB_E_SESSION_STOPPED);
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
}

/* The note of a call that names the session; empty: it has none. */
static void expect_note_in(struct rig *rig, const char *conversation, const char *name,
                           const char *words)
{
    TB_AUTO(tb_free) char *args = tb_strdupf("{\"sessionId\":\"%s\"}", name);
    struct rig_call *call = rig_start(rig, &rig_click, conversation, args);
    struct tb_str note = TB_STR("");
    rig_turn(rig);
    tb_json_str(tb_json_get(call->data, "note"), &note);
    assert_string_equal(note.ptr, words);
    rig_expect(call, 0);
}

static void create_private(struct rig *rig, const char *conversation, const char *name)
{
    const struct tb_caller caller = {.who = principal_of("t"), .conversation = conversation};
    const struct tb_session_spec spec = {.kind = TB_KIND_BROWSER,
                                         .name = tb_str_of(name),
                                         .hidden = true,
                                         .driver = &tb_driver_fake,
                                         .driver_state = rig->fake};
    struct tb_session *session;
    const char *warning;
    assert_int_equal(
        tb_sessions_create(rig->core.sessions, &caller, &spec, &session, &warning, NULL), 0);
    rig_turn(rig);
    tb_session_end(session, TB_END_BROWSER_CRASHED);
    rig_turn(rig);
}

static void only_its_owner_is_told_which_session_a_new_one_replaces(void **state)
{
    struct rig *rig = *state;
    create_private(rig, "talk", "secret-x");
    rig->fake->open.when = TB_FAKE_HELD;
    struct rig_call *first = rig_start(rig, &rig_navigate, "talk", NULL);
    rig_turn(rig);
    tb_call_cancel(first->call); /* before its turn */
    rig_turn(rig);
    rig_expect(first, TB_E_CANCELLED);
    tb_fake_release(rig->fake, rig_find(rig, "browser-1")->id);
    rig_turn(rig);
    expect_note_in(rig, "other", "browser-1", "");
    expect_note_in(rig, "talk", "browser-1",
                   "Session secret-x lost its browser; its cookies are gone. That was just now. "
                   "Session browser-1 is new.");
    expect_note_in(rig, "talk", "browser-1", "");
}

static void a_reply_that_nobody_reads_tells_of_no_end(void **state)
{
    struct rig *rig = *state;
    rig->brief = true;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    rig_advance(rig, 2 * MINUTE_MS);
    rig->fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_HELD;
    struct rig_call *call = rig_start(rig, &rig_navigate, "talk", NULL);
    rig_turn(rig);
    tb_call_cancel(call->call);
    tb_fake_release(rig->fake, rig_find(rig, "browser-2")->id);
    rig_turn(rig);
    rig_expect(call, TB_E_CANCELLED);
    const struct tb_tenant *tenant = tb_tenant_find(rig->core.sessions, "t");
    const struct tb_caller talk = {.who = principal_of("t"), .conversation = "talk"};
    assert_non_null(tb_end_missed(tenant, &talk));
    expect_note_in(rig, "talk", "browser-2",
                   "Session browser-1 ended after 2 minutes without a call; its cookies are gone. "
                   "That was just now. Session browser-2 is new.");
    assert_null(tb_end_missed(tenant, &talk));
}

static void a_session_that_grows_too_old_during_a_call_is_reported(void **state)
{
    struct rig *rig = *state;
    rig->config.sessions_named_max_age_ms = MINUTE_MS;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct tb_session *session = rig_create_as(rig, "t", "talk", "work");
    rig_turn(rig);
    struct rig_call *call = rig_start(rig, &rig_click, "talk", "{\"timeout_ms\":600000}");
    rig_advance(rig, MINUTE_MS);
    assert_int_equal(session->state, TB_STATE_RETIRING);
    TB_AUTO(tb_buf_fini) struct tb_buf list = TB_BUF((size_t)64 * TB_KIB);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &list);
    tb_sessions_list(rig->core.sessions,
                     &(struct tb_caller){.who = principal_of("t"), .conversation = "talk"}, &json);
    tb_buf_append_char(&list, '\0');
    assert_non_null(strstr((const char *)list.data, "\"currentSession\":null"));
    tb_fake_release(rig->fake, session->id);
    rig_turn(rig);
    rig_expect(call, 0);
    expect_note(rig, "talk",
                "Session work reached its maximum age of 1 minute; its cookies are gone. That was "
                "just now. Session browser-1 is new.");
}

static void a_call_does_not_go_to_a_session_that_ends_with_the_one_before(void **state)
{
    struct rig *rig = *state;
    rig->config.sessions_named_max_age_ms = MINUTE_MS;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct tb_session *session = rig_create_as(rig, "t", "talk", "work");
    rig_turn(rig);
    struct rig_call *call = rig_start(rig, &rig_click, "talk", "{\"timeout_ms\":600000}");
    tb_clock_manual_advance(&rig->clock, MINUTE_MS); /* no timer has seen it */
    struct rig_call *next = rig_start(rig, &rig_navigate, "talk", NULL);
    rig_turn(rig);
    assert_string_equal(next->chosen, "browser-1");
    rig_expect(next, 0);
    tb_fake_release(rig->fake, session->id);
    rig_turn(rig);
    rig_expect(call, 0);
}

static void who_gets_a_new_session_while_the_old_one_still_ends_is_told(void **state)
{
    struct rig *rig = *state;
    rig->config.sessions_conversation_max_age_ms = 3 * MINUTE_MS;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    struct tb_session *session = rig_find(rig, "browser-1");
    struct rig_call *call = rig_start(rig, &rig_click, "talk", "{\"timeout_ms\":600000}");
    rig_advance(rig, 4 * MINUTE_MS);
    expect_note(rig, "talk",
                "Session browser-1 has reached its maximum age of 3 minutes and ends with the call "
                "that is still running; its cookies are gone. Session browser-2 is new.");
    expect_note(rig, "talk", "");
    tb_fake_release(rig->fake, session->id);
    rig_turn(rig);
    rig_expect(call, 0);
    assert_null(rig_find(rig, "browser-1"));
    expect_note(rig, "talk", ""); /* once */
}

static void who_was_told_that_a_session_is_to_end_hears_of_later_ends(void **state)
{
    struct rig *rig = *state;
    rig->config.sessions_named_max_age_ms = MINUTE_MS;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct tb_session *session = rig_create_as(rig, "t", "talk", "work");
    rig_turn(rig);
    struct rig_call *call = rig_start(rig, &rig_click, "talk", "{\"timeout_ms\":600000}");
    rig_advance(rig, MINUTE_MS);
    rig->fake->ops[TB_OP_NAVIGATE].when = TB_FAKE_HELD;
    struct rig_call *next = rig_start(rig, &rig_navigate, "talk", NULL);
    rig_turn(rig);
    rig_create_as(rig, "t", "talk", "later");
    rig_turn(rig);
    tb_session_end(rig_find(rig, "later"), TB_END_BROWSER_CRASHED);
    tb_fake_release(rig->fake, rig_find(rig, "browser-1")->id);
    rig_turn(rig);
    assert_non_null(tb_json_get(next->data, "note"));
    rig_expect(next, 0);
    const struct tb_caller talk = {.who = principal_of("t"), .conversation = "talk"};
    assert_non_null(tb_end_missed(tb_tenant_find(rig->core.sessions, "t"), &talk));
    tb_fake_release(rig->fake, session->id);
    rig_turn(rig);
    rig_expect(call, 0);
}

static void who_closed_it_need_not_be_told_but_others_are(void **state)
{
    struct rig *rig = *state;
    const struct tb_caller talk = {.who = principal_of("t"), .conversation = "talk"};
    const struct tb_caller other = {.who = principal_of("t"), .conversation = "other"};
    assert_int_equal(rig_run(rig, &rig_navigate, "talk", NULL), 0);
    assert_int_equal(
        tb_sessions_set_current(rig->core.sessions, &other, TB_STR("browser-1"), NULL, NULL), 0);
    tb_session_close(rig_find(rig, "browser-1"), &talk, NULL);
    expect_note(rig, "talk", "");
    expect_note(rig, "other",
                "Session browser-1 was closed; its cookies are gone. That was just now. Session "
                "browser-3 is new.");
}

static void only_the_end_of_the_session_used_last_is_told(void **state)
{
    struct rig *rig = *state;
    const struct tb_caller talk = {.who = principal_of("t"), .conversation = "talk"};
    static const char none[] = "No session: none is current. There are: alice";
    rig_create_as(rig, "t", "talk", "alice");
    rig_create_as(rig, "t", "talk", "bob");
    rig_turn(rig);
    tb_session_end(rig_find(rig, "bob"), TB_END_CLOSED);
    expect(rig, &rig_click, "talk", NULL, TB_E_SESSION_ENDED,
           "Session bob was closed; its cookies are gone. That was just now.");
    rig_create_as(rig, "t", "talk", "small");
    rig_turn(rig);
    tb_session_close(rig_find(rig, "small"), &talk, NULL);
    expect(rig, &rig_click, "talk", NULL, TB_E_SESSION_NOT_FOUND, none);
    /* The same after a detach; and what was told takes all that is older with it. */
    rig_create_as(rig, "t", "talk", "small");
    rig_create_as(rig, "t", "talk", "bob");
    rig_turn(rig);
    tb_session_end(rig_find(rig, "bob"), TB_END_CLOSED);
    assert_int_equal(
        tb_sessions_set_current(rig->core.sessions, &talk, TB_STR("small"), NULL, NULL), 0);
    tb_session_end(rig_find(rig, "small"), TB_END_CLOSED);
    expect_note(rig, "talk",
                "Session small was closed; its cookies are gone. That was just now. Session "
                "browser-1 is new.");
    tb_session_detach(rig_find(rig, "browser-1"), &talk, NULL);
    assert_int_equal(rig_run(rig, &rig_click, "talk", NULL), TB_E_SESSION_NOT_FOUND);
}

static void a_name_that_lives_again_is_the_live_one(void **state)
{
    struct rig *rig = *state;
    rig_create(rig, "a");
    tb_session_end(rig_find(rig, "a"), TB_END_CLOSED);
    rig_create(rig, "a");
    assert_int_equal(rig_run(rig, &rig_click, "x", "{\"sessionId\":\"a\"}"), 0);
}

static void only_the_last_ends_are_kept(void **state)
{
    struct rig *rig = *state;
    char name[TB_NAME_SIZE];
    for (int i = 0; i <= TB_ENDS_KEPT; i++) {
        snprintf(name, sizeof(name), "s%d", i);
        rig_create(rig, name);
        rig_turn(rig);
        tb_session_end(rig_find(rig, name), TB_END_CLOSED);
        rig_advance(rig, 1);
    }
    assert_int_equal(fake_store_count(fake_store_of(rig), TB_SPACE_END), TB_ENDS_KEPT);
    rig_kill(rig, 0);
    assert_int_equal(rig_run(rig, &rig_click, "x", "{\"sessionId\":\"s0\"}"),
                     TB_E_SESSION_NOT_FOUND);
    assert_int_equal(rig_run(rig, &rig_click, "x", "{\"sessionId\":\"s1\"}"), TB_E_SESSION_ENDED);
    assert_int_equal(rig_run(rig, &rig_click, "x", "{\"sessionId\":\"s200\"}"), TB_E_SESSION_ENDED);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(a_call_to_a_session_that_has_ended_says_which_when_why_and_what_is_gone),
        RIG_TEST(it_is_known_after_a_restart_too),
        RIG_TEST(who_was_told_is_not_told_again_after_a_restart),
        RIG_TEST(a_session_that_does_not_open_leaves_the_note_to_the_next),
        RIG_TEST(a_session_that_never_opened_had_no_cookies_to_lose),
        RIG_TEST(a_short_time_is_not_told_as_none),
        RIG_TEST(what_could_not_be_kept_over_a_stop_is_told),
        RIG_TEST(who_was_stopped_is_told_to_ask_before_it_starts_another),
        RIG_TEST(who_asks_for_another_session_has_not_heard_of_the_stop),
        RIG_TEST(a_stop_is_heard_of_although_another_session_has_ended_since),
        RIG_TEST(who_lets_go_of_another_session_has_not_heard_of_the_stop),
        RIG_TEST(who_hears_that_one_session_is_stopped_has_heard_of_no_later_stop),
        RIG_TEST(only_its_owner_is_told_which_session_a_new_one_replaces),
        RIG_TEST(a_reply_that_nobody_reads_tells_of_no_end),
        RIG_TEST(a_session_that_grows_too_old_during_a_call_is_reported),
        RIG_TEST(a_call_does_not_go_to_a_session_that_ends_with_the_one_before),
        RIG_TEST(who_gets_a_new_session_while_the_old_one_still_ends_is_told),
        RIG_TEST(who_was_told_that_a_session_is_to_end_hears_of_later_ends),
        RIG_TEST(who_closed_it_need_not_be_told_but_others_are),
        RIG_TEST(only_the_end_of_the_session_used_last_is_told),
        RIG_TEST(a_name_that_lives_again_is_the_live_one),
        RIG_TEST(only_the_last_ends_are_kept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
