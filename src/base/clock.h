/* SPDX-License-Identifier: Apache-2.0 */
/* The two clocks. Timers and deadlines run on the monotonic one, which a suspended or corrected
 * machine does not disturb; the wall clock is for people and records.
 *
 * Everything that asks for the time takes a struct tb_clock, so that tests move it by hand. */
#pragma once

#include <stdint.h>

struct tb_clock {
    int64_t (*mono_ms)(const struct tb_clock *clock);
    int64_t (*wall_ms)(const struct tb_clock *clock);
};

/* The machine's clocks. */
const struct tb_clock *tb_clock_system(void);
int64_t tb_clock_mono_ms(const struct tb_clock *clock);
int64_t tb_clock_wall_ms(const struct tb_clock *clock);
/* The machine's monotonic clock, for figures only: deadlines are those of the other one. */
int64_t tb_clock_precise_us(void);

/* A clock that stands still until it is moved. */
struct tb_clock_manual {
    struct tb_clock clock;
    int64_t mono_ms;
    int64_t wall_ms;
};

void tb_clock_manual_init(struct tb_clock_manual *manual);
void tb_clock_manual_advance(struct tb_clock_manual *manual, int64_t ms);

enum {
    TB_CLOCK_ISO_SIZE = 32,
};
/* Wall time as 2026-01-31T12:00:00.000Z. */
void tb_clock_iso(int64_t wall_ms, char ret_text[TB_CLOCK_ISO_SIZE]);
