/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/launch_command.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* The WebUI names are hidden renderers of the full browser, one a window. */
static const char features_off[] =
    "--disable-features=WebUIReloadButton,WebUIOmniboxPopup,WebUIOmniboxAimPopup,Translate,"
    "OptimizationHints,MediaRouter,DialMediaRouteProvider,GlobalMediaControls,LensOverlay,"
    "AutofillServerCommunication,CertificateTransparencyComponentUpdater,AcceptCHFrame,"
    "HttpsUpgrades,PaintHolding,Prerender2";

/* The same for every start. Background work of the browser is off: it costs start-up time, memory
 * and traffic that nobody asked for. */
static const char *const common_args[] = {
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-startup-window",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-sync",
    "--disable-breakpad",
    "--disable-client-side-phishing-detection",
    "--disable-domain-reliability",
    "--disable-search-engine-choice-screen",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    "--mute-audio",
    "--window-size=1280,720",
    /* Nobody is there to answer these questions. */
    "--disable-hang-monitor",
    "--disable-prompt-on-repost",
    /* The shell has no blocker either; the ceiling of tabs stands in for it. */
    "--disable-popup-blocking",
    /* Tabs that nobody looks at must run as fast as the others. */
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    /* Nothing may go around a proxy. */
    "--disable-quic",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy",
    /* A document that comes back from the cache, or was loaded before it was asked for, would tell
     * nothing of its loading. */
    "--disable-back-forward-cache",
    features_off,
};

static void add_arg(struct tb_cdp_launch_command *command, const char *text)
{
    if (command->count + 1 < TB_LAUNCH_ARGS_MAX) {
        command->args[command->count++] = text;
    }
}

/* The browser's setuid helper, where there is one, needs what no_new_privs forbids. */
static bool has_setuid_helper(const char *path)
{
    const char *slash = strrchr(path, '/');
    char helper[TB_PROFILE_PATH_SIZE];
    snprintf(helper, sizeof(helper), "%.*s/chrome-sandbox", slash ? (int)(slash - path) : 0, path);
    return access(helper, F_OK) == 0;
}

static void build_args(struct tb_cdp_launch_command *command,
                       const struct tb_cdp_launcher_opts *opts,
                       const struct tb_cdp_launch_spec *spec, const char *profile)
{
    if (opts->guard) {
        tb_exec_guard_args(opts->guard, spec->path, !has_setuid_helper(spec->path),
                           command->pid_text, command->args);
        command->count = TB_EXEC_GUARD_ARGS;
    }
    add_arg(command, spec->path);
    for (size_t i = 0; i < TB_COUNT(common_args); i++) {
        add_arg(command, common_args[i]);
    }
    if (spec->headless && !spec->shell) {
        add_arg(command, "--headless");
    }
    if (opts->no_sandbox) {
        add_arg(command, "--no-sandbox");
    }
    snprintf(command->user_data, TB_LAUNCH_LINE_SIZE, "--user-data-dir=%s", profile);
    add_arg(command, command->user_data);
    for (size_t i = 0; spec->more && spec->more[i]; i++) {
        add_arg(command, spec->more[i]);
    }
}

static void build_env(struct tb_cdp_launch_command *command, const struct tb_cdp_launch_spec *spec,
                      const char *profile)
{
    size_t count = 0;
    snprintf(command->home, TB_LAUNCH_LINE_SIZE, "HOME=%s", profile);
    snprintf(command->config, TB_LAUNCH_LINE_SIZE, "XDG_CONFIG_HOME=%s", profile);
    snprintf(command->cache, TB_LAUNCH_LINE_SIZE, "XDG_CACHE_HOME=%s", profile);
    snprintf(command->tmp, TB_LAUNCH_LINE_SIZE, "TMPDIR=%s", profile);
    command->env[count++] = command->home;
    command->env[count++] = command->config;
    command->env[count++] = command->cache;
    command->env[count++] = command->tmp;
    command->env[count++] = "PATH=/usr/local/bin:/usr/bin:/bin";
    command->env[count++] = "LANG=C.UTF-8";
    /* Nobody answers on a bus here, and looking for one costs start-up time. */
    command->env[count++] = "DBUS_SESSION_BUS_ADDRESS=disabled:";
    command->env[count++] = "DBUS_SYSTEM_BUS_ADDRESS=disabled:";
    if (!spec->headless) {
        static const char *const screens[] = {"DISPLAY=", "WAYLAND_DISPLAY=", "XAUTHORITY="};
        for (char **line = environ; *line; line++) {
            for (size_t i = 0; i < TB_COUNT(screens) && count + 1 < TB_LAUNCH_ENV_MAX; i++) {
                if (strncmp(*line, screens[i], strlen(screens[i])) == 0) {
                    command->env[count++] = *line;
                }
            }
        }
    }
    command->env[count] = NULL;
}

void tb_cdp_launch_command_build(struct tb_cdp_launch_command *command,
                                 const struct tb_cdp_launcher_opts *opts,
                                 const struct tb_cdp_launch_spec *spec, const char *profile)
{
    memset(command, 0, sizeof(*command));
    build_args(command, opts, spec, profile);
    build_env(command, spec, profile);
}
