/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <stdio.h>
#include <time.h>

#include "base/mem.h"

static int64_t read_ms(clockid_t id)
{
    struct timespec now;
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int64_t system_mono_ms(const struct tb_clock *clock)
{
    (void)clock;
    return read_ms(CLOCK_MONOTONIC);
}

static int64_t system_wall_ms(const struct tb_clock *clock)
{
    (void)clock;
    return read_ms(CLOCK_REALTIME);
}

const struct tb_clock *tb_clock_system(void)
{
    static const struct tb_clock system_clock = {system_mono_ms, system_wall_ms};
    return &system_clock;
}

int64_t tb_clock_mono_ms(const struct tb_clock *clock)
{
    return clock->mono_ms(clock);
}

int64_t tb_clock_precise_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int64_t tb_clock_wall_ms(const struct tb_clock *clock)
{
    return clock->wall_ms(clock);
}

static int64_t manual_mono_ms(const struct tb_clock *clock)
{
    return TB_CONTAINER(clock, struct tb_clock_manual, clock)->mono_ms;
}

static int64_t manual_wall_ms(const struct tb_clock *clock)
{
    return TB_CONTAINER(clock, struct tb_clock_manual, clock)->wall_ms;
}

void tb_clock_manual_init(struct tb_clock_manual *manual)
{
    *manual = (struct tb_clock_manual){
        .clock = {manual_mono_ms, manual_wall_ms},
        .mono_ms = 1000,
        .wall_ms = 1700000000000,
    };
}

void tb_clock_manual_advance(struct tb_clock_manual *manual, int64_t ms)
{
    manual->mono_ms += ms;
    manual->wall_ms += ms;
}

void tb_clock_iso(int64_t wall_ms, char ret_text[TB_CLOCK_ISO_SIZE])
{
    int64_t ms = wall_ms % 1000;
    time_t seconds = (time_t)(wall_ms / 1000);
    if (ms < 0) { /* before 1970 the division rounds up, and a fraction counts forward */
        ms += 1000;
        seconds--;
    }
    struct tm parts;
    gmtime_r(&seconds, &parts);
    size_t len = strftime(ret_text, TB_CLOCK_ISO_SIZE, "%Y-%m-%dT%H:%M:%S", &parts);
    snprintf(ret_text + len, TB_CLOCK_ISO_SIZE - len, ".%03dZ", (int)ms);
}
