/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/inner.h"

#include <stdio.h>

#include "driver/address.h"
#include "driver/cdp/page/page_internal.h"

bool tb_cdp_page_is_inner(const struct tb_cdp_page *page)
{
    return page->inner.is;
}

int tb_cdp_inner_fail(const struct tb_cdp_page *page, struct tb_err *err)
{
    return page->inner.refused
               ? tb_fail(
                     err, TB_E_DOMAIN_BLOCKED,
                     "the tab went to an address that is not allowed, so it is being closed: %s",
                     page->inner.refused)
               : tb_fail(
                     err, TB_E_TAB_NOT_FOUND,
                     "the tab went to a file of this machine or to a page of the browser itself, "
                     "so it is being closed; try again");
}

void tb_cdp_inner_close(struct tb_cdp_page *page)
{
    char params[64 + TB_TARGET_ID_SIZE];
    struct tb_cdp_host *host = page->host;
    if (!page->inner.is || !host || !host->user) {
        return;
    }
    if (host->page_count == 1) {
        host->ops->want_tab(host);
    }
    int len =
        snprintf(params, sizeof(params), "{\"targetId\":\"%s\"}", tb_cdp_page_target_id(page));
    tb_cdp_post(tb_cdp_page_conn(page), NULL, "Target.closeTarget",
                (struct tb_str){params, (size_t)len});
}

static void shut(struct tb_cdp_page *page)
{
    page->inner.is = true;
    tb_cdp_inner_close(page);
}

static bool is_of_inner(const struct tb_cdp_host *host, const struct tb_cdp_page *page)
{
    LIST_FOREACH(link, &host->pages) {
        const struct tb_cdp_page *opener = TB_CONTAINER(link, struct tb_cdp_page, link);
        if (opener->inner.is &&
            tb_str_eq_cstr(tb_str_of(page->opening.opener), opener->target->id)) {
            return true;
        }
    }
    return false;
}

static struct tb_cdp_page *next_to_shut(const struct tb_cdp_host *host)
{
    LIST_FOREACH(link, &host->pages) {
        struct tb_cdp_page *page = TB_CONTAINER(link, struct tb_cdp_page, link);
        if (!page->inner.is && page->opening.opener[0] && is_of_inner(host, page)) {
            return page;
        }
    }
    return NULL;
}

static struct tb_cdp_page *next_to_end(const struct tb_cdp_host *host)
{
    LIST_FOREACH(link, &host->pages) {
        struct tb_cdp_page *page = TB_CONTAINER(link, struct tb_cdp_page, link);
        if (page->inner.is && !page->inner.ended) {
            return page;
        }
    }
    return NULL;
}

/* Calls that are under way must not read it either. The end of one may be that of its session, and
 * of all its tabs. */
static void end_calls(const struct tb_cdp_host *host)
{
    struct tb_cdp_page *page;
    while ((page = next_to_end(host))) {
        struct tb_err err;
        tb_cdp_inner_fail(page, &err);
        page->inner.ended = true;
        tb_cdp_page_fail_all(page, NULL, &err);
        if (page->gone) {
            return;
        }
    }
}

/* A window may be known before the address of what opened it is, so this is done for both. */
void tb_cdp_inner_spread(struct tb_cdp_host *host)
{
    struct tb_cdp_page *page;
    while ((page = next_to_shut(host))) {
        shut(page);
    }
    end_calls(host);
}

/* Policies are asked for main frames; what frames inside load is for whoever carries it. */
static bool is_refused(struct tb_cdp_frame *frame)
{
    struct tb_cdp_page *page = frame->page;
    struct tb_cdp_host *host = page->host;
    struct tb_str url = tb_cdp_frame_url(frame);
    struct tb_err err;
    if (frame->parent || frame->failed || !url.len || !host->ops->may_open ||
        host->ops->may_open(host, url, &err) == 0) {
        return false;
    }
    tb_free(page->inner.refused);
    page->inner.refused = tb_strdup(err.text);
    return true;
}

/* A frame that was refused such an address shows nothing of it. */
void tb_cdp_inner_look(struct tb_cdp_frame *frame)
{
    struct tb_cdp_page *page = frame->page;
    if (page->host && !page->inner.is && !(frame->parent && frame->failed) &&
        (tb_address_is_inner(tb_cdp_frame_url(frame)) || is_refused(frame))) {
        shut(page);
        tb_cdp_inner_spread(page->host);
    }
}
