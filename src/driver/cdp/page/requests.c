/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/requests.h"

#include "driver/cdp/page/page_internal.h"

enum {
    EVENTS_MAX = 500, /* after an act; a page that talks all the time is not listened to for long */
};

static bool end_events(struct tb_cdp_target *target)
{
    const struct tb_cdp_host *host = target->page->host;
    bool ends = target->tells_requests && host && host->user && !host->user->keeps_network;
    if (ends) {
        target->tells_requests = false;
        tb_cdp_target_post(target, "Network.disable", (struct tb_str){NULL, 0});
    }
    return ends;
}

void tb_cdp_requests_on_leave(struct tb_cdp_page *page)
{
    LIST_FOREACH(link, &page->targets) {
        end_events(TB_CONTAINER(link, struct tb_cdp_target, link));
    }
}

void tb_cdp_requests_tell(struct tb_cdp_frame *frame, bool logged)
{
    struct tb_cdp_target *target = frame->target;
    target->events = 0;
    if (!target->tells_requests && !(logged && target == frame->page->main_frame->target)) {
        target->tells_requests = true;
        tb_cdp_target_post(target, "Network.enable",
                           TB_STR("{\"maxTotalBufferSize\":0,\"maxResourceBufferSize\":0}"));
    }
}

bool tb_cdp_requests_count(struct tb_cdp_target *target)
{
    return ++target->events > EVENTS_MAX && end_events(target);
}
