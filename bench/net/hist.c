/* SPDX-License-Identifier: Apache-2.0 */
#include "hist.h"

#include <stddef.h>

static size_t slot_of(uint64_t value)
{
    if (value < BENCH_HIST_STEPS) {
        return (size_t)value;
    }
    unsigned shift = 63 - (unsigned)__builtin_clzll(value) - 5;
    return (shift + 1) * BENCH_HIST_STEPS + (size_t)(value >> shift) - BENCH_HIST_STEPS;
}

/* The middle of a slot. */
static uint64_t value_of(size_t slot)
{
    if (slot < 2 * BENCH_HIST_STEPS) {
        return slot;
    }
    size_t shift = slot / BENCH_HIST_STEPS - 1;
    uint64_t low = (uint64_t)(BENCH_HIST_STEPS + slot % BENCH_HIST_STEPS) << shift;
    return low + ((uint64_t)1 << shift) / 2;
}

void bench_hist_add(struct bench_hist *hist, uint64_t value)
{
    hist->slots[slot_of(value)]++;
    hist->count++;
}

uint64_t bench_hist_percentile(const struct bench_hist *hist, double percent)
{
    uint64_t wanted = (uint64_t)((double)hist->count * percent / 100.0);
    uint64_t seen = 0;
    for (size_t i = 0; i < BENCH_HIST_SLOTS; i++) {
        seen += hist->slots[i];
        if (hist->slots[i] > 0 && seen >= wanted) {
            return value_of(i);
        }
    }
    return 0;
}
