/* SPDX-License-Identifier: Apache-2.0 */
/* The first use makes the session's directory and lets the browser save files there.
 * [ALLOWING] --> [until none is under way] --> done. */
#include "core/args.h"
#include "driver/cdp/files.h"
#include "driver/cdp/memory.h"
#include "driver/cdp/ops.h"
#include "driver/cdp/opwork.h"

enum {
    PARAMS_MAX = 2048,
};

static void finish(struct tb_opwork *work)
{
    const struct tb_memory *memory = tb_memory_of(work->session);
    struct cJSON *data = work->op->result->data;
    tb_json_set_cstr(data, "directory", memory->directory);
    tb_json_set_take(data, "downloads",
                     tb_download_log_list(&memory->downloads, memory->directory));
    tb_opwork_done(work);
}

static void look(void *user)
{
    struct tb_opwork *work = user;
    if (!tb_download_log_busy(&tb_memory_of(work->session)->downloads)) {
        finish(work);
    }
}

static void go_on(struct tb_opwork *work)
{
    struct tb_memory *memory = tb_memory_of(work->session);
    if (tb_args_flag(work->op->args, "wait", false) && tb_download_log_busy(&memory->downloads)) {
        memory->downloads.on_change = look;
        memory->downloads.user = work;
        return;
    }
    finish(work);
}

static void step(struct tb_opwork *work, struct tb_str value)
{
    (void)value;
    go_on(work);
}

static void fini(struct tb_opwork *work)
{
    struct tb_memory *memory = tb_memory_of(work->session);
    if (memory->downloads.user == work) {
        memory->downloads.on_change = NULL;
        memory->downloads.user = NULL;
    }
}

static const struct tb_opwork_kind kind = {.size = sizeof(struct tb_opwork),
                                           .in_dialog = true,
                                           .step = step,
                                           .fini = fini};

void tb_cdp_op_downloads(struct tb_driver_session *session, struct tb_op *op)
{
    struct tb_opwork *work = tb_opwork_new(&kind, session, op);
    if (!work) {
        return;
    }
    bool allowed = tb_memory_of(session)->downloads.allowed;
    struct tb_err err;
    const char *directory = tb_files_directory(session, &err);
    if (!directory) {
        tb_opwork_fail_err(work, &err);
        return;
    }
    if (allowed) {
        go_on(work);
        return;
    }
    tb_memory_of(session)->downloads.allowed = true;
    TB_AUTO(tb_buf_fini) struct tb_buf params;
    struct tb_json_writer json;
    tb_buf_init(&params, PARAMS_MAX);
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_key(&json, "behavior");
    tb_json_put_cstr(&json, "allowAndName");
    tb_json_key(&json, "browserContextId");
    tb_json_put_cstr(&json, tb_session_context_id(session));
    tb_json_key(&json, "downloadPath");
    tb_json_put_cstr(&json, directory);
    tb_json_object_close(&json);
    tb_opwork_send_to(work, "", "Browser.setDownloadBehavior", tb_buf_str(&params));
}
