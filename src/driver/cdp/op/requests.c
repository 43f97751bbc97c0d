/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/op/requests.h"

#include <string.h>

#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/work.h"
#include "driver/cdp/page/requests.h"
#include "driver/cdp/wire/pick.h"

void tb_cdp_work_requests_count(struct tb_cdp_work *work)
{
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_cdp_frame *frame = page ? tb_cdp_page_frame_by_number(page, work->frame) : NULL;
    if (frame) {
        work->requests.counted = true;
        tb_cdp_requests_tell(frame, work->session->journal.net_on);
    }
}

void tb_cdp_work_requests_forget(struct tb_cdp_work *work)
{
    work->requests = (struct tb_cdp_requests){.count = 0};
}

/* The part of an address that its site is known by: the last two labels of its host. */
static struct tb_str site_of(struct tb_str url)
{
    const char *begin = url.ptr ? memmem(url.ptr, url.len, "://", 3) : NULL;
    if (!begin) {
        return (struct tb_str){NULL, 0};
    }
    size_t at = (size_t)(begin - url.ptr) + 3;
    size_t end = at;
    while (end < url.len && !strchr(":/?#\"", url.ptr[end])) {
        end++;
    }
    struct tb_str host = tb_str_sub(url, at, end);
    int dots = 0;
    for (size_t i = host.len; i > 0; i--) {
        if (host.ptr[i - 1] == '.' && ++dots == 2) {
            return tb_str_sub(host, i, host.len);
        }
    }
    return host;
}

/* What pages send to others with every click, such as statistics, has no effect on them. */
static bool is_of_page(const struct tb_cdp_page *page, struct tb_str params)
{
    struct tb_str type = tb_cdp_pick(params, "type");
    return (tb_str_eq_cstr(type, "\"Fetch\"") || tb_str_eq_cstr(type, "\"XHR\"")) &&
           tb_str_eq(site_of(tb_cdp_pick(tb_cdp_pick(params, "request"), "url")),
                     site_of(tb_cdp_page_url(page)));
}

static size_t find(const struct tb_cdp_requests *requests, const char *id)
{
    size_t i = 0;
    while (i < requests->count && strcmp(requests->ids[i], id) != 0) {
        i++;
    }
    return i;
}

static void on_begun(struct tb_cdp_requests *requests, const char *id)
{
    if (find(requests, id) == requests->count && requests->count < TB_REQUESTS_MAX) {
        tb_cdp_target_id_copy(requests->ids[requests->count++], tb_str_of(id));
    }
}

static void on_ended(struct tb_cdp_work *work, const char *id)
{
    struct tb_cdp_requests *requests = &work->requests;
    size_t at = find(requests, id);
    if (at == requests->count) {
        return;
    }
    requests->count--;
    memmove(requests->ids[at], requests->ids[requests->count], sizeof(requests->ids[at]));
    requests->ended = true;
    if (!requests->count) {
        tb_cdp_work_look_again(work);
    }
}

void tb_cdp_work_requests_unheard(struct tb_cdp_work *work)
{
    if (work->requests.count) {
        work->requests.count = 0;
        work->requests.ended = true;
        tb_cdp_work_look_again(work);
    }
}

void tb_cdp_work_requests_on_event(struct tb_cdp_work *work, struct tb_cdp_page *page,
                                   struct tb_str method, struct tb_str params)
{
    if (!work->requests.counted || !work->acted || tb_cdp_work_page(work) != page) {
        return;
    }
    struct tb_str raw = tb_cdp_pick(params, "requestId");
    char id[TB_TARGET_ID_SIZE];
    if (raw.len < 2 || !tb_cdp_target_id_copy(id, tb_str_sub(raw, 1, raw.len - 1))) {
        return;
    }
    if (tb_str_eq_cstr(method, "Network.requestWillBeSent") && is_of_page(page, params)) {
        on_begun(&work->requests, id);
    } else if (tb_str_eq_cstr(method, "Network.loadingFinished") ||
               tb_str_eq_cstr(method, "Network.loadingFailed")) {
        on_ended(work, id);
    }
}
