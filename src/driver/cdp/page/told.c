/* SPDX-License-Identifier: Apache-2.0 */
/* What the page scripts tell without being asked, by the binding that page.c gives them; see
 * page/here.js. The first word of each document is about itself, and is kept for who asks later. */
#include "base/json.h"
#include "driver/cdp/page/page_internal.h"
#include "driver/cdp/wire/pick.h"
#include "proto/json_string.h"

enum {
    TOLD_MAX = 64 * 1024,
};

static void keep_arrival_take(struct tb_cdp_page *page, struct cJSON *told)
{
    tb_json_free(page->known.arrival.told);
    page->known.arrival.told = told;
    page->known.arrival.mark = page->navs;
}

void tb_cdp_page_take_told(struct tb_cdp_page *page, struct tb_str params)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TOLD_MAX);
    if (!page->host->user || !tb_str_eq_cstr(tb_cdp_pick(params, "name"), "\"tabardTell\"") ||
        tb_json_string_decode(tb_cdp_pick(params, "payload"), &text) < 0) {
        return;
    }
    struct cJSON *told = tb_json_parse(tb_buf_str(&text));
    tb_cdp_tab_user_note_ref(page->host->user, tb_json_get(told, "last"));
    struct tb_cdp_running *running = tb_cdp_host_running(page->host);
    if (running) {
        running->ops->told(running, page, told);
    }
    if (tb_json_get(told, "status")) {
        keep_arrival_take(page, told);
    } else {
        tb_json_free(told);
    }
}

const struct cJSON *tb_cdp_page_arrived(const struct tb_cdp_page *page)
{
    const struct tb_cdp_arrival *arrival = &page->known.arrival;
    struct tb_str url;
    bool is_this = arrival->told && arrival->mark == page->navs &&
                   tb_json_str(tb_json_get(arrival->told, "url"), &url) &&
                   tb_str_eq(url, tb_cdp_page_url(page));
    return is_this ? arrival->told : NULL;
}
