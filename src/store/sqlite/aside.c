/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/aside.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

int tb_aside(const char *path, char ret_path[TB_ASIDE_SIZE])
{
    int64_t time_ms = tb_clock_wall_ms(tb_clock_system());
    do {
        snprintf(ret_path, TB_ASIDE_SIZE, "%s.broken-%lld", path, (long long)time_ms++);
    } while (access(ret_path, F_OK) == 0);
    return rename(path, ret_path) < 0 ? -errno : 0;
}
