/* SPDX-License-Identifier: Apache-2.0 */
#include "core/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

static void all_metrics_are_printed_with_help_and_type(void **state)
{
    struct tb_metrics metrics = {{0}};
    struct tb_buf text;
    (void)state;
    metrics.values[TB_METRIC_HTTP_REQUESTS] = 42;
    tb_buf_init(&text, 1 << 20);
    assert_int_equal(tb_metrics_print(&metrics, &text), 0);
    assert_int_equal(tb_buf_append_char(&text, '\0'), 0);
    assert_non_null(strstr((char *)text.data, "\ntabard_http_requests_total 42\n"));
    assert_non_null(strstr((char *)text.data, "# TYPE tabard_http_connections gauge\n"));
    size_t lines = 0;
    for (size_t i = 0; i < text.len; i++) {
        lines += text.data[i] == '\n';
    }
    assert_int_equal(lines, 3 * TB_METRIC_COUNT);
    tb_buf_fini(&text);
}

static void a_full_buffer_is_an_error(void **state)
{
    struct tb_metrics metrics = {{0}};
    struct tb_buf text;
    (void)state;
    tb_buf_init(&text, 200);
    assert_int_equal(tb_metrics_print(&metrics, &text), TB_E_TOO_LARGE);
    tb_buf_fini(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_metrics_are_printed_with_help_and_type),
        cmocka_unit_test(a_full_buffer_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
