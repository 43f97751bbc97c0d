/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/veil.h"

bool tb_cdp_veil_next(struct tb_cdp_veil *veil, struct tb_cdp_work *work)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_cdp_frame *frame = page ? tb_cdp_page_secret_frame(page, veil->next) : NULL;
    if (!frame) {
        return false;
    }
    veil->work = work;
    veil->next = tb_cdp_frame_number(frame) + 1;
    tb_cdp_work_call_in(work, tb_cdp_frame_number(frame), "veil", TB_STR("{\"on\":true}"));
    return true;
}

void tb_cdp_veil_lift(struct tb_cdp_veil *veil)
{
    struct tb_cdp_page *page = veil->work ? tb_cdp_work_page(veil->work) : NULL;
    struct tb_cdp_frame *frame = page ? tb_cdp_page_secret_frame(page, 0) : NULL;
    veil->work = NULL;
    while (frame) {
        tb_cdp_frame_lift_veil(frame);
        frame = tb_cdp_page_secret_frame(page, tb_cdp_frame_number(frame) + 1);
    }
}
