/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/journal.h"

#include "core/config.h"
#include "core/core.h"
#include "core/event.h"
#include "core/limits.h"
#include "core/url.h"
#include "driver/cdp/browser/folder.h"
#include "driver/cdp/browser/session_internal.h"

enum {
    PARAMS_MAX = 64 * 1024,
};

static void cancel_download(const char *guid, void *owner)
{
    const struct tb_driver_session *session = owner;
    const struct tb_cdp_browser *browser = session->browser;
    if (browser && browser->peer.conn) {
        TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
        tb_buf_printf(&params, "{\"guid\":\"%s\",\"browserContextId\":\"%s\"}", guid,
                      tb_cdp_session_context_id(session));
        tb_cdp_post(browser->peer.conn, NULL, "Browser.cancelDownload", tb_buf_str(&params));
    }
}

static void tell_download(const char *file, const char *url, int64_t bytes, void *owner)
{
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(TB_URL_SHOWN_MAX);
    tb_url_shown(tb_str_of(url), &shown);
    const struct tb_event event = {
        .type = TB_EVENT_DOWNLOAD_DONE,
        .fields = {tb_field_cstr("file", file), tb_field_number("bytes", bytes),
                   tb_field_text("url", tb_buf_str(&shown))},
    };
    tb_cdp_session_tell(owner, &event);
}

void tb_cdp_journal_init(struct tb_driver_session *session)
{
    struct tb_cdp_journal *journal = &session->journal;
    tb_cdp_console_log_init(&journal->console);
    tb_cdp_net_log_init(&journal->net);
    tb_cdp_download_log_init(&journal->downloads);
    journal->downloads.cancel = cancel_download;
    journal->downloads.done = tell_download;
    journal->downloads.owner = session;
}

void tb_cdp_journal_fini(struct tb_cdp_journal *journal)
{
    tb_cdp_console_log_fini(&journal->console);
    tb_cdp_net_log_fini(&journal->net);
    tb_cdp_download_log_fini(&journal->downloads);
}

struct tb_cdp_download_rules tb_cdp_journal_rules(const struct tb_driver_session *session)
{
    const struct tb_config *config = session->fleet->core->config;
    return (struct tb_cdp_download_rules){
        .folder = session->folder.path ? &session->folder : NULL,
        .file_max_bytes = config->browser_download_max_bytes,
        .all_max_bytes = config->browser_downloads_max_bytes,
        .room_min_bytes = config->browser_downloads_room_min_bytes,
    };
}

void tb_cdp_journal_on_download(struct tb_driver_session *session, struct tb_str method,
                                struct tb_str params)
{
    struct tb_cdp_download_log *log = &session->journal.downloads;
    struct tb_cdp_download_rules rules = tb_cdp_journal_rules(session);
    int64_t max = tb_cdp_session_file_max(session, false);
    if (!log->allowed || max == 0) {
        rules.folder = NULL;
    }
    if (max > 0 && (!rules.file_max_bytes || max < rules.file_max_bytes)) {
        rules.file_max_bytes = max;
    }
    tb_cdp_download_log_on_event(log, &rules, method, params);
    if (log->changed) {
        log->changed = false;
        tb_cdp_folder_note_downloads(session);
    }
}

static void post(struct tb_cdp_page *page, const char *method, struct tb_str params)
{
    tb_cdp_post(tb_cdp_page_conn(page), tb_cdp_page_session_id(page), method, params);
}

void tb_cdp_journal_on_page(const struct tb_cdp_journal *journal, struct tb_cdp_page *page)
{
    if (journal->log_on) {
        post(page, "Log.enable", (struct tb_str){NULL, 0});
    }
    if (journal->net_on) {
        post(page, "Network.enable",
             TB_STR("{\"maxTotalBufferSize\":4194304,\"maxResourceBufferSize\":1048576,"
                    "\"maxPostDataSize\":65536}"));
    }
}

void tb_cdp_journal_on_event(struct tb_driver_session *session, const struct tb_cdp_page *page,
                             const char *session_id, struct tb_str method, struct tb_str params)
{
    struct tb_cdp_journal *journal = &session->journal;
    if (tb_str_starts(method, TB_STR("Network."))) {
        if (journal->net_on) {
            tb_cdp_net_log_on_event(&journal->net, session_id, method, params);
        }
    } else if (tb_str_starts(method, TB_STR("Page.download"))) {
        tb_cdp_journal_on_download(session, method, params);
    } else {
        tb_cdp_console_log_on_event(&journal->console, tb_cdp_page_url(page), method, params);
    }
}

static void watch_all(struct tb_driver_session *session)
{
    for (size_t i = 0; i < tb_cdp_session_page_count(session); i++) {
        tb_cdp_journal_on_page(&session->journal, tb_cdp_session_page_by_index(session, i));
    }
}

void tb_cdp_journal_watch_log(struct tb_driver_session *session)
{
    if (!session->journal.log_on) {
        session->journal.log_on = true;
        watch_all(session);
    }
}

void tb_cdp_journal_watch_net(struct tb_driver_session *session)
{
    if (!session->journal.net_on) {
        session->journal.net_on = true;
        session->use.keeps_network = true;
        watch_all(session);
    }
}
