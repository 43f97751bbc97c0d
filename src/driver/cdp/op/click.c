/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/click.h"

#include <stdio.h>

#include "base/utf8.h"
#include "core/args.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/refs.h"
#include "driver/keys.h"
#include "io/timer.h"

enum phase {
    POINT,
    OUTWARD,
    INPUT,
    STRUCK,
};

enum {
    TRIES_MAX = 20, /* an element that evades so often does so on purpose */
};

static void put_args(struct tb_cdp_click *click, struct tb_buf *args)
{
    struct tb_json_writer json;
    const struct cJSON *position = tb_json_get(click->work->op->args, "position");
    tb_json_writer_init(&json, args);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "target", click->target);
    if (position) {
        tb_json_member_tree(&json, "position", position);
    }
    tb_json_member_int(&json, "timeout_ms", tb_cdp_work_element_ms(click->work));
    tb_json_member_bool(&json, "strict", !click->work->op->lenient);
    tb_json_member_int(&json, "presses", click->count);
    tb_json_member_bool(&json, "careful", click->tries > 1);
    tb_json_member_bool(&json, "watch", click->tells_changes);
    tb_json_object_close(&json);
    tb_cdp_refs_continue(click->work, args);
}

void tb_cdp_click_start(struct tb_cdp_click *click)
{
    if (!tb_cdp_work_frame(click->work, click->target)) {
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_CDP_WORK_ARGS_MAX);
    click->tries++;
    if (click->count && click->tells_changes) {
        tb_cdp_work_requests_count(click->work);
    }
    if (click->tells_changes) {
        tb_cdp_work_watch_changes(click->work);
    }
    put_args(click, &args);
    click->phase = POINT;
    tb_cdp_work_call(click->work, "point", tb_buf_str(&args));
}

static void act(struct tb_cdp_click *click)
{
    struct tb_cdp_work *work = click->work;
    click->mouse.x = click->point.x;
    click->mouse.y = click->point.y;
    click->phase = INPUT;
    work->acted = true;
    if (!click->count) {
        tb_cdp_mouse_send(work, &click->mouse, "mouseMoved", 0, true);
        return;
    }
    work->clicks = true;
    work->expected.aimed = click->aimed;
    work->expected.due = click->ticks ? click->count + 1 : click->aimed ? click->count : 0;
    work->expected.had = 0;
    tb_cdp_mouse_click(work, &click->mouse, click->count);
    if (!work->frame) {
        tb_cdp_work_expect(work, click->clicks + click->count);
    }
}

static void go_out(struct tb_cdp_click *click)
{
    click->phase = OUTWARD;
    if (!tb_cdp_outward_ask(&click->point, click->work)) {
        act(click);
    }
}

static void on_point(struct tb_cdp_click *click, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    if ((click->stays || click->tries > 1) && tb_cdp_work_has_left(click->work)) {
        tb_cdp_work_fail(click->work, TB_E_ELEMENT_STALE,
                         "nothing was clicked: the page moved to another document");
        return;
    }
    click->point = (struct tb_cdp_outward){.frame = click->work->frame, .presses = click->count};
    tb_json_num(tb_json_get(json, "x"), &click->point.x);
    tb_json_num(tb_json_get(json, "y"), &click->point.y);
    tb_json_int(tb_json_get(json, "clicks"), &click->clicks);
    click->aimed = tb_json_get(json, "aimed") != NULL;
    /* What is at rest inside a frame may have moved with it. */
    click->mouse.there = !click->work->frame && tb_json_get(json, "there");
    tb_cdp_work_set_element(click->work, "element", json);
    go_out(click);
}

/* The document of the tab tells by itself or in the end; that of a frame has to be asked. */
static bool on_input(struct tb_cdp_click *click)
{
    if (!click->work->frame || !click->count) {
        return true;
    }
    click->phase = STRUCK;
    tb_cdp_work_call(click->work, "here", TB_STR("{}"));
    return false;
}

static bool on_struck(struct tb_cdp_click *click, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    if (tb_cdp_work_is_missed(json)) {
        tb_cdp_click_missed(click, json);
        return false;
    }
    tb_cdp_work_take_changes(click->work, json);
    return true;
}

bool tb_cdp_click_step(struct tb_cdp_click *click, struct tb_str value)
{
    switch (click->phase) {
    case POINT:
        on_point(click, value);
        return false;
    case OUTWARD:
        tb_cdp_outward_take(&click->point, click->work, value);
        go_out(click);
        return false;
    case INPUT:
        return on_input(click);
    default:
        return on_struck(click, value);
    }
}

void tb_cdp_click_missed(struct tb_cdp_click *click, const struct cJSON *told)
{
    struct tb_cdp_work *work = click->work;
    struct tb_str words = {NULL, 0};
    if (click->phase != INPUT && click->phase != STRUCK) {
        return;
    }
    if (!tb_json_str(tb_json_get(told, "missed"), &words)) {
        tb_cdp_work_fail_unseen(work, "something else was in its place, such as another frame, and "
                                      "that may have been clicked");
        return;
    }
    snprintf(click->missed, sizeof(click->missed), "%.*s", TB_STR_ARG(tb_str_sub(words, 0, 250)));
    click->missed[tb_utf8_prefix(tb_str_of(click->missed))] = '\0';
    if (click->tries < TRIES_MAX && tb_cdp_work_left_ms(work) > 0) {
        tb_cdp_work_begin_again(work);
        tb_cdp_click_start(click);
    } else {
        tb_cdp_work_fail(work, TB_E_ELEMENT_NOT_READY,
                         "%s was in its place at every attempt, so nothing was clicked",
                         click->missed);
    }
}

static void note_removed(struct tb_cdp_work *work)
{
    struct cJSON *unclicked = tb_json_new_object();
    tb_json_set_bool(unclicked, "removed", true);
    tb_json_set_take(work->op->result->data, "unclicked", unclicked);
}

/* It moved away under the mouse and did not come back: both are worth knowing. A click that took
 * away its own frame, such as that of a dialog, is done if the frame has told of the press. */
bool tb_cdp_click_failed(struct tb_cdp_click *click, const struct tb_err *err)
{
    if (click->phase == STRUCK && err->code == TB_E_ELEMENT_STALE) {
        if (click->work->expected.struck || !click->aimed) {
            if (click->work->expected.struck && !click->work->expected.had) {
                note_removed(click->work); /* between the two halves of the click */
            }
            click->work->kind->step(click->work, (struct tb_str){NULL, 0});
        } else {
            tb_cdp_work_fail_unseen(click->work,
                                    "its frame left the page, and what was beneath may "
                                    "have been clicked");
        }
        return true;
    }
    bool looking = click->phase == POINT || click->phase == OUTWARD;
    if (!click->missed[0] || !looking || err->code == TB_E_DIALOG_OPEN) {
        return false;
    }
    tb_cdp_work_fail(click->work, tb_cdp_work_code(err),
                     "%s. An earlier attempt clicked nothing, because %s was in its place",
                     err->text, click->missed);
    return true;
}

/* The operations: the click, then [for wait_for_navigation: until one has begun], then the end. */

struct operation {
    struct tb_cdp_work work;
    struct tb_cdp_click click;
    bool awaits;           /* a navigation */
    struct tb_timer timer; /* none has begun */
};

static struct operation *op_of(struct tb_cdp_work *work)
{
    return TB_CONTAINER(work, struct operation, work);
}

/* For callers who know that a navigation follows, however late. */
static void noticed(struct tb_cdp_work *work)
{
    struct operation *task = op_of(work);
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    if (!task->awaits) {
        return;
    }
    if (!page || tb_cdp_page_navigation_mark(page) > work->mark || tb_cdp_page_dialog(page)->open ||
        tb_cdp_session_page(work->session) != page) {
        tb_timer_stop(&task->timer);
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
    struct operation *task = op_of(work);
    if (!tb_cdp_click_step(&task->click, value)) {
        return;
    }
    if (tb_args_flag(work->op->args, "wait_for_navigation", false)) {
        tb_timer_start(&task->timer, tb_cdp_work_left_ms(work));
        task->awaits = true;
        noticed(work);
    } else {
        tb_cdp_work_wind_up(work);
    }
}

static void missed(struct tb_cdp_work *work, const struct cJSON *told)
{
    struct operation *task = op_of(work);
    task->awaits = false; /* nothing was clicked so far */
    tb_timer_stop(&task->timer);
    tb_cdp_click_missed(&task->click, told);
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    return tb_cdp_click_failed(&op_of(work)->click, err);
}

static void fini(struct tb_cdp_work *work)
{
    tb_timer_fini(&op_of(work)->timer);
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct operation),
                                             .step = step,
                                             .failed = failed,
                                             .missed = missed,
                                             .noticed = noticed,
                                             .fini = fini};

static bool read_modifiers(struct operation *task)
{
    JSON_ARRAY_FOREACH(item, tb_json_get(task->work.op->args, "modifiers")) {
        struct tb_str name = {NULL, 0};
        tb_json_str(item, &name);
        unsigned bit = tb_key_modifier_of(name);
        if (!bit) {
            tb_cdp_work_fail(
                &task->work, TB_E_PARAMS,
                "modifiers must be Alt, Control, Meta, Shift or ControlOrMeta, not \"%.*s\"",
                TB_STR_ARG(tb_str_sub(name, 0, 40)));
            return false;
        }
        task->click.mouse.modifiers |= bit;
    }
    return true;
}

static void begin(struct tb_driver_session *session, struct tb_op *op, int count)
{
    struct operation *task = tb_cdp_work_new(&kind, session, op);
    if (!task) {
        return;
    }
    struct tb_cdp_work *work = &task->work;
    tb_timer_init(&task->timer, tb_cdp_session_loop(session), on_deadline, work);
    task->click = (struct tb_cdp_click){
        .work = work,
        .target = tb_args_text(op->args, "target", ""),
        .count = count,
        .tells_changes = tb_cdp_work_wants_changes(work),
    };
    task->click.mouse.button = tb_cdp_mouse_button(tb_args_text(op->args, "button", "left"));
    if (read_modifiers(task)) {
        tb_cdp_click_start(&task->click);
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
