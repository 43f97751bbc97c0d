/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/memory.h"

#include <string.h>

#include "core/config.h"
#include "core/core.h"
#include "core/event.h"
#include "core/limits.h"
#include "core/url.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/op/refs.h"
#include "driver/cdp/op/work.h"
#include "proto/json_string.h"

enum {
    TOLD_MAX = 64 * 1024,
};

static void tab_free(struct tb_cdp_tab_memory *tab)
{
    tb_list_remove(&tab->link);
    tb_buf_fini(&tab->outline);
    tb_json_free(tab->arrived);
    tb_free(tab);
}

static void on_end(struct tb_cdp_page_listener *listener, void *user)
{
    struct tb_cdp_memory *memory = user;
    (void)listener;
    LIST_FOREACH_SAFE(link, &memory->tabs) {
        tab_free(TB_CONTAINER(link, struct tb_cdp_tab_memory, link));
    }
    tb_cdp_console_log_fini(&memory->console);
    tb_cdp_net_log_fini(&memory->net);
    tb_cdp_download_log_fini(&memory->downloads);
    tb_free(memory->directory);
    tb_json_free(memory->emulation);
    tb_free(memory);
}

static void cancel_download(const char *guid, void *owner)
{
    const struct tb_cdp_memory *memory = owner;
    const struct tb_cdp_browser *browser = memory->session->browser;
    if (browser && browser->conn) {
        TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(TOLD_MAX);
        tb_buf_printf(&params, "{\"guid\":\"%s\",\"browserContextId\":\"%s\"}", guid,
                      tb_cdp_session_context_id(memory->session));
        tb_cdp_post(browser->conn, NULL, "Browser.cancelDownload", tb_buf_str(&params));
    }
}

static void tell_download(const char *file, const char *url, int64_t bytes, void *owner)
{
    const struct tb_cdp_memory *memory = owner;
    TB_AUTO(tb_buf_fini) struct tb_buf shown = TB_BUF(TB_URL_SHOWN_MAX);
    tb_url_shown(tb_str_of(url), &shown);
    const struct tb_event event = {
        .type = TB_EVENT_DOWNLOAD_DONE,
        .fields = {tb_field_cstr("file", file), tb_field_number("bytes", bytes),
                   tb_field_text("url", tb_buf_str(&shown))},
    };
    tb_cdp_session_tell(memory->session, &event);
}

struct tb_cdp_download_rules tb_cdp_memory_rules(const struct tb_cdp_memory *memory)
{
    const struct tb_config *config = memory->session->fleet->core->config;
    return (struct tb_cdp_download_rules){
        .directory = memory->directory,
        .id = &memory->directory_id,
        .file_max_bytes = config->browser_download_max_bytes,
        .all_max_bytes = config->browser_downloads_max_bytes,
        .room_min_bytes = config->browser_downloads_room_min_bytes,
    };
}

static void on_download(struct tb_cdp_memory *memory, struct tb_str method, struct tb_str params)
{
    struct tb_cdp_download_rules rules = tb_cdp_memory_rules(memory);
    if (!memory->downloads.allowed) {
        rules.directory = NULL;
    }
    tb_cdp_download_log_on_event(&memory->downloads, &rules, method, params);
    if (memory->downloads.changed) {
        memory->downloads.changed = false;
        tb_cdp_files_note_downloads(memory);
    }
}

static void post(struct tb_cdp_page *page, const char *method, struct tb_str params)
{
    tb_cdp_post(tb_cdp_page_conn(page), tb_cdp_page_session_id(page), method, params);
}

static void watch(const struct tb_cdp_memory *memory, struct tb_cdp_page *page)
{
    if (memory->log_on) {
        post(page, "Log.enable", (struct tb_str){NULL, 0});
    }
    if (memory->net_on) {
        post(page, "Network.enable",
             TB_STR("{\"maxTotalBufferSize\":4194304,\"maxResourceBufferSize\":1048576,"
                    "\"maxPostDataSize\":65536}"));
    }
}

static void on_page(struct tb_cdp_page *page, void *user)
{
    struct tb_cdp_memory *memory = user;
    watch(memory, page);
    if (memory->emulation) {
        tb_cdp_emulation_apply(memory->emulation, page);
    }
}

static void keep_arrival_take(struct tb_cdp_memory *memory, struct tb_cdp_page *page,
                              struct cJSON *told)
{
    struct tb_cdp_tab_memory *tab = tb_cdp_memory_tab(memory, tb_cdp_page_target_id(page));
    tb_json_free(tab->arrived);
    tab->arrived = told;
    tab->arrived_mark = tb_cdp_page_navigation_mark(page);
}

static void on_told(struct tb_cdp_memory *memory, struct tb_cdp_page *page, struct tb_str params)
{
    TB_AUTO(tb_buf_fini) struct tb_buf text = TB_BUF(TOLD_MAX);
    if (!tb_str_eq_cstr(tb_cdp_pick(params, "name"), "\"tabardTell\"") ||
        tb_json_string_decode(tb_cdp_pick(params, "payload"), &text) < 0) {
        return;
    }
    struct cJSON *told = tb_json_parse(tb_buf_str(&text));
    tb_cdp_refs_told(memory, tb_json_get(told, "last"));
    if (memory->session->work) {
        tb_cdp_work_told(page, told, memory->session->work);
    }
    if (tb_json_get(told, "status")) {
        keep_arrival_take(memory, page, told);
    } else {
        tb_json_free(told);
    }
}

static void on_event(struct tb_cdp_page *page, const char *session_id, struct tb_str method,
                     struct tb_str params, void *user)
{
    struct tb_cdp_memory *memory = user;
    if (tb_str_eq_cstr(method, "Runtime.bindingCalled")) {
        on_told(memory, page, params);
    } else if (tb_str_starts(method, TB_STR("Fetch.")) || tb_str_starts(method, TB_STR("Input."))) {
        if (memory->on_event) {
            memory->on_event(page, method, params, memory->user);
        }
    } else if (tb_str_starts(method, TB_STR("Network."))) {
        tb_cdp_requests_on_event(memory->session, page, session_id, method, params);
        if (memory->net_on) {
            tb_cdp_net_log_on_event(&memory->net, session_id, method, params);
        }
    } else if (tb_str_starts(method, TB_STR("Page.download"))) {
        on_download(memory, method, params);
    } else {
        tb_cdp_console_log_on_event(&memory->console, tb_cdp_page_url(page), method, params);
    }
}

void tb_cdp_memory_on_download(struct tb_driver_session *session, struct tb_str method,
                               struct tb_str params)
{
    on_download(tb_cdp_memory_of(session), method, params);
}

struct tb_cdp_memory *tb_cdp_memory_of(struct tb_driver_session *session)
{
    LIST_FOREACH(link, &session->listeners) {
        struct tb_cdp_page_listener *listener =
            TB_CONTAINER(link, struct tb_cdp_page_listener, link);
        if (listener->on_end == on_end) {
            return listener->user;
        }
    }
    struct tb_cdp_memory *memory = TB_NEW(struct tb_cdp_memory);
    memory->session = session;
    memory->last_ref = session->last_ref;
    tb_list_init(&memory->tabs);
    tb_cdp_console_log_init(&memory->console);
    tb_cdp_net_log_init(&memory->net);
    tb_cdp_download_log_init(&memory->downloads);
    memory->downloads.cancel = cancel_download;
    memory->downloads.done = tell_download;
    memory->downloads.owner = memory;
    memory->listener = (struct tb_cdp_page_listener){
        .prefix = "", .on_page = on_page, .on_event = on_event, .on_end = on_end, .user = memory};
    tb_cdp_session_listen(session, &memory->listener);
    return memory;
}

struct tb_cdp_tab_memory *tb_cdp_memory_tab(struct tb_cdp_memory *memory, const char *target_id)
{
    struct tb_cdp_tab_memory *found = NULL;
    LIST_FOREACH_SAFE(link, &memory->tabs) {
        struct tb_cdp_tab_memory *tab = TB_CONTAINER(link, struct tb_cdp_tab_memory, link);
        if (strcmp(tab->target_id, target_id) == 0) {
            found = tab;
        } else if (!tb_cdp_session_page_by_target(memory->session, tb_str_of(tab->target_id))) {
            tab_free(tab);
        }
    }
    if (!found) {
        found = TB_NEW(struct tb_cdp_tab_memory);
        tb_cdp_target_id_copy(found->target_id, tb_str_of(target_id));
        tb_buf_init(&found->outline, TB_RESULT_TEXT_MAX);
        tb_list_append(&memory->tabs, &found->link);
    }
    return found;
}

const struct cJSON *tb_cdp_memory_arrived(struct tb_cdp_memory *memory,
                                          const struct tb_cdp_page *page)
{
    const struct tb_cdp_tab_memory *tab = tb_cdp_memory_tab(memory, tb_cdp_page_target_id(page));
    struct tb_str url;
    bool is_this = tab->arrived && tab->arrived_mark == tb_cdp_page_navigation_mark(page) &&
                   tb_json_str(tb_json_get(tab->arrived, "url"), &url) &&
                   tb_str_eq(url, tb_cdp_page_url(page));
    return is_this ? tab->arrived : NULL;
}

void tb_cdp_memory_keep_outline(struct tb_cdp_tab_memory *tab, struct tb_str outline)
{
    tb_buf_clear(&tab->outline);
    tb_buf_append_str(&tab->outline, outline);
}

static void watch_all(struct tb_cdp_memory *memory)
{
    for (size_t i = 0; i < tb_cdp_session_page_count(memory->session); i++) {
        watch(memory, tb_cdp_session_page_by_index(memory->session, i));
    }
}

void tb_cdp_memory_watch_log(struct tb_cdp_memory *memory)
{
    if (!memory->log_on) {
        memory->log_on = true;
        watch_all(memory);
    }
}

void tb_cdp_memory_watch_net(struct tb_cdp_memory *memory)
{
    if (!memory->net_on) {
        memory->net_on = true;
        watch_all(memory);
    }
}
