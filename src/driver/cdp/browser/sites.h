/* SPDX-License-Identifier: Apache-2.0 */
/* What sites have put into their local storage, remembered from when a tab showed them: the browser
 * gives that of a page alone. */
#pragma once

#include "base/list.h"
#include "base/str.h"

struct tb_cdp_page;
struct tb_driver_session;

/* The local storage of a site: a JSON string that holds an array of pairs, with its quotes. */
struct tb_cdp_site {
    struct tb_list link; /* in its session */
    char *origin;
    char *local;
};

/* Remembers it; an empty array forgets it. */
void tb_cdp_sites_put(struct tb_list *sites, struct tb_str origin, struct tb_str local);
/* The same for what a page told of its site: a JSON object with `origin` and `local`. */
void tb_cdp_sites_note(struct tb_driver_session *session, struct tb_str value);
/* Asks a page for its storage and remembers it, if it answers before it has gone: for a tab that is
 * about to show `url`, when that is of another site. */
void tb_cdp_sites_ask(struct tb_driver_session *session, struct tb_cdp_page *page,
                      struct tb_str url);
void tb_cdp_sites_fini(struct tb_list *sites);
