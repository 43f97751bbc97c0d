/* SPDX-License-Identifier: Apache-2.0 */
/* Bringing a session back:
 *
 *   COOKIES -> TABS are opened -> SITES: the first tab takes each site without a tab in turn, with
 *   an empty page that we give it ourselves -> all tabs LOAD -> done
 *
 * A tab gets its storage from a script that runs in a world of its own before the page's first
 * script, once. Sites never see each other's storage, nor a visit that nobody made. */
#include <string.h>

#include "base/json.h"
#include "driver/cdp/address.h"
#include "driver/cdp/emulation.h"
#include "driver/cdp/kept.h"
#include "driver/cdp/login_state.h"
#include "driver/cdp/memory.h"
#include "driver/cdp/opwork.h"
#include "driver/cdp/session_internal.h"

enum {
    PARAMS_MAX = 4 * TB_LOGIN_STATE_MAX,
    WORDS_MAX = 2000,
};

struct tab {
    struct tb_restore *restore;
    const struct cJSON *kept;
    char target_id[TB_TARGET_ID_SIZE];
    char *script;  /* the browser's name for it, with its quotes */
    uint64_t mark; /* before its navigation */
};

struct tb_restore {
    struct tb_driver_session *session;
    void (*done)(struct tb_driver_session *session);
    int64_t deadline_ms;
    struct cJSON *saved;
    uint64_t command; /* to the browser itself */
    size_t count;
    size_t opened;
    size_t loading;
    const struct cJSON *site;         /* that the first tab is to take */
    struct tb_page_listener listener; /* while sites are filled */
    struct tb_deferred ended;
    struct tb_buf words;
    struct tab tabs[];
};

static void show_site(struct tb_restore *restore);

static struct tb_page *page_of(const struct tab *tab)
{
    return tb_session_page_by_target(tab->restore->session, tb_str_of(tab->target_id));
}

/* The end. */

static void restore_free(struct tb_restore *restore)
{
    struct tb_driver_session *session = restore->session;
    if (restore->command && session->browser && session->browser->conn) {
        tb_cdp_forget(session->browser->conn, restore->command);
    }
    tb_session_tab_waits_drop(session, restore, false);
    tb_session_forget(session, restore);
    for (size_t i = 0; i < restore->count; i++) {
        tb_session_forget(session, &restore->tabs[i]);
        tb_free(restore->tabs[i].script);
    }
    tb_page_listener_remove(&restore->listener);
    tb_deferred_cancel(&restore->ended);
    tb_buf_fini(&restore->words);
    tb_json_free(restore->saved);
    tb_free(restore);
}

void tb_restore_drop(struct tb_driver_session *session)
{
    if (session->restore) {
        restore_free(session->restore);
        session->restore = NULL;
    }
}

static void on_ended(struct tb_deferred *job)
{
    struct tb_restore *restore = TB_CONTAINER(job, struct tb_restore, ended);
    struct tb_driver_session *session = restore->session;
    void (*done)(struct tb_driver_session *) = restore->done;
    int64_t current = 0;
    tb_json_int(tb_json_get(restore->saved, "current"), &current);
    struct tb_page *page = tb_session_page_by_index(session, (size_t)current);
    if (page && page != tb_session_page(session)) {
        tb_session_page_select(session, page);
    }
    if (restore->words.len) {
        session->restored = tb_str_dup(tb_buf_str(&restore->words));
    }
    tb_restore_drop(session);
    done(session);
}

static void end(struct tb_restore *restore)
{
    tb_loop_defer(tb_session_loop(restore->session), &restore->ended);
}

const char *tb_cdp_session_restored(struct tb_driver_session *session)
{
    return session->restored;
}

static void print_param(const char *name, struct tb_str text, struct tb_buf *out)
{
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    tb_json_key(&json, name);
    tb_json_put_str(&json, text);
    tb_json_object_close(&json);
}

/* Words. */

static void note_losses(struct tb_restore *restore)
{
    int64_t typed = 0;
    int64_t databases = 0;
    bool history = false;
    JSON_ARRAY_FOREACH(kept, tb_json_get(restore->saved, "tabs")) {
        int64_t count = 0;
        typed += tb_json_int(tb_json_get(kept, "typed"), &count) ? count : 0;
        databases += tb_json_int(tb_json_get(kept, "databases"), &count) ? count : 0;
        history = history || (tb_json_int(tb_json_get(kept, "history"), &count) && count > 2);
    }
    if (typed) {
        tb_buf_printf(&restore->words, "What was typed into %lld field%s is lost. ",
                      (long long)typed, typed == 1 ? "" : "s");
    }
    if (databases) {
        tb_buf_append_cstr(&restore->words, "What pages kept in IndexedDB is lost. ");
    }
    if (history) {
        tb_buf_append_cstr(&restore->words, "There is nothing to go back to in the tabs. ");
    }
}

static void note_failure(struct tb_restore *restore, const struct tab *tab, const char *why)
{
    struct tb_str url = {NULL, 0};
    tb_json_str(tb_json_get(tab->kept, "url"), &url);
    tb_buf_printf(&restore->words, "Tab %zu (%.*s) could not be loaded: %s. ",
                  (size_t)(tab - restore->tabs), TB_STR_ARG(tb_str_sub(url, 0, 200)), why);
}

/* Tabs. */

static void tab_done(struct tab *tab)
{
    struct tb_page *page = page_of(tab);
    if (page && tab->script) {
        TB_AUTO(tb_buf_fini) struct tb_buf params;
        tb_buf_init(&params, 1024);
        tb_buf_printf(&params, "{\"identifier\":%s}", tab->script);
        tb_cdp_post(tb_page_conn(page), tb_page_session_id(page),
                    "Page.removeScriptToEvaluateOnNewDocument", tb_buf_str(&params));
    }
    if (--tab->restore->loading == 0) {
        end(tab->restore);
    }
}

static void on_loaded(int code, bool navigated, const struct tb_err *err, void *user)
{
    struct tab *tab = user;
    (void)navigated;
    if (code < 0) {
        note_failure(tab->restore, tab, err->text);
    }
    tab_done(tab);
}

static void on_navigated(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tab *tab = user;
    struct tb_page *page = page_of(tab);
    TB_AUTO(tb_json_free) struct cJSON *json = code == 0 ? tb_json_parse(result) : NULL;
    struct tb_str refused = {NULL, 0};
    tb_json_str(tb_json_get(json, "errorText"), &refused);
    if (code < 0 || refused.len || !page) {
        TB_AUTO(tb_free) char *why = refused.len ? tb_str_dup(refused) : NULL;
        note_failure(tab->restore, tab, why ? why : code < 0 ? err->text : "it was closed");
        tab_done(tab);
        return;
    }
    int64_t current = 0;
    tb_json_int(tb_json_get(tab->restore->saved, "current"), &current);
    /* The others go on loading by themselves: their script has run. */
    const char *until = tab == &tab->restore->tabs[current] ? "load" : "commit";
    tb_page_settle(page, tab->mark, until, tab->restore->deadline_ms, on_loaded, tab);
}

static void navigate(struct tab *tab)
{
    struct tb_page *page = page_of(tab);
    struct tb_str url = {NULL, 0};
    struct tb_err err;
    TB_AUTO(tb_buf_fini) struct tb_buf address;
    TB_AUTO(tb_buf_fini) struct tb_buf params;
    tb_buf_init(&address, TB_ADDRESS_MAX);
    tb_buf_init(&params, 2 * TB_ADDRESS_MAX);
    tb_json_str(tb_json_get(tab->kept, "url"), &url);
    if (!page || tb_address_make(url, false, &address, &err) < 0) {
        note_failure(tab->restore, tab, page ? err.text : "it was closed");
        tab_done(tab);
        return;
    }
    print_param("url", tb_buf_str(&address), &params);
    tab->mark = tb_page_navigation_mark(page);
    tb_page_send(page, "Page.navigate", tb_buf_str(&params), tab->restore->deadline_ms,
                 on_navigated, tab);
}

static void on_script(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tab *tab = user;
    (void)err;
    if (code == 0) {
        tab->script = tb_str_dup(tb_pick(result, "identifier"));
    }
    navigate(tab);
}

/* Runs once: the tab's first document at this site is the one that is brought back. */
static void print_script(const struct cJSON *kept, struct tb_buf *out)
{
    tb_buf_append_cstr(out, "(({origin,local,session,scroll})=>{"
                            "if(top!==self||location.origin!==origin)return;"
                            "for(const[k,v]of local??[])localStorage.setItem(k,v);"
                            "for(const[k,v]of session??[])sessionStorage.setItem(k,v);"
                            "if(scroll)addEventListener('load',()=>scrollTo({left:scroll[0],"
                            "top:scroll[1],behavior:'instant'}),{once:true})})(");
    tb_json_print(kept, out);
    tb_buf_append_cstr(out, ")");
}

static void load_tab(struct tab *tab)
{
    struct tb_page *page = page_of(tab);
    struct tb_str url = {NULL, 0};
    tb_json_str(tb_json_get(tab->kept, "url"), &url);
    if (!page || !url.len || tb_str_eq_cstr(url, "about:blank")) {
        tab_done(tab);
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf script;
    TB_AUTO(tb_buf_fini) struct tb_buf params;
    struct tb_json_writer json;
    tb_buf_init(&script, PARAMS_MAX);
    tb_buf_init(&params, PARAMS_MAX);
    print_script(tab->kept, &script);
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_key(&json, "source");
    tb_json_put_str(&json, tb_buf_str(&script));
    tb_json_key(&json, "worldName");
    tb_json_put_cstr(&json, "tabard-restore");
    tb_json_object_close(&json);
    tb_page_send(page, "Page.addScriptToEvaluateOnNewDocument", tb_buf_str(&params),
                 tab->restore->deadline_ms, on_script, tab);
}

static void load_tabs(struct tb_restore *restore)
{
    restore->loading = restore->count + 1;
    for (size_t i = 0; i < restore->count; i++) {
        load_tab(&restore->tabs[i]);
    }
    if (--restore->loading == 0) {
        end(restore);
    }
}

/* Sites without a tab. */

/* Whatever the tab asks for gets an empty page. */
static void on_fetch(struct tb_page *page, const char *session_id, struct tb_str method,
                     struct tb_str params, void *user)
{
    (void)user;
    if (!tb_str_eq_cstr(method, "Fetch.requestPaused")) {
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf reply;
    tb_buf_init(&reply, 1024);
    tb_buf_printf(&reply,
                  "{\"requestId\":%.*s,\"responseCode\":200,\"body\":\"\",\"responseHeaders\":[{"
                  "\"name\":\"Content-Type\",\"value\":\"text/html\"}]}",
                  TB_STR_ARG(tb_pick(params, "requestId")));
    tb_cdp_post(tb_page_conn(page), session_id, "Fetch.fulfillRequest", tb_buf_str(&reply));
}

static void sites_done(struct tb_restore *restore)
{
    struct tb_page *page = page_of(&restore->tabs[0]);
    if (page) {
        tb_cdp_post(tb_page_conn(page), tb_page_session_id(page), "Fetch.disable",
                    (struct tb_str){NULL, 0});
        tb_cdp_post(tb_page_conn(page), tb_page_session_id(page), "Page.resetNavigationHistory",
                    (struct tb_str){NULL, 0});
    }
    tb_page_listener_remove(&restore->listener);
    load_tabs(restore);
}

/* A site that cannot be filled costs no more than itself. */
static void next_site(struct tb_restore *restore)
{
    restore->site = tb_json_next(restore->site);
    show_site(restore);
}

static void on_site_filled(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    (void)code;
    (void)result;
    (void)err;
    next_site(user);
}

static void on_site_shown(int code, bool navigated, const struct tb_err *err, void *user)
{
    struct tb_restore *restore = user;
    struct tb_page *page = page_of(&restore->tabs[0]);
    TB_AUTO(tb_buf_fini) struct tb_buf script;
    TB_AUTO(tb_buf_fini) struct tb_buf params;
    (void)navigated;
    (void)err;
    if (code < 0 || !page) {
        next_site(restore);
        return;
    }
    tb_buf_init(&script, PARAMS_MAX);
    tb_buf_init(&params, PARAMS_MAX);
    print_script(restore->site, &script);
    print_param("expression", tb_buf_str(&script), &params);
    tb_page_send(page, "Runtime.evaluate", tb_buf_str(&params), restore->deadline_ms,
                 on_site_filled, restore);
}

static void on_site_asked(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_restore *restore = user;
    struct tb_page *page = page_of(&restore->tabs[0]);
    (void)result;
    if (code < 0 || !page) {
        on_site_shown(code, false, err, user);
        return;
    }
    tb_page_settle(page, restore->tabs[0].mark, "commit", restore->deadline_ms, on_site_shown,
                   restore);
}

static void show_site(struct tb_restore *restore)
{
    struct tb_page *page = page_of(&restore->tabs[0]);
    struct tb_str origin = {NULL, 0};
    TB_AUTO(tb_buf_fini) struct tb_buf params;
    if (!restore->site || !page) {
        sites_done(restore);
        return;
    }
    tb_buf_init(&params, TB_ADDRESS_MAX);
    tb_json_str(tb_json_get(restore->site, "origin"), &origin);
    print_param("url", origin, &params);
    restore->tabs[0].mark = tb_page_navigation_mark(page);
    tb_page_send(page, "Page.navigate", tb_buf_str(&params), restore->deadline_ms, on_site_asked,
                 restore);
}

static void fill_sites(struct tb_restore *restore)
{
    struct tb_page *page = page_of(&restore->tabs[0]);
    restore->site = tb_json_first(tb_json_get(restore->saved, "origins"));
    if (!restore->site || !page) {
        load_tabs(restore);
        return;
    }
    restore->listener.prefix = "Fetch.";
    restore->listener.on_event = on_fetch;
    tb_session_listen(restore->session, &restore->listener);
    tb_cdp_post(tb_page_conn(page), tb_page_session_id(page), "Fetch.enable",
                (struct tb_str){NULL, 0});
    show_site(restore);
}

/* Beginning. */

static void open_next(struct tb_restore *restore);

static void on_tab_opened(int code, struct tb_page *page, const struct tb_err *err, void *user)
{
    struct tb_restore *restore = user;
    struct tab *tab = &restore->tabs[restore->opened++];
    if (code < 0) {
        note_failure(restore, tab, err->text);
    } else {
        tb_target_id_copy(tab->target_id, tb_str_of(tb_page_target_id(page)));
    }
    open_next(restore);
}

static void open_next(struct tb_restore *restore)
{
    if (restore->opened < restore->count) {
        tb_session_tab_open(restore->session, restore->deadline_ms, on_tab_opened, restore);
    } else {
        fill_sites(restore);
    }
}

static void on_cookies_set(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_restore *restore = user;
    (void)result;
    restore->command = 0;
    if (code < 0) {
        tb_buf_printf(&restore->words, "Cookies could not be set: %s. ", err->text);
    }
    open_next(restore);
}

static void bring_emulation(struct tb_restore *restore)
{
    const struct cJSON *emulation = tb_json_get(restore->saved, "emulation");
    struct tb_memory *memory = tb_memory_of(restore->session);
    if (tb_json_is_object(emulation)) {
        memory->emulation = tb_json_dup(emulation);
        tb_emulation_apply(memory->emulation, tb_session_page(restore->session));
    }
}

static void remember_site(struct tb_driver_session *session, const struct cJSON *site)
{
    struct tb_str origin = {NULL, 0};
    TB_AUTO(tb_buf_fini) struct tb_buf local;
    tb_buf_init(&local, PARAMS_MAX);
    tb_json_str(tb_json_get(site, "origin"), &origin);
    tb_json_print(tb_json_get(site, "local"), &local);
    tb_kept_site_put(&session->sites, origin, tb_buf_str(&local));
}

static struct tb_restore *restore_new(struct tb_driver_session *session, struct cJSON *saved)
{
    const struct cJSON *tabs = tb_json_get(saved, "tabs");
    size_t count = 0;
    JSON_ARRAY_FOREACH(kept, tabs) {
        count++;
    }
    struct tb_restore *restore = tb_zalloc(sizeof(*restore) + count * sizeof(restore->tabs[0]));
    restore->session = session;
    restore->saved = saved;
    restore->ended.run = on_ended;
    tb_list_init(&restore->ended.link);
    tb_list_init(&restore->listener.link);
    tb_buf_init(&restore->words, WORDS_MAX);
    JSON_ARRAY_FOREACH(kept, tabs) {
        restore->tabs[restore->count++] = (struct tab){.restore = restore, .kept = kept};
    }
    return restore;
}

void tb_restore_start(struct tb_driver_session *session, struct tb_str saved, int64_t deadline_ms,
                      void (*done)(struct tb_driver_session *session))
{
    struct tb_restore *restore = restore_new(session, tb_json_parse(saved));
    struct tb_page *page = tb_session_page(session);
    session->restore = restore;
    restore->done = done;
    restore->deadline_ms = deadline_ms;
    if (!page || restore->count == 0) {
        end(restore);
        return;
    }
    restore->opened = 1;
    tb_target_id_copy(restore->tabs[0].target_id, tb_str_of(tb_page_target_id(page)));
    note_losses(restore);
    bring_emulation(restore);
    JSON_ARRAY_FOREACH(site, tb_json_get(restore->saved, "origins")) {
        remember_site(session, site);
    }
    TB_AUTO(tb_buf_fini) struct tb_buf params;
    tb_buf_init(&params, PARAMS_MAX);
    tb_login_state_cookies(restore->saved, tb_session_context_id(session), &params);
    restore->command = tb_cdp_send(session->browser->conn, NULL, "Storage.setCookies",
                                   tb_buf_str(&params), deadline_ms, on_cookies_set, restore);
}
