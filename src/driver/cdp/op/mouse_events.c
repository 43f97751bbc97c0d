/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/mouse_events.h"

#include <string.h>

enum {
    EVENT_MAX = 1024,
};

const char *tb_cdp_mouse_button(struct tb_str name)
{
    return tb_str_eq_cstr(name, "right")    ? "right"
           : tb_str_eq_cstr(name, "middle") ? "middle"
                                            : "left";
}

/* The bit of a button that is down during the event. */
static int held(const char *type, const char *button)
{
    if (strcmp(type, "mouseReleased") == 0) {
        return 0;
    }
    return strcmp(button, "right") == 0 ? 2 : strcmp(button, "middle") == 0 ? 4 : 1;
}

void tb_cdp_mouse_send(struct tb_cdp_work *work, const struct tb_cdp_mouse *mouse, const char *type,
                       int count, bool ask)
{
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(EVENT_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_cstr(&json, "type", type);
    tb_json_member_num(&json, "x", mouse->x);
    tb_json_member_num(&json, "y", mouse->y);
    tb_json_member_int(&json, "modifiers", (int64_t)mouse->modifiers);
    if (count) {
        tb_json_member_cstr(&json, "button", mouse->button);
        tb_json_member_int(&json, "buttons", held(type, mouse->button));
        tb_json_member_int(&json, "clickCount", count);
    }
    if (strcmp(type, "mouseWheel") == 0) {
        tb_json_member_num(&json, "deltaX", mouse->delta_x);
        tb_json_member_num(&json, "deltaY", mouse->delta_y);
    }
    tb_json_object_close(&json);
    if (ask) {
        tb_cdp_work_send(work, "Input.dispatchMouseEvent", tb_buf_str(&params));
    } else {
        tb_cdp_work_post(work, "Input.dispatchMouseEvent", tb_buf_str(&params));
    }
}

void tb_cdp_mouse_click(struct tb_cdp_work *work, const struct tb_cdp_mouse *mouse, int count)
{
    if (!mouse->there) {
        tb_cdp_mouse_send(work, mouse, "mouseMoved", 0, false);
    }
    for (int i = 1; i <= count; i++) {
        tb_cdp_mouse_send(work, mouse, "mousePressed", i, false);
        tb_cdp_mouse_send(work, mouse, "mouseReleased", i, i == count);
    }
}

void tb_cdp_mouse_drag(struct tb_cdp_work *work, const struct tb_cdp_mouse *mouse, bool ask)
{
    tb_cdp_mouse_send(work, mouse, "mouseMoved", 1, ask);
}
