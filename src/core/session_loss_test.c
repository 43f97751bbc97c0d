/* SPDX-License-Identifier: Apache-2.0 */
/* What the first reply of a new browser says that is lost with the one before. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/session_internal.h"
#include "core/sessions.h"

#include "support/fake_store.h"

enum {
    HALF_HOUR_MS = 30 * 60 * 1000,
};

static void what_the_last_save_did_not_get_is_told(void **state)
{
    struct rig *rig = *state;
    struct fake_store *store = fake_store_of(rig);
    for (int i = 0; i < 2; i++) {
        rig_create_tagged(rig);
        rig_advance(rig, 500);
        rig_leave_tag(rig, "later");
        rig->fake->save.code = i == 0 ? TB_E_TIMEOUT : 0;
        store->broken = i == 1;
        rig_advance(rig, HALF_HOUR_MS);
        assert_int_equal(rig_find(rig, "a")->state, TB_STATE_ASLEEP);
        rig->fake->save.code = 0;
        store->broken = false;
        char *note = rig_note(rig);
        assert_string_equal(
            note, "Session 'a' could not be saved when its browser was closed. It was restored "
                  "from its last save; anything after that is lost.");
        tb_free(note);
        rig_advance(rig, HALF_HOUR_MS);
        note = rig_note(rig);
        assert_string_equal(note, "");
        tb_free(note);
        tb_session_end(rig_find(rig, "a"), TB_END_CLOSED);
        rig_turn(rig);
    }
}

static void after_a_restart_it_is_told_as_well_and_once(void **state)
{
    struct rig *rig = *state;
    rig_create_tagged(rig);
    rig_advance(rig, 500);
    rig_leave_tag(rig, "later");
    rig->fake->save.code = TB_E_TIMEOUT;
    rig_restart(rig, 0);
    char *note = rig_note(rig);
    assert_non_null(strstr(note, "could not be saved when its browser was closed."));
    tb_free(note);
    rig_kill(rig, 0);
    note = rig_note(rig);
    assert_string_equal(note, "");
    tb_free(note);
}

/* Nothing was in it that could be missed. */
static void a_first_browser_that_no_call_ever_had_is_not_told_of(void **state)
{
    struct rig *rig = *state;
    rig->fake->open.when = TB_FAKE_HELD;
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    assert_true(tb_fake_release(rig->fake, session->id));
    assert_true(tb_fake_lose(rig->fake, session->id));
    rig_turn(rig);
    assert_int_equal(session->state, TB_STATE_ASLEEP);
    rig->fake->open.when = TB_FAKE_NOW;
    rig_leave_tag(rig, "login");
    rig_advance(rig, HALF_HOUR_MS);
    assert_int_equal(session->state, TB_STATE_ASLEEP);
    char *note = rig_note(rig);
    assert_string_equal(note, "");
    tb_free(note);
}

/* With a call that runs, and then one that comes too late. */
static void a_final_loss_ends_the_session_for_the_reason_that_the_driver_gives(void **state)
{
    static const struct {
        enum tb_end_reason reason;
        const char *detail;
        int code;
        const char *words;
        const char *after;
    } rows[] = {
        {TB_END_TAB_CLOSED, "", TB_E_SESSION_ENDED, "Session 'a' ended with its tab",
         "ended with its tab"},
        {TB_END_USER_STOPPED, "by the button", TB_E_SESSION_STOPPED,
         "Session 'a' was stopped by the user: by the button", "was stopped by the user"},
        {TB_END_BROWSER_CRASHED, "gone", TB_E_BROWSER_CRASHED, "Session 'a' lost its browser: gone",
         "lost its browser"},
    };
    struct rig *rig = *state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char event[80];
        const struct tb_session *session = rig_create_tagged(rig);
        rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
        struct rig_call *call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
        rig_turn(rig);
        assert_true(tb_fake_lose_for(rig->fake, session->id, rows[i].reason, TB_LOSS_FINAL,
                                     rows[i].detail));
        rig_turn(rig);
        assert_string_equal(call->message, rows[i].words);
        rig_expect(call, rows[i].code);
        assert_null(rig_find(rig, "a"));
        snprintf(event, sizeof(event), "\"reason\":\"%s\"", tb_end_reason_name(rows[i].reason));
        assert_int_equal(rig_events(rig, event), 1);
        rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_NOW;
        call = rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\"}");
        rig_turn(rig);
        assert_non_null(strstr(call->message, rows[i].after));
        rig_expect(call, tb_end_reason_code(rows[i].reason));
    }
    assert_int_equal(rig_events(rig, "session_hibernated"), 0);
}

static void a_restorable_loss_tells_the_reason_that_the_driver_gives(void **state)
{
    struct rig *rig = *state;
    const struct tb_session *session = rig_create_tagged(rig);
    rig_advance(rig, 500);
    assert_true(
        tb_fake_lose_for(rig->fake, session->id, TB_END_EXTENSION_RELOAD, TB_LOSS_RESTORABLE, ""));
    rig_turn(rig);
    assert_int_equal(rig_events(rig, "session_hibernated {\"name\":\"a\",\"type\":\"browser\","
                                     "\"reason\":\"extension_reload\"}"),
                     1);
    char *note = rig_note(rig);
    assert_string_equal(note, "Session 'a' ended when the extension was reloaded. It was restored "
                              "from its last save; anything after that is lost.");
    tb_free(note);
}

/* Calls of several agents wait for the new browser: each of them acts on what it saw before. */
static void everybody_who_saw_the_earlier_browser_hears_of_the_new_one_once(void **state)
{
    static const char *const agents[] = {"ann", "bob", "ann", "carl"};
    static const bool hears[] = {true, true, false, false}; /* carl has seen nothing before */
    struct rig *rig = *state;
    struct rig_call *calls[TB_COUNT(agents)];
    const struct tb_session *session = rig_create_tagged(rig);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(rig_run(rig, &rig_click, agents[i], "{\"sessionId\":\"a\"}"), 0);
    }
    rig_advance(rig, 2500);
    tb_fake_lose(rig->fake, session->id);
    for (size_t i = 0; i < TB_COUNT(agents); i++) {
        calls[i] = rig_start(rig, &rig_click, agents[i], "{\"sessionId\":\"a\"}");
    }
    rig_turns(rig, 32);
    for (size_t i = 0; i < TB_COUNT(agents); i++) {
        struct tb_str note = tb_json_text(calls[i]->data, "note");
        assert_int_equal(tb_str_starts(note, TB_STR("Session 'a' lost its browser")), hears[i]);
        rig_expect(calls[i], 0);
    }
    char *note = rig_note(rig); /* of who left the tag, much later */
    assert_true(tb_str_starts(tb_str_of(note), TB_STR("Session 'a' lost its browser")));
    tb_free(note);
    assert_null(session->losses.note);
}

/* Nothing is lost by the second wake; what the first one lost is still news to whoever was not
 * there.
 */
static void who_has_not_heard_of_a_new_browser_hears_of_it_after_another_sleep(void **state)
{
    static const char *const agents[] = {"ann", "bob"};
    struct rig *rig = *state;
    const struct tb_session *session = rig_create_tagged(rig);
    for (size_t i = 0; i < TB_COUNT(agents); i++) {
        assert_int_equal(rig_run(rig, &rig_click, agents[i], "{\"sessionId\":\"a\"}"), 0);
    }
    rig_advance(rig, 2500);
    tb_fake_lose(rig->fake, session->id);
    rig_turn(rig);
    for (int sleeps = 0; sleeps < 2; sleeps++) {
        assert_int_equal(rig_run(rig, &rig_click, "ann", "{\"sessionId\":\"a\"}"), 0);
        rig_advance(rig, (int64_t)31 * 60 * 1000);
        assert_int_equal(session->state, TB_STATE_ASLEEP);
    }
    struct rig_call *call = rig_start(rig, &rig_click, "bob", "{\"sessionId\":\"a\"}");
    rig_turns(rig, 32);
    assert_true(
        tb_str_starts(tb_json_text(call->data, "note"), TB_STR("Session 'a' lost its browser")));
    rig_expect(call, 0);
}

/* What is to end may not come back only because it was about to sleep. */
static void a_final_loss_ends_a_session_that_falls_asleep(void **state)
{
    struct rig *rig = *state;
    const struct tb_session *session = rig_create_tagged(rig);
    rig->fake->close.when = TB_FAKE_HELD;
    rig_advance(rig, HALF_HOUR_MS);
    assert_int_equal(session->state, TB_STATE_CLOSING);
    tb_fake_lose_for(rig->fake, session->id, TB_END_USER_STOPPED, TB_LOSS_FINAL, "");
    assert_true(tb_fake_release(rig->fake, session->id));
    rig_turn(rig);
    assert_null(rig_find(rig, "a"));
    assert_int_equal(rig_events(rig, "\"reason\":\"user_stopped\""), 1);
    assert_int_equal(rig_events(rig, "session_hibernated"), 0);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(what_the_last_save_did_not_get_is_told),
        RIG_TEST(after_a_restart_it_is_told_as_well_and_once),
        RIG_TEST(a_first_browser_that_no_call_ever_had_is_not_told_of),
        RIG_TEST(a_final_loss_ends_the_session_for_the_reason_that_the_driver_gives),
        RIG_TEST(a_restorable_loss_tells_the_reason_that_the_driver_gives),
        RIG_TEST(everybody_who_saw_the_earlier_browser_hears_of_the_new_one_once),
        RIG_TEST(who_has_not_heard_of_a_new_browser_hears_of_it_after_another_sleep),
        RIG_TEST(a_final_loss_ends_a_session_that_falls_asleep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
