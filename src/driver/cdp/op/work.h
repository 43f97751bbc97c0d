/* SPDX-License-Identifier: Apache-2.0 */
/* What all operations have in common: one record a running operation, which knows its tab, asks it
 * one thing after the other and ends in exactly one way.
 *
 * An operation is a const struct tb_cdp_work_kind and a struct of its own that begins with struct
 * tb_cdp_work. Each answer that it asked for arrives at `step`, which looks at `state`. A failure
 * ends the operation unless `failed` deals with it. tb_cdp_work_done, _fail and _wind_up are the
 * last thing that a step does: the record may be gone when they return. Cancelling forgets all
 * answers that are still to come. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"
#include "driver/cdp/browser/session.h"
#include "driver/cdp/op/requests.h"
#include "driver/cdp/op/work_take.h"
#include "driver/cdp/page/running.h"
#include "driver/cdp/page/target.h"
#include "driver/cdp/wire/pick.h"
#include "io/loop.h"
#include "io/timer.h"

enum {
    TB_CDP_WORK_ARGS_MAX = 16 * 1024 * 1024, /* of what tb_cdp_work_args writes */
    TB_CDP_WORK_GRACE_MS = 800, /* for the page's own words at the deadline; within core's grace */
};

struct tb_cdp_work;

struct tb_cdp_work_kind {
    size_t size;    /* of the operation's struct */
    bool in_dialog; /* works while the page shows a dialog */
    bool stays;     /* in the tab that the caller knows, whatever else pages open */
    bool leaves;    /* may begin without a tab to look at, see tb_cdp_work_check_tab */
    void (*step)(struct tb_cdp_work *work, struct tb_str value);
    bool (*failed)(struct tb_cdp_work *work, const struct tb_err *err); /* true: it goes on */
    /* The page says that input was held back, or that none came; see page/aim.js. May be NULL. */
    void (*missed)(struct tb_cdp_work *work, const struct cJSON *told);
    /* A navigation has begun, a dialog has opened, a tab has opened or closed, and it has not begun
     * to end. May be NULL. */
    void (*noticed)(struct tb_cdp_work *work);
    /* An event of the domains Fetch and Input, which it has asked for. May be NULL. */
    void (*on_event)(struct tb_cdp_work *work, struct tb_cdp_page *page, struct tb_str method,
                     struct tb_str params);
    /* Something else that it tells by itself. True: it is for this operation. May be NULL. */
    bool (*told)(struct tb_cdp_work *work, const struct cJSON *told);
    void (*stop)(struct tb_cdp_work *work); /* cancelled: let go of what is held; may be NULL */
    void (*fini)(struct tb_cdp_work *work); /* may be NULL */
};

/* Which answer to the question where the page is counts. */
enum tb_cdp_here {
    TB_HERE_NOW,    /* every one: nothing was done */
    TB_HERE_BEHIND, /* one that comes behind the answer of what was asked before it */
    TB_HERE_CLICKS, /* what the page tells by itself, after so many clicks */
};

/* What the page is to tell of the input, and has told. */
struct tb_cdp_expected {
    char page_id[TB_TARGET_ID_SIZE]; /* the tab that gets it, whichever is current by then */
    bool aimed;                      /* it watches for the press, so it will tell of it */
    bool struck;                     /* it saw the press on the element */
    int due;               /* words (a click, a tick, the last key) before which a dialog has cut */
    int had;               /* the act off; and how many of them have come */
    double aim;            /* the number of its aim of what is typed; 0: none */
    struct tb_timer timer; /* runs while its word that it saw the press may be on its way */
    bool late;
};

/* Where the page is in the end, see work_end.c. */
struct tb_cdp_whereabouts {
    bool known;    /* address and title are in the result */
    uint64_t mark; /* as they were after this navigation */
    enum tb_cdp_here when;
    int64_t clicks;
    uint64_t call;          /* under way; 0: none */
    struct tb_deferred ask; /* the question, if the page has not told by the end of the turn */
};

/* What was there when the operation began. */
struct tb_cdp_before {
    uint64_t tabs_opened;
    uint64_t tabs_refused;
    uint64_t console_errors;
    uint64_t downloads;
};

struct tb_cdp_work {
    struct tb_cdp_running running; /* as its tabs and its session see it */
    const struct tb_cdp_work_kind *kind;
    struct tb_driver_session *session;
    struct tb_op *op;
    int state;         /* the operation's own */
    bool acted;        /* a dialog or a closed tab is from now on what came of the act */
    bool clicks;       /* it means to click: that no click came of it is told */
    bool edits;        /* its keys may change what a field has */
    bool ticked;       /* a box or radio button has changed */
    int dismissed;     /* dialogs that were in the way */
    bool script;       /* a script of the caller's was sent to its frame */
    bool begun;        /* and found it at rest; otherwise it may wait behind the page's own work */
    const char *until; /* how far a navigation is waited for; "load" */
    int64_t began_ms;
    int64_t deadline_ms;
    struct tb_timer grace; /* after it, for words that are on their way */
    char page_id[TB_TARGET_ID_SIZE];
    unsigned frame;          /* the number of the target's frame */
    uint64_t mark;           /* navigations so far that are not of its doing, or are told */
    struct tb_deferred gone; /* it asked when its tab or frame was gone */
    struct tb_cdp_before before;
    struct tb_cdp_expected expected;
    struct tb_cdp_changes changes;
    bool ending;
    bool navigated;
    struct tb_cdp_whereabouts here;
    struct tb_cdp_requests requests;
    struct tb_timer requests_timer; /* they have had enough time */
    struct tb_deferred noticed;     /* something has happened in its tabs */
};

/* Begins: NULL when it has ended already, because there is no tab or a dialog is in the way. */
void *tb_cdp_work_new(const struct tb_cdp_work_kind *kind, struct tb_driver_session *session,
                      struct tb_op *op);
/* Whether the session has a tab to look at. Otherwise there is none right now, or it is being
 * closed for where it has come to. */
int tb_cdp_work_check_tab(const struct tb_cdp_work *work, struct tb_err *err);
/* From now on it works in this tab. */
void tb_cdp_work_take_tab(struct tb_cdp_work *work, const struct tb_cdp_page *page);
/* Its tab; NULL: closed meanwhile. */
struct tb_cdp_page *tb_cdp_work_page(struct tb_cdp_work *work);
/* The frame that `target` is in: that of its ref, or the main one. NULL: gone, this has ended. */
struct tb_cdp_frame *tb_cdp_work_frame(struct tb_cdp_work *work, struct tb_str target);

/* Asking. The answer goes to `step`; with no tab any more the operation fails, later. */
void tb_cdp_work_call(struct tb_cdp_work *work, const char *function, struct tb_str args);
/* The same in another frame of the tab. */
void tb_cdp_work_call_in(struct tb_cdp_work *work, unsigned number, const char *function,
                         struct tb_str args);
void tb_cdp_work_send(struct tb_cdp_work *work, const char *method, struct tb_str params);
/* See tb_cdp_page_fence. */
void tb_cdp_work_fence(struct tb_cdp_work *work);
/* Sends the tab to an address. */
void tb_cdp_work_open(struct tb_cdp_work *work, struct tb_str url);
/* To the target that the frame of the operation lives in. */
void tb_cdp_work_frame_send(struct tb_cdp_work *work, const char *method, struct tb_str params);
/* To any session of the connection, "" for the browser itself. */
void tb_cdp_work_send_to(struct tb_cdp_work *work, const char *session_id, const char *method,
                         struct tb_str params);
/* No answer wanted. */
void tb_cdp_work_post(struct tb_cdp_work *work, const char *method, struct tb_str params);
/* Waits for a navigation that began since the operation did. */
void tb_cdp_work_settle(struct tb_cdp_work *work);
/* The same for one that the browser was asked for; see tb_cdp_page_settle_asked. */
void tb_cdp_work_settle_asked(struct tb_cdp_work *work);

/* Arguments of a page function: those of the operation's that are named, with blanks between, and
 * given; with `wait` also how long to wait for the element. */
void tb_cdp_work_args(struct tb_cdp_work *work, const char *names, bool wait, struct tb_buf *out);
int64_t tb_cdp_work_left_ms(const struct tb_cdp_work *work);
/* How long the next element may be waited for. */
int64_t tb_cdp_work_element_ms(const struct tb_cdp_work *work);

/* Ends. */
void tb_cdp_work_fail(struct tb_cdp_work *work, int code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void tb_cdp_work_fail_err(struct tb_cdp_work *work, const struct tb_err *err);
/* The code for a caller: what the browser refuses is no fault of the protocol. */
int tb_cdp_work_code(const struct tb_err *err);
/* Nobody saw the press arrive: it is not known what it hit. */
void tb_cdp_work_fail_unseen(struct tb_cdp_work *work, const char *why);
/* Ends with what is in its result by now, and nothing more. */
void tb_cdp_work_done(struct tb_cdp_work *work);
/* After an act: waits for a navigation that it began, ends with the page keys of operations.md. */
void tb_cdp_work_wind_up(struct tb_cdp_work *work);
/* The page will tell by itself where it is, after so many clicks. */
void tb_cdp_work_expect(struct tb_cdp_work *work, int64_t clicks);
/* What was asked for is forgotten: the act has to be done anew. */
void tb_cdp_work_begin_again(struct tb_cdp_work *work);
/* What the end may be waiting for has come. */
void tb_cdp_work_look_again(struct tb_cdp_work *work);
/* What was asked is asked anew in the document that the tab has now; nothing was done so far. */
void tb_cdp_work_moved(struct tb_cdp_work *work);
/* Whether its tab or the target's frame has begun to load another document since it began. */
bool tb_cdp_work_has_left(struct tb_cdp_work *work);
/* Which document that frame has, see tb_cdp_frame_document; 0: the frame is gone. */
uint64_t tb_cdp_work_document(struct tb_cdp_work *work);
/* Asks where the page is, without waiting; wind_up then need not ask if the answer counts. */
void tb_cdp_work_here(struct tb_cdp_work *work, enum tb_cdp_here when);
/* The same with all that has changed since the daemon has heard of that, if it is not known. */
void tb_cdp_work_here_again(struct tb_cdp_work *work);
/* Ends with the page keys, address and title being those of `value`, a JSON object. */
void tb_cdp_work_done_at(struct tb_cdp_work *work, struct tb_str value);

/* Adds all page keys but address and title to the result. */
void tb_cdp_work_add_events(struct tb_cdp_work *work);
/* Sets `key` of the data to the element in words; see element.h. */
void tb_cdp_work_set_element(struct tb_cdp_work *work, const char *key, const struct cJSON *reply);
