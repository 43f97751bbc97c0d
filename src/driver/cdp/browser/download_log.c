/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/download_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/quote.h"
#include "core/limits.h"
#include "driver/files.h"

enum {
    URL_MAX = 2048,
};

enum state {
    RUNNING,
    DONE,
    FAILED,
    REFUSED,
    LOST,
    STATE_COUNT,
};

struct item {
    struct tb_list link;
    uint64_t number;
    char *guid; /* the browser's name for it, and for its file */
    char *url;
    char *file;
    int64_t bytes;
    int64_t total;
    enum state state;
    char *reason; /* why it was refused or lost; NULL: it was not */
};

static const char *const state_words[] = {"running", "done", "failed", "refused", "lost"};

static struct item *item_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct item, link);
}

static void drop(struct tb_cdp_download_log *log, struct item *item)
{
    log->count--;
    log->unlisted_bytes += item->state == DONE ? item->bytes : 0;
    tb_list_remove(&item->link);
    tb_free(item->guid);
    tb_free(item->url);
    tb_free(item->file);
    tb_free(item->reason);
    tb_free(item);
}

void tb_cdp_download_log_init(struct tb_cdp_download_log *log)
{
    *log = (struct tb_cdp_download_log){.count = 0};
    tb_list_init(&log->items);
}

void tb_cdp_download_log_fini(struct tb_cdp_download_log *log)
{
    while (log->items.next && !tb_list_empty(&log->items)) {
        drop(log, item_of(log->items.next));
    }
}

static struct item *find(struct tb_cdp_download_log *log, struct tb_str guid)
{
    LIST_FOREACH(link, &log->items) {
        if (tb_str_eq_cstr(guid, item_of(link)->guid)) {
            return item_of(link);
        }
    }
    return NULL;
}

static int64_t bytes_of(const struct tb_cdp_download_log *log)
{
    int64_t bytes = log->unlisted_bytes;
    LIST_FOREACH(link, &log->items) {
        const struct item *item = item_of(link);
        bytes += item->state == DONE || item->state == RUNNING ? item->bytes : 0;
    }
    return bytes;
}

int tb_cdp_download_log_admit(const struct tb_cdp_download_log *log,
                              const struct tb_cdp_download_rules *rules, int64_t counted,
                              int64_t bytes, struct tb_err *err)
{
    if (!rules->folder) {
        return tb_fail(err, TB_E_DOWNLOAD_REFUSED, "%s", TB_DOWNLOADS_OFF);
    }
    if (!tb_files_same(rules->folder)) {
        return tb_fail(err, TB_E_NOT_POSSIBLE,
                       "the session's directory was replaced by something else");
    }
    if (rules->file_max_bytes && bytes > rules->file_max_bytes) {
        return tb_fail(err, TB_E_TOO_LARGE,
                       "larger than %" PRId64 " bytes, the limit of browser.download_max_bytes",
                       rules->file_max_bytes);
    }
    if (rules->all_max_bytes && bytes_of(log) - counted + bytes > rules->all_max_bytes) {
        return tb_fail(err, TB_E_TOO_LARGE,
                       "all files of the session would be larger than %" PRId64
                       " bytes, the limit of browser.downloads_max_bytes",
                       rules->all_max_bytes);
    }
    if (tb_files_room(rules->folder) < rules->room_min_bytes) {
        return tb_fail(err, TB_E_STORE,
                       "fewer than %" PRId64
                       " bytes are left on the disk (browser.downloads_room_min_bytes)",
                       rules->room_min_bytes);
    }
    return 0;
}

void tb_cdp_download_log_words(const struct tb_cdp_download_log *log, struct tb_str url,
                               struct tb_err *ret_err)
{
    struct tb_quoted shown;
    tb_fail(ret_err, log->allowed ? TB_E_DOWNLOAD : TB_E_DOWNLOAD_REFUSED,
            "%s is a download, not a page%s",
            url.len ? tb_quoted_url(&shown, url) : "the content there",
            log->allowed ? "" : "; it was refused: " TB_DOWNLOADS_OFF);
}

static void refuse(struct tb_cdp_download_log *log, struct item *item,
                   const struct tb_cdp_download_rules *rules, const struct tb_err *why)
{
    item->reason = tb_strdup(why->text);
    item->state = REFUSED;
    log->changed = true;
    if (rules->folder && log->cancel) {
        log->cancel(item->guid, log->owner);
    }
}

/* True when it may go on. */
static bool check(struct tb_cdp_download_log *log, struct item *item,
                  const struct tb_cdp_download_rules *rules)
{
    struct tb_err err;
    int64_t bytes = item->bytes > item->total ? item->bytes : item->total;
    int rc = tb_cdp_download_log_admit(log, rules, item->bytes, bytes, &err);
    if (rc == 0 && log->begun > TB_DOWNLOADS_MAX) {
        rc = tb_fail(&err, TB_E_TOO_LARGE, "the session has reached its limit of %d downloads",
                     TB_DOWNLOADS_MAX);
    }
    if (rc == 0) {
        return true;
    }
    refuse(log, item, rules, &err);
    return false;
}

/* The oldest that has ended; NULL: all run. */
static struct item *find_ended(struct tb_cdp_download_log *log)
{
    LIST_FOREACH(link, &log->items) {
        if (item_of(link)->state != RUNNING) {
            return item_of(link);
        }
    }
    return NULL;
}

/* Those that run keep their records: by them they are stopped when they become too large. */
static void add(struct tb_cdp_download_log *log, struct item *item)
{
    item->number = log->begun++;
    log->changed = true;
    tb_list_append(&log->items, &item->link);
    log->count++;
    struct item *ended;
    while (log->count > TB_DOWNLOADS_KEPT && (ended = find_ended(log))) {
        drop(log, ended);
    }
}

/* The guid becomes the name of a file and a part of a command. */
static void on_begin(struct tb_cdp_download_log *log, const struct tb_cdp_download_rules *rules,
                     const struct cJSON *params)
{
    struct tb_str guid = tb_json_text(params, "guid");
    if (!tb_files_name_plain(guid) || find(log, guid)) {
        return;
    }
    struct item *item = TB_NEW(struct item);
    char name[TB_FILE_NAME_SIZE];
    tb_files_name_clean(tb_json_text(params, "suggestedFilename"), name);
    item->guid = tb_str_dup(guid);
    item->url = tb_str_dup(tb_str_sub(tb_json_text(params, "url"), 0, URL_MAX));
    item->file = tb_strdup(name);
    item->state = RUNNING;
    add(log, item);
    if (check(log, item, rules) && log->count > TB_DOWNLOADS_KEPT) {
        struct tb_err err;
        tb_fail(&err, TB_E_TOO_LARGE, "the session has reached its limit of %d downloads at once",
                TB_DOWNLOADS_KEPT);
        refuse(log, item, rules, &err);
    }
}

static void finish(struct tb_cdp_download_log *log, struct item *item,
                   const struct tb_cdp_download_rules *rules)
{
    char name[TB_FILE_NAME_SIZE];
    snprintf(name, sizeof(name), "%s", item->file);
    log->changed = true;
    if (tb_files_rename(rules->folder, item->guid, name) < 0) {
        item->state = FAILED;
        return;
    }
    item->state = DONE;
    tb_free(item->file);
    item->file = tb_strdup(name);
    if (log->done) {
        log->done(item->file, item->url, item->bytes, log->owner);
    }
}

static void on_progress(struct tb_cdp_download_log *log, const struct tb_cdp_download_rules *rules,
                        const struct cJSON *params)
{
    struct item *item = find(log, tb_json_text(params, "guid"));
    struct tb_str state = tb_json_text(params, "state");
    bool whole = tb_str_eq_cstr(state, "completed");
    if (!item || item->state != RUNNING) {
        return;
    }
    tb_json_int(tb_json_get(params, "receivedBytes"), &item->bytes);
    tb_json_int(tb_json_get(params, "totalBytes"), &item->total);
    if (tb_str_eq_cstr(state, "canceled")) {
        item->state = FAILED;
        log->changed = true;
    } else if (!check(log, item, rules)) {
        /* Between two checks it may have become too large and whole. */
        if (whole && rules->folder && tb_files_same(rules->folder)) {
            tb_files_delete(rules->folder, item->guid);
        }
    } else if (whole) {
        finish(log, item, rules);
    }
}

void tb_cdp_download_log_on_event(struct tb_cdp_download_log *log,
                                  const struct tb_cdp_download_rules *rules, struct tb_str method,
                                  struct tb_str params)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(params);
    if (tb_str_eq_cstr(method, "Page.downloadWillBegin")) {
        on_begin(log, rules, json);
    } else if (tb_str_eq_cstr(method, "Page.downloadProgress") ||
               tb_str_eq_cstr(method, "Browser.downloadProgress")) {
        on_progress(log, rules, json);
    }
    if (log->on_change) {
        log->on_change(log->user);
    }
}

void tb_cdp_download_log_forget(struct tb_cdp_download_log *log, const void *user)
{
    if (log->user == user) {
        log->on_change = NULL;
        log->user = NULL;
    }
}

bool tb_cdp_download_log_busy(const struct tb_cdp_download_log *log)
{
    LIST_FOREACH(link, &log->items) {
        if (item_of(link)->state == RUNNING) {
            return true;
        }
    }
    return false;
}

static struct cJSON *describe(const struct item *item)
{
    struct cJSON *json = tb_json_new_object();
    tb_json_set_cstr(json, "file", item->file);
    tb_json_set_cstr(json, "url", item->url);
    tb_json_set_int(json, "bytes", item->bytes);
    tb_json_set_int(json, "total", item->total);
    tb_json_set_cstr(json, "state", state_words[item->state]);
    if (item->reason) {
        tb_json_set_cstr(json, "reason", item->reason);
    }
    return json;
}

struct cJSON *tb_cdp_download_log_list(const struct tb_cdp_download_log *log, const char *directory)
{
    struct cJSON *list = tb_json_new_array();
    LIST_FOREACH(link, &log->items) {
        const struct item *item = item_of(link);
        struct cJSON *json = describe(item);
        if (item->state == DONE && directory) {
            TB_AUTO(tb_free) char *path = tb_strdupf("%s/%s", directory, item->file);
            tb_json_set_cstr(json, "path", path);
        }
        tb_json_append_take(list, json);
    }
    return list;
}

/* Keeping. */

void tb_cdp_download_log_write(const struct tb_cdp_download_log *log, struct tb_buf *out)
{
    TB_AUTO(tb_json_free) struct cJSON *kept = tb_json_new_object();
    struct cJSON *list = tb_json_new_array();
    struct tb_json_writer json;
    tb_json_set_int(kept, "begun", (int64_t)log->begun);
    tb_json_set_int(kept, "unlisted_bytes", log->unlisted_bytes);
    tb_json_set_take(kept, "downloads", list);
    LIST_FOREACH(link, &log->items) {
        struct cJSON *item = describe(item_of(link));
        tb_json_set_cstr(item, "guid", item_of(link)->guid);
        tb_json_append_take(list, item);
    }
    tb_json_writer_init(&json, out);
    tb_json_put_tree(&json, kept);
}

static enum state state_of(struct tb_str word)
{
    for (int i = 0; i < STATE_COUNT; i++) {
        if (tb_str_eq_cstr(word, state_words[i])) {
            return (enum state)i;
        }
    }
    return LOST;
}

/* What the directory does not have, the session does not have. */
static void check_kept(struct item *item, const struct tb_files_folder *folder)
{
    if (item->state == RUNNING) {
        item->state = LOST;
        item->reason = tb_strdup("its browser ended before the download was complete");
        tb_files_delete(folder, item->guid);
    } else if (item->state == DONE && !tb_files_has(folder, item->file)) {
        item->state = LOST;
        item->reason = tb_strdup("the file is gone");
    }
}

static void recall(struct tb_cdp_download_log *log, const struct tb_files_folder *folder,
                   const struct cJSON *kept)
{
    struct tb_str guid = tb_json_text(kept, "guid");
    struct tb_str file = tb_json_text(kept, "file");
    struct tb_str reason = tb_str_sub(tb_json_text(kept, "reason"), 0, URL_MAX);
    if (!tb_files_name_plain(guid) || !tb_files_name_plain(file) || find(log, guid)) {
        return;
    }
    struct item *item = TB_NEW(struct item);
    item->guid = tb_str_dup(guid);
    item->url = tb_str_dup(tb_str_sub(tb_json_text(kept, "url"), 0, URL_MAX));
    item->file = tb_str_dup(file);
    item->state = state_of(tb_json_text(kept, "state"));
    item->reason = reason.len ? tb_str_dup(reason) : NULL;
    tb_json_int(tb_json_get(kept, "bytes"), &item->bytes);
    tb_json_int(tb_json_get(kept, "total"), &item->total);
    check_kept(item, folder);
    add(log, item);
}

static int64_t sum_at(const struct cJSON *json, const char *key)
{
    int64_t sum = 0;
    tb_json_int(tb_json_get(json, key), &sum);
    return sum > 0 ? sum : 0;
}

/* It lies where the browser can write, so it is looked at like anything that comes from there. */
void tb_cdp_download_log_recall(struct tb_cdp_download_log *log,
                                const struct tb_files_folder *folder, struct tb_str text)
{
    TB_AUTO(tb_json_free) struct cJSON *kept = tb_json_parse(text);
    JSON_ARRAY_FOREACH(item, tb_json_get(kept, "downloads")) {
        recall(log, folder, item);
    }
    uint64_t begun = (uint64_t)sum_at(kept, "begun");
    log->begun = begun > log->begun ? begun : log->begun;
    log->unlisted_bytes += sum_at(kept, "unlisted_bytes");
    log->listed = log->begun;
}

void tb_cdp_download_log_since(const struct tb_cdp_download_log *log, uint64_t begun,
                               struct cJSON *data)
{
    struct cJSON *list = NULL;
    LIST_FOREACH(link, &log->items) {
        const struct item *item = item_of(link);
        if (item->number < begun) {
            continue;
        }
        if (!list) {
            list = tb_json_new_array();
        }
        struct cJSON *json = tb_json_new_object();
        tb_json_set_cstr(json, "file", item->file);
        tb_json_set_cstr(json, "state", state_words[item->state]);
        if (item->reason) {
            tb_json_set_cstr(json, "reason", item->reason);
        }
        if (item->reason && strcmp(item->reason, TB_DOWNLOADS_OFF) == 0) {
            tb_json_set_bool(json, "off", true);
        }
        tb_json_append_take(list, json);
    }
    if (list) {
        tb_json_set_take(data, "downloads", list);
    }
}
