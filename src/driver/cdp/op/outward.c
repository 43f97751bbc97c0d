/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/outward.h"

#include "driver/cdp/op/refs.h"
#include "driver/cdp/op/work.h"

enum {
    ARGS_MAX = 1024,
};

static void read(struct tb_cdp_outward *point, const struct cJSON *json)
{
    tb_json_num(tb_json_get(json, "x"), &point->x);
    tb_json_num(tb_json_get(json, "y"), &point->y);
}

bool tb_cdp_outward_ask(struct tb_cdp_outward *point, struct tb_cdp_work *work)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_cdp_frame *frame = page ? tb_cdp_page_frame_by_number(page, point->frame) : NULL;
    if (!point->frame) {
        return false;
    }
    if (!frame || !tb_cdp_frame_owner(frame)[0]) {
        tb_cdp_work_fail(work, TB_E_ELEMENT_STALE, "the frame of the element has left the page");
        return true;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf args = TB_BUF(ARGS_MAX);
    tb_buf_printf(&args,
                  "{\"target\":\"%s\",\"x\":%.2f,\"y\":%.2f,\"force\":%s,\"presses\":%d,"
                  "\"timeout_ms\":%lld}",
                  tb_cdp_frame_owner(frame), point->x, point->y, point->force ? "true" : "false",
                  point->presses, (long long)tb_cdp_work_element_ms(work));
    tb_cdp_work_call_in(work, tb_cdp_ref_frame(tb_str_of(tb_cdp_frame_owner(frame))), "through",
                        tb_buf_str(&args));
    return true;
}

void tb_cdp_outward_take(struct tb_cdp_outward *point, struct tb_cdp_work *work,
                         struct tb_str value)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_cdp_frame *frame = page ? tb_cdp_page_frame_by_number(page, point->frame) : NULL;
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    read(point, json);
    point->frame = frame ? tb_cdp_ref_frame(tb_str_of(tb_cdp_frame_owner(frame))) : 0;
}
