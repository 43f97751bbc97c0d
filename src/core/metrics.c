/* SPDX-License-Identifier: Apache-2.0 */
#include "core/metrics.h"

enum kind {
    COUNTER,
    GAUGE,
};

static const struct {
    const char *name;
    enum kind kind;
    const char *help;
} rows[TB_METRIC_COUNT] = {
#define TB_METRIC(name, prometheus, kind, help) {prometheus, kind, help},
#include "core/metrics.def"
#undef TB_METRIC
};

int tb_metrics_print(const struct tb_metrics *metrics, struct tb_buf *out)
{
    for (size_t i = 0; i < TB_METRIC_COUNT; i++) {
        int rc =
            tb_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s %lld\n", rows[i].name, rows[i].help,
                          rows[i].name, rows[i].kind == COUNTER ? "counter" : "gauge", rows[i].name,
                          (long long)metrics->values[i]);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}
