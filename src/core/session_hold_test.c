/* SPDX-License-Identifier: Apache-2.0 */
/* A person takes over a session and hands it back. */
#include "core/session_hold.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "core/session_hibernate.h"
#include "core/session_internal.h"

#include "support/fake_store.h"
#include "support/principals.h"

#define HALF_HOUR_MS ((int64_t)30 * 60 * 1000)

static const char ON_A[] = "{\"sessionId\":\"a\"}";

struct person {
    struct tb_holder holder;
    int helds;
    int overs;
    struct tb_err why;
    bool lets_go; /* as soon as it has it */
};

static void on_held(struct tb_holder *holder)
{
    struct person *person = TB_CONTAINER(holder, struct person, holder);
    person->helds++;
    if (person->lets_go) {
        tb_session_release(holder, NULL);
    }
}

static void on_over(struct tb_holder *holder, const struct tb_err *why)
{
    struct person *person = TB_CONTAINER(holder, struct person, holder);
    person->overs++;
    person->why = *why;
}

static int take(struct tb_session *session, struct person *person)
{
    struct tb_err err = {0};
    person->holder.who = "ann";
    person->holder.held = on_held;
    person->holder.over = on_over;
    return tb_session_hold(session, &person->holder, &err);
}

static struct tb_session *start(struct rig *rig)
{
    struct tb_session *session = rig_create(rig, "a");
    rig_turn(rig);
    return session;
}

/* It is held, and nobody but this person knows. */
static struct tb_session *start_held(struct rig *rig, struct person *person)
{
    struct tb_session *session = start(rig);
    *person = (struct person){0};
    assert_int_equal(take(session, person), 0);
    assert_int_equal(person->helds, 0); /* later */
    rig_turn(rig);
    assert_int_equal(person->helds, 1);
    assert_int_equal(session->state, TB_STATE_HELD);
    return session;
}

/* What a call on "a" says besides its result; "" for nothing. The caller frees. */
static char *note_of_call(struct rig *rig)
{
    struct rig_call *call = rig_start(rig, &rig_click, "", ON_A);
    rig_turn(rig);
    char *text = tb_str_dup(tb_json_text(call->data, "note"));
    rig_expect(call, 0);
    return text;
}

static void a_session_is_held_once_what_runs_has_ended(void **state)
{
    struct rig *rig = *state;
    struct person ann = {0};
    struct tb_session *session = start(rig);
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct rig_call *running = rig_start(rig, &rig_click, "", ON_A);
    struct rig_call *waiting = rig_start(rig, &rig_click, "", ON_A);
    rig_turn(rig);
    assert_int_equal(take(session, &ann), 0);
    rig_turn(rig);
    assert_int_equal(session->state, TB_STATE_OPEN);
    assert_int_equal(ann.helds, 0);
    assert_true(tb_fake_release(rig->fake, session->id));
    rig_turn(rig);
    rig_expect(running, 0);
    assert_int_equal(session->state, TB_STATE_HELD);
    assert_int_equal(ann.helds, 1);
    assert_int_equal(rig->fake->counts.begun, 1);
    assert_int_equal(waiting->dones, 0);
    tb_session_release(&ann.holder, NULL);
    rig_turn(rig);
    assert_int_equal(session->state, TB_STATE_OPEN);
    assert_int_equal(rig->fake->counts.begun, 2);
    assert_true(tb_fake_release(rig->fake, session->id));
    rig_turn(rig);
    rig_expect(waiting, 0);
    assert_int_equal(ann.overs, 0);
    assert_int_equal(
        rig_events(rig, "session_held {\"name\":\"a\",\"type\":\"browser\",\"agent\":\"ann\"}"), 1);
    assert_int_equal(
        rig_events(rig, "session_released {\"name\":\"a\",\"type\":\"browser\",\"agent\":\"ann\"}"),
        1);
}

static void calls_wait_under_their_own_deadlines_and_are_told_who_has_it(void **state)
{
    struct rig *rig = *state;
    struct person ann;
    struct tb_session *session = start_held(rig, &ann);
    struct rig_call *late =
        rig_start(rig, &rig_click, "", "{\"sessionId\":\"a\",\"timeout_ms\":100}");
    struct rig_call *patient = rig_start(rig, &rig_click, "", ON_A);
    rig_advance(rig, 100);
    assert_string_equal(
        late->message,
        "waited 100 ms, but a person has taken over session 'a' and has not handed it back");
    rig_expect(late, TB_E_HELD);
    assert_int_equal(patient->dones, 0);
    assert_int_equal(tb_session_info(session).state, TB_SHOWN_ACTIVE);
    tb_session_release(&ann.holder, NULL);
    rig_turn(rig);
    rig_expect(patient, 0);
}

static void the_next_reply_tells_what_the_person_said(void **state)
{
    static const char *const plain =
        "A person took over session 'a' and has handed it back; the page may have changed.";
    struct rig *rig = *state;
    struct person ann;
    struct tb_session *session = start_held(rig, &ann);
    tb_session_release(&ann.holder, NULL);
    char *note = note_of_call(rig);
    assert_string_equal(note, plain);
    tb_free(note);
    note = note_of_call(rig);
    assert_string_equal(note, ""); /* once */
    tb_free(note);
    take(session, &ann);
    rig_turn(rig);
    tb_session_release(&ann.holder, "I have logged in.");
    take(session, &ann);
    rig_turn(rig);
    tb_session_release(&ann.holder, ""); /* which does not unsay it */
    note = note_of_call(rig);
    char *expected = tb_strdupf("%s They say: I have logged in.", plain);
    assert_string_equal(note, expected);
    tb_free(note);
    tb_free(expected);
}

static void what_a_person_says_has_a_ceiling_and_stands_behind_other_news(void **state)
{
    struct rig *rig = *state;
    struct person ann = {0};
    char said[2 * TB_HOLD_SAID_MAX + 1];
    for (size_t i = 0; i + 1 < sizeof(said); i += 2) {
        memcpy(said + i, "\xc3\xa9", 2);
    }
    said[sizeof(said) - 1] = '\0';
    struct tb_session *session = start(rig);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\",\"tag\":\"login\"}"), 0);
    rig_advance(rig, 500);
    tb_fake_lose(rig->fake, session->id);
    rig_turn(rig);
    assert_int_equal(take(session, &ann), 0);
    rig_turn(rig);
    tb_session_release(&ann.holder, said + 1); /* begins inside a character */
    tb_session_release(&ann.holder, said);     /* of one that is not held nothing is heard */
    take(session, &ann);
    rig_turn(rig);
    tb_session_release(&ann.holder, said);
    char *note = note_of_call(rig);
    assert_ptr_equal(strstr(note, "Session 'a' lost its browser"), note);
    const char *own = strstr(note, ". A person took over");
    assert_non_null(own);
    const char *words = strstr(own, "They say: ");
    assert_non_null(words);
    assert_int_equal(strlen(words), strlen("They say: ") + TB_HOLD_SAID_MAX);
    tb_free(note);
}

static void a_session_that_sleeps_is_woken_for_a_person(void **state)
{
    struct rig *rig = *state;
    struct person ann = {0};
    struct tb_session *session = start(rig);
    assert_int_equal(rig_run(rig, &rig_click, "", "{\"sessionId\":\"a\",\"tag\":\"login\"}"), 0);
    rig_advance(rig, HALF_HOUR_MS);
    assert_int_equal(session->state, TB_STATE_ASLEEP);
    assert_int_equal(take(session, &ann), 0);
    rig_turn(rig);
    assert_int_equal(session->state, TB_STATE_HELD);
    assert_string_equal(tb_fake_memory(rig->fake, session->id), "login");
    tb_session_release(&ann.holder, NULL);
}

static void a_person_is_told_when_it_cannot_be_woken(void **state)
{
    struct rig *rig = *state;
    for (int i = 0; i < 2; i++) {
        struct person ann = {0};
        struct tb_session *session = start(rig);
        rig_advance(rig, HALF_HOUR_MS);
        assert_int_equal(session->state, TB_STATE_ASLEEP);
        rig->fake->open.code = i ? TB_E_BROWSER_START : 0;
        rig->config.sessions_total = i ? 50 : 1;
        struct tb_session *other = i ? NULL : rig_create(rig, "b");
        rig_turn(rig);
        assert_int_equal(take(session, &ann), 0);
        rig_turn(rig);
        assert_int_equal(ann.helds, 0);
        assert_int_equal(ann.overs, 1);
        assert_int_equal(ann.why.code, i ? TB_E_BROWSER_START : TB_E_LIMIT);
        assert_int_equal(session->state, TB_STATE_ASLEEP);
        tb_session_end(session, TB_END_CLOSED);
        if (other) {
            tb_session_end(other, TB_END_CLOSED);
        }
        rig_turn(rig);
    }
}

static void a_session_that_is_being_saved_to_sleep_stays_for_a_person(void **state)
{
    struct rig *rig = *state;
    struct person ann = {0};
    struct tb_session *session = start(rig);
    rig->fake->save.when = TB_FAKE_HELD;
    rig_advance(rig, HALF_HOUR_MS);
    assert_int_equal(session->state, TB_STATE_SAVING);
    assert_int_equal(take(session, &ann), 0);
    rig_turn(rig);
    assert_int_equal(ann.helds, 0); /* its browser is still being looked at */
    assert_true(tb_fake_release(rig->fake, session->id));
    rig_turn(rig);
    assert_int_equal(session->state, TB_STATE_HELD);
    tb_session_release(&ann.holder, NULL);
}

/* How long they think is nobody's business, but it is no reason to outlive its time. */
static void a_held_session_is_not_idle(void **state)
{
    struct rig *rig = *state;
    struct person ann;
    struct tb_session *session = start_held(rig, &ann);
    assert_int_equal(tb_session_renew(session, 10 * HALF_HOUR_MS, NULL, NULL, NULL), 0);
    rig_advance(rig, 9 * HALF_HOUR_MS);
    assert_int_equal(session->state, TB_STATE_HELD);
    rig_advance(rig, HALF_HOUR_MS);
    assert_null(rig_find(rig, "a"));
    assert_int_equal(ann.overs, 1);
    assert_int_equal(ann.why.code, TB_E_SESSION_ENDED);
    assert_int_equal(rig_events(rig, "\"reason\":\"ttl_expired\",\"duration_ms\""), 1);
}

static void it_is_idle_from_the_moment_that_it_is_handed_back(void **state)
{
    struct rig *rig = *state;
    struct person ann;
    struct tb_session *session = start_held(rig, &ann);
    rig_advance(rig, HALF_HOUR_MS);
    tb_session_release(&ann.holder, NULL);
    rig_advance(rig, HALF_HOUR_MS - 1);
    assert_int_equal(session->state, TB_STATE_OPEN);
    rig_advance(rig, 1);
    assert_int_equal(session->state, TB_STATE_ASLEEP);
}

static void a_held_session_does_not_make_room_for_others(void **state)
{
    struct rig *rig = *state;
    struct person ann = {0};
    rig->config.sessions_per_tenant = 1;
    assert_int_equal(rig_run(rig, &rig_navigate, "c1", NULL), 0);
    struct tb_session *session = rig_find(rig, "browser-1");
    assert_int_equal(take(session, &ann), 0);
    rig_turn(rig);
    assert_int_equal(rig_run(rig, &rig_navigate, "c2", NULL), TB_E_LIMIT);
    tb_session_release(&ann.holder, NULL);
    assert_int_equal(rig_run(rig, &rig_navigate, "c2", NULL), 0);
}

static void whatever_becomes_of_the_session_the_holder_hears_of_it_once(void **state)
{
    struct rig *rig = *state;
    static const struct {
        enum tb_loss loss;
        int code;
        enum tb_session_state state;
    } rows[] = {
        {TB_LOSS_RESTORABLE, TB_E_BROWSER_CRASHED, TB_STATE_ASLEEP},
        {TB_LOSS_AWAY, TB_E_AWAY, TB_STATE_AWAY},
        {TB_LOSS_FINAL, TB_E_BROWSER_CRASHED, TB_STATE_ENDED},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        struct person ann;
        struct tb_session *session = start_held(rig, &ann);
        struct rig_call *waiting = rig_start(rig, &rig_click, "", ON_A);
        rig_turn(rig);
        tb_fake_lose_for(rig->fake, session->id, TB_END_BROWSER_CRASHED, rows[i].loss, "");
        rig_turn(rig);
        assert_int_equal(ann.overs, 1);
        assert_int_equal(ann.why.code, rows[i].code);
        tb_session_release(&ann.holder, "it is gone");
        assert_int_equal(ann.overs, 1);
        /* After a crash the call gets the next browser. */
        rig_expect(waiting, rows[i].loss == TB_LOSS_RESTORABLE ? 0 : rows[i].code);
        session = rig_find(rig, "a");
        assert_int_equal(session != NULL, rows[i].state != TB_STATE_ENDED);
        if (session) {
            tb_session_end(session, TB_END_CLOSED);
        }
        rig_turn(rig);
    }
}

static void when_the_daemon_stops_a_held_session_is_saved(void **state)
{
    struct rig *rig = *state;
    struct person ann;
    start_held(rig, &ann);
    rig_restart(rig, 0);
    assert_int_equal(ann.overs, 1);
    assert_int_equal(ann.why.code, TB_E_SHUTDOWN);
    assert_int_equal(rig_find(rig, "a")->state, TB_STATE_ASLEEP);
    assert_true(rig_find(rig, "a")->saved);
    assert_int_equal(take(rig_find(rig, "a"), &ann), 0);
    rig_turn(rig);
    assert_int_equal(rig_find(rig, "a")->state, TB_STATE_HELD);
    rig_stop(rig);
    assert_null(ann.holder.session);
    tb_session_release(&ann.holder, NULL);
}

static void what_a_person_changes_is_saved_though_calls_wait(void **state)
{
    struct rig *rig = *state;
    struct person ann;
    struct tb_session *session = start_held(rig, &ann);
    struct rig_call *call = rig_start(rig, &rig_click, "", ON_A);
    rig_turn(rig);
    size_t before = rig->fake->counts.saved;
    tb_session_on_changed(session);
    rig_advance(rig, 2500);
    assert_int_equal(rig->fake->counts.saved, before + 1);
    assert_int_equal(session->state, TB_STATE_HELD);
    tb_session_release(&ann.holder, NULL);
    rig_turn(rig);
    rig_expect(call, 0);
}

static void a_holder_may_let_go_at_any_time(void **state)
{
    struct rig *rig = *state;
    struct person ann = {.lets_go = true};
    struct tb_session *session = start(rig);
    tb_session_release(&ann.holder, NULL);
    assert_int_equal(take(session, &ann), 0);
    tb_session_release(&ann.holder, "never had it");
    rig_turn(rig);
    assert_int_equal(ann.helds, 0);
    char *note = note_of_call(rig);
    assert_string_equal(note, "");
    tb_free(note);
    assert_int_equal(take(session, &ann), 0);
    rig_turn(rig);
    assert_int_equal(ann.helds, 1);
    assert_int_equal(session->state, TB_STATE_OPEN);
    assert_int_equal(rig_run(rig, &rig_click, "", ON_A), 0);
}

static void there_is_one_holder_and_what_cannot_be_held_is_refused(void **state)
{
    struct rig *rig = *state;
    struct person ann;
    struct person bob = {0};
    struct tb_session *session = start_held(rig, &ann);
    assert_int_equal(take(session, &bob), TB_E_HELD);
    assert_int_equal(take(rig_create(rig, "b"), &ann), TB_E_HELD); /* one at a time */
    assert_ptr_equal(ann.holder.session, session);
    tb_session_release(&bob.holder, NULL); /* which is not his */
    assert_int_equal(session->state, TB_STATE_HELD);
    tb_session_release(&ann.holder, NULL);
    tb_fake_lose_for(rig->fake, session->id, TB_END_TAB_CLOSED, TB_LOSS_AWAY, "");
    rig_turn(rig);
    assert_int_equal(take(session, &bob), TB_E_AWAY);
    tb_session_end(session, TB_END_CLOSED);
    assert_int_equal(take(session, &bob), TB_E_SESSION_ENDED);
}

static void only_the_holders_hands_reach_it_and_they_count_as_use(void **state)
{
    struct rig *rig = *state;
    const struct tb_input press = {.kind = TB_INPUT_DOWN, .x = 0.5, .y = 0.25};
    const struct tb_input text = {.kind = TB_INPUT_TEXT, .text = TB_STR("x")};
    struct tb_driver stiff = tb_driver_fake;
    struct person ann = {0};
    struct tb_err err;
    struct tb_session *session = start(rig);
    assert_int_equal(tb_session_input(&ann.holder, &press, &err), TB_E_NOT_POSSIBLE);
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct rig_call *call = rig_start(rig, &rig_click, "", ON_A);
    rig_turn(rig);
    take(session, &ann);
    rig_turn(rig);
    assert_int_equal(tb_session_input(&ann.holder, &press, &err), TB_E_NOT_POSSIBLE);
    tb_fake_release(rig->fake, session->id);
    rig_turn(rig);
    rig_expect(call, 0);
    rig_advance(rig, 1000);
    assert_int_equal(tb_session_input(&ann.holder, &press, &err), 0);
    assert_int_equal(rig->fake->counts.inputs, 1);
    assert_int_equal(rig->fake->input.kind, TB_INPUT_DOWN);
    assert_true(rig->fake->input.x == 0.5);
    assert_int_equal(session->times.last_active_ms, tb_loop_now_ms(rig->core.loop));
    assert_false(session->losses.typed);
    assert_int_equal(tb_session_input(&ann.holder, &text, &err), 0);
    assert_true(session->losses.typed); /* and is missed like an agent's own */
    stiff.input = NULL;
    session->driver = &stiff;
    assert_int_equal(tb_session_input(&ann.holder, &press, &err), TB_E_NOT_POSSIBLE);
    session->driver = &tb_driver_fake;
    tb_session_release(&ann.holder, NULL);
    assert_int_equal(tb_session_input(&ann.holder, &press, &err), TB_E_NOT_POSSIBLE);
    assert_int_equal(rig->fake->counts.inputs, 2);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_session_is_held_once_what_runs_has_ended),
        CASE(calls_wait_under_their_own_deadlines_and_are_told_who_has_it),
        CASE(the_next_reply_tells_what_the_person_said),
        CASE(what_a_person_says_has_a_ceiling_and_stands_behind_other_news),
        CASE(a_session_that_sleeps_is_woken_for_a_person),
        CASE(a_person_is_told_when_it_cannot_be_woken),
        CASE(a_session_that_is_being_saved_to_sleep_stays_for_a_person),
        CASE(a_held_session_is_not_idle),
        CASE(it_is_idle_from_the_moment_that_it_is_handed_back),
        CASE(a_held_session_does_not_make_room_for_others),
        CASE(whatever_becomes_of_the_session_the_holder_hears_of_it_once),
        CASE(when_the_daemon_stops_a_held_session_is_saved),
        CASE(what_a_person_changes_is_saved_though_calls_wait),
        CASE(a_holder_may_let_go_at_any_time),
        CASE(there_is_one_holder_and_what_cannot_be_held_is_refused),
        CASE(only_the_holders_hands_reach_it_and_they_count_as_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
