/* SPDX-License-Identifier: Apache-2.0 */
/* FROM --> TO --> TO_OUT --> AGAIN (reaching `to` may have scrolled) --> FROM_OUT -->
 * LISTENING --> LIFTED --> ASKED (did a drag start?) --> [STARTED: wait for it --> LANDING,
 * LANDING_OUT: where `to` is by now --> OVER, DRAWN] or [MOVING] --> DROPPED --> RELEASED --> end
 *
 * A page drags in one of two ways. Either it follows the mouse itself: then the mouse goes there
 * and is released. Or the browser drags for it (draggable, drop events): that would start a drag of
 * the desktop, so the browser is told to hand it to us, and we bring it there. */
#include <stdio.h>
#include <string.h>

#include "core/args.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/mouse_events.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/outward.h"
#include "driver/cdp/op/refs.h"
#include "driver/cdp/op/work.h"
#include "driver/cdp/page/expression.h"
#include "driver/cdp/page/held.h"

enum state {
    FROM,
    TO,
    TO_OUT,
    AGAIN,
    FROM_OUT,
    LISTENING,
    LIFTED,
    ASKED,
    STARTED,
    LANDING,
    LANDING_OUT,
    OVER,
    DRAWN,
    MOVING,
    DROPPED,
    RELEASED,
};

enum {
    STEPS = 5, /* between the two ends */
    NUDGE = 6, /* pixels that make a press a drag */
    ARGS_MAX = 64 * 1024,
    DATA_MAX = 16 * 1024 * 1024,
    PARAMS_MAX = DATA_MAX + 1024,
    HANDED_MS = 2000, /* for the browser to hand a drag to us that has begun; it takes a few */
};

struct drag {
    struct tb_cdp_work work;
    struct tb_cdp_mouse from;
    struct tb_cdp_mouse to;
    struct tb_cdp_outward point; /* on its way out of its frame */
    uint64_t mark;               /* navigations before the element was found */
    uint64_t document;           /* that it was found in */
    bool down;
    int moved;              /* of the steps between the two ends */
    struct tb_buf data;     /* of the drag that the browser handed to us, JSON; empty: none */
    struct tb_timer handed; /* while it is about to */
};

static struct drag *drag_of(struct tb_cdp_work *work)
{
    return TB_CONTAINER(work, struct drag, work);
}

static void ask_point(struct drag *drag, int state, const char *name, bool force)
{
    struct tb_cdp_work *work = &drag->work;
    struct tb_str target = tb_args_text(work->op->args, name, "");
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(ARGS_MAX);
    struct tb_json_writer json;
    if (!tb_cdp_work_frame(work, target)) {
        return;
    }
    tb_json_writer_init(&json, &args);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "target", target);
    tb_json_member_int(&json, "timeout_ms", tb_cdp_work_element_ms(work));
    tb_json_member_bool(&json, "strict", !work->op->lenient);
    tb_json_member_bool(&json, "force", force);
    tb_json_member_int(&json, "presses", state == AGAIN);
    tb_json_member_bool(&json, "drags", state == AGAIN);
    tb_json_member_bool(&json, "drop", state == LANDING);
    tb_json_object_close(&json);
    tb_cdp_refs_continue(work, &args);
    work->state = state;
    tb_cdp_work_call(work, "point", tb_buf_str(&args));
}

static void read_point(struct tb_str value, struct tb_cdp_mouse *mouse, struct tb_cdp_work *work,
                       const char *key)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    tb_json_num(tb_json_get(json, "x"), &mouse->x);
    tb_json_num(tb_json_get(json, "y"), &mouse->y);
    if (key) {
        tb_cdp_work_set_element(work, key, json);
    }
}

/* Moving with the button held. */
static void move_between(struct drag *drag, double part, bool ask)
{
    struct tb_cdp_mouse at = drag->from;
    at.x += (drag->to.x - drag->from.x) * part;
    at.y += (drag->to.y - drag->from.y) * part;
    tb_cdp_mouse_drag(&drag->work, &at, ask);
}

static void evaluate(struct drag *drag, int state, const char *expression)
{
    struct tb_cdp_work *work = &drag->work;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    const char *world = page ? tb_cdp_frame_world(tb_cdp_page_main_frame(page)) : "";
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(TB_CDP_EXPRESSION_PARAMS);
    tb_cdp_expression_put(&(struct tb_cdp_expression){tb_str_of(expression), world, .value = true},
                          &params);
    work->state = state;
    tb_cdp_work_send(work, "Runtime.evaluate", tb_buf_str(&params));
}

/* Whether the moves begin a drag of the browser's is something that only the page can tell. Not by
 * a timer: a page that clears all of its own clears those of every world. */
static void listen(struct drag *drag)
{
    evaluate(
        drag, LISTENING,
        "globalThis.tabardDrag=false;addEventListener('dragstart',function f(e){if(e.isTrusted){"
        "removeEventListener('dragstart',f,true);"
        "tabardDrag=scheduler.postTask(()=>!e.defaultPrevented)}},true);0");
}

static void lift(struct drag *drag)
{
    struct tb_cdp_work *work = &drag->work;
    struct tb_cdp_mouse near = drag->from;
    near.x += drag->to.x > drag->from.x ? NUDGE : -NUDGE;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    work->state = LIFTED;
    work->acted = true;
    drag->down = true;
    if (page) {
        tb_cdp_held_begin(page);
    }
    tb_cdp_mouse_send(work, &drag->from, "mouseMoved", 0, false);
    tb_cdp_mouse_send(work, &drag->from, "mousePressed", 1, false);
    tb_cdp_mouse_drag(work, &near, false);
    move_between(drag, 1.0 / STEPS, true);
}

static void drag_event(struct drag *drag, const char *type)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    tb_buf_printf(&params, "{\"type\":\"%s\",\"x\":%.2f,\"y\":%.2f,\"data\":%.*s}", type,
                  drag->to.x, drag->to.y, TB_STR_ARG(tb_buf_str(&drag->data)));
    tb_cdp_work_send(&drag->work, "Input.dispatchDragEvent", tb_buf_str(&params));
}

static void release(struct drag *drag)
{
    struct tb_cdp_work *work = &drag->work;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    work->state = RELEASED;
    drag->down = false;
    tb_cdp_mouse_send(work, &drag->to, "mouseReleased", 1, true);
    if (page) {
        tb_cdp_held_end(page);
    }
}

/* One after the other, as a person moves: pages look at each in a frame of its own, and begin only
 * after the first. The last is done twice, for those that make room under the mouse. */
static void move_on(struct drag *drag)
{
    if (drag->moved > STEPS) {
        release(drag);
        return;
    }
    drag->moved++;
    drag->work.state = MOVING;
    move_between(drag, drag->moved < STEPS ? (double)drag->moved / STEPS : 1, true);
}

/* A browser tells the page again and again, some 20 times a second, where something is held. Pages
 * count on that: one that has just made room ignores the next word for a while. So it is held for
 * three frames. */
static void bring_over(struct drag *drag)
{
    static const char *const events[] = {"dragEnter", "dragOver", "dragOver", "dragOver", "drop"};
    const char *event = events[drag->moved++];
    drag->work.state = drag->moved < (int)TB_COUNT(events) ? OVER : DROPPED;
    drag_event(drag, event);
}

static void drop(struct drag *drag)
{
    if (drag->data.len) {
        tb_json_set_bool(drag->work.op->result->data, "dropped", false); /* until it is told */
        drag->moved = 0;
        bring_over(drag);
    } else {
        drag->moved = 1; /* which has lifted it */
        move_on(drag);
    }
}

static void on_event(struct tb_cdp_work *work, struct tb_cdp_page *page, struct tb_str method,
                     struct tb_str params)
{
    struct drag *drag = drag_of(work);
    /* Before our press it is a late one of the drag before. */
    if (drag->down && page == tb_cdp_work_page(work) &&
        tb_str_eq_cstr(method, "Input.dragIntercepted")) {
        tb_buf_clear(&drag->data);
        tb_buf_append_str(&drag->data, tb_cdp_pick(params, "data"));
        if (drag->work.state == STARTED) {
            tb_timer_stop(&drag->handed);
            ask_point(drag, LANDING, "to", true);
        }
    }
}

/* Brings the point that was just found out of its frame. True: it is out. */
static bool start_out(struct drag *drag, const struct tb_cdp_mouse *mouse, int state)
{
    drag->work.state = state;
    drag->point = (struct tb_cdp_outward){.x = mouse->x,
                                          .y = mouse->y,
                                          .frame = drag->work.frame,
                                          .presses = state == FROM_OUT,
                                          .force = state == FROM_OUT};
    return !tb_cdp_outward_ask(&drag->point, &drag->work);
}

static bool go_out(struct drag *drag, struct tb_str value)
{
    tb_cdp_outward_take(&drag->point, &drag->work, value);
    return !tb_cdp_outward_ask(&drag->point, &drag->work);
}

static void have_to(struct drag *drag)
{
    drag->to.x = drag->point.x;
    drag->to.y = drag->point.y;
    ask_point(drag, AGAIN, "target", true);
}

static void have_from(struct drag *drag)
{
    drag->from.x = drag->point.x;
    drag->from.y = drag->point.y;
    listen(drag);
}

static void in_asked(struct drag *drag, struct tb_str reply)
{
    bool started = tb_str_eq_cstr(tb_cdp_pick(tb_cdp_pick(reply, "result"), "value"), "true");
    drag->work.state = STARTED;
    if (drag->data.len) { /* pages make room for what is dragged when it begins */
        ask_point(drag, LANDING, "to", true);
    } else if (!started) {
        drop(drag);
    } else { /* the browser is about to hand it to us */
        int64_t left_ms = tb_cdp_work_left_ms(&drag->work);
        tb_timer_start(&drag->handed, left_ms < HANDED_MS ? left_ms : HANDED_MS);
    }
}

static void have_landing(struct drag *drag)
{
    drag->to.x = drag->point.x;
    drag->to.y = drag->point.y;
    drop(drag);
}

static void in_from(struct drag *drag, struct tb_str value)
{
    struct tb_cdp_work *work = &drag->work;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    drag->mark = page ? tb_cdp_page_navigation_mark(page) : 0;
    drag->document = page ? tb_cdp_frame_document(tb_cdp_page_main_frame(page)) : 0;
    read_point(value, &drag->from, work, "element");
    ask_point(drag, TO, "to", true);
}

static void stop(struct tb_cdp_work *work)
{
    struct drag *drag = drag_of(work);
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    if (drag->down && page) {
        tb_cdp_held_keep(page, drag->from.x, drag->from.y);
        tb_cdp_held_let_go(page);
    }
}

/* What has the same name in another document is not what was meant. A drop may lead there. */
static bool has_left(struct drag *drag)
{
    struct tb_cdp_page *page = tb_cdp_work_page(&drag->work);
    return drag->work.state > FROM && drag->work.state < DROPPED && page &&
           (tb_cdp_frame_has_left(tb_cdp_page_main_frame(page), drag->mark) ||
            tb_cdp_frame_document(tb_cdp_page_main_frame(page)) != drag->document);
}

static void fail_left(struct drag *drag)
{
    stop(&drag->work);
    tb_cdp_work_fail(&drag->work, TB_E_ELEMENT_STALE,
                     "the page moved to another document in the meantime; nothing was dropped");
}

/* One function per state, for the answer that came in it. */

static void in_to(struct drag *drag, struct tb_str value)
{
    read_point(value, &drag->to, &drag->work, "to_element");
    if (start_out(drag, &drag->to, TO_OUT)) {
        have_to(drag);
    }
}

static void in_to_out(struct drag *drag, struct tb_str value)
{
    if (go_out(drag, value)) {
        have_to(drag);
    }
}

static void in_again(struct drag *drag, struct tb_str value)
{
    read_point(value, &drag->from, &drag->work, NULL);
    if (start_out(drag, &drag->from, FROM_OUT)) {
        have_from(drag);
    }
}

static void in_from_out(struct drag *drag, struct tb_str value)
{
    if (go_out(drag, value)) {
        have_from(drag);
    }
}

static void in_listening(struct drag *drag, struct tb_str value)
{
    (void)value;
    lift(drag);
}

static void in_lifted(struct drag *drag, struct tb_str value)
{
    (void)value;
    evaluate(drag, ASKED, "globalThis.tabardDrag??false");
}

static void in_landing(struct drag *drag, struct tb_str value)
{
    read_point(value, &drag->to, &drag->work, NULL);
    if (start_out(drag, &drag->to, LANDING_OUT)) {
        have_landing(drag);
    }
}

static void in_landing_out(struct drag *drag, struct tb_str value)
{
    if (go_out(drag, value)) {
        have_landing(drag);
    }
}

static void in_over(struct drag *drag, struct tb_str value)
{
    (void)value;
    if (drag->moved == 1) {
        bring_over(drag); /* it has only entered */
    } else {
        drag->work.state = DRAWN;
        tb_cdp_work_call(&drag->work, "drawn", TB_STR("{}"));
    }
}

static void in_drawn(struct drag *drag, struct tb_str value)
{
    (void)value;
    bring_over(drag);
}

static void in_moving(struct drag *drag, struct tb_str value)
{
    (void)value;
    if (drag->data.len) { /* handed to us after all: it began late, or in a frame */
        ask_point(drag, LANDING, "to", true);
    } else {
        move_on(drag);
    }
}

static void in_dropped(struct drag *drag, struct tb_str value)
{
    (void)value;
    release(drag);
}

/* Nothing is asked while the browser is about to hand over the drag. */
static void in_started(struct drag *drag, struct tb_str value)
{
    (void)value;
    stop(&drag->work);
    tb_cdp_work_fail(&drag->work, TB_E_INTERNAL,
                     "the browser sent an unexpected answer; nothing was dropped");
}

static void in_released(struct drag *drag, struct tb_str value)
{
    (void)value;
    tb_cdp_work_wind_up(&drag->work);
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    static void (*const steps[])(struct drag * drag, struct tb_str value) = {
        [FROM] = in_from,
        [TO] = in_to,
        [TO_OUT] = in_to_out,
        [AGAIN] = in_again,
        [FROM_OUT] = in_from_out,
        [LISTENING] = in_listening,
        [LIFTED] = in_lifted,
        [ASKED] = in_asked,
        [STARTED] = in_started,
        [LANDING] = in_landing,
        [LANDING_OUT] = in_landing_out,
        [OVER] = in_over,
        [DRAWN] = in_drawn,
        [MOVING] = in_moving,
        [DROPPED] = in_dropped,
        [RELEASED] = in_released,
    };
    struct drag *drag = drag_of(work);
    if (has_left(drag)) {
        fail_left(drag);
    } else {
        steps[work->state](drag, value);
    }
}

static void missed(struct tb_cdp_work *work, const struct cJSON *told)
{
    struct tb_str words = tb_json_text(told, "missed");
    stop(work);
    tb_cdp_work_fail(work, TB_E_ELEMENT_NOT_READY,
                     "nothing was dragged: %.*s was in its place when the mouse went down",
                     TB_STR_ARG(words.len ? tb_str_sub(words, 0, 200) : TB_STR("another frame")));
}

/* The browser makes a drop only after it has asked the page once more, and the dialog may have come
 * of that; or the page's word of the drop comes behind the browser's of the dialog. */
static void cut_off(struct tb_cdp_work *work, const struct tb_err *dialog)
{
    struct tb_str element = {NULL, 0};
    struct tb_err err = *dialog;
    tb_json_str(tb_json_get(work->op->result->data, "element"), &element);
    tb_err_prefix(
        &err,
        "a dialog interrupted the drag of %.*s%s: %s; when it is answered, the mouse button is "
        "released outside the page; ",
        TB_STR_ARG(element), work->expected.struck ? " after the mouse went down" : "",
        work->state == DROPPED
            ? "the drop may have happened already, or may happen then: look at the page afterwards"
            : "nothing was dropped");
    tb_cdp_work_fail_err(work, &err);
}

static void on_not_handed(struct tb_timer *timer, void *user)
{
    struct tb_cdp_work *work = user;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_err dialog;
    (void)timer;
    if (page && tb_cdp_page_in_dialog(page, &dialog)) {
        tb_cdp_held_keep(page, drag_of(work)->from.x, drag_of(work)->from.y);
        cut_off(work, &dialog);
        return;
    }
    stop(work);
    tb_cdp_work_fail(
        work, TB_E_TIMEOUT,
        "the page began a drag that the browser did not hand over; nothing was dropped");
}

static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    struct drag *drag = drag_of(work);
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    bool dropped = false;
    if (!drag->down || !page || err->code != TB_E_DIALOG_OPEN) {
        stop(work);
        drag->down = false;
        return false;
    }
    tb_cdp_held_keep(page, drag->from.x, drag->from.y);
    tb_json_bool(tb_json_get(work->op->result->data, "dropped"), &dropped);
    if (!dropped) {
        cut_off(work, err);
    }
    return !dropped;
}

static void fini(struct tb_cdp_work *work)
{
    tb_timer_fini(&drag_of(work)->handed);
    tb_buf_fini(&drag_of(work)->data);
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct drag),
                                             .step = step,
                                             .failed = failed,
                                             .stop = stop,
                                             .missed = missed,
                                             .on_event = on_event,
                                             .told = tb_cdp_work_take_drop,
                                             .fini = fini};

void tb_cdp_op_drag(struct tb_driver_session *session, struct tb_op *op)
{
    struct drag *drag = tb_cdp_work_new(&kind, session, op);
    if (!drag) {
        return;
    }
    tb_buf_init(&drag->data, DATA_MAX);
    tb_timer_init(&drag->handed, tb_cdp_session_loop(session), on_not_handed, &drag->work);
    drag->from.button = "left";
    drag->to.button = "left";
    ask_point(drag, FROM, "target", false);
}
