/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of bringing a session back, for restore.c and restore_sites.c. */
#pragma once

#include "base/json.h"
#include "driver/cdp/browser/session_internal.h"
#include "driver/cdp/keep/keep_internal.h"

struct tb_cdp_restore_tab {
    struct tb_cdp_restore *restore;
    const struct cJSON *kept;
    char target_id[TB_TARGET_ID_SIZE]; /* empty: it could not be opened */
    char *script;                      /* the browser's name for it, with its quotes; NULL: none */
    uint64_t mark;                     /* before its navigation */
    bool shares;                       /* its site's local storage comes before it, for all tabs */
    bool loaded;
};

struct tb_cdp_restore {
    struct tb_driver_session *session;
    int64_t deadline_ms;
    struct cJSON *saved;
    const struct tb_cdp_restore_tab *current;
    bool singly;                    /* cookies, because one of them was refused */
    size_t waiting;                 /* for so many answers, before the next step */
    char filler[TB_TARGET_ID_SIZE]; /* the tab for sites that no tab of theirs fills */
    struct cJSON *sites;            /* that it is to take */
    const struct cJSON *site;       /* the one that it takes now */
    size_t unfilled;                /* of them, so far */
    uint64_t mark;                  /* before it went there */
    void (*next)(struct tb_cdp_restore *restore); /* when it has taken all */
    struct tb_cdp_page_listener told;             /* by the scripts */
    struct tb_cdp_page_listener asking;           /* for the pages of sites */
    struct tb_deferred ended;
    struct tb_buf words;
    size_t count;
    struct tb_cdp_restore_tab tabs[];
};

/* NULL: it was never opened, or closed. */
struct tb_cdp_page *tb_cdp_restore_page(const struct tb_cdp_restore_tab *tab);
/* {"name":"text"} */
void tb_cdp_restore_print_param(const char *name, struct tb_str text, struct tb_buf *out);
/* What a site's first document finds; true if it was for this document and all of it is there.
 * Where there is something already, another tab has brought it or the page has gone on since. A
 * document that follows on one of its own site is not the first. */
void tb_cdp_restore_print_script(const struct cJSON *kept, bool local, struct tb_buf *out);

/* From restore_sites.c: which sites a tab of its own has to fill, before any other tab loads. */
void tb_cdp_restore_list_sites(struct tb_cdp_restore *restore);
/* Local storage of these. Then `next`. */
void tb_cdp_restore_fill_sites(struct tb_cdp_restore *restore,
                               void (*next)(struct tb_cdp_restore *restore));
/* There is no more time for them. Nobody hears of it any more; call it only then. */
void tb_cdp_restore_leave_sites(struct tb_cdp_restore *restore);
