/* SPDX-License-Identifier: Apache-2.0 */
/* Sessions of a driver that does two things at once. */
#include <stdio.h>

#include "core/limits.h"
#include "core/session_internal.h"

#include "support/fake_store.h"
#include "support/principals.h"

enum {
    CALLS = 3,
    WIDTH = 2,
};

struct wide {
    struct rig *rig;
    struct tb_driver driver;
    struct tb_session *session;
    struct rig_call *calls[CALLS];
};

static void begin(struct wide *wide, struct rig *rig)
{
    const char *warning;
    const struct tb_session_spec spec = {
        .name = TB_STR("a"), .driver = &wide->driver, .driver_state = rig->fake};
    wide->rig = rig;
    wide->driver = tb_driver_fake;
    wide->driver.width = WIDTH;
    rig->fake->width = WIDTH;
    rig->fake->ops[TB_OP_CLICK].when = TB_FAKE_HELD;
    tb_sessions_create(rig->core.sessions,
                       &(struct tb_caller){.who = principal_of("t"), .conversation = ""}, &spec,
                       &wide->session, &warning, NULL);
    rig_turn(rig);
    for (int i = 0; i < CALLS; i++) {
        char args[64];
        snprintf(args, sizeof(args), "{\"timeout_ms\":%d,\"tag\":\"%d\"}", 1000 * (i + 1), i);
        wide->calls[i] = rig_start(rig, &rig_click, "", args);
    }
    rig_turn(rig);
    assert_int_equal(rig->fake->counts.begun, WIDTH);
    assert_int_equal(wide->session->queue.running_count, WIDTH);
    assert_int_equal(wide->session->queue.waiting_count, CALLS - WIDTH);
}

/* The driver is the test's, so its sessions go before it. */
static void finish(struct wide *wide)
{
    if (wide->session) {
        tb_session_end(wide->session, TB_END_CLOSED);
    }
    rig_turn(wide->rig);
    assert_true(tb_list_empty(&wide->rig->fake->sessions));
}

static void as_many_calls_run_as_the_driver_has_hands_and_in_their_order(void **state)
{
    struct wide wide;
    begin(&wide, *state);
    for (int i = 0; i < CALLS; i++) {
        assert_int_equal(wide.calls[i]->dones, 0);
        assert_true(tb_fake_release(wide.rig->fake, wide.session->id)); /* the oldest */
        rig_turn(wide.rig);
        assert_int_equal(wide.calls[i]->place, i + 1);
        rig_expect(wide.calls[i], 0);
        assert_int_equal(wide.rig->fake->counts.begun, i ? CALLS : WIDTH + 1);
    }
    assert_int_equal(wide.rig->fake->counts.at_work_most, WIDTH);
    assert_true(tb_session_at_rest(wide.session));
    finish(&wide);
}

static void each_call_has_its_own_deadline(void **state)
{
    struct wide wide;
    begin(&wide, *state);
    rig_advance(wide.rig, 999);
    assert_int_equal(wide.calls[0]->dones, 0);
    for (int i = 0; i < CALLS; i++) {
        rig_advance(wide.rig, i ? 1000 : 1);
        rig_expect(wide.calls[i], TB_E_TIMEOUT);
        assert_int_equal(wide.session->queue.running_count, CALLS - 1 - i);
    }
    assert_int_equal(wide.rig->fake->counts.begun,
                     CALLS); /* the third had the place of the first */
    finish(&wide);
}

static void the_end_of_the_session_fails_all(void **state)
{
    struct wide wide;
    begin(&wide, *state);
    tb_session_end(wide.session, TB_END_CLOSED);
    wide.session = NULL;
    rig_turn(wide.rig);
    for (int i = 0; i < CALLS; i++) {
        rig_expect(wide.calls[i], TB_E_SESSION_ENDED);
    }
    assert_int_equal(wide.rig->fake->counts.ended, WIDTH);
    finish(&wide);
}

static void the_loss_of_the_browser_fails_all(void **state)
{
    struct wide wide;
    begin(&wide, *state);
    assert_true(tb_fake_lose(wide.rig->fake, wide.session->id));
    rig_turn(wide.rig);
    for (int i = 0; i < CALLS; i++) {
        rig_expect(wide.calls[i], TB_E_BROWSER_CRASHED);
    }
    wide.session = NULL;
    finish(&wide);
}

static void the_loss_of_one_that_comes_back_fails_those_that_run(void **state)
{
    struct wide wide;
    begin(&wide, *state);
    ((struct rig *)*state)->core.drivers[0].driver = &wide.driver; /* opens it again */
    assert_true(tb_fake_lose(wide.rig->fake, wide.session->id));
    rig_turns(wide.rig, 8);
    for (int i = 0; i < WIDTH; i++) {
        rig_expect(wide.calls[i], TB_E_BROWSER_CRASHED);
    }
    assert_true(tb_fake_release(wide.rig->fake, wide.session->id)); /* in the new one */
    rig_turn(wide.rig);
    rig_expect(wide.calls[WIDTH], 0);
    finish(&wide);
}

static void a_call_that_is_cancelled_leaves_the_others(void **state)
{
    for (int which = 0; which < CALLS; which++) {
        struct wide wide;
        begin(&wide, *state);
        tb_call_cancel(wide.calls[which]->call);
        rig_turn(wide.rig);
        rig_expect(wide.calls[which], TB_E_CANCELLED);
        assert_int_equal(wide.session->queue.running_count, WIDTH);
        for (int i = 0; i < CALLS; i++) {
            if (i != which) {
                assert_int_equal(wide.calls[i]->dones, 0);
                assert_true(tb_fake_release(wide.rig->fake, wide.session->id));
                rig_turn(wide.rig);
                rig_expect(wide.calls[i], 0);
            }
        }
        finish(&wide);
        wide.rig->fake->counts.begun = 0;
    }
}

/* The driver is still at it, so there is no hand for another. */
static void an_operation_that_does_not_end_keeps_its_place(void **state)
{
    struct wide wide;
    ((struct rig *)*state)->fake->ops[TB_OP_CLICK].cancel = TB_FAKE_CANCEL_IGNORED;
    begin(&wide, *state);
    tb_call_cancel(wide.calls[0]->call);
    rig_advance(wide.rig, TB_CALL_GRACE_MS);
    rig_expect(wide.calls[0], TB_E_CANCELLED);
    assert_int_equal(wide.session->queue.running_count, WIDTH - 1);
    assert_int_equal(wide.rig->fake->counts.begun, WIDTH);
    assert_true(tb_fake_release(wide.rig->fake, wide.session->id)); /* the one that was left */
    rig_turn(wide.rig);
    assert_int_equal(wide.rig->fake->counts.begun, CALLS);
    for (int i = 1; i < CALLS; i++) {
        assert_true(tb_fake_release(wide.rig->fake, wide.session->id));
        rig_turn(wide.rig);
        rig_expect(wide.calls[i], 0);
    }
    finish(&wide);
}

#define PLAIN(test)  cmocka_unit_test_setup_teardown(test, rig_setup, rig_teardown)
#define STORED(test) cmocka_unit_test_setup_teardown(test, rig_setup_stored, rig_teardown_stored)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PLAIN(as_many_calls_run_as_the_driver_has_hands_and_in_their_order),
        PLAIN(each_call_has_its_own_deadline),
        PLAIN(the_end_of_the_session_fails_all),
        PLAIN(the_loss_of_the_browser_fails_all),
        STORED(the_loss_of_one_that_comes_back_fails_those_that_run),
        PLAIN(a_call_that_is_cancelled_leaves_the_others),
        PLAIN(an_operation_that_does_not_end_keeps_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
