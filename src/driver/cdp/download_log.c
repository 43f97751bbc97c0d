/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/download_log.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "core/limits.h"
#include "driver/cdp/files.h"

enum state {
    RUNNING,
    DONE,
    FAILED,
    REFUSED,
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
    char *reason; /* why it was refused; NULL: it was not */
};

static const char *const state_words[] = {"running", "done", "failed", "refused"};

static struct item *item_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct item, link);
}

static void drop(struct tb_download_log *log, struct item *item)
{
    log->count--;
    log->dropped_bytes += item->state == DONE ? item->bytes : 0;
    tb_list_remove(&item->link);
    tb_free(item->guid);
    tb_free(item->url);
    tb_free(item->file);
    tb_free(item->reason);
    tb_free(item);
}

void tb_download_log_init(struct tb_download_log *log)
{
    *log = (struct tb_download_log){.count = 0};
    tb_list_init(&log->items);
}

void tb_download_log_fini(struct tb_download_log *log)
{
    while (log->items.next && !tb_list_empty(&log->items)) {
        drop(log, item_of(log->items.next));
    }
}

static struct tb_str text_at(const struct cJSON *json, const char *key)
{
    struct tb_str text = {NULL, 0};
    tb_json_str(tb_json_get(json, key), &text);
    return text;
}

static struct item *find(struct tb_download_log *log, struct tb_str guid)
{
    LIST_FOREACH(link, &log->items) {
        if (tb_str_eq_cstr(guid, item_of(link)->guid)) {
            return item_of(link);
        }
    }
    return NULL;
}

static int64_t bytes_of(const struct tb_download_log *log)
{
    int64_t bytes = log->dropped_bytes;
    LIST_FOREACH(link, &log->items) {
        const struct item *item = item_of(link);
        bytes += item->state == DONE || item->state == RUNNING ? item->bytes : 0;
    }
    return bytes;
}

/* NULL: nothing is in its way. */
static char *why_not(const struct tb_download_log *log, const struct item *item,
                     const struct tb_download_rules *rules)
{
    int64_t bytes = item->bytes > item->total ? item->bytes : item->total;
    if (!rules->directory) {
        return tb_strdup("the session keeps no files");
    }
    if (!tb_files_same(rules->directory, rules->id)) {
        return tb_strdup("the session's directory was replaced by something else");
    }
    if (log->begun > TB_DOWNLOADS_MAX) {
        return tb_strdupf("the session has reached its limit of %d downloads", TB_DOWNLOADS_MAX);
    }
    if (rules->file_max_bytes && bytes > rules->file_max_bytes) {
        return tb_strdupf("larger than %" PRId64 " bytes, the limit of browser.download_max_bytes",
                          rules->file_max_bytes);
    }
    if (rules->all_max_bytes && bytes_of(log) - item->bytes + bytes > rules->all_max_bytes) {
        return tb_strdupf("all downloads of the session would be larger than %" PRId64
                          " bytes, the limit of browser.downloads_max_bytes",
                          rules->all_max_bytes);
    }
    if (tb_files_room(rules->directory) < rules->room_min_bytes) {
        return tb_strdupf("fewer than %" PRId64
                          " bytes are left on the disk (browser.downloads_room_min_bytes)",
                          rules->room_min_bytes);
    }
    return NULL;
}

/* True when it may go on. */
static bool check(struct tb_download_log *log, struct item *item,
                  const struct tb_download_rules *rules)
{
    item->reason = why_not(log, item, rules);
    if (item->reason) {
        item->state = REFUSED;
        if (rules->directory && log->cancel) {
            log->cancel(item->guid, log->owner);
        }
    }
    return !item->reason;
}

/* The guid becomes the name of a file and a part of a command. */
static void on_begin(struct tb_download_log *log, const struct tb_download_rules *rules,
                     const struct cJSON *params)
{
    struct tb_str guid = text_at(params, "guid");
    if (!tb_file_name_plain(guid) || find(log, guid)) {
        return;
    }
    struct item *item = TB_NEW(struct item);
    char name[TB_FILE_NAME_SIZE];
    tb_file_name_clean(text_at(params, "suggestedFilename"), name);
    item->number = log->begun++;
    item->guid = tb_str_dup(guid);
    item->url = tb_str_dup(tb_str_sub(text_at(params, "url"), 0, 2048));
    item->file = tb_strdup(name);
    item->state = RUNNING;
    tb_list_append(&log->items, &item->link);
    check(log, item, rules);
    if (++log->count > TB_DOWNLOADS_KEPT) {
        drop(log, item_of(log->items.next));
    }
}

static void finish(struct tb_download_log *log, struct item *item,
                   const struct tb_download_rules *rules)
{
    char name[TB_FILE_NAME_SIZE];
    snprintf(name, sizeof(name), "%s", item->file);
    if (tb_files_rename(rules->directory, item->guid, name) < 0) {
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

static void on_progress(struct tb_download_log *log, const struct tb_download_rules *rules,
                        const struct cJSON *params)
{
    struct item *item = find(log, text_at(params, "guid"));
    struct tb_str state = text_at(params, "state");
    bool whole = tb_str_eq_cstr(state, "completed");
    if (!item || item->state != RUNNING) {
        return;
    }
    tb_json_int(tb_json_get(params, "receivedBytes"), &item->bytes);
    tb_json_int(tb_json_get(params, "totalBytes"), &item->total);
    if (tb_str_eq_cstr(state, "canceled")) {
        item->state = FAILED;
    } else if (!check(log, item, rules)) {
        /* Between two checks it may have become too large and whole. */
        if (whole && rules->directory && tb_files_same(rules->directory, rules->id)) {
            tb_files_delete(rules->directory, item->guid);
        }
    } else if (whole) {
        finish(log, item, rules);
    }
}

void tb_download_log_on_event(struct tb_download_log *log, const struct tb_download_rules *rules,
                              struct tb_str method, struct tb_str params)
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

void tb_download_log_forget(struct tb_download_log *log, const void *user)
{
    if (log->user == user) {
        log->on_change = NULL;
        log->user = NULL;
    }
}

bool tb_download_log_busy(const struct tb_download_log *log)
{
    LIST_FOREACH(link, &log->items) {
        if (item_of(link)->state == RUNNING) {
            return true;
        }
    }
    return false;
}

struct cJSON *tb_download_log_list(const struct tb_download_log *log, const char *directory)
{
    struct cJSON *list = tb_json_new_array();
    LIST_FOREACH(link, &log->items) {
        const struct item *item = item_of(link);
        struct cJSON *json = tb_json_new_object();
        tb_json_set_cstr(json, "file", item->file);
        if (item->state == DONE && directory) {
            TB_AUTO(tb_free) char *path = tb_strdupf("%s/%s", directory, item->file);
            tb_json_set_cstr(json, "path", path);
        }
        tb_json_set_cstr(json, "url", item->url);
        tb_json_set_int(json, "bytes", item->bytes);
        tb_json_set_int(json, "total", item->total);
        tb_json_set_cstr(json, "state", state_words[item->state]);
        if (item->reason) {
            tb_json_set_cstr(json, "reason", item->reason);
        }
        tb_json_append_take(list, json);
    }
    return list;
}

void tb_download_log_since(const struct tb_download_log *log, uint64_t begun, struct cJSON *data)
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
        tb_json_append_take(list, json);
    }
    if (list) {
        tb_json_set_take(data, "downloads", list);
    }
}
