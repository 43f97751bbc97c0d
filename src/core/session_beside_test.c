/* SPDX-License-Identifier: Apache-2.0 */
/* Saving by a driver that lets calls run meanwhile. */
#include <stdio.h>

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
    assert_int_equal(rig->fake->saved, 2);
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
    size_t saved = rig->fake->saved;
    tb_session_end(session, TB_END_CLOSED);
    rig_turn(rig);
    assert_int_equal(saved, 2);
}

#define RIG_TEST(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        RIG_TEST(with_a_driver_that_can_a_call_runs_beside_the_save),
        RIG_TEST(text_that_comes_during_a_save_is_not_in_it),
        RIG_TEST(an_agent_that_never_rests_is_saved_between_two_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
