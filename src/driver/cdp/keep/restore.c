/* SPDX-License-Identifier: Apache-2.0 */
/* Bringing a session back:
 *
 *   PREPARING: cookies, tabs and their scripts, sites without a tab or with several, all at once
 *   -> all tabs LOAD -> done
 *
 * A tab gets its storage from a script that runs before the page's first one. It tells when it has,
 * and is taken away; until then it stays, for a site that is down or wants a login first. Sites
 * never see each other's storage, nor a visit that nobody made. */
#include "driver/cdp/keep/restore.h"

#include <string.h>

#include "base/json.h"
#include "base/quote.h"
#include "core/config.h"
#include "core/core.h"
#include "driver/address.h"
#include "driver/cdp/browser/cookies.h"
#include "driver/cdp/browser/emulation.h"
#include "driver/cdp/browser/fleet.h"
#include "driver/cdp/browser/sites.h"
#include "driver/cdp/keep/keep.h"
#include "driver/cdp/page/net_error.h"
#include "driver/cdp/wire/pick.h"
#include "driver/login_state.h"
#include "proto/json_string.h"

enum {
    PARAMS_MAX = 4 * TB_LOGIN_STATE_MAX,
    URL_PARAMS_MAX = 8 * TB_ADDRESS_MAX,
    WORDS_MAX = 2000,
    LOAD_MS = 10 * 1000,  /* for the current tab; it then goes on loading by itself */
    OTHERS_MS = 3 * 1000, /* for the others to begin */
    REFS_SKIPPED = 1000,
};

struct tb_cdp_page *tb_cdp_restore_page(const struct tb_cdp_restore_tab *tab)
{
    return tb_cdp_session_page_by_target(tab->restore->session, tb_str_of(tab->target_id));
}

static int64_t sooner(const struct tb_cdp_restore *restore, int64_t ms)
{
    int64_t at_ms = tb_loop_now_ms(tb_cdp_session_loop(restore->session)) + ms;
    return at_ms < restore->deadline_ms ? at_ms : restore->deadline_ms;
}

/* The end. */

static bool is_blank(const struct tb_cdp_restore_tab *tab)
{
    return tb_str_eq_cstr(tb_json_text(tab->kept, "url"), "about:blank");
}

/* Whatever else is lost: an agent that comes back to a page does not know it any more. */
static void print_loading(const struct tb_cdp_restore *restore, struct tb_buf *out)
{
    size_t loaded = 0;
    size_t pages = 0;
    for (size_t i = 0; i < restore->count; i++) {
        loaded += restore->tabs[i].loaded ? 1 : 0;
        pages += is_blank(&restore->tabs[i]) ? 0 : 1;
    }
    if (loaded) {
        tb_buf_printf(out, "%s %s loaded again, so whatever %s kept in memory is gone. ",
                      loaded < pages ? loaded == 1 ? "One of its pages" : "Some of its pages"
                      : loaded == 1  ? "Its page"
                                     : "Its pages",
                      loaded == 1 ? "was" : "were", loaded == 1 ? "it" : "they");
    }
}

/* NULL: there is nothing to say. */
static char *words_of(const struct tb_cdp_restore *restore)
{
    TB_AUTO(tb_buf_fini) struct tb_buf words = TB_BUF(2 * (size_t)WORDS_MAX);
    print_loading(restore, &words);
    tb_buf_append_str(&words, tb_buf_str(&restore->words));
    struct tb_str text = tb_buf_str(&words);
    return text.len ? tb_str_dup(tb_str_sub(text, 0, text.len - 1))
                    : NULL; /* no blank at its end */
}

/* What is under way ends without a word. */
static void forget_all(struct tb_cdp_restore *restore)
{
    tb_cdp_session_forget(restore->session, restore);
    for (size_t i = 0; i < restore->count; i++) {
        tb_cdp_session_forget(restore->session, &restore->tabs[i]);
    }
    tb_deferred_cancel(&restore->ended);
}

static void restore_free(struct tb_cdp_restore *restore)
{
    forget_all(restore);
    for (size_t i = 0; i < restore->count; i++) {
        tb_free(restore->tabs[i].script);
    }
    tb_cdp_page_listener_remove(&restore->told);
    tb_cdp_page_listener_remove(&restore->asking);
    tb_buf_fini(&restore->words);
    tb_json_free(restore->sites);
    tb_json_free(restore->saved);
    tb_free(restore);
}

void tb_cdp_restore_drop(struct tb_cdp_keep *keep)
{
    if (keep->restore) {
        restore_free(keep->restore);
        keep->restore = NULL;
    }
}

/* Once it is open, only scripts that have not run yet are left of it. */
static void drop_if_over(struct tb_cdp_restore *restore)
{
    for (size_t i = 0; i < restore->count; i++) {
        if (restore->tabs[i].script) {
            return;
        }
    }
    if (!restore->saved) {
        tb_cdp_restore_drop(tb_cdp_keep_of(restore->session));
    }
}

/* It may be gone afterwards. */
static void conclude(struct tb_cdp_restore *restore)
{
    struct tb_driver_session *session = restore->session;
    struct tb_cdp_page *page = restore->current ? tb_cdp_restore_page(restore->current) : NULL;
    if (page && page != tb_cdp_session_page(session)) {
        tb_cdp_session_page_select(session, page);
    }
    tb_cdp_keep_of(session)->missing = words_of(restore);
    tb_json_free(restore->saved);
    restore->saved = NULL;
    drop_if_over(restore);
}

static void on_ended(struct tb_deferred *job)
{
    struct tb_cdp_restore *restore = TB_CONTAINER(job, struct tb_cdp_restore, ended);
    struct tb_driver_session *session = restore->session;
    conclude(restore);
    tb_cdp_session_prepared(session);
}

void tb_cdp_restore_cut(struct tb_cdp_keep *keep)
{
    struct tb_cdp_restore *restore = keep->restore;
    if (restore) {
        forget_all(restore);
        tb_cdp_restore_leave_sites(restore);
        tb_buf_append_cstr(&restore->words, "Not everything was brought back in time. ");
        conclude(restore);
    }
}

/* One answer less to wait for. */
static void went_on(struct tb_cdp_restore *restore, void (*next)(struct tb_cdp_restore *restore))
{
    if (--restore->waiting == 0) {
        next(restore);
    }
}

static void end(struct tb_cdp_restore *restore)
{
    tb_loop_defer(tb_cdp_session_loop(restore->session), &restore->ended);
}

/* Words. */

static void note_losses(struct tb_cdp_restore *restore)
{
    int64_t typed = 0;
    int64_t databases = 0;
    bool history = false;
    for (size_t i = 0; i < restore->count; i++) {
        const struct cJSON *kept = restore->tabs[i].kept;
        int64_t count = 0;
        typed += tb_json_int(tb_json_get(kept, "typed"), &count) ? count : 0;
        databases += tb_json_int(tb_json_get(kept, "databases"), &count) ? count : 0;
        history = history || (tb_json_int(tb_json_get(kept, "history"), &count) && count > 2);
        if (!tb_json_get(kept, "origin")) {
            tb_buf_printf(
                &restore->words,
                "Only the address of tab %zu was kept: its page did not answer, or stored too "
                "much. ",
                i);
        }
    }
    tb_cdp_keep_of(restore->session)->typed_lost = typed > 0;
    if (typed > 0) {
        tb_buf_printf(&restore->words, "What was typed into %lld field%s is lost. ",
                      (long long)typed, typed == 1 ? "" : "s");
    }
    if (databases > 0) {
        tb_buf_append_cstr(&restore->words, "What pages kept in IndexedDB is lost. ");
    }
    if (history) {
        tb_buf_append_cstr(&restore->words, "The history of the tabs is lost. ");
    }
}

static void note_failure(const struct tb_cdp_restore_tab *tab, const char *why)
{
    struct tb_cdp_restore *restore = tab->restore;
    struct tb_str url = tb_json_text(tab->kept, "url");
    struct tb_quoted shown;
    tb_buf_printf(&restore->words, "Tab %zu (%s) did not load: %s. ", (size_t)(tab - restore->tabs),
                  tb_quoted_url(&shown, url), why);
}

/* Tabs. */

void tb_cdp_restore_print_param(const char *name, struct tb_str text, struct tb_buf *out)
{
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    tb_json_member_str(&json, name, text);
    tb_json_object_close(&json);
}

/* The members of what was kept that the script wants. */
static void print_kept(const struct cJSON *kept, bool local, struct tb_buf *out)
{
    static const char *const keys[] = {"origin", "session", "scroll", "local"};
    struct tb_json_writer json;
    tb_json_writer_init(&json, out);
    tb_json_object_open(&json);
    for (size_t i = 0; i < TB_COUNT(keys) - (local ? 0 : 1); i++) {
        const struct cJSON *value = tb_json_get(kept, keys[i]);
        if (value) {
            tb_json_member_tree(&json, keys[i], value);
        }
    }
    tb_json_object_close(&json);
}

void tb_cdp_restore_print_script(const struct cJSON *kept, bool local, struct tb_buf *out)
{
    tb_buf_append_cstr(
        out, "(({origin,local='[]',session='[]',scroll})=>{"
             "if(top!==self||self.origin!==origin||navigation.activation?.from)return false;"
             "const fill=(area,text)=>{if(!area.length)"
             "for(const[k,v]of JSON.parse(text))area.setItem(k,v)};"
             "let all=false;"
             "try{fill(localStorage,local);fill(sessionStorage,session);all=true}catch{}"
             "if(scroll)addEventListener('load',()=>scrollTo({left:scroll[0],"
             "top:scroll[1],behavior:'instant'}),{once:true});"
             "globalThis.tabardTell?.('{\"stage\":\"restored\"}');return all})(");
    print_kept(kept, local, out);
    tb_buf_append_cstr(out, ")");
}

static void on_told(struct tb_cdp_page *page, const char *session_id, struct tb_str method,
                    struct tb_str params, void *user)
{
    struct tb_cdp_restore *restore = user;
    (void)session_id;
    (void)method;
    if (!tb_json_string_eq(tb_cdp_pick(params, "payload"), TB_STR("{\"stage\":\"restored\"}"))) {
        return;
    }
    for (size_t i = 0; i < restore->count; i++) {
        struct tb_cdp_restore_tab *tab = &restore->tabs[i];
        if (tab->script && tb_cdp_restore_page(tab) == page) {
            TB_AUTO(tb_buf_fini) struct tb_buf script = TB_BUF(1024);
            tb_buf_printf(&script, "{\"identifier\":%s}", tab->script);
            tb_cdp_post(tb_cdp_page_conn(page), tb_cdp_page_session_id(page),
                        "Page.removeScriptToEvaluateOnNewDocument", tb_buf_str(&script));
            tb_free(tab->script);
            tab->script = NULL;
        }
    }
    drop_if_over(restore);
}

static void on_loaded(int code, bool navigated, const struct tb_err *err, void *user)
{
    struct tb_cdp_restore_tab *tab = user;
    (void)navigated;
    tab->loaded = code >= 0;
    if (code < 0) {
        note_failure(tab, err->text);
    }
    went_on(tab->restore, end);
}

static void on_navigated(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_cdp_restore_tab *tab = user;
    struct tb_cdp_restore *restore = tab->restore;
    struct tb_cdp_page *page = tb_cdp_restore_page(tab);
    TB_AUTO(tb_json_free) struct cJSON *json = code == 0 ? tb_json_parse(result) : NULL;
    struct tb_str refused = tb_json_text(json, "errorText");
    struct tb_err words;
    if (refused.len) {
        tb_cdp_net_error_words(refused, tb_str_sub(tb_json_text(tab->kept, "url"), 0, 200), &words);
        err = &words;
    } else if (!err && !page) {
        tb_fail(&words, TB_E_TAB_NOT_FOUND, "it was closed");
        err = &words;
    }
    if (err) {
        on_loaded(err->code, false, err, tab);
        return;
    }
    /* The others go on loading by themselves. */
    bool is_current = tab == restore->current;
    tb_cdp_page_settle(page, tab->mark, is_current ? "load" : "commit",
                       sooner(restore, is_current ? LOAD_MS : OTHERS_MS), on_loaded, tab);
}

static void load_tab(struct tb_cdp_restore_tab *tab)
{
    struct tb_cdp_restore *restore = tab->restore;
    struct tb_cdp_page *page = tb_cdp_restore_page(tab);
    struct tb_err err;
    TB_AUTO(tb_buf_fini) struct tb_buf address = TB_BUF(TB_ADDRESS_MAX + 16);
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(URL_PARAMS_MAX);
    if (!page || is_blank(tab)) {
        went_on(restore, end);
        return;
    }
    if (tb_address_make(tb_json_text(tab->kept, "url"),
                        restore->session->fleet->core->config->browser_data_urls, &address,
                        &err) < 0 ||
        tb_cdp_session_may_open(restore->session, tb_buf_str(&address), &err) < 0) {
        on_loaded(err.code, false, &err, tab);
        return;
    }
    tb_cdp_restore_print_param("url", tb_buf_str(&address), &params);
    tab->mark = tb_cdp_page_navigation_mark(page);
    tb_cdp_page_send(page, "Page.navigate", tb_buf_str(&params),
                     sooner(restore, tab == restore->current ? LOAD_MS : OTHERS_MS), on_navigated,
                     tab);
}

static void load_tabs(struct tb_cdp_restore *restore)
{
    restore->waiting = restore->count + 1;
    for (size_t i = 0; i < restore->count; i++) {
        load_tab(&restore->tabs[i]);
    }
    went_on(restore, end);
}

/* Preparing. */

static void on_script(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_cdp_restore_tab *tab = user;
    (void)err;
    if (code == 0) {
        tab->script = tb_str_dup(tb_cdp_pick(result, "identifier"));
    }
    went_on(tab->restore, load_tabs);
}

/* In our own world, which has the way to tell of it. */
static void add_script(struct tb_cdp_restore_tab *tab, struct tb_cdp_page *page)
{
    TB_AUTO(tb_buf_fini) struct tb_buf script = TB_BUF(PARAMS_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    struct tb_json_writer json;
    tb_cdp_target_id_copy(tab->target_id, tb_str_of(tb_cdp_page_target_id(page)));
    tb_cdp_restore_print_script(tab->kept, !tab->shares, &script);
    tb_json_writer_init(&json, &params);
    tb_json_object_open(&json);
    tb_json_member_str(&json, "source", tb_buf_str(&script));
    tb_json_member_cstr(&json, "worldName", "tabard");
    tb_json_object_close(&json);
    tb_cdp_page_send(page, "Page.addScriptToEvaluateOnNewDocument", tb_buf_str(&params),
                     tab->restore->deadline_ms, on_script, tab);
}

static void on_tab_opened(int code, struct tb_cdp_page *page, const struct tb_err *err, void *user)
{
    struct tb_cdp_restore_tab *tab = user;
    if (code < 0) {
        note_failure(tab, err->text);
        went_on(tab->restore, load_tabs);
    } else {
        add_script(tab, page);
    }
}

static void on_sites_filled(struct tb_cdp_restore *restore)
{
    went_on(restore, load_tabs);
}

static void open_tabs(struct tb_cdp_restore *restore, struct tb_cdp_page *first)
{
    restore->waiting += restore->count;
    add_script(&restore->tabs[0], first);
    for (size_t i = 1; i < restore->count; i++) {
        tb_cdp_session_tab_open(restore->session, restore->deadline_ms, on_tab_opened,
                                &restore->tabs[i]);
    }
}

static void on_cookies_set(int code, struct tb_str result, const struct tb_err *err, void *user);

static void set_cookies(struct tb_cdp_restore *restore, const struct cJSON *state, bool last)
{
    struct tb_driver_session *session = restore->session;
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    tb_cdp_cookies_put_set(state, tb_cdp_session_context_id(session), &params);
    if (last) {
        tb_cdp_session_send(session, NULL, "Storage.setCookies", tb_buf_str(&params),
                            restore->deadline_ms, on_cookies_set, restore);
    } else {
        tb_cdp_post(session->browser->peer.conn, NULL, "Storage.setCookies", tb_buf_str(&params));
    }
}

/* One that the browser does not take keeps it from taking any: each goes alone, and none at all
 * goes last, as a fence. */
static void set_cookies_singly(struct tb_cdp_restore *restore)
{
    TB_AUTO(tb_json_free) struct cJSON *none = tb_json_new_object();
    JSON_ARRAY_FOREACH(cookie, tb_json_get(restore->saved, "cookies")) {
        TB_AUTO(tb_json_free) struct cJSON *state = tb_json_new_object();
        struct cJSON *cookies = tb_json_new_array();
        tb_json_append_take(cookies, tb_json_dup(cookie));
        tb_json_set_take(state, "cookies", cookies);
        set_cookies(restore, state, false);
    }
    set_cookies(restore, none, true);
}

static void on_cookies_set(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_cdp_restore *restore = user;
    (void)result;
    if (code == TB_E_PROTOCOL && !restore->singly) {
        restore->singly = true;
        tb_buf_append_cstr(&restore->words, "Not all cookies could be set. ");
        set_cookies_singly(restore);
        return;
    }
    if (code < 0) {
        tb_buf_printf(&restore->words, "Cookies could not be set: %s. ", err->text);
    }
    went_on(restore, load_tabs);
}

/* What is not brought back now, because its site is down, is not to be lost at the next save. */
static void remember_sites(struct tb_driver_session *session, const struct cJSON *sites)
{
    JSON_ARRAY_FOREACH(site, sites) {
        TB_AUTO(tb_buf_fini) struct tb_buf local = TB_BUF(PARAMS_MAX);
        tb_json_print(tb_json_get(site, "local"), &local);
        if (local.len && tb_json_text(site, "origin").len) {
            tb_cdp_sites_put(&session->sites, tb_json_text(site, "origin"), tb_buf_str(&local));
        }
    }
}

static struct tb_cdp_restore *restore_new(struct tb_driver_session *session, struct cJSON *saved)
{
    const struct cJSON *tabs = tb_json_get(saved, "tabs");
    int64_t current = 0;
    size_t count = 0;
    JSON_ARRAY_FOREACH(kept, tabs) {
        count++;
    }
    struct tb_cdp_restore *restore = tb_zalloc(sizeof(*restore) + count * sizeof(restore->tabs[0]));
    restore->session = session;
    restore->saved = saved;
    restore->ended.run = on_ended;
    tb_list_init(&restore->ended.link);
    restore->told = (struct tb_cdp_page_listener){
        .prefix = "Runtime.bindingCalled", .on_event = on_told, .user = restore};
    tb_list_init(&restore->told.link);
    tb_list_init(&restore->asking.link);
    tb_buf_init(&restore->words, WORDS_MAX);
    JSON_ARRAY_FOREACH(kept, tabs) {
        restore->tabs[restore->count++] =
            (struct tb_cdp_restore_tab){.restore = restore, .kept = kept};
    }
    tb_json_int(tb_json_get(saved, "current"), &current);
    restore->current = &restore->tabs[current > 0 && (size_t)current < count ? current : 0];
    return restore;
}

/* States of before core counted refs say how many there were; more may have been given since. */
static void skip_refs(const struct tb_cdp_restore *restore)
{
    struct tb_cdp_tab_user *use = &restore->session->use;
    int64_t last = 0;
    tb_json_int(tb_json_get(restore->saved, "refs"), &last);
    if (last > 0 && last < INT32_MAX && last + REFS_SKIPPED > use->last_ref) {
        use->last_ref = last + REFS_SKIPPED;
    }
}

static void bring_emulation(struct tb_driver_session *session, const struct cJSON *emulation)
{
    tb_cdp_emulation_set_take(session, tb_json_dup(emulation));
    if (tb_json_get(emulation, "geolocation")) {
        tb_cdp_emulation_allow_place(session);
    }
    for (size_t i = 0; i < tb_cdp_session_page_count(session); i++) {
        tb_cdp_emulation_apply(emulation, false, tb_cdp_session_page_by_index(session, i));
    }
}

void tb_cdp_restore_start(struct tb_driver_session *session, struct tb_str saved,
                          int64_t deadline_ms)
{
    struct tb_cdp_restore *restore = restore_new(session, tb_json_parse(saved));
    struct tb_cdp_page *page = tb_cdp_session_page(session);
    const struct cJSON *emulation = tb_json_get(restore->saved, "emulation");
    tb_cdp_keep_of(session)->restore = restore;
    restore->deadline_ms = deadline_ms;
    if (!page || restore->count == 0) {
        tb_buf_append_cstr(&restore->words, "The saved state cannot be read. ");
        restore->current = NULL;
        end(restore);
        return;
    }
    note_losses(restore);
    skip_refs(restore);
    if (tb_json_is_object(emulation)) {
        bring_emulation(session, emulation);
    }
    remember_sites(session, tb_json_get(restore->saved, "origins"));
    remember_sites(session, tb_json_get(restore->saved, "tabs"));
    tb_cdp_restore_list_sites(restore);
    tb_cdp_session_listen(session, &restore->told);
    restore->waiting = 2;
    set_cookies(restore, restore->saved, true);
    open_tabs(restore, page);
    tb_cdp_restore_fill_sites(restore, on_sites_filled);
}
