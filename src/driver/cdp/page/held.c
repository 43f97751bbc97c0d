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
    if (!page->gone && page->browser->conn) {
        tb_cdp_target_post(page->target, "Input.setInterceptDrags", params);
    }
}

void tb_cdp_held_begin(struct tb_cdp_page *page)
{
    page->held.drags++;
    intercept(page, TB_STR("{\"enabled\":true}"));
}

void tb_cdp_held_end(struct tb_cdp_page *page)
{
    intercept(page, TB_STR("{\"enabled\":false}"));
}

void tb_cdp_held_keep(struct tb_cdp_page *page, double x, double y)
{
    page->held.tries = TRIES;
    page->held.x = x;
    page->held.y = y;
}

/* Moves that were under way when the dialog came reach the page before this, and may begin a drag
 * of the browser's: only now none is handed to us any more. Unless the next drag has begun: the
 * answer may be late, and what that one is waiting for would not come. */
static void on_up(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_cdp_page *page = user;
    (void)result;
    (void)err;
    if (page->held.released != page->held.drags ||
        (code == TB_E_DIALOG_OPEN && page->held.tries)) { /* again when that is answered */
        return;
    }
    page->held.tries = 0;
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
    page->held.released = page->held.drags;
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
                     tb_loop_now_ms(page->browser->cdp->loop) + TB_BROWSER_COMMAND_MS, on_up, page);
}
