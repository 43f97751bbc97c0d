/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/switches.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "core/config.h"
#include "driver/namespaces.h"

enum {
    HELPER_PATH_SIZE = 256,
};

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
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp", /* the shell reads it here */
    /* A document that comes back from the cache, or was loaded before it was asked for, would tell
     * nothing of its loading. */
    "--disable-back-forward-cache",
    features_off,
};

/* No name is looked up around the proxy: not for WebRTC, and not ahead of time either. */
static const char no_names[] =
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.* , EXCLUDE [::1]";

const char **tb_cdp_switches_new(const struct tb_config *config, bool headless, bool proxied)
{
    const struct tb_config_list *more = &config->browser_args;
    size_t count = 0;
    const char **list =
        TB_NEW_ARRAY(const char *, TB_COUNT(common_args) + more->count + 4 /* NULL, too */);
    for (size_t i = 0; i < TB_COUNT(common_args); i++) {
        list[count++] = common_args[i];
    }
    if (headless) {
        list[count++] = "--headless";
    }
    if (config->browser_no_sandbox) {
        list[count++] = "--no-sandbox";
    }
    for (size_t i = 0; i < more->count; i++) {
        list[count++] = more->items[i];
    }
    if (proxied) { /* last: it counts */
        list[count++] = no_names;
    }
    return list;
}

/* The helper gains what no_new_privs forbids, but only a browser without namespaces counts on it.
 */
bool tb_cdp_switches_need_rights(const char *path)
{
    const char *slash = strrchr(path, '/');
    char helper[HELPER_PATH_SIZE];
    struct stat info;
    snprintf(helper, sizeof(helper), "%.*s/chrome-sandbox", slash ? (int)(slash - path) : 0, path);
    return stat(helper, &info) == 0 && (info.st_mode & S_ISUID) && !tb_namespaces_allowed();
}
