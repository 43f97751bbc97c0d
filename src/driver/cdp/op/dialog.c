/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "core/args.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/work.h"

enum {
    PARAMS_MAX = 64 * 1024,
};

/* What opened the dialog goes on now. If that was a click, the page tells of it by itself; the
 * answer to the question comes behind that. */
static void step(struct tb_cdp_work *work, struct tb_str value)
{
    (void)value;
    tb_cdp_work_here_again(work);
    tb_cdp_work_wind_up(work);
}

/* It has gone by itself in the meantime. */
static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    if (err->code != TB_E_PROTOCOL || !strstr(err->text, "No dialog is showing")) {
        return false;
    }
    tb_cdp_work_fail(work, TB_E_NO_DIALOG, "the page no longer shows a dialog");
    return true;
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct tb_cdp_work),
                                             .in_dialog = true,
                                             .step = step,
                                             .failed = failed};

void tb_cdp_op_dialog(struct tb_driver_session *session, struct tb_op *op)
{
    struct tb_cdp_work *work = tb_cdp_work_new(&kind, session, op);
    if (!work) {
        return;
    }
    const struct tb_cdp_dialog *dialog = tb_cdp_page_dialog(tb_cdp_work_page(work));
    if (!dialog->open) {
        tb_cdp_work_fail(work, TB_E_NO_DIALOG, "the page shows no dialog");
        return;
    }
    bool accept = tb_args_flag(op->args, "accept", true);
    tb_json_set_cstr(op->result->data, "type", dialog->type);
    tb_json_set_cstr(op->result->data, "message", dialog->message);
    tb_json_set_bool(op->result->data, "accepted", accept);
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_bool(&json, "accept", accept);
    /* Who accepts a prompt without words takes what it offers. */
    tb_json_member_str(&json, "promptText", tb_args_text(op->args, "text", dialog->default_text));
    tb_json_object_close(&json);
    work->acted = true;
    tb_cdp_work_expect(work, 1); /* any: they are counted from the beginning of the document */
    tb_cdp_work_send(work, "Page.handleJavaScriptDialog", tb_buf_str(&params));
}
