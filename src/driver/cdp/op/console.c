/* SPDX-License-Identifier: Apache-2.0 */
#include "core/args.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/work.h"

enum {
    LIMIT = 50,
};

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    (void)value;
    tb_cdp_work_done(work);
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    (void)err;
    tb_cdp_work_done(work); /* what was kept is there all the same */
    return true;
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct tb_cdp_work),
                                             .in_dialog = true,
                                             .step = step,
                                             .failed = failed};

void tb_cdp_op_console(struct tb_driver_session *session, struct tb_op *op)
{
    struct tb_cdp_work *work = tb_cdp_work_new(&kind, session, op);
    if (!work) {
        return;
    }
    struct tb_cdp_journal *journal = &session->journal;
    struct cJSON *messages = tb_json_new_array();
    enum tb_cdp_console_level level =
        tb_cdp_console_level_of(tb_args_text(op->args, "level", "info"));
    int64_t limit = tb_args_int(op->args, "limit", LIMIT);
    size_t total = tb_cdp_console_log_list(
        &journal->console, level, tb_args_text(op->args, "find", ""), (size_t)limit, messages);
    tb_json_set_take(op->result->data, "messages", messages);
    tb_json_set_int(op->result->data, "total", (int64_t)total);
    if (tb_args_flag(op->args, "clear", false)) {
        tb_cdp_console_log_clear(&journal->console);
    }
    if (journal->log_on) {
        tb_cdp_work_done(work);
        return;
    }
    /* Answered, it holds for the documents that come, too. */
    tb_cdp_journal_watch_log(session);
    tb_cdp_work_send(work, "Log.enable", (struct tb_str){NULL, 0});
}
