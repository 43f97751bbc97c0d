/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/browser.h"

#include <stdio.h>
#include <string.h>

#include "base/id.h"
#include "base/json.h"
#include "core/config.h"
#include "core/core.h"
#include "driver/cdp/browser/context.h"
#include "driver/cdp/browser/helpers.h"
#include "driver/cdp/browser/ownership.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/page/page_internal.h"

enum {
    TRIES_MAX = 3,
    RETRY_MS = 50, /* and up to four times as much more, so that many do not try in step */
    /* Four times this is how long a frozen browser goes unnoticed: the command that waits, and
     * three questions. */
    SILENT_MS = 1800,
    SILENT_MISSES = 3,
    /* A spare is prepared a while after the session before it has its first page, or after this
     * time: at once it would slow down that page, and the calls that follow closely. */
    REFILL_MS = 1000,
    REFILL_SOON_MS = 150,
    RECOUNT_MS = 60000, /* what is kept ready may be too much by now */
    SPARES_AT_ONCE = 2,
};

static void look_after(struct tb_cdp_browser *browser);
static void try_start(struct tb_cdp_browser *browser);

static struct tb_cdp_browser_spec spec_dup(const struct tb_cdp_browser_spec *spec)
{
    struct tb_cdp_browser_spec own = *spec;
    own.tenant = tb_strdup(spec->tenant);
    own.path = tb_strdup(spec->path);
    own.endpoint = tb_strdup(spec->endpoint);
    return own;
}

static void spec_fini(const struct tb_cdp_browser_spec *spec)
{
    tb_free((char *)(uintptr_t)spec->tenant);
    tb_free((char *)(uintptr_t)spec->path);
    tb_free((char *)(uintptr_t)spec->endpoint);
}

static struct tb_loop *loop_of(const struct tb_cdp_browser *browser)
{
    return browser->fleet->loop;
}

static size_t count_waiting(const struct tb_cdp_browser *browser)
{
    size_t count = 0;
    LIST_FOREACH(link, &browser->waiting) {
        count++;
    }
    return count;
}

/* Contexts that nobody has, those that are being made included. */
static size_t count_free(const struct tb_cdp_browser *browser, size_t *ret_making)
{
    size_t count = 0;
    *ret_making = 0;
    LIST_FOREACH(link, &browser->contexts) {
        const struct tb_cdp_context *context = TB_CONTAINER(link, struct tb_cdp_context, link);
        if (!tb_cdp_context_session(context) && !context->closing) {
            *ret_making += context->ready ? 0 : 1;
            count++;
        }
    }
    return count;
}

/* Makes as many contexts as sessions wait for, at once. */
static void fill(struct tb_cdp_browser *browser)
{
    size_t making;
    if (!browser->peer.conn || browser->over) {
        return;
    }
    size_t have = count_free(browser, &making);
    for (size_t wanted = count_waiting(browser); have < wanted; have++) {
        tb_cdp_context_new(browser);
    }
}

static size_t spares_wanted(const struct tb_cdp_browser *browser)
{
    if (!browser->ownership->ours) {
        return 0;
    }
    size_t wanted = tb_cdp_demand_spares(&browser->stock.demand, tb_loop_now_ms(loop_of(browser)));
    size_t most = tb_cdp_demand_affordable(tb_cdp_demand_available());
    return wanted < most ? wanted : most;
}

static void drop_spares(struct tb_cdp_browser *browser, size_t count)
{
    struct tb_err err;
    tb_fail(&err, TB_E_CLOSED, "the tab is no longer needed");
    LIST_FOREACH_SAFE(link, &browser->contexts) {
        struct tb_cdp_context *context = TB_CONTAINER(link, struct tb_cdp_context, link);
        if (count && context->ready && !tb_cdp_context_session(context) && !context->closing) {
            count--;
            tb_cdp_context_dispose(context);
            tb_cdp_context_free(context, &err);
        }
    }
}

/* Brings the spares to as many as are wanted, a few at a time: pages at work want the processor
 * too. */
static void stock(struct tb_cdp_browser *browser)
{
    size_t making;
    if (!browser->peer.conn || browser->over) {
        return;
    }
    size_t have = count_free(browser, &making);
    size_t wanted = count_waiting(browser) + spares_wanted(browser);
    if (have > wanted) {
        drop_spares(browser, have - wanted);
    }
    for (; have < wanted && making < SPARES_AT_ONCE; have++) {
        tb_cdp_context_new(browser);
        making++;
    }
    browser->stock.growing = have < wanted;
    if (wanted > 1) {
        tb_timer_start(&browser->stock.refill, RECOUNT_MS);
    }
}

static void on_refill(struct tb_timer *timer, void *user)
{
    struct tb_cdp_browser *browser = user;
    (void)timer;
    browser->stock.taken = false;
    look_after(browser);
    stock(browser);
}

static struct tb_driver_session *find_user(const struct tb_cdp_browser *browser)
{
    LIST_FOREACH(link, &browser->fleet->sessions) {
        struct tb_driver_session *session = TB_CONTAINER(link, struct tb_driver_session, link);
        if (session->browser == browser && tb_list_empty(&session->seat_link)) {
            return session;
        }
    }
    return NULL;
}

/* Contexts go, and whoever has or had one hears of it; those who wait for one do not. */
static void drop_contexts(struct tb_cdp_browser *browser, const struct tb_err *err)
{
    while (!tb_list_empty(&browser->contexts)) {
        tb_cdp_context_free(TB_CONTAINER(browser->contexts.next, struct tb_cdp_context, link), err);
    }
    struct tb_driver_session *session;
    while ((session = find_user(browser))) {
        tb_cdp_session_lost(session, err);
    }
}

/* Takes down what a try has built. */
static void drop_line(struct tb_cdp_browser *browser, const struct tb_err *err)
{
    tb_cdp_browser_cmds_end(browser, err);
    struct tb_cdp_conn *conn = browser->peer.conn;
    browser->peer.conn = NULL;
    browser->ownership->stop(browser);
    tb_cdp_conn_free(conn);
}

static void run_free(struct tb_deferred *job)
{
    tb_cdp_browser_free(TB_CONTAINER(job, struct tb_cdp_browser, free));
}

void tb_cdp_browser_end(struct tb_cdp_browser *browser, const struct tb_err *err)
{
    if (browser->over) {
        return;
    }
    struct tb_err words = *err;
    browser->over = true;
    tb_timer_stop(&browser->retry);
    tb_timer_stop(&browser->linger);
    tb_timer_stop(&browser->stock.refill);
    drop_contexts(browser, &words);
    struct tb_list *link;
    while ((link = tb_list_pop(&browser->waiting))) {
        tb_cdp_session_refused(link, &words);
    }
    drop_line(browser, &words);
    tb_loop_defer(loop_of(browser), &browser->free);
}

void tb_cdp_browser_free(struct tb_cdp_browser *browser)
{
    if (!browser) {
        return;
    }
    struct tb_err err;
    tb_fail(&err, TB_E_SHUTDOWN, "the browser is closed");
    tb_list_remove(&browser->link);
    tb_deferred_cancel(&browser->free);
    LIST_FOREACH_SAFE(link, &browser->contexts) {
        tb_cdp_context_free(TB_CONTAINER(link, struct tb_cdp_context, link), &err);
    }
    tb_cdp_pages_free_ended(&browser->peer);
    drop_line(browser, &err);
    tb_timer_fini(&browser->retry);
    tb_timer_fini(&browser->linger);
    tb_timer_fini(&browser->stock.refill);
    spec_fini(&browser->spec);
    tb_free(browser);
}

void tb_cdp_browser_lost(struct tb_cdp_browser *browser, const char *words)
{
    struct tb_err err;
    tb_fail(&err, TB_E_BROWSER_CRASHED, "%s", words);
    tb_cdp_browser_end(browser, &err);
}

static void not_started(struct tb_cdp_browser *browser, int code, const char *words)
{
    struct tb_err err;
    tb_fail(&err, code, "%s", words);
    tb_cdp_browser_failed_to_start(browser, &err);
}

void tb_cdp_browser_ended(struct tb_cdp_browser *browser)
{
    if (browser->ready) {
        tb_cdp_browser_lost(browser, TB_CDP_BROWSER_ENDED);
    } else {
        not_started(browser, TB_E_BROWSER_START, "the browser ended before it could be used");
    }
}

static void on_line_end(struct tb_cdp_conn *conn, void *user)
{
    struct tb_cdp_browser *browser = user;
    const char *fault = tb_cdp_conn_fault(conn);
    if (browser->ready) {
        bool ended = browser->ownership->is_ending(browser);
        tb_cdp_browser_lost(browser, fault   ? fault
                                     : ended ? TB_CDP_BROWSER_ENDED
                                             : "the browser has ended or does not answer");
    } else if (fault) {
        not_started(browser, TB_E_PROTOCOL, fault);
    } else {
        not_started(browser, TB_E_BROWSER_START, "the browser ended before it could be used");
    }
}

static void on_event(struct tb_cdp_conn *conn, struct tb_str method, struct tb_str params,
                     void *user)
{
    (void)conn;
    tb_cdp_context_on_event(user, method, params);
}

static void ask_version(struct tb_cdp_browser *browser);

static void on_version(struct tb_cdp_command *command, int code, struct tb_str result,
                       const struct tb_err *err)
{
    struct tb_cdp_browser *browser = TB_CONTAINER(command, struct tb_cdp_browser, version);
    if (code == TB_E_BROWSER_CRASHED) {
        return; /* the end of the line says why */
    }
    bool late = tb_loop_now_ms(loop_of(browser)) >= browser->start_deadline_ms;
    if (code == TB_E_TIMEOUT && !late && browser->ownership->has_worked(browser)) {
        ask_version(browser); /* on a busy machine, or from a slow disk, a start takes its time */
        return;
    }
    if (code < 0) {
        not_started(browser, TB_E_PROTOCOL,
                    code == TB_E_TIMEOUT ? "it is running but does not answer" : err->text);
        return;
    }
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(result);
    struct tb_str product = TB_STR("unknown");
    tb_json_str(tb_json_get(json, "product"), &product);
    snprintf(browser->product, sizeof(browser->product), "%.*s", TB_STR_ARG(product));
    browser->ready = true;
    tb_cdp_conn_watch(browser->peer.conn, SILENT_MS, SILENT_MISSES);
}

static void look_after(struct tb_cdp_browser *browser)
{
    if (browser->ownership->look_after) {
        browser->ownership->look_after(browser);
    }
}

static bool at_work(void *user)
{
    const struct tb_cdp_browser *browser = user;
    return browser->ownership->at_work(browser);
}

static const struct tb_cdp_ops conn_ops = {.on_event = on_event,
                                           .on_end = on_line_end,
                                           .at_work = at_work};

static void ask_version(struct tb_cdp_browser *browser)
{
    int64_t silent_ms = tb_loop_now_ms(loop_of(browser)) + browser->fleet->start_silence_ms;
    int64_t start_ms = browser->start_deadline_ms;
    browser->version = (struct tb_cdp_command){
        .deadline_ms = silent_ms < start_ms ? silent_ms : start_ms, .done = on_version};
    tb_cdp_command_send(browser->peer.conn, &browser->version, NULL, "Browser.getVersion",
                        (struct tb_str){NULL, 0});
}

/* All that is needed goes out at once, without waiting for the first answer. */
void tb_cdp_browser_on_line_take(struct tb_cdp_browser *browser, struct tb_cdp_line *line)
{
    browser->peer.conn = tb_cdp_conn_new_take(loop_of(browser), line, &conn_ops, browser);
    tb_cdp_conn_distrust(browser->peer.conn);
    ask_version(browser);
    tb_cdp_post(browser->peer.conn, NULL, "Target.setAutoAttach",
                TB_STR("{\"autoAttach\":true,\"waitForDebuggerOnStart\":true,\"flatten\":true}"));
    if (browser->prestarted) {
        stock(browser);
    } else {
        fill(browser);
    }
}

static void on_retry(struct tb_timer *timer, void *user)
{
    (void)timer;
    try_start(user);
}

static void try_start(struct tb_cdp_browser *browser)
{
    struct tb_err err;
    browser->tries++;
    if (browser->ownership->start(browser, &err) < 0) {
        tb_cdp_browser_failed_to_start(browser, &err);
    }
}

void tb_cdp_browser_failed_to_start(struct tb_cdp_browser *browser, const struct tb_err *err)
{
    struct tb_err words = *err;
    drop_contexts(browser, &words);
    drop_line(browser, &words);
    int64_t left_ms = browser->start_deadline_ms - tb_loop_now_ms(loop_of(browser));
    /* The address itself is wrong, or what is there is no browser: it would be the next time. */
    bool hopeless = words.code == TB_E_PARAMS || words.code == TB_E_PROTOCOL;
    if (!hopeless && browser->tries < TRIES_MAX && left_ms > 0 && !browser->over) {
        uint8_t jitter;
        tb_random_bytes(&jitter, sizeof(jitter));
        tb_timer_start(&browser->retry, RETRY_MS * browser->tries + jitter);
        return;
    }
    struct tb_err full;
    tb_fail(&full, browser->ownership->failure, "%s failed after %d attempt%s: %s",
            browser->ownership->name(browser), browser->tries, browser->tries == 1 ? "" : "s",
            words.text);
    tb_cdp_browser_end(browser, words.code == TB_E_PARAMS ? &words : &full);
}

static void on_linger(struct tb_timer *timer, void *user)
{
    struct tb_err err;
    (void)timer;
    tb_fail(&err, TB_E_CLOSED, "the browser is closed");
    tb_cdp_browser_end(user, &err);
}

static bool fits(const struct tb_cdp_browser *browser, const struct tb_cdp_browser_spec *spec)
{
    const struct tb_cdp_browser_spec *own = &browser->spec;
    return !browser->over && strcmp(own->tenant, spec->tenant) == 0 &&
           strcmp(own->path, spec->path) == 0 && strcmp(own->endpoint, spec->endpoint) == 0 &&
           own->headless == spec->headless && own->proxied == spec->proxied;
}

struct tb_cdp_browser *tb_cdp_browser_get(struct tb_cdp_fleet *fleet,
                                          const struct tb_cdp_browser_spec *spec)
{
    LIST_FOREACH(link, &fleet->browsers) {
        struct tb_cdp_browser *browser = TB_CONTAINER(link, struct tb_cdp_browser, link);
        if (fits(browser, spec)) {
            return browser;
        }
    }
    struct tb_cdp_browser *browser = TB_NEW(struct tb_cdp_browser);
    browser->fleet = fleet;
    browser->spec = spec_dup(spec);
    browser->ownership = spec->endpoint[0] ? &tb_cdp_remote : &tb_cdp_launched;
    browser->peer.loop = fleet->loop;
    browser->peer.script_params = &fleet->script_params;
    /* A window of the shell is all page; others have a frame, and a remote one has any size. */
    browser->peer.window_is_page = browser->ownership->ours && (spec->shell || !spec->headless);
    tb_list_init(&browser->peer.ended);
    browser->start_deadline_ms = tb_loop_now_ms(fleet->loop) + TB_BROWSER_START_MS;
    tb_list_init(&browser->contexts);
    tb_list_init(&browser->asks);
    tb_list_init(&browser->waiting);
    tb_list_init(&browser->free.link);
    browser->free.run = run_free;
    tb_timer_init(&browser->retry, fleet->loop, on_retry, browser);
    tb_timer_init(&browser->linger, fleet->loop, on_linger, browser);
    tb_timer_init(&browser->stock.refill, fleet->loop, on_refill, browser);
    tb_list_append(&fleet->browsers, &browser->link);
    /* From the timer, so that whoever asks is never answered from inside the question. */
    tb_timer_start(&browser->retry, 0);
    return browser;
}

void tb_cdp_browser_prestart(struct tb_cdp_fleet *fleet, const struct tb_cdp_browser_spec *spec)
{
    tb_cdp_browser_get(fleet, spec)->prestarted = true;
}

bool tb_cdp_browser_whole(const struct tb_cdp_browser *browser)
{
    return !browser->helpers || tb_cdp_helpers_whole(browser->helpers);
}

static struct tb_cdp_context *find_free(struct tb_cdp_browser *browser)
{
    LIST_FOREACH(link, &browser->contexts) {
        struct tb_cdp_context *context = TB_CONTAINER(link, struct tb_cdp_context, link);
        if (context->ready && !tb_cdp_context_session(context) && !context->closing) {
            return context;
        }
    }
    return NULL;
}

/* Gives contexts that are ready to those who have waited longest. */
static void seat_waiting(struct tb_cdp_browser *browser)
{
    struct tb_cdp_context *context;
    while (!tb_list_empty(&browser->waiting) && (context = find_free(browser))) {
        browser->stock.growing = false;
        browser->stock.taken = true;
        tb_timer_start(&browser->stock.refill, REFILL_MS);
        tb_cdp_session_seated(tb_list_pop(&browser->waiting), context);
    }
}

/* Of sessions that come one right after the other, the next finds a context that was made while the
 * one before it loaded its page. */
static void prepare_next(struct tb_cdp_browser *browser)
{
    size_t making;
    if (browser->peer.conn && !browser->over &&
        tb_cdp_demand_bursting(&browser->stock.demand, tb_loop_now_ms(loop_of(browser))) &&
        count_waiting(browser) <= 1 && count_free(browser, &making) <= 1 &&
        spares_wanted(browser)) {
        tb_cdp_context_new(browser);
    }
}

void tb_cdp_browser_seat(struct tb_cdp_browser *browser, struct tb_list *session_link)
{
    browser->sessions++;
    tb_timer_stop(&browser->linger);
    tb_cdp_demand_note(&browser->stock.demand, tb_loop_now_ms(loop_of(browser)));
    tb_list_append(&browser->waiting, session_link);
    fill(browser);
    prepare_next(browser);
    seat_waiting(browser);
}

void tb_cdp_browser_leave(struct tb_cdp_browser *browser)
{
    browser->sessions--;
    if (!browser->sessions && !browser->over) {
        tb_timer_start(&browser->linger, browser->fleet->core->config->browser_linger_ms);
    }
}

void tb_cdp_browser_page_loaded(struct tb_cdp_browser *browser)
{
    tb_cdp_demand_page_loaded(&browser->stock.demand);
    if (browser->stock.taken) {
        tb_timer_start(&browser->stock.refill, REFILL_SOON_MS);
    }
}

void tb_cdp_browser_context_ready(struct tb_cdp_browser *browser)
{
    browser->failed = 0;
    if (!browser->helpers) {
        look_after(browser);
    }
    seat_waiting(browser);
    /* One that nobody waits for any more must not stay in somebody else's browser. */
    if (browser->stock.growing || !browser->ownership->ours) {
        stock(browser);
    }
}

void tb_cdp_browser_context_failed(struct tb_cdp_browser *browser, const struct tb_err *err)
{
    if (browser->over) {
        return;
    }
    bool crashed = err->code == TB_E_PAGE_CRASHED;
    struct tb_list *session = NULL;
    if (!crashed || ++browser->failed >= TRIES_MAX) {
        session = tb_list_pop(&browser->waiting);
    }
    if (session) {
        tb_cdp_session_refused(session, err);
    }
    fill(browser);
    tb_timer_start(&browser->stock.refill, REFILL_MS); /* it may have been the spare */
}
