/* SPDX-License-Identifier: Apache-2.0 */
/* A file that small writes are copied into before they go to the database. It is mapped into memory
 * and has all its space from the start, so a write costs a copy, cannot run out of disk, and is
 * kept by the kernel when the process is killed.
 *
 * It has two halves. One takes what comes; the other, if it is frozen, is being moved by a worker
 * and is emptied when its content is in the database. After a kill the worker begins with what is
 * left; records are numbered, so that the database can tell which it has. All functions but
 * tb_intake_next are for one thread. */
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

/* Opens or makes it. A damaged file is set aside, what is whole in it is kept, and *ret_damage has
 * words (its code is 0 otherwise). NULL when it cannot be made or is from another version. */
struct tb_intake *tb_intake_open(const char *path, struct tb_err *ret_damage, struct tb_err *err);
/* New records get numbers over `seq`. After a power loss the file may be older than the database,
 * which would take them for others that it has. */
void tb_intake_number_after(struct tb_intake *intake, uint64_t seq);
/* What it has stays in the file. */
void tb_intake_free(struct tb_intake *intake);

/* False when there is no room. When it returns true the record survives the process. */
bool tb_intake_append(struct tb_intake *intake, struct tb_str record);
/* Bytes that records, each a little longer than it is, can still take. */
size_t tb_intake_room(const struct tb_intake *intake);
size_t tb_intake_used(const struct tb_intake *intake);

/* Freezes what is there, for a worker; nothing if there is nothing or a half is frozen already. */
void tb_intake_freeze(struct tb_intake *intake);
bool tb_intake_frozen(const struct tb_intake *intake);
/* The next record of the frozen half, from *pos (first 0): 1, 0 at the end, TB_E_INVALID when the
 * rest is damaged. For the worker. */
int tb_intake_next(const struct tb_intake *intake, size_t *pos, uint64_t *ret_seq,
                   struct tb_str *ret_record);
/* The frozen half is in the database: its place is free again. */
void tb_intake_release(struct tb_intake *intake);

/* Drawn when the file was made: numbers of records mean nothing for another one. */
uint64_t tb_intake_id(const struct tb_intake *intake);
/* The number of the last record that was released. */
uint64_t tb_intake_released(const struct tb_intake *intake);
