/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram of times for percentiles: 32 steps for each power of two, so a value is right within
 * 3 %. It is one array without allocations; zeroed memory is an empty histogram. */
#pragma once

#include <stdint.h>

enum {
    BENCH_HIST_STEPS = 32,
    BENCH_HIST_SLOTS = 60 * BENCH_HIST_STEPS,
};

struct bench_hist {
    uint64_t slots[BENCH_HIST_SLOTS];
    uint64_t count;
};

void bench_hist_add(struct bench_hist *hist, uint64_t value);
/* The value below which `percent` of all lie; 0 when there is none. */
uint64_t bench_hist_percentile(const struct bench_hist *hist, double percent);
