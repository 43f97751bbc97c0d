/* SPDX-License-Identifier: Apache-2.0 */
/* The outline, or what differs from the last one. */
#include "core/args.h"
#include "core/limits.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/outline.h"
#include "driver/cdp/op/work.h"
#include "driver/outline_diff.h"

enum {
    CHARS = 20000,
};

struct snapshot {
    struct tb_cdp_work work;
    struct tb_cdp_outline outline;
};

/* Only a look at the whole page can be compared with the next one. One that is too large for the
 * usual room counts, too: the next one is cut at the same place. */
static bool is_whole(const struct tb_op *op)
{
    static const char *const parts[] = {"target", "depth", "find"};
    bool cut = false;
    tb_json_bool(tb_json_get(op->result->data, "truncated"), &cut);
    for (size_t i = 0; i < TB_COUNT(parts); i++) {
        if (tb_args_has(op->args, parts[i])) {
            return false;
        }
    }
    return !tb_args_flag(op->args, "interactive", false) &&
           !(cut && tb_args_has(op->args, "max_chars"));
}

static void compare(struct snapshot *snapshot)
{
    struct tb_cdp_work *work = &snapshot->work;
    struct tb_result *result = work->op->result;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_str before = page ? tb_cdp_page_outline(page) : (struct tb_str){NULL, 0};
    bool asked = tb_args_flag(work->op->args, "diff", false);
    bool wanted = asked && before.len;
    TB_AUTO(tb_buf_fini) struct tb_buf diff = TB_BUF(TB_RESULT_TEXT_MAX);
    int changes = wanted ? tb_outline_diff(before, tb_buf_str(&result->text), &diff) : -1;
    if (page) {
        tb_cdp_page_keep_outline(page, tb_buf_str(&result->text));
    }
    if (changes < 0 || diff.len > result->text.len) {
        /* The outline itself says it in fewer words. */
        tb_json_set_take(result->data, "undiffed",
                         asked ? tb_json_new_str(wanted ? TB_STR("most") : TB_STR("first")) : NULL);
        return;
    }
    tb_json_set_bool(result->data, "diff", true);
    if (changes == 0) {
        tb_json_set_bool(result->data, "unchanged", true);
    }
    tb_buf_clear(&result->text);
    tb_buf_append_str(&result->text, tb_buf_str(&diff));
}

static void finish(struct snapshot *snapshot)
{
    struct tb_cdp_work *work = &snapshot->work;
    if (is_whole(work->op)) {
        compare(snapshot);
    } else if (tb_args_flag(work->op->args, "diff", false)) {
        tb_json_set_cstr(work->op->result->data, "undiffed", "part");
    }
    tb_cdp_work_done_at(work, tb_buf_str(&snapshot->outline.page));
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    struct snapshot *snapshot = TB_CONTAINER(work, struct snapshot, work);
    if (tb_cdp_outline_step(&snapshot->outline, value)) {
        finish(snapshot);
    }
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    bool bears = tb_cdp_outline_bears(&TB_CONTAINER(work, struct snapshot, work)->outline, err);
    if (bears) {
        step(work, (struct tb_str){NULL, 0});
    }
    return bears;
}

static void fini(struct tb_cdp_work *work)
{
    tb_cdp_outline_fini(&TB_CONTAINER(work, struct snapshot, work)->outline);
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct snapshot),
                                             .step = step,
                                             .failed = failed,
                                             .fini = fini};

void tb_cdp_op_snapshot(struct tb_driver_session *session, struct tb_op *op)
{
    struct snapshot *snapshot = tb_cdp_work_new(&kind, session, op);
    if (!snapshot) {
        return;
    }
    tb_cdp_outline_init(&snapshot->outline, &snapshot->work, "target depth interactive find",
                        tb_args_int(op->args, "max_chars", CHARS));
    if (tb_cdp_work_frame(&snapshot->work, tb_args_text(op->args, "target", ""))) {
        tb_cdp_outline_start(&snapshot->outline);
    }
}
