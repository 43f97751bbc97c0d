/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/mem.h"

static void the_systems_clocks_are_the_kernels(void **state)
{
    (void)state;
    const struct tb_clock *clock = tb_clock_system();
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    int64_t before = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    int64_t wall = tb_clock_wall_ms(clock);
    assert_true(wall >= before && wall < before + 60000);

    clock_gettime(CLOCK_MONOTONIC, &now);
    before = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
    int64_t mono = tb_clock_mono_ms(clock);
    assert_true(mono >= before && mono < before + 60000);
    assert_true(tb_clock_mono_ms(clock) >= mono);
}

static void a_manual_clock_moves_only_by_hand(void **state)
{
    (void)state;
    struct tb_clock_manual manual;
    tb_clock_manual_init(&manual);
    int64_t mono = tb_clock_mono_ms(&manual.clock);
    int64_t wall = tb_clock_wall_ms(&manual.clock);
    assert_true(tb_clock_mono_ms(&manual.clock) == mono);
    tb_clock_manual_advance(&manual, 250);
    assert_true(tb_clock_mono_ms(&manual.clock) == mono + 250);
    assert_true(tb_clock_wall_ms(&manual.clock) == wall + 250);
}

static void wall_time_is_written_as_iso_8601_in_utc(void **state)
{
    (void)state;
    static const struct {
        int64_t ms;
        const char *want;
    } rows[] = {
        {0, "1970-01-01T00:00:00.000Z"},
        {7, "1970-01-01T00:00:00.007Z"},
        {1700000000123, "2023-11-14T22:13:20.123Z"},
        {951782400000, "2000-02-29T00:00:00.000Z"},
        {4102444799999, "2099-12-31T23:59:59.999Z"},
        {-1, "1969-12-31T23:59:59.999Z"},
        {-1000, "1969-12-31T23:59:59.000Z"},
        {-86400001, "1969-12-30T23:59:59.999Z"},
    };
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        char text[TB_CLOCK_ISO_SIZE];
        tb_clock_iso(rows[i].ms, text);
        assert_string_equal(text, rows[i].want);
    }
}

static void no_time_is_too_far_away_to_be_written(void **state)
{
    (void)state;
    char text[TB_CLOCK_ISO_SIZE];
    tb_clock_iso(INT64_MAX, text);
    assert_string_equal(text, "292278994-08-17T07:12:55.807Z");
    tb_clock_iso(INT64_MIN, text);
    assert_string_equal(text, "-292275055-05-16T16:47:04.192Z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_systems_clocks_are_the_kernels),
        cmocka_unit_test(a_manual_clock_moves_only_by_hand),
        cmocka_unit_test(wall_time_is_written_as_iso_8601_in_utc),
        cmocka_unit_test(no_time_is_too_far_away_to_be_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
