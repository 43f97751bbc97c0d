/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/download_log.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "driver/cdp/files.h"

enum state {
    RUNNING,
    DONE,
    FAILED,
    REFUSED, /* the session keeps no files */
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
};

static const char *const state_words[] = {"running", "done", "failed", "refused"};

static struct item *item_of(struct tb_list *link)
{
    return TB_CONTAINER(link, struct item, link);
}

static void drop(struct tb_download_log *log, struct item *item)
{
    log->count--;
    tb_list_remove(&item->link);
    tb_free(item->guid);
    tb_free(item->url);
    tb_free(item->file);
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

static void on_begin(struct tb_download_log *log, const char *directory, const struct cJSON *params)
{
    struct tb_str guid = text_at(params, "guid");
    if (!guid.len || find(log, guid)) {
        return;
    }
    struct item *item = TB_NEW(struct item);
    char name[TB_FILE_NAME_SIZE];
    tb_file_name_clean(text_at(params, "suggestedFilename"), name);
    item->number = log->begun++;
    item->guid = tb_str_dup(guid);
    item->url = tb_str_dup(tb_str_sub(text_at(params, "url"), 0, 2048));
    item->file = tb_strdup(name);
    item->state = directory ? RUNNING : REFUSED;
    tb_list_append(&log->items, &item->link);
    if (++log->count > TB_DOWNLOADS_KEPT) {
        drop(log, item_of(log->items.next));
    }
}

static void on_progress(struct tb_download_log *log, const char *directory,
                        const struct cJSON *params)
{
    struct item *item = find(log, text_at(params, "guid"));
    struct tb_str state = text_at(params, "state");
    double number;
    if (!item || item->state != RUNNING) {
        return;
    }
    if (tb_json_num(tb_json_get(params, "receivedBytes"), &number)) {
        item->bytes = (int64_t)number;
    }
    if (tb_json_num(tb_json_get(params, "totalBytes"), &number)) {
        item->total = (int64_t)number;
    }
    if (tb_str_eq_cstr(state, "canceled")) {
        item->state = FAILED;
    } else if (tb_str_eq_cstr(state, "completed")) {
        char name[TB_FILE_NAME_SIZE];
        snprintf(name, sizeof(name), "%s", item->file);
        bool named = directory && tb_files_rename(directory, item->guid, name) == 0;
        item->state = named ? DONE : FAILED;
        if (named) {
            tb_free(item->file);
            item->file = tb_strdup(name);
        }
    }
}

void tb_download_log_on_event(struct tb_download_log *log, const char *directory,
                              struct tb_str method, struct tb_str params)
{
    TB_AUTO(tb_json_free) struct cJSON *json = tb_json_parse(params);
    if (tb_str_eq_cstr(method, "Page.downloadWillBegin")) {
        on_begin(log, directory, json);
    } else if (tb_str_eq_cstr(method, "Page.downloadProgress")) {
        on_progress(log, directory, json);
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
