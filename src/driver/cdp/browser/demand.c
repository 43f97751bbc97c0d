/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/demand.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/file.h"
#include "base/str.h"
#include "core/limits.h"

enum {
    SOON_MS = 3000,
    ROW_MAX = 4, /* while an agent takes these, one by one, the next are made */
    PEAK_MS = 5 * 60 * 1000,
    RESERVE_MIB = 512, /* for the sessions that there are, and everybody else */
    SPARE_MIB = 64,    /* of one that has become a session with a page */
    FILE_MAX = 64 * 1024,
};

void tb_cdp_demand_note(struct tb_cdp_demand *demand, int64_t now_ms)
{
    if (now_ms - demand->last_ms > SOON_MS) {
        demand->in_a_row = 0;
        demand->at_once = 0;
    }
    demand->last_ms = now_ms;
    demand->in_a_row++;
    demand->at_once++;
    size_t wanted = demand->in_a_row < ROW_MAX ? demand->in_a_row : ROW_MAX;
    wanted = demand->at_once > wanted ? demand->at_once : wanted;
    if (wanted >= tb_cdp_demand_spares(demand, now_ms)) {
        demand->peak = wanted;
        demand->peak_ms = now_ms;
    }
}

void tb_cdp_demand_page_loaded(struct tb_cdp_demand *demand)
{
    demand->at_once = 0;
}

size_t tb_cdp_demand_spares(const struct tb_cdp_demand *demand, int64_t now_ms)
{
    size_t peak = now_ms - demand->peak_ms <= PEAK_MS ? demand->peak : 1;
    peak = peak > TB_SPARES_MAX ? TB_SPARES_MAX : peak;
    return peak ? peak : 1;
}

bool tb_cdp_demand_bursting(const struct tb_cdp_demand *demand, int64_t now_ms)
{
    return demand->in_a_row > 1 && now_ms - demand->last_ms <= SOON_MS;
}

size_t tb_cdp_demand_affordable(int64_t available_bytes)
{
    int64_t spares = (available_bytes / TB_MIB - RESERVE_MIB) / SPARE_MIB;
    return spares < 0 ? 0 : spares > TB_SPARES_MAX ? TB_SPARES_MAX : (size_t)spares;
}

/* The number behind `name` in a small file of the kernel; -1: there is none. */
static int64_t number_in(const char *path, const char *name)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(FILE_MAX);
    if (tb_file_read(path, &text) < 0 || tb_buf_append_char(&text, '\0') < 0) {
        return -1;
    }
    const char *at = strstr((const char *)text.data, name);
    char *end;
    if (!at) {
        return -1;
    }
    at += strlen(name);
    long long value = strtoll(at, &end, 10);
    return end == at ? -1 : value;
}

int64_t tb_cdp_demand_available(void)
{
    int64_t kib = number_in("/proc/meminfo", "MemAvailable:");
    int64_t available = kib < 0 ? INT64_MAX : kib * TB_KIB;
    int64_t most = number_in("/sys/fs/cgroup/memory.max", ""); /* "max": no number */
    int64_t used = number_in("/sys/fs/cgroup/memory.current", "");
    int64_t cached = number_in("/sys/fs/cgroup/memory.stat", "inactive_file ");
    if (most >= 0 && used >= 0) {
        int64_t left = most - used + (cached > 0 ? cached : 0);
        available = left < available ? left : available;
    }
    return available;
}
