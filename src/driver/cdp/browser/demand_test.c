/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/demand.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "core/limits.h"

static void as_many_are_kept_as_came_at_once(void **state)
{
    struct tb_cdp_demand demand = {0};
    int64_t now_ms = 1000000;
    (void)state;
    assert_int_equal(tb_cdp_demand_spares(&demand, now_ms), 1);
    for (int i = 0; i < 5; i++) {
        tb_cdp_demand_note(&demand, now_ms + INT64_C(100) * i);
    }
    assert_int_equal(tb_cdp_demand_spares(&demand, now_ms + 60000), 5);
    /* Some that come one by one do not make it less ... */
    tb_cdp_demand_note(&demand, now_ms + 60000);
    tb_cdp_demand_note(&demand, now_ms + 120000);
    assert_int_equal(tb_cdp_demand_spares(&demand, now_ms + 120000), 5);
    /* ... but five minutes without so many do. */
    assert_int_equal(tb_cdp_demand_spares(&demand, now_ms + 400000), 1);
    for (int i = 0; i < 3; i++) {
        tb_cdp_demand_note(&demand, now_ms + 500000);
    }
    assert_int_equal(tb_cdp_demand_spares(&demand, now_ms + 500000), 3);
}

static void those_that_come_one_after_the_other_need_few(void **state)
{
    struct tb_cdp_demand demand = {0};
    (void)state;
    for (int i = 0; i < 10; i++) {
        tb_cdp_demand_note(&demand, INT64_C(80) * i);
        tb_cdp_demand_page_loaded(&demand);
    }
    assert_int_equal(tb_cdp_demand_spares(&demand, 1000), 4);
    assert_true(tb_cdp_demand_bursting(&demand, 1000));
}

static void there_is_a_most(void **state)
{
    struct tb_cdp_demand demand = {0};
    (void)state;
    for (int i = 0; i < 100; i++) {
        tb_cdp_demand_note(&demand, 5);
    }
    assert_int_equal(tb_cdp_demand_spares(&demand, 5), TB_SPARES_MAX);
}

static void a_burst_is_seen_by_its_second_session_and_ends(void **state)
{
    struct tb_cdp_demand demand = {0};
    (void)state;
    assert_false(tb_cdp_demand_bursting(&demand, 0));
    tb_cdp_demand_note(&demand, 0);
    assert_false(tb_cdp_demand_bursting(&demand, 0));
    tb_cdp_demand_note(&demand, 500);
    assert_true(tb_cdp_demand_bursting(&demand, 600));
    assert_false(tb_cdp_demand_bursting(&demand, 60000));
}

static void none_are_kept_when_memory_is_short(void **state)
{
    (void)state;
    assert_int_equal(tb_cdp_demand_affordable(0), 0);
    assert_int_equal(tb_cdp_demand_affordable(512LL * TB_MIB), 0);
    assert_int_equal(tb_cdp_demand_affordable((512LL + 64 + 63) * TB_MIB), 1);
    assert_int_equal(tb_cdp_demand_affordable(INT64_MAX), TB_SPARES_MAX);
    assert_true(tb_cdp_demand_available() > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_are_kept_as_came_at_once),
        cmocka_unit_test(those_that_come_one_after_the_other_need_few),
        cmocka_unit_test(there_is_a_most),
        cmocka_unit_test(a_burst_is_seen_by_its_second_session_and_ends),
        cmocka_unit_test(none_are_kept_when_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
