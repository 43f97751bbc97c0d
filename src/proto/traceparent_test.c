/* SPDX-License-Identifier: Apache-2.0 */
#include "proto/traceparent.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define TRACE  "4bf92f3577b34da6a3ce929d0e0e4736"
#define PARENT "00f067aa0ba902b7"

static void a_trace_is_hexadecimal_and_not_empty(void **state)
{
    static const struct {
        const char *text;
        bool valid;
    } rows[] = {
        {"00-" TRACE "-" PARENT "-01", true},
        {"00-" TRACE "-" PARENT "-00", true},
        {"01-" TRACE "-" PARENT "-ff", true},
        {"ff-" TRACE "-" PARENT "-01", false},
        {"00-00000000000000000000000000000000-" PARENT "-01", false},
        {"00-" TRACE "-0000000000000000-01", false},
        {"00-4BF92F3577B34DA6A3CE929D0E0E4736-" PARENT "-01", false},
        {"00-" TRACE "-" PARENT "-0", false},
        {"00-" TRACE "-" PARENT "-01-", false},
        {"00-" TRACE "-" PARENT "-01-more", false},
        {"00-" TRACE "-" PARENT "_01", false},
        {"0-04bf92f3577b34da6a3ce929d0e0e4736-" PARENT "-01", false},
        {"\"0-" TRACE "-" PARENT "-01", false},
        {"", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if (tb_traceparent_valid(tb_str_of(rows[i].text)) != rows[i].valid) {
            fail_msg("%s", rows[i].text);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_trace_is_hexadecimal_and_not_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
