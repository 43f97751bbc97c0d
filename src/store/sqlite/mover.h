/* SPDX-License-Identifier: Apache-2.0 */
/* Moves changes into the database: first those of the frozen half of the intake, then those that
 * are too large for it, in one transaction. It opens, checks and, if it has to, replaces the file.
 * Blocking, for a worker or the command line; it knows no loop. */
#pragma once

#include <stdbool.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/list.h"
#include "core/gate.h"
#include "store/sqlite/db.h"
#include "store/sqlite/intake.h"

/* A change that does not go through the intake. */
struct tb_heavy {
    struct tb_list link;
    struct tb_buf bytes;  /* of tb_change_pack */
    struct tb_str record; /* of tb_change_record, if later changes of it have to wait behind */
    struct tb_hold hold;
    int64_t since_ms;
    bool exists; /* the last run found that it puts nothing new */
};

struct tb_mover {
    const char *path;
    const uint8_t *secret;
    struct tb_intake *intake;
    struct tb_db db; /* opened when it is needed */
    bool looked;     /* the schema is right and the head whole */
    bool checked;    /* everything was found whole, in the next run; cleared to look again */
    bool keep;       /* a broken file, or one that lacks something, is a failure and stays as it is;
                      * otherwise it is told, and a broken one set aside and a new one begun */
    bool replaced;   /* that was done */
    bool sync;       /* what is moved has to outlive a power cut */
    bool renew;      /* the intake's file is no good: make a new one first */
    bool renewed;    /* that was done */
    bool lost;       /* the database is not in its place any more */
    bool full;       /* the disk is */
    bool index_bad;  /* somebody cut or removed the index */
    bool index_anew; /* all other connections are closed: make it anew */
    struct tb_err
        intake_err;     /* what is wrong with the intake's file; its code is 0 if nothing is */
    struct stat file;   /* the database's, when it was opened; its number is 0 before */
    struct stat log;    /* its log's, after the last run; the same */
    struct stat index;  /* its index's; the same */
    struct tb_err note; /* something that people have to know; its code is 0 if there is nothing */
};

/* `heavy` is a list of struct tb_heavy, which stay in it. After a failure nothing is moved. The
 * caller releases the frozen half after a success. */
int tb_mover_run(struct tb_mover *mover, const struct tb_list *heavy, struct tb_err *err);
/* Are all files in their places? A failure is for the next run to tell. */
int tb_mover_watch(struct tb_mover *mover);
void tb_mover_fini(struct tb_mover *mover);
