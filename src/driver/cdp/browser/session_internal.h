/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a session, for session.c, session_tabs.c and what tells it of changes.
 *
 *   opening --seated--> open --close--> closing --disposed--> freed
 *      |                 |
 *      +--refused        +--its browser is lost: open, but without a context */
#pragma once

#include "base/list.h"
#include "driver/cdp/browser/browser.h"
#include "driver/cdp/browser/context.h"
#include "driver/cdp/browser/session.h"
#include "driver/cdp/page/ask.h"
#include "io/timer.h"

struct tb_driver_session {
    struct tb_list link;      /* in tb_cdp */
    struct tb_list seat_link; /* in its browser, while it waits */
    struct tb_cdp_fleet *fleet;
    struct tb_cdp_browser *browser; /* NULL: none any more */
    struct tb_cdp_context *context; /* NULL: none yet, or none any more */
    struct tb_cdp_page *current;
    char *id;
    const struct tb_driver_events *events;
    void *owner;
    tb_open_fn *opened;   /* until it was called */
    tb_closed_fn *closed; /* once it closes */
    void *closed_owner;
    bool files;               /* keeps what its pages offer for download */
    bool detached;            /* its pages stay when it closes */
    struct tb_timer deadline; /* of opening */
    struct tb_deferred later; /* the answer to close, when nothing is left to wait for */
    struct tb_list listeners;
    struct tb_list tab_waits;
    struct tb_list asks;       /* all that is open, see ask.h */
    struct tb_cdp_work *work;  /* the operation under way; NULL: none */
    bool tab_coming;           /* the browser was asked for one, since there is none */
    struct tb_deferred *watch; /* see tb_cdp_session_watch */
    int width;                 /* of the viewport; 0: the window's */
    int height;
    int own_width; /* that it was started with, for when nothing else is emulated */
    int own_height;
    uint64_t tabs_opened;
    uint64_t tabs_refused;
    uint64_t tabs_told;              /* of those that opened, what the caller has heard of */
    char told_id[TB_TARGET_ID_SIZE]; /* the tab that was current then */
    /* Keeping it, see keep/keep.h. */
    struct tb_cdp_saver *saver;     /* NULL: none under way */
    struct tb_cdp_restore *restore; /* the same */
    char *saved;                    /* what is to be brought back; NULL: nothing, or done */
    char *restored;                 /* what could not be; NULL: nothing */
    bool typed_lost;                /* what was typed is among it */
    int64_t last_ref;               /* of its browser before; see core/driver.h */
    struct tb_list sites;           /* of tb_cdp_kept_site */
};

/* From browser.c. */
void tb_cdp_session_seated(struct tb_list *seat_link, struct tb_cdp_context *context);
void tb_cdp_session_refused(struct tb_list *seat_link, const struct tb_err *err);
void tb_cdp_session_lost(struct tb_driver_session *session, const struct tb_err *err);
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

/* From page.c and context.c. */
void tb_cdp_session_page_added(struct tb_driver_session *session, struct tb_cdp_page *page);
void tb_cdp_session_page_ready(struct tb_driver_session *session, struct tb_cdp_page *page);
void tb_cdp_session_page_ended(struct tb_driver_session *session, struct tb_cdp_page *page);
/* Whoever watches has something to look at. */
void tb_cdp_session_stirred(struct tb_driver_session *session);
/* An event that the page does not handle itself. */
void tb_cdp_session_on_event(struct tb_driver_session *session, struct tb_cdp_page *page,
                             const char *session_id, struct tb_str method, struct tb_str params);
