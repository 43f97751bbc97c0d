/* SPDX-License-Identifier: Apache-2.0 */
/* Click and hover:  POINT --the element can be hit--> [OFFSET of its frame] --> INPUT --> end.
 * The three mouse events of a click go out in one burst. */
#include "core/args.h"
#include "driver/cdp/keys.h"
#include "driver/cdp/mouse.h"
#include "driver/cdp/ops.h"
#include "driver/cdp/opwork.h"
#include "io/timer.h"

enum state {
    POINT,
    OFFSET,
    INPUT,
};

struct click {
    struct tb_opwork work;
    struct tb_mouse mouse;
    int count;               /* 0: only move there */
    int64_t clicks;          /* that the page had seen before */
    struct tb_deferred look; /* whether a navigation has begun */
    struct tb_timer timer;   /* none has */
};

static struct click *click_of(struct tb_opwork *work)
{
    return TB_CONTAINER(work, struct click, work);
}

static void act(struct click *click)
{
    struct tb_opwork *work = &click->work;
    click->mouse.x += work->frame_x;
    click->mouse.y += work->frame_y;
    work->state = INPUT;
    work->acted = true;
    if (click->count) {
        tb_mouse_click(work, &click->mouse, click->count);
        tb_opwork_expect(work, TB_HERE_CLICKS, click->clicks + click->count);
    } else {
        tb_mouse_send(work, &click->mouse, "mouseMoved", 0, true);
    }
}

static void on_point(struct click *click, struct tb_str value)
{
    struct tb_opwork *work = &click->work;
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    tb_json_num(tb_json_get(json, "x"), &click->mouse.x);
    tb_json_num(tb_json_get(json, "y"), &click->mouse.y);
    tb_json_int(tb_json_get(json, "clicks"), &click->clicks);
    tb_opwork_set_element(work, "element", json);
    work->state = OFFSET;
    if (tb_opwork_offset(work)) {
        act(click);
    }
}

/* For callers who know that a navigation follows, however late. */
static void look(struct tb_deferred *job)
{
    struct click *click = TB_CONTAINER(job, struct click, look);
    struct tb_opwork *work = &click->work;
    struct tb_page *page = tb_opwork_page(work);
    if (!page || tb_page_navigation_mark(page) > work->mark || tb_page_dialog(page)->open ||
        tb_session_page(work->session) != page) {
        tb_session_watch(work->session, NULL);
        tb_timer_stop(&click->timer);
        tb_opwork_wind_up(work);
    }
}

static void on_deadline(struct tb_timer *timer, void *user)
{
    struct tb_opwork *work = user;
    (void)timer;
    tb_opwork_fail(work, TB_E_TIMEOUT, "it was clicked, but no navigation followed in %lld ms",
                   (long long)(work->deadline_ms - work->began_ms));
}

static void step(struct tb_opwork *work, struct tb_str value)
{
    struct click *click = click_of(work);
    switch (work->state) {
    case POINT:
        on_point(click, value);
        break;
    case OFFSET:
        act(click);
        break;
    default:
        if (tb_args_flag(work->op->args, "wait_for_navigation", false)) {
            tb_timer_start(&click->timer, tb_opwork_left_ms(work));
            tb_session_watch(work->session, &click->look);
            look(&click->look);
        } else {
            tb_opwork_wind_up(work);
        }
        break;
    }
}

static void fini(struct tb_opwork *work)
{
    tb_session_watch(work->session, NULL);
    tb_deferred_cancel(&click_of(work)->look);
    tb_timer_fini(&click_of(work)->timer);
}

static const struct tb_opwork_kind kind = {.size = sizeof(struct click),
                                           .step = step,
                                           .fini = fini};

static bool read_modifiers(struct click *click)
{
    JSON_ARRAY_FOREACH(item, tb_json_get(click->work.op->args, "modifiers")) {
        struct tb_str name = {NULL, 0};
        tb_json_str(item, &name);
        unsigned bit = tb_key_modifier_of(name);
        if (!bit) {
            tb_opwork_fail(
                &click->work, TB_E_PARAMS,
                "modifiers: \"%.*s\" is none of Alt, Control, Meta, Shift, ControlOrMeta",
                TB_STR_ARG(tb_str_sub(name, 0, 40)));
            return false;
        }
        click->mouse.modifiers |= bit;
    }
    return true;
}

static void begin(struct tb_driver_session *session, struct tb_op *op, int count)
{
    struct click *click = tb_opwork_new(&kind, session, op);
    if (!click) {
        return;
    }
    struct tb_opwork *work = &click->work;
    click->look.run = look;
    tb_list_init(&click->look.link);
    tb_timer_init(&click->timer, tb_session_loop(session), on_deadline, work);
    click->count = count;
    click->mouse.button = tb_mouse_button(tb_args_text(op->args, "button", "left"));
    if (!read_modifiers(click) || !tb_opwork_frame(work, tb_args_text(op->args, "target", ""))) {
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_OPWORK_ARGS_MAX);
    tb_opwork_args(work, "target position", true, &args);
    tb_opwork_call(work, "point", tb_buf_str(&args));
}

void tb_cdp_op_click(struct tb_driver_session *session, struct tb_op *op)
{
    begin(session, op, (int)tb_args_int(op->args, "count", 1));
}

void tb_cdp_op_hover(struct tb_driver_session *session, struct tb_op *op)
{
    begin(session, op, 0);
}
