/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/page/page.h"

#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/quote.h"
#include "core/limits.h"
#include "driver/cdp/page/page_internal.h"

enum {
    PROBE_MS = 600 * 1000, /* the question stands until the page answers it */
    END_MS = 500,          /* who has not answered by then is kept from it */
    UNSURE_END_MS = 5000,  /* the same where that may be the page's own work. To ask the page before
                              each script would cost a third of the rate of short ones. */
    JUST_MS = 3,
};

static const char auto_attach[] =
    "{\"autoAttach\":true,\"waitForDebuggerOnStart\":true,\"flatten\":true}";

static void on_frame_tree(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_cdp_target *target = user;
    (void)err;
    if (code == 0) {
        struct cJSON *json = tb_json_parse(result);
        tb_cdp_frames_take_tree(target, tb_json_get(json, "frameTree"), NULL);
        tb_json_free(json);
    }
}

void tb_cdp_page_set_viewport(struct tb_cdp_page *page, int width, int height)
{
    char params[128];
    if (!width || !height) {
        if (page->peer->window_is_page) {
            tb_cdp_target_post(page->target, "Emulation.clearDeviceMetricsOverride",
                               (struct tb_str){NULL, 0});
            return;
        }
        width = TB_WINDOW_WIDTH;
        height = TB_WINDOW_HEIGHT;
    }
    int len = snprintf(params, sizeof(params),
                       "{\"width\":%d,\"height\":%d,\"deviceScaleFactor\":1,\"mobile\":false}",
                       width, height);
    tb_cdp_target_post(page->target, "Emulation.setDeviceMetricsOverride",
                       (struct tb_str){params, (size_t)len});
}

static void on_set_up(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_cdp_page *page = user;
    (void)result;
    (void)err;
    if (code == 0) {
        page->ready = true;
        tb_cdp_page_cmds_go_on(page);
        page->host->ops->page_ready(page->host, page);
    } else if (code == TB_E_TIMEOUT && !page->gone && !page->host->ops->page_failed(page->host)) {
        /* A window answers when its first page comes, and that may take longer. */
        tb_cdp_page_cmd_set_up(page->target, "Page.getFrameTree", on_frame_tree, page->target);
        tb_cdp_page_cmd_set_up(page->target, "Runtime.runIfWaitingForDebugger", on_set_up, page);
    }
}

void tb_cdp_page_set_up(struct tb_cdp_target *target)
{
    static const struct tb_str none = {NULL, 0};
    struct tb_cdp_page *page = target->page;
    if (target->kind == TB_TARGET_WORKER) {
        tb_cdp_target_post(target, "Runtime.runIfWaitingForDebugger", none);
        return;
    }
    tb_cdp_target_post(target, "Page.enable", none);
    tb_cdp_target_post(target, "Page.setLifecycleEventsEnabled", TB_STR("{\"enabled\":true}"));
    tb_cdp_target_post(target, "Page.addScriptToEvaluateOnNewDocument",
                       tb_buf_str(page->peer->script_params));
    tb_cdp_target_post(target, "Runtime.enable", none);
    /* The way on which the page scripts tell of themselves, see page/here.js. */
    tb_cdp_target_post(target, "Runtime.addBinding",
                       TB_STR("{\"name\":\"tabardTell\",\"executionContextName\":\"tabard\"}"));
    /* No window of the desktop's opens; see chooser.h. */
    tb_cdp_target_post(target, "Page.setInterceptFileChooserDialog", TB_STR("{\"enabled\":true}"));
    tb_cdp_target_post(target, "Target.setAutoAttach", TB_STR(auto_attach));
    tb_cdp_target_post(target, "Inspector.enable", none);
    tb_cdp_page_cmd_set_up(target, "Page.getFrameTree", on_frame_tree, target);
    if (target == page->target) {
        const struct tb_cdp_tab_user *user = page->host->user;
        if ((user && user->width) || !page->peer->window_is_page) {
            tb_cdp_page_set_viewport(page, user ? user->width : 0, user ? user->height : 0);
        }
        tb_cdp_page_cmd_set_up(target, "Runtime.runIfWaitingForDebugger", on_set_up, page);
    } else {
        tb_cdp_target_post(target, "Runtime.runIfWaitingForDebugger", none);
    }
}

static void run_late(struct tb_deferred *job)
{
    struct tb_cdp_page *page = TB_CONTAINER(job, struct tb_cdp_page, late);
    tb_cdp_page_cmds_run_late(page);
    tb_cdp_nav_check(page);
}

static void free_now(struct tb_deferred *job)
{
    struct tb_cdp_page *page = TB_CONTAINER(job, struct tb_cdp_page, free);
    struct tb_err err;
    tb_fail(&err, TB_E_TAB_NOT_FOUND, "the tab was closed");
    tb_cdp_page_fail_all(page, NULL, &err); /* what was begun since it ended */
    MAP_FOREACH(slot, &page->frames) {
        tb_cdp_frame_free(slot->value);
    }
    tb_map_fini(&page->frames);
    LIST_FOREACH_SAFE(link, &page->targets) {
        tb_cdp_target_free(TB_CONTAINER(link, struct tb_cdp_target, link));
    }
    tb_free(page->bound_for);
    tb_free(page->inner.refused);
    tb_free(page->opening.failed);
    tb_json_free(page->known.arrival.told);
    tb_buf_fini(&page->known.outline);
    tb_deferred_cancel(&page->late);
    tb_deferred_cancel(&page->free);
    tb_list_remove(&page->link);
    tb_free(page);
}

void tb_cdp_pages_free_ended(struct tb_cdp_peer *peer)
{
    LIST_FOREACH_SAFE(link, &peer->ended) {
        free_now(&TB_CONTAINER(link, struct tb_cdp_page, link)->free);
    }
}

struct tb_cdp_page *tb_cdp_page_new(struct tb_cdp_host *host, struct tb_str session_id,
                                    struct tb_str target_id, bool opened_by_page)
{
    struct tb_cdp_page *page = TB_NEW(struct tb_cdp_page);
    page->host = host;
    page->peer = host->peer;
    page->opening.by_page = opened_by_page;
    tb_list_init(&page->targets);
    tb_list_init(&page->owed.cmds);
    tb_list_init(&page->owed.settles);
    tb_list_init(&page->late.link);
    tb_list_init(&page->free.link);
    page->late.run = run_late;
    page->free.run = free_now;
    tb_map_init(&page->frames);
    tb_buf_init(&page->known.outline, TB_RESULT_TEXT_MAX);
    page->target = tb_cdp_target_new(page, TB_TARGET_PAGE, session_id, target_id);
    /* The main frame has the id of its target. */
    page->main_frame = page->target ? tb_cdp_frame_new(page, page->target, NULL, target_id) : NULL;
    if (!page->main_frame) {
        free_now(&page->free);
        return NULL;
    }
    tb_list_append(&host->pages, &page->link);
    host->page_count++;
    tb_cdp_page_set_up(page->target);
    return page;
}

void tb_cdp_page_fail_all(struct tb_cdp_page *page, const struct tb_cdp_target *target,
                          const struct tb_err *err)
{
    tb_cdp_page_cmds_fail(page, target, err);
    if (!target) {
        tb_cdp_nav_settles_fail(page, err);
    }
}

void tb_cdp_page_end(struct tb_cdp_page *page, const struct tb_err *err)
{
    if (page->gone) {
        return;
    }
    page->gone = true;
    tb_list_remove(&page->link);
    tb_list_append(&page->peer->ended, &page->link);
    page->host->page_count--;
    LIST_FOREACH(link, &page->targets) {
        struct tb_cdp_target *target = TB_CONTAINER(link, struct tb_cdp_target, link);
        tb_cdp_route_end(page->peer->conn, &target->route);
    }
    page->host->ops->page_ended(page->host, page);
    tb_cdp_page_fail_all(page, NULL, err);
    page->host = NULL; /* which may go before the page does */
    tb_loop_defer(page->peer->loop, &page->free);
}

static void on_probe(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_cdp_page *page = user;
    (void)result;
    (void)err;
    page->in_doubt = code == TB_E_TIMEOUT;
}

void tb_cdp_page_probe(struct tb_cdp_page *page)
{
    if (page->in_doubt || page->gone || !page->ready || page->crashed || page->dialog.open) {
        return;
    }
    page->in_doubt = true;
    int64_t deadline_ms = tb_loop_now_ms(page->peer->loop) + PROBE_MS;
    tb_cdp_page_cmd_fence(page->target, deadline_ms, on_probe, page);
}

void tb_cdp_page_terminate_script(struct tb_cdp_page *page)
{
    LIST_FOREACH(link, &page->targets) {
        struct tb_cdp_target *target = TB_CONTAINER(link, struct tb_cdp_target, link);
        tb_cdp_target_post(target, "Runtime.terminateExecution", (struct tb_str){NULL, 0});
    }
}

static void on_end_probe(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    (void)result;
    (void)err;
    if (code == TB_E_TIMEOUT) {
        tb_cdp_target_post(user, "Runtime.terminateExecution", (struct tb_str){NULL, 0});
    }
}

void tb_cdp_frame_end_script(struct tb_cdp_frame *frame, bool begun)
{
    int64_t now_ms = tb_loop_now_ms(frame->page->peer->loop);
    int64_t deadline_ms = now_ms + (begun ? END_MS : UNSURE_END_MS);
    tb_cdp_page_cmd_fence(frame->target, deadline_ms, on_end_probe, frame->target);
}

bool tb_cdp_frame_has_just_answered(const struct tb_cdp_frame *frame)
{
    int64_t now_ms = tb_loop_now_ms(frame->page->peer->loop);
    return frame->target->answered_ms && now_ms - frame->target->answered_ms <= JUST_MS;
}

void tb_cdp_page_free_if_in_doubt(struct tb_cdp_page *page)
{
    if (page->in_doubt) {
        tb_cdp_page_terminate_script(page);
    }
}

struct tb_cdp_frame *tb_cdp_page_main_frame(struct tb_cdp_page *page)
{
    return page->main_frame;
}

struct tb_list *tb_cdp_page_asks(const struct tb_cdp_page *page)
{
    return page->host && page->host->user ? &page->host->user->asks : NULL;
}

struct tb_cdp_conn *tb_cdp_page_conn(struct tb_cdp_page *page)
{
    return page->peer->conn;
}

const char *tb_cdp_page_session_id(const struct tb_cdp_page *page)
{
    return page->target->session_id;
}

const char *tb_cdp_page_target_id(const struct tb_cdp_page *page)
{
    return page->target->id;
}

struct tb_str tb_cdp_page_url(const struct tb_cdp_page *page)
{
    struct tb_str url = tb_str_of(page->main_frame->url);
    return url.len ? url : TB_STR("about:blank"); /* what a window shows until its first page */
}

struct tb_str tb_cdp_page_bound_for(const struct tb_cdp_page *page)
{
    return page->bound_for ? tb_str_of(page->bound_for) : tb_cdp_page_url(page);
}

struct tb_str tb_cdp_page_unopened(const struct tb_cdp_page *page)
{
    return tb_str_of(page->opening.failed);
}

bool tb_cdp_page_awaits_first(const struct tb_cdp_page *page)
{
    return page->opening.by_page && !page->ready && page->main_frame->nav_started;
}

bool tb_cdp_page_is_leaving(const struct tb_cdp_page *page)
{
    return page->main_frame->nav_started && page->bound_for;
}

struct tb_str tb_cdp_page_loading(const struct tb_cdp_page *page)
{
    unsigned reached = page->main_frame->reached;
    bool parsing = (reached & TB_REACHED_COMMIT) && !(reached & TB_REACHED_DOM);
    return tb_cdp_page_is_leaving(page) || parsing ? tb_cdp_page_bound_for(page) : TB_STR("");
}

void tb_cdp_page_say_late(const struct tb_cdp_page *page, const char *words, struct tb_err *ret_err)
{
    struct tb_quoted url;
    if (tb_cdp_page_is_leaving(page)) {
        tb_fail(ret_err, TB_E_TIMEOUT, "%s: %s has not answered; wait longer, or load another page",
                tb_cdp_page_awaits_first(page) ? "this tab has no page yet"
                                               : "the page is being left",
                tb_quoted_url(&url, tb_cdp_page_bound_for(page)));
    } else {
        tb_fail(ret_err, TB_E_TIMEOUT, "%s", words);
    }
}

const struct tb_cdp_dialog *tb_cdp_page_dialog(const struct tb_cdp_page *page)
{
    return &page->dialog;
}

struct tb_str tb_cdp_page_outline(const struct tb_cdp_page *page)
{
    return tb_buf_str(&page->known.outline);
}

void tb_cdp_page_keep_outline(struct tb_cdp_page *page, struct tb_str outline)
{
    tb_buf_clear(&page->known.outline);
    tb_buf_append_str(&page->known.outline, outline);
}

int64_t tb_cdp_page_typed(const struct tb_cdp_page *page)
{
    return tb_cdp_frame_has_left(page->main_frame, page->known.typed.mark)
               ? 0
               : page->known.typed.fields;
}

void tb_cdp_page_note_typed(struct tb_cdp_page *page, int64_t fields)
{
    page->known.typed = (struct tb_cdp_typed){fields, page->navs};
}

bool tb_cdp_page_crashed(const struct tb_cdp_page *page)
{
    return page->crashed;
}

void tb_cdp_page_keep_waiting(struct tb_cdp_page *page)
{
    page->kept_waiting = true;
}

bool tb_cdp_page_kept_waiting(const struct tb_cdp_page *page)
{
    return page->kept_waiting;
}

uint64_t tb_cdp_page_opened(const struct tb_cdp_page *page)
{
    return page->opening.number;
}
