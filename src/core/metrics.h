/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for operators, one row each in metrics.def. Whoever sees a thing happen adds to its
 * number in core->metrics; front/ops prints them all. */
#pragma once

#include <stdint.h>

#include "base/buf.h"

enum tb_metric {
#define TB_METRIC(name, prometheus, kind, help) TB_METRIC_##name,
#include "core/metrics.def"
#undef TB_METRIC
    TB_METRIC_COUNT,
};

struct tb_metrics {
    int64_t values[TB_METRIC_COUNT];
};

/* Appends all in Prometheus' text format. */
int tb_metrics_print(const struct tb_metrics *metrics, struct tb_buf *out);
