/* SPDX-License-Identifier: Apache-2.0 */
/* Before: LEAVING --the page before answers, or was ended--> go
 * An address:      ASKED --the document is there--> LOADING --wait_until--> done
 * Back, forward:   HISTORY --the entry is known--> ASKED ...
 * With `snapshot`: ... OUTLINE --> done
 * No page:         ASKED --> REFUSED --the browser shows its error page--> failed
 * A download:      ASKED --> REFUSED --the browser tells of it--> failed, with what comes of it
 * An address, where there is no tab to look at, or it is closed for where it was before:
 *                  TABLESS --there is one--> LEAVING ...
 * A step in the history, or a reload, that leads to no page:
 *                  LOADING --it came to nothing--> is it a download? --> failed
 *
 * Title and status are told by the page itself as it loads (page/here.js), since afterwards it is
 * busy with drawing itself. Where it has not told them, it is asked: LOADING --> READING --> done.
 */
#include <stdio.h>
#include <string.h>

#include "base/quote.h"
#include "core/args.h"
#include "core/config.h"
#include "core/core.h"
#include "core/limits.h"
#include "driver/address.h"
#include "driver/cdp/browser/fleet.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/browser/sites.h"
#include "driver/cdp/op/history.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/outline.h"
#include "driver/cdp/op/work.h"
#include "driver/cdp/page/inner.h"
#include "driver/cdp/page/net_error.h"

enum state {
    LEAVING, /* until the page before answers */
    HISTORY,
    ASKED,
    REFUSED,
    LOADING,
    READING,
    OUTLINE,
    TABLESS, /* until there is a tab that may be looked at */
};

enum {
    URL_MAX = TB_ADDRESS_MAX + 16,
    OUTLINE_CHARS = 8000,
    NOTHING_MS = 300, /* for word of a download, where it may as well be none */
    LEAVE_MS = 1000,  /* for the page before to let go */
    DIALOGS_MAX = 3,  /* of the page before; then it is ended */
};

struct navigate {
    struct tb_cdp_work work;
    struct tb_buf url; /* empty: a step in the history */
    struct tb_cdp_outline outline;
    struct tb_err refusal; /* why there is no page */
    bool download;         /* it is one */
    struct tb_timer download_timer;
    struct tb_timer leave_timer;
    bool held;      /* by the page before, at the last look */
    int dismissed;  /* of its dialogs, until then */
    bool watched;   /* for more dialogs */
    bool forced;    /* the page before was ended with its process */
    uint64_t asked; /* navigations of the tab until it was asked for this one */
};

static void ask(struct navigate *navigate, const char *method, struct tb_str params)
{
    navigate->work.state = ASKED;
    tb_cdp_work_send(&navigate->work, method, params);
}

static void on_history(struct navigate *navigate, struct tb_str value)
{
    struct tb_cdp_work *work = &navigate->work;
    bool back = tb_str_eq_cstr(tb_args_text(work->op->args, "to", ""), "back");
    char room[TB_CDP_HISTORY_PARAMS];
    struct tb_str params = tb_cdp_history_step(value, back, room);
    if (params.len) {
        ask(navigate, "Page.navigateToHistoryEntry", params);
    } else {
        tb_cdp_work_fail(work, TB_E_CANNOT_OPEN, "there is no page to go %s to",
                         back ? "back" : "forward");
    }
}

static void say_download(struct navigate *navigate, struct tb_str url)
{
    tb_cdp_download_log_words(&navigate->work.session->journal.downloads, url, &navigate->refusal);
}

/* The browser's answer to Page.navigate: a document, a download, or why there is neither. */
static bool was_refused(struct navigate *navigate, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    struct tb_str error;
    tb_json_bool(tb_json_get(json, "isDownload"), &navigate->download);
    if (!tb_json_str(tb_json_get(json, "errorText"), &error) || !error.len) {
        return false;
    }
    if (navigate->download) {
        say_download(navigate, tb_buf_str(&navigate->url));
    } else {
        tb_cdp_net_error_words(error, tb_buf_str(&navigate->url), &navigate->refusal);
    }
    return true;
}

/* An error page is on its way; it must not come upon the next call. */
static void wait_for_error_page(struct navigate *navigate)
{
    navigate->work.state = REFUSED;
    navigate->work.until = "commit";
    tb_cdp_work_settle(&navigate->work);
}

static void refuse(struct navigate *navigate)
{
    struct tb_err refusal = navigate->refusal;
    navigate->work.navigated = false;
    tb_cdp_work_add_events(&navigate->work);
    tb_cdp_work_fail_err(&navigate->work, &refusal);
}

static void on_download(void *user)
{
    struct navigate *navigate = user;
    if (navigate->work.session->journal.downloads.begun <= navigate->work.before.downloads) {
        return;
    }
    if (!navigate->download) {
        say_download(navigate, (struct tb_str){NULL, 0});
    }
    refuse(navigate);
}

static void on_no_download(struct tb_timer *timer, void *user)
{
    (void)timer;
    refuse(user);
}

/* The browser tells of a download a moment before or after it has refused the page. */
static void wait_for_download(struct navigate *navigate, int64_t ms)
{
    struct tb_driver_session *session = navigate->work.session;
    struct tb_cdp_download_log *log = &session->journal.downloads;
    log->on_change = on_download;
    log->user = navigate;
    tb_timer_init(&navigate->download_timer, tb_cdp_session_loop(session), on_no_download,
                  navigate);
    tb_timer_start(&navigate->download_timer, ms);
    on_download(navigate);
}

static void load(struct navigate *navigate)
{
    navigate->work.state = LOADING;
    if (navigate->url.len) {
        tb_cdp_work_settle(&navigate->work);
    } else {
        tb_cdp_work_settle_asked(&navigate->work);
    }
}

static void on_no_page(struct navigate *navigate, struct tb_cdp_page *page)
{
    struct tb_cdp_work *work = &navigate->work;
    struct tb_quoted shown;
    const char *url = tb_quoted_url(&shown, tb_cdp_page_url(page));
    if (tb_cdp_page_navigation_mark(page) == work->mark) {
        tb_cdp_work_fail(work, TB_E_NAVIGATION,
                         "the browser did not start to load it; the page is still %s", url);
        return;
    }
    tb_fail(&navigate->refusal, TB_E_CANNOT_OPEN,
            "the server sent no page (such as 204 No Content); the page is still %s", url);
    work->state = REFUSED;
    wait_for_download(navigate, NOTHING_MS);
}

static void finish(struct navigate *navigate)
{
    struct tb_cdp_work *work = &navigate->work;
    if (!tb_args_flag(work->op->args, "snapshot", false)) {
        tb_cdp_work_add_events(work);
        tb_cdp_work_done(work);
        return;
    }
    work->state = OUTLINE;
    tb_cdp_outline_start(&navigate->outline);
}

static void take(struct navigate *navigate, const struct cJSON *told)
{
    struct cJSON *data = navigate->work.op->result->data;
    struct tb_str text;
    double status = 0;
    tb_json_num(tb_json_get(told, "status"), &status);
    tb_json_set_int(data, "status", (int64_t)status);
    tb_json_set_bool(data, "ok", status >= 200 && status < 300);
    if (tb_json_str(tb_json_get(told, "url"), &text)) {
        tb_json_set_str(data, "url", text);
    }
    if (tb_json_str(tb_json_get(told, "title"), &text)) {
        tb_json_set_str(data, "title", text);
    }
    finish(navigate);
}

static void on_loaded(struct navigate *navigate)
{
    struct tb_cdp_work *work = &navigate->work;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    if (page && !work->navigated && !navigate->url.len) {
        on_no_page(navigate, page);
        return;
    }
    bool is_new = page && tb_cdp_page_navigation_mark(page) > work->mark;
    const struct cJSON *told = is_new ? tb_cdp_page_arrived(page) : NULL;
    if (told) {
        take(navigate, told);
    } else {
        work->state = READING;
        tb_cdp_work_call(work, "arrived", (struct tb_str){NULL, 0});
    }
}

static void on_read(struct navigate *navigate, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    take(navigate, json);
}

static void go(struct navigate *navigate)
{
    struct tb_cdp_work *work = &navigate->work;
    struct tb_str to = tb_args_text(work->op->args, "to", "");
    const struct tb_cdp_page *page = tb_cdp_work_page(work);
    navigate->asked = page ? tb_cdp_page_navigation_mark(page) : 0;
    if (navigate->url.len) {
        navigate->work.state = ASKED;
        tb_cdp_work_open(&navigate->work, tb_buf_str(&navigate->url));
    } else if (tb_str_eq_cstr(to, "reload")) {
        ask(navigate, "Page.reload", (struct tb_str){NULL, 0});
    } else {
        work->state = HISTORY;
        tb_cdp_work_send(work, "Page.getNavigationHistory", (struct tb_str){NULL, 0});
    }
}

/* It does not answer, shows dialog after dialog, or makes no room for the page that has come. That
 * it does not let the request go (beforeunload) looks like a server that is slow to answer. */
static bool is_held(struct navigate *navigate, const struct tb_cdp_page *page)
{
    const struct tb_cdp_work *work = &navigate->work;
    bool asks = work->dismissed > navigate->dismissed;
    navigate->dismissed = work->dismissed;
    switch (work->state) {
    case LEAVING:
        return true;
    case ASKED:
        return asks;
    case LOADING:
        return tb_cdp_page_is_leaving(page) && (asks || navigate->url.len);
    default:
        return false;
    }
}

static void force(struct navigate *navigate)
{
    navigate->forced = true;
    tb_json_set_bool(navigate->work.op->result->data, "forced", true);
    tb_cdp_work_post(&navigate->work, "Page.crash", (struct tb_str){NULL, 0});
}

static void on_new_tab(int code, struct tb_cdp_page *page, const struct tb_err *err, void *user)
{
    struct navigate *navigate = user;
    struct tb_cdp_work *work = &navigate->work;
    char params[128];
    if (code < 0) {
        tb_cdp_work_fail_err(work, err);
        return;
    }
    int len = snprintf(params, sizeof(params), "{\"targetId\":\"%s\"}", work->page_id);
    tb_cdp_post(tb_cdp_page_conn(page), NULL, "Target.closeTarget",
                (struct tb_str){params, (size_t)len});
    tb_cdp_work_take_tab(work, page);
    go(navigate);
}

/* A dialog that opened just as the next page was to take its place: the browser passes nothing on
 * to that tab any more. */
static void replace(struct navigate *navigate)
{
    struct tb_cdp_work *work = &navigate->work;
    tb_cdp_session_forget(work->session, work);
    work->state = LEAVING;
    tb_cdp_session_tab_open(work->session, work->deadline_ms, on_new_tab, navigate);
}

/* Who leaves a page gives up what it computes, and then, since some of what holds the page is out
 * of reach (a request that is waited for, dialog after dialog), the page with its process; and if
 * that is out of reach, too, the tab. */
static void on_look(struct tb_timer *timer, void *user)
{
    struct navigate *navigate = user;
    struct tb_cdp_page *page = tb_cdp_work_page(&navigate->work);
    struct tb_err err;
    if (navigate->work.state == TABLESS && tb_cdp_work_check_tab(&navigate->work, &err) < 0) {
        tb_cdp_work_fail_err(&navigate->work, &err);
        return;
    }
    if (!page) {
        return;
    }
    bool again = navigate->held || tb_cdp_page_kept_waiting(page);
    navigate->held = is_held(navigate, page);
    if (navigate->held && navigate->forced) {
        if (navigate->url.len) {
            replace(navigate);
        }
        return;
    }
    if (navigate->held && again) {
        force(navigate);
    } else if (navigate->held) {
        tb_cdp_page_terminate_script(page);
    }
    tb_timer_start(timer, LEAVE_MS);
}

/* A page that computes keeps a document of its own site from taking its place, and once the browser
 * has that document it passes nothing on to the page: so the page is asked before. Nor does it pass
 * anything on while another page is awaited, which is given up for this one. */
static void leave(struct navigate *navigate)
{
    struct tb_cdp_work *work = &navigate->work;
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    tb_cdp_page_leave(page, true);
    tb_timer_start(&navigate->leave_timer, LEAVE_MS);
    if (tb_cdp_page_crashed(page) || tb_str_eq_cstr(tb_cdp_page_url(page), "about:blank")) {
        go(navigate);
        return;
    }
    if (tb_cdp_page_is_leaving(page)) {
        tb_cdp_work_post(work, "Page.stopLoading", (struct tb_str){NULL, 0});
    }
    if (!tb_cdp_page_kept_waiting(page)) {
        tb_cdp_page_free_if_in_doubt(page);
    }
    work->state = LEAVING;
    if (navigate->url.len) { /* it answers this before the question that is waited for */
        tb_cdp_sites_ask(work->session, page, tb_buf_str(&navigate->url));
    }
    tb_cdp_work_fence(work);
}

static void begin(struct navigate *navigate)
{
    struct tb_cdp_work *work = &navigate->work;
    struct tb_err err;
    navigate->asked = UINT64_MAX;
    if (tb_cdp_work_check_tab(work, &err) == 0) {
        tb_cdp_work_take_tab(work, tb_cdp_session_page(work->session));
        leave(navigate);
    } else if (navigate->url.len) {
        work->state = TABLESS;
        tb_timer_start(&navigate->leave_timer, tb_cdp_work_left_ms(work));
    } else {
        tb_cdp_work_fail_err(work, &err);
    }
}

static void noticed(struct tb_cdp_work *work)
{
    if (work->state == TABLESS) {
        begin(TB_CONTAINER(work, struct navigate, work));
    }
}

/* The tab is closed for where it has come to before it was sent to this address, which is no reason
 * to refuse this one. */
static bool is_of_before(const struct navigate *navigate, struct tb_cdp_page *page)
{
    return navigate->url.len && page && tb_cdp_page_is_inner(page) &&
           !tb_cdp_frame_has_left(tb_cdp_page_main_frame(page), navigate->asked);
}

/* It has answered. If it had a dialog it is given time for more: one that opens while the next page
 * takes its place would hold the tab for ever, out of everybody's reach. */
static void on_answered(struct navigate *navigate)
{
    struct tb_cdp_work *work = &navigate->work;
    if (work->dismissed > DIALOGS_MAX) {
        force(navigate);
        tb_cdp_work_fence(work);
    } else if (work->dismissed && !navigate->watched) {
        navigate->watched = true;
        tb_cdp_work_send(work, "Runtime.evaluate",
                         TB_STR("{\"expression\":\"new Promise(r=>setTimeout(r,50))\","
                                "\"awaitPromise\":true}"));
    } else {
        go(navigate);
    }
}

static void on_outline(struct tb_cdp_work *work)
{
    const struct tb_result *result = work->op->result;
    bool cut = false;
    tb_json_bool(tb_json_get(result->data, "truncated"), &cut);
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    if (!cut && page) {
        tb_cdp_page_keep_outline(page, tb_buf_str(&result->text));
    }
    tb_cdp_work_add_events(work);
    tb_cdp_work_done(work);
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    struct navigate *navigate = TB_CONTAINER(work, struct navigate, work);
    switch (work->state) {
    case LEAVING:
        on_answered(navigate);
        break;
    case HISTORY:
        on_history(navigate, value);
        break;
    case ASKED:
        if (was_refused(navigate, value)) {
            wait_for_error_page(navigate);
        } else {
            load(navigate);
        }
        break;
    case REFUSED:
        if (navigate->download) {
            wait_for_download(navigate, TB_DOWNLOAD_TOLD_MS);
        } else {
            refuse(navigate);
        }
        break;
    case LOADING:
        on_loaded(navigate);
        break;
    case READING:
        on_read(navigate, value);
        break;
    default:
        if (tb_cdp_outline_step(&navigate->outline, value)) {
            on_outline(work);
        }
        break;
    }
}

static void fail_late(struct navigate *navigate, struct tb_cdp_page *page)
{
    struct tb_cdp_work *work = &navigate->work;
    long long ms = work->deadline_ms - work->began_ms;
    struct tb_quoted room;
    bool underway = page && tb_cdp_page_is_leaving(page);
    if (work->state == LEAVING || (work->state == LOADING && underway && navigate->url.len)) {
        tb_cdp_work_fail(work, TB_E_TIMEOUT, "the previous page was still busy after %lld ms%s", ms,
                         navigate->forced ? "; close its tab" : "");
    } else if (page && (work->state == ASKED || underway)) {
        struct tb_str to =
            navigate->url.len ? tb_buf_str(&navigate->url) : tb_cdp_page_bound_for(page);
        tb_cdp_work_post(work, "Page.stopLoading", (struct tb_str){NULL, 0});
        tb_cdp_page_keep_waiting(page);
        tb_cdp_work_fail(work, TB_E_TIMEOUT, "no answer%s%s within %lld ms", to.len ? " from " : "",
                         tb_quoted_url(&room, to), ms);
    } else {
        struct tb_str url = page ? tb_cdp_page_url(page) : (struct tb_str){NULL, 0};
        tb_cdp_work_fail(
            work, TB_E_TIMEOUT,
            "%s answered but did not reach \"%s\" within %lld ms; you can use what has loaded so "
            "far",
            tb_quoted_url(&room, url), work->until, ms);
    }
}

/* The document may change once more under our eyes: a page that sends us on at once. */
static bool failed(struct tb_cdp_work *work, const struct tb_err *err)
{
    struct navigate *navigate = TB_CONTAINER(work, struct navigate, work);
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    struct tb_quoted room;
    if (is_of_before(navigate, page)) {
        tb_cdp_session_forget(work->session, work);
        begin(navigate);
        return true;
    }
    if (work->state == REFUSED) {
        refuse(navigate);
        return true;
    }
    if (work->state == OUTLINE && tb_cdp_outline_bears(&navigate->outline, err)) {
        step(work, (struct tb_str){NULL, 0});
        return true;
    }
    if (err->code == TB_E_ELEMENT_STALE && work->state == READING) {
        load(navigate);
        return true;
    }
    if (work->state == ASKED && err->code == TB_E_PROTOCOL) {
        tb_cdp_work_fail(work, TB_E_BAD_URL, "the browser does not accept %s as an address",
                         tb_quoted_url(&room, tb_buf_str(&navigate->url)));
        return true;
    }
    bool ended = err->code == TB_E_PAGE_CRASHED && navigate->forced && work->state <= LOADING;
    if (ended || (work->state == LEAVING &&
                  (err->code == TB_E_PROTOCOL || err->code == TB_E_PAGE_CRASHED))) {
        go(navigate); /* it was ended together with the script or the page */
        return true;
    }
    if (err->code == TB_E_DIALOG_OPEN && work->state != HISTORY && page) {
        /* The new page asks something while it loads: that is what there is to see. */
        work->navigated = true;
        tb_json_set_int(work->op->result->data, "status", 0);
        tb_json_set_bool(work->op->result->data, "ok", false);
        tb_cdp_work_wind_up(work);
        return true;
    }
    if (err->code != TB_E_TIMEOUT) {
        return false;
    }
    fail_late(navigate, page);
    return true;
}

static void stop(struct tb_cdp_work *work)
{
    if (work->state == ASKED) {
        tb_cdp_work_post(work, "Page.stopLoading", (struct tb_str){NULL, 0});
    }
}

static void fini(struct tb_cdp_work *work)
{
    struct navigate *navigate = TB_CONTAINER(work, struct navigate, work);
    tb_cdp_download_log_forget(&work->session->journal.downloads, navigate);
    tb_timer_fini(&navigate->download_timer);
    tb_timer_fini(&navigate->leave_timer);
    tb_buf_fini(&navigate->url);
    tb_cdp_outline_fini(&navigate->outline);
    tb_cdp_session_stay(work->session);
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct navigate),
                                             .in_dialog = true,
                                             .stays = true,
                                             .leaves = true,
                                             .step = step,
                                             .failed = failed,
                                             .noticed = noticed,
                                             .stop = stop,
                                             .fini = fini};

void tb_cdp_op_navigate(struct tb_driver_session *session, struct tb_op *op)
{
    struct navigate *navigate = tb_cdp_work_new(&kind, session, op);
    if (!navigate) {
        return;
    }
    struct tb_cdp_work *work = &navigate->work;
    bool by_url = tb_args_has(op->args, "url");
    struct tb_str to = tb_args_text(op->args, "to", "");
    tb_buf_init(&navigate->url, URL_MAX);
    tb_cdp_outline_init(&navigate->outline, work, "", OUTLINE_CHARS);
    tb_timer_init(&navigate->leave_timer, tb_cdp_session_loop(session), on_look, navigate);
    work->until = tb_cdp_page_stage(tb_args_text(op->args, "wait_until", "load"));
    if (by_url == (to.len > 0)) {
        tb_cdp_work_fail(work, TB_E_PARAMS, "give exactly one of url and to");
        return;
    }
    struct tb_err err;
    bool data_urls = session->fleet->core->config->browser_data_urls;
    if (by_url &&
        (tb_address_make(tb_args_text(op->args, "url", ""), data_urls, &navigate->url, &err) < 0 ||
         tb_cdp_session_may_open(session, tb_buf_str(&navigate->url), &err) < 0)) {
        tb_cdp_work_fail_err(work, &err);
        return;
    }
    begin(navigate);
}
