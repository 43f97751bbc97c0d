/* SPDX-License-Identifier: Apache-2.0 */
/* From the first use on, at the latest, the session keeps files. With `wait` it ends when none is
 * under way. A click on a link of the kind <a download> is over before the browser tells of it, so
 * one that nobody has heard of yet is given a moment to begin. */
#include "core/args.h"
#include "driver/cdp/browser/folder.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/work.h"
#include "io/timer.h"

enum {
    BEGIN_MS = 1000,
};

struct downloads {
    struct tb_cdp_work work;
    struct tb_timer begin; /* armed: one may still begin */
};

static struct tb_cdp_download_log *log_of(const struct downloads *downloads)
{
    return &downloads->work.session->journal.downloads;
}

static void finish(struct downloads *downloads)
{
    const char *directory = downloads->work.session->folder.path;
    struct tb_cdp_download_log *log = log_of(downloads);
    struct cJSON *data = downloads->work.op->result->data;
    tb_json_set_cstr(data, "directory", directory);
    tb_json_set_take(data, "downloads", tb_cdp_download_log_list(log, directory));
    log->listed = log->begun;
    tb_cdp_work_done(&downloads->work);
}

static void look(void *user)
{
    struct downloads *downloads = user;
    const struct tb_cdp_download_log *log = log_of(downloads);
    bool may_begin = log->begun == log->listed && tb_timer_armed(&downloads->begin);
    if (!may_begin && !tb_cdp_download_log_busy(log)) {
        finish(downloads);
    }
}

static void on_begin_timer(struct tb_timer *timer, void *user)
{
    (void)timer;
    look(user);
}

static void fini(struct tb_cdp_work *work)
{
    struct downloads *downloads = TB_CONTAINER(work, struct downloads, work);
    tb_cdp_download_log_forget(log_of(downloads), downloads);
    tb_timer_fini(&downloads->begin);
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct downloads),
                                             .in_dialog = true,
                                             .fini = fini};

void tb_cdp_op_downloads(struct tb_driver_session *session, struct tb_op *op)
{
    struct downloads *downloads = tb_cdp_work_new(&kind, session, op);
    if (!downloads) {
        return;
    }
    struct tb_err err;
    if (!tb_cdp_folder_keep_downloads(session, &err)) {
        tb_cdp_work_fail_err(&downloads->work, &err);
        return;
    }
    if (!tb_args_flag(op->args, "wait", false)) {
        finish(downloads);
        return;
    }
    struct tb_cdp_download_log *log = log_of(downloads);
    log->on_change = look;
    log->user = downloads;
    tb_timer_init(&downloads->begin, tb_cdp_session_loop(session), on_begin_timer, downloads);
    tb_timer_start(&downloads->begin, BEGIN_MS);
    look(downloads);
}
