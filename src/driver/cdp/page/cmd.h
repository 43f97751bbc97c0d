/* SPDX-License-Identifier: Apache-2.0 */
/* Commands to a tab, or to a frame of it that lives in another process: each ends with its tab at
 * the latest. For the files of this room.
 *
 *   waiting for a world (calls of a page function) --> held back until the tab is set up --> sent
 *   --> done
 *
 * The record of a command is also what the line and the session list; who needs more has it as a
 * part of its own. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "driver/cdp/page/ask.h"
#include "driver/cdp/wire/conn.h"
#include "io/timer.h"

struct tb_cdp_page;
struct tb_cdp_target;

struct tb_cdp_page_cmd {
    struct tb_cdp_ask ask;         /* in its page */
    struct tb_cdp_command command; /* with the deadline */
    struct tb_cdp_page *page;
    struct tb_cdp_target *target; /* once it does not wait for a world */
    uint64_t handle;
    bool waits;     /* for a world: its owner starts it then */
    bool by_thread; /* the page's own thread answers it */
    bool sets_up;   /* without its answer the page can never be used */
    /* It has ended: its owner frees it, or starts it anew. */
    void (*done)(struct tb_cdp_page_cmd *cmd, int code, struct tb_str result,
                 const struct tb_err *err);
    tb_cdp_reply_fn *fn; /* of one that nobody else has a record of */
    struct tb_err *late; /* why it was not sent */
    char *method;        /* these two while it is held back */
    char *params;
    struct tb_timer timer; /* the deadline until it is sent */
};

/* Lists it; it waits. */
void tb_cdp_page_cmd_init(struct tb_cdp_page_cmd *cmd, struct tb_cdp_page *page,
                          int64_t deadline_ms, void *user);
/* Takes it out of everything; nobody hears of it. */
void tb_cdp_page_cmd_fini(struct tb_cdp_page_cmd *cmd);
/* Waits for a world, as long as the deadline allows. */
void tb_cdp_page_cmd_wait(struct tb_cdp_page_cmd *cmd);
/* Sends it, or holds it back until the page is set up. */
void tb_cdp_page_cmd_start(struct tb_cdp_page_cmd *cmd, struct tb_cdp_target *target,
                           const char *method, struct tb_str params);
/* It ends with this error at the end of the turn. */
void tb_cdp_page_cmd_fail_later(struct tb_cdp_page_cmd *cmd, const struct tb_err *err);
/* Who forgets a command at or after its deadline did not get its answer in time. */
bool tb_cdp_page_cmd_is_late(const struct tb_cdp_page_cmd *cmd);

/* One that has no other record; `drop` is for who forgets it. */
struct tb_cdp_page_cmd *tb_cdp_page_cmd_new(struct tb_cdp_target *target, const char *method,
                                            struct tb_str params, int64_t deadline_ms,
                                            tb_cdp_reply_fn *fn, void *user);
/* A question that is answered once all that was sent before it has been dealt with, by a thread
 * that runs. */
struct tb_cdp_page_cmd *tb_cdp_page_cmd_fence(struct tb_cdp_target *target, int64_t deadline_ms,
                                              tb_cdp_reply_fn *fn, void *user);
void tb_cdp_page_cmd_drop(struct tb_cdp_page_cmd *cmd);
/* One of those that set the page up: no dialog ends it. */
void tb_cdp_page_cmd_set_up(struct tb_cdp_target *target, const char *method, tb_cdp_reply_fn *fn,
                            void *user);
/* Whether one of them has still to be answered. */
bool tb_cdp_page_cmd_sets_up(const struct tb_cdp_page *page);

/* Ends all, or those of one target. */
void tb_cdp_page_cmds_fail(struct tb_cdp_page *page, const struct tb_cdp_target *target,
                           const struct tb_err *err);
void tb_cdp_page_cmds_run_late(struct tb_cdp_page *page);
/* The page is set up: what was held back until then is sent. */
void tb_cdp_page_cmds_go_on(struct tb_cdp_page *page);
