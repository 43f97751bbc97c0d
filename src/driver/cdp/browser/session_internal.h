/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a session.
 *
 *   opening --seated--> open --close--> closing --disposed--> freed
 *      |                 |
 *      +--refused        +--its browser is lost: open, but without a context */
#pragma once

#include "base/list.h"
#include "driver/cdp/browser/browser.h"
#include "driver/cdp/browser/context.h"
#include "driver/cdp/browser/journal.h"
#include "driver/cdp/browser/keeper.h"
#include "driver/cdp/browser/session.h"
#include "driver/cdp/page/ask.h"
#include "driver/cdp/page/host.h"
#include "driver/files.h"
#include "io/timer.h"

/* Tabs that come, and what the caller has heard of them. */
struct tb_cdp_tab_news {
    struct tb_list waits;            /* for one to open or to close */
    bool coming;                     /* the browser was asked for one, since there is none */
    uint64_t opened;                 /* by pages, since the session began */
    uint64_t refused;                /* because there were too many */
    uint64_t told;                   /* of those that opened, what the caller has heard of */
    char told_id[TB_TARGET_ID_SIZE]; /* the tab that was current then */
};

struct tb_driver_session {
    struct tb_list link;      /* in its fleet */
    struct tb_list seat_link; /* in its browser, while it waits */
    struct tb_cdp_fleet *fleet;
    struct tb_cdp_browser *browser; /* NULL: none any more */
    struct tb_cdp_context *context; /* NULL: none yet, or none any more */
    struct tb_cdp_page *current;
    char *id;
    const struct tb_driver_events *events;
    void *owner;
    struct tb_egress *egress; /* core's; NULL: it needs no proxy */
    tb_open_fn *opened;       /* until it was called */
    tb_closed_fn *closed;     /* once it closes */
    void *closed_owner;
    bool files;               /* keeps what its pages offer for download */
    bool detached;            /* its pages stay when it closes */
    bool preparing;           /* its keeper brings back what was saved before it is open */
    struct tb_timer deadline; /* of opening */
    struct tb_deferred later; /* the answer to close, when nothing is left to wait for */
    struct tb_list listeners;
    struct tb_cdp_tab_user use; /* of its tabs */
    struct tb_cdp_tab_news tabs;
    int own_width; /* of the viewport that it was started with, for when no other is emulated */
    int own_height;
    struct cJSON *emulation; /* what is in force, under the names of emulate's arguments */
    struct tb_cdp_journal journal;
    int64_t heard; /* the number of the changes that a page told last */
    struct tb_files_folder folder;
    struct tb_list sites; /* of tb_cdp_site */
    struct tb_cdp_keeper *keeper;
};

/* From browser.c. */
void tb_cdp_session_seated(struct tb_list *seat_link, struct tb_cdp_context *context);
void tb_cdp_session_refused(struct tb_list *seat_link, const struct tb_err *err);
void tb_cdp_session_lost(struct tb_driver_session *session, const struct tb_err *err);
/* From its keeper: what was saved is back, as far as it could be. */
void tb_cdp_session_prepared(struct tb_driver_session *session);
/* Frees it without a word to anybody. */
void tb_cdp_session_free(struct tb_driver_session *session);

/* From cmd.c: a command to the browser itself, or to any session of its line. */
void tb_cdp_session_send(struct tb_driver_session *session, const char *session_id,
                         const char *method, struct tb_str params, int64_t deadline_ms,
                         tb_cdp_reply_fn *fn, void *user);

/* From session_tabs.c: who waits for tabs is told that there will be none, or nothing at all. */
void tb_cdp_session_tab_waits_end(struct tb_driver_session *session, const struct tb_err *err);
void tb_cdp_session_tab_waits_drop(struct tb_driver_session *session);
/* There is no tab: asks the browser for one, unless one is on its way. */
void tb_cdp_session_want_tab(struct tb_driver_session *session);

/* From context.c. */
void tb_cdp_session_page_added(struct tb_driver_session *session, struct tb_cdp_page *page);
void tb_cdp_session_page_ready(struct tb_driver_session *session, struct tb_cdp_page *page);
void tb_cdp_session_page_ended(struct tb_driver_session *session, struct tb_cdp_page *page);
/* An event that the page does not handle itself. */
void tb_cdp_session_on_event(struct tb_driver_session *session, struct tb_cdp_page *page,
                             const char *session_id, struct tb_str method, struct tb_str params);
