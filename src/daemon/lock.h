/* SPDX-License-Identifier: Apache-2.0 */
/* One daemon per state directory. The lock is the kernel's (flock), so it ends with the process
 * however that ends. It is held on the directory itself, which nobody can remove and make anew
 * around it as they can a file; the file `lock` in it tells people who holds it, and is locked too
 * for file systems that lock no directories (NFS). */
#pragma once

#include "base/err.h"
#include "base/str.h"

enum {
    TB_LOCK_HOLDER_SIZE = 128,
};

struct tb_lock {
    int dir_fd;
    int file_fd;
};

/* Not held. */
#define TB_LOCK_NONE ((struct tb_lock){-1, -1})

/* TB_E_LOCKED with words that name the holder; *ret_lock is then not held. */
int tb_lock_take(const char *state_dir, struct tb_lock *ret_lock, struct tb_err *err);
/* Safe on one that is not held. */
void tb_lock_release(struct tb_lock *lock);
/* Writes what others are told: process id and address. */
void tb_lock_describe(const struct tb_lock *lock, struct tb_str address);
/* What the holder wrote ("process 123, http://..."), empty if nobody holds it. For `tabard doctor`.
 */
void tb_lock_holder(const char *state_dir, char *ret_text, size_t size);
