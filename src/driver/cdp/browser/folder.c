/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/folder.h"

#include "base/json.h"
#include "base/mem.h"
#include "driver/cdp/browser/journal.h"
#include "driver/cdp/browser/ownership.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/files.h"

enum {
    PARAMS_MAX = 2048,
    NOTES_MAX = 1024 * 1024,
};

/* What is known of downloads, beside them. No page can give a file this name. */
static const char notes[] = ".downloads";

static void recall_downloads(struct tb_driver_session *session)
{
    const struct tb_files_folder *folder = &session->folder;
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(NOTES_MAX);
    if (tb_files_read(folder, notes, &text) == 0) {
        tb_cdp_download_log_recall(&session->journal.downloads, folder, tb_buf_str(&text));
    }
}

void tb_cdp_folder_note_downloads(const struct tb_driver_session *session)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(NOTES_MAX);
    const struct tb_files_folder *folder = &session->folder;
    if (!folder->path) {
        return;
    }
    tb_cdp_download_log_write(&session->journal.downloads, &text);
    tb_files_replace(folder, notes, tb_buf_str(&text));
}

static const char *known_directory(const struct tb_files_folder *folder, struct tb_err *err)
{
    if (tb_files_same(folder)) {
        return folder->path;
    }
    tb_fail(err, TB_E_NOT_POSSIBLE,
            "the session's directory was replaced by something else, so no file can go in or out; "
            "start a new session to work with files");
    return NULL;
}

const char *tb_cdp_folder_path(struct tb_driver_session *session, struct tb_err *err)
{
    struct tb_files_folder *folder = &session->folder;
    if (folder->path) {
        return known_directory(folder, err);
    }
    const struct tb_cdp_browser *browser = session->browser;
    const char *profile = browser ? browser->ownership->profile(browser) : NULL;
    if (!profile) {
        tb_fail(err, TB_E_NOT_POSSIBLE,
                "this session has no directory for files, because the daemon did not start its "
                "browser");
        return NULL;
    }
    if (tb_files_make(tb_launcher_root(session->fleet->launcher), session->id, profile, folder,
                      err) < 0) {
        return NULL;
    }
    recall_downloads(session);
    return folder->path;
}

bool tb_cdp_folder_keep_downloads(struct tb_driver_session *session, struct tb_err *err)
{
    struct tb_cdp_download_log *log = &session->journal.downloads;
    const char *directory = tb_cdp_folder_path(session, err);
    if (!directory) {
        return false;
    }
    if (log->allowed) {
        return true;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_cstr(&json, "behavior", "allowAndName");
    tb_json_member_cstr(&json, "browserContextId", tb_cdp_session_context_id(session));
    tb_json_member_cstr(&json, "downloadPath", directory);
    tb_json_member_bool(&json, "eventsEnabled",
                        true); /* those of a tab end with it, its downloads do not */
    tb_json_object_close(&json);
    /* No need to wait: whatever is asked for later, the browser does later. */
    tb_cdp_post(session->browser->peer.conn, NULL, "Browser.setDownloadBehavior",
                tb_buf_str(&params));
    log->allowed = true;
    return true;
}

int tb_cdp_folder_add(struct tb_driver_session *session, const char *name, struct tb_str content,
                      struct tb_err *err)
{
    struct tb_err why = {0};
    struct tb_cdp_download_log *log = &session->journal.downloads;
    const struct tb_files_folder *folder = &session->folder;
    if (!tb_cdp_folder_path(session, &why)) {
        return tb_fail(err, why.code, "%s", why.text);
    }
    const struct tb_cdp_download_rules rules = tb_cdp_journal_rules(session);
    int64_t before = tb_files_size(folder, name);
    before = before > 0 ? before : 0;
    int rc = tb_cdp_download_log_admit(log, &rules, before, (int64_t)content.len, &why);
    if (rc < 0) {
        return tb_fail(err, rc, "cannot write %s: %s", name, why.text);
    }
    rc = tb_files_write(folder, name, content, err);
    if (rc == 0) {
        log->unlisted_bytes += (int64_t)content.len - before;
        tb_cdp_folder_note_downloads(session);
    }
    return rc;
}
