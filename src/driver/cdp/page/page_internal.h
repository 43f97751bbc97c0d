/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of a tab, for the files of this room.
 *
 * What a tab owes somebody is in two lists: commands, with calls of page functions among them, and
 * waits for a navigation. A crash, a dialog or the end of the tab goes through both. A tab that
 * ends is taken out of all tables at once and freed at the end of the turn, so code that holds it
 * finishes safely. */
#pragma once

#include "base/buf.h"
#include "base/list.h"
#include "base/map.h"
#include "driver/cdp/page/ask.h"
#include "driver/cdp/page/chooser.h"
#include "driver/cdp/page/cmd.h"
#include "driver/cdp/page/frame.h"
#include "driver/cdp/page/held.h"
#include "driver/cdp/page/host.h"
#include "driver/cdp/page/page.h"
#include "driver/cdp/page/target.h"
#include "io/timer.h"

struct cJSON;

/* What a document told of itself when it came. */
struct tb_cdp_arrival {
    struct cJSON *told; /* NULL: nothing */
    uint64_t mark;      /* how many navigations there had been */
};

/* Into how many of its fields something was typed, when it was last asked. */
struct tb_cdp_typed {
    int64_t fields;
    uint64_t mark;
};

/* What can be said of its document without asking it. */
struct tb_cdp_known {
    struct tb_cdp_arrival arrival;
    struct tb_cdp_typed typed;
    struct tb_buf outline; /* the last one that was shown whole */
};

/* How it came to be. */
struct tb_cdp_opening {
    bool by_page;
    uint64_t number;                /* see tb_cdp_page_opened */
    char opener[TB_TARGET_ID_SIZE]; /* the target that opened it; empty: none */
    uint64_t group; /* the same for tabs that can reach each other by window.opener */
    char *failed;   /* what it was opened for and has no document of; NULL: it has one */
};

/* Whether it may be seen, see inner.h. */
struct tb_cdp_inner {
    bool is;
    bool ended;    /* and so are its calls */
    char *refused; /* by which rule; NULL: by none */
};

/* What it owes somebody; each has a number, in the order in which they began. */
struct tb_cdp_owed {
    uint64_t last_handle;
    struct tb_list cmds; /* calls of page functions are among them */
    struct tb_list settles;
};

struct tb_cdp_page {
    struct tb_list link;      /* in its host; once it has ended, with its peer */
    struct tb_cdp_host *host; /* NULL once it has ended */
    struct tb_cdp_peer *peer;
    struct tb_cdp_target *target;
    struct tb_list targets; /* all, the main one too */
    size_t target_count;
    struct tb_map frames; /* by id */
    struct tb_cdp_frame *main_frame;
    unsigned last_number;
    char *bound_for; /* where its navigation leads, until that has a document; NULL: none */
    struct tb_cdp_dialog dialog;
    struct tb_cdp_chooser chooser;
    struct tb_cdp_held held;
    struct tb_cdp_known known;
    struct tb_cdp_opening opening;
    struct tb_cdp_inner inner;
    bool kept_waiting;        /* a navigation away from it had no answer */
    bool leaving;             /* a call leaves it: its dialogs are dismissed */
    unsigned dismissed;       /* of them, so far */
    unsigned windows_refused; /* that the present document wanted to open */
    bool ready;
    bool crashed;
    bool gone;
    bool in_doubt; /* a call passed its deadline, and it has not answered since */
    uint64_t navs; /* navigations so far */
    struct tb_cdp_owed owed;
    struct tb_deferred late; /* ends what was begun in vain */
    struct tb_deferred free;
};

/* page.c, events.c */
struct tb_cdp_page *tb_cdp_page_new(struct tb_cdp_host *host, struct tb_str session_id,
                                    struct tb_str target_id, bool opened_by_page);
/* Sends what every target needs, as one burst; it runs nothing of the page before the last of it.
 */
void tb_cdp_page_set_up(struct tb_cdp_target *target);
/* Takes it out of everything; all that waits ends with this error. */
void tb_cdp_page_end(struct tb_cdp_page *page, const struct tb_err *err);
/* Frees what has ended, without waiting for the end of the turn. */
void tb_cdp_pages_free_ended(struct tb_cdp_peer *peer);
void tb_cdp_page_on_event(struct tb_cdp_route *route, struct tb_str method, struct tb_str params);
/* The operation under way has something to look at. */
void tb_cdp_page_notice(const struct tb_cdp_page *page);
/* told.c: Runtime.bindingCalled. */
void tb_cdp_page_take_told(struct tb_cdp_page *page, struct tb_str params);
/* Ends all commands, calls and waits of the tab, or only those of one target. */
void tb_cdp_page_fail_all(struct tb_cdp_page *page, const struct tb_cdp_target *target,
                          const struct tb_err *err);
void tb_cdp_page_set_viewport(struct tb_cdp_page *page, int width, int height);
/* The list for what is asked of it; NULL: nobody uses it, or it has ended. */
struct tb_list *tb_cdp_page_asks(const struct tb_cdp_page *page);
/* Why no answer came in time: these words, unless it is a server that keeps the tab waiting. */
void tb_cdp_page_say_late(const struct tb_cdp_page *page, const char *words,
                          struct tb_err *ret_err);
/* A command has passed its deadline: the page is in doubt until it answers a question. */
void tb_cdp_page_probe(struct tb_cdp_page *page);

/* call.c */
void tb_cdp_page_calls_fail(const struct tb_cdp_frame *frame, const struct tb_err *err);
/* A frame has a new world: calls that waited for it go on. */
void tb_cdp_page_calls_go_on(struct tb_cdp_frame *frame);
