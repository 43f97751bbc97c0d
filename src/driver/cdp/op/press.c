/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/press.h"

#include <stdio.h>

#include "base/utf8.h"
#include "driver/cdp/op/refs.h"

enum phase {
    POINT,
    OUTWARD,
    INPUT,
    STRUCK,
};

enum {
    TRIES_MAX = 20, /* an element that evades so often does so on purpose */
};

static void put_args(struct tb_cdp_press *press, struct tb_buf *args)
{
    struct tb_json_writer json;
    const struct cJSON *position = tb_json_get(press->work->op->args, "position");
    tb_json_writer_init(&json, args);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "target", press->target);
    if (position) {
        tb_json_member_tree(&json, "position", position);
    }
    tb_json_member_int(&json, "timeout_ms", tb_cdp_work_element_ms(press->work));
    tb_json_member_bool(&json, "strict", !press->work->op->lenient);
    tb_json_member_int(&json, "presses", press->count);
    tb_json_member_bool(&json, "careful", press->tries > 1);
    tb_json_member_bool(&json, "watch", press->watch);
    tb_json_object_close(&json);
    tb_cdp_refs_continue(press->work, args);
}

void tb_cdp_press_start(struct tb_cdp_press *press)
{
    if (!tb_cdp_work_frame(press->work, press->target)) {
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(TB_CDP_WORK_ARGS_MAX);
    press->tries++;
    if (press->count && press->watch) {
        tb_cdp_work_requests_count(press->work);
    }
    if (press->watch) {
        tb_cdp_work_watch(press->work);
    }
    put_args(press, &args);
    press->phase = POINT;
    tb_cdp_work_call(press->work, "point", tb_buf_str(&args));
}

static void act(struct tb_cdp_press *press)
{
    struct tb_cdp_work *work = press->work;
    press->mouse.x = press->point.x;
    press->mouse.y = press->point.y;
    press->phase = INPUT;
    work->acted = true;
    if (!press->count) {
        tb_cdp_mouse_send(work, &press->mouse, "mouseMoved", 0, true);
        return;
    }
    work->clicks = true;
    work->expected.aimed = press->aimed;
    work->expected.due = press->ticks ? press->count + 1 : press->aimed ? press->count : 0;
    work->expected.had = 0;
    tb_cdp_mouse_click(work, &press->mouse, press->count);
    if (!work->frame) {
        tb_cdp_work_expect(work, press->clicks + press->count);
    }
}

static void go_out(struct tb_cdp_press *press)
{
    press->phase = OUTWARD;
    if (!tb_cdp_outward_ask(&press->point, press->work)) {
        act(press);
    }
}

static void on_point(struct tb_cdp_press *press, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    if ((press->stays || press->tries > 1) && tb_cdp_work_has_left(press->work)) {
        tb_cdp_work_fail(press->work, TB_E_ELEMENT_STALE,
                         "nothing was clicked: the page moved to another document");
        return;
    }
    press->point = (struct tb_cdp_outward){.frame = press->work->frame, .presses = press->count};
    tb_json_num(tb_json_get(json, "x"), &press->point.x);
    tb_json_num(tb_json_get(json, "y"), &press->point.y);
    tb_json_int(tb_json_get(json, "clicks"), &press->clicks);
    press->aimed = tb_json_get(json, "aimed") != NULL;
    /* What is at rest inside a frame may have moved with it. */
    press->mouse.there = !press->work->frame && tb_json_get(json, "there");
    tb_cdp_work_set_element(press->work, "element", json);
    go_out(press);
}

/* The document of the tab tells by itself or in the end; that of a frame has to be asked. */
static bool on_input(struct tb_cdp_press *press)
{
    if (!press->work->frame || !press->count) {
        return true;
    }
    press->phase = STRUCK;
    tb_cdp_work_call(press->work, "here", TB_STR("{}"));
    return false;
}

static bool on_struck(struct tb_cdp_press *press, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    if (tb_cdp_work_is_missed(json)) {
        tb_cdp_press_missed(press, json);
        return false;
    }
    tb_cdp_work_take_changes(press->work, json);
    return true;
}

bool tb_cdp_press_step(struct tb_cdp_press *press, struct tb_str value)
{
    switch (press->phase) {
    case POINT:
        on_point(press, value);
        return false;
    case OUTWARD:
        tb_cdp_outward_take(&press->point, press->work, value);
        go_out(press);
        return false;
    case INPUT:
        return on_input(press);
    default:
        return on_struck(press, value);
    }
}

void tb_cdp_press_missed(struct tb_cdp_press *press, const struct cJSON *told)
{
    struct tb_cdp_work *work = press->work;
    struct tb_str words = {NULL, 0};
    if (press->phase != INPUT && press->phase != STRUCK) {
        return;
    }
    if (!tb_json_str(tb_json_get(told, "missed"), &words)) {
        tb_cdp_work_fail_unseen(work, "something else was in its place, such as another frame, and "
                                      "that may have been clicked");
        return;
    }
    snprintf(press->missed, sizeof(press->missed), "%.*s", TB_STR_ARG(tb_str_sub(words, 0, 250)));
    press->missed[tb_utf8_prefix(tb_str_of(press->missed))] = '\0';
    if (press->tries < TRIES_MAX && tb_cdp_work_left_ms(work) > 0) {
        tb_cdp_work_begin_again(work);
        tb_cdp_press_start(press);
    } else {
        tb_cdp_work_fail(work, TB_E_ELEMENT_NOT_READY,
                         "%s was in its place at every attempt, so nothing was clicked",
                         press->missed);
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
bool tb_cdp_press_failed(struct tb_cdp_press *press, const struct tb_err *err)
{
    if (press->phase == STRUCK && err->code == TB_E_ELEMENT_STALE) {
        if (press->work->expected.struck || !press->aimed) {
            if (press->work->expected.struck && !press->work->expected.had) {
                note_removed(press->work); /* between the two halves of the click */
            }
            press->work->kind->step(press->work, (struct tb_str){NULL, 0});
        } else {
            tb_cdp_work_fail_unseen(press->work,
                                    "its frame left the page, and what was beneath may "
                                    "have been clicked");
        }
        return true;
    }
    bool looking = press->phase == POINT || press->phase == OUTWARD;
    if (!press->missed[0] || !looking || err->code == TB_E_DIALOG_OPEN) {
        return false;
    }
    tb_cdp_work_fail(press->work, tb_cdp_work_code(err),
                     "%s. An earlier attempt clicked nothing, because %s was in its place",
                     err->text, press->missed);
    return true;
}
