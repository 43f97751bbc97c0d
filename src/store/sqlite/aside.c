/* SPDX-License-Identifier: Apache-2.0 */
#include "store/sqlite/aside.h"

#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

char *tb_aside_name(const char *path)
{
    int64_t time_ms = tb_clock_wall_ms(tb_clock_system());
    char *name = tb_strdupf("%s.broken-%lld", path, (long long)time_ms);
    while (access(name, F_OK) == 0) {
        tb_free(name);
        name = tb_strdupf("%s.broken-%lld", path, (long long)++time_ms);
    }
    return name;
}
