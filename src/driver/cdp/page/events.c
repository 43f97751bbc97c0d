/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/quote.h"
#include "core/event.h"
#include "core/limits.h"
#include "core/url.h"
#include "driver/cdp/page/chooser.h"
#include "driver/cdp/page/page_internal.h"
#include "driver/cdp/page/requests.h"

static void tell(struct tb_cdp_page *page, enum tb_event_type type, struct tb_field field)
{
    if (page->host) {
        page->host->ops->tell(page->host, &(struct tb_event){.type = type, .fields = {field}});
    }
}

void tb_cdp_page_notice(const struct tb_cdp_page *page)
{
    struct tb_cdp_running *running = tb_cdp_host_running(page->host);
    if (running) {
        running->ops->notice(running);
    }
}

/* Scheme and host: pages that agree in them run in one process if they can reach each other. Empty
 * for about:blank and the like, which are of their opener's site, and for a tab that has not told
 * its address yet. */
static struct tb_str site_of(const struct tb_cdp_page *page)
{
    const char *url = page->main_frame->url;
    const char *host = url ? strstr(url, "://") : NULL;
    return (struct tb_str){url, host ? (size_t)(host + 3 - url) + strcspn(host + 3, ":/?#") : 0};
}

static bool share_thread(const struct tb_cdp_page *page, const struct tb_cdp_page *other)
{
    struct tb_str site = site_of(page);
    struct tb_str others = site_of(other);
    return page->opening.group == other->opening.group &&
           (!site.len || !others.len || tb_str_eq(site, others));
}

bool tb_cdp_page_in_dialog(const struct tb_cdp_page *page, struct tb_err *ret_err)
{
    struct tb_quoted shown;
    if (page->dialog.open) {
        tb_fail(ret_err, TB_E_DIALOG_OPEN, "the page shows a dialog (%s): %s", page->dialog.type,
                tb_quoted(&shown, tb_str_of(page->dialog.message), 0));
        return true;
    }
    LIST_FOREACH(link, &page->host->pages) {
        const struct tb_cdp_page *other = TB_CONTAINER(link, struct tb_cdp_page, link);
        if (other->dialog.open && share_thread(page, other)) {
            tb_fail(
                ret_err, TB_E_DIALOG_OPEN,
                "tab %zu shows a dialog (%s) that blocks this tab until it is answered there: %s",
                tb_cdp_host_index(page->host, other), other->dialog.type,
                tb_quoted(&shown, tb_str_of(other->dialog.message), 0));
            return true;
        }
    }
    return false;
}

/* A page that asks again and again has its script ended, or it could never be left; before a
 * navigation at once, since the browser holds that back while one is under way. */
static void dismiss(struct tb_cdp_page *page, bool ends)
{
    struct tb_cdp_running *running = tb_cdp_host_running(page->host);
    page->dialog.open = false;
    if (running) {
        running->ops->dismissed(running, &page->dialog);
    }
    if (ends || ++page->dismissed > 1) {
        tb_cdp_page_terminate_script(page);
    }
    tb_cdp_target_post(page->target, "Page.handleJavaScriptDialog", TB_STR("{\"accept\":false}"));
}

void tb_cdp_page_dismiss(struct tb_cdp_page *page)
{
    LIST_FOREACH(link, &page->host->pages) {
        struct tb_cdp_page *other = TB_CONTAINER(link, struct tb_cdp_page, link);
        if (other->dialog.open && (other == page || share_thread(page, other))) {
            other->dismissed = 0; /* it may ask again: nobody leaves it */
            dismiss(other, false);
        }
    }
}

void tb_cdp_page_leave(struct tb_cdp_page *page, bool ends)
{
    LIST_FOREACH(link, &page->host->pages) {
        struct tb_cdp_page *other = TB_CONTAINER(link, struct tb_cdp_page, link);
        if (other == page || share_thread(page, other)) {
            other->leaving = true;
            other->dismissed = 0;
            if (other->dialog.open) {
                dismiss(other, ends);
            }
        }
    }
}

static void on_dialog(struct tb_cdp_target *target, const struct cJSON *params)
{
    struct tb_cdp_page *page = target->page;
    struct tb_str type = tb_json_text(params, "type");
    if (tb_str_eq_cstr(type, "beforeunload")) {
        /* Who leaves a page by a call wants to leave it. */
        tb_cdp_target_post(page->target, "Page.handleJavaScriptDialog",
                           TB_STR("{\"accept\":true}"));
        return;
    }
    struct tb_cdp_dialog *dialog = &page->dialog;
    struct tb_str message = tb_json_text(params, "message");
    snprintf(dialog->type, sizeof(dialog->type), "%.*s", TB_STR_ARG(type));
    snprintf(dialog->message, sizeof(dialog->message), "%.*s", TB_STR_ARG(message));
    snprintf(dialog->default_text, sizeof(dialog->default_text), "%.*s",
             TB_STR_ARG(tb_json_text(params, "defaultPrompt")));
    if (page->leaving) {
        dismiss(page, false);
        return;
    }
    dialog->open = true;
    tell(page, TB_EVENT_DIALOG_OPENED, tb_field_cstr("type", dialog->type));
    tb_cdp_page_notice(page);
    LIST_FOREACH_SAFE(link, &page->host->pages) {
        struct tb_cdp_page *stopped = TB_CONTAINER(link, struct tb_cdp_page, link);
        struct tb_err err;
        if (share_thread(page, stopped) && tb_cdp_page_in_dialog(stopped, &err)) {
            tb_cdp_page_fail_all(stopped, NULL, &err);
        }
    }
}

static void on_dialog_closed(struct tb_cdp_target *target, const struct cJSON *params)
{
    (void)params;
    target->page->dialog.open = false;
    LIST_FOREACH(link, &target->page->host->pages) {
        tb_cdp_held_let_go(TB_CONTAINER(link, struct tb_cdp_page, link));
    }
}

static void on_crashed(struct tb_cdp_target *target, const struct cJSON *params)
{
    struct tb_cdp_page *page = target->page;
    struct tb_err err;
    (void)params;
    tb_cdp_frame_on_worlds_gone(target, NULL);
    if (target->kind != TB_TARGET_PAGE) {
        tb_fail(&err, TB_E_PAGE_CRASHED, "a frame of the page has crashed");
        tb_cdp_page_fail_all(page, target, &err);
        return;
    }
    tb_fail(&err, TB_E_PAGE_CRASHED, "the page has crashed%s",
            page->windows_refused ? ": it opened windows endlessly" : "");
    page->crashed = true;
    page->dialog.open = false;
    page->held.tries = 0;
    TB_AUTO(tb_buf_fini) struct tb_buf url = TB_BUF(TB_URL_SHOWN_MAX);
    tb_url_shown(tb_cdp_page_url(page), &url);
    tell(page, TB_EVENT_PAGE_CRASHED, tb_field_text("url", tb_buf_str(&url)));
    tb_cdp_page_fail_all(page, NULL, &err);
    if (page->host) {
        page->host->ops->page_failed(page->host);
    }
}

static void on_revived(struct tb_cdp_target *target, const struct cJSON *params)
{
    (void)params;
    if (target->kind == TB_TARGET_PAGE) {
        target->page->crashed = false;
    }
}

/* A frame of another process, or a worker. */
static void on_attached(struct tb_cdp_target *parent, const struct cJSON *params)
{
    struct tb_cdp_page *page = parent->page;
    const struct cJSON *info = tb_json_get(params, "targetInfo");
    bool is_frame = tb_str_eq_cstr(tb_json_text(info, "type"), "iframe");
    struct tb_cdp_target *target =
        tb_cdp_target_new(page, is_frame ? TB_TARGET_FRAME : TB_TARGET_WORKER,
                          tb_json_text(params, "sessionId"), tb_json_text(info, "targetId"));
    if (!target) {
        tb_cdp_target_let_go(page->peer->conn, tb_json_text(params, "sessionId"));
        return;
    }
    if (is_frame) {
        struct tb_cdp_frame *frame = tb_cdp_page_frame_by_id(page, tb_str_of(target->id));
        struct tb_cdp_frame *above =
            tb_cdp_page_frame_by_id(page, tb_json_text(info, "parentFrameId"));
        if (!frame) {
            frame = tb_cdp_frame_new(page, target, above ? above : page->main_frame,
                                     tb_str_of(target->id));
        }
        if (frame && tb_cdp_frame_move(frame, target)) {
            frame->world[0] = '\0';
            frame->main_world[0] = '\0';
            frame->loader_id[0] = '\0';
        }
    }
    tb_cdp_page_set_up(target);
}

static void on_detached(struct tb_cdp_target *parent, const struct cJSON *params)
{
    struct tb_cdp_page *page = parent->page;
    struct tb_cdp_target *target =
        tb_cdp_target_of(page->peer->conn, tb_json_text(params, "sessionId"));
    if (!target || target->page != page || target == page->target) {
        return;
    }
    /* Its frames leave first, so that nobody who is told of its end can ask anything of it. */
    struct tb_err err;
    tb_fail(&err, TB_E_ELEMENT_STALE, "the frame has left the page");
    tb_cdp_frames_drop_target(page, target);
    tb_cdp_page_fail_all(page, target, &err);
    tb_cdp_target_free(target);
}

typedef void page_event_fn(struct tb_cdp_target *target, const struct cJSON *params);

static page_event_fn *handler_of(struct tb_str method)
{
    static const struct {
        const char *method;
        page_event_fn *fn;
    } handlers[] = {
        {"Page.lifecycleEvent", tb_cdp_nav_on_lifecycle},
        {"Runtime.executionContextCreated", tb_cdp_frame_on_world},
        {"Runtime.executionContextDestroyed", tb_cdp_frame_on_world_gone},
        {"Runtime.executionContextsCleared", tb_cdp_frame_on_worlds_gone},
        {"Page.frameRequestedNavigation", tb_cdp_nav_on_asked},
        {"Page.frameStartedNavigating", tb_cdp_nav_on_started},
        {"Page.frameStartedLoading", tb_cdp_nav_on_loading},
        {"Page.frameStoppedLoading", tb_cdp_nav_on_stopped},
        {"Page.frameClearedScheduledNavigation", tb_cdp_nav_on_cleared},
        {"Page.frameNavigated", tb_cdp_nav_on_committed},
        {"Page.navigatedWithinDocument", tb_cdp_nav_on_within},
        {"Page.frameAttached", tb_cdp_frame_on_attached},
        {"Page.frameDetached", tb_cdp_frame_on_detached},
        {"Page.javascriptDialogOpening", on_dialog},
        {"Page.javascriptDialogClosed", on_dialog_closed},
        {"Page.fileChooserOpened", tb_cdp_chooser_on_opened},
        {"Inspector.targetCrashed", on_crashed},
        {"Inspector.targetReloadedAfterCrash", on_revived},
        {"Target.attachedToTarget", on_attached},
        {"Target.detachedFromTarget", on_detached},
    };
    for (size_t i = 0; i < TB_COUNT(handlers); i++) {
        if (tb_str_eq_cstr(method, handlers[i].method)) {
            return handlers[i].fn;
        }
    }
    return NULL;
}

/* What the running operation hears itself, besides whoever else listens. */
static void pass_on(struct tb_cdp_target *target, struct tb_str method, struct tb_str params)
{
    struct tb_cdp_page *page = target->page;
    bool is_request = tb_str_starts(method, TB_STR("Network."));
    bool ends = is_request && tb_cdp_requests_count(target);
    struct tb_cdp_running *running = tb_cdp_host_running(page->host);
    if (running && ends) {
        running->ops->unheard(running, page);
    } else if (running && (is_request || tb_str_starts(method, TB_STR("Fetch.")) ||
                           tb_str_starts(method, TB_STR("Input.")))) {
        running->ops->on_event(running, page, method, params);
    }
}

void tb_cdp_page_on_event(struct tb_cdp_route *route, struct tb_str method, struct tb_str params)
{
    struct tb_cdp_target *target = TB_CONTAINER(route, struct tb_cdp_target, route);
    struct tb_cdp_page *page = target->page;
    page_event_fn *handler = handler_of(method);
    if (handler) {
        TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(params);
        handler(target, json);
        return;
    }
    if (tb_str_eq_cstr(method, "Runtime.bindingCalled")) {
        tb_cdp_page_take_told(page, params);
    } else {
        pass_on(target, method, params);
    }
    if (page->host) {
        page->host->ops->on_event(page->host, page, target->session_id, method, params);
    }
}
