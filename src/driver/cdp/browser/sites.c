/* SPDX-License-Identifier: Apache-2.0 */
#include "driver/cdp/browser/sites.h"

#include <string.h>

#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/page/page_internal.h"
#include "driver/cdp/wire/pick.h"
#include "proto/json_string.h"

enum {
    SITES_MAX = 30, /* remembered that no tab shows; each is opened once to be brought back */
    SITES_MAX_BYTES = 256 * 1024,
    SITE_MS = 600 * 1000, /* a page that is left answers or goes; its script must not be ended */
};

static void site_free(struct tb_cdp_site *site)
{
    tb_list_remove(&site->link);
    tb_free(site->origin);
    tb_free(site->local);
    tb_free(site);
}

static bool sites_full(const struct tb_list *sites, size_t more_bytes)
{
    size_t count = 0;
    LIST_FOREACH(link, sites) {
        more_bytes += strlen(TB_CONTAINER(link, struct tb_cdp_site, link)->local);
        count++;
    }
    return count && (count >= SITES_MAX || more_bytes > SITES_MAX_BYTES);
}

void tb_cdp_sites_put(struct tb_list *sites, struct tb_str origin, struct tb_str local)
{
    LIST_FOREACH_SAFE(link, sites) {
        struct tb_cdp_site *site = TB_CONTAINER(link, struct tb_cdp_site, link);
        if (tb_str_eq_cstr(origin, site->origin)) {
            site_free(site);
        }
    }
    bool is_text = local.len && local.ptr[0] == '"';
    if (!is_text || tb_str_eq_cstr(local, "\"[]\"") || local.len > SITES_MAX_BYTES) {
        return;
    }
    while (sites_full(sites, local.len)) {
        site_free(TB_CONTAINER(sites->next, struct tb_cdp_site, link));
    }
    struct tb_cdp_site *site = TB_NEW(struct tb_cdp_site);
    site->origin = tb_str_dup(origin);
    site->local = tb_str_dup(local);
    tb_list_append(sites, &site->link);
}

void tb_cdp_sites_fini(struct tb_list *sites)
{
    while (!tb_list_empty(sites)) {
        site_free(TB_CONTAINER(sites->next, struct tb_cdp_site, link));
    }
}

void tb_cdp_sites_note(struct tb_driver_session *session, struct tb_str value)
{
    TB_AUTO(tb_buf_fini) struct tb_buf origin = TB_BUF(TB_URL_KEPT);
    tb_json_string_decode(tb_cdp_pick(value, "origin"), &origin);
    tb_cdp_sites_put(&session->sites, tb_buf_str(&origin), tb_cdp_pick(value, "local"));
}

static void on_site(int code, struct tb_str value, const struct tb_err *err, void *user)
{
    (void)err;
    if (code == 0) {
        tb_cdp_sites_note(user, value);
    }
}

/* https://host:port of an address; empty: it has no site. */
static struct tb_str origin_of(struct tb_str url)
{
    struct tb_str rest = url;
    struct tb_str scheme = tb_str_cut(&rest, ':');
    if (!tb_str_starts(scheme, TB_STR("http")) || !tb_str_starts(rest, TB_STR("//"))) {
        return (struct tb_str){NULL, 0};
    }
    rest = tb_str_sub(rest, 2, rest.len);
    struct tb_str host = tb_str_cut(&rest, '/');
    return tb_str_sub(url, 0, scheme.len + 3 + host.len);
}

void tb_cdp_sites_ask(struct tb_driver_session *session, struct tb_cdp_page *page,
                      struct tb_str url)
{
    struct tb_str site = page ? origin_of(tb_cdp_page_url(page)) : (struct tb_str){NULL, 0};
    struct tb_err err;
    if (!site.len || tb_str_eq(site, origin_of(url)) || page->main_frame->failed ||
        tb_cdp_page_crashed(page) || tb_cdp_page_in_dialog(page, &err)) {
        return;
    }
    int64_t deadline_ms = tb_loop_now_ms(tb_cdp_session_loop(session)) + SITE_MS;
    tb_cdp_page_call(tb_cdp_page_main_frame(page), "keptSite", (struct tb_str){NULL, 0},
                     deadline_ms, on_site, session);
}
