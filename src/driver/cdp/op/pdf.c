/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/hash.h"
#include "core/args.h"
#include "driver/cdp/browser/folder.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/work.h"
#include "driver/files.h"

enum {
    PARAMS_MAX = 4096,
    NAMES = 1000,
};

static const struct {
    const char *name;
    double width; /* inches */
    double height;
} papers[] = {
    {"A4", 8.27, 11.7},  {"Letter", 8.5, 11}, {"Legal", 8.5, 14},
    {"A3", 11.7, 16.54}, {"A5", 5.83, 8.27},
};

/* "page-1.pdf", or the next number that is free. */
static void choose_name(const char *directory, char ret_name[TB_FILE_NAME_SIZE])
{
    for (int i = 1; i < NAMES; i++) {
        snprintf(ret_name, TB_FILE_NAME_SIZE, "page-%d.pdf", i);
        if (!tb_files_has(directory, ret_name)) {
            return;
        }
    }
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    struct cJSON *data = work->op->result->data;
    struct tb_str text = tb_cdp_pick(value, "data");
    TB_AUTO(tb_buf_fini) struct tb_buf bytes = TB_BUF(TB_FILES_BYTES_MAX);
    struct tb_err err;
    char name[TB_FILE_NAME_SIZE];
    const char *directory = tb_cdp_folder_path(work->session, &err);
    if (!directory) {
        tb_cdp_work_fail_err(work, &err);
        return;
    }
    if (text.len < 2 || tb_base64_decode(tb_str_sub(text, 1, text.len - 1), &bytes) < 0) {
        tb_cdp_work_fail(work, TB_E_TOO_LARGE, "the document is larger than %d MB",
                         TB_FILES_BYTES_MAX / (1024 * 1024));
        return;
    }
    choose_name(directory, name);
    if (tb_cdp_folder_add(work->session, name, tb_buf_str(&bytes), &err) < 0) {
        tb_cdp_work_fail_err(work, &err);
        return;
    }
    TB_AUTO(tb_free) char *path = tb_strdupf("%s/%s", directory, name);
    tb_json_set_cstr(data, "file", name);
    tb_json_set_cstr(data, "path", path);
    tb_json_set_int(data, "bytes", (int64_t)bytes.len);
    tb_cdp_work_done(work);
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    if (err->code != TB_E_PROTOCOL) {
        return false;
    }
    bool pages = tb_args_has(work->op->args, "pages");
    tb_cdp_work_fail(work, pages ? TB_E_PARAMS : TB_E_NOT_POSSIBLE,
                     "the page cannot be printed: %s", err->text);
    return true;
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct tb_cdp_work),
                                             .step = step,
                                             .failed = failed};

static void put_paper(const struct cJSON *args, struct tb_json_writer *json)
{
    struct tb_str wanted = tb_args_text(args, "paper", "A4");
    size_t at = 0;
    for (size_t i = 0; i < TB_COUNT(papers); i++) {
        if (tb_str_eq_nocase(wanted, tb_str_of(papers[i].name))) {
            at = i;
        }
    }
    tb_json_member_num(json, "paperWidth", papers[at].width);
    tb_json_member_num(json, "paperHeight", papers[at].height);
}

void tb_cdp_op_pdf(struct tb_driver_session *session, struct tb_op *op)
{
    struct tb_cdp_work *work = tb_cdp_work_new(&kind, session, op);
    if (!work) {
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    put_paper(op->args, &json);
    tb_json_member_bool(&json, "landscape", tb_args_flag(op->args, "landscape", false));
    tb_json_member_bool(&json, "printBackground", tb_args_flag(op->args, "background", true));
    tb_json_member_num(&json, "scale", tb_args_num(op->args, "scale", 1));
    if (tb_args_has(op->args, "pages")) {
        tb_json_member_str(&json, "pageRanges", tb_args_text(op->args, "pages", ""));
    }
    tb_json_object_close(&json);
    tb_cdp_work_send(work, "Page.printToPDF", tb_buf_str(&params));
}
