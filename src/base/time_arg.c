/* SPDX-License-Identifier: Apache-2.0 */
#include "base/time_arg.h"

#include <stdbool.h>
#include <time.h>

#include "base/mem.h"
#include "base/str.h"

static bool read_ago(struct tb_str text, int64_t *ret_ms)
{
    static const struct {
        char unit;
        int64_t ms;
    } units[] = {{'s', 1000}, {'m', 60000}, {'h', 3600000}, {'d', 86400000}};
    uint64_t count;
    if (text.len < 2 || !tb_str_to_u64(tb_str_sub(text, 0, text.len - 1), &count) ||
        count > 1000000) {
        return false;
    }
    for (size_t i = 0; i < TB_COUNT(units); i++) {
        if (text.ptr[text.len - 1] == units[i].unit) {
            *ret_ms = (int64_t)count * units[i].ms;
            return true;
        }
    }
    return false;
}

static bool read_date(const char *text, int64_t *ret_ms)
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S",
                                        "%Y-%m-%dT%H:%MZ", "%Y-%m-%dT%H:%M:%SZ"};
    for (size_t i = 0; i < TB_COUNT(forms); i++) {
        struct tm parts = {0};
        const char *end = strptime(text, forms[i], &parts);
        if (end && !*end) {
            *ret_ms = (int64_t)timegm(&parts) * 1000;
            return true;
        }
    }
    return false;
}

int tb_time_arg(const char *text, int64_t now_wall_ms, int64_t *ret_wall_ms, struct tb_err *err)
{
    int64_t ms;
    if (read_ago(tb_str_of(text), &ms)) {
        *ret_wall_ms = now_wall_ms - ms;
    } else if (read_date(text, &ms)) {
        *ret_wall_ms = ms;
    } else {
        return tb_fail(
            err, TB_E_PARAMS,
            "'%s' is not a time; use 2026-01-31, 2026-01-31T12:00:00Z, or 90m, 24h, 7d for that "
            "long ago",
            text);
    }
    return 0;
}
