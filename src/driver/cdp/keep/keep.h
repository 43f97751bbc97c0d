/* SPDX-License-Identifier: Apache-2.0 */
/* Keeping a session: what its browser has goes out as JSON, and comes back in another browser.
 *
 *   {"version":1,"cookies":[...],"emulation":{...},"current":0,
 *    "tabs":[{"url","origin","scroll":[x,y],"local":"[[key,value]]","session":"[[key,value]]",...}],
 *    "origins":[{"origin":"https://...","local":"[[key,value]]"}]}
 *
 * A tab is as page/keep.js gives it, or has only its address when the page did not answer. Local
 * storage of sites that no tab shows any more is remembered from when one did. */
#pragma once

#include "base/buf.h"
#include "base/list.h"
#include "core/driver.h"

struct tb_cdp_saver;
struct tb_cdp_restore;

/* Driver functions, see core/driver.h. */
void tb_cdp_session_save(struct tb_driver_session *session, int64_t deadline_ms, tb_saved_fn *fn,
                         void *owner);
struct tb_restored tb_cdp_session_restored(struct tb_driver_session *session);

/* Ends a save under way; NULL: without a word to anybody. */
void tb_cdp_saver_end(struct tb_driver_session *session, const struct tb_err *err);
/* What `save` would give has changed. */
void tb_cdp_session_changed(struct tb_driver_session *session);

/* Brings back what was saved, into a session that has its context and one empty tab; `done` comes
 * once, later, whatever could be brought back. tb_cdp_session_restored then says what could not. It
 * stays while a tab has not been at its site yet: the storage is for when it gets there. */
void tb_cdp_restore_start(struct tb_driver_session *session, struct tb_str saved,
                          int64_t deadline_ms, void (*done)(struct tb_driver_session *session));
/* Without a word to anybody. */
void tb_cdp_restore_drop(struct tb_driver_session *session);

struct tb_cdp_page;

/* The local storage of a site: a JSON string that holds an array of pairs, with its quotes. */
struct tb_cdp_kept_site {
    struct tb_list link;
    char *origin;
    char *local;
};

/* Remembers it; an empty array forgets it. */
void tb_cdp_kept_site_put(struct tb_list *sites, struct tb_str origin, struct tb_str local);
/* Asks a page for its storage and remembers it, if it answers before it has gone: for a tab that is
 * about to show `url`, when that is of another site. */
void tb_cdp_kept_site_ask(struct tb_driver_session *session, struct tb_cdp_page *page,
                          struct tb_str url);
void tb_cdp_kept_sites_fini(struct tb_list *sites);
