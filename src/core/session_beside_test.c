/* SPDX-License-Identifier: Apache-2.0 */
/* Saving by a driver that lets calls run meanwhile. */
#include <stdio.h>

#include "core/limits.h"
#include "core/session_hibernate.h"
#include "core/sessions_internal.h"

#include "support/fake_store.h"
#include "support/principals.h"

/* A call on session "a" that leaves a tag in its browser. */
static void leave_tag(struct rig *rig, const char *tag)
{
    char args[80];
    snprintf(args, sizeof(args), "{\"sessionId\":\"a\",\"tag\":\"%s\"}", tag);
    assert_int_equal(rig_run(rig, &rig_click, "", args), 0);
}

/* Session "a" of a driver that saves while a call runs; the driver is the caller's. */
static struct tb_session *start_beside(struct rig *rig, struct tb_driver *ret_driver)
{
    struct tb_session *session;
    const char *warning;
    const struct tb_session_spec spec = {
        .name = TB_STR("a"), .driver = ret_driver, .driver_state = rig->fake};
    *ret_driver = tb_driver_fake;
    ret_driver->saves_beside = true;
    rig->fake->saves_beside = true;
    tb_sessions_create(rig->core.sessions,
                       &(struct tb_caller){.who = principal_of("t"), .conversation = ""}, &spec,
                       &session, &warning, NULL);
    return session;
}

static void with_a_driver_that_can_a_call_runs_beside_the_save(void **state)
{
    struct rig *rig = *state;
    struct tb_driver beside;
    struct tb_session *session = start_beside(rig, &beside);
    leave_tag(rig, "one");
    rig->fake->save.when = TB_FAKE_HELD;
    rig_advance(rig, 500);
    leave_tag(rig, "two");
    assert_int_equal(rig_events(rig, "session_saved"), 0);
    assert_true(tb_fake_release(rig->fake, session->id));
    rig_turn(rig);
    assert_int_equal(rig_events(rig, "session_saved"), 1);
    rig->fake->save.when = TB_FAKE_NOW;
    rig_advance(rig, 5000); /* what the call changed meanwhile is saved as well */
    assert_int_equal(rig->fake->counts.saved, 2);
    tb_session_end(session, TB_END_CLOSED);
    rig_turn(rig);
}

static void text_that_comes_during_a_save_is_not_in_it(void **state)
{
    struct rig *rig = *state;
    struct tb_driver beside;
    struct tb_session *session = start_beside(rig, &beside);
    rig->fake->types = true;
    leave_tag(rig, "one");
    rig->fake->save.when = TB_FAKE_HELD;
    rig_advance(rig, 500);
    leave_tag(rig, "two");
    assert_true(tb_fake_release(rig->fake, session->id));
    rig_turn(rig);
    assert_true(tb_session_has_typed(session));
    rig->fake->save.when = TB_FAKE_NOW;
    rig_advance(rig, 5000);
    assert_false(tb_session_has_typed(session));
    tb_session_end(session, TB_END_CLOSED);
    rig_turn(rig);
}

static void an_agent_that_never_rests_is_saved_between_two_calls(void **state)
{
    struct rig *rig = *state;
    struct tb_driver beside;
    struct tb_session *session = start_beside(rig, &beside);
    for (int i = 0; i < 50; i++) {
        leave_tag(rig, i % 2 ? "odd" : "even");
        rig_advance(rig, 100);
    }
    size_t saved = rig->fake->counts.saved;
    tb_session_end(session, TB_END_CLOSED);
    rig_turn(rig);
    assert_int_equal(saved, 2);
}

/* A call on session "a" that waits for the test, and leaves this tag. */
static struct rig_call *start_tag(struct rig *rig, int tag)
{
    char args[80];
    snprintf(args, sizeof(args), "{\"sessionId\":\"a\",\"tag\":\"%d\"}", tag);
    struct rig_call *call = rig_start(rig, &rig_click, "", args);
    rig_turn(rig);
    return call;
}

static void release_oldest(struct rig *rig, struct rig_call *call)
{
    assert_true(tb_fake_release(rig->fake, tb_session_info(rig_find(rig, "a")).id));
    rig_turn(rig);
    rig_expect(call, 0);
}

static void agents_that_take_turns_without_a_pause_are_saved_too(void **state)
{
    struct rig *rig = *state;
    struct tb_driver beside;
    struct tb_session *session = start_beside(rig, &beside);
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct rig_call *running = start_tag(rig, 0);
    for (int i = 1; i <= 50; i++) {
        struct rig_call *waiting = start_tag(rig, i);
        rig_advance(rig, 100);
        release_oldest(rig, running);
        running = waiting;
    }
    assert_int_equal(rig->fake->counts.saved, 2);
    release_oldest(rig, running);
    tb_session_end(session, TB_END_CLOSED);
    rig_turn(rig);
}

/* And something is to be saved. */
static struct tb_session *start_two_handed(struct rig *rig, struct tb_driver *beside)
{
    struct tb_session *session = start_beside(rig, beside);
    beside->width = 2;
    rig->fake->width = 2;
    leave_tag(rig, "changed");
    return session;
}

/* With two hands one is always at work, so the other has to wait for once. */
static void a_call_waits_for_a_save_that_is_overdue(void **state)
{
    struct rig *rig = *state;
    struct tb_driver beside;
    struct tb_session *session = start_two_handed(rig, &beside);
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    struct rig_call *first = start_tag(rig, 1);
    struct rig_call *second = start_tag(rig, 2);
    struct rig_call *third = start_tag(rig, 3);
    rig_advance(rig, 2000);
    release_oldest(rig, first);
    assert_int_equal(rig->fake->counts.at_work, 1);
    release_oldest(rig, second);
    assert_int_equal(rig->fake->counts.saved, 1);
    assert_int_equal(rig->fake->counts.at_work, 1);
    release_oldest(rig, third);
    tb_session_end(session, TB_END_CLOSED);
    rig_turn(rig);
}

static void but_not_for_an_operation_that_does_not_end(void **state)
{
    struct rig *rig = *state;
    struct tb_driver beside;
    struct tb_session *session = start_two_handed(rig, &beside);
    rig->fake->ops[TB_OP_CLICK] =
        (struct tb_fake_plan){.when = TB_FAKE_HELD, .cancel = TB_FAKE_CANCEL_IGNORED};
    struct rig_call *stuck = start_tag(rig, 1);
    tb_call_cancel(stuck->call);
    rig_advance(rig, TB_CALL_GRACE_MS);
    rig_expect(stuck, TB_E_CANCELLED);
    rig_advance(rig, 2000);
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_NOW;
    leave_tag(rig, "two");
    assert_int_equal(rig->fake->counts.saved, 0);
    tb_session_end(session, TB_END_CLOSED);
    rig_turn(rig);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(with_a_driver_that_can_a_call_runs_beside_the_save),
        RIG_TEST(text_that_comes_during_a_save_is_not_in_it),
        RIG_TEST(an_agent_that_never_rests_is_saved_between_two_calls),
        RIG_TEST(agents_that_take_turns_without_a_pause_are_saved_too),
        RIG_TEST(a_call_waits_for_a_save_that_is_overdue),
        RIG_TEST(but_not_for_an_operation_that_does_not_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
