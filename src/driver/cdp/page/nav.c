/* SPDX-License-Identifier: Apache-2.0 */
/* Navigations of a frame, as the browser tells of them:
 *
 *   requestedNavigation -> startedNavigating -> frameNavigated -> lifecycleEvent ...
 *                |                 |
 *                |                 +-> frameStoppedLoading: it came to nothing (204, a download,
 *                |                     mailto:)
 *                +-> frameClearedScheduledNavigation: a form was refused before it began (data:)
 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "core/event.h"
#include "core/limits.h"
#include "core/url.h"
#include "driver/cdp/page/inner.h"
#include "driver/cdp/page/page_internal.h"
#include "driver/cdp/page/requests.h"

static struct tb_cdp_frame *frame_of(struct tb_cdp_target *target, const struct cJSON *params)
{
    return tb_cdp_page_frame_by_id(target->page, tb_json_text(params, "frameId"));
}

static void count(struct tb_cdp_frame *frame)
{
    frame->nav = ++frame->page->navs;
    tb_cdp_page_notice(frame->page);
}

static void begin(struct tb_cdp_frame *frame)
{
    /* One that was taken up already is given up for this one. */
    if (!frame->nav_asked || frame->nav_started) {
        count(frame);
        frame->left = frame->nav;
        frame->nav_asked = true;
        frame->nav_started = false;
        frame->nav_within = false;
    }
}

static void bound_for(struct tb_cdp_page *page, struct tb_str url)
{
    tb_free(page->bound_for);
    page->bound_for = url.len ? tb_str_dup(tb_str_sub(url, 0, TB_URL_KEPT)) : NULL;
}

static void came_to_nothing(struct tb_cdp_frame *frame)
{
    struct tb_cdp_page *page = frame->page;
    bool has_document = tb_str_of(frame->url).len > 0;
    if (!frame->parent && page->opening.by_page && !has_document) {
        tb_free(page->opening.failed);
        page->opening.failed = page->bound_for;
        page->bound_for = NULL;
    }
    frame->nav_asked = false;
    frame->nav_started = false;
    /* What came before it is still there, and may be what somebody waits for. */
    frame->nav = frame->nav_done;
    frame->left = frame->left_done;
    frame->nav_within = frame->within_done;
    if (!frame->parent) {
        bound_for(page, (struct tb_str){NULL, 0});
    }
    tb_cdp_nav_check(page);
}

/* Frames load on their own all the time (advertisements ...); only what a person's act does to one
 * counts as a navigation of the tab. */
static bool counts(const struct tb_cdp_frame *frame, struct tb_str reason)
{
    return !frame->parent || tb_str_eq_cstr(reason, "anchorClick") ||
           tb_str_starts(reason, TB_STR("formSubmission"));
}

static bool may_be_opened(struct tb_str url)
{
    return tb_str_starts(url, TB_STR("http:")) || tb_str_starts(url, TB_STR("https:")) ||
           tb_str_starts(url, TB_STR("about:")) || tb_str_starts(url, TB_STR("blob:"));
}

void tb_cdp_nav_on_asked(struct tb_cdp_target *target, const struct cJSON *params)
{
    struct tb_cdp_frame *frame = frame_of(target, params);
    if (frame && tb_str_eq_cstr(tb_json_text(params, "disposition"), "currentTab") &&
        counts(frame, tb_json_text(params, "reason"))) {
        begin(frame);
        frame->nav_barred = !may_be_opened(tb_json_text(params, "url"));
    }
}

void tb_cdp_nav_on_started(struct tb_cdp_target *target, const struct cJSON *params)
{
    struct tb_cdp_frame *frame = frame_of(target, params);
    struct tb_str type = tb_json_text(params, "navigationType");
    if (!frame || tb_str_eq_cstr(type, "sameDocument") ||
        tb_str_eq_cstr(type, "historySameDocument")) {
        return;
    }
    if (!frame->parent) {
        begin(frame);
        bound_for(frame->page, tb_json_text(params, "url"));
        tb_cdp_requests_on_leave(frame->page);
    }
    frame->nav_started = frame->nav_asked;
    if (!frame->parent && tb_cdp_page_awaits_first(frame->page)) {
        frame->loading = true; /* since before we heard of the window */
    }
}

void tb_cdp_nav_on_loading(struct tb_cdp_target *target, const struct cJSON *params)
{
    struct tb_cdp_frame *frame = frame_of(target, params);
    if (frame) {
        frame->loading = true;
    }
}

void tb_cdp_nav_on_stopped(struct tb_cdp_target *target, const struct cJSON *params)
{
    struct tb_cdp_frame *frame = frame_of(target, params);
    if (!frame || !frame->loading) {
        return;
    }
    frame->loading = false;
    if (frame->nav_asked && frame->nav_started) {
        came_to_nothing(frame);
    }
}

/* Told of all that begin, too; of a form to what no page may open it is all that is told. */
void tb_cdp_nav_on_cleared(struct tb_cdp_target *target, const struct cJSON *params)
{
    struct tb_cdp_frame *frame = frame_of(target, params);
    if (frame && frame->nav_asked && frame->nav_barred && !frame->nav_started && !frame->loading) {
        came_to_nothing(frame);
    }
}

static void tell(struct tb_cdp_frame *frame)
{
    struct tb_cdp_host *host = frame->page->host;
    if (frame->parent || !host) {
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf url = TB_BUF(TB_URL_SHOWN_MAX);
    tb_url_shown(tb_str_of(frame->url), &url);
    host->ops->tell(host, &(struct tb_event){.type = TB_EVENT_NAVIGATED,
                                             .fields = {tb_field_text("url", tb_buf_str(&url))}});
}

/* One that was left whole and is shown again does not load again, and nothing more is told of it.
 */
static unsigned reached_by(const struct cJSON *params)
{
    static const unsigned all =
        TB_REACHED_COMMIT | TB_REACHED_DOM | TB_REACHED_LOAD | TB_REACHED_IDLE;
    bool restored = tb_str_eq_cstr(tb_json_text(params, "type"), "BackForwardCacheRestore");
    return restored ? all : TB_REACHED_COMMIT;
}

/* The frame has another document. */
void tb_cdp_nav_on_committed(struct tb_cdp_target *target, const struct cJSON *params)
{
    const struct cJSON *info = tb_json_get(params, "frame");
    struct tb_cdp_page *page = target->page;
    struct tb_cdp_frame *frame = tb_cdp_page_frame_by_id(page, tb_json_text(info, "id"));
    struct tb_cdp_frame *parent = tb_cdp_page_frame_by_id(page, tb_json_text(info, "parentId"));
    if (!frame && parent) {
        frame = tb_cdp_frame_new(page, target, parent, tb_json_text(info, "id"));
    }
    if (!frame || !tb_cdp_frame_move(frame, target)) {
        return;
    }
    if (!frame->parent && !frame->nav_asked) {
        begin(frame);
    }
    if (!frame->parent) {
        bound_for(page, (struct tb_str){NULL, 0});
        tb_free(page->opening.failed);
        page->opening.failed = NULL;
        page->crashed = false;
        page->windows_refused = 0;
        page->kept_waiting = false;
        page->leaving = false;
        if (!page->ready && !tb_cdp_page_cmd_sets_up(page)) {
            tb_cdp_page_set_up(page->target); /* it failed, with the renderer that was to do it */
        }
    }
    tb_cdp_chooser_on_left(frame);
    tb_cdp_frames_drop_below(frame);
    frame->nav_asked = false;
    frame->nav_started = false;
    frame->document++;
    frame->nav_done = frame->nav;
    frame->left_done = frame->left;
    frame->within_done = false;
    frame->mended = false;
    frame->reached = reached_by(params);
    frame->failed = tb_json_get(info, "unreachableUrl") != NULL;
    if (!tb_cdp_target_id_copy(frame->loader_id, tb_json_text(info, "loaderId"))) {
        frame->loader_id[0] = '\0';
    }
    tb_cdp_frame_set_url(frame, tb_json_text(info, frame->failed ? "unreachableUrl" : "url"));
    tell(frame);
    tb_cdp_nav_check(page);
}

void tb_cdp_nav_on_within(struct tb_cdp_target *target, const struct cJSON *params)
{
    struct tb_cdp_frame *frame = frame_of(target, params);
    if (!frame) {
        return;
    }
    tb_cdp_frame_set_url(frame, tb_json_text(params, "url"));
    if (!frame->parent && !frame->nav_started) {
        count(frame);
        frame->nav_within = true;
        frame->nav_asked = false;
        frame->nav_done = frame->nav;
        frame->within_done = true;
    }
    tell(frame);
    tb_cdp_nav_check(target->page);
}

bool tb_cdp_frame_has_left(const struct tb_cdp_frame *frame, uint64_t mark)
{
    return frame->left > mark;
}

void tb_cdp_nav_on_lifecycle(struct tb_cdp_target *target, const struct cJSON *params)
{
    static const struct {
        const char *name;
        unsigned reached;
    } stages[] = {
        {"DOMContentLoaded", TB_REACHED_DOM},
        {"load", TB_REACHED_DOM | TB_REACHED_LOAD},
        {"networkIdle", TB_REACHED_DOM | TB_REACHED_LOAD | TB_REACHED_IDLE},
    };
    struct tb_cdp_frame *frame = frame_of(target, params);
    struct tb_str loader = tb_json_text(params, "loaderId");
    if (!frame) {
        return;
    }
    if (!frame->loader_id[0]) {
        tb_cdp_target_id_copy(frame->loader_id, loader);
    }
    if (!tb_str_eq_cstr(loader, frame->loader_id)) {
        return;
    }
    for (size_t i = 0; i < TB_COUNT(stages); i++) {
        if (tb_str_eq_cstr(tb_json_text(params, "name"), stages[i].name)) {
            frame->reached |= stages[i].reached | TB_REACHED_COMMIT;
            if (!frame->world[0]) {
                tb_cdp_frame_mend(frame);
            }
            if (!frame->parent && (stages[i].reached & TB_REACHED_LOAD)) {
                target->page->host->ops->page_loaded(target->page->host);
                /* Chromium 156 may forget to close a tab that has only just got its document. */
                tb_cdp_inner_close(target->page);
            }
            tb_cdp_nav_check(target->page);
            return;
        }
    }
}
