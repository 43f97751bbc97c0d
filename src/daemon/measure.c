/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/measure.h"

#include <sys/resource.h>
#include <unistd.h>

#include <dirent.h>

#include "base/buf.h"
#include "base/file.h"
#include "core/core.h"
#include "core/driver.h"
#include "core/sessions.h"

enum {
    TEXT_MAX = 4096,
};

static int64_t own_bytes(void)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TEXT_MAX);
    uint64_t pages = 0;
    tb_file_read("/proc/self/statm", &text);
    struct tb_str rest = tb_buf_str(&text);
    tb_str_cut(&rest, ' ');
    tb_str_to_u64(tb_str_cut(&rest, ' '), &pages);
    return (int64_t)pages * sysconf(_SC_PAGESIZE);
}

static int64_t own_ms(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (int64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1000 +
           (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1000;
}

/* Without the two of the folder itself and the one by which it is read. */
static int64_t open_files(void)
{
    int64_t count = -3;
    DIR *dir = opendir("/proc/self/fd");
    if (!dir) {
        return 0;
    }
    while (readdir(dir)) {
        count++;
    }
    closedir(dir);
    return count;
}

void tb_measure(struct tb_core *core)
{
    int64_t *values = core->metrics.values;
    values[TB_METRIC_PROCESS_BYTES] = own_bytes();
    values[TB_METRIC_PROCESS_SECONDS] = own_ms();
    values[TB_METRIC_PROCESS_FILES] = open_files();
    values[TB_METRIC_BROWSERS] = 0;
    values[TB_METRIC_BROWSER_PROCESSES] = 0;
    values[TB_METRIC_BROWSER_BYTES] = 0;
    for (const struct tb_driver_slot *slot = core->drivers; slot->driver; slot++) {
        if (slot->driver->measure) {
            slot->driver->measure(slot->state);
        }
    }
    tb_sessions_measure(core->sessions);
}
