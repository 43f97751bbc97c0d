/* SPDX-License-Identifier: Apache-2.0 */
/* Click and hover: the press, then [for wait_for_navigation: until one has begun], then the end. */
#include "core/args.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/press.h"
#include "driver/keys.h"
#include "io/timer.h"

struct click {
    struct tb_cdp_work work;
    struct tb_cdp_press press;
    bool awaits;           /* a navigation */
    struct tb_timer timer; /* none has begun */
};

static struct click *click_of(struct tb_cdp_work *work)
{
    return TB_CONTAINER(work, struct click, work);
}

/* For callers who know that a navigation follows, however late. */
static void noticed(struct tb_cdp_work *work)
{
    struct click *click = click_of(work);
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    if (!click->awaits) {
        return;
    }
    if (!page || tb_cdp_page_navigation_mark(page) > work->mark || tb_cdp_page_dialog(page)->open ||
        tb_cdp_session_page(work->session) != page) {
        tb_timer_stop(&click->timer);
        tb_cdp_work_wind_up(work);
    }
}

static void on_deadline(struct tb_timer *timer, void *user)
{
    struct tb_cdp_work *work = user;
    (void)timer;
    tb_cdp_work_fail(work, TB_E_UNFINISHED,
                     "the element was clicked, but no navigation followed within %lld ms",
                     (long long)(work->deadline_ms - work->began_ms));
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    struct click *click = click_of(work);
    if (!tb_cdp_press_step(&click->press, value)) {
        return;
    }
    if (tb_args_flag(work->op->args, "wait_for_navigation", false)) {
        tb_timer_start(&click->timer, tb_cdp_work_left_ms(work));
        click->awaits = true;
        noticed(work);
    } else {
        tb_cdp_work_wind_up(work);
    }
}

static void missed(struct tb_cdp_work *work, const struct cJSON *told)
{
    tb_cdp_press_missed(&click_of(work)->press, told);
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    return tb_cdp_press_failed(&click_of(work)->press, err);
}

static void fini(struct tb_cdp_work *work)
{
    tb_timer_fini(&click_of(work)->timer);
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct click),
                                             .step = step,
                                             .failed = failed,
                                             .missed = missed,
                                             .noticed = noticed,
                                             .fini = fini};

static bool read_modifiers(struct click *click)
{
    JSON_ARRAY_FOREACH(item, tb_json_get(click->work.op->args, "modifiers")) {
        struct tb_str name = {NULL, 0};
        tb_json_str(item, &name);
        unsigned bit = tb_key_modifier_of(name);
        if (!bit) {
            tb_cdp_work_fail(
                &click->work, TB_E_PARAMS,
                "modifiers must be Alt, Control, Meta, Shift or ControlOrMeta, not \"%.*s\"",
                TB_STR_ARG(tb_str_sub(name, 0, 40)));
            return false;
        }
        click->press.mouse.modifiers |= bit;
    }
    return true;
}

static void begin(struct tb_driver_session *session, struct tb_op *op, int count)
{
    struct click *click = tb_cdp_work_new(&kind, session, op);
    if (!click) {
        return;
    }
    struct tb_cdp_work *work = &click->work;
    tb_timer_init(&click->timer, tb_cdp_session_loop(session), on_deadline, work);
    click->press = (struct tb_cdp_press){
        .work = work,
        .target = tb_args_text(op->args, "target", ""),
        .count = count,
        .watch = tb_cdp_work_wants_changes(work),
    };
    click->press.mouse.button = tb_cdp_mouse_button(tb_args_text(op->args, "button", "left"));
    if (read_modifiers(click)) {
        tb_cdp_press_start(&click->press);
    }
}

void tb_cdp_op_click(struct tb_driver_session *session, struct tb_op *op)
{
    begin(session, op, (int)tb_args_int(op->args, "count", 1));
}

void tb_cdp_op_hover(struct tb_driver_session *session, struct tb_op *op)
{
    begin(session, op, 0);
}
