/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/namespaces.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/file.h"

/* The number in a file under /proc/sys, or `missing` when the kernel has no such knob. */
static long kernel_knob(const char *path, long missing)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(64);
    if (tb_file_read(path, &text) < 0 || tb_buf_append_char(&text, '\0') < 0) {
        return missing;
    }
    return strtol((const char *)text.data, NULL, 10);
}

bool tb_namespaces_allowed(void)
{
    return kernel_knob("/proc/sys/kernel/unprivileged_userns_clone", 1) == 1 &&
           kernel_knob("/proc/sys/user/max_user_namespaces", 1) > 0 &&
           kernel_knob("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 0) == 0;
}
