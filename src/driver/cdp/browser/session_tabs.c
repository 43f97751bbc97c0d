/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

#include "base/json.h"
#include "core/config.h"
#include "core/core.h"
#include "core/event.h"
#include "driver/cdp/browser/emulation.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/page/inner.h"
#include "driver/cdp/page/page_internal.h"

/* Somebody waits for a tab to open (until it is ready) or to close. Who does not wait any longer
 * for one to open leaves the wait behind, unwanted: the browser makes the tab all the same, and it
 * is closed once the browser has named it. */
struct tab_wait {
    struct tb_cdp_ask ask; /* in its session */
    struct tb_driver_session *session;
    bool closing;
    bool refused;                      /* there are too many already */
    bool unwanted;                     /* nobody waits any more */
    char target_id[TB_TARGET_ID_SIZE]; /* empty until the browser has named it */
    struct tb_timer timer;
    tb_cdp_session_tab_fn *fn;
};

static struct tab_wait *wait_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct tab_wait, ask.place);
}

static void wait_free(struct tab_wait *wait)
{
    tb_cdp_session_forget(wait->session, wait);
    tb_timer_fini(&wait->timer);
    tb_cdp_ask_end(&wait->ask);
    tb_free(wait);
}

/* Once the browser has named it. A tab becomes current only when it is handed to who waits. */
static void close_unwanted(const struct tab_wait *wait)
{
    struct tb_driver_session *session = wait->session;
    char params[128];
    if (!wait->target_id[0] || !session->context || !session->browser ||
        !session->browser->peer.conn) {
        return;
    }
    int len = snprintf(params, sizeof(params), "{\"targetId\":\"%s\"}", wait->target_id);
    tb_cdp_post(session->browser->peer.conn, NULL, "Target.closeTarget",
                (struct tb_str){params, (size_t)len});
    if (session->current) {
        tb_cdp_session_page_select(session, session->current); /* the new one came to the front */
    }
}

static void abandon(struct tab_wait *wait)
{
    if (wait->closing || wait->refused) {
        wait_free(wait);
        return;
    }
    tb_list_remove(&wait->ask.asked);
    wait->ask.user = NULL;
    wait->unwanted = true;
    tb_timer_start(&wait->timer, TB_CDP_COMMAND_MS);
    close_unwanted(wait);
}

static void forget(struct tb_cdp_ask *ask)
{
    abandon(TB_CONTAINER(ask, struct tab_wait, ask));
}

static void end_wait(struct tab_wait *wait, struct tb_cdp_page *page, const struct tb_err *err)
{
    tb_cdp_session_tab_fn *fn = wait->fn;
    void *user = wait->ask.user;
    struct tb_err words = {.code = 0};
    if (wait->unwanted) {
        wait_free(wait);
        return;
    }
    if (err) {
        words = *err;
    }
    if (page) {
        wait->session->current = page;
    }
    if (words.code == TB_E_TIMEOUT) {
        abandon(wait);
    } else {
        wait_free(wait);
    }
    fn(words.code, page, err ? &words : NULL, user);
}

static void on_wait_late(struct tb_timer *timer, void *user)
{
    struct tab_wait *wait = user;
    struct tb_err err;
    (void)timer;
    if (wait->refused) {
        tb_fail(&err, TB_E_LIMIT,
                "the session already has as many tabs as browser.tabs_max allows");
        end_wait(wait, NULL, &err);
        return;
    }
    tb_fail(&err, TB_E_TIMEOUT,
            wait->closing ? "the tab did not close in time" : "the tab was not ready in time");
    end_wait(wait, NULL, &err);
}

static struct tab_wait *wait_new(struct tb_driver_session *session, int64_t deadline_ms,
                                 tb_cdp_session_tab_fn *fn, void *user)
{
    struct tab_wait *wait = TB_NEW(struct tab_wait);
    wait->session = session;
    wait->fn = fn;
    wait->ask.user = user;
    wait->ask.forget = forget;
    tb_timer_init(&wait->timer, session->fleet->loop, on_wait_late, wait);
    int64_t left_ms = deadline_ms - tb_loop_now_ms(session->fleet->loop);
    tb_timer_start(&wait->timer, left_ms > 0 ? left_ms : 0);
    tb_cdp_ask_begin(&wait->ask, &session->tabs.waits, &session->use.asks);
    return wait;
}

void tb_cdp_session_tab_waits_end(struct tb_driver_session *session, const struct tb_err *err)
{
    while (!tb_list_empty(&session->tabs.waits)) {
        end_wait(wait_of(session->tabs.waits.next), NULL, err);
    }
}

void tb_cdp_session_tab_waits_drop(struct tb_driver_session *session)
{
    while (!tb_list_empty(&session->tabs.waits)) {
        wait_free(wait_of(session->tabs.waits.next));
    }
}

struct tb_loop *tb_cdp_session_loop(const struct tb_driver_session *session)
{
    return session->fleet->loop;
}

void tb_cdp_session_tell(struct tb_driver_session *session, const struct tb_event *event)
{
    if (!session->opened && !session->closed) {
        session->events->on_event(session->owner, event);
        tb_cdp_session_dirty(session);
    }
}

int tb_cdp_session_may_open(const struct tb_driver_session *session, struct tb_str url,
                            struct tb_err *err)
{
    bool asks = !session->closed && session->events->may_open;
    return asks ? session->events->may_open(session->owner, url, err) : 0;
}

/* Not those that close already since they are where they may not be, nor those that a refusal left
 * at an error page. */
void tb_cdp_session_tabs(struct tb_driver_session *session, tb_tab_fn *fn, void *user)
{
    if (!session->context) {
        return;
    }
    LIST_FOREACH(link, &session->context->host.pages) {
        struct tb_cdp_page *page = TB_CONTAINER(link, struct tb_cdp_page, link);
        struct tb_cdp_frame *frame = tb_cdp_page_main_frame(page);
        if (frame && !frame->failed && !tb_cdp_page_is_inner(page)) {
            fn(tb_cdp_frame_url(frame), user);
        }
    }
}

int64_t tb_cdp_session_file_max(const struct tb_driver_session *session, bool given)
{
    bool asks = !session->closed && session->events->file_max;
    return asks ? session->events->file_max(session->owner, given) : -1;
}

void tb_cdp_session_dirty(struct tb_driver_session *session)
{
    if (!session->opened && !session->closed && session->events->on_changed) {
        session->events->on_changed(session->owner);
    }
}

void tb_cdp_session_forget(struct tb_driver_session *session, const void *user)
{
    tb_cdp_asks_forget(&session->use.asks, user);
}

const char *tb_cdp_session_context_id(const struct tb_driver_session *session)
{
    return session->context ? session->context->id : "";
}

struct tb_cdp_page *tb_cdp_session_page(struct tb_driver_session *session)
{
    return session->current;
}

struct tb_cdp_page *tb_cdp_session_page_by_index(struct tb_driver_session *session, size_t index)
{
    size_t at = 0;
    if (!session->context) {
        return NULL;
    }
    LIST_FOREACH(link, &session->context->host.pages) {
        if (at++ == index) {
            return TB_CONTAINER(link, struct tb_cdp_page, link);
        }
    }
    return NULL;
}

size_t tb_cdp_session_page_count(const struct tb_driver_session *session)
{
    return session->context ? session->context->host.page_count : 0;
}

size_t tb_cdp_session_page_index(const struct tb_driver_session *session,
                                 const struct tb_cdp_page *page)
{
    return session->context ? tb_cdp_host_index(&session->context->host, page) : 0;
}

struct tb_cdp_page *tb_cdp_session_page_by_target(struct tb_driver_session *session,
                                                  struct tb_str target_id)
{
    return session->context ? tb_cdp_host_page(&session->context->host, target_id) : NULL;
}

void tb_cdp_session_page_select(struct tb_driver_session *session, struct tb_cdp_page *page)
{
    session->current = page;
    tb_cdp_target_post(page->target, "Page.bringToFront", (struct tb_str){NULL, 0});
}

static void tell_tab(struct tb_driver_session *session, enum tb_event_type type,
                     const struct tb_cdp_page *page)
{
    int64_t index = (int64_t)tb_cdp_session_page_index(session, page);
    tb_cdp_session_tell(
        session, &(struct tb_event){.type = type, .fields = {tb_field_number("tab", index)}});
}

void tb_cdp_session_stay(struct tb_driver_session *session)
{
    for (size_t i = 0; i < tb_cdp_session_page_count(session); i++) {
        tb_cdp_session_page_by_index(session, i)->leaving = false;
    }
}

/* The operation under way has something to look at. */
static void notice(const struct tb_driver_session *session)
{
    struct tb_cdp_running *running = session->use.running;
    if (running) {
        running->ops->notice(running);
    }
}

/* Whether it is, or may be, one that becomes current when it is handed to who waits for it. */
static bool is_awaited(const struct tb_driver_session *session, const struct tb_cdp_page *page)
{
    LIST_FOREACH(link, &session->tabs.waits) {
        const struct tab_wait *wait = wait_of(link);
        bool names = tb_str_eq_cstr(tb_str_of(wait->target_id), page->target->id);
        if (!wait->closing && !wait->refused && (names || !wait->target_id[0])) {
            return !page->opening.by_page;
        }
    }
    return false;
}

void tb_cdp_session_page_added(struct tb_driver_session *session, struct tb_cdp_page *page)
{
    if (!session->current || !is_awaited(session, page)) {
        session->current = page;
    }
    notice(session);
    if (page->opening.by_page) {
        page->opening.number = ++session->tabs.opened;
    }
    tell_tab(session, TB_EVENT_TAB_OPENED, page);
    tb_cdp_journal_on_page(&session->journal, page);
    if (session->emulation) {
        tb_cdp_emulation_apply(session->emulation, false, page);
    }
}

void tb_cdp_session_page_ready(struct tb_driver_session *session, struct tb_cdp_page *page)
{
    LIST_FOREACH(link, &session->tabs.waits) {
        struct tab_wait *wait = wait_of(link);
        if (!wait->closing && !wait->unwanted &&
            tb_str_eq_cstr(tb_str_of(wait->target_id), page->target->id)) {
            end_wait(wait, page, NULL);
            return;
        }
    }
}

static void on_tab_came(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_driver_session *session = user;
    (void)code;
    (void)result;
    (void)err;
    session->tabs.coming = false;
}

void tb_cdp_session_want_tab(struct tb_driver_session *session)
{
    char params[TB_CONTEXT_PARAMS_SIZE];
    if (!session->context || session->tabs.coming || !session->browser->peer.conn) {
        return;
    }
    session->tabs.coming = true;
    tb_cdp_session_send(
        session, NULL, "Target.createTarget", tb_cdp_context_tab_params(session->context, params),
        tb_loop_now_ms(session->fleet->loop) + TB_CDP_COMMAND_MS, on_tab_came, session);
}

void tb_cdp_session_tabs_told(struct tb_driver_session *session)
{
    session->tabs.told = session->tabs.opened;
    session->tabs.told_id[0] = '\0';
    if (session->current) {
        tb_cdp_target_id_copy(session->tabs.told_id, tb_str_of(session->current->target->id));
    }
}

static bool is_told(const struct tb_driver_session *session, const struct tb_cdp_page *page)
{
    return page->opening.number <= session->tabs.told;
}

/* The tab that the caller has heard of last, or another that it has heard of; NULL: all closed. */
static struct tb_cdp_page *told_page(struct tb_driver_session *session)
{
    struct tb_cdp_page *page =
        tb_cdp_session_page_by_target(session, tb_str_of(session->tabs.told_id));
    for (size_t i = tb_cdp_session_page_count(session); !page && i > 0; i--) {
        struct tb_cdp_page *other = tb_cdp_session_page_by_index(session, i - 1);
        page = is_told(session, other) ? other : NULL;
    }
    return page;
}

void tb_cdp_session_page_select_told(struct tb_driver_session *session)
{
    struct tb_cdp_page *told = told_page(session);
    if (told && session->current && !is_told(session, session->current)) {
        tb_cdp_session_page_select(session, told);
    }
}

/* The last tab is the one a person would see next; but where one was opened and closed by a page
 * without a word to the caller, it is the tab that the caller works in. */
static struct tb_cdp_page *after(struct tb_driver_session *session, const struct tb_cdp_page *ended)
{
    const struct tb_cdp_context *context = session->context;
    if (!context || context->closing || tb_list_empty(&context->host.pages)) {
        return NULL;
    }
    struct tb_cdp_page *last = TB_CONTAINER(context->host.pages.prev, struct tb_cdp_page, link);
    struct tb_cdp_page *told = told_page(session);
    return told && is_told(session, last) && !is_told(session, ended) ? told : last;
}

void tb_cdp_session_page_ended(struct tb_driver_session *session, struct tb_cdp_page *page)
{
    struct tb_cdp_context *context = session->context;
    bool closing = !context || context->closing;
    notice(session);
    if (session->current == page) {
        session->current = after(session, page); /* it has left the list */
    }
    if (closing) {
        return;
    }
    tell_tab(session, TB_EVENT_TAB_CLOSED, page);
    if (tb_list_empty(&context->host.pages)) {
        tb_cdp_session_want_tab(session);
    }
    LIST_FOREACH(link, &session->tabs.waits) {
        struct tab_wait *wait = wait_of(link);
        if ((wait->closing || wait->unwanted) &&
            tb_str_eq_cstr(tb_str_of(wait->target_id), page->target->id)) {
            end_wait(wait, NULL, NULL);
            return;
        }
    }
}

static void on_tab_made(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tab_wait *wait = user;
    struct tb_driver_session *session = wait->session;
    if (code < 0) {
        end_wait(wait, NULL, err);
        return;
    }
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(result);
    struct tb_str id = tb_json_text(json, "targetId");
    tb_cdp_target_id_copy(wait->target_id, id);
    if (wait->unwanted) {
        close_unwanted(wait);
        return;
    }
    /* Its events may have come before this answer. */
    struct tb_cdp_page *page = tb_cdp_session_page_by_target(session, id);
    if (page && page->ready) {
        end_wait(wait, page, NULL);
    }
}

/* That the browser was asked for and has not named yet. */
static size_t tabs_coming(const struct tb_driver_session *session)
{
    size_t count = 0;
    LIST_FOREACH(link, &session->tabs.waits) {
        const struct tab_wait *wait = wait_of(link);
        count += !wait->closing && !wait->refused && !wait->target_id[0];
    }
    return count;
}

void tb_cdp_session_tab_open(struct tb_driver_session *session, int64_t deadline_ms,
                             tb_cdp_session_tab_fn *fn, void *user)
{
    size_t coming = tabs_coming(session);
    struct tab_wait *wait = wait_new(session, deadline_ms, fn, user);
    size_t max = (size_t)session->fleet->core->config->browser_tabs_max;
    if (!session->context || session->context->host.page_count + coming >= max) {
        wait->refused = session->context != NULL;
        tb_timer_start(&wait->timer, 0);
        return;
    }
    char params[TB_CONTEXT_PARAMS_SIZE];
    /* Its name is needed even if it comes too late. */
    tb_cdp_session_send(session, NULL, "Target.createTarget",
                        tb_cdp_context_tab_params(session->context, params),
                        deadline_ms + TB_CDP_COMMAND_MS, on_tab_made, wait);
}

static void on_tab_closed(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tab_wait *wait = user;
    (void)result;
    if (code < 0) {
        end_wait(wait, NULL, err);
    }
}

void tb_cdp_session_tab_close(struct tb_driver_session *session, struct tb_cdp_page *page,
                              int64_t deadline_ms, tb_cdp_session_tab_fn *fn, void *user)
{
    struct tab_wait *wait = wait_new(session, deadline_ms, fn, user);
    char params[128];
    wait->closing = true;
    tb_cdp_target_id_copy(wait->target_id, tb_str_of(page->target->id));
    int len = snprintf(params, sizeof(params), "{\"targetId\":\"%s\"}", wait->target_id);
    tb_cdp_session_send(session, NULL, "Target.closeTarget", (struct tb_str){params, (size_t)len},
                        deadline_ms, on_tab_closed, wait);
}

uint64_t tb_cdp_session_tabs_opened(const struct tb_driver_session *session)
{
    return session->tabs.opened;
}

uint64_t tb_cdp_session_tabs_refused(const struct tb_driver_session *session)
{
    return session->tabs.refused;
}

void tb_cdp_session_listen(struct tb_driver_session *session, struct tb_cdp_page_listener *listener)
{
    tb_list_append(&session->listeners, &listener->link);
}

void tb_cdp_page_listener_remove(struct tb_cdp_page_listener *listener)
{
    tb_list_remove(&listener->link);
}

void tb_cdp_session_on_event(struct tb_driver_session *session, struct tb_cdp_page *page,
                             const char *session_id, struct tb_str method, struct tb_str params)
{
    tb_cdp_journal_on_event(session, page, session_id, method, params);
    LIST_FOREACH_SAFE(link, &session->listeners) {
        struct tb_cdp_page_listener *listener =
            TB_CONTAINER(link, struct tb_cdp_page_listener, link);
        if (tb_str_starts(method, tb_str_of(listener->prefix))) {
            listener->on_event(page, session_id, method, params, listener->user);
        }
    }
}
