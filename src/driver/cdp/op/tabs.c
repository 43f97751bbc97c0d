/* SPDX-License-Identifier: Apache-2.0 */
/* list:   LISTING --> done.
 * new:    OPENING --> [ASKED --> LOADING] --> LISTING --> done.
 *         ASKED --no page--> [REFUSED --the browser tells of a download-->] CLOSING --> failed.
 * select: LISTING --> done.
 * close:  [OPENING: the last one leaves an empty one behind] --> CLOSING --> LISTING --> done.
 * The list comes from the browser itself and not from the pages, so no page can hold it up. */
#include <stdio.h>
#include <string.h>

#include "core/args.h"
#include "core/config.h"
#include "core/core.h"
#include "driver/address.h"
#include "driver/cdp/browser/download_log.h"
#include "driver/cdp/browser/fleet.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/ops.h"
#include "driver/cdp/op/work.h"
#include "driver/cdp/page/inner.h"
#include "driver/cdp/page/net_error.h"

enum state {
    OPENING,
    ASKED,
    REFUSED,
    LOADING,
    CLOSING,
    LISTING,
};

enum {
    URL_MAX = TB_ADDRESS_MAX + 16,
    ID_LEN = 8, /* of a target's id, enough to tell tabs apart */
};

struct tabs {
    struct tb_cdp_work work;
    struct tb_buf url;
    char closing[TB_TARGET_ID_SIZE]; /* the tab to close once there is another */
    struct tb_err refusal;           /* why the new tab has no page */
    struct tb_timer download_timer;
};

static void list(struct tabs *tabs)
{
    tabs->work.state = LISTING;
    tb_cdp_work_send_to(&tabs->work, "", "Target.getTargets",
                        TB_STR("{\"filter\":[{\"type\":\"page\"}]}"));
}

static const struct cJSON *info_of(const struct cJSON *infos, const char *target_id)
{
    JSON_ARRAY_FOREACH(info, infos) {
        struct tb_str id;
        if (tb_json_str(tb_json_get(info, "targetId"), &id) && tb_str_eq_cstr(id, target_id)) {
            return info;
        }
    }
    return NULL;
}

static struct cJSON *tab_json(struct tb_driver_session *session, size_t index,
                              const struct cJSON *infos)
{
    struct tb_cdp_page *page = tb_cdp_session_page_by_index(session, index);
    const struct cJSON *info = info_of(infos, tb_cdp_page_target_id(page));
    struct cJSON *tab = tb_json_new_object();
    struct tb_str title = {"", 0};
    struct tb_str id = tb_str_sub(tb_str_of(tb_cdp_page_target_id(page)), 0, ID_LEN);
    tb_json_str(tb_json_get(info, "title"), &title);
    tb_json_set_int(tab, "index", (int64_t)index);
    tb_json_set_str(tab, "id", id);
    tb_json_set_str(tab, "url", tb_cdp_page_url(page));
    tb_json_set_str(tab, "title", title);
    tb_json_set_bool(tab, "active", page == tb_cdp_session_page(session));
    return tab;
}

static bool is_new(const struct tb_cdp_work *work)
{
    return tb_str_eq_cstr(tb_args_text(work->op->args, "action", "list"), "new");
}

static void on_list(struct tabs *tabs, struct tb_str value)
{
    struct tb_cdp_work *work = &tabs->work;
    struct tb_driver_session *session = work->session;
    struct cJSON *data = work->op->result->data;
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    struct cJSON *rows = tb_json_new_array();
    for (size_t i = 0; i < tb_cdp_session_page_count(session); i++) {
        if (tb_cdp_page_is_inner(tb_cdp_session_page_by_index(session, i))) {
            continue;
        }
        struct cJSON *tab = tab_json(session, i, tb_json_get(json, "targetInfos"));
        struct tb_str text;
        if (tb_cdp_session_page_by_index(session, i) == tb_cdp_session_page(session)) {
            tb_json_str(tb_json_get(tab, "url"), &text);
            tb_json_set_str(data, "url", text);
            tb_json_str(tb_json_get(tab, "title"), &text);
            tb_json_set_str(data, "title", text);
            if (is_new(work)) {
                tb_json_set_int(data, "opened", (int64_t)i);
            }
        }
        tb_json_append_take(rows, tab);
    }
    tb_json_set_take(data, "tabs", rows);
    work->navigated = false;
    tb_cdp_work_add_events(work);
    tb_cdp_work_done(work);
}

static void on_tab(int code, struct tb_cdp_page *page, const struct tb_err *err, void *user);

static void close_tab(struct tabs *tabs, struct tb_cdp_page *page)
{
    tabs->work.state = CLOSING;
    tabs->closing[0] = '\0';
    tb_cdp_session_tab_close(tabs->work.session, page, tabs->work.deadline_ms, on_tab, tabs);
}

static void refuse(struct tabs *tabs)
{
    struct tb_cdp_work *work = &tabs->work;
    struct tb_err refusal = tabs->refusal;
    tb_cdp_download_log_since(&work->session->journal.downloads, work->before.downloads,
                              work->op->result->data);
    tb_cdp_work_fail_err(work, &refusal);
}

/* A call that has failed leaves no empty tab behind. */
static void give_back(struct tabs *tabs)
{
    struct tb_cdp_page *page = tb_cdp_work_page(&tabs->work);
    tb_cdp_download_log_forget(&tabs->work.session->journal.downloads, tabs);
    tb_timer_stop(&tabs->download_timer);
    if (page) {
        close_tab(tabs, page);
    } else {
        refuse(tabs);
    }
}

static void on_download(void *user)
{
    struct tabs *tabs = user;
    if (tabs->work.session->journal.downloads.begun > tabs->work.before.downloads) {
        give_back(tabs);
    }
}

static void on_no_download(struct tb_timer *timer, void *user)
{
    (void)timer;
    give_back(user);
}

/* The download is the tab's until the browser has told of it. */
static void wait_for_download(struct tabs *tabs)
{
    struct tb_cdp_download_log *log = &tabs->work.session->journal.downloads;
    tb_cdp_download_log_words(log, tb_buf_str(&tabs->url), &tabs->refusal);
    tabs->work.state = REFUSED;
    log->on_change = on_download;
    log->user = tabs;
    tb_timer_start(&tabs->download_timer, TB_DOWNLOAD_TOLD_MS);
    on_download(tabs);
}

static void on_asked(struct tabs *tabs, struct tb_str value)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(value);
    struct tb_str error;
    bool download = false;
    tb_json_bool(tb_json_get(json, "isDownload"), &download);
    if (download) {
        wait_for_download(tabs);
    } else if (tb_json_str(tb_json_get(json, "errorText"), &error) && error.len) {
        tb_cdp_net_error_words(error, tb_buf_str(&tabs->url), &tabs->refusal);
        give_back(tabs);
    } else {
        tabs->work.state = LOADING;
        tb_cdp_work_settle(&tabs->work);
    }
}

static void step(struct tb_cdp_work *work, struct tb_str value)
{
    struct tabs *tabs = TB_CONTAINER(work, struct tabs, work);
    switch (work->state) {
    case ASKED:
        on_asked(tabs, value);
        break;
    case LOADING:
        list(tabs);
        break;
    default:
        on_list(tabs, value);
        break;
    }
}

static void on_tab(int code, struct tb_cdp_page *page, const struct tb_err *err, void *user)
{
    struct tabs *tabs = user;
    struct tb_cdp_work *work = &tabs->work;
    if (tabs->refusal.code) {
        refuse(tabs);
        return;
    }
    if (code < 0) {
        tb_cdp_work_fail_err(work, err);
        return;
    }
    struct tb_cdp_page *last =
        tb_cdp_session_page_by_target(work->session, tb_str_of(tabs->closing));
    if (tabs->closing[0] && last) {
        close_tab(tabs, last);
        return;
    }
    if (work->state == OPENING && page && tabs->url.len) {
        tb_cdp_work_take_tab(work, page);
        tabs->work.state = ASKED;
        tb_cdp_work_open(&tabs->work, tb_buf_str(&tabs->url));
        return;
    }
    list(tabs);
}

static void open_tab(struct tabs *tabs)
{
    tabs->work.state = OPENING;
    tb_cdp_session_tab_open(tabs->work.session, tabs->work.deadline_ms, on_tab, tabs);
}

static void fini(struct tb_cdp_work *work)
{
    struct tabs *tabs = TB_CONTAINER(work, struct tabs, work);
    tb_cdp_download_log_forget(&work->session->journal.downloads, tabs);
    tb_timer_fini(&tabs->download_timer);
    tb_buf_fini(&tabs->url);
    tb_cdp_session_stay(work->session);
}

static const struct tb_cdp_work_kind kind = {.size = sizeof(struct tabs),
                                             .in_dialog = true,
                                             .leaves = true,
                                             .step = step,
                                             .fini = fini};

/* The tab that the arguments name; the current one when they name none. NULL: it has failed. */
static struct tb_cdp_page *find(struct tabs *tabs)
{
    struct tb_cdp_work *work = &tabs->work;
    struct tb_driver_session *session = work->session;
    struct tb_str id = tb_args_text(work->op->args, "id", "");
    int64_t index = tb_args_int(work->op->args, "tab", -1);
    if (!id.len && index < 0) {
        return tb_cdp_session_page(session);
    }
    for (size_t i = 0; i < tb_cdp_session_page_count(session); i++) {
        struct tb_cdp_page *page = tb_cdp_session_page_by_index(session, i);
        struct tb_str whole = tb_str_of(tb_cdp_page_target_id(page));
        if (id.len ? tb_str_starts(whole, id) && id.len >= ID_LEN : (int64_t)i == index) {
            return page;
        }
    }
    if (id.len) {
        tb_cdp_work_fail(work, TB_E_TAB_NOT_FOUND, "there is no tab %.*s",
                         TB_STR_ARG(tb_str_sub(id, 0, 40)));
    } else {
        size_t count = tb_cdp_session_page_count(session);
        tb_cdp_work_fail(work, TB_E_TAB_NOT_FOUND,
                         "there is no tab %lld; the session has %zu tab%s, numbered from 0",
                         (long long)index, count, count == 1 ? "" : "s");
    }
    return NULL;
}

static void begin_new(struct tabs *tabs)
{
    struct tb_cdp_work *work = &tabs->work;
    struct tb_err err;
    bool data_urls = work->session->fleet->core->config->browser_data_urls;
    struct tb_str url = tb_args_text(work->op->args, "url", "");
    if (url.len && (tb_address_make(url, data_urls, &tabs->url, &err) < 0 ||
                    tb_cdp_session_may_open(work->session, tb_buf_str(&tabs->url), &err) < 0)) {
        tb_cdp_work_fail_err(work, &err);
        return;
    }
    struct tb_cdp_page *page = tb_cdp_work_page(work);
    if (page) {
        tb_cdp_page_leave(page, false);
    }
    open_tab(tabs);
}

static void begin_close(struct tabs *tabs)
{
    struct tb_cdp_page *page = find(tabs);
    if (!page) {
        return;
    }
    tb_cdp_page_leave(page, true);
    if (tb_cdp_session_page_count(tabs->work.session) > 1) {
        close_tab(tabs, page);
        return;
    }
    tb_cdp_target_id_copy(tabs->closing, tb_str_of(tb_cdp_page_target_id(page)));
    open_tab(tabs);
}

void tb_cdp_op_tabs(struct tb_driver_session *session, struct tb_op *op)
{
    struct tabs *tabs = tb_cdp_work_new(&kind, session, op);
    if (!tabs) {
        return;
    }
    struct tb_str action = tb_args_text(op->args, "action", "list");
    struct tb_err err;
    tb_buf_init(&tabs->url, URL_MAX);
    tb_timer_init(&tabs->download_timer, tb_cdp_session_loop(session), on_no_download, tabs);
    if (is_new(&tabs->work)) {
        begin_new(tabs);
    } else if (tb_cdp_work_check_tab(&tabs->work, &err) < 0) {
        tb_cdp_work_fail_err(&tabs->work, &err);
    } else if (tb_str_eq_cstr(action, "close")) {
        begin_close(tabs);
    } else if (tb_str_eq_cstr(action, "select")) {
        struct tb_cdp_page *page = find(tabs);
        if (page) {
            tb_cdp_session_page_select(session, page);
            list(tabs);
        }
    } else {
        list(tabs);
    }
}
