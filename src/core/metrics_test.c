/* SPDX-License-Identifier: Apache-2.0 */
#include "core/metrics.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

static void print(const struct tb_metrics *metrics, struct tb_buf *text)
{
    tb_buf_clear(text);
    assert_int_equal(tb_metrics_print(metrics, text), 0);
    assert_int_equal(tb_buf_append_char(text, '\0'), 0);
}

static void assert_line(const struct tb_buf *text, const char *line)
{
    if (!strstr((const char *)text->data, line)) {
        print_error("%s is not in:\n%s", line, (const char *)text->data);
        fail();
    }
}

static void all_metrics_are_printed_with_help_and_type(void **state)
{
    struct tb_metrics metrics = {0};
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(1 << 20);
    (void)state;
    metrics.values[TB_METRIC_HTTP_REQUESTS] = 42;
    metrics.values[TB_METRIC_PROCESS_SECONDS] = 1234567;
    print(&metrics, &text);
    assert_line(&text, "\ntabard_http_requests_total 42\n");
    assert_line(&text, "\n# TYPE tabard_http_connections gauge\n");
    assert_line(&text, "\n# TYPE process_cpu_seconds_total counter\n");
    assert_line(&text, "\nprocess_cpu_seconds_total 1234.567\n");
    size_t heads = 0;
    for (const char *at = (const char *)text.data; (at = strstr(at, "# TYPE ")); at++) {
        heads++;
    }
    assert_int_equal(heads, TB_METRIC_COUNT + TB_SERIES_COUNT + TB_HISTOGRAM_COUNT);
}

static void what_has_labels_is_counted_by_them(void **state)
{
    struct tb_metrics metrics = {0};
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(1 << 20);
    (void)state;
    for (int i = 0; i < 3; i++) {
        tb_metrics_add(&metrics, TB_SERIES_CALLS, "browser_click", "ok", 1);
    }
    tb_metrics_add(&metrics, TB_SERIES_CALLS, "browser_click", "timeout", 1);
    tb_metrics_add(&metrics, TB_SERIES_SESSIONS, "browser", "idle", 7);
    print(&metrics, &text);
    assert_line(&text, "\ntabard_calls_total{tool=\"browser_click\",outcome=\"ok\"} 3\n");
    assert_line(&text, "\ntabard_calls_total{tool=\"browser_click\",outcome=\"timeout\"} 1\n");
    assert_line(&text, "\ntabard_sessions{kind=\"browser\",state=\"idle\"} 7\n");
    tb_metrics_clear(&metrics, TB_SERIES_SESSIONS);
    print(&metrics, &text);
    assert_line(&text, "\ntabard_sessions{kind=\"browser\",state=\"idle\"} 0\n");
    tb_metrics_fini(&metrics);
}

static void times_are_counted_up_to_each_bound(void **state)
{
    struct tb_metrics metrics = {0};
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(1 << 20);
    (void)state;
    tb_metrics_observe(&metrics, TB_HISTOGRAM_CALL, "browser_click", 1000);
    tb_metrics_observe(&metrics, TB_HISTOGRAM_CALL, "browser_click", 3000);
    tb_metrics_observe(&metrics, TB_HISTOGRAM_CALL, "browser_click", 61000000);
    tb_metrics_observe(&metrics, TB_HISTOGRAM_COMMIT, "", 2500);
    print(&metrics, &text);
#define CALL "\ntabard_call_duration_seconds"
    assert_line(&text, CALL "_bucket{tool=\"browser_click\",le=\"0.001\"} 1\n");
    assert_line(&text, CALL "_bucket{tool=\"browser_click\",le=\"0.0025\"} 1\n");
    assert_line(&text, CALL "_bucket{tool=\"browser_click\",le=\"0.005\"} 2\n");
    assert_line(&text, CALL "_bucket{tool=\"browser_click\",le=\"60\"} 2\n");
    assert_line(&text, CALL "_bucket{tool=\"browser_click\",le=\"+Inf\"} 3\n");
    assert_line(&text, CALL "_sum{tool=\"browser_click\"} 61.004000\n");
    assert_line(&text, CALL "_count{tool=\"browser_click\"} 3\n");
#undef CALL
    assert_line(&text, "\ntabard_store_commit_duration_seconds_bucket{le=\"0.0025\"} 1\n");
    assert_line(&text, "\ntabard_store_commit_duration_seconds_count 1\n");
    tb_metrics_fini(&metrics);
}

static void a_full_buffer_is_an_error(void **state)
{
    struct tb_metrics metrics = {0};
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(200);
    (void)state;
    assert_int_equal(tb_metrics_print(&metrics, &text), TB_E_TOO_LARGE);
    assert_int_equal(text.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_metrics_are_printed_with_help_and_type),
        cmocka_unit_test(what_has_labels_is_counted_by_them),
        cmocka_unit_test(times_are_counted_up_to_each_bound),
        cmocka_unit_test(a_full_buffer_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
