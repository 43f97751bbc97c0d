/* SPDX-License-Identifier: Apache-2.0 */
/* The current tab is asked, all commands at once, so that a wrong value is told; the other tabs are
 * then brought to the same. ASKED, one answer a command --> end. */
#include "core/args.h"
#include "driver/cdp/browser/emulation.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/work.h"
#include "driver/cdp/page/page_internal.h"

struct emulate {
    struct tb_cdp_work work;
    struct cJSON *wanted;
    int answers; /* still to come */
};

static void ask(const char *method, struct tb_str params, void *user)
{
    struct emulate *emulate = user;
    emulate->answers++;
    tb_cdp_work_send(&emulate->work, method, params);
}

static void finish(struct emulate *emulate)
{
    struct tb_cdp_work *work = &emulate->work;
    struct tb_driver_session *session = work->session;
    bool reset = tb_args_flag(work->op->args, "reset", false);
    tb_cdp_emulation_set_take(session, emulate->wanted);
    emulate->wanted = NULL;
    for (size_t i = 0; i < tb_cdp_session_page_count(session); i++) {
        struct tb_cdp_page *page = tb_cdp_session_page_by_index(session, i);
        if (page != tb_cdp_work_page(work)) {
            tb_cdp_emulation_apply(session->emulation, reset, page);
        }
        if (reset && !tb_json_get(session->emulation, "viewport")) {
            tb_cdp_page_set_viewport(page, session->use.width, session->use.height);
        }
    }
    JSON_ARRAY_FOREACH(item, session->emulation) {
        tb_json_set_take(work->op->result->data, tb_json_name(item), tb_json_dup(item));
    }
    work->acted = true;
    tb_cdp_work_wind_up(work);
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    struct emulate *emulate = TB_CONTAINER(work, struct emulate, work);
    (void)value;
    if (--emulate->answers == 0) {
        finish(emulate);
    }
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    if (err->code != TB_E_PROTOCOL) {
        return false;
    }
    tb_cdp_work_fail(work, TB_E_PARAMS, "the browser refused the emulation: %s", err->text);
    return true;
}

static void fini(struct tb_cdp_work *work)
{
    tb_json_free(TB_CONTAINER(work, struct emulate, work)->wanted);
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct emulate),
                                             .step = step,
                                             .failed = failed,
                                             .fini = fini};

void tb_cdp_op_emulate(struct tb_driver_session *session, struct tb_op *op)
{
    struct emulate *emulate = tb_cdp_work_new(&kind, session, op);
    if (!emulate) {
        return;
    }
    struct tb_cdp_work *work = &emulate->work;
    bool reset = tb_args_flag(op->args, "reset", false);
    const struct cJSON *before = session->emulation;
    struct tb_err err;
    if (tb_str_eq_cstr(tb_args_text(op->args, "device", ""), "list")) {
        tb_json_set_take(op->result->data, "devices", tb_cdp_emulation_devices());
        tb_cdp_work_wind_up(work);
        return;
    }
    emulate->wanted = before && !reset ? tb_json_dup(before) : tb_json_new_object();
    if (tb_cdp_emulation_merge(emulate->wanted, op->args, &err) < 0) {
        tb_cdp_work_fail_err(work, &err);
        return;
    }
    if (tb_args_has(op->args, "geolocation")) {
        tb_cdp_emulation_allow_place(session);
    }
    tb_cdp_emulation_commands(emulate->wanted, reset, ask, emulate);
    if (!emulate->answers) {
        finish(emulate);
    }
}
