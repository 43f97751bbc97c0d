/* SPDX-License-Identifier: Apache-2.0 */
/* A tab is OPENED for it --> SHOWN, an empty page that we give it ourselves --> FILLED --> the next
 * site ... --> the tab is CLOSED. A tab that stays would have a history of visits that nobody made.
 */
#include "core/config.h"
#include "core/core.h"
#include "driver/address.h"
#include "driver/cdp/browser/fleet.h"
#include "driver/cdp/keep/restore.h"
#include "driver/cdp/page/stand_in.h"
#include "driver/cdp/wire/pick.h"
#include "driver/login_state.h"

enum {
    PARAMS_MAX = 4 * TB_LOGIN_STATE_MAX,
    URL_PARAMS_MAX = 8 * TB_ADDRESS_MAX,
};

static void show_site(struct tb_cdp_restore *restore);

static struct tb_cdp_page *filler(const struct tb_cdp_restore *restore)
{
    return tb_cdp_session_page_by_target(restore->session, tb_str_of(restore->filler));
}

static void post(struct tb_cdp_page *page, const char *method, struct tb_str params)
{
    tb_cdp_post(tb_cdp_page_conn(page), tb_cdp_page_session_id(page), method, params);
}

static void on_asking(struct tb_cdp_page *page, const char *session_id, struct tb_str method,
                      struct tb_str params, void *user)
{
    (void)session_id;
    (void)user;
    tb_cdp_stand_in_on_event(page, method, params);
}

static void on_closed(int code, struct tb_cdp_page *page, const struct tb_err *err, void *user)
{
    struct tb_cdp_restore *restore = user;
    (void)code;
    (void)page;
    (void)err;
    restore->next(restore);
}

/* `why` may be "". */
static void note_unfilled(struct tb_cdp_restore *restore, const char *why)
{
    if (restore->unfilled) {
        tb_buf_printf(&restore->words, "What %zu site%s had stored is lost%s%s. ",
                      restore->unfilled, restore->unfilled == 1 ? "" : "s", why[0] ? ": " : "",
                      why);
        restore->unfilled = 0;
    }
}

static void sites_done(struct tb_cdp_restore *restore)
{
    struct tb_cdp_page *page = filler(restore);
    tb_cdp_page_listener_remove(&restore->asking);
    note_unfilled(restore, "");
    if (page) {
        tb_cdp_session_tab_close(restore->session, page, restore->deadline_ms, on_closed, restore);
    } else {
        restore->next(restore);
    }
}

/* A site that cannot be filled costs no more than itself, and all of them no more than the time. */
static void next_site(struct tb_cdp_restore *restore)
{
    bool late = tb_loop_now_ms(tb_cdp_session_loop(restore->session)) >= restore->deadline_ms;
    restore->site = late ? NULL : tb_json_next(restore->site);
    show_site(restore);
}

static void on_site_filled(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_cdp_restore *restore = user;
    (void)err;
    if (code == 0 && tb_str_eq_cstr(tb_cdp_pick(tb_cdp_pick(result, "result"), "value"), "true")) {
        restore->unfilled--;
    }
    next_site(restore);
}

static void on_site_shown(int code, bool navigated, const struct tb_err *err, void *user)
{
    struct tb_cdp_restore *restore = user;
    struct tb_cdp_page *page = filler(restore);
    (void)navigated;
    (void)err;
    if (code < 0 || !page) {
        next_site(restore);
        return;
    }
    TB_AUTO(tb_buf_fini) struct tb_buf script = TB_BUF(PARAMS_MAX);
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(PARAMS_MAX);
    tb_cdp_restore_print_script(restore->site, true, &script);
    tb_cdp_restore_print_param("expression", tb_buf_str(&script), &params);
    tb_cdp_page_send(page, "Runtime.evaluate", tb_buf_str(&params), restore->deadline_ms,
                     on_site_filled, restore);
}

static void on_site_asked(int code, struct tb_str result, const struct tb_err *err, void *user)
{
    struct tb_cdp_restore *restore = user;
    struct tb_cdp_page *page = filler(restore);
    (void)result;
    if (code < 0 || !page) {
        on_site_shown(TB_E_NAVIGATION, false, err, user);
        return;
    }
    tb_cdp_page_settle(page, restore->mark, "commit", restore->deadline_ms, on_site_shown, restore);
}

/* The next one that has an address. */
static void show_site(struct tb_cdp_restore *restore)
{
    struct tb_cdp_page *page = filler(restore);
    TB_AUTO(tb_buf_fini) struct tb_buf address = TB_BUF(TB_ADDRESS_MAX + 16);
    TB_AUTO(tb_buf_fini) struct tb_buf params = TB_BUF(URL_PARAMS_MAX);
    while (restore->site &&
           tb_address_make(tb_json_text(restore->site, "origin"), false, &address, NULL) < 0) {
        restore->site = tb_json_next(restore->site);
    }
    if (!restore->site || !page) {
        sites_done(restore);
        return;
    }
    tb_cdp_restore_print_param("url", tb_buf_str(&address), &params);
    restore->mark = tb_cdp_page_navigation_mark(page);
    tb_cdp_page_send(page, "Page.navigate", tb_buf_str(&params), restore->deadline_ms,
                     on_site_asked, restore);
}

static void on_opened(int code, struct tb_cdp_page *page, const struct tb_err *err, void *user)
{
    struct tb_cdp_restore *restore = user;
    if (code < 0) {
        note_unfilled(restore, err->text);
        restore->next(restore);
        return;
    }
    tb_cdp_target_id_copy(restore->filler, tb_str_of(tb_cdp_page_target_id(page)));
    restore->asking.prefix = "Fetch.";
    restore->asking.on_event = on_asking;
    tb_cdp_session_listen(restore->session, &restore->asking);
    post(page, "Fetch.enable", (struct tb_str){NULL, 0});
    show_site(restore);
}

/* Whether a tab is, or may be, of the site: of one that did not answer only the address is known.
 */
static bool is_of_site(const struct cJSON *kept, struct tb_str origin)
{
    struct tb_str url = tb_json_text(kept, "url");
    return tb_str_eq(tb_json_text(kept, "origin"), origin) ||
           (tb_str_starts(url, origin) && url.len > origin.len && url.ptr[origin.len] == '/');
}

static bool is_shared(const struct tb_cdp_restore *restore, struct tb_str origin)
{
    size_t tabs = 0;
    for (size_t i = 0; origin.len && i < restore->count; i++) {
        tabs += is_of_site(restore->tabs[i].kept, origin) ? 1 : 0;
    }
    return tabs > 1;
}

/* Adds it once. */
static void add_site(struct tb_cdp_restore *restore, const struct cJSON *kept)
{
    struct tb_str origin = tb_json_text(kept, "origin");
    JSON_ARRAY_FOREACH(site, restore->sites) {
        if (tb_str_eq(tb_json_text(site, "origin"), origin)) {
            return;
        }
    }
    if (origin.len) {
        struct cJSON *site = tb_json_new_object();
        tb_json_set_str(site, "origin", origin);
        tb_json_set_take(site, "local", tb_json_dup(tb_json_get(kept, "local")));
        tb_json_append_take(restore->sites, site);
        restore->unfilled++;
    }
}

/* The tabs of one site live in processes of their own. While one of them fills the storage, item by
 * item, another would begin with a part of it, or write back what the page of the first has changed
 * since. At the limit of tabs there is no room for the one that fills. */
static void share_sites(struct tb_cdp_restore *restore)
{
    size_t most = (size_t)restore->session->fleet->core->config->browser_tabs_max;
    for (size_t i = 0; i < restore->count && restore->count < most; i++) {
        struct tb_cdp_restore_tab *tab = &restore->tabs[i];
        struct tb_str local = tb_json_text(tab->kept, "local");
        tab->shares = local.len && !tb_str_eq_cstr(local, "[]") &&
                      is_shared(restore, tb_json_text(tab->kept, "origin"));
    }
    if (restore->current->shares) { /* it has seen most of what happened last */
        add_site(restore, restore->current->kept);
    }
    for (size_t i = 0; i < restore->count; i++) {
        if (restore->tabs[i].shares) {
            add_site(restore, restore->tabs[i].kept);
        }
    }
}

void tb_cdp_restore_list_sites(struct tb_cdp_restore *restore)
{
    restore->sites = tb_json_new_array();
    JSON_ARRAY_FOREACH(site, tb_json_get(restore->saved, "origins")) {
        add_site(restore, site);
    }
    share_sites(restore);
}

void tb_cdp_restore_fill_sites(struct tb_cdp_restore *restore,
                               void (*next)(struct tb_cdp_restore *restore))
{
    restore->next = next;
    restore->site = tb_json_first(restore->sites);
    if (restore->site) {
        tb_cdp_session_tab_open(restore->session, restore->deadline_ms, on_opened, restore);
    } else {
        next(restore);
    }
}

void tb_cdp_restore_leave_sites(struct tb_cdp_restore *restore)
{
    struct tb_cdp_page *page = filler(restore);
    TB_AUTO(tb_buf_fini) struct tb_buf target = TB_BUF(1024);
    tb_cdp_page_listener_remove(&restore->asking);
    note_unfilled(restore, "");
    if (page) {
        tb_cdp_restore_print_param("targetId", tb_str_of(restore->filler), &target);
        tb_cdp_post(tb_cdp_page_conn(page), NULL, "Target.closeTarget", tb_buf_str(&target));
    }
}
