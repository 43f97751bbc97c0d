/* SPDX-License-Identifier: Apache-2.0 */
/* What happened during an operation besides what it did, for its result: dialogs, new tabs, file
 * choosers, downloads, errors. */
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/work_internal.h"
#include "driver/cdp/page/chooser.h"
#include "driver/cdp/page/inner.h"

enum {
    DISMISSED_TOLD = 3,
    FAILED_STATUS = 400,
};

static void add_dialog(struct tb_cdp_work *work, struct tb_cdp_page *page)
{
    const struct tb_cdp_dialog *dialog = tb_cdp_page_dialog(page);
    if (!dialog->open) {
        return;
    }
    struct cJSON *json = tb_json_new_object();
    tb_json_set_cstr(json, "type", dialog->type);
    tb_json_set_cstr(json, "message", dialog->message);
    if (dialog->default_text[0]) {
        tb_json_set_cstr(json, "default_text", dialog->default_text);
    }
    tb_json_set_take(work->op->result->data, "dialog", json);
}

void tb_cdp_work_note_dismissed(struct tb_cdp_running *running, const struct tb_cdp_dialog *dialog)
{
    struct tb_cdp_work *work = TB_CONTAINER(running, struct tb_cdp_work, running);
    struct cJSON *data = work->op->result->data;
    if (++work->dismissed > DISMISSED_TOLD) {
        tb_json_set_int(data, "dialogs_more", work->dismissed - DISMISSED_TOLD);
        return;
    }
    struct cJSON *all = tb_json_new_array();
    JSON_ARRAY_FOREACH(before, tb_json_get(data, "dialogs_answered")) {
        tb_json_append_take(all, tb_json_dup(before));
    }
    struct cJSON *json = tb_json_new_object();
    tb_json_set_cstr(json, "type", dialog->type);
    tb_json_set_cstr(json, "message", dialog->message);
    tb_json_set_bool(json, "accepted", false);
    tb_json_append_take(all, json);
    tb_json_set_take(data, "dialogs_answered", all);
}

static void add_loading(struct cJSON *data, const struct tb_cdp_page *page)
{
    struct tb_str url = tb_cdp_page_loading(page);
    if (url.len) {
        tb_json_set_str(data, "loading", url);
    }
}

static void add_tabs(struct tb_cdp_work *work)
{
    uint64_t opened = tb_cdp_session_tabs_opened(work->session) - work->before.tabs_opened;
    size_t count = tb_cdp_session_page_count(work->session);
    if (!opened) {
        return;
    }
    struct cJSON *tabs = tb_json_new_array();
    for (size_t i = 0; i < count; i++) {
        struct tb_cdp_page *page = tb_cdp_session_page_by_index(work->session, i);
        if (tb_cdp_page_opened(page) <= work->before.tabs_opened || tb_cdp_page_is_inner(page)) {
            continue;
        }
        struct cJSON *tab = tb_json_new_object();
        tb_json_set_int(tab, "index", (int64_t)i);
        tb_json_set_str(tab, "url", tb_cdp_page_url(page));
        if (tb_cdp_page_unopened(page).len) {
            tb_json_set_str(tab, "unopened", tb_cdp_page_unopened(page));
        }
        tb_json_append_take(tabs, tab);
        opened--;
    }
    tb_json_set_take(work->op->result->data, "new_tabs", tabs);
    if (opened) {
        tb_json_set_int(work->op->result->data, "tabs_gone", (int64_t)opened);
    }
}

/* Without a word, a click whose window was refused looks like one of which nothing came. */
static void add_refused(struct tb_cdp_work *work)
{
    uint64_t refused = tb_cdp_session_tabs_refused(work->session) - work->before.tabs_refused;
    if (refused) {
        tb_json_set_int(work->op->result->data, "tabs_refused", (int64_t)refused);
    }
}

/* A page that came of an act is what was asked for, or an error that looks like it. */
static void add_status(struct tb_cdp_work *work, const struct tb_cdp_page *page)
{
    struct cJSON *data = work->op->result->data;
    double status = 0;
    if (work->navigated && !tb_json_get(data, "status")) {
        tb_json_num(tb_json_get(tb_cdp_page_arrived(page), "status"), &status);
    }
    if (status >= FAILED_STATUS) {
        tb_json_set_int(data, "status", (int64_t)status);
    }
}

/* All page keys but address and title. */
void tb_cdp_work_add_events(struct tb_cdp_work *work)
{
    struct cJSON *data = work->op->result->data;
    struct tb_cdp_page *page = tb_cdp_session_page(work->session);
    if (work->navigated) {
        tb_json_set_bool(data, "navigated", true);
    }
    if (page) {
        add_status(work, page);
        add_dialog(work, page);
        tb_cdp_chooser_tell(tb_cdp_page_chooser(page), data);
        add_loading(data, page);
    }
    if (work->requests.count) {
        tb_json_set_int(data, "requests_open", (int64_t)work->requests.count);
    }
    add_tabs(work);
    add_refused(work);
    const struct tb_cdp_journal *journal = &work->session->journal;
    tb_cdp_download_log_since(&journal->downloads, work->before.downloads, data);
    uint64_t errors = journal->console.errors - work->before.console_errors;
    if (errors) {
        tb_json_set_int(data, "console_errors", (int64_t)errors);
    }
}
