/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/find.h"

#include <stddef.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static const char *const shells[] = {
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib/chromium/headless_shell",
    "/opt/google/chrome-headless-shell/chrome-headless-shell",
};

static const char *const browsers[] = {
    "/usr/lib/chromium/chromium",
    "/usr/lib/chromium-browser/chromium-browser",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
    "/opt/microsoft/msedge/msedge",
    "/snap/chromium/current/usr/lib/chromium-browser/chrome",
};

static bool can_run(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

static const char *first_of(const char *const *paths, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (can_run(paths[i])) {
            return paths[i];
        }
    }
    return NULL;
}

const char *tb_cdp_browser_find(const char *configured, bool prefer_shell)
{
    if (configured && configured[0]) {
        return can_run(configured) ? configured : NULL;
    }
    const char *shell = first_of(shells, TB_COUNT(shells));
    const char *browser = first_of(browsers, TB_COUNT(browsers));
    return (prefer_shell && shell) || !browser ? shell : browser;
}
