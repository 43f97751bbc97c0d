/* SPDX-License-Identifier: Apache-2.0 */
#include "core/args.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/mouse_events.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/work.h"
#include "driver/launch.h"

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    (void)value;
    tb_cdp_work_wind_up(work);
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct tb_cdp_work), .step = step};

static void act(struct tb_cdp_work *work, const struct tb_cdp_mouse *mouse)
{
    const struct cJSON *args = work->op->args;
    struct tb_str action = tb_args_text(args, "action", "click");
    int count = (int)tb_args_int(args, "count", 1);
    work->acted = true;
    if (tb_str_eq_cstr(action, "move")) {
        tb_cdp_mouse_send(work, mouse, "mouseMoved", 0, true);
    } else if (tb_str_eq_cstr(action, "down")) {
        tb_cdp_mouse_send(work, mouse, "mouseMoved", 0, false);
        tb_cdp_mouse_send(work, mouse, "mousePressed", count, true);
    } else if (tb_str_eq_cstr(action, "up")) {
        tb_cdp_mouse_send(work, mouse, "mouseMoved", 0, false);
        tb_cdp_mouse_send(work, mouse, "mouseReleased", count, true);
    } else if (tb_str_eq_cstr(action, "wheel")) {
        tb_cdp_mouse_send(work, mouse, "mouseWheel", 0, true);
    } else {
        tb_cdp_mouse_click(work, mouse, count);
    }
}

void tb_cdp_op_mouse(struct tb_driver_session *session, struct tb_op *op)
{
    struct tb_cdp_work *work = tb_cdp_work_new(&kind, session, op);
    if (!work) {
        return;
    }
    struct tb_cdp_mouse mouse = {
        .x = tb_args_num(op->args, "x", 0),
        .y = tb_args_num(op->args, "y", 0),
        .button = tb_cdp_mouse_button(tb_args_text(op->args, "button", "left")),
        .delta_x = tb_args_num(op->args, "delta_x", 0),
        .delta_y = tb_args_num(op->args, "delta_y", 0),
    };
    int width = session->use.width ? session->use.width : TB_WINDOW_WIDTH;
    int height = session->use.height ? session->use.height : TB_WINDOW_HEIGHT;
    if (mouse.x < 0 || mouse.y < 0 || mouse.x >= width || mouse.y >= height) {
        tb_cdp_work_fail(work, TB_E_PARAMS, "%.0f,%.0f is outside the viewport of %dx%d", mouse.x,
                         mouse.y, width, height);
        return;
    }
    tb_json_set_str(op->result->data, "action", tb_args_text(op->args, "action", "click"));
    tb_json_set_num(op->result->data, "x", mouse.x);
    tb_json_set_num(op->result->data, "y", mouse.y);
    act(work, &mouse);
}
