/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/fleet.h"

#include "base/json.h"
#include "core/config.h"
#include "core/core.h"
#include "core/sessions.h"
#include "driver/cdp/browser/browser.h"
#include "driver/cdp/browser/engine.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/files.h"
#include "driver/page_script.h"
#include "driver/proc.h"

enum {
    SCRIPT_PARAMS_MAX = 4 * 1024 * 1024,
};

/* The scripts of page/ as the command that every tab gets, so that they are escaped once. */
static void make_script_params(struct tb_buf *out)
{
    struct tb_json_writer json;
    tb_buf_init(out, SCRIPT_PARAMS_MAX);
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "source", (struct tb_str){tb_page_script, tb_page_script_len});
    tb_json_member_cstr(&json, "worldName", "tabard");
    tb_json_member_bool(&json, "runImmediately", true);
    tb_json_object_close(&json);
}

/* For the tenant that a daemon without further credentials has. */
static void prestart(struct tb_cdp_fleet *fleet)
{
    const struct tb_config *config = fleet->core->config;
    struct tb_cdp_browser_spec spec = {
        .tenant = "default", .endpoint = "", .headless = config->browser_headless};
    /* Without a browser the first session says what is missing. */
    if (tb_cdp_engine_choose(config, tb_str_of(config->browser_engine), &spec, NULL) == 0) {
        tb_cdp_browser_prestart(fleet, &spec);
    }
}

static bool is_kept(struct tb_str session_id, void *user)
{
    const struct tb_core *core = ((struct tb_cdp_fleet *)user)->core;
    return !core->sessions || tb_sessions_keep(core->sessions, session_id);
}

static void on_settled(const char *root, void *owner)
{
    tb_files_sweep(root, is_kept, owner);
}

void tb_cdp_fleet_measure(const struct tb_cdp_fleet *fleet)
{
    struct tb_metrics *metrics = &fleet->core->metrics;
    TB_AUTO(tb_buf_fini) struct tb_buf pids = TB_BUF(SIZE_MAX);
    LIST_FOREACH(link, &fleet->browsers) {
        const struct tb_cdp_browser *browser = TB_CONTAINER(link, struct tb_cdp_browser, link);
        if (browser->launch) {
            pid_t pid = tb_launch_pid(browser->launch);
            tb_buf_append(&pids, &pid, sizeof(pid));
        }
    }
    size_t count = pids.len / sizeof(pid_t);
    struct tb_proc_usage usage =
        tb_proc_groups_usage((const pid_t *)(const void *)pids.data, count);
    metrics->values[TB_METRIC_BROWSERS] += (int64_t)count;
    metrics->values[TB_METRIC_BROWSER_PROCESSES] += usage.processes;
    metrics->values[TB_METRIC_BROWSER_BYTES] += usage.bytes;
}

struct tb_cdp_fleet *tb_cdp_fleet_new(struct tb_core *core, const char *guard)
{
    struct tb_cdp_fleet *fleet = TB_NEW(struct tb_cdp_fleet);
    fleet->core = core;
    fleet->loop = core->loop;
    fleet->start_silence_ms = TB_BROWSER_SILENCE_MS;
    tb_list_init(&fleet->browsers);
    tb_list_init(&fleet->sessions);
    make_script_params(&fleet->script_params);
    struct tb_launcher_opts opts = {
        .runtime_dir = core->config->runtime_dir,
        .user = core->config->browser_user,
        .guard = guard,
        .no_sandbox = core->config->browser_no_sandbox,
        .settled = on_settled,
        .owner = fleet,
    };
    fleet->launcher = tb_launcher_new(fleet->loop, &opts);
    if (core->config->browser_prestart) {
        prestart(fleet);
    }
    return fleet;
}

void tb_cdp_fleet_free(struct tb_cdp_fleet *fleet)
{
    if (!fleet) {
        return;
    }
    LIST_FOREACH_SAFE(link, &fleet->sessions) {
        tb_cdp_session_free(TB_CONTAINER(link, struct tb_driver_session, link));
    }
    LIST_FOREACH_SAFE(link, &fleet->browsers) {
        tb_cdp_browser_free(TB_CONTAINER(link, struct tb_cdp_browser, link));
    }
    tb_launcher_free(fleet->launcher);
    tb_buf_fini(&fleet->script_params);
    tb_free(fleet);
}
