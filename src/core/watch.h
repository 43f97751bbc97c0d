/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at sessions while they work; hands are for who has taken over (core/session_hold.h). A
 * viewer is told the newest picture whenever it is ready for one, and skips what it was too slow
 * for: it holds up nobody, and neither does it wake, touch or renew a session. One that sleeps
 * shows nothing until a call wakes it.
 *
 *   ready --a newer picture--> busy --tb_watch_ready--> ready
 *
 * The driver makes pictures only while somebody looks, and the next one when the first viewer has
 * passed the last one on. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/list.h"
#include "core/picture.h"
#include "core/reasons.h"

struct tb_session;
struct tb_watch;

/* Inside its owner's record, which fills in what it wants and whom to tell. Each function may stop
 * this viewer and any other. */
struct tb_viewer {
    struct tb_want want;
    /* Borrowed: keep it with tb_picture_ref. No other comes before tb_watch_ready. */
    void (*show)(struct tb_viewer *viewer, struct tb_picture *picture);
    /* The session has ended, and with it the looking: nothing comes any more. */
    void (*ended)(struct tb_viewer *viewer, enum tb_end_reason reason);
    /* For core/watch.c. */
    struct tb_watch *watch; /* NULL: it does not look */
    struct tb_list link;
    uint64_t seen; /* the number of the picture that it was given last */
    bool busy;
};

/* Begins to look. TB_E_NOT_POSSIBLE (the driver has no pictures), TB_E_LIMIT, TB_E_SESSION_ENDED.
 */
int tb_watch_start(struct tb_session *session, struct tb_viewer *viewer, struct tb_err *err);
/* Nothing comes any more. Also for one that does not look. */
void tb_watch_stop(struct tb_viewer *viewer);
/* The viewer has passed on what it was given. */
void tb_watch_ready(struct tb_viewer *viewer);

/* From core/session*.c. Its driver session is open; it is about to close; a picture came; it has
 * ended; its record goes without a word to anybody. */
void tb_watch_resume(struct tb_session *session);
void tb_watch_pause(struct tb_session *session);
void tb_watch_on_picture(void *owner, struct tb_picture *picture);
void tb_watch_end(struct tb_session *session, enum tb_end_reason reason);
void tb_watch_free(struct tb_watch *watch);
