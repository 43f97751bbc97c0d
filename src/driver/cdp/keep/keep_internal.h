/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of keeping a session, for the files of this room. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "driver/cdp/browser/keeper.h"

struct tb_cdp_restore;
struct tb_cdp_saver;

struct tb_cdp_keep {
    struct tb_cdp_keeper keeper;    /* of its session */
    struct tb_cdp_saver *saver;     /* NULL: none under way */
    struct tb_cdp_restore *restore; /* the same */
    char *saved;                    /* what is to be brought back; NULL: nothing, or done */
    char *missing;                  /* what could not be; NULL: nothing */
    bool typed_lost;                /* what was typed is among it */
};

struct tb_cdp_keep *tb_cdp_keep_of(struct tb_driver_session *session);

/* From save.c: ends one; NULL: there is none. Without an error nobody hears of it. */
void tb_cdp_saver_end(struct tb_cdp_saver *saver, const struct tb_err *err);

/* From restore.c: brings back what was saved, into a session that has its context and one empty
 * tab; tb_cdp_session_prepared follows once, later, whatever could be brought back. It stays while
 * a tab has not been at its site yet: the storage is for when it gets there. */
void tb_cdp_restore_start(struct tb_driver_session *session, struct tb_str saved,
                          int64_t deadline_ms);
/* Its time is over: what is back stays, and that something is not is said. No
 * tb_cdp_session_prepared follows. */
void tb_cdp_restore_cut(struct tb_cdp_keep *keep);
/* Without a word to anybody. */
void tb_cdp_restore_drop(struct tb_cdp_keep *keep);
