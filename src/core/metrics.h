/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for operators, one row each in metrics.def. Whoever sees a thing happen adds to its
 * number in core->metrics; front/ops prints them all.
 *
 * Labels are words of our own tables (tools, errors, kinds), never of a peer: so there are few, and
 * nothing in them has to be escaped. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/map.h"

enum tb_metric {
#define TB_METRIC(name, ...) TB_METRIC_##name,
#include "core/metrics.def"
    TB_METRIC_COUNT,
};

/* Counters and gauges with one or two labels. */
enum tb_series {
#define TB_SERIES(name, ...) TB_SERIES_##name,
#include "core/metrics.def"
    TB_SERIES_COUNT,
};

enum tb_histogram {
#define TB_HISTOGRAM(name, ...) TB_HISTOGRAM_##name,
#include "core/metrics.def"
    TB_HISTOGRAM_COUNT,
};

enum {
    TB_TIMES_BOUNDS = 15, /* from a millisecond to a minute, in the usual steps */
};

struct tb_times {
    int64_t counts[TB_TIMES_BOUNDS + 1]; /* the last: longer than all bounds */
    int64_t sum_us;
};

struct tb_series_entry;
struct tb_times_entry;

/* Zeroed it is empty. */
struct tb_metrics {
    int64_t values[TB_METRIC_COUNT];
    struct tb_series_entry *series[TB_SERIES_COUNT];
    struct tb_times times[TB_HISTOGRAM_COUNT]; /* of those that have no label */
    struct tb_times_entry *labelled[TB_HISTOGRAM_COUNT];
    struct tb_map places; /* of entries, by their metric and labels */
};

void tb_metrics_fini(struct tb_metrics *metrics);
/* `one` and `other` are values of the labels; "" for a label that there is not. */
void tb_metrics_add(struct tb_metrics *metrics, enum tb_series series, const char *one,
                    const char *other, int64_t number);
/* Of a gauge: all are 0 again, before they are counted anew. */
void tb_metrics_clear(struct tb_metrics *metrics, enum tb_series series);
void tb_metrics_observe(struct tb_metrics *metrics, enum tb_histogram histogram, const char *label,
                        int64_t us);
/* Appends all in Prometheus' text format. */
int tb_metrics_print(const struct tb_metrics *metrics, struct tb_buf *out);
