/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/host.h"

#include "base/json.h"
#include "driver/cdp/page/page_internal.h"

void tb_cdp_host_init(struct tb_cdp_host *host, const struct tb_cdp_host_ops *ops,
                      struct tb_cdp_peer *peer)
{
    host->ops = ops;
    host->peer = peer;
    tb_list_init(&host->pages);
}

void tb_cdp_tab_user_note_ref(struct tb_cdp_tab_user *user, const struct cJSON *last)
{
    int64_t number = 0;
    if (tb_json_int(last, &number) && number > user->last_ref && number < INT64_MAX / 2) {
        user->last_ref = number;
    }
}

struct tb_cdp_running *tb_cdp_host_running(const struct tb_cdp_host *host)
{
    return host && host->user ? host->user->running : NULL;
}

struct tb_cdp_page *tb_cdp_host_page(const struct tb_cdp_host *host, struct tb_str target_id)
{
    LIST_FOREACH(link, &host->pages) {
        struct tb_cdp_page *page = TB_CONTAINER(link, struct tb_cdp_page, link);
        if (tb_str_eq_cstr(target_id, page->target->id)) {
            return page;
        }
    }
    return NULL;
}

size_t tb_cdp_host_index(const struct tb_cdp_host *host, const struct tb_cdp_page *page)
{
    size_t at = 0;
    LIST_FOREACH(link, &host->pages) {
        if (link == &page->link) {
            break;
        }
        at++;
    }
    return at;
}
