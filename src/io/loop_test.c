/* SPDX-License-Identifier: Apache-2.0 */
#include "io/loop.h"

#include <signal.h>

#include <uv.h>

#include "base/err.h"
#include "io/testing.h"
#include "io/timer.h"

struct job {
    struct tb_deferred job;
    struct tb_loop *loop;
    struct tb_deferred *then_cancel;
    bool again;
    int runs;
};

static void run_job(struct tb_deferred *deferred)
{
    struct job *job = TB_CONTAINER(deferred, struct job, job);
    job->runs++;
    if (job->again) {
        tb_loop_defer(job->loop, &job->job);
    }
    if (job->then_cancel) {
        tb_deferred_cancel(job->then_cancel);
    }
}

static struct job job_in(struct tb_loop *loop)
{
    return (struct job){.job = {.run = run_job}, .loop = loop};
}

static void a_deferred_job_runs_once_at_the_end_of_the_turn(void **state)
{
    (void)state;
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct job job = job_in(loop);
    tb_loop_defer(loop, &job.job);
    tb_loop_defer(loop, &job.job);
    assert_int_equal(job.runs, 0);
    assert_false(tb_loop_turn(loop, false));
    assert_int_equal(job.runs, 1);
    tb_loop_turn(loop, false);
    assert_int_equal(job.runs, 1);
}

static void a_job_that_defers_itself_runs_once_a_turn_and_never_blocks_it(void **state)
{
    (void)state;
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    /* Something to wait for that would hold up a turn for an hour. */
    bool rang = false;
    struct tb_timer hour;
    tb_timer_init(&hour, loop, test_note_late, &rang);
    tb_timer_start(&hour, TEST_HOUR_MS);
    struct job job = job_in(loop);
    job.again = true;
    tb_loop_defer(loop, &job.job);
    for (int turn = 1; turn <= 3; turn++) {
        assert_true(tb_loop_turn(loop, true));
        assert_int_equal(job.runs, turn);
    }
    tb_deferred_cancel(&job.job);
    tb_timer_fini(&hour);
    assert_false(rang);
}

static void a_cancelled_job_does_not_run_even_when_the_list_is_being_emptied(void **state)
{
    (void)state;
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct job first = job_in(loop);
    struct job second = job_in(loop);
    first.then_cancel = &second.job;
    tb_loop_defer(loop, &first.job);
    tb_loop_defer(loop, &second.job);
    tb_loop_turn(loop, false);
    assert_int_equal(first.runs, 1);
    assert_int_equal(second.runs, 0);
    struct tb_deferred never_deferred = {0};
    tb_deferred_cancel(&never_deferred);
}

static void defer_from_timer(struct tb_timer *timer, void *user)
{
    struct job *job = user;
    tb_loop_defer(timer->loop, &job->job);
}

static void a_job_deferred_by_a_timer_runs_in_the_same_turn(void **state)
{
    (void)state;
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct job job = job_in(loop);
    struct tb_timer timer;
    tb_timer_init(&timer, loop, defer_from_timer, &job);
    tb_timer_start(&timer, 0);
    tb_loop_turn(loop, true);
    assert_int_equal(job.runs, 1);
}

struct watcher {
    struct tb_clock_manual *clock;
    int64_t first_ms;
    int64_t second_ms;
};

static void look_twice(struct tb_timer *timer, void *user)
{
    struct watcher *watcher = user;
    watcher->first_ms = tb_loop_now_ms(timer->loop);
    tb_clock_manual_advance(watcher->clock, 50);
    watcher->second_ms = tb_loop_now_ms(timer->loop);
}

static void time_stands_still_within_a_turn_and_goes_on_between_turns(void **state)
{
    (void)state;
    struct tb_clock_manual clock;
    tb_clock_manual_init(&clock);
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(&clock.clock);
    assert_ptr_equal(tb_loop_clock(loop), &clock.clock);
    struct watcher watcher = {.clock = &clock};
    struct tb_timer timer;
    tb_timer_init(&timer, loop, look_twice, &watcher);
    tb_timer_start(&timer, 0);
    int64_t start_ms = tb_loop_now_ms(loop);
    tb_loop_turn(loop, false);
    assert_int_equal(watcher.first_ms, start_ms);
    assert_int_equal(watcher.second_ms, start_ms);
    assert_int_equal(tb_loop_now_ms(loop), start_ms + 50);
    tb_clock_manual_advance(&clock, 1);
    assert_int_equal(tb_loop_now_ms(loop), start_ms + 51);
}

static void stop_loop(struct tb_timer *timer, void *user)
{
    (void)user;
    tb_loop_stop(timer->loop);
}

static void the_loop_runs_until_it_is_stopped(void **state)
{
    (void)state;
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct tb_timer stop;
    struct tb_timer hour;
    tb_timer_init(&stop, loop, stop_loop, NULL);
    tb_timer_init(&hour, loop, stop_loop, NULL);
    tb_timer_start(&stop, 1);
    tb_timer_start(&hour, TEST_HOUR_MS);
    tb_loop_run(loop);
    assert_true(tb_timer_armed(&hour));
    tb_timer_stop(&hour);
    /* A stop counts once: now it ends because nothing is left. */
    tb_loop_run(loop);
}

static void a_loop_with_nothing_to_wait_for_returns_at_once(void **state)
{
    (void)state;
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    tb_loop_run(loop);
    assert_false(tb_loop_turn(loop, true));
    tb_loop_free(NULL);
}

static void note_signal(int signum, void *user)
{
    *(int *)user = signum;
}

static void never(struct tb_timer *timer, void *user)
{
    (void)timer;
    (void)user;
    fail();
}

/* Or a loop would sleep until a time at which nothing is due any more. */
static void a_timer_that_was_stopped_between_turns_is_not_waited_for(void **state)
{
    struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct tb_timer timer;
    (void)state;
    tb_timer_init(&timer, loop, never, NULL);
    tb_timer_start(&timer, TEST_HOUR_MS);
    assert_true(tb_loop_turn(loop, false));
    tb_timer_fini(&timer);
    assert_false(tb_loop_turn(loop, true));
    tb_loop_free(loop);
}

/* The alarm of the first is over when the loop begins to wait for the second. */
static void a_timer_is_waited_for_when_an_earlier_one_was_stopped_at_its_time(void **state)
{
    enum {
        FIRST_MS = 20,
        SECOND_MS = 100
    };
    struct tb_loop *loop = tb_loop_new(tb_clock_system());
    struct tb_timer first;
    struct tb_timer second;
    int seen = 0;
    (void)state;
    struct tb_signal *watch = tb_signal_new(loop, SIGUSR1, note_signal, &seen); /* goes on */
    tb_timer_init(&first, loop, never, NULL);
    tb_timer_init(&second, loop, stop_loop, loop);
    int64_t began_ms = tb_clock_mono_ms(tb_clock_system());
    tb_timer_start(&first, FIRST_MS);
    tb_timer_start(&second, SECOND_MS);
    assert_true(tb_loop_turn(loop, false));
    tb_timer_fini(&first);
    while (tb_clock_mono_ms(tb_clock_system()) <= began_ms + FIRST_MS) {
    }
    tb_loop_run(loop);
    assert_true(tb_clock_mono_ms(tb_clock_system()) >= began_ms + SECOND_MS);
    tb_timer_fini(&second);
    tb_signal_free(watch);
    tb_loop_free(loop);
}

static void a_signal_reaches_its_watcher(void **state)
{
    (void)state;
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    int seen = 0;
    struct tb_signal *watch = tb_signal_new(loop, SIGUSR1, note_signal, &seen);
    assert_non_null(watch);
    raise(SIGUSR1);
    WAIT_UNTIL(loop, seen == SIGUSR1);
    tb_signal_free(watch);
    assert_null(tb_signal_new(loop, SIGKILL, note_signal, &seen));
    tb_signal_free(NULL);
}

/* They pass through all layers as they are, and base knows those of the system only. */
static void codes_of_libuv_that_leave_this_folder_have_words(void **state)
{
    static const int codes[] = {
#define CODE(name, words) UV_##name,
        UV_ERRNO_MAP(CODE)
#undef CODE
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(codes); i++) {
        /* Below: look-ups of names, the end of a stream and systems other than this. */
        if (codes[i] > -1000) {
            assert_string_not_equal(tb_err_name(codes[i]), "unknown error");
        }
    }
    assert_string_equal(tb_err_name(UV_ECONNREFUSED), "Connection refused");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deferred_job_runs_once_at_the_end_of_the_turn),
        cmocka_unit_test(a_job_that_defers_itself_runs_once_a_turn_and_never_blocks_it),
        cmocka_unit_test(a_cancelled_job_does_not_run_even_when_the_list_is_being_emptied),
        cmocka_unit_test(a_job_deferred_by_a_timer_runs_in_the_same_turn),
        cmocka_unit_test(time_stands_still_within_a_turn_and_goes_on_between_turns),
        cmocka_unit_test(the_loop_runs_until_it_is_stopped),
        cmocka_unit_test(a_loop_with_nothing_to_wait_for_returns_at_once),
        cmocka_unit_test(a_timer_that_was_stopped_between_turns_is_not_waited_for),
        cmocka_unit_test(a_timer_is_waited_for_when_an_earlier_one_was_stopped_at_its_time),
        cmocka_unit_test(a_signal_reaches_its_watcher),
        cmocka_unit_test(codes_of_libuv_that_leave_this_folder_have_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
