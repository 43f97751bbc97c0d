/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/cdp.h"

#include <unistd.h>

#include "base/buf.h"
#include "core/args.h"
#include "core/config.h"
#include "core/core.h"
#include "driver/address.h"
#include "driver/cdp/browser/find.h"
#include "driver/cdp/browser/fleet.h"
#include "driver/cdp/browser/launch_check.h"
#include "driver/cdp/browser/session.h"
#include "driver/cdp/browser/switches.h"
#include "driver/cdp/keep/keep.h"
#include "driver/cdp/op/ops.h"
#include "driver/files.h"
#include "driver/launch_user.h"

static void *start(struct tb_core *core)
{
    return tb_cdp_fleet_new(core, "/proc/self/exe");
}

static void stop(void *state)
{
    tb_cdp_fleet_free(state);
}

static int check(const struct tb_config *config, struct tb_err *err)
{
    int rc = tb_cdp_launch_check_args(config, err);
    rc = rc < 0 ? rc : tb_cdp_launch_check_path(config, err);
    rc = rc < 0 ? rc : tb_launch_user_check(config, geteuid(), err);
    return rc < 0 ? rc : tb_cdp_launch_check_remote_ca(config, err);
}

static bool gains_rights(const struct tb_config *config)
{
    bool gains = false;
    for (int shell = 0; shell <= 1 && !gains; shell++) {
        const char *path = tb_cdp_browser_find(config->browser_path, shell);
        gains = path && tb_cdp_switches_need_rights(path);
    }
    return gains;
}

static int check_op(const struct tb_core *core, enum tb_op_kind kind, const struct cJSON *args,
                    struct tb_err *err)
{
    if (kind != TB_OP_NAVIGATE || !tb_args_has(args, "url")) {
        return 0;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf url = TB_BUF(TB_ADDRESS_MAX + 16);
    return tb_address_make(tb_args_text(args, "url", ""), core->config->browser_data_urls, &url,
                           err);
}

static void open_session(void *state, const struct tb_open_opts *opts, tb_open_fn *fn)
{
    tb_cdp_session_open_take(state, opts, tb_cdp_keep_new(opts->saved), fn);
}

static void forget(void *state, const char *session_id)
{
    const struct tb_cdp_fleet *fleet = state;
    tb_files_remove(tb_launcher_root(fleet->launcher), session_id);
}

static void measure(void *state)
{
    tb_cdp_fleet_measure(state);
}

static const struct tb_offer offers[] = {
    {TB_KIND_BROWSER, TB_PROVIDER_LOCAL, TB_ENGINE_SHELL},
    {TB_KIND_BROWSER, TB_PROVIDER_LOCAL, TB_ENGINE_CHROMIUM},
    {TB_KIND_BROWSER, TB_PROVIDER_CDP, TB_ENGINE_AUTO}, /* whichever is there */
    TB_OFFER_END,
};

const struct tb_driver tb_driver_cdp = {
    .name = "cdp",
    .offers = offers,
    .width = 1,
    .check = check,
    .gains_rights = gains_rights,
    .check_op = check_op,
    .start = start,
    .stop = stop,
    .open = open_session,
    .close = tb_cdp_session_close,
    .detach = tb_cdp_session_detach,
    .save = tb_cdp_keep_save,
    .saves_beside = true,
    .measure = measure,
    .forget = forget,
    .restored = tb_cdp_keep_restored,
    .describe = tb_cdp_session_describe,
    .tabs = tb_cdp_session_tabs,
    .ops =
        {
            [TB_OP_NAVIGATE] = tb_cdp_op_navigate,   [TB_OP_SNAPSHOT] = tb_cdp_op_snapshot,
            [TB_OP_CLICK] = tb_cdp_op_click,         [TB_OP_FILL] = tb_cdp_op_fill,
            [TB_OP_FILL_FORM] = tb_cdp_op_fill_form, [TB_OP_PRESS_KEY] = tb_cdp_op_press_key,
            [TB_OP_SELECT] = tb_cdp_op_select,       [TB_OP_HOVER] = tb_cdp_op_hover,
            [TB_OP_SCROLL] = tb_cdp_op_scroll,       [TB_OP_WAIT] = tb_cdp_op_wait,
            [TB_OP_EXTRACT] = tb_cdp_op_extract,     [TB_OP_SCREENSHOT] = tb_cdp_op_screenshot,
            [TB_OP_EVALUATE] = tb_cdp_op_evaluate,   [TB_OP_TABS] = tb_cdp_op_tabs,
            [TB_OP_DIALOG] = tb_cdp_op_dialog,       [TB_OP_UPLOAD] = tb_cdp_op_upload,
            [TB_OP_DOWNLOADS] = tb_cdp_op_downloads, [TB_OP_CONSOLE] = tb_cdp_op_console,
            [TB_OP_NETWORK] = tb_cdp_op_network,     [TB_OP_COOKIES] = tb_cdp_op_cookies,
            [TB_OP_STORAGE] = tb_cdp_op_storage,     [TB_OP_STATE] = tb_cdp_op_state,
            [TB_OP_EMULATE] = tb_cdp_op_emulate,     [TB_OP_DRAG] = tb_cdp_op_drag,
            [TB_OP_MOUSE] = tb_cdp_op_mouse,         [TB_OP_PDF] = tb_cdp_op_pdf,
            [TB_OP_ELEMENTS] = tb_cdp_op_elements,
        },
};
