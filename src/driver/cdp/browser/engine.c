/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/engine.h"

#include <stdlib.h>
#include <string.h>

#include "core/offer.h"
#include "driver/cdp/browser/find.h"

static bool has_display(void)
{
    const char *x11 = getenv("DISPLAY");
    const char *wayland = getenv("WAYLAND_DISPLAY");
    return (x11 && x11[0]) || (wayland && wayland[0]);
}

int tb_cdp_engine_choose(const struct tb_config *config, struct tb_str name,
                         struct tb_cdp_browser_spec *spec, struct tb_err *err)
{
    enum tb_engine engine;
    if (!tb_engine_find(name, &engine)) {
        return tb_fail(err, TB_E_PARAMS, "there is no engine '%.*s'", TB_STR_ARG(name));
    }
    bool full = engine == TB_ENGINE_CHROMIUM;
    bool shell = engine == TB_ENGINE_SHELL;
    if (shell && !spec->headless) {
        return tb_fail(err, TB_E_PARAMS,
                       "the headless shell cannot open a window; use the engine chromium");
    }
    spec->path = tb_cdp_browser_find(config->browser_path, !full && spec->headless);
    if (!spec->path && config->browser_path[0]) {
        return tb_fail(err, TB_E_BROWSER_START,
                       "browser.path is %s, which is not an executable program",
                       config->browser_path);
    }
    if (!spec->path) {
        return tb_fail(err, TB_E_BROWSER_START,
                       "no browser was found: install chromium or set browser.path");
    }
    if (!spec->headless && !has_display()) {
        return tb_fail(err, TB_E_NO_DISPLAY,
                       "a window needs a display, and the daemon has neither DISPLAY nor "
                       "WAYLAND_DISPLAY in its environment");
    }
    const char *program = strrchr(spec->path, '/');
    spec->shell = strstr(program ? program : spec->path, "headless") != NULL;
    if (spec->shell && (full || !spec->headless)) {
        return tb_fail(err, TB_E_BROWSER_START,
                       "only the headless shell was found: install chromium for %s",
                       full ? "the full engine" : "a session with a window");
    }
    return 0;
}
