/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/held.h"

#include <stdio.h>

#include "core/limits.h"
#include "driver/cdp/page/page_internal.h"

enum {
    TRIES = 3, /* the page may ask whenever the mouse moves or comes up, without an end */
    EVENT_MAX = 256,
};

static void intercept(const struct tb_cdp_page *page, struct tb_str params)
{
    if (!page->gone && page->peer->conn) {
        tb_cdp_target_post(page->target, "Input.setInterceptDrags", params);
    }
}

void tb_cdp_held_begin(struct tb_cdp_page *page)
{
    page->held.drags = true;
    page->held.tries = 0;
    intercept(page, TB_STR("{\"enabled\":true}"));
}

void tb_cdp_held_end(struct tb_cdp_page *page)
{
    page->held.drags = false;
    intercept(page, TB_STR("{\"enabled\":false}"));
}

void tb_cdp_held_keep(struct tb_cdp_page *page, double x, double y)
{
    page->held.drags = false;
    page->held.tries = TRIES;
    page->held.x = x;
    page->held.y = y;
}

/* Moves that were under way when the dialog came reach the page before this, and may begin a drag
 * of the browser's: only now none is handed to us any more. The answer may be late: then it is none
 * of the next drag's, which still needs the interception or has a button of its own to let go. */
static void on_up(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_cdp_page *page = user;
    struct tb_cdp_held *held = &page->held;
    (void)result;
    (void)err;
    held->ups--;
    if (held->ups || held->drags || held->tries == TRIES ||
        (code == TB_E_DIALOG_OPEN && held->tries)) { /* again when that is answered */
        return;
    }
    held->tries = 0;
    tb_cdp_held_end(page);
}

/* What the page drags is brought back to where it was; but the button does not come up there, which
 * would be a click on it. The click that comes of this nevertheless is held back by page/aim.js. */
void tb_cdp_held_let_go(struct tb_cdp_page *page)
{
    const struct tb_cdp_held *held = &page->held;
    struct tb_err err;
    char back[EVENT_MAX];
    if (!held->tries || page->gone || tb_cdp_page_in_dialog(page, &err)) {
        return;
    }
    page->held.tries--;
    page->held.ups++;
    tb_cdp_target_post(page->target, "Input.dispatchDragEvent",
                       TB_STR("{\"type\":\"dragCancel\",\"x\":0,\"y\":0,"
                              "\"data\":{\"items\":[],\"dragOperationsMask\":0}}"));
    int len = snprintf(back, sizeof(back),
                       "{\"type\":\"mouseMoved\",\"x\":%.2f,\"y\":%.2f,\"button\":\"left\","
                       "\"buttons\":1}",
                       held->x, held->y);
    tb_cdp_target_post(page->target, "Input.dispatchMouseEvent",
                       (struct tb_str){back, (size_t)len});
    tb_cdp_page_send(page, "Input.dispatchMouseEvent",
                     TB_STR("{\"type\":\"mouseReleased\",\"x\":-1,\"y\":-1,\"button\":\"left\","
                            "\"buttons\":0,\"clickCount\":1}"),
                     tb_loop_now_ms(page->peer->loop) + TB_CDP_COMMAND_MS, on_up, page);
}
