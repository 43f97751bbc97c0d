/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/context.h"

#include <stdio.h>

#include "core/config.h"
#include "core/core.h"
#include "core/egress.h"
#include "driver/cdp/browser/browser.h"
#include "driver/cdp/browser/journal.h"
#include "driver/cdp/browser/ownership.h"
#include "driver/cdp/browser/prime.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/page/inner.h"
#include "driver/cdp/page/page_internal.h"

enum {
    REFUSALS_TO_END = 50, /* windows that one document was refused */
};

/* One that is still starting has until its start is given up. */
static int64_t command_deadline(const struct tb_cdp_browser *browser)
{
    int64_t deadline_ms = tb_loop_now_ms(browser->fleet->loop) + TB_CDP_COMMAND_MS;
    bool starts = !browser->ready && browser->start_deadline_ms >= deadline_ms;
    return starts ? browser->start_deadline_ms + 1 : deadline_ms;
}

static void give_up(struct tb_cdp_context *context, const struct tb_err *err)
{
    struct tb_cdp_browser *browser = context->browser;
    struct tb_err words = *err;
    if (context->closing) {
        return; /* what ends with it has found that out */
    }
    tb_cdp_context_dispose(context);
    tb_cdp_context_free(context, &words);
    tb_cdp_browser_context_failed(browser, &words);
}

static void on_no_tab(struct tb_timer *timer, void *user)
{
    struct tb_err err;
    (void)timer;
    tb_fail(&err, TB_E_TIMEOUT, "the tab of the new session was not ready in time");
    give_up(user, &err);
}

/* What counts is the tab itself: it may have been there, and in use, long before the answer, and
 * after an answer it may never come. */
static void on_target_made(struct tb_cdp_command *command, int code, struct tb_str result,
                           const struct tb_err *err)
{
    struct tb_cdp_context *context = TB_CONTAINER(command, struct tb_cdp_context, making);
    (void)result;
    if (context->ready || code == TB_E_BROWSER_CRASHED) {
        return;
    }
    if (code < 0) {
        give_up(context, err);
    } else {
        tb_timer_start(&context->no_tab, TB_CDP_COMMAND_MS);
    }
}

struct tb_str tb_cdp_context_params(const struct tb_cdp_context *context,
                                    char ret_params[TB_CONTEXT_PARAMS_SIZE])
{
    int len =
        snprintf(ret_params, TB_CONTEXT_PARAMS_SIZE, "{\"browserContextId\":\"%s\"}", context->id);
    return (struct tb_str){ret_params, (size_t)len};
}

struct tb_str tb_cdp_context_tab_params(const struct tb_cdp_context *context,
                                        char ret_params[TB_CONTEXT_PARAMS_SIZE])
{
    int len = snprintf(ret_params, TB_CONTEXT_PARAMS_SIZE,
                       "{\"url\":\"about:blank\",\"browserContextId\":\"%s\"}", context->id);
    return (struct tb_str){ret_params, (size_t)len};
}

/* Until the session asks for files there is no place for them. Whether the browser tells of
 * downloads is one switch for all contexts, so that without it here it would fall silent for the
 * sessions that have files. */
static void refuse_downloads(const struct tb_cdp_context *context)
{
    char params[192];
    int len = snprintf(params, sizeof(params),
                       "{\"behavior\":\"deny\",\"browserContextId\":\"%s\",\"eventsEnabled\":true}",
                       context->id);
    tb_cdp_post(context->browser->peer.conn, NULL, "Browser.setDownloadBehavior",
                (struct tb_str){params, (size_t)len});
}

struct tb_driver_session *tb_cdp_context_session(const struct tb_cdp_context *context)
{
    struct tb_cdp_tab_user *user = context->host.user;
    return user ? TB_CONTAINER(user, struct tb_driver_session, use) : NULL;
}

/* What its tabs tell it. */

static struct tb_cdp_context *context_of(struct tb_cdp_host *host)
{
    return TB_CONTAINER(host, struct tb_cdp_context, host);
}

static struct tb_driver_session *session_of(struct tb_cdp_host *host)
{
    return tb_cdp_context_session(context_of(host));
}

static void become_ready(struct tb_cdp_context *context)
{
    context->ready = true;
    tb_cdp_browser_context_ready(context->browser);
}

static void on_primed(int code, const struct tb_err *err, void *user)
{
    struct tb_cdp_context *context = user;
    tb_cdp_prime_free(context->prime);
    context->prime = NULL;
    if (code == 0) {
        become_ready(context);
    } else if (code != TB_E_BROWSER_CRASHED) {
        give_up(context, err);
    }
}

static void page_ready(struct tb_cdp_host *host, struct tb_cdp_page *page)
{
    struct tb_cdp_context *context = context_of(host);
    /* Not before: the browser would run a navigation ahead of the commands that wait for the
     * renderer, and the new document would escape its set-up. */
    if (!context->ready && !context->prime) {
        tb_timer_stop(&context->no_tab);
        if (context->pass) {
            context->prime = tb_cdp_prime_start(
                page, context->pass, command_deadline(context->browser), on_primed, context);
        } else {
            become_ready(context);
        }
    } else if (session_of(host)) {
        tb_cdp_session_page_ready(session_of(host), page);
    }
}

static bool page_failed(struct tb_cdp_host *host)
{
    struct tb_err err;
    if (session_of(host)) {
        return false;
    }
    tb_fail(&err, TB_E_PAGE_CRASHED, "the tab of the new session crashed before it was used");
    give_up(context_of(host), &err);
    return true;
}

static void page_loaded(struct tb_cdp_host *host)
{
    tb_cdp_browser_page_loaded(context_of(host)->browser);
}

static void page_ended(struct tb_cdp_host *host, struct tb_cdp_page *page)
{
    if (session_of(host)) {
        tb_cdp_session_page_ended(session_of(host), page);
    }
}

static void want_tab(struct tb_cdp_host *host)
{
    if (session_of(host)) {
        tb_cdp_session_want_tab(session_of(host));
    }
}

static int may_open(struct tb_cdp_host *host, struct tb_str url, struct tb_err *err)
{
    return session_of(host) ? tb_cdp_session_may_open(session_of(host), url, err) : 0;
}

static void tell(struct tb_cdp_host *host, const struct tb_event *event)
{
    if (session_of(host)) {
        tb_cdp_session_tell(session_of(host), event);
    }
}

static void on_page_event(struct tb_cdp_host *host, struct tb_cdp_page *page,
                          const char *session_id, struct tb_str method, struct tb_str params)
{
    tb_cdp_prime_on_event(context_of(host)->prime, method, params);
    if (session_of(host)) {
        tb_cdp_session_on_event(session_of(host), page, session_id, method, params);
    }
}

static const struct tb_cdp_host_ops host_ops = {
    .page_ready = page_ready,
    .page_failed = page_failed,
    .page_loaded = page_loaded,
    .page_ended = page_ended,
    .want_tab = want_tab,
    .may_open = may_open,
    .tell = tell,
    .on_event = on_page_event,
};

void tb_cdp_context_take(struct tb_cdp_context *context, struct tb_driver_session *session)
{
    context->host.user = &session->use;
    if (context->pass) {
        tb_pass_bind(context->pass, session->egress);
    }
}

void tb_cdp_context_part(struct tb_cdp_context *context)
{
    context->host.user = NULL;
}

/* Making it. */

static void make(struct tb_cdp_context *context, const char *method, struct tb_str params,
                 tb_cdp_done_fn *done)
{
    context->making =
        (struct tb_cdp_command){.deadline_ms = command_deadline(context->browser), .done = done};
    tb_cdp_command_send(context->browser->peer.conn, &context->making, NULL, method, params);
}

static void on_context_made(struct tb_cdp_command *command, int code, struct tb_str result,
                            const struct tb_err *err)
{
    struct tb_cdp_context *context = TB_CONTAINER(command, struct tb_cdp_context, making);
    if (code == TB_E_BROWSER_CRASHED) {
        return; /* the browser's own end is handled where it is known whether to try again */
    }
    if (code < 0) {
        give_up(context, err);
        return;
    }
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(result);
    if (!tb_cdp_target_id_copy(context->id, tb_json_text(json, "browserContextId"))) {
        struct tb_err words;
        tb_fail(&words, TB_E_PROTOCOL, "the browser returned a context without an id");
        give_up(context, &words);
        return;
    }
    char params[TB_CONTEXT_PARAMS_SIZE];
    refuse_downloads(context);
    make(context, "Target.createTarget", tb_cdp_context_tab_params(context, params),
         on_target_made);
}

/* Loopback goes through the proxy as well: without the last word browsers leave it out. In a
 * browser that somebody else runs, a session may leave its tabs behind. */
static struct tb_str creation_params(const struct tb_cdp_browser *browser,
                                     char ret_params[TB_CONTEXT_PARAMS_SIZE])
{
    if (!browser->spec.proxied) {
        return browser->ownership->ours ? TB_STR("{\"disposeOnDetach\":true}") : TB_STR("{}");
    }
    int len = snprintf(ret_params, TB_CONTEXT_PARAMS_SIZE,
                       "{\"disposeOnDetach\":true,\"proxyServer\":\"http://%s\","
                       "\"proxyBypassList\":\"<-loopback>\"}",
                       tb_egresses_proxy(browser->fleet->core->egresses));
    return (struct tb_str){ret_params, (size_t)len};
}

void tb_cdp_context_new(struct tb_cdp_browser *browser)
{
    struct tb_cdp_context *context = TB_NEW(struct tb_cdp_context);
    context->browser = browser;
    tb_cdp_host_init(&context->host, &host_ops, &browser->peer);
    tb_timer_init(&context->no_tab, browser->fleet->loop, on_no_tab, context);
    tb_list_append(&browser->contexts, &context->link);
    char params[TB_CONTEXT_PARAMS_SIZE];
    if (browser->spec.proxied) {
        context->pass = tb_pass_new(browser->fleet->core->egresses);
    }
    make(context, "Target.createBrowserContext", creation_params(browser, params), on_context_made);
}

void tb_cdp_context_free(struct tb_cdp_context *context, const struct tb_err *err)
{
    if (!context) {
        return;
    }
    if (context->browser->peer.conn) {
        tb_cdp_command_forget(context->browser->peer.conn, &context->making);
    }
    context->closing = true;
    tb_cdp_prime_free(context->prime);
    context->prime = NULL;
    while (!tb_list_empty(&context->host.pages)) {
        tb_cdp_page_end(TB_CONTAINER(context->host.pages.next, struct tb_cdp_page, link), err);
    }
    struct tb_driver_session *session = tb_cdp_context_session(context);
    if (session) {
        session->context = NULL;
        session->current = NULL;
    }
    tb_timer_fini(&context->no_tab);
    tb_list_remove(&context->link);
    tb_pass_free(context->pass);
    tb_free(context);
}

void tb_cdp_context_dispose(struct tb_cdp_context *context)
{
    char params[TB_CONTEXT_PARAMS_SIZE];
    if (context->id[0] && context->browser->peer.conn) {
        tb_cdp_post(context->browser->peer.conn, NULL, "Target.disposeBrowserContext",
                    tb_cdp_context_params(context, params));
    }
}

void tb_cdp_context_leave(struct tb_cdp_context *context, const struct tb_err *err)
{
    LIST_FOREACH(link, &context->host.pages) {
        const struct tb_cdp_page *page = TB_CONTAINER(link, struct tb_cdp_page, link);
        tb_cdp_target_let_go(context->browser->peer.conn, tb_str_of(page->target->session_id));
    }
    tb_cdp_context_free(context, err);
}

static struct tb_cdp_context *find(struct tb_cdp_browser *browser, struct tb_str id)
{
    LIST_FOREACH(link, &browser->contexts) {
        struct tb_cdp_context *context = TB_CONTAINER(link, struct tb_cdp_context, link);
        if (context->id[0] && tb_str_eq_cstr(id, context->id)) {
            return context;
        }
    }
    return NULL;
}

static void close_target(struct tb_cdp_browser *browser, struct tb_str target_id)
{
    char id[TB_TARGET_ID_SIZE];
    char params[128];
    if (tb_cdp_target_id_copy(id, target_id)) {
        int len = snprintf(params, sizeof(params), "{\"targetId\":\"%s\"}", id);
        tb_cdp_post(browser->peer.conn, NULL, "Target.closeTarget",
                    (struct tb_str){params, (size_t)len});
    }
}

/* A page that goes on opening windows though none is let in would keep its process busy for
 * minutes. Chromium takes back a termination of its script while a window opens, so the process is
 * ended. */
static void refuse_tab(struct tb_cdp_context *context, struct tb_str opener_id)
{
    struct tb_driver_session *session = tb_cdp_context_session(context);
    if (!session) {
        return;
    }
    session->tabs.refused++;
    struct tb_cdp_page *opener = tb_cdp_session_page_by_target(session, opener_id);
    if (opener && ++opener->windows_refused == REFUSALS_TO_END) {
        tb_cdp_target_post(opener->target, "Page.crash", (struct tb_str){NULL, 0});
    }
}

/* That of its opener, or a new one. */
static uint64_t group_of(struct tb_cdp_context *context, const struct cJSON *info)
{
    bool reaches = false;
    tb_json_bool(tb_json_get(info, "canAccessOpener"), &reaches);
    const struct tb_cdp_page *opener =
        reaches ? tb_cdp_host_page(&context->host, tb_json_text(info, "openerId")) : NULL;
    return opener ? opener->opening.group : ++context->host.last_opener_group;
}

static void on_attached(struct tb_cdp_browser *browser, const struct cJSON *params)
{
    const struct cJSON *info = tb_json_get(params, "targetInfo");
    struct tb_str session_id = tb_json_text(params, "sessionId");
    struct tb_str target_id = tb_json_text(info, "targetId");
    struct tb_cdp_context *context = find(browser, tb_json_text(info, "browserContextId"));
    bool is_page = tb_str_eq_cstr(tb_json_text(info, "type"), "page");
    if (!context || !is_page || context->closing) {
        tb_cdp_target_let_go(browser->peer.conn, session_id);
        return;
    }
    if (context->host.page_count >= (size_t)browser->fleet->core->config->browser_tabs_max) {
        refuse_tab(context, tb_json_text(info, "openerId"));
        /* Running or not: a window.open that waits for it must go on. */
        tb_cdp_target_let_go(browser->peer.conn, session_id);
        close_target(browser, target_id);
        return;
    }
    bool opened_by_page = tb_json_text(info, "openerId").len > 0;
    struct tb_cdp_page *page =
        tb_cdp_page_new(&context->host, session_id, target_id, opened_by_page);
    if (page) {
        page->opening.group = group_of(context, info);
        tb_cdp_target_id_copy(page->opening.opener, tb_json_text(info, "openerId"));
    }
    if (page && tb_cdp_context_session(context)) {
        tb_cdp_session_page_added(tb_cdp_context_session(context), page);
        tb_cdp_inner_spread(&context->host);
    }
}

static void on_detached(struct tb_cdp_browser *browser, const struct cJSON *params)
{
    struct tb_cdp_target *target =
        tb_cdp_target_of(browser->peer.conn, tb_json_text(params, "sessionId"));
    if (target && target->kind == TB_TARGET_PAGE) {
        struct tb_err err;
        struct tb_cdp_host *host = target->page->host;
        tb_fail(&err, TB_E_TAB_NOT_FOUND, "the tab was closed");
        tb_cdp_page_end(target->page, &err);
        page_failed(host);
    }
}

/* It does not say whose download it is; each session knows its own. */
static void on_download(struct tb_cdp_browser *browser, struct tb_str method, struct tb_str params)
{
    LIST_FOREACH_SAFE(link, &browser->contexts) {
        const struct tb_cdp_context *context = TB_CONTAINER(link, struct tb_cdp_context, link);
        struct tb_driver_session *session = tb_cdp_context_session(context);
        if (session) {
            tb_cdp_journal_on_download(session, method, params);
        }
    }
}

void tb_cdp_context_on_event(struct tb_cdp_browser *browser, struct tb_str method,
                             struct tb_str params)
{
    if (tb_str_eq_cstr(method, "Browser.downloadProgress")) {
        on_download(browser, method, params);
        return;
    }
    bool attached = tb_str_eq_cstr(method, "Target.attachedToTarget");
    if (!attached && !tb_str_eq_cstr(method, "Target.detachedFromTarget")) {
        return;
    }
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(params);
    if (attached) {
        on_attached(browser, json);
    } else {
        on_detached(browser, json);
    }
}
