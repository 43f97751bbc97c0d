/* SPDX-License-Identifier: Apache-2.0 */
/* [TIME] --> [PAGE: what the page is to show] --> end. A navigation in between is no end: the page
 * function is called again in the new document. */
#include <string.h>

#include "core/args.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/work.h"
#include "io/timer.h"

enum {
    ARGS_MAX = 1024 * 1024,
};

struct wait {
    struct tb_cdp_work work;
    struct tb_timer timer;
};

static bool waits_for_page(const struct cJSON *args)
{
    return tb_args_has(args, "target") || tb_args_has(args, "text") ||
           tb_args_has(args, "text_gone") || tb_args_has(args, "url");
}

static void call(struct tb_cdp_work *work)
{
    static const char *const names[] = {"target", "state", "text", "text_gone", "url"};
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(ARGS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &args);
    tb_json_object_open(&json);
    for (size_t i = 0; i < TB_COUNT(names); i++) {
        if (tb_args_has(work->op->args, names[i])) {
            tb_json_member_str(&json, names[i], tb_args_text(work->op->args, names[i], ""));
        }
    }
    tb_json_member_int(&json, "timeout_ms", tb_cdp_work_left_ms(work));
    tb_json_object_close(&json);
    tb_cdp_work_call(work, "waitFor", tb_buf_str(&args));
}

static void finish(struct tb_cdp_work *work)
{
    int64_t now_ms = tb_loop_now_ms(tb_cdp_session_loop(work->session));
    tb_json_set_int(work->op->result->data, "waited_ms", now_ms - work->began_ms);
    work->acted = true; /* what happens from here on does not undo that it was seen */
    tb_cdp_work_wind_up(work);
}

static void on_time(struct tb_timer *timer, void *user)
{
    struct wait *wait = user;
    int64_t time_ms = tb_args_int(wait->work.op->args, "time_ms", 0);
    (void)timer;
    if (!tb_cdp_work_left_ms(&wait->work)) {
        tb_cdp_work_fail(&wait->work, TB_E_TIMEOUT,
                         "time_ms is %lld, more than the call has left; pass a larger timeout_ms",
                         (long long)time_ms);
    } else if (waits_for_page(wait->work.op->args)) {
        call(&wait->work);
    } else {
        finish(&wait->work);
    }
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    tb_cdp_work_set_element(work, "element", json);
    finish(work);
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    const struct cJSON *args = work->op->args;
    struct tb_str state = tb_args_text(args, "state", "visible");
    bool wants_element = tb_args_has(args, "target") &&
                         (tb_str_eq_cstr(state, "visible") || tb_str_eq_cstr(state, "attached"));
    if (err->code == TB_E_TIMEOUT && wants_element && strstr(err->text, " to be ")) {
        tb_cdp_work_fail(work, TB_E_ELEMENT_NOT_FOUND, "%s", err->text);
        return true;
    }
    return false;
}

static void fini(struct tb_cdp_work *work)
{
    tb_timer_fini(&TB_CONTAINER(work, struct wait, work)->timer);
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct wait),
                                             .step = step,
                                             .failed = failed,
                                             .fini = fini};

void tb_cdp_op_wait(struct tb_driver_session *session, struct tb_op *op)
{
    struct wait *wait = tb_cdp_work_new(&kind, session, op);
    if (!wait) {
        return;
    }
    struct tb_cdp_work *work = &wait->work;
    int64_t time_ms = tb_args_int(op->args, "time_ms", 0);
    tb_timer_init(&wait->timer, tb_cdp_session_loop(session), on_time, wait);
    if (time_ms <= 0 && !waits_for_page(op->args)) {
        tb_cdp_work_fail(work, TB_E_PARAMS,
                         "nothing to wait for: give target, text, text_gone, url or time_ms");
    } else if (!tb_cdp_work_frame(work, tb_args_text(op->args, "target", ""))) {
        return;
    } else if (time_ms > 0) {
        int64_t left_ms = tb_cdp_work_left_ms(work);
        tb_timer_start(&wait->timer, time_ms < left_ms ? time_ms : left_ms);
    } else {
        call(work);
    }
}
