/* SPDX-License-Identifier: Apache-2.0 */
/* A browser that somebody else runs, at an endpoint. */
#include "core/config.h"
#include "core/core.h"
#include "driver/cdp/browser/browser.h"
#include "driver/cdp/browser/ownership.h"
#include "driver/cdp/wire/line_ws.h"
#include "driver/endpoint.h"

static void on_reached(struct tb_stream *stream, struct tb_str host, struct tb_str target,
                       const struct tb_err *err, void *user)
{
    if (err) {
        tb_cdp_browser_failed_to_start(user, err);
    } else {
        tb_cdp_browser_on_line_take(user, tb_cdp_line_ws_new_take(stream, host, target));
    }
}

static int start(struct tb_cdp_browser *browser, struct tb_err *err)
{
    (void)err;
    browser->remote = tb_endpoint_new(browser->peer.loop, browser->spec.endpoint,
                                      browser->fleet->core->config->browser_remote_ca,
                                      browser->start_deadline_ms, on_reached, browser);
    return 0;
}

static void stop(struct tb_cdp_browser *browser)
{
    tb_endpoint_free(browser->remote);
    browser->remote = NULL;
}

/* Its address is a key to it. */
static const char *name(const struct tb_cdp_browser *browser)
{
    (void)browser;
    return "the endpoint";
}

/* Nothing is known of its processes. */
static bool is_unknown(const struct tb_cdp_browser *browser)
{
    (void)browser;
    return false;
}

static const char *profile(const struct tb_cdp_browser *browser)
{
    (void)browser;
    return NULL;
}

const struct tb_cdp_ownership tb_cdp_remote = {
    .failure = TB_E_ENDPOINT,
    .name = name,
    .start = start,
    .stop = stop,
    .at_work = is_unknown,
    .has_worked = is_unknown,
    .is_ending = is_unknown,
    .profile = profile,
};
