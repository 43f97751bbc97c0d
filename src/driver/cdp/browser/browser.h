/* SPDX-License-Identifier: Apache-2.0 */
/* One browser: a process of ours, or one at the other end of a WebSocket. All sessions of a tenant
 * with the same wishes share it, each as a browser context of its own.
 *
 *   starting --answers--> ready --end of file, exit, silence, last session gone--> over
 *      ^  |
 *      +--+ does not come up: up to three tries
 *
 * Sessions that want a context wait in a list. As many more as demand.h says are kept ready, so
 * that the next sessions need not wait. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/list.h"
#include "driver/cdp/browser/demand.h"
#include "driver/cdp/browser/fleet.h"
#include "driver/cdp/page/host.h"
#include "io/timer.h"

struct tb_cdp_context;
struct tb_cdp_helpers;
struct tb_cdp_line;
struct tb_cdp_ownership;
struct tb_endpoint;

#define TB_CDP_BROWSER_ENDED "the browser has ended unexpectedly"

enum {
    TB_BROWSER_START_MS = 25000,  /* for all tries; the call that waits has 30 s */
    TB_BROWSER_SILENCE_MS = 5000, /* for the first answer of one that does nothing */
};

/* What makes two sessions share a browser. The texts are borrowed; a browser has its own. */
struct tb_cdp_browser_spec {
    const char *tenant;
    const char *path; /* of the binary; empty with an endpoint */
    bool shell;
    bool headless;
    const char *endpoint; /* ws://... or wss://...; empty: a process of our own */
    bool proxied; /* all goes through the forward proxy, and it resolves no names by itself */
};

/* Contexts that are kept ready. */
struct tb_cdp_stock {
    struct tb_cdp_demand demand;
    bool growing;           /* spares are being made, and more are wanted */
    bool taken;             /* one was, since they were counted last */
    struct tb_timer refill; /* prepares the spare when the session before it has had its start */
};

struct tb_cdp_browser {
    struct tb_list link; /* in its fleet */
    struct tb_cdp_fleet *fleet;
    struct tb_cdp_browser_spec spec;
    const struct tb_cdp_ownership *ownership; /* the next three are its */
    struct tb_launch *launch;
    struct tb_cdp_helpers *helpers; /* NULL: not known yet, or not ours */
    struct tb_endpoint *remote;
    bool ready;
    bool prestarted;
    bool over; /* nobody gets it any more; freed at the end of the turn */
    int tries;
    int failed; /* new contexts in a row whose tab crashed */
    int64_t start_deadline_ms;
    struct tb_cdp_peer peer;         /* its line is NULL before and between tries */
    struct tb_cdp_command version;   /* its first command */
    struct tb_cdp_command processes; /* asks for its helpers */
    char product[64];                /* "HeadlessChrome/156.0.1.2" */
    struct tb_list contexts;
    struct tb_list asks;    /* commands of sessions to the browser itself */
    struct tb_list waiting; /* sessions that want a context */
    size_t sessions;        /* those that have or want one */
    struct tb_cdp_stock stock;
    struct tb_timer retry;   /* the next try */
    struct tb_timer linger;  /* nobody uses it */
    struct tb_deferred free; /* once it is over */
};

/* The browser for this spec, started if there is none. */
struct tb_cdp_browser *tb_cdp_browser_get(struct tb_cdp_fleet *fleet,
                                          const struct tb_cdp_browser_spec *spec);
/* The browser is there, at the other end of this line, which may still have to be opened. */
void tb_cdp_browser_on_line_take(struct tb_cdp_browser *browser, struct tb_cdp_line *line);
/* It does not come up; it is tried again, or given up. */
void tb_cdp_browser_failed_to_start(struct tb_cdp_browser *browser, const struct tb_err *err);
/* Its process has ended. */
void tb_cdp_browser_ended(struct tb_cdp_browser *browser);
/* It cannot be used any more. */
void tb_cdp_browser_lost(struct tb_cdp_browser *browser, const char *words);
/* Starts it, and a spare, before anybody asks. */
void tb_cdp_browser_prestart(struct tb_cdp_fleet *fleet, const struct tb_cdp_browser_spec *spec);
/* Ends it at once: contexts are dropped, sessions lost with these words. */
void tb_cdp_browser_end(struct tb_cdp_browser *browser, const struct tb_err *err);
/* Frees it without a word to anybody. */
void tb_cdp_browser_free(struct tb_cdp_browser *browser);

/* A session needs a context: it waits until tb_cdp_session_seated or tb_cdp_session_refused is
 * called. */
void tb_cdp_browser_seat(struct tb_cdp_browser *browser, struct tb_list *session_link);
/* A session that was seated or waited has left. */
void tb_cdp_browser_leave(struct tb_cdp_browser *browser);

/* From cmd.c: the line goes, and with it what was asked on it. */
void tb_cdp_browser_cmds_end(struct tb_cdp_browser *browser, const struct tb_err *err);
/* False when a process that it needs has ended, even if nobody was told yet: what it says of its
 * cookies and storage is not to be believed. */
bool tb_cdp_browser_whole(const struct tb_cdp_browser *browser);

/* A page is there, so there is time for the next spare. */
void tb_cdp_browser_page_loaded(struct tb_cdp_browser *browser);
/* From context.c: one is ready, or could not be made. */
void tb_cdp_browser_context_ready(struct tb_cdp_browser *browser);
void tb_cdp_browser_context_failed(struct tb_cdp_browser *browser, const struct tb_err *err);
