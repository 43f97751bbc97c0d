/* SPDX-License-Identifier: Apache-2.0 */
#include "base/time_arg.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/mem.h"

static const int64_t now_ms = 1700000000000; /* 2023-11-14T22:13:20Z */

static void times_are_read(void **state)
{
    static const struct {
        const char *text;
        int64_t wall_ms;
    } rows[] = {
        {"30s", 1699999970000},
        {"90m", 1699994600000},
        {"24h", 1699913600000},
        {"7d", 1699395200000},
        {"2023-11-14", 1699920000000},
        {"2023-11-14T22:13", 1699999980000},
        {"2023-11-14T22:13Z", 1699999980000},
        {"2023-11-14T22:13:20", 1700000000000},
        {"2023-11-14T22:13:20Z", 1700000000000},
    };
    (void)state;
    for (size_t i = 0; i < TB_COUNT(rows); i++) {
        int64_t wall_ms = 0;
        assert_int_equal(tb_time_arg(rows[i].text, now_ms, &wall_ms, NULL), 0);
        assert_int_equal(wall_ms, rows[i].wall_ms);
    }
}

static void anything_else_is_refused(void **state)
{
    static const char *const texts[] = {"",     "h",    "soon",       "-1h",         "1.5h",
                                        "1w",   "24",   "2023-13-01", "2023-11-14x", "99999999999d",
                                        "24 h", "22:13"};
    (void)state;
    for (size_t i = 0; i < TB_COUNT(texts); i++) {
        struct tb_err err;
        int64_t wall_ms = 7;
        assert_int_equal(tb_time_arg(texts[i], now_ms, &wall_ms, &err), TB_E_PARAMS);
        assert_int_equal(wall_ms, 7);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_are_read),
        cmocka_unit_test(anything_else_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
