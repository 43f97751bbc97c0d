/* SPDX-License-Identifier: Apache-2.0 */
#include "core/metrics.h"

#include <stdio.h>

#include "base/mem.h"
#include "base/str.h"

enum {
    COUNTER,
    GAUGE,
    COUNTER_SECONDS,
    PLACE_MAX = 128,
};

static const int64_t bounds_us[TB_TIMES_BOUNDS] = {1000,    2500,    5000,     10000,    25000,
                                                   50000,   100000,  250000,   500000,   1000000,
                                                   2500000, 5000000, 10000000, 30000000, 60000000};

static const struct {
    const char *name;
    int kind;
    const char *help;
} rows[] = {
#define TB_METRIC(name, prometheus, kind, help) {prometheus, kind, help},
#include "core/metrics.def"
};

static const struct {
    const char *name;
    int kind;
    const char *one;
    const char *other;
    const char *help;
} series_rows[] = {
#define TB_SERIES(name, prometheus, kind, one, other, help) {prometheus, kind, one, other, help},
#include "core/metrics.def"
};

static const struct {
    const char *name;
    const char *label;
    const char *help;
} histogram_rows[] = {
#define TB_HISTOGRAM(name, prometheus, label, help) {prometheus, label, help},
#include "core/metrics.def"
};

struct tb_series_entry {
    struct tb_series_entry *next;
    const char *one; /* borrowed for ever */
    const char *other;
    int64_t value;
    char place[PLACE_MAX];
};

struct tb_times_entry {
    struct tb_times_entry *next;
    const char *label; /* the same */
    struct tb_times times;
    char place[PLACE_MAX];
};

/* Counting. */

static void write_place(char place[PLACE_MAX], char family, int number, const char *one,
                        const char *other)
{
    snprintf(place, PLACE_MAX, "%c%d %s %s", family, number, one, other);
}

static struct tb_series_entry *series_entry(struct tb_metrics *metrics, enum tb_series series,
                                            const char *one, const char *other)
{
    char place[PLACE_MAX];
    write_place(place, 's', (int)series, one, other);
    struct tb_series_entry *entry = tb_map_get(&metrics->places, tb_str_of(place));
    if (!entry) {
        entry = TB_NEW(struct tb_series_entry);
        *entry =
            (struct tb_series_entry){.next = metrics->series[series], .one = one, .other = other};
        metrics->series[series] = entry;
        write_place(entry->place, 's', (int)series, one, other);
        tb_map_add(&metrics->places, tb_str_of(entry->place), entry);
    }
    return entry;
}

void tb_metrics_add(struct tb_metrics *metrics, enum tb_series series, const char *one,
                    const char *other, int64_t number)
{
    series_entry(metrics, series, one, other)->value += number;
}

void tb_metrics_clear(struct tb_metrics *metrics, enum tb_series series)
{
    for (struct tb_series_entry *entry = metrics->series[series]; entry; entry = entry->next) {
        entry->value = 0;
    }
}

static struct tb_times *times_of(struct tb_metrics *metrics, enum tb_histogram histogram,
                                 const char *label)
{
    char place[PLACE_MAX];
    if (!label[0]) {
        return &metrics->times[histogram];
    }
    write_place(place, 'h', (int)histogram, label, "");
    struct tb_times_entry *entry = tb_map_get(&metrics->places, tb_str_of(place));
    if (!entry) {
        entry = TB_NEW(struct tb_times_entry);
        entry->next = metrics->labelled[histogram];
        entry->label = label;
        metrics->labelled[histogram] = entry;
        write_place(entry->place, 'h', (int)histogram, label, "");
        tb_map_add(&metrics->places, tb_str_of(entry->place), entry);
    }
    return &entry->times;
}

void tb_metrics_observe(struct tb_metrics *metrics, enum tb_histogram histogram, const char *label,
                        int64_t us)
{
    struct tb_times *times = times_of(metrics, histogram, label);
    size_t at = 0;
    while (at < TB_TIMES_BOUNDS && us > bounds_us[at]) {
        at++;
    }
    times->counts[at]++;
    times->sum_us += us;
}

void tb_metrics_fini(struct tb_metrics *metrics)
{
    MAP_FOREACH(slot, &metrics->places) {
        tb_free(slot->value);
    }
    tb_map_fini(&metrics->places);
}

/* Printing. */

static void put_head(struct tb_buf *out, const char *name, const char *kind, const char *help)
{
    tb_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind);
}

static const char *kind_name(int kind)
{
    return kind == GAUGE ? "gauge" : "counter";
}

static void print_plain(const struct tb_metrics *metrics, struct tb_buf *out)
{
    for (size_t i = 0; i < TB_METRIC_COUNT; i++) {
        long long value = (long long)metrics->values[i];
        put_head(out, rows[i].name, kind_name(rows[i].kind), rows[i].help);
        if (rows[i].kind == COUNTER_SECONDS) {
            tb_buf_printf(out, "%s %lld.%03lld\n", rows[i].name, value / 1000, value % 1000);
        } else {
            tb_buf_printf(out, "%s %lld\n", rows[i].name, value);
        }
    }
}

static void print_series(const struct tb_metrics *metrics, struct tb_buf *out)
{
    for (size_t i = 0; i < TB_SERIES_COUNT; i++) {
        put_head(out, series_rows[i].name, kind_name(series_rows[i].kind), series_rows[i].help);
        for (const struct tb_series_entry *entry = metrics->series[i]; entry; entry = entry->next) {
            tb_buf_printf(out, "%s{%s=\"%s\"", series_rows[i].name, series_rows[i].one, entry->one);
            if (series_rows[i].other[0]) {
                tb_buf_printf(out, ",%s=\"%s\"", series_rows[i].other, entry->other);
            }
            tb_buf_printf(out, "} %lld\n", (long long)entry->value);
        }
    }
}

/* `labels` is empty, or one with its value. */
static void print_times(const char *name, const char *labels, const struct tb_times *times,
                        struct tb_buf *out)
{
    const char *comma = labels[0] ? "," : "";
    const char *open = labels[0] ? "{" : "";
    const char *close = labels[0] ? "}" : "";
    long long count = 0;
    for (size_t i = 0; i < TB_TIMES_BOUNDS; i++) {
        count += times->counts[i];
        tb_buf_printf(out, "%s_bucket{%s%sle=\"%g\"} %lld\n", name, labels, comma,
                      (double)bounds_us[i] / 1e6, count);
    }
    count += times->counts[TB_TIMES_BOUNDS];
    tb_buf_printf(out, "%s_bucket{%s%sle=\"+Inf\"} %lld\n", name, labels, comma, count);
    tb_buf_printf(out, "%s_sum%s%s%s %.6f\n", name, open, labels, close,
                  (double)times->sum_us / 1e6);
    tb_buf_printf(out, "%s_count%s%s%s %lld\n", name, open, labels, close, count);
}

static void print_histograms(const struct tb_metrics *metrics, struct tb_buf *out)
{
    for (size_t i = 0; i < TB_HISTOGRAM_COUNT; i++) {
        const char *name = histogram_rows[i].name;
        put_head(out, name, "histogram", histogram_rows[i].help);
        if (!histogram_rows[i].label[0]) {
            print_times(name, "", &metrics->times[i], out);
        }
        for (const struct tb_times_entry *entry = metrics->labelled[i]; entry;
             entry = entry->next) {
            char labels[PLACE_MAX];
            snprintf(labels, sizeof(labels), "%s=\"%s\"", histogram_rows[i].label, entry->label);
            print_times(name, labels, &entry->times, out);
        }
    }
}

int tb_metrics_print(const struct tb_metrics *metrics, struct tb_buf *out)
{
    TB_AUTO(tb_buf_fini) struct tb_buf all = TB_BUF(SIZE_MAX); /* no peer chooses how much it is */
    print_plain(metrics, &all);
    print_series(metrics, &all);
    print_histograms(metrics, &all);
    return tb_buf_append_str(out, tb_buf_str(&all));
}
