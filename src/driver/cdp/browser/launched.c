/* SPDX-License-Identifier: Apache-2.0 */
/* A browser that is a process of ours. */
#include "core/core.h"
#include "driver/cdp/browser/browser.h"
#include "driver/cdp/browser/helpers.h"
#include "driver/cdp/browser/ownership.h"
#include "driver/cdp/browser/switches.h"
#include "driver/cdp/wire/line_pipe.h"

static const char *name(const struct tb_cdp_browser *browser)
{
    return browser->spec.path;
}

static void on_exit_of_process(struct tb_launch *launch, void *user)
{
    (void)launch;
    tb_cdp_browser_ended(user);
}

static int start(struct tb_cdp_browser *browser, struct tb_err *err)
{
    const char **args =
        tb_cdp_switches_new(browser->fleet->core->config,
                            browser->spec.headless && !browser->spec.shell, browser->spec.proxied);
    struct tb_launch_spec spec = {
        .path = browser->spec.path,
        .args = args,
        .profile_switch = "--user-data-dir=",
        .windowed = !browser->spec.headless,
        .gains_rights = tb_cdp_switches_need_rights(browser->spec.path),
    };
    browser->launch =
        tb_launch_new(browser->fleet->launcher, &spec, on_exit_of_process, browser, err);
    tb_free(args);
    if (!browser->launch) {
        return TB_E_BROWSER_START;
    }
    struct tb_stream *to;
    struct tb_stream *from;
    tb_launch_pipe_take(browser->launch, &to, &from);
    tb_cdp_browser_on_line_take(browser, tb_cdp_line_pipe_new_take(to, from));
    return 0;
}

static void stop(struct tb_cdp_browser *browser)
{
    struct tb_launch *launch = browser->launch;
    browser->launch = NULL;
    tb_cdp_helpers_free(browser->helpers);
    browser->helpers = NULL;
    tb_launch_free(launch);
}

static bool at_work(const struct tb_cdp_browser *browser)
{
    return browser->launch && tb_launch_at_work(browser->launch);
}

static bool has_worked(const struct tb_cdp_browser *browser)
{
    return browser->launch && tb_launch_has_worked(browser->launch);
}

static bool is_ending(const struct tb_cdp_browser *browser)
{
    return browser->launch && tb_launch_is_ending(browser->launch);
}

static const char *profile(const struct tb_cdp_browser *browser)
{
    return browser->launch ? tb_launch_profile(browser->launch) : NULL;
}

/* They end with their browser, and may be noticed first. */
static void on_helper_ended(const char *words, void *user)
{
    tb_cdp_browser_lost(user, is_ending(user) ? TB_CDP_BROWSER_ENDED : words);
}

static void on_processes(struct tb_cdp_command *command, int code, struct tb_str result,
                         const struct tb_err *err)
{
    const struct tb_cdp_browser *browser = TB_CONTAINER(command, struct tb_cdp_browser, processes);
    (void)err;
    if (code == 0 && browser->helpers) {
        tb_cdp_helpers_take(browser->helpers, result);
    }
}

/* Some begin with the first page, so they are asked for more than once; the newest answer counts.
 */
static void look_after(struct tb_cdp_browser *browser)
{
    struct tb_loop *loop = browser->peer.loop;
    if (!browser->launch || !browser->peer.conn || browser->over) {
        return;
    }
    if (!browser->helpers) {
        browser->helpers = tb_cdp_helpers_new(loop, on_helper_ended, browser);
    }
    tb_cdp_command_forget(browser->peer.conn, &browser->processes);
    browser->processes = (struct tb_cdp_command){
        .deadline_ms = tb_loop_now_ms(loop) + TB_CDP_COMMAND_MS, .done = on_processes};
    tb_cdp_command_send(browser->peer.conn, &browser->processes, NULL, "SystemInfo.getProcessInfo",
                        (struct tb_str){NULL, 0});
}

const struct tb_cdp_ownership tb_cdp_launched = {
    .ours = true,
    .failure = TB_E_BROWSER_START,
    .name = name,
    .start = start,
    .stop = stop,
    .at_work = at_work,
    .has_worked = has_worked,
    .is_ending = is_ending,
    .profile = profile,
    .look_after = look_after,
};
