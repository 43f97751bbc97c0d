/* SPDX-License-Identifier: Apache-2.0 */
#include "suite/driver_cases.h"

#include "core/limits.h"
#include "core/picture.h"
#include "io/testing.h"

enum {
    LONG_MS = 60 * 1000,
    SHORT_MS = 50,
    DESCRIPTION_MAX = 64 * TB_KIB,
    TURNS = 5, /* enough for whatever was put off until the loop turns */
};

int driver_set_up(void **state)
{
    struct table *table = *state;
    if (!table->lab.subject) {
        driver_lab_init(&table->lab, table->subject);
    }
    driver_seat_init(&table->a, &table->lab, "one");
    driver_seat_init(&table->b, &table->lab, "two");
    return 0;
}

int driver_tear_down(void **state)
{
    struct table *table = *state;
    driver_seat_fini(&table->a);
    driver_seat_fini(&table->b);
    return 0;
}

#define HAS(table, call) ((table)->subject->call.args != NULL)

static void run_well(struct driver_seat *seat)
{
    assert_int_equal(driver_run(seat, &seat->lab->subject->quick), 0);
}

/* False: it has no way to end before its time, so nothing can be seen of it. */
static bool run_slow(struct driver_seat *seat, int64_t ms)
{
    driver_run_start(seat, &seat->lab->subject->slow, ms);
    assert_true(seat->running);
    return seat->op.cancel != NULL;
}

static void expect_described(struct driver_seat *seat)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(DESCRIPTION_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &text);
    seat->lab->subject->driver->describe(seat->session, &json);
    TB_AUTO(tb_json_free) struct cJSON *tree = tb_json_parse(tb_buf_str(&text));
    assert_true(tb_json_is_object(tree));
}

/* Beginning and end. */

static void a_session_opens_once_and_closes_once(void **state)
{
    struct table *table = *state;
    driver_open(&table->a);
    run_well(&table->a);
    driver_close(&table->a);
    tb_loop_turn(table->lab.core.loop, false);
    assert_int_equal(table->a.opens, 1);
    assert_int_equal(table->a.closes, 1);
}

static void a_session_may_close_as_soon_as_it_is_open(void **state)
{
    struct table *table = *state;
    driver_open(&table->a);
    driver_close(&table->a);
    driver_open(&table->b);
    run_well(&table->b);
}

static void an_open_that_fails_says_why(void **state)
{
    struct table *table = *state;
    NEEDS(table->subject->hinder);
    table->subject->hinder(&table->lab, true);
    driver_open_start(&table->a, (struct tb_str){NULL, 0});
    WAIT_UNTIL(table->lab.core.loop, table->a.opens);
    table->subject->hinder(&table->lab, false);
    assert_null(table->a.session);
    driver_open(&table->b);
    run_well(&table->b);
}

static void two_sessions_work_at_once_and_apart(void **state)
{
    struct table *table = *state;
    driver_open_start(&table->a, (struct tb_str){NULL, 0});
    driver_open_start(&table->b, (struct tb_str){NULL, 0});
    WAIT_UNTIL(table->lab.core.loop, table->a.opens && table->b.opens);
    assert_true(table->a.session && table->b.session && table->a.session != table->b.session);
    if (HAS(table, slow)) {
        run_slow(&table->a, LONG_MS);
        run_well(&table->b);
        assert_true(table->a.running);
    }
    driver_close(&table->a);
    run_well(&table->b);
}

/* The second session stands behind the first in everything that is told, so what it hears comes
 * after the last of the first. */
static void nothing_is_told_of_a_session_that_is_closed(void **state)
{
    struct table *table = *state;
    driver_open(&table->a);
    driver_open(&table->b);
    driver_run_start(&table->a, &table->subject->quick, LONG_MS);
    driver_close(&table->a);
    run_well(&table->b);
    run_well(&table->b);
    driver_seat_check(&table->a);
    assert_int_equal(table->a.closes, 1);
}

/* With what they do: the daemon has no time to wait for any of it. */
static void a_driver_that_stops_drops_its_sessions_without_a_word(void **state)
{
    struct table *table = *state;
    struct driver_seat c;
    driver_seat_init(&c, &table->lab, "three");
    driver_open(&table->a);
    driver_open(&table->b);
    if (HAS(table, slow)) {
        run_slow(&table->a, LONG_MS);
    }
    driver_open_start(&c, (struct tb_str){NULL, 0});
    driver_close_start(&table->b);
    driver_lab_stop(&table->lab);
    table->a.silent = table->b.silent = c.silent = true;
    for (int i = 0; i < TURNS; i++) {
        tb_loop_turn(table->lab.core.loop, false);
    }
    driver_lab_start(&table->lab);
    driver_seat_fini(&c);
}

/* Operations. */

static void an_operation_ends_once(void **state)
{
    struct table *table = *state;
    driver_open(&table->a);
    for (int i = 1; i <= 3; i++) {
        run_well(&table->a);
        assert_int_equal(table->a.ends, i);
    }
}

static void a_cancelled_operation_ends_and_leaves_the_session_usable(void **state)
{
    struct table *table = *state;
    NEEDS(HAS(table, slow));
    driver_open(&table->a);
    NEEDS(run_slow(&table->a, LONG_MS));
    driver_cancel(&table->a);
    WAIT_UNTIL(table->lab.core.loop, !table->a.running);
    assert_int_equal(table->a.result.code, TB_E_CANCELLED);
    run_well(&table->a);
    assert_int_equal(table->a.ends, 2);
}

static void an_operation_that_passes_its_deadline_ends_and_leaves_the_session_usable(void **state)
{
    struct table *table = *state;
    NEEDS(HAS(table, slow));
    driver_open(&table->a);
    NEEDS(run_slow(&table->a, SHORT_MS));
    WAIT_UNTIL(table->lab.core.loop, !table->a.running);
    assert_true(tb_loop_now_ms(table->lab.core.loop) >= table->a.op.deadline_ms);
    assert_true(table->a.result.code == TB_E_TIMEOUT || table->a.result.code == TB_E_CANCELLED);
    run_well(&table->a);
    assert_int_equal(table->a.ends, 2);
}

static void closing_ends_an_operation_first(void **state)
{
    struct table *table = *state;
    NEEDS(HAS(table, slow));
    driver_open(&table->a);
    run_slow(&table->a, LONG_MS);
    driver_close(&table->a);
    assert_int_equal(table->a.ends, 1);
    assert_int_equal(table->a.result.code, TB_E_CLOSED);
}

static void an_operation_that_is_cancelled_as_its_session_closes_ends_once(void **state)
{
    struct table *table = *state;
    NEEDS(HAS(table, slow));
    driver_open(&table->a);
    NEEDS(run_slow(&table->a, LONG_MS));
    driver_cancel(&table->a);
    driver_close(&table->a);
    assert_int_equal(table->a.ends, 1);
}

static void a_wide_session_runs_several_operations_at_once_and_ends_each(void **state)
{
    struct table *table = *state;
    struct driver_seat *a = &table->a;
    struct driver_seat *b = &table->b; /* another pair of hands on the same session */
    NEEDS(table->subject->driver->width > 1 && HAS(table, slow));
    driver_open(a);
    b->session = a->session;
    NEEDS(run_slow(a, LONG_MS) && run_slow(b, LONG_MS));
    b->session = NULL; /* which is not its to close */
    driver_cancel(a);
    WAIT_UNTIL(table->lab.core.loop, !a->running);
    run_well(a);
    run_slow(a, LONG_MS);
    assert_true(b->running);
    driver_close(a);
    assert_int_equal(a->ends, 3);
    assert_int_equal(b->ends, 1);
    assert_int_equal(b->result.code, TB_E_CLOSED);
}

static void what_no_session_could_do_is_refused_in_words(void **state)
{
    struct table *table = *state;
    const struct driver_subject *subject = table->subject;
    NEEDS(subject->driver->check_op);
    TB_AUTO(tb_json_free) struct cJSON *good = tb_json_parse(tb_str_of(subject->quick.args));
    TB_AUTO(tb_json_free) struct cJSON *bad = tb_json_parse(tb_str_of(subject->refused.args));
    struct tb_err err = {0};
    const struct tb_core *core = &table->lab.core;
    assert_int_equal(subject->driver->check_op(core, subject->quick.kind, good, &err), 0);
    assert_true(subject->driver->check_op(core, subject->refused.kind, bad, &err) < 0);
    assert_true(err.code < 0 && err.text[0]);
}

/* Saving. */

static void what_was_saved_is_brought_back(void **state)
{
    struct table *table = *state;
    const struct driver_subject *subject = table->subject;
    NEEDS(subject->driver->save);
    driver_open(&table->a);
    assert_false(subject->is_marked(&table->a));
    int changes = table->a.changes;
    assert_int_equal(driver_run(&table->a, &subject->mark), 0);
    assert_true(table->a.changes > changes);
    driver_save(&table->a);
    assert_true(table->a.save.whole);
    driver_close(&table->a);
    driver_open_saved(&table->b, tb_buf_str(&table->a.save.state));
    assert_true(subject->is_marked(&table->b));
    if (subject->driver->restored) {
        assert_false(subject->driver->restored(table->b.session).typed);
    }
}

static void a_session_can_be_used_and_saved_after_a_save(void **state)
{
    struct table *table = *state;
    NEEDS(table->subject->driver->save);
    driver_open(&table->a);
    driver_save(&table->a);
    run_well(&table->a);
    driver_save(&table->a);
    assert_int_equal(table->a.save.count, 2);
}

static void closing_ends_a_save_before_it_returns(void **state)
{
    struct table *table = *state;
    NEEDS(table->subject->driver->save);
    driver_open(&table->a);
    driver_save_start(&table->a);
    driver_close(&table->a);
    assert_int_equal(table->a.save.count, 1);
    assert_int_equal(table->a.save.code, TB_E_CLOSED);
}

static void an_operation_may_run_beside_a_save(void **state)
{
    struct table *table = *state;
    NEEDS(table->subject->driver->save && table->subject->driver->saves_beside);
    driver_open(&table->a);
    driver_save_start(&table->a);
    run_well(&table->a);
    WAIT_UNTIL(table->lab.core.loop, !table->a.save.running);
    assert_int_equal(table->a.save.code, 0);
}

static void what_a_session_leaves_can_be_forgotten_twice(void **state)
{
    struct table *table = *state;
    NEEDS(table->subject->driver->forget);
    driver_open(&table->a);
    driver_close(&table->a);
    table->subject->driver->forget(table->lab.state, table->a.id);
    table->subject->driver->forget(table->lab.state, table->a.id);
    table->subject->driver->forget(table->lab.state, "nobody");
}

/* What is told of a session, and what happens to it. */

/* Whoever lists sessions may ask at any time, also for one that falls asleep. */
static void a_session_is_described_until_it_is_closed(void **state)
{
    struct table *table = *state;
    NEEDS(table->subject->driver->describe);
    driver_open(&table->a);
    expect_described(&table->a);
    driver_close_start(&table->a);
    expect_described(&table->a);
    WAIT_UNTIL(table->lab.core.loop, table->a.closes);
}

static void a_session_that_does_not_detach_works_on_and_one_that_does_closes(void **state)
{
    struct table *table = *state;
    NEEDS(table->subject->driver->detach);
    driver_open(&table->a);
    if (!table->subject->driver->detach(table->a.session)) {
        run_well(&table->a);
    }
    driver_close(&table->a);
}

/* Beside an operation, since a person looks while an agent works. */
static void pictures_come_one_by_one_while_somebody_looks(void **state)
{
    struct table *table = *state;
    struct driver_seat *seat = &table->a;
    NEEDS(table->subject->driver->watch && HAS(table, slow));
    driver_open(seat);
    run_slow(seat, LONG_MS);
    driver_watch(seat, true);
    table->subject->stir(seat);
    WAIT_UNTIL(table->lab.core.loop, seat->pictures == 1);
    table->subject->stir(seat);
    table->subject->stir(seat);
    driver_next_picture(seat);
    WAIT_UNTIL(table->lab.core.loop, seat->pictures == 2);
    driver_watch(seat, false);
    table->subject->stir(seat);
    assert_true(seat->running);
    driver_watch(seat, true);
    table->subject->stir(seat);
    WAIT_UNTIL(table->lab.core.loop, seat->pictures == 3);
    driver_close(seat);
}

static void another_size_begins_anew_and_the_end_of_a_session_ends_the_looking(void **state)
{
    struct table *table = *state;
    struct driver_seat *seat = &table->a;
    NEEDS(table->subject->driver->watch);
    driver_open(seat);
    for (int times = 1; times <= 2; times++) {
        driver_watch_larger(seat, times);
        table->subject->stir(seat);
        WAIT_UNTIL(table->lab.core.loop, seat->pictures == times);
    }
    table->subject->stir(seat);
    driver_close(seat);
    assert_int_equal(seat->pictures, 2);
}

/* What cannot be done is not, and nobody is told. */
static void hands_work_beside_an_operation(void **state)
{
    struct table *table = *state;
    struct driver_seat *seat = &table->a;
    static const struct tb_input inputs[] = {
        {.kind = TB_INPUT_MOVE, .x = 0.5, .y = 0.5},
        {.kind = TB_INPUT_DOWN, .x = 1, .y = 1},
        {.kind = TB_INPUT_UP, .x = -7, .y = 1e300},
        {.kind = TB_INPUT_WHEEL, .x = 0.1, .dy = -1e300},
        {.kind = TB_INPUT_KEY_DOWN, .text = {"Enter", 5}},
        {.kind = TB_INPUT_KEY_UP, .text = {"no such key", 11}},
        {.kind = TB_INPUT_TEXT, .text = {"", 0}},
    };
    NEEDS(table->subject->driver->input && HAS(table, slow));
    driver_open(seat);
    run_slow(seat, LONG_MS);
    size_t before = table->subject->count_inputs(seat);
    for (size_t i = 0; i < TB_COUNT(inputs); i++) {
        table->subject->driver->input(seat->session, &inputs[i]);
    }
    WAIT_UNTIL(table->lab.core.loop, table->subject->count_inputs(seat) > before);
    assert_true(seat->running);
    driver_close(seat);
    assert_int_equal(seat->ends, 1);
}

static void a_person_acts_between_two_operations(void **state)
{
    struct table *table = *state;
    const struct tb_driver *driver = table->subject->driver;
    NEEDS(driver->input);
    driver_open(&table->a);
    run_well(&table->a);
    for (int kind = TB_INPUT_MOVE; kind <= TB_INPUT_TEXT; kind++) {
        const struct tb_input input = {
            .kind = (enum tb_input_kind)kind, .x = 0.5, .y = 0.5, .text = TB_STR("a")};
        driver->input(table->a.session, &input);
    }
    run_well(&table->a);
}

/* Peers that come by themselves. */

static void go(struct driver_seat *seat, struct peer *peer)
{
    int losses = seat->losses;
    peer_close(peer);
    WAIT_UNTIL(seat->lab->core.loop, seat->losses > losses);
}

static void a_session_goes_on_with_a_peer_that_is_back(void **state)
{
    struct table *table = *state;
    struct peer again;
    NEEDS(table->subject->driver->attach);
    driver_open_for_peer(&table->a);
    run_well(&table->a);
    go(&table->a, &table->a.peer);
    peer_open(&again, table->lab.core.loop);
    assert_int_equal(driver_attach(&table->a, again.channel), 0);
    run_well(&table->a);
    go(&table->a, &again);
    assert_int_equal(table->a.losses, 2);
    peer_fini(&again);
}

static void what_runs_when_a_peer_goes_ends_when_it_is_cancelled(void **state)
{
    struct table *table = *state;
    struct peer again;
    NEEDS(table->subject->driver->attach && HAS(table, slow));
    driver_open_for_peer(&table->a);
    assert_true(run_slow(&table->a, LONG_MS)); /* else nobody could end it */
    go(&table->a, &table->a.peer);
    driver_cancel(&table->a);
    WAIT_UNTIL(table->lab.core.loop, !table->a.running);
    assert_int_equal(table->a.ends, 1);
    peer_open(&again, table->lab.core.loop);
    assert_int_equal(driver_attach(&table->a, again.channel), 0);
    run_well(&table->a);
    peer_fini(&again);
}

static void a_newer_peer_takes_the_place_of_the_one_before(void **state)
{
    struct table *table = *state;
    struct peer newer;
    NEEDS(table->subject->driver->attach);
    driver_open_for_peer(&table->a);
    peer_open(&newer, table->lab.core.loop);
    assert_int_equal(driver_attach(&table->a, newer.channel), 0);
    WAIT_UNTIL(table->lab.core.loop, table->a.peer.closes);
    run_well(&table->a);
    assert_int_equal(table->a.losses, 0);
    driver_close(&table->a);
    WAIT_UNTIL(table->lab.core.loop, newer.closes);
    assert_int_equal(table->a.losses, 0);
    peer_fini(&newer);
}

static void a_session_whose_peer_is_away_closes(void **state)
{
    struct table *table = *state;
    NEEDS(table->subject->driver->attach);
    driver_open_for_peer(&table->a);
    go(&table->a, &table->a.peer);
    if (table->subject->driver->describe) {
        expect_described(&table->a);
    }
    driver_close(&table->a);
    assert_int_equal(table->a.closes, 1);
}

static void a_peer_that_has_gone_already_is_refused_and_changes_nothing(void **state)
{
    struct table *table = *state;
    struct peer hasty;
    NEEDS(table->subject->driver->attach);
    driver_open_for_peer(&table->a);
    peer_open(&hasty, table->lab.core.loop);
    struct tb_channel *channel = tb_channel_ref(hasty.channel, "case");
    peer_fini(&hasty);
    assert_true(driver_attach(&table->a, channel) < 0);
    tb_channel_unref(channel, "case");
    run_well(&table->a);
    assert_int_equal(table->a.peer.closes, 0);
    assert_int_equal(table->a.losses, 0);
}

static void a_loss_is_told_once_and_the_session_still_closes(void **state)
{
    struct table *table = *state;
    NEEDS(table->subject->lose);
    driver_open(&table->a);
    if (HAS(table, slow)) {
        run_slow(&table->a, LONG_MS);
    }
    assert_true(table->subject->lose(&table->a));
    WAIT_UNTIL(table->lab.core.loop, table->a.losses);
    if (table->subject->driver->describe) {
        expect_described(&table->a);
    }
    driver_close(&table->a);
    assert_int_equal(table->a.losses, 1);
    assert_int_equal(table->a.ends, HAS(table, slow) ? 1 : 0);
    driver_open(&table->b);
    run_well(&table->b);
}

static void a_session_that_is_lost_while_it_is_saved_has_its_save_ended(void **state)
{
    struct table *table = *state;
    NEEDS(table->subject->lose && table->subject->driver->save);
    driver_open(&table->a);
    driver_save_start(&table->a);
    assert_true(table->subject->lose(&table->a));
    WAIT_UNTIL(table->lab.core.loop, table->a.losses);
    driver_close(&table->a);
    assert_int_equal(table->a.save.count, 1);
}

static void a_session_that_is_lost_while_it_closes_is_closed_once(void **state)
{
    struct table *table = *state;
    NEEDS(table->subject->lose);
    driver_open(&table->a);
    driver_close_start(&table->a);
    NEEDS(table->subject->lose(&table->a));
    WAIT_UNTIL(table->lab.core.loop, table->a.closes);
    driver_open(&table->b);
    run_well(&table->b);
}

int driver_cases(const struct driver_subject *subject)
{
#define CASE(name) \
    cmocka_unit_test_prestate_setup_teardown(name, driver_set_up, driver_tear_down, &table)
    struct table table = {.subject = subject};
    const struct CMUnitTest tests[] = {
        CASE(a_session_opens_once_and_closes_once),
        CASE(a_session_may_close_as_soon_as_it_is_open),
        CASE(an_open_that_fails_says_why),
        CASE(two_sessions_work_at_once_and_apart),
        CASE(nothing_is_told_of_a_session_that_is_closed),
        CASE(a_driver_that_stops_drops_its_sessions_without_a_word),
        CASE(an_operation_ends_once),
        CASE(a_cancelled_operation_ends_and_leaves_the_session_usable),
        CASE(an_operation_that_passes_its_deadline_ends_and_leaves_the_session_usable),
        CASE(closing_ends_an_operation_first),
        CASE(an_operation_that_is_cancelled_as_its_session_closes_ends_once),
        CASE(a_wide_session_runs_several_operations_at_once_and_ends_each),
        CASE(what_no_session_could_do_is_refused_in_words),
        CASE(what_was_saved_is_brought_back),
        CASE(a_session_can_be_used_and_saved_after_a_save),
        CASE(closing_ends_a_save_before_it_returns),
        CASE(an_operation_may_run_beside_a_save),
        CASE(what_a_session_leaves_can_be_forgotten_twice),
        CASE(a_session_is_described_until_it_is_closed),
        CASE(a_session_that_does_not_detach_works_on_and_one_that_does_closes),
        CASE(pictures_come_one_by_one_while_somebody_looks),
        CASE(another_size_begins_anew_and_the_end_of_a_session_ends_the_looking),
        CASE(hands_work_beside_an_operation),
        CASE(a_person_acts_between_two_operations),
        CASE(a_session_goes_on_with_a_peer_that_is_back),
        CASE(what_runs_when_a_peer_goes_ends_when_it_is_cancelled),
        CASE(a_newer_peer_takes_the_place_of_the_one_before),
        CASE(a_session_whose_peer_is_away_closes),
        CASE(a_peer_that_has_gone_already_is_refused_and_changes_nothing),
        CASE(a_loss_is_told_once_and_the_session_still_closes),
        CASE(a_session_that_is_lost_while_it_is_saved_has_its_save_ended),
        CASE(a_session_that_is_lost_while_it_closes_is_closed_once),
    };
#undef CASE
    int failures = cmocka_run_group_tests_name(subject->name, tests, NULL, NULL);
    failures += driver_tool_cases(&table);
    driver_lab_fini(&table.lab);
    return failures;
}
