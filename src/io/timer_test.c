/* SPDX-License-Identifier: Apache-2.0 */
#include "io/timer.h"

#include <stdlib.h>
#include <string.h>

#include "io/testing.h"

struct fixture {
    struct tb_clock_manual clock;
    struct tb_loop *loop;
    char order[16];
    size_t fired;
};

static int setup(void **state)
{
    struct fixture *f = TB_NEW(struct fixture);
    tb_clock_manual_init(&f->clock);
    f->loop = tb_loop_new(&f->clock.clock);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    tb_loop_free(f->loop);
    tb_free(f);
    return 0;
}

static void pass(struct fixture *f, int64_t ms)
{
    tb_clock_manual_advance(&f->clock, ms);
    tb_loop_turn(f->loop, false);
}

struct named {
    struct tb_timer timer;
    struct fixture *f;
    char name;
    bool again;
    struct tb_timer *then_stop;
    struct tb_timer *then_start;
};

static void write_name(struct tb_timer *timer, void *user)
{
    struct named *named = user;
    named->f->order[named->f->fired++] = named->name;
    if (named->again) {
        tb_timer_start(timer, 0);
    }
    if (named->then_stop) {
        tb_timer_stop(named->then_stop);
    }
    if (named->then_start) {
        tb_timer_start(named->then_start, 0);
    }
}

static void named_init(struct named *named, struct fixture *f, char name)
{
    *named = (struct named){.f = f, .name = name};
    tb_timer_init(&named->timer, f->loop, write_name, named);
}

static void timers_fire_by_due_time_and_then_by_order_of_arming(void **state)
{
    struct fixture *f = *state;
    static const struct {
        char name;
        int64_t delay_ms;
    } rows[] = {{'e', 30}, {'b', 10}, {'c', 10}, {'a', 5}, {'d', 10}, {'f', 30}};
    struct named timers[TB_COUNT(rows)];
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        named_init(&timers[i], f, rows[i].name);
        tb_timer_start(&timers[i].timer, rows[i].delay_ms);
    }
    pass(f, 4);
    assert_string_equal(f->order, "");
    pass(f, 1);
    assert_string_equal(f->order, "a");
    pass(f, 100);
    assert_string_equal(f->order, "abcdef");
    assert_false(tb_loop_turn(f->loop, true));
}

static void a_timer_that_is_armed_again_is_moved(void **state)
{
    struct fixture *f = *state;
    struct named a;
    struct named b;
    named_init(&a, f, 'a');
    named_init(&b, f, 'b');
    tb_timer_start(&a.timer, 10);
    tb_timer_start(&b.timer, 20);
    tb_timer_start(&a.timer, 30);
    pass(f, 20);
    assert_string_equal(f->order, "b");
    pass(f, 10);
    assert_string_equal(f->order, "ba");
}

static void a_timer_armed_with_zero_inside_a_callback_fires_the_next_turn(void **state)
{
    struct fixture *f = *state;
    struct named again;
    struct named other;
    named_init(&again, f, 'a');
    named_init(&other, f, 'o');
    again.again = true;
    tb_timer_start(&again.timer, 0);
    tb_timer_start(&other.timer, 0);
    pass(f, 5);
    assert_string_equal(f->order, "ao");
    /* Due now, so a turn that may wait does not. */
    tb_loop_turn(f->loop, true);
    assert_string_equal(f->order, "aoa");
    tb_timer_fini(&again.timer);
    pass(f, 5);
    assert_string_equal(f->order, "aoa");
}

static void a_callback_may_stop_and_arm_other_timers(void **state)
{
    struct fixture *f = *state;
    struct named a;
    struct named b;
    struct named c;
    named_init(&a, f, 'a');
    named_init(&b, f, 'b');
    named_init(&c, f, 'c');
    a.then_stop = &b.timer;
    a.then_start = &c.timer;
    tb_timer_start(&a.timer, 1);
    tb_timer_start(&b.timer, 1);
    pass(f, 1);
    assert_string_equal(f->order, "a");
    assert_false(tb_timer_armed(&b.timer));
    assert_true(tb_timer_armed(&c.timer));
    pass(f, 0);
    assert_string_equal(f->order, "ac");
}

struct owner {
    struct tb_timer timer;
    struct tb_timer other;
    int *freed;
};

static void free_owner(struct tb_timer *timer, void *user)
{
    struct owner *owner = user;
    assert_ptr_equal(timer, &owner->timer);
    ++*owner->freed;
    tb_timer_fini(&owner->other);
    tb_free(owner);
}

static void a_timer_may_free_its_owner(void **state)
{
    struct fixture *f = *state;
    int freed = 0;
    for (int i = 0; i < 3; i++) {
        struct owner *owner = TB_NEW(struct owner);
        owner->freed = &freed;
        tb_timer_init(&owner->timer, f->loop, free_owner, owner);
        tb_timer_init(&owner->other, f->loop, free_owner, owner);
        tb_timer_start(&owner->timer, 10);
        tb_timer_start(&owner->other, 10);
    }
    pass(f, 10);
    assert_int_equal(freed, 3);
}

static void stopping_what_is_not_armed_is_harmless(void **state)
{
    struct fixture *f = *state;
    struct tb_timer zeroed = {0};
    tb_timer_fini(&zeroed);
    struct named a;
    named_init(&a, f, 'a');
    tb_timer_stop(&a.timer);
    tb_timer_start(&a.timer, 1);
    assert_true(tb_timer_armed(&a.timer));
    tb_timer_stop(&a.timer);
    tb_timer_stop(&a.timer);
    assert_false(tb_timer_armed(&a.timer));
    pass(f, 10);
    assert_string_equal(f->order, "");
}

static void delays_without_sense_are_clipped(void **state)
{
    struct fixture *f = *state;
    struct named past;
    struct named never;
    named_init(&past, f, 'p');
    named_init(&never, f, 'n');
    tb_timer_start(&past.timer, INT64_MIN);
    tb_timer_start(&never.timer, INT64_MAX);
    pass(f, 0);
    pass(f, 1000LL * 1000 * 1000);
    assert_string_equal(f->order, "p");
    tb_timer_fini(&never.timer);
}

enum {
    MANY = 100000,
};

struct many {
    struct tb_timer *timers;
    int64_t last_due_ms;
    uint64_t last_order;
    size_t fired;
};

static void check_order(struct tb_timer *timer, void *user)
{
    struct many *many = user;
    assert_true(timer->due_ms > many->last_due_ms ||
                (timer->due_ms == many->last_due_ms && timer->order > many->last_order));
    many->last_due_ms = timer->due_ms;
    many->last_order = timer->order;
    many->fired++;
}

static void a_hundred_thousand_timers_fire_in_order_after_random_moves(void **state)
{
    struct fixture *f = *state;
    struct many many = {.timers = TB_NEW_ARRAY(struct tb_timer, MANY), .last_due_ms = -1};
    unsigned seed = 1;
    size_t armed = 0;
    for (size_t i = 0; i < MANY; i++) {
        tb_timer_init(&many.timers[i], f->loop, check_order, &many);
        tb_timer_start(&many.timers[i], rand_r(&seed) % 5000);
    }
    for (size_t i = 0; i < MANY; i++) {
        int choice = rand_r(&seed) % 3;
        if (choice == 0) {
            tb_timer_stop(&many.timers[i]);
        } else if (choice == 1) {
            tb_timer_start(&many.timers[i], rand_r(&seed) % 5000);
        }
        armed += tb_timer_armed(&many.timers[i]);
    }
    for (int ms = 0; ms < 5000; ms += 100) {
        pass(f, 100);
    }
    assert_int_equal(many.fired, armed);
    tb_free(many.timers);
}

static void note(struct tb_timer *timer, void *user)
{
    *(int64_t *)user = tb_loop_now_ms(timer->loop);
}

static void on_the_system_clock_a_waiting_turn_wakes_for_the_timer_and_not_before(void **state)
{
    (void)state;
    TB_AUTO(tb_loop_free) struct tb_loop *loop = tb_loop_new(tb_clock_system());
    int64_t fired_ms = 0;
    struct tb_timer timer;
    struct tb_timer earlier;
    tb_timer_init(&timer, loop, note, &fired_ms);
    tb_timer_init(&earlier, loop, note, &fired_ms);
    /* An alarm left over from a stopped timer must not fire the other one early. */
    tb_timer_start(&earlier, 5);
    tb_timer_start(&timer, 30);
    tb_loop_turn(loop, false);
    tb_timer_stop(&earlier);
    int64_t due_ms = timer.due_ms;
    WAIT_UNTIL(loop, fired_ms != 0);
    assert_true(fired_ms >= due_ms);
}

int main(void)
{
#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
    const struct CMUnitTest tests[] = {
        WITH_FIXTURE(timers_fire_by_due_time_and_then_by_order_of_arming),
        WITH_FIXTURE(a_timer_that_is_armed_again_is_moved),
        WITH_FIXTURE(a_timer_armed_with_zero_inside_a_callback_fires_the_next_turn),
        WITH_FIXTURE(a_callback_may_stop_and_arm_other_timers),
        WITH_FIXTURE(a_timer_may_free_its_owner),
        WITH_FIXTURE(stopping_what_is_not_armed_is_harmless),
        WITH_FIXTURE(delays_without_sense_are_clipped),
        WITH_FIXTURE(a_hundred_thousand_timers_fire_in_order_after_random_moves),
        cmocka_unit_test(on_the_system_clock_a_waiting_turn_wakes_for_the_timer_and_not_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
