/* SPDX-License-Identifier: Apache-2.0 */
/* A file that small writes are copied into before they go to the database. It has all its space
 * from the start, so a write costs a copy into the page cache, which the kernel keeps when the
 * process is killed; with a sync it outlives a power cut.
 *
 * It has two halves. One takes what comes; the other, if it is frozen, is being moved by a worker
 * and is emptied when its content is in the database. After a kill the worker begins with what is
 * left; records are numbered, so that the database can tell which it has. The functions are for one
 * thread, those that touch the file (write, check, renew, next, clear) for a worker too. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum {
    TB_INTAKE_HALF_BYTES = 4 * 1024 * 1024,
};

struct tb_intake;

/* A piece of a half. */
struct tb_intake_part {
    int half;
    size_t from;
    size_t to;
};

enum tb_intake_for {
    TB_INTAKE_START,   /* it may be the first */
    TB_INTAKE_RESTART, /* there was one before */
    TB_INTAKE_LOOK, /* a damaged one is an error: to mend it is for the daemon, which tells of it */
};

/* Opens or makes it. *ret_damage has words (its code is 0 otherwise) when it was damaged, which
 * sets the file aside and keeps what is whole in it, or is missing at a restart. NULL when it
 * cannot be made or is from another version. */
struct tb_intake *tb_intake_open(const char *path, enum tb_intake_for use,
                                 struct tb_err *ret_damage, struct tb_err *err);
/* New records get numbers over `seq`. After a power loss the file may be older than the database,
 * which would take them for others that it has. */
void tb_intake_number_after(struct tb_intake *intake, uint64_t seq);
/* What it has stays in the file. */
void tb_intake_free(struct tb_intake *intake);

/* False when there is no room. The record is in memory, and in the file after a write of its part.
 */
bool tb_intake_append(struct tb_intake *intake, struct tb_str record);
/* What is not in the file yet, the frozen half first; false if there is nothing. */
bool tb_intake_part(const struct tb_intake *intake, struct tb_intake_part *ret_part);
/* The frozen half, if there is one, is in the file. */
bool tb_intake_frozen_stored(const struct tb_intake *intake);
/* Writes a part; it then survives the process, with `sync` a power cut. One at a time, and none of
 * the frozen half while a batch has it. After a failure the file has to be renewed: what a failed
 * sync has dropped, the next one does not bring back. */
int tb_intake_write(const struct tb_intake *intake, const struct tb_intake_part *part, bool sync,
                    struct tb_err *err);
void tb_intake_written(struct tb_intake *intake, const struct tb_intake_part *part);
/* Is the file still in its place, and whole? */
int tb_intake_check(const struct tb_intake *intake, struct tb_err *err);
/* Puts a new file in its place, with all that the old one had and the frozen half. Nothing is
 * written or frozen meanwhile. */
int tb_intake_renew(struct tb_intake *intake, bool sync, struct tb_err *err);
void tb_intake_renewed(struct tb_intake *intake);
/* Bytes that records, each a little longer than it is, can still take. */
size_t tb_intake_room(const struct tb_intake *intake);
size_t tb_intake_used(const struct tb_intake *intake);

/* Freezes what is there, for a worker; nothing if there is nothing or a half is frozen already. */
void tb_intake_freeze(struct tb_intake *intake);
bool tb_intake_frozen(const struct tb_intake *intake);
/* The next record of the frozen half, from *pos (first 0): 1, 0 at the end, TB_E_INVALID when the
 * rest is damaged. */
int tb_intake_next(const struct tb_intake *intake, size_t *pos, uint64_t *ret_seq,
                   struct tb_str *ret_record);
/* The frozen half is in the database: notes it in the file. */
int tb_intake_clear(const struct tb_intake *intake, bool sync, struct tb_err *err);
/* Its place is free again. */
void tb_intake_release(struct tb_intake *intake);

/* Drawn when the file was made: numbers of records mean nothing for another one. */
uint64_t tb_intake_id(const struct tb_intake *intake);
/* The number of the last record that was released. */
uint64_t tb_intake_released(const struct tb_intake *intake);
