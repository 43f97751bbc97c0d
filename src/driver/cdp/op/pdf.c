/* SPDX-License-Identifier: Apache-2.0 */
/* [VEIL: secrets that were typed are covered] --> PRINT --> end. */
#include <stdio.h>

#include "base/hash.h"
#include "core/args.h"
#include "driver/cdp/browser/folder.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/veil.h"
#include "driver/cdp/op/work.h"
#include "driver/files.h"

enum state {
    VEIL,
    PRINT,
};

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

struct pdf {
    struct tb_cdp_work work;
    struct tb_cdp_veil veil;
};

static struct pdf *pdf_of(struct tb_cdp_work *work)
{
    return TB_CONTAINER(work, struct pdf, work);
}

/* "page-1.pdf", or the next number that is free. */
static int choose_name(const struct tb_files_folder *folder, char ret_name[TB_FILE_NAME_SIZE],
                       struct tb_err *err)
{
    for (int i = 1; i < NAMES; i++) {
        snprintf(ret_name, TB_FILE_NAME_SIZE, "page-%d.pdf", i);
        if (!tb_files_has(folder, ret_name)) {
            return 0;
        }
    }
    return tb_fail(err, TB_E_LIMIT,
                   "the session's directory has %d documents already, and none is replaced; start "
                   "another session for more",
                   NAMES - 1);
}

static void on_printed(struct tb_cdp_work *work, struct tb_str value)
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
    if (choose_name(&work->session->folder, name, &err) < 0 ||
        tb_cdp_folder_add(work->session, name, tb_buf_str(&bytes), &err) < 0) {
        tb_cdp_work_fail_err(work, &err);
        return;
    }
    TB_AUTO(tb_free) char *path = tb_strdupf("%s/%s", directory, name);
    tb_json_set_cstr(data, "file", name);
    tb_json_set_cstr(data, "path", path);
    tb_json_set_int(data, "bytes", (int64_t)bytes.len);
    tb_cdp_work_done(work);
}

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

static void print(struct tb_cdp_work *work)
{
    const struct cJSON *args = work->op->args;
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    put_paper(args, &json);
    tb_json_member_bool(&json, "landscape", tb_args_flag(args, "landscape", false));
    tb_json_member_bool(&json, "printBackground", tb_args_flag(args, "background", true));
    tb_json_member_num(&json, "scale", tb_args_num(args, "scale", 1));
    if (tb_args_has(args, "pages")) {
        tb_json_member_str(&json, "pageRanges", tb_args_text(args, "pages", ""));
    }
    tb_json_object_close(&json);
    work->state = PRINT;
    tb_cdp_work_send(work, "Page.printToPDF", tb_buf_str(&params));
}

static void cover_and_print(struct tb_cdp_work *work)
{
    work->state = VEIL;
    if (!tb_cdp_veil_next(&pdf_of(work)->veil, work)) {
        print(work);
    }
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    if (work->state == VEIL) {
        cover_and_print(work);
    } else {
        tb_cdp_veil_lift(&pdf_of(work)->veil);
        on_printed(work, value);
    }
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    if (work->state == VEIL && err->code == TB_E_ELEMENT_STALE) {
        cover_and_print(work); /* that field is gone */
        return true;
    }
    if (err->code != TB_E_PROTOCOL) {
        return false;
    }
    bool pages = tb_args_has(work->op->args, "pages");
    tb_cdp_work_fail(work, pages ? TB_E_PARAMS : TB_E_NOT_POSSIBLE,
                     "the page cannot be printed: %s", err->text);
    return true;
}

static void fini(struct tb_cdp_work *work)
{
    tb_cdp_veil_lift(&pdf_of(work)->veil);
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct pdf),
                                             .step = step,
                                             .failed = failed,
                                             .fini = fini};

void tb_cdp_op_pdf(struct tb_driver_session *session, struct tb_op *op)
{
    struct pdf *pdf = tb_cdp_work_new(&kind, session, op);
    if (pdf) {
        cover_and_print(&pdf->work);
    }
}
